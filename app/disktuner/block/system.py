# SPDX-License-Identifier: GPL-3.0-or-later
"""This machine, or a recorded one: the only place that knows where sysfs, proc and udev's database are."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

from disktuner.block.ceiling import ceiling_bytes_per_s
from disktuner.block.counters import Counters, parse_stat
from disktuner.block.disk import Disk
from disktuner.block.identity import udev_properties
from disktuner.block.location import Location
from disktuner.block.queue import loadable_schedulers, parse_schedulers, read_tunables
from disktuner.block.survey import Survey
from disktuner.block.sysfs import Tree
from disktuner.block.writers import Subject, Writer, writers_of
from disktuner.vocabulary.errors import NoSuchThing


class System:
    """Reads disks below a root folder; ``/`` is the running machine. Nothing is kept between two calls.

    No method fails because of a broken disk: it is listed with what can be read, the others as they are.
    """

    def __init__(self, sysroot: Path = Path("/")) -> None:
        self.sysroot = sysroot
        self.tree = Tree(sysroot)

    @property
    def is_live(self) -> bool:
        """Whether this is the running machine rather than a recorded tree."""
        return str(self.sysroot) == "/"

    def disks(self) -> tuple[Disk, ...]:
        """All disks as ``lsblk`` counts them: no hidden NVMe paths, RAM disks, unused loop or network block devices."""
        return self._survey().disks()

    def disk(self, name: str) -> Disk:
        """One disk by the kernel's name, with or without ``/dev/``. Raises NoSuchThing."""
        wanted = name.removeprefix("/dev/").replace("/", "!")
        found = self._survey().disk(wanted)
        if found is None:
            raise NoSuchThing("no-such-disk", disk=name)
        return found

    def disks_below(self, folder: Path) -> Location:
        """The mount, file system and disks below a folder. Raises NoSuchThing where there is no such folder."""
        return self._survey().location(folder)

    def disk_of_device(self, path: Path) -> str | None:
        """The whole disk behind a device node such as ``/dev/sda2`` or ``/dev/disk/by-id/…``, or None."""
        return self._survey().disk_of_device(path)

    def scheduler(self, name: str) -> str | None:
        """The active scheduler of a disk now; None where it is gone or has none."""
        return parse_schedulers(self.tree.text(f"sys/block/{_safe(name)}/queue/scheduler")).chosen

    def tunables(self, name: str) -> Mapping[str, int | str]:
        """All tunables of a disk now; empty where it is gone."""
        folder = self.tree.folder(f"sys/block/{_safe(name)}")
        if folder is None:
            return {}
        with folder:
            return read_tunables(folder)

    def counters(self, name: str) -> Counters | None:
        """What a disk has done up to now; None where it is gone."""
        text = self.tree.text(f"sys/block/{_safe(name)}/stat")
        return None if text is None else parse_stat(text, time.monotonic())

    def ceiling_bytes_per_s(self, name: str) -> float | None:
        """The most that such a disk can move in one direction, None where that is not known or it is gone."""
        found = self._survey().disk(name)
        return None if found is None else ceiling_bytes_per_s(self.tree, found)

    def writers(self, disk: Disk) -> tuple[Writer, ...]:
        """Who else decides about a disk's queue, with file and line."""
        udev = udev_properties(self.tree, disk.devno)
        path = self.tree.link(f"sys/block/{_safe(disk.name)}") or ""
        return writers_of(Subject(disk, udev, self.tree, path, self.is_live))

    def loadable_schedulers(self) -> tuple[str, ...]:
        """Schedulers that are modules of the running kernel."""
        return loadable_schedulers(self.tree)

    def _survey(self) -> Survey:
        return Survey(self.tree, os.statvfs if self.is_live else None)


def _safe(name: str) -> str:
    """A disk's name as one path component (sysfs writes ``!`` for a slash)."""
    return name.replace("/", "!") if name not in ("", ".", "..") else "!"
