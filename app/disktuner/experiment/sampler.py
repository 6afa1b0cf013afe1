# SPDX-License-Identifier: GPL-3.0-or-later
"""The live figures of the disks below a folder, and the processor time that a run cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields

from disktuner.block.counters import Counters, Figures
from disktuner.block.system import System
from disktuner.experiment.events import LivePoint
from disktuner.experiment.guard import Observation
from disktuner.results.model import SeriesRecord, column
from disktuner.vocabulary.settings import Setting

GIB = 1 << 30
FIGURES = tuple(figure.name for figure in fields(Figures) if figure.name != "elapsed_s")
"""The figures of a point that a result keeps."""

LEAST_BYTES = 16 << 20
LEAST_REQUESTS = 100
"""The least that a run must move to have a CPU cost: other work on the machine, some hundredths of a second, is then
less than some seconds per GiB. Reading files from memory once yielded 6,820 s."""


class Sampler:
    """The live figures of one run: ``tick`` takes a point, ``series`` returns all of them.

    Rates are over the real time between two readings, as ticks may be late under load. Points are taken in the thread
    that runs the programs.
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
        """Return the present counters of all disks together; None if one is gone."""
        readings = [reading for disk in self._disks if (reading := self._system.counters(disk))]
        if not readings or len(readings) < len(self._disks):
            return None
        names = [name for name in Counters.__dataclass_fields__ if name != "time_s"]
        sums = {name: sum(getattr(reading, name) for reading in readings) for name in names}
        return Counters(time_s=max(reading.time_s for reading in readings), **sums)

    def begin(self, order: int, setting: Setting | None) -> None:
        """Begin a new run, and forget the points of the one before."""
        self._order, self._setting, self._points = order, setting, []
        self._last = self.read()
        self._began = self._last.time_s if self._last else 0.0

    def tick(self) -> None:
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
        """Return all points of this run; latencies of intervals without requests are 0."""
        points = self._points
        figures = {name: column([getattr(point.figures, name) or 0.0 for point in points]) for name in FIGURES}
        times = column([point.time_s - self._began for point in points])
        return SeriesRecord(self._order, workload, setting, round_number, times, figures)


def cpu_cost(before: Observation, after: Observation) -> Mapping[str, float]:
    """Return the ``COSTS`` of a run; none if a disk is gone, hardly anything moved, or no CPU time was counted."""
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
