# SPDX-License-Identifier: GPL-3.0-or-later
"""From a folder to its disks: its mount, its file system, and the queues that order its requests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from disktuner.block.disk import Disk, Mount
from disktuner.block.filesystems import FileSystems
from disktuner.vocabulary.errors import NoSuchThing
from disktuner.vocabulary.messages import Message, message

_NETWORK = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "ceph", "afs", "glusterfs", "fuse.glusterfs", "fuse.sshfs",
     "fuse.rclone", "fuse.s3fs", "fuse.davfs", "ncpfs", "coda", "lustre", "beegfs", "orangefs", "fuse.mfs", "davfs"}
)  # fmt: skip
_MEMORY = frozenset({"tmpfs", "ramfs", "devtmpfs", "hugetlbfs"})
_OF_THE_HOST = frozenset({"virtiofs", "vboxsf", "fuse.vmhgfs-fuse", "prl_fs"})


@dataclass(frozen=True, slots=True)
class Location:
    """Where a folder's files are.

    ``disks`` are the names of the tunable disks whose queues order its requests. ``why_nothing`` says why there are
    none, and what to do instead; None if there is a disk.
    """

    mount: Mount
    disks: tuple[str, ...]
    why_nothing: Message | None = None


def locate(folder: Path, files: FileSystems, disk: Callable[[str], Disk | None]) -> Location:
    """Return the mount below a folder, and the disks below the mount. Raises ``NoSuchThing`` without such a folder.

    ``disk`` returns a disk by its name.
    """
    line = files.mount_of(folder)
    if line is None:
        raise NoSuchThing("no-folder", folder=str(folder))
    chains = files.chains_of(line)
    if not chains:
        mount = files.mount(line, ())
        return Location(mount, (), _why_no_disk(folder, mount))
    tunable: dict[str, tuple[str, ...]] = {}
    for chain in chains:
        # The uppermost queue with a scheduler: request-based multipath has it above its paths.
        name = next((name for name in chain if (found := disk(name)) and found.tunable), None)
        if name is not None:
            tunable.setdefault(name, chain[: chain.index(name)])
    via = tuple(dict.fromkeys(name for names in tunable.values() for name in names))
    mount = files.mount(line, via or chains[0][:-1])
    ends = tuple(dict.fromkeys(chain[-1] for chain in chains))
    return Location(mount, tuple(tunable), None if tunable else _why_not_tunable(folder, ends, disk(ends[0])))


def _why_not_tunable(folder: Path, names: tuple[str, ...], first: Disk | None) -> Message:
    why = first.why_not if first is not None else None
    return message(
        "folder-on-untunable", folder=str(folder), disks=names, why=why or message("disk-unreadable", disk=names[0])
    )


def _why_no_disk(folder: Path, mount: Mount) -> Message:
    """Return why there is no disk below a mount that no block device carries."""
    upper = next((option.removeprefix("upperdir=") for option in mount.options if option.startswith("upperdir=")), None)
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
