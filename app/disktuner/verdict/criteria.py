# SPDX-License-Identifier: GPL-3.0-or-later
"""Which metrics of a result decide for its goal, which stand in for them, and what the winner may cost at most.

The rules are declared with the workloads (``vocabulary.workloads``); users read them in docs/goals.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from disktuner.results.model import Result
from disktuner.vocabulary.goals import WORTH_WITHOUT_GOAL, purpose_of
from disktuner.vocabulary.metrics import BESIDE, BESIDE_KEEPS, BESIDE_MAY_LOSE, Better, Metric, is_cost
from disktuner.vocabulary.workloads import deciders, every_workload, facts_of, price_list

_FOREIGN: Mapping[str, str] = {
    "stream-under-copy": "late_frames",
    "oltp": "iops",
    "pgbench": "transactions_per_s",
    "sql-oltp": "transactions_per_s",
}
"""What other programs' results call the metric that stands for a workload."""

_USUAL = ("wall_s", "bytes_per_s", "p99_s")


@dataclass(frozen=True, slots=True)
class Criteria:
    """The metrics of one result by what they do in its verdict; ``prices`` maps to the share that may be lost.

    ``worth`` is the least gain that is worth a change, as a factor. ``stood_in`` says that nothing was measured which
    should decide.
    """

    deciding: tuple[str, ...]
    prices: Mapping[str, float]
    worth: float = WORTH_WITHOUT_GOAL
    stood_in: bool = False

    def may_lose(self, price: str, sooner: float = 1.0) -> float:
        """Return the share of its speed that a price may lose, beside a program that is done so many times sooner."""
        share = self.prices[price]
        return min(1 - BESIDE_KEEPS, share * max(1.0, sooner)) if price.rpartition(".")[2] in BESIDE else share


def criteria(result: Result, planned: bool = False) -> Criteria:
    """Return which of a result's metrics decide and which are prices; with ``planned`` also those without a sample yet.

    A metric that the goal does not know decides where it is the only one that was measured.
    """
    there = set(result.metrics) if planned else {sample.metric for sample in result.samples}
    measured = [metric for name, metric in result.metrics.items() if name in there]
    goal = result.plan.goal or ""
    purpose = purpose_of(goal)
    worth = purpose.worth if purpose else WORTH_WITHOUT_GOAL
    leading = {workload: name for workload in every_workload() for name in _leading(workload, measured)}
    by = deciders(goal, leading)
    if found := tuple(leading[workload] for workload in by.workloads):
        priced = _prices(goal, list(result.metrics.values()), found)
        prices = _prices(goal, measured, found) if priced else _beside(measured, found)
        return Criteria(found, prices, worth, by.stood_in)
    single = [metric.name for metric in measured if not is_cost(metric.name)]
    return Criteria(tuple(single) if len(single) == 1 else (), {}, worth)


def tolerance(metric: Metric, may_lose: float) -> float:
    """Return the worst ratio to the baseline that a price allows: times may grow as much as speed may shrink."""
    return 1 / (1 - may_lose) if metric.better is Better.LOWER else 1 - may_lose


def _leading(workload: str, measured: list[Metric]) -> tuple[str, ...]:
    """Return the one metric that stands for a workload: its declared one, else a usual one, else its first."""
    of_it = [metric for metric in measured if metric.workload == workload]
    own = [metric.name for metric in of_it if metric.last not in BESIDE and not is_cost(metric.name)]
    for last in (facts_of(workload).deciding, _FOREIGN.get(workload), *_USUAL):
        if f"{workload}.{last}" in own:
            return (f"{workload}.{last}",)
    return tuple(own[:1])


def _prices(goal: str, measured: list[Metric], deciding_: tuple[str, ...]) -> dict[str, float]:
    there = {metric.name for metric in measured}
    prices: dict[str, float] = {}
    for price in price_list(goal):
        names = (f"{price.workload}.{price.metric}",) if price.metric else _leading(price.workload, measured)
        prices.update({name: price.may_lose for name in names if name in there and name not in deciding_})
    return prices


def duration_of(price: str) -> str:
    """Return the metric that says how long the program took beside which something else ran."""
    return f"{price.rpartition('.')[0]}.wall_s"


def _beside(measured: list[Metric], deciding_: tuple[str, ...]) -> dict[str, float]:
    """Return what runs beside the programs that decide: it bounds where nothing was planned that prices the goal."""
    workloads = {name.rpartition(".")[0] for name in deciding_}
    return {m.name: BESIDE_MAY_LOSE for m in measured if m.workload in workloads and m.last in BESIDE}
