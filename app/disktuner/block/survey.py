# SPDX-License-Identifier: GPL-3.0-or-later
"""One look at all disks: reads each thing once, and only what is asked for."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from disktuner.block.disk import Disk, Mount, UntilRestart
from disktuner.block.filesystems import FileSystems
from disktuner.block.identity import Identity, identify, udev_properties
from disktuner.block.kind import Evidence, judge, rotation_rate
from disktuner.block.location import Location, why_no_disk
from disktuner.block.mounts import MountLine
from disktuner.block.persistent import OwnRule, read_holds, read_own_rules
from disktuner.block.queue import (
    NO_CHOICE,
    Schedulers,
    loadable_schedulers,
    parse_schedulers,
    read_tunables,
    suggest,
    why_not_tunable,
)
from disktuner.block.stack import Stack
from disktuner.block.sysfs import Folder, Tree
from disktuner.vocabulary.errors import NoSuchThing
from disktuner.vocabulary.messages import Message, message

SECTOR_BYTES = 512  # of /sys/block/X/size, whatever the disk's own sector is
_NEVER_SHOWN = re.compile(r"ram\d+")
_MADE_IN_ADVANCE = {"7": "loop", "43": "nbd"}  # by major number (Documentation/admin-guide/devices.txt)
StatVfs = Callable[[str], os.statvfs_result]


class Survey:
    """A short-lived look; make a new one to look again. ``statvfs`` is None where mounts are only recorded."""

    def __init__(self, tree: Tree, statvfs: StatVfs | None) -> None:
        self._tree = tree
        self._stack = Stack(tree)
        self._files = FileSystems(tree, self._stack, statvfs)

    @cached_property
    def _loadable(self) -> tuple[str, ...]:
        return loadable_schedulers(self._tree)

    @cached_property
    def _kernel(self) -> str | None:
        return self._tree.text("proc/sys/kernel/osrelease")

    @cached_property
    def _own_rules(self) -> tuple[OwnRule, ...]:
        return read_own_rules(self._tree)

    @cached_property
    def _holds(self) -> Mapping[tuple[str, int], UntilRestart]:
        return read_holds(self._tree)

    def disks(self) -> tuple[Disk, ...]:
        """All disks that ``lsblk`` would show but for free network block devices, in natural order."""
        names = (name for name in self._stack.names if not _NEVER_SHOWN.fullmatch(name))
        found = (self.disk(name, hidden=False) for name in names)
        return tuple(disk for disk in found if disk is not None and not _is_free(disk))

    def disk(self, name: str, hidden: bool = True) -> Disk | None:
        """One disk, or None where there is none of that name (or it is hidden and those are not wanted)."""
        if name not in self._stack.known:
            return None
        folder = self._tree.folder(f"sys/block/{name}")
        if folder is None:
            return None
        with folder:
            found, is_hidden = folder.text("dev") or "", folder.text("hidden") == "1"
            # A hidden path of an NVMe disk has a queue, but no device number (GENHD_FL_HIDDEN).
            devno = found if re.fullmatch(r"\d+:\d+", found) else ""
            if (is_hidden and not hidden) or (not devno and not is_hidden):
                return None
            return self._describe(name, devno, folder)

    def _describe(self, name: str, devno: str, folder: Folder) -> Disk:
        udev = udev_properties(self._tree, devno)
        identity = identify(folder, udev)
        rotational, removable = folder.text("queue/rotational") == "1", folder.text("removable") == "1"
        judgement = judge(self._evidence(name, folder, udev, identity, rotational=rotational, removable=removable))
        schedulers = parse_schedulers(folder.text("queue/scheduler"))
        size = max(folder.number("size"), 0) * SECTOR_BYTES
        zoned = folder.text("queue/zoned") or "none"
        below = self._disks_under(name)
        loadable = self._loadable_for(schedulers)
        reason = why_not_tunable(
            judgement.kind,
            schedulers=schedulers,
            size_bytes=size,
            below=below,
            loadable=loadable,
            zoned=zoned,
            kernel=self._kernel,
        )
        diskseq = max(folder.number("diskseq"), 0)
        found = Disk(
            name=name,
            devno=devno,
            diskseq=diskseq,
            model=identity.model,
            vendor=identity.vendor,
            serial=identity.serial,
            wwn=identity.wwn,
            size_bytes=size,
            kind=judgement.kind,
            transport=judgement.transport,
            rotational=rotational,
            kind_certain=judgement.doubt is None,
            removable=removable,
            zoned=zoned if zoned in ("none", "host-aware", "host-managed") else "unknown",
            scheduler=schedulers.chosen,
            schedulers=schedulers.offered,
            loadable=loadable,
            tunable=reason is None,
            why_not=reason,
            tunables=read_tunables(folder),
            mounts=self._files.of_disk(name),
            persistent=next((rule.choice for rule in self._own_rules if rule.is_for(udev)), None),
            kind_doubt=judgement.doubt,
            below=below,
            alias=_alias(name, folder),
            until_restart=self._holds.get((devno, diskseq)),
        )
        return replace(found, suggestion=suggest(found, "desktop"))

    def _evidence(
        self,
        name: str,
        folder: Folder,
        udev: Mapping[str, str],
        identity: Identity,
        *,
        rotational: bool,
        removable: bool,
    ) -> Evidence:
        path = self._tree.link(f"sys/block/{name}") or ""
        return Evidence(
            name=name,
            path=path,
            rotational=rotational,
            removable=removable,
            model=identity.model,
            vendor=identity.vendor,
            rate_rpm=rotation_rate(udev, folder.octets("device/vpd_pgb1") if name.startswith("sd") else b""),
            card_type=(folder.text("device/type") or "") if name.startswith("mmcblk") else "",
            nvme_transport=self._nvme_transport(name, folder) if name.startswith("nvme") else "",
            host_driver=self._host_driver(path) if name.startswith("sd") else "",
        )

    def _nvme_transport(self, name: str, folder: Folder) -> str:
        transport = folder.text("device/transport")
        if transport:
            return transport
        # The head of a multipath disk has no controller of its own: ask that of its first path.
        for path in self._stack.below(name):
            found = self._tree.text(f"sys/block/{path}/device/transport")
            if found:
                return found
        return ""

    def _host_driver(self, path: str) -> str:
        match = re.search(r"/host(\d+)/", path)
        return (self._tree.text(f"sys/class/scsi_host/host{match[1]}/proc_name") or "") if match else ""

    def _disks_under(self, name: str) -> tuple[str, ...]:
        if not self._stack.below(name):
            return ()
        ends = (chain[-1] for chain in self._stack.chains(name))
        return tuple(dict.fromkeys(end for end in ends if end != name))

    def _loadable_for(self, schedulers: Schedulers) -> tuple[str, ...]:
        if schedulers is NO_CHOICE or schedulers.chosen is None:
            return ()
        return tuple(name for name in self._loadable if name not in schedulers.offered)

    def location(self, folder: Path) -> Location:
        """The mount below a folder, and the disks below the mount."""
        line = self._files.mount_of(folder)
        if line is None:
            raise NoSuchThing("no-such-folder", folder=str(folder))
        chains = self._files.chains_of(line)
        mount = self._files.mount(line, ())
        if not chains:
            return Location(folder, mount, (), why_nothing=why_no_disk(folder, mount))
        return self._judged(folder, line, mount, chains)

    def _judged(self, folder: Path, line: MountLine, mount: Mount, chains: tuple[tuple[str, ...], ...]) -> Location:
        tunable: dict[str, tuple[str, ...]] = {}
        blocking: dict[str, Message] = {}
        for chain in chains:
            disk = self._first_tunable(chain)
            if disk is not None:
                tunable.setdefault(disk, chain[: chain.index(disk)])
            else:
                last = self.disk(chain[-1])
                reason = last.why_not if last is not None else None
                blocking.setdefault(chain[-1], reason or message("disk-unreadable", disk=chain[-1]))
        via = tuple(dict.fromkeys(name for names in tunable.values() for name in names))
        mount = self._files.mount(line, via or chains[0][:-1])
        why = next(iter(blocking.values()), None)
        nothing = message("folder-on-untunable", folder=str(folder), disks=tuple(blocking), why=why)
        return Location(folder, mount, tuple(tunable), tuple(blocking), None if tunable else nothing)

    def _first_tunable(self, chain: tuple[str, ...]) -> str | None:
        """The uppermost queue with a scheduler: request-based multipath has it above its paths."""
        for name in chain:
            disk = self.disk(name)
            if disk is not None and disk.tunable:
                return name
        return None

    def _note(self, disks: tuple[str, ...]) -> str | None:
        for name in disks:
            file = self._tree.text(f"sys/block/{name}/loop/backing_file")
            if file:
                return f"{name} keeps its data in the file {file}: the queue of the disk below that file matters too."
        return None

    def disk_of_device(self, path: Path) -> str | None:
        """The whole disk behind a device node or link to one."""
        name = self._stack.named(str(path)) or self._stack.named(os.path.realpath(path))
        return None if name is None else self._stack.parent(name) or name


def _alias(name: str, folder: Folder) -> str:
    if name.startswith("dm-"):
        return folder.text("dm/name") or ""
    return (folder.text("loop/backing_file") or "") if name.startswith("loop") else ""


def _is_free(disk: Disk) -> bool:
    """A loop disk without a file or a network block device without a server: the kernel makes some in advance."""
    return disk.size_bytes == 0 and _MADE_IN_ADVANCE.get(disk.devno.partition(":")[0]) == disk.name.rstrip("0123456789")
