# SPDX-License-Identifier: GPL-3.0-or-later
"""The question that a comparison asks: does any setting gain enough to be worth it, at an accepted price?

It is made when a comparison is planned, and kept in its result. The goals' rules are declared with the workloads
(``vocabulary.workloads``); users read them in docs/goals.md.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from disktuner.vocabulary.goals import WORTH_WITHOUT_GOAL, purpose_of
from disktuner.vocabulary.messages import Message, message
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
"""The leading metrics of workloads in other programs' results."""

_USUAL = ("wall_s", "bytes_per_s", "p99_s")

MOST_WEIGHT = 100.0


@dataclass(frozen=True, slots=True)
class Part:
    """A metric that decides, with its weight in the score.

    ``unnoticed`` is the largest difference, in the metric's unit, that nobody notices and so does not count; None if
    the file is too old to say.
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

    A background load has the disk to itself once a faster program is done, so it may lose as many times more while the
    program runs: ``beside`` is the metric of that program's duration, None for other prices. ``unnoticed`` is as for a
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
        """Return the least accepted gain (a factor below 1), given the ``speedup`` of the program it runs beside."""
        if self.beside is None:
            return 1 - self.may_lose
        return 1 - min(1 - BESIDE_KEEPS, self.may_lose * max(1.0, speedup))


@dataclass(frozen=True, slots=True)
class Question:
    """What decides, what it may cost, and the least gain that is ``worth`` a change, as a factor.

    ``stands_in``: only stand-ins decide.
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
        """All metrics, those that decide first."""
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
        """The workloads that are only prices."""
        workloads = dict.fromkeys(workload_of(price.metric) for price in self.prices)
        return tuple(name for name in workloads if name not in self.deciding_workloads)

    def weights(self) -> dict[str, float]:
        """Return the share of each part in the score; they add up to 1."""
        total = sum(part.weight for part in self.parts)
        return {part.metric: part.weight / total for part in self.parts}

    def among(self, metrics: Mapping[str, Metric], goal: str | None) -> Question:
        """Return the question without the parts that are not among the metrics; unmeasured prices stay.

        Missing values of ``unnoticed`` are filled in.
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
    """Return the question that metrics, measured or planned, can answer for a goal; it may have no parts.

    A metric that is no part of the goal decides if it is the only one, and the stalls of daily use always do.
    """
    metrics = list(metrics)
    by_name = {metric.name: metric for metric in metrics}
    purpose = purpose_of(goal)
    worth = purpose.worth if purpose else WORTH_WITHOUT_GOAL
    leading = {workload: name for workload in every_workload() if (name := _leading(workload, metrics))}
    decisive = deciders(goal or "", leading)
    if decisive.workloads:
        parts = tuple(_part(goal, by_name[leading[id_]], weight) for id_, weight in decisive.workloads.items())
        names = {part.metric for part in parts}
        prices = tuple(_prices(goal or "", metrics, leading, names)) or tuple(_beside(metrics, names))
        return Question(parts, prices, worth, decisive.is_fallback)
    single = [metric.name for metric in metrics if not is_cost(metric.name)]
    if DAILY_USE.id in leading:
        single = [leading[DAILY_USE.id]]
    return Question((_part(goal, by_name[single[0]]),) if len(single) == 1 else (), (), worth)


def question_of_others(goal: str | None, metrics: Iterable[Metric], workloads: Collection[str]) -> Question:
    """Return the question for another program's metrics, whose plan had these workloads.

    Prices of the goal that were planned but not measured may cost anything; without any price, so may the goal's first.
    """
    asked = question_for(goal, metrics)
    if not asked.parts or DAILY_USE.id in asked.deciding_workloads:
        return asked
    missing = [price for price in _declared_prices(goal) if price.metric not in asked.metrics]
    planned = [price for price in missing if workload_of(price.metric) in workloads and not is_cost(price.metric)]
    return replace(asked, prices=(*asked.prices, *(planned or ([] if asked.prices else missing[:1]))))


def nothing_decides(goal: str | None) -> Message:
    """Return that a question without parts has no answer."""
    purpose = purpose_of(goal)
    return message("nothing-decides", purpose=purpose.purpose) if purpose else message("nothing-decides-without-goal")


def unnoticed_in(goal: str | None, metric: Metric) -> float:
    """Return the largest unnoticed difference, in the unit of a metric that decides a goal.

    If only machines wait, every difference counts, except half a unit for metrics that may truly be zero.
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
    """Yield a goal's prices, measured or not."""
    for entry in price_list(goal or ""):
        name = f"{entry.workload}.{entry.metric or facts_of(entry.workload).deciding}"
        if metric := known_metric(name):
            yield Price(name, entry.may_lose, unnoticed=unnoticed_of(metric))


def _leading(workload: str, metrics: list[Metric]) -> str | None:
    """Return a workload's leading metric: the declared one, else a usual one, else the first."""
    of_it = [metric for metric in metrics if metric.workload == workload]
    names = [metric.name for metric in of_it if metric.last not in BESIDE and not is_cost(metric.name)]
    for last in (facts_of(workload).deciding, _FOREIGN.get(workload), *_USUAL):
        if f"{workload}.{last}" in names:
            return f"{workload}.{last}"
    return names[0] if names else None


def _prices(goal: str, metrics: list[Metric], leading: Mapping[str, str], deciding: set[str]) -> Iterable[Price]:
    by_name, seen = {metric.name: metric for metric in metrics}, set(deciding)
    for entry in price_list(goal):
        name = f"{entry.workload}.{entry.metric}" if entry.metric else leading.get(entry.workload, "")
        if name in by_name and name not in seen:
            seen.add(name)
            yield Price(name, entry.may_lose, unnoticed=unnoticed_of(by_name[name]))


def _beside(metrics: list[Metric], deciding: set[str]) -> Iterable[Price]:
    """Yield the background loads of the deciding programs, which are the prices if no others were planned."""
    workloads, names = {workload_of(name) for name in deciding}, {metric.name for metric in metrics}
    for metric in metrics:
        if metric.workload in workloads and metric.last in BESIDE:
            duration = f"{metric.workload}.wall_s"
            yield Price(metric.name, BESIDE_MAY_LOSE, duration if duration in names else None, 0.0)
