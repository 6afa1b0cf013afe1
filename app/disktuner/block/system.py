# SPDX-License-Identifier: GPL-3.0-or-later
"""This machine, or a recorded one: its disks and their present state."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from disktuner.block.counters import SECTOR_BYTES, Counters, ceiling_bytes_per_s, parse_stat
from disktuner.block.disk import Disk, PersistentChoice, UntilRestart, kernel_name
from disktuner.block.filesystems import FileSystems
from disktuner.block.kernel_log import last_trouble, read_kernel_log
from disktuner.block.kind import Evidence, host_driver, judge, rotation_rate
from disktuner.block.links import native_queue
from disktuner.block.location import Location, locate
from disktuner.block.pending import PageCache, read_page_cache
from disktuner.block.queue import (
    Schedulers,
    loadable_schedulers,
    parse_schedulers,
    read_tunables,
    suggest,
    why_not_tunable,
)
from disktuner.block.rule_files import own_choices
from disktuner.block.stack import Stack
from disktuner.block.sysfs import Folder, Tree
from disktuner.block.udev import HOLDS, Identity, identify, read_holds, udev_properties, why_not_kept
from disktuner.block.writers import Subject
from disktuner.vocabulary.errors import NoSuchThing
from disktuner.vocabulary.goals import DESKTOP

_NEVER_SHOWN = re.compile(r"ram\d+")
_MADE_IN_ADVANCE = {"7": "loop", "43": "nbd"}  # by major number (Documentation/admin-guide/devices.txt)
StatVfs = Callable[[str], os.statvfs_result]


class System:
    """Reads disks below a root folder; ``/`` is the running machine. Nothing is cached between calls.

    No method fails because of a broken disk: it is listed with whatever can be read.
    """

    def __init__(self, sysroot: Path = Path("/")) -> None:
        self.sysroot = sysroot
        self.tree = Tree(sysroot)

    @property
    def is_live(self) -> bool:
        """Whether this is the running machine rather than a recorded tree."""
        return str(self.sysroot) == "/"

    def disks(self) -> tuple[Disk, ...]:
        """Return all disks as ``lsblk`` does, without hidden NVMe paths, RAM disks, unused loop and network devices."""
        return self._survey().disks()

    def disk(self, given: str) -> Disk:
        """Return a disk by its name, with or without ``/dev/``, or by a link to it. Raises ``NoSuchThing``."""
        name = self.name_of(given)
        if (disk := self._survey().disk(name)) is not None:
            return disk
        if whole := Stack(self.tree).parent(name):
            raise NoSuchThing("partition-no-disk", partition=name, disk=whole)
        raise NoSuchThing("no-such-disk", disk=given)

    def name_of(self, given: str) -> str:
        """Return the kernel's name of what a person types, which may be a link below ``/dev`` or name no disk."""
        return Stack(self.tree).named(given) or kernel_name(given)

    def is_on_trial(self, disk: Disk) -> bool:
        """Whether the helper suspends a disk's rules during a trial or comparison."""
        return self.tree.exists(f"{HOLDS}/{disk.devno}-{disk.diskseq or ''}")

    def disks_below(self, folder: Path) -> Location:
        """Return the mount, file system and disks below a folder. Raises ``NoSuchThing`` without such a folder."""
        survey = self._survey()
        return locate(folder, survey.files, survey.disk)

    def scheduler(self, name: str) -> str | None:
        """Return a disk's active scheduler; None if the disk is gone or has none."""
        return parse_schedulers(self.tree.text(f"sys/block/{_safe(name)}/queue/scheduler")).chosen

    def tunables(self, name: str) -> Mapping[str, int | str]:
        """Return all present tunables of a disk; empty if it is gone."""
        folder = self.tree.folder(f"sys/block/{_safe(name)}")
        if folder is None:
            return {}
        with folder:
            return read_tunables(folder)

    def counters(self, name: str) -> Counters | None:
        """Return a disk's counters; None if it is gone."""
        text = self.tree.text(f"sys/block/{_safe(name)}/stat")
        return None if text is None else parse_stat(text, time.monotonic())

    def last_troubles(self, names: Iterable[str]) -> Mapping[str, int]:
        """Return the number of the kernel log's last record on an error or reset of each disk; 0 without one."""
        log, links = read_kernel_log(self.tree), {name: self.tree.link(f"sys/block/{_safe(name)}") for name in names}
        return {name: last_trouble(log, _safe(name), link or "") for name, link in links.items()}

    def page_cache(self) -> PageCache | None:
        """Return what waits in memory to be written; None if the kernel does not show it."""
        return read_page_cache(self.tree)

    def is_mounted(self, name: str) -> bool:
        """Whether a mounted file system or an active swap area is on a disk."""
        return bool(FileSystems(self.tree, Stack(self.tree), None).of_disk(_safe(name)))

    def ceiling_bytes_per_s(self, name: str) -> float | None:
        """Return the most that a disk can move in one direction; None if unknown, or if it is gone."""
        disk = self._survey().disk(name)
        return None if disk is None else ceiling_bytes_per_s(self.tree, disk)

    def subject(self, disk: Disk) -> Subject:
        """Return a disk with what is needed to judge writers."""
        return Subject(disk, udev_properties(self.tree, disk.devno), self.tree)

    def _survey(self) -> _Survey:
        return _Survey(self.tree, os.statvfs if self.is_live else None)


