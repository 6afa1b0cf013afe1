# SPDX-License-Identifier: GPL-3.0-or-later
"""From what the user names, a folder or a disk, to the folder that is written in and the disks below it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from disktuner.block.disk import Disk, Mount
from disktuner.block.system import System
from disktuner.vocabulary.errors import MeasurementImpossible, NoSuchThing


@dataclass(frozen=True, slots=True)
class Target:
    """Where a measurement takes place. ``disks`` are all below the folder; the first one is reported.

    ``felt`` is a place on another disk, where it is felt what happens here; None where only this one matters.
    """

    folder: Path
    mount: Mount
    disks: tuple[Disk, ...]
    felt: Target | None = None

    @property
    def disk(self) -> Disk:
        """The disk that is reported."""
        return self.disks[0]

    @property
    def names(self) -> tuple[str, ...]:
        """The kernel's names of all disks below."""
        return tuple(disk.name for disk in self.disks)


@dataclass(frozen=True, slots=True)
class Place:
    """A folder that may be written in, and the mount that it really lies on."""

    folder: Path
    mount: Mount


def find_target(text: str, system: System) -> Target:
    """Find folder and disks. Raises ``NoSuchThing`` or ``MeasurementImpossible`` with what to do instead."""
    path = Path(text)
    try:
        folder = path.resolve() if path.is_dir() else None
    except PermissionError as error:
        raise MeasurementImpossible("folder-closed", folder=text) from error
    if folder:
        return _of_folder(folder, system)
    if "/" in text.removeprefix("/dev/"):
        raise NoSuchThing("no-folder", folder=text)
    return _of_disk(system.disk(text), system)


def _of_folder(folder: Path, system: System) -> Target:
    location = system.disks_below(folder)
    if location.why_nothing is not None:
        raise NoSuchThing.of(location.why_nothing)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise MeasurementImpossible("folder-not-writable", folder=str(folder))
    return Target(folder, location.mount, tuple(system.disk(name) for name in location.disks))


def _of_disk(disk: Disk, system: System) -> Target:
    found = places(disk, system)
    if found:
        return _of_folder(max(found, key=lambda place: place.mount.free_bytes).folder, system)
    if not disk.mounts:
        raise MeasurementImpossible("not-mounted", disk=disk.title)
    mounts = tuple(mount.path for mount in disk.mounts)
    raise MeasurementImpossible("no-writable-file-system", disk=disk.title, mounts=mounts)


def places(disk: Disk, system: System) -> tuple[Place, ...]:
    """Where this user may measure a disk, a folder on each of its file systems: home first, then by free room.

    Which disks a folder lies on is asked of the kernel, not told from its path: another file system may be mounted
    at any place below the disk's own.
    """
    home = Path.home().resolve()
    tops = (Path(mount.path) for mount in disk.mounts)
    usual = (home, home / ".cache", Path("/var/tmp"), *tops, Path("/tmp"))  # noqa: S108
    found: dict[str, Place] = {}
    for folder in filter(_is_writable, usual):
        location = system.disks_below(folder)
        if disk.name in location.disks:
            found.setdefault(location.mount.path, Place(folder.resolve(), location.mount))
    return tuple(sorted(found.values(), key=lambda place: (place.folder != home, -place.mount.free_bytes)))


def lies_on(folder: Path, disks: Sequence[str], system: System) -> bool:
    """Whether a folder, or the place where it would be made, lies on one of these disks."""
    absolute = folder.absolute()
    there = next(each for each in (absolute, *absolute.parents) if os.path.exists(each))  # noqa: PTH110 - or refused
    return not set(system.disks_below(there).disks).isdisjoint(disks)


def _is_writable(folder: Path) -> bool:
    return os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)  # noqa: PTH112 - is_dir may be refused
