# SPDX-License-Identifier: GPL-3.0-or-later
"""Metrics: a workload's figures, their units, which direction is better, and how differences are worded."""

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
    names it on its own ("p99 read latency of a database"), in English; ``messages.named`` translates. ``wording`` None
    follows from the unit. ``said`` names a user's own command and replaces ``label``, which is then the user's word for
    it. ``unnoticed`` is the largest difference, in the metric's unit, that a waiting person does not notice; 0 if no
    person waits.
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
        """How a difference is worded."""
        if self.wording is not None:
            return self.wording
        timed = self.unit in {"s", "ms", "us", "µs", "ns"} or self.unit.endswith(("per_s", "/s"))
        return Wording.SPEED if timed or self.last.endswith(_TIMED) else Wording.QUALITY


def words_of(metrics: Iterable[Metric]) -> Wording:
    """Return the wording for a gain in several metrics: "better" if theirs differ."""
    wordings = {metric.words for metric in metrics}
    return wordings.pop() if len(wordings) == 1 else Wording.QUALITY


def workload_of(metric: str) -> str:
    """Return the id of a metric's workload; empty if its name has none."""
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
"""The CPU costs of every run: the time that all CPUs were busy, with whatever, per GiB and per 1,000 requests that the
disk served.

They include the whole machine's time, because a scheduler also works in interrupts and kernel threads. A goal may price
them; otherwise they are shown but not compared, so as not to widen intervals.
"""

INSTANT_S = 0.1
"""Below this, a program or command that a person waits for feels instantaneous (R. B. Miller, "Response time in
man-computer conversational transactions", AFIPS 1968; S. K. Card, G. G. Robertson and J. D. Mackinlay, "The
information visualizer", CHI 1991; J. Nielsen, Usability Engineering, 1993)."""
FRAME_S = 0.016
"""A read that delays drawing becomes visible after a frame: 16.7 ms at 60 Hz."""
THOUGHT_S = 1.0
"""Up to this, a train of thought is not interrupted (the same sources)."""

COUNTED = frozenset(("frames", "count", "files", "errors", "s/h", "/h"))
"""Units of metrics that may truly be zero."""

BESIDE = ("write_bytes_per_s", "writer_bytes_per_s", "read_bytes_per_s", "load_bytes_per_s")
"""The throughput of a measured program's background load, which never decides. It is shown as the program's price, and
limits the winner if no other price was planned."""

BESIDE_MAY_LOSE = 1 / 3
"""The share that a background load may lose of what it managed during the program with the original scheduler; the
everyday goal allows the same for copying. A faster program leaves the rest of that time to the load, so meanwhile its
speed may be lower by the factor by which the program is faster."""

BESIDE_KEEPS = 0.05
"""The share of its speed that a background load must keep, however fast the program is."""

_COST_NAMES = frozenset(metric.name for metric in COSTS)


def is_cost(name: str) -> bool:
    """Whether a metric (``dd-write.cpu_s_per_gib``) is one of ``COSTS``."""
    return name.rpartition(".")[2] in _COST_NAMES