class _Survey:
    """One look at all disks, which reads everything once and on demand; ``statvfs`` is None for a recorded tree."""

    def __init__(self, tree: Tree, statvfs: StatVfs | None) -> None:
        self._tree = tree
        self._stack = Stack(tree)
        self.files = FileSystems(tree, self._stack, statvfs)

    @cached_property
    def _loadable(self) -> tuple[str, ...]:
        return loadable_schedulers(self._tree)

    @cached_property
    def _kernel(self) -> str | None:
        return self._tree.text("proc/sys/kernel/osrelease")

    @cached_property
    def _is_declared(self) -> bool:
        return self._tree.exists("etc/NIXOS") or (self._tree.link("etc/udev/rules.d") or "").startswith("/nix/store/")

    @cached_property
    def _choices(self) -> list[PersistentChoice]:
        return own_choices(self._tree)

    @cached_property
    def _holds(self) -> Mapping[tuple[str, int], UntilRestart]:
        return read_holds(self._tree)

    def disks(self) -> tuple[Disk, ...]:
        """Return all disks that ``lsblk`` would show, except free network block devices, in natural order."""
        names = (name for name in self._stack.names if not _NEVER_SHOWN.fullmatch(name))
        disks = (self.disk(name, hidden=False) for name in names)
        return tuple(disk for disk in disks if disk is not None and not _is_free(disk))

    def disk(self, name: str, hidden: bool = True) -> Disk | None:
        """Return a disk by name; None if there is none, or if it is hidden and ``hidden`` is false."""
        if name not in self._stack.known:
            return None
        folder = self._tree.folder(f"sys/block/{name}")
        if folder is None:
            return None
        with folder:
            dev, is_hidden = folder.text("dev") or "", folder.text("hidden") == "1"
            # A hidden path of an NVMe disk has a queue, but no device number (GENHD_FL_HIDDEN).
            devno = dev if re.fullmatch(r"\d+:\d+", dev) else ""
            if (is_hidden and not hidden) or (not devno and not is_hidden):
                return None
            return self._describe(name, devno, folder)

    def _describe(self, name: str, devno: str, folder: Folder) -> Disk:
        udev = udev_properties(self._tree, devno)
        identity = identify(folder, udev)
        rotational, removable = folder.text("queue/rotational") == "1", folder.text("removable") == "1"
        judgement = judge(self._evidence(name, folder, udev, identity, rotational=rotational, removable=removable))
        schedulers = parse_schedulers(folder.text("queue/scheduler"))
        zoned = folder.text("queue/zoned") or "none"
        diskseq = max(folder.number("diskseq"), 0)
        disk = Disk(
            name=name,
            devno=devno,
            diskseq=diskseq,
            model=identity.model,
            vendor=identity.vendor,
            serial=identity.serial,
            wwn=identity.wwn,
            size_bytes=max(folder.number("size"), 0) * SECTOR_BYTES,
            kind=judgement.kind,
            transport=judgement.transport,
            rotational=rotational,
            kind_certain=judgement.doubt is None,
            removable=removable,
            zoned=zoned if zoned in ("none", "host-aware", "host-managed") else "unknown",
            scheduler=schedulers.chosen,
            schedulers=schedulers.offered,
            loadable=self._loadable_for(schedulers),
            tunable=False,
            why_not=None,
            tunables=read_tunables(folder),
            mounts=self.files.of_disk(name),
            persistent=next((rule for rule in reversed(self._choices) if rule.is_for(udev)), None),  # the last one wins
            kind_doubt=judgement.doubt,
            below=self._disks_under(name),
            alias=_alias(name, folder),
            until_restart=self._holds.get((devno, diskseq)),
            queue_limit=native_queue(self._tree, self._tree.link(f"sys/block/{name}") or ""),
            is_declared=self._is_declared,
            actuators=max(len(folder.names("queue/independent_access_ranges")), 1),
            why_not_kept=why_not_kept(name, udev),
        )
        reason = why_not_tunable(disk, self._kernel)
        disk = replace(disk, tunable=reason is None, why_not=reason)
        return replace(disk, suggestion=suggest(disk, DESKTOP.id))

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
            card_type=_card_type(folder) if name.startswith("mmcblk") else "",
            nvme_transport=self._nvme_transport(name, folder) if name.startswith("nvme") else "",
            host_driver=host_driver(self._tree, path) if name.startswith("sd") else "",
            has_write_cache=_has_write_cache(folder) if name.startswith("sd") else None,
            release=self._kernel,
            is_ata=folder.text("device/vendor") == "ATA",
        )

    def _nvme_transport(self, name: str, folder: Folder) -> str:
        # The head of a multipath disk has no controller of its own: use its first path's.
        paths = (f"sys/block/{path}/device/transport" for path in self._stack.below(name))
        return folder.text("device/transport") or next(filter(None, map(self._tree.text, paths)), "")

    def _disks_under(self, name: str) -> tuple[str, ...]:
        ends = (chain[-1] for chain in self._stack.chains(name))
        return tuple(dict.fromkeys(end for end in ends if end != name))

    def _loadable_for(self, schedulers: Schedulers) -> tuple[str, ...]:
        if schedulers.chosen is None:
            return ()
        return tuple(name for name in self._loadable if name not in schedulers.offered)


