# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a folder's files lie: its mount, its file system, and the disks whose queues matter for it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from disktuner.block.disk import Mount
from disktuner.vocabulary.messages import Message, message

_NETWORK = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "ceph", "afs", "glusterfs", "fuse.glusterfs", "fuse.sshfs",
     "fuse.rclone", "fuse.s3fs", "fuse.davfs", "ncpfs", "coda", "lustre", "beegfs", "orangefs", "fuse.mfs", "davfs"}
)  # fmt: skip
_MEMORY = frozenset({"tmpfs", "ramfs", "devtmpfs", "hugetlbfs"})
_OF_THE_HOST = frozenset({"virtiofs", "vboxsf", "fuse.vmhgfs-fuse", "prl_fs"})


@dataclass(frozen=True, slots=True)
class Location:
    """Where a folder's files lie.

    ``disks`` are the names of the tunable disks whose queues order its work, ``blocking`` those of disks that lie
    below it but cannot be tuned. ``why_nothing`` says in one sentence, with what to do instead, why there is
    nothing to tune; it is None when there is a disk. ``note`` is something worth knowing, or None.
    """

    folder: Path
    mount: Mount | None
    disks: tuple[str, ...]
    blocking: tuple[str, ...] = ()
    why_nothing: Message | None = None
    note: str | None = None


def why_no_disk(folder: Path, mount: Mount) -> Message:
    """Return why there is no disk below a mount that no block device carries."""
    upper = next((item[9:] for item in mount.options if item.startswith("upperdir=")), None)
    if mount.fstype == "overlay" and upper:
        return message("folder-on-overlay-of", folder=str(folder), upper=upper)
    pool = mount.source.partition("/")[0]
    return message(_reason(mount.fstype), folder=str(folder), fstype=mount.fstype, source=mount.source, pool=pool)


def _reason(fstype: str) -> str:
    if fstype in _NETWORK:
        return "folder-on-network"
    if fstype in _MEMORY:
        return "folder-in-memory"
    if fstype in _OF_THE_HOST:
        return "folder-of-the-host"
    if fstype in ("overlay", "zfs"):
        return f"folder-on-{fstype}"
    return "folder-of-a-program" if fstype.startswith("fuse") else "folder-on-no-disk"
