# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a folder's files lie: its mount, its file system, and the disks whose queues matter for it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from disktuner.block.disk import Mount

_NETWORK = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "ceph", "afs", "glusterfs", "fuse.glusterfs", "fuse.sshfs",
     "fuse.rclone", "fuse.s3fs", "fuse.davfs", "ncpfs", "coda", "lustre", "beegfs", "orangefs", "fuse.mfs", "davfs"}
)  # fmt: skip
_MEMORY = frozenset({"tmpfs", "ramfs", "devtmpfs", "hugetlbfs"})


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
    why_nothing: str | None = None
    note: str | None = None


def why_no_disk(  # noqa: PLR0911 - one sentence each
    folder: Path, mount: Mount
) -> str:
    """Why there is no disk below a mount that no block device carries."""
    kind = mount.fstype
    if kind in _NETWORK:
        return (
            f"{folder} lies on a network file system ({kind} from {mount.source}): the server's disks order its "
            "work. Run Disktuner there."
        )
    if kind in _MEMORY:
        return f"{folder} lies in memory ({kind}), not on a disk. Choose a folder on a disk."
    if kind == "overlay":
        upper = next((item[9:] for item in mount.options if item.startswith("upperdir=")), None)
        where = f" Choose {upper} instead, outside the container." if upper else " Choose the folder it lies on."
        return f"{folder} lies on an overlay of other folders, which has no disk of its own.{where}"
    if kind in ("virtiofs", "vboxsf", "fuse.vmhgfs-fuse", "prl_fs"):
        return f"{folder} is shared by the host of this virtual machine ({kind}). Run Disktuner on the host."
    if kind == "zfs":
        return (
            f"{folder} lies in the zfs pool {mount.source.split('/')[0]}, whose disks could not be found out. "
            "Name a disk of the pool instead (`zpool status` lists them)."
        )
    if kind.startswith("fuse"):
        return f"{folder} is served by a program ({kind}). Choose the folder in which that program keeps its data."
    return f"{folder} lies on {kind}, which no disk carries. Choose a folder on a disk."
