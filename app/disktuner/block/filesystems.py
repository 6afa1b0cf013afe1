# SPDX-License-Identifier: GPL-3.0-or-later
"""The mount table, and which file systems are on which disks, even if one spans several."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from disktuner.block.disk import Mount
from disktuner.block.stack import Stack
from disktuner.block.sysfs import Tree
from disktuner.block.udev import udev_properties

SWAP = "[SWAP]"  # as lsblk writes it
Chains = tuple[tuple[str, ...], ...]
_OCTAL = re.compile(rb"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class MountLine:
    """One line of mountinfo (proc_pid_mountinfo(5)); ``root`` is the folder within the file system."""

    mount_id: int
    devno: str
    root: str
    path: str
    fstype: str
    source: str
    options: tuple[str, ...]


class FileSystems:
    """A snapshot of the mount table with the disks below. ``statvfs`` is None for a recorded tree."""

    def __init__(self, tree: Tree, stack: Stack, statvfs: Callable[[str], os.statvfs_result] | None) -> None:
        self._tree = tree
        self._stack = stack
        self._statvfs = statvfs
        self._sizes: dict[str, tuple[int, int]] = {}
        self._chains: dict[tuple[str, str, str], Chains] = {}

    @cached_property
    def lines(self) -> tuple[MountLine, ...]:
        """All mounts, in mount order."""
        return parse_mountinfo(self._tree.text("proc/self/mountinfo") or "")

    @cached_property
    def _by_disk(self) -> Mapping[str, tuple[Mount, ...]]:
        mounts_by_disk: dict[str, dict[Mount, None]] = {}
        for line in self.lines:
            if not self._lies_there_anyway(line):
                self._place(mounts_by_disk, self.chains_of(line), functools.partial(self.mount, line))
        for path, size_bytes in _swap_partitions(self._tree.text("proc/swaps") or ""):
            if (name := self._stack.named(path)) is not None:
                area = functools.partial(Mount, SWAP, "swap", path, size_bytes=size_bytes, free_bytes=0)
                self._place(mounts_by_disk, self._stack.chains(name), area)
        return {name: tuple(mounts) for name, mounts in mounts_by_disk.items()}

    def _place(
        self,
        mounts_by_disk: dict[str, dict[Mount, None]],
        chains: Chains,
        mount: Callable[[tuple[str, ...]], Mount],
    ) -> None:
        seen: dict[str, tuple[str, ...]] = {}
        for chain in chains:
            for depth, name in enumerate(chain):
                if name in self._stack.known:
                    # Two paths to the same disk (mirrors of one volume group) are one mount through both.
                    seen[name] = tuple(dict.fromkeys((*seen.get(name, ()), *chain[:depth])))
        for name, via in seen.items():
            mounts_by_disk.setdefault(name, {})[mount(via)] = None

    @cached_property
    def _by_devno(self) -> Mapping[str, tuple[MountLine, ...]]:
        lines_by_devno: dict[str, list[MountLine]] = {}
        for line in self.lines:
            lines_by_devno.setdefault(line.devno, []).append(line)
        return {devno: tuple(lines) for devno, lines in lines_by_devno.items()}

    def _lies_there_anyway(self, line: MountLine) -> bool:
        """Whether a mount only binds a folder onto itself, and so is no additional place for files.

        Overlays over ``/etc`` do this to let folders of the disk show through; NixOS binds its store read-only onto
        itself. A btrfs subvolume is a file system of its own, wherever it is mounted.
        """
        if f"subvol={line.root}" in line.options:
            return False
        return any(
            other.root != line.root and line.path == _shown_at(other, line.root) for other in self._by_devno[line.devno]
        )

    def of_disk(self, name: str) -> tuple[Mount, ...]:
        """Return the mounts whose data is, wholly or partly, on a disk; swap areas as ``[SWAP]``."""
        return self._by_disk.get(name, ())

    def chains_of(self, line: MountLine) -> Chains:
        """Return the chains of devices from a mount down to its disks; empty without a block device."""
        key = (line.devno, line.source, line.fstype)
        if key not in self._chains:
            chains: dict[tuple[str, ...], None] = {}
            for top in self._tops(line):
                chains.update(dict.fromkeys(self._stack.chains(top)))
            self._chains[key] = tuple(chains)
        return self._chains[key]

    def _tops(self, line: MountLine) -> tuple[str, ...]:
        """Return the block devices directly below a file system."""
        if not line.devno.startswith("0:"):
            name = self._stack.device(line.devno)
            return () if name is None else (name, *self._side_devices(line))
        if line.fstype == "zfs":
            return self._zfs_members.get(line.source.partition("/")[0], ())
        if line.fstype == "bcachefs":
            return tuple(filter(None, map(self._stack.named, line.source.split(":"))))
        name = self._stack.named(line.source)
        if name is None:
            return ()
        return self._btrfs_members.get(name, (name,)) if line.fstype == "btrfs" else (name,)

    def _side_devices(self, line: MountLine) -> tuple[str, ...]:
        """Return XFS's external log and realtime devices, whose queues matter too."""
        sources = (option.partition("=")[2] for option in line.options if option.startswith(("logdev=", "rtdev=")))
        return tuple(filter(None, map(self._stack.named, sources)))

    @cached_property
    def _btrfs_members(self) -> Mapping[str, tuple[str, ...]]:
        members_by_name: dict[str, tuple[str, ...]] = {}
        for uuid in self._tree.names("sys/fs/btrfs"):
            members = tuple(self._tree.names(f"sys/fs/btrfs/{uuid}/devices"))
            members_by_name.update(dict.fromkeys(members, members))
        return members_by_name

    @cached_property
    def _zfs_members(self) -> Mapping[str, tuple[str, ...]]:
        """Members by pool, from udev's database (ID_FS_LABEL is the pool), as ZFS's programs may be missing."""
        members_by_pool: dict[str, list[str]] = {}
        for disk in self._stack.names:
            for name in [*self._stack.partitions(disk), disk]:
                folder = f"sys/block/{disk}" if name == disk else f"sys/block/{disk}/{name}"
                udev = udev_properties(self._tree, self._tree.text(f"{folder}/dev") or "")
                if udev.get("ID_FS_TYPE") == "zfs_member" and udev.get("ID_FS_LABEL"):
                    members_by_pool.setdefault(udev["ID_FS_LABEL"], []).append(name)
        return {pool: tuple(names) for pool, names in members_by_pool.items()}

    def mount(self, line: MountLine, via: tuple[str, ...]) -> Mount:
        """Return a mount with its size and free space (for ordinary users); both 0 if unknown."""
        size, free = self._room(line)
        return Mount(line.path, line.fstype, line.source, via, size, free, line.options)

    def _room(self, line: MountLine) -> tuple[int, int]:
        if self._statvfs is None or not self.chains_of(line):
            return self._recorded_room.get(line.path, (0, 0))
        if line.devno not in self._sizes:
            try:
                room = self._statvfs(line.path)
                self._sizes[line.devno] = (room.f_blocks * room.f_frsize, room.f_bavail * room.f_frsize)
            except (OSError, ValueError):
                return (0, 0)
        return self._sizes[line.devno]

    @cached_property
    def _recorded_room(self) -> Mapping[str, tuple[int, int]]:
        """The recorder's notes: a line ``SIZE FREE PATH`` for each mount."""
        room_by_path = {}
        for line in (self._tree.text("disktuner-record/room") or "").splitlines():
            size, _, rest = line.partition(" ")
            free, _, path = rest.partition(" ")
            if size.isdecimal() and free.isdecimal() and len(size) < 20 and len(free) < 20:
                room_by_path[path] = (int(size), int(free))
        return room_by_path

    def mount_of(self, folder: Path) -> MountLine | None:
        """Return the mount that a folder is on; None if there is no such folder."""
        if self._statvfs is not None:
            return self._live_mount_of(folder)
        path = os.path.normpath(folder)
        above = [line for line in self.lines if path == line.path or path.startswith(line.path.rstrip("/") + "/")]
        return max(reversed(above), key=lambda line: len(line.path), default=None)  # a later one hides earlier ones

    def _live_mount_of(self, folder: Path) -> MountLine | None:
        """Return the mount by the kernel's mount id of the opened folder (proc_pid_fdinfo(5))."""
        try:
            fd = os.open(folder, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            info = self._tree.text(f"proc/self/fdinfo/{fd}") or ""
        finally:
            os.close(fd)
        wanted = next((row.split()[1] for row in info.splitlines() if row.startswith("mnt_id:")), "")
        return next((line for line in self.lines if str(line.mount_id) == wanted), None)


def _shown_at(mount: MountLine, root: str) -> str | None:
    """Return the path at which a mount shows a folder of its file system; None if it does not."""
    inside = PurePosixPath(root)
    return str(PurePosixPath(mount.path, inside.relative_to(mount.root))) if inside.is_relative_to(mount.root) else None


def parse_mountinfo(text: str) -> tuple[MountLine, ...]:
    """Return all valid lines in mount order (a later one hides an earlier one on the same path)."""
    return tuple(line for line in map(_mount_line, text.splitlines()) if line is not None)


def _swap_partitions(text: str) -> Iterator[tuple[str, int]]:
    """Yield the path and size of each swap area on a partition (proc_swaps(5)); files are on mounted file systems."""
    for line in text.splitlines()[1:]:
        words = line.split()
        if len(words) >= 3 and words[1] == "partition" and words[2].isdecimal() and len(words[2]) < 19:
            yield _unescaped(words[0]), int(words[2]) * 1024


def _mount_line(line: str) -> MountLine | None:
    before, separator, after = line.partition(" - ")
    words, tail = before.split(" "), after.split(" ")
    if not separator or len(words) < 6 or len(tail) < 2 or not words[0].isdecimal():
        return None
    whole = _unescaped(tail[2]).split(",") if len(tail) > 2 else []
    return MountLine(
        int(words[0][:18]),
        words[2],
        _unescaped(words[3]),
        _unescaped(words[4]),
        tail[0],
        _unescaped(tail[1]),
        _merged(words[5].split(","), whole),
    )


def _merged(mount: list[str], whole: list[str]) -> tuple[str, ...]:
    """Return the options of the mount, then those of its file system; read-only if either says so."""
    options = dict.fromkeys([*mount, *whole])
    if "ro" in options:
        options.pop("rw", None)
    return tuple(options)


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    octets = text.encode("utf-8", "surrogatepass")
    return _OCTAL.sub(lambda match: bytes([int(match[1], 8) & 0xFF]), octets).decode("utf-8", "replace")
