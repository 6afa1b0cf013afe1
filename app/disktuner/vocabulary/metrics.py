# SPDX-License-Identifier: GPL-3.0-or-later
"""Metrics: what a workload yields, in which unit, which direction is better, and how a difference of it is said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from disktuner.vocabulary.messages import Message


class Better(StrEnum):
    """Which direction of a metric is better."""

    LOWER = "lower"
    HIGHER = "higher"


class Wording(StrEnum):
    """The pair of words for a difference."""

    SPEED = "speed"
    """faster, slower"""

    QUALITY = "quality"
    """better, worse"""

    COST = "cost"
    """less, more"""


@dataclass(frozen=True, slots=True)
class Metric:
    """One figure that a workload yields; its full name is ``WORKLOAD.NAME`` (``dd-write.bytes_per_s``).

    ``unit`` is ``s``, ``bytes_per_s``, ``per_s``, nothing for a pure number, or another program's own word. ``label``
    names it where it stands alone ("p99 read latency of a database"); it is English, ``messages.named`` translates.
    ``wording`` None follows from the unit. ``said`` names what no declaration can know, a command of the user's own: it
    takes the place of ``label``, which is then the user's own word for it. ``unnoticed`` is the difference, in its own
    unit, that nobody notices who waits for it; 0 where no person does.
    """

    name: str
    unit: str
    better: Better
    label: str
    wording: Wording | None = None
    said: Message | None = None
    unnoticed: float = field(default=0.0, compare=False)

    @property
    def workload(self) -> str:
        """The id of the workload, empty for a name without one."""
        return workload_of(self.name)

    @property
    def last(self) -> str:
        """The name within the workload."""
        return self.name.rpartition(".")[2]

    @property
    def words(self) -> Wording:
        """How a difference is said."""
        if self.wording is not None:
            return self.wording
        timed = self.unit in {"s", "ms", "us", "µs", "ns"} or self.unit.endswith(("per_s", "/s"))
        return Wording.SPEED if timed or self.last.endswith(_TIMED) else Wording.QUALITY


def words_of(metrics: Iterable[Metric]) -> Wording:
    """Return how a gain of several metrics together is said: of several kinds as better."""
    found = {metric.words for metric in metrics}
    return found.pop() if len(found) == 1 else Wording.QUALITY


def workload_of(metric: str) -> str:
    """Return the id of the workload that yields a metric; empty where its name tells none."""
    return metric.rpartition(".")[0]


_TIMED = ("_s", "_ms", "_us", "_ns", "tps", "iops")


def lower(name: str, unit: str, label: str, wording: Wording | None = None, unnoticed: float = 0.0) -> Metric:
    """Declare a metric of which less is better."""
    return Metric(name, unit, Better.LOWER, label, wording, unnoticed=unnoticed)


def higher(name: str, unit: str, label: str, wording: Wording | None = None) -> Metric:
    """Declare a metric of which more is better."""
    return Metric(name, unit, Better.HIGHER, label, wording)


COSTS = (
    lower("cpu_s_per_gib", "s", "CPU time per GiB", Wording.COST),
    lower("cpu_s_per_1000", "s", "CPU time per 1,000 requests", Wording.COST),
)
"""What every run costs the processors, besides its workload's own metrics: the time that all of them were busy, with
whatever, per GiB and per 1,000 requests that the disk served.

The whole machine's time, because a scheduler works in interrupts and kernel threads, too. A goal may price them;
otherwise they are shown and not compared, so that they widen no interval.
"""

INSTANT_S = 0.1
"""A program or command that a person waits for feels instantaneous below that (R. B. Miller, "Response time in
man-computer conversational transactions", AFIPS 1968; S. K. Card, G. G. Robertson and J. D. Mackinlay, "The
information visualizer", CHI 1991; J. Nielsen, Usability Engineering, 1993)."""
FRAME_S = 0.016
"""A read that stalls what is drawn is seen from a frame on: 16.7 ms at 60 Hz."""
THOUGHT_S = 1.0
"""Up to that a train of thought is not interrupted (the same sources)."""

COUNTED = frozenset(("frames", "count", "files", "errors", "s/h", "/h"))
"""Units of metrics that may truly be zero."""

BESIDE = ("write_bytes_per_s", "writer_bytes_per_s", "read_bytes_per_s", "load_bytes_per_s")
"""What the writers, the readers or the command beside a measured program manage: never decides. It is shown as the
program's price, and bounds the winner where nothing else that was planned does."""

BESIDE_MAY_LOSE = 1 / 3
"""What may be lost beside a program of all that was managed until it was done with the scheduler that the disk had: the
share that the everyday goal grants to copying. Who is done sooner leaves the rest of that time to what runs beside, so
its speed may be lower meanwhile, by the factor by which the program is faster."""

BESIDE_KEEPS = 0.05
"""What runs beside must not be stopped altogether: a twentieth of its speed is left, however fast the program is."""

_COST_NAMES = frozenset(metric.name for metric in COSTS)


def is_cost(name: str) -> bool:
    """Whether a metric (``dd-write.cpu_s_per_gib``) is one of ``COSTS``."""
    return name.rpartition(".")[2] in _COST_NAMES
