# SPDX-License-Identifier: GPL-3.0-or-later
"""What an experiment must know from the kernel about the disks below a folder, and how it asks for a scheduler."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from disktuner.block.counters import Counters
from disktuner.vocabulary.errors import MeasurementImpossible


class Queues(Protocol):
    """Reads the queues of disks by name."""

    def scheduler(self, disk: str) -> str | None:
        """The active scheduler, None where the disk is gone or has none."""

    def tunables(self, disk: str) -> Mapping[str, int | str]:
        """All tunables by name (``queue/NAME``, ``iosched/NAME``)."""

    def counters(self, disk: str) -> Counters | None:
        """The disk's counters now, None where it is gone."""

    def ceiling_bytes_per_s(self, disk: str) -> float | None:
        """The most that such a disk can move in one direction, None where that is not known."""


class SchedulerSwitch(Protocol):
    """Sets the scheduler of all tried disks; the helper's trial behind it restores them whatever happens."""

    def set(self, scheduler: str) -> None:
        """Set and verify it on every disk. Raises ``DisktunerError`` when that fails."""


class NoSwitch:
    """Leaves the scheduler alone: a benchmark of the one there is needs no rights."""

    def set(self, scheduler: str) -> None:
        """Nothing to do."""


def total(readings: Sequence[Counters]) -> Counters:
    """The sum over several disks, at the time of the last reading."""
    names = [name for name in Counters.__dataclass_fields__ if name != "time_s"]
    sums = {name: sum(getattr(reading, name) for reading in readings) for name in names}
    return Counters(time_s=max((reading.time_s for reading in readings), default=0.0), **sums)


def vanished(disks: str) -> MeasurementImpossible:
    """That disks, by name, are there no more, so that nothing can be measured."""
    return MeasurementImpossible(f"{disks} vanished. Connect it again and start anew.")
