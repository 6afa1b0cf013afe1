# SPDX-License-Identifier: GPL-3.0-or-later
"""The one question that a comparison asks: is any setting better by what is worth it, and at a price that is tolerated?

It is made once, when a comparison is planned, and kept in its result. The rules of goals are declared with the
workloads (``vocabulary.workloads``); users read them in docs/goals.md.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from disktuner.vocabulary.goals import WORTH_WITHOUT_GOAL, purpose_of
from disktuner.vocabulary.metrics import BESIDE, BESIDE_KEEPS, BESIDE_MAY_LOSE, COUNTED, Metric, is_cost, workload_of
from disktuner.vocabulary.workloads import (
    DAILY_USE,
    deciders,
    every_workload,
    facts_of,
    known_metric,
    price_list,
    unnoticed_of,
)

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
    """A metric that decides, with its weight in the score.

    ``unnoticed`` is the difference, in the metric's unit, that does not count because nobody notices it; None where the
    file is too old to say.
    """

    metric: str
    weight: float = 1.0
    unnoticed: float | None = None

    def __post_init__(self) -> None:
        if not 0 < self.weight <= MOST_WEIGHT or not 0 <= (self.unnoticed or 0.0) < math.inf:
            raise ValueError(f"not a part of a question: {self}")


@dataclass(frozen=True, slots=True)
class Price:
    """A metric that may get worse: by the share ``may_lose`` of its speed (0.25 is a quarter slower).

    What runs beside a program that is done sooner has the rest of that time to itself, so it may lose as many times
    more: ``beside`` is the metric of how long that program took, None for everything else. ``unnoticed`` is that of a
    part.
    """

    metric: str
    may_lose: float
    beside: str | None = None
    unnoticed: float | None = None

    def __post_init__(self) -> None:
        if not 0 < self.may_lose < 1 or not 0 <= (self.unnoticed or 0.0) < math.inf:
            raise ValueError(f"not a price: {self}")

    def least_gain(self, speedup: float = 1.0) -> float:
        """Return the gain (a factor below 1) down to which it is tolerated, beside what is so many times faster."""
        if self.beside is None:
            return 1 - self.may_lose
        return 1 - min(1 - BESIDE_KEEPS, self.may_lose * max(1.0, speedup))


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
        return tuple(dict.fromkeys(workload_of(name) for name in self.deciding))

    @property
    def pricing_workloads(self) -> tuple[str, ...]:
        """The workloads that only price."""
        found = dict.fromkeys(workload_of(price.metric) for price in self.prices)
        return tuple(name for name in found if name not in self.deciding_workloads)

    def weights(self) -> dict[str, float]:
        """Return the share of each part in the score; all together are 1."""
        total = sum(part.weight for part in self.parts)
        return {part.metric: part.weight / total for part in self.parts}

    def among(self, metrics: Mapping[str, Metric], goal: str | None) -> Question:
        """Return the question as far as what decides is among some metrics; what was not measured may still cost.

        Where it does not say what nobody notices, that is filled in.
        """
        parts = tuple(
            replace(part, unnoticed=_or(part.unnoticed, unnoticed_in(goal, metrics[part.metric])))
            for part in self.parts
            if part.metric in metrics
        )
        prices = tuple(
            replace(price, unnoticed=_or(price.unnoticed, unnoticed_of(metric) if metric else 0.0))
            for price in self.prices
            for metric in (metrics.get(price.metric) or known_metric(price.metric),)
        )
        return Question(parts, prices, self.worth, self.stands_in)


def question_for(goal: str | None, metrics: Iterable[Metric]) -> Question:
    """Return what some metrics, measured or planned, answer for a goal; nothing decides where it has no parts.

    A metric that the goal does not know decides where it is the only one, and what was felt in daily use does.
    """
    there = list(metrics)
    by_name = {metric.name: metric for metric in there}
    purpose = purpose_of(goal)
    worth = purpose.worth if purpose else WORTH_WITHOUT_GOAL
    leading = {workload: name for workload in every_workload() if (name := _leading(workload, there))}
    found = deciders(goal or "", leading)
    if found.workloads:
        parts = tuple(_part(goal, by_name[leading[id_]], weight) for id_, weight in found.workloads.items())
        names = {part.metric for part in parts}
        prices = tuple(_prices(goal or "", there, leading, names)) or tuple(_beside(there, names))
        return Question(parts, prices, worth, found.is_fallback)
    single = [metric.name for metric in there if not is_cost(metric.name)]
    if DAILY_USE.id in leading:
        single = [leading[DAILY_USE.id]]
    return Question((_part(goal, by_name[single[0]]),) if len(single) == 1 else (), (), worth)


def question_of_others(goal: str | None, metrics: Iterable[Metric], workloads: Collection[str]) -> Question:
    """Return what the metrics that another program measured answer for its goal, whose plan had these workloads.

    What the goal prices and the plan had, but nobody measured, may cost anything; so may the goal's first price where
    nothing that bounds was measured.
    """
    asked = question_for(goal, metrics)
    if not asked.parts or DAILY_USE.id in asked.deciding_workloads:
        return asked
    missing = [price for price in _declared_prices(goal) if price.metric not in asked.metrics]
    planned = [price for price in missing if workload_of(price.metric) in workloads and not is_cost(price.metric)]
    return replace(asked, prices=(*asked.prices, *(planned or ([] if asked.prices else missing[:1]))))


def unnoticed_in(goal: str | None, metric: Metric) -> float:
    """Return the difference that nobody notices, in a metric's unit, where it decides a goal.

    What machines wait for counts whole; half a one is left of what may truly be zero.
    """
    purpose = purpose_of(goal)
    if purpose is not None and purpose.of_machines:
        return 0.5 if metric.unit in COUNTED else 0.0
    return unnoticed_of(metric)


def _or(known: float | None, fallback: float) -> float:
    return fallback if known is None else known


def _part(goal: str | None, metric: Metric, weight: float = 1.0) -> Part:
    return Part(metric.name, weight, unnoticed_in(goal, metric))


def _declared_prices(goal: str | None) -> Iterator[Price]:
    """Yield what a goal prices, whether it was measured or not."""
    for each in price_list(goal or ""):
        name = f"{each.workload}.{each.metric or facts_of(each.workload).deciding}"
        if metric := known_metric(name):
            yield Price(name, each.may_lose, unnoticed=unnoticed_of(metric))


def _leading(workload: str, there: list[Metric]) -> str | None:
    """Return the one metric that stands for a workload: its declared one, else a usual one, else its first."""
    of_it = [metric for metric in there if metric.workload == workload]
    own = [metric.name for metric in of_it if metric.last not in BESIDE and not is_cost(metric.name)]
    for last in (facts_of(workload).deciding, _FOREIGN.get(workload), *_USUAL):
        if f"{workload}.{last}" in own:
            return f"{workload}.{last}"
    return own[0] if own else None


def _prices(goal: str, there: list[Metric], leading: Mapping[str, str], deciding: set[str]) -> Iterable[Price]:
    by_name, seen = {metric.name: metric for metric in there}, set(deciding)
    for each in price_list(goal):
        name = f"{each.workload}.{each.metric}" if each.metric else leading.get(each.workload, "")
        if name in by_name and name not in seen:
            seen.add(name)
            yield Price(name, each.may_lose, unnoticed=unnoticed_of(by_name[name]))


def _beside(there: list[Metric], deciding: set[str]) -> Iterable[Price]:
    """Yield what runs beside the programs that decide: it bounds where nothing was planned that prices the goal."""
    workloads, names = {workload_of(name) for name in deciding}, {metric.name for metric in there}
    for metric in there:
        if metric.workload in workloads and metric.last in BESIDE:
            duration = f"{metric.workload}.wall_s"
            yield Price(metric.name, BESIDE_MAY_LOSE, duration if duration in names else None, 0.0)
