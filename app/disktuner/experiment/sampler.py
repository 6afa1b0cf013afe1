# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes the live figures of the disks below a folder while programs run, and keeps them as one run's series."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from disktuner.block.counters import Counters, Figures
from disktuner.experiment.conditions import Surroundings
from disktuner.experiment.events import LivePoint
from disktuner.experiment.kernel import Queues, total
from disktuner.results.columns import column
from disktuner.results.model import SeriesRecord

GIB = 1 << 30
FIGURES = (
    "read_bytes_per_s",
    "write_bytes_per_s",
    "reads_per_s",
    "writes_per_s",
    "read_latency_s",
    "write_latency_s",
    "in_flight",
    "utilisation",
    "read_merges_per_s",
    "write_merges_per_s",
    "cpu_s_per_gib",
)


class Sampler:
    """The live figures of one run: ``tick`` takes a point, ``series`` returns all of them, compact.

    Rates are over the real time between two readings, because a tick may be late under load. The points come from
    the thread that runs the programs; there is no thread here.
    """

    def __init__(
        self,
        queues: Queues,
        disks: Sequence[str],
        emit: Callable[[LivePoint], None],
        surroundings: Surroundings | None = None,
    ) -> None:
        self._queues = queues
        self._disks = tuple(disks)
        self._emit = emit
        self._surroundings = surroundings or Surroundings()
        self._busy_s = 0.0
        self._order = 0
        self._scheduler = ""
        self._last: Counters | None = None
        self._began = 0.0
        self._points: list[LivePoint] = []

    def read(self) -> Counters | None:
        """The counters of all disks now, None when one of them is gone."""
        readings = [self._queues.counters(disk) for disk in self._disks]
        known = [reading for reading in readings if reading is not None]
        return total(known) if known and len(known) == len(readings) else None

    def begin(self, order: int, scheduler: str) -> None:
        """A new run begins: forget the points of the one before."""
        self._order, self._scheduler, self._points = order, scheduler, []
        self._last = self.read()
        self._busy_s = self._surroundings.busy_s()
        self._began = self._last.time_s if self._last else 0.0

    def tick(self) -> None:
        """Take a point and tell it."""
        now = self.read()
        if now is None or self._last is None:
            self._last = now
            return
        if now.time_s - self._last.time_s < 0.02:
            return
        busy_s = self._surroundings.busy_s()
        figures, cpu_s = now.since(self._last), busy_s - self._busy_s
        point = _point(figures, cpu_s, now.time_s, self._order, self._scheduler)
        self._last, self._busy_s = now, busy_s
        self._points.append(point)
        self._emit(point)

    def series(self, workload: str, round_number: int) -> SeriesRecord:
        """All points of this run, latencies of intervals without a request as 0."""
        figures = {name: column([getattr(point, name) or 0.0 for point in self._points]) for name in FIGURES}
        times = column([point.time_s - self._began for point in self._points])
        return SeriesRecord(self._order, workload, self._scheduler, round_number, times, figures)


def _point(figures: Figures, cpu_s: float, time_s: float, order: int, scheduler: str) -> LivePoint:
    return LivePoint(
        time_s=time_s,
        order=order,
        scheduler=scheduler,
        read_bytes_per_s=figures.read_bytes_per_s,
        write_bytes_per_s=figures.write_bytes_per_s,
        reads_per_s=figures.reads_per_s,
        writes_per_s=figures.writes_per_s,
        read_latency_s=figures.read_latency_s,
        write_latency_s=figures.write_latency_s,
        in_flight=figures.in_flight,
        utilisation=figures.utilisation,
        read_merges_per_s=figures.read_merges_per_s,
        write_merges_per_s=figures.write_merges_per_s,
        cpu_s_per_gib=cpu_per_gib(figures, cpu_s),
    )


def cpu_per_gib(figures: Figures, cpu_s: float) -> float | None:
    """CPU seconds per GiB moved between two readings, None when nothing was moved."""
    moved = (figures.read_bytes_per_s + figures.write_bytes_per_s) * figures.elapsed_s
    return cpu_s / (moved / GIB) if moved else None
