# SPDX-License-Identifier: GPL-3.0-or-later
"""The live figures of the disks below a folder while programs run, and what a run cost the processors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields

from disktuner.block.counters import Counters, Figures
from disktuner.block.system import System
from disktuner.experiment.events import LivePoint
from disktuner.experiment.guard import Observation
from disktuner.results.columns import column
from disktuner.results.model import SeriesRecord
from disktuner.vocabulary.settings import Setting

GIB = 1 << 30
FIGURES = tuple(each.name for each in fields(Figures) if each.name != "elapsed_s")
"""What a result keeps of each point."""

LEAST_BYTES = 16 << 20
LEAST_REQUESTS = 100
"""What a run must have moved to have a CPU cost: the machine's other work, some hundredths of a second in a run of
seconds, is then less than some seconds per GiB. Files that were read from memory once yielded 6,820 s."""


class Sampler:
    """The live figures of one run: ``tick`` takes a point, ``series`` returns all of them, compact.

    Rates are over the real time between two readings, because a tick may be late under load. The points come from
    the thread that runs the programs; there is no thread here.
    """

    def __init__(self, system: System, disks: Sequence[str], emit: Callable[[LivePoint], None]) -> None:
        self._system = system
        self._disks = tuple(disks)
        self._emit = emit
        self._order = 0
        self._setting: Setting | None = None
        self._last: Counters | None = None
        self._began = 0.0
        self._points: list[LivePoint] = []

    def read(self) -> Counters | None:
        """The counters of all disks now, None when one of them is gone."""
        known = [reading for disk in self._disks if (reading := self._system.counters(disk))]
        if not known or len(known) < len(self._disks):
            return None
        names = [name for name in Counters.__dataclass_fields__ if name != "time_s"]
        sums = {name: sum(getattr(reading, name) for reading in known) for name in names}
        return Counters(time_s=max(reading.time_s for reading in known), **sums)

    def begin(self, order: int, setting: Setting | None) -> None:
        """A new run begins: forget the points of the one before."""
        self._order, self._setting, self._points = order, setting, []
        self._last = self.read()
        self._began = self._last.time_s if self._last else 0.0

    def tick(self) -> None:
        """Take a point and emit it."""
        now = self.read()
        if now is None or self._last is None:
            self._last = now
            return
        if now.time_s - self._last.time_s < 0.02:
            return
        point = LivePoint(now.time_s, self._order, self._setting, now.since(self._last))
        self._last = now
        self._points.append(point)
        self._emit(point)

    def series(self, workload: str, setting: Setting, round_number: int) -> SeriesRecord:
        """All points of this run, latencies of intervals without a request as 0."""
        points = self._points
        figures = {name: column([getattr(each.figures, name) or 0.0 for each in points]) for name in FIGURES}
        times = column([point.time_s - self._began for point in points])
        return SeriesRecord(self._order, workload, setting, round_number, times, figures)


def cpu_cost(before: Observation, after: Observation) -> Mapping[str, float]:
    """The ``COSTS`` of a run; none where a disk is gone, hardly moved anything, or no CPU time was counted."""
    first, last, busy_s = before.counters, after.counters, after.conditions.busy_s - before.conditions.busy_s
    if first is None or last is None or busy_s <= 0:
        return {}
    moved = last.read_bytes + last.written_bytes - first.read_bytes - first.written_bytes
    served = last.reads + last.writes - first.reads - first.writes
    costs = {}
    if moved >= LEAST_BYTES:
        costs["cpu_s_per_gib"] = busy_s * GIB / moved
    if served >= LEAST_REQUESTS:
        costs["cpu_s_per_1000"] = busy_s * 1000 / served
    return costs