def _safe(name: str) -> str:
    """Return a disk's name as one path component (sysfs writes ``!`` for a slash)."""
    return name.replace("/", "!") if name not in ("", ".", "..") else "!"


def _has_write_cache(folder: Folder) -> bool | None:
    """Return whether a SCSI disk reports a write cache, or else whether the kernel assumes one; None if unknown."""
    said = [folder.text(f"device/scsi_disk/{name}/cache_type") for name in folder.names("device/scsi_disk")]
    text = next(filter(None, (*said, folder.text("queue/write_cache"))), None)
    return None if text is None else text.split()[:2] == ["write", "back"]


def _card_type(folder: Folder) -> str:
    """Return ``MMC`` or ``SD``; an eMMC's boot partitions are disks whose ``device`` is the eMMC's own disk."""
    return folder.text("device/type") or folder.text("device/device/type") or ""


def _alias(name: str, folder: Folder) -> str:
    if name.startswith("dm-"):
        return folder.text("dm/name") or ""
    return (folder.text("loop/backing_file") or "") if name.startswith("loop") else ""


def _is_free(disk: Disk) -> bool:
    """Whether it is a loop disk without a file or a network block device without a server, made in advance."""
    return disk.size_bytes == 0 and _MADE_IN_ADVANCE.get(disk.devno.partition(":")[0]) == disk.name.rstrip("0123456789")
