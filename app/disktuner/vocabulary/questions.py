# SPDX-License-Identifier: GPL-3.0-or-later
"""The one question that a comparison asks: is any setting better by what is worth it, and at a price that is tolerated?

It is made once, when a comparison is planned, and kept in its result. The rules of goals are declared with the
workloads (``vocabulary.workloads``); users read them in docs/goals.md.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from disktuner.vocabulary.goals import WORTH_WITHOUT_GOAL, purpose_of
from disktuner.vocabulary.metrics import BESIDE, BESIDE_KEEPS, BESIDE_MAY_LOSE, Metric, is_cost
from disktuner.vocabulary.workloads import DAILY_USE, deciders, every_workload, facts_of, price_list

_FOREIGN: Mapping[str, str] = {
    "stream-under-copy": "late_frames",
    "oltp": "iops",
    "pgbench": "transactions_per_s",
    "sql-oltp": "transactions_per_s",
}
"""What other programs' results call the metric that stands for a workload."""

_USUAL = ("wall_s", "bytes_per_s", "p99_s")

MOST_WEIGHT = 100.0


@dataclass(frozen=True, slots=True)
class Part:
    """A metric that decides, with its weight in the score."""

    metric: str
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.weight <= MOST_WEIGHT:
            raise ValueError(f"not a weight: {self}")


@dataclass(frozen=True, slots=True)
class Price:
    """A metric that may get worse: by the share ``may_lose`` of its speed (0.25 is a quarter slower).

    What runs beside a program that is done sooner has the rest of that time to itself, so it may lose as many times
    more: ``beside`` is the metric of how long that program took, None for everything else.
    """

    metric: str
    may_lose: float
    beside: str | None = None

    def __post_init__(self) -> None:
        if not 0 < self.may_lose < 1:
            raise ValueError(f"not a share of speed: {self}")

    def least_gain(self, sooner: float = 1.0) -> float:
        """Return the gain (a factor below 1) down to which it is tolerated, beside what is done so much sooner."""
        if self.beside is None:
            return 1 - self.may_lose
        return 1 - min(1 - BESIDE_KEEPS, self.may_lose * max(1.0, sooner))


@dataclass(frozen=True, slots=True)
class Question:
    """What decides, what it may cost, and the least gain that is ``worth`` a change, as a factor.

    ``stands_in`` says that nothing is there which should decide.
    """

    parts: tuple[Part, ...]
    prices: tuple[Price, ...] = ()
    worth: float = WORTH_WITHOUT_GOAL
    stands_in: bool = False

    def __post_init__(self) -> None:
        names = self.metrics
        if len(set(names)) != len(names) or not 1 < self.worth < math.inf:
            raise ValueError(f"this is no question: {self}")

    @property
    def metrics(self) -> tuple[str, ...]:
        """All that it asks about, what decides first."""
        return (*self.deciding, *(price.metric for price in self.prices))

    @property
    def deciding(self) -> tuple[str, ...]:
        """The metrics that decide."""
        return tuple(part.metric for part in self.parts)

    @property
    def deciding_workloads(self) -> tuple[str, ...]:
        """The workloads that decide."""
        return tuple(dict.fromkeys(_workload(name) for name in self.deciding))

    @property
    def pricing_workloads(self) -> tuple[str, ...]:
        """The workloads that only price."""
        found = dict.fromkeys(_workload(price.metric) for price in self.prices)
        return tuple(name for name in found if name not in self.deciding_workloads)

    def weights(self) -> dict[str, float]:
        """Return the share of each part in the score; all together are 1."""
        total = sum(part.weight for part in self.parts)
        return {part.metric: part.weight / total for part in self.parts}

    def among(self, metrics: Collection[str]) -> Question:
        """Return the question as far as it is about some metrics."""
        parts = tuple(part for part in self.parts if part.metric in metrics)
        prices = tuple(price for price in self.prices if price.metric in metrics)
        return Question(parts, prices, self.worth, self.stands_in)


def question_for(goal: str | None, metrics: Iterable[Metric]) -> Question:
    """Return what some metrics, measured or planned, answer for a goal; nothing decides where it has no parts.

    A metric that the goal does not know decides where it is the only one, and what was felt in daily use does.
    """
    there = list(metrics)
    purpose = purpose_of(goal)
    worth = purpose.worth if purpose else WORTH_WITHOUT_GOAL
    leading = {workload: name for workload in every_workload() if (name := _leading(workload, there))}
    found = deciders(goal or "", leading)
    if found.workloads:
        parts = tuple(Part(leading[workload], weight) for workload, weight in found.workloads.items())
        names = {part.metric for part in parts}
        prices = tuple(_prices(goal or "", there, leading, names)) or tuple(_beside(there, names))
        return Question(parts, prices, worth, found.stands_in)
    single = [metric.name for metric in there if not is_cost(metric.name)]
    if DAILY_USE.id in leading:
        single = [leading[DAILY_USE.id]]
    return Question((Part(single[0]),) if len(single) == 1 else (), (), worth)


def _workload(metric: str) -> str:
    return metric.rpartition(".")[0]


def _leading(workload: str, there: list[Metric]) -> str | None:
    """Return the one metric that stands for a workload: its declared one, else a usual one, else its first."""
    of_it = [metric for metric in there if metric.workload == workload]
    own = [metric.name for metric in of_it if metric.last not in BESIDE and not is_cost(metric.name)]
    for last in (facts_of(workload).deciding, _FOREIGN.get(workload), *_USUAL):
        if f"{workload}.{last}" in own:
            return f"{workload}.{last}"
    return own[0] if own else None


def _prices(goal: str, there: list[Metric], leading: Mapping[str, str], deciding: set[str]) -> Iterable[Price]:
    names, seen = {metric.name for metric in there}, set(deciding)
    for each in price_list(goal):
        name = f"{each.workload}.{each.metric}" if each.metric else leading.get(each.workload, "")
        if name in names and name not in seen:
            seen.add(name)
            yield Price(name, each.may_lose)


def _beside(there: list[Metric], deciding: set[str]) -> Iterable[Price]:
    """Yield what runs beside the programs that decide: it bounds where nothing was planned that prices the goal."""
    workloads, names = {_workload(name) for name in deciding}, {metric.name for metric in there}
    for metric in there:
        if metric.workload in workloads and metric.last in BESIDE:
            duration = f"{metric.workload}.wall_s"
            yield Price(metric.name, BESIDE_MAY_LOSE, duration if duration in names else None)
