# SPDX-License-Identifier: GPL-3.0-or-later
"""From the folder or disk that the user names to the folder that is written to, the disks below it, and the folder on
another disk where a copy is felt."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from disktuner.block.disk import Disk, Mount
from disktuner.block.location import Location
from disktuner.block.machine import available_bytes
from disktuner.block.sysfs import Tree
from disktuner.block.system import System
from disktuner.folders import home
from disktuner.opening import is_closed, is_folder, is_there
from disktuner.results.model import Felt, Result
from disktuner.vocabulary.errors import MeasurementImpossible, NoSuchThing
from disktuner.vocabulary.messages import Message, message

MOST_MEMORY_BYTES = 384 << 20
"""With more free memory, a run's copy fits into it, and nothing was felt on another disk with any limit."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a measurement takes place: a folder, its mount, and all ``disks`` below it, the first of which is reported.

    ``felt`` is a place on another disk, where the effects of this one are felt; None if only this one matters.
    """

    folder: Path
    mount: Mount
    disks: tuple[Disk, ...]
    felt: Target | None = None

    @property
    def disk(self) -> Disk:
        """The reported disk."""
        return self.disks[0]

    @property
    def names(self) -> tuple[str, ...]:
        """The kernel's names of all disks."""
        return tuple(disk.name for disk in self.disks)

    @property
    def felt_record(self) -> Felt | None:
        """The record of ``felt`` for a result."""
        return Felt(self.felt.mount.path, self.felt.disk.name) if self.felt else None


def find_target(text: str, system: System) -> Target:
    """Find folder and disks. Raises ``NoSuchThing`` or ``MeasurementImpossible``, with what to do instead."""
    if is_folder(text):
        return _of_folder(Path(os.path.realpath(text)), system)
    if is_closed(text):
        raise MeasurementImpossible("folder-closed", folder=text)
    try:
        disk = system.disk(text)
    except NoSuchThing:
        if "/" in text and not text.startswith("/dev/"):
            raise NoSuchThing("no-folder", folder=text) from None
        raise
    return _of_disk(disk, system)


def find_disk(text: str, system: System) -> Disk:
    """Return the disk that is named, or is below a folder, even if nothing can be written there.

    Raises ``NoSuchThing``.
    """
    return system.disk(_located(Path(os.path.realpath(text)), system).disks[0] if is_folder(text) else text)


def _located(folder: Path, system: System) -> Location:
    location = system.disks_below(folder)
    if location.why_nothing is not None:
        raise NoSuchThing.of(location.why_nothing)
    return location


def _of_folder(folder: Path, system: System) -> Target:
    location = _located(folder, system)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise MeasurementImpossible("folder-not-writable", folder=str(folder))
    return Target(folder, location.mount, tuple(map(system.disk, location.disks)))


def _of_disk(disk: Disk, system: System) -> Target:
    targets = places(disk, system)
    if targets:
        return max(targets, key=lambda place: place.mount.free_bytes)
    if not disk.mounts:
        raise MeasurementImpossible("not-mounted", disk=disk.title)
    mounts = tuple(mount.path for mount in disk.mounts)
    raise MeasurementImpossible("no-writable-file-system", disk=disk.title, mounts=mounts)


def places(disk: Disk, system: System) -> tuple[Target, ...]:
    """Return a folder on each of a disk's file systems where this user may measure: home first, then by free space.

    The kernel, not the path, tells which disks a folder is on: other file systems may be mounted below the disk's.
    """
    home_folder = Path(os.path.realpath(home()))
    tops = (Path(mount.path) for mount in disk.mounts)
    usual = (home_folder, home_folder / ".cache", Path("/var/tmp"), *tops, Path("/tmp"))  # noqa: S108
    targets: dict[str, Target] = {}
    for folder in filter(_is_writable, usual):
        location = system.disks_below(folder)
        if disk.name in location.disks:
            target = Target(Path(os.path.realpath(folder)), location.mount, tuple(map(system.disk, location.disks)))
            targets.setdefault(location.mount.path, target)
    return tuple(sorted(targets.values(), key=lambda place: (place.folder != home_folder, -place.mount.free_bytes)))


def place_of(before: Result, system: System) -> str:
    """Return a folder on the disk that a result is about, if possible on the same file system.

    Raises ``NoSuchThing`` or ``MeasurementImpossible`` if there is no such disk.
    """
    name = before.disk.get("name")
    if not isinstance(name, str) or not name:
        raise MeasurementImpossible("continues-nothing", result=before.id)
    targets = as_before(before, places(system.disk(name), system))
    return str(targets[0].folder) if targets else f"/dev/{name}"


def as_before(before: Result, targets: Sequence[Target]) -> tuple[Target, ...]:
    """Return the targets, the one on the file system that a result is about first."""
    return tuple(sorted(targets, key=lambda place: place.mount.path != before.filesystem.path))


def felt_again(before: Result, system: System) -> str:
    """Return a folder on the other disk where a result was felt; empty if it was felt on the measured one.

    Raises ``NoSuchThing`` or ``MeasurementImpossible`` if it is gone.
    """
    felt = before.plan.felt
    if felt is None:
        return ""
    for place in places(system.disk(felt.disk), system):
        if place.mount.path == felt.path:
            return str(place.folder)
    raise MeasurementImpossible("continues-nothing", result=before.id)


def with_felt(target: Target, folder: str, system: System) -> Target:
    """Return the target with the folder where a copy to it is felt.

    Raises ``NoSuchThing``, or ``MeasurementImpossible`` if both are on the same disk.
    """
    felt = find_target(folder, system)
    if set(felt.names) & set(target.names):
        raise MeasurementImpossible("felt-same-disk", folder=str(felt.folder), disk=target.disk.title)
    return replace(target, felt=felt)


def why_not_felt(target: Target) -> Message | None:
    """Return why no limit on the target can be felt on the other disk; None if one may be."""
    memory_bytes = available_bytes(Tree(Path("/")))
    if target.felt is None or memory_bytes <= MOST_MEMORY_BYTES:
        return None
    felt, folder = target.felt.disk.title, str(target.felt.folder)
    return message("felt-not-there", felt=felt, folder=folder, disk=target.disk.title, memory=memory_bytes)


def felt_notes(felt: Target, size_bytes: int) -> Iterator[Message]:
    """Yield how much is written to the other disk, and what helps if memory is short."""
    yield message("felt-in", folder=str(felt.folder), disk=felt.disk.title, size=size_bytes)
    if (memory_bytes := available_bytes(Tree(Path("/")))) <= MOST_MEMORY_BYTES:
        yield message("felt-little-memory", memory=memory_bytes)


def require_one_disk(target: Target) -> None:
    """Raise ``MeasurementImpossible`` for a folder on several disks, since each of them has a fast cache of its own."""
    if len(target.disks) > 1:
        raise MeasurementImpossible("several-caches", folder=str(target.folder), disks=target.names)


def lies_on(folder: Path, disks: Sequence[str], system: System) -> bool:
    """Whether a folder, or the place where it would be made, is on one of these disks."""
    absolute = folder.absolute()
    existing = next(path for path in (absolute, *absolute.parents) if is_there(path))
    return not set(system.disks_below(existing).disks).isdisjoint(disks)


def _is_writable(folder: Path) -> bool:
    return is_folder(folder) and os.access(folder, os.W_OK | os.X_OK)
