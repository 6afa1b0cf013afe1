# SPDX-License-Identifier: GPL-3.0-or-later
"""What is true of a disk for a goal: long fixed runs of all schedulers in turns, and how an answer stands beside them.

The truth is taken with the program's own workloads, not with its planning, its guard or its verdict. What costs
processor time is left out of the prices: a simulated disk is itself a program.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from disktuner.experiment.probe import probe
from disktuner.experiment.processes import Control, UserProcesses
from disktuner.vocabulary.goals import GOALS, QUICK
from disktuner.vocabulary.metrics import Better, is_cost
from disktuner.vocabulary.workloads import WORKLOADS, deciders, known_metric, price_list, workloads_for
from disktuner.workloads.catalogue import find
from disktuner.workloads.source import Source
from disktuner.workloads.workload import Probe, Scratch
from tests.conftest import LoopDisk, Sudo
from tests.simdisk.family import FOUR

RUN_S = 4.0
FEWEST_ROUNDS = 4
DECIDING_S, PRICE_S = 120.0, 48.0
"""How long all that decides, and each workload that only prices, is measured at least."""
SURE = 0.03
"""The standard error of a mean, as a logarithm, from which on more runs tell nothing that matters."""
MOST_BYTES = QUICK.limits.written_bytes / (12 * len(FOUR) * QUICK.limits.workloads)
WEIGHTS = {"launch-office": 2.0}
"""Where a workload counts for more than another of its goal."""
NEAR, FAR, BEST, BEYOND = 1.05, 1.25, 1.1, 1.1
"""Up to and from what a keep is right and wrong, what is as good as the best, what price is too high: as factors."""

GRADES = ("right", "wrong", "open", "undecided")
Figures = Mapping[str, Mapping[str, list[float]]]
"""Values by metric (its full name) and scheduler, round by round."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a goal asks: weights and tolerated losses by metric, and what is worth a switch."""

    parts: Mapping[str, float]
    prices: Mapping[str, float]
    worth: float

    def seconds(self, workload: str) -> float:
        """Return how long a workload is measured."""
        decides = any(name.startswith(f"{workload}.") for name in self.parts)
        return DECIDING_S / len(self.parts) if decides else PRICE_S

    @property
    def workloads(self) -> tuple[str, ...]:
        """Those that are measured, each once."""
        return tuple(dict.fromkeys(name.rpartition(".")[0] for name in (*self.parts, *self.prices)))


def quick(goal: str) -> list[str]:
    """Return the workloads that the quick budget runs here for a goal."""
    return [name for name in workloads_for(goal) if find(name).unavailable() is None][: QUICK.limits.workloads]


def question(goal: str, there: Collection[str]) -> Question:
    """Return what a goal asks of some workloads."""
    parts = {_metric(name): WEIGHTS.get(name, 1.0) for name in deciders(goal, there).workloads}
    prices = {
        name: price.may_lose
        for price in price_list(goal)
        if (name := _metric(price.workload, price.metric)) not in parts
        and price.workload in there
        and not is_cost(name)
    }
    return Question(parts, prices, GOALS[goal].worth)


def _metric(workload: str, metric: str | None = None) -> str:
    return f"{workload}.{metric or WORKLOADS[workload].deciding}"


def measure(disk: LoopDisk, sudo: Sudo, workload: str, seconds: float) -> dict[str, dict[str, list[float]]]:
    """Run a workload with all schedulers in turns for so long, in whole rounds; where it varies much, twice as long."""
    assert disk.folder
    folder, runner, control = disk.folder / "truth", find(workload), Control()
    folder.mkdir()
    found: dict[str, dict[str, list[float]]] = {}
    decides = _metric(workload)
    try:
        sudo("tee", disk.queue / "scheduler", stdin=FOUR[0])  # a slow one would make all runs short
        size = _sized(runner, probe(folder, control.check))
        with (
            Source(getattr(size, "cost", size).bytes_source, 1, control.check) as source,
            UserProcesses(control) as processes,
        ):
            runner.prepare(Scratch(folder, 1, source), size, processes)
            runner.run(Scratch(folder, 1, source), size, processes)  # the first does not count
            until, number = time.monotonic() + seconds, 0
            while number < FEWEST_ROUNDS or time.monotonic() < until + seconds * (_error(found[decides]) > SURE):
                for scheduler in _order(number):
                    sudo("tee", disk.queue / "scheduler", stdin=scheduler)
                    done = runner.run(Scratch(folder, number + 2, source), size, processes)
                    processes.end_all()
                    for metric, value in done.values.items():
                        found.setdefault(f"{workload}.{metric}", {}).setdefault(scheduler, []).append(value)
                number += 1
    finally:
        control.close()
        sudo("rm", "-r", folder)
    return found


def _error(by_scheduler: Mapping[str, Sequence[float]]) -> float:
    """How well the least known is known: the standard error of its mean, as a logarithm."""
    logs = [[math.log(max(value, 1e-9)) for value in values] for values in by_scheduler.values()]
    return max(statistics.stdev(each) / len(each) ** 0.5 for each in logs)


def _sized(runner: Any, found: Probe) -> Any:
    """How much a run does, no more than what a run of the quick budget may write."""
    if hasattr(runner, "plan"):
        return runner.plan(found, RUN_S, MOST_BYTES)
    return runner.size(found, RUN_S)


def _order(number: int) -> tuple[str, ...]:
    """Each comes first once in as many rounds, and not always after the same one."""
    at = number % len(FOUR)
    first, *rest = (*FOUR[at:], *FOUR[:at])
    return (first, *(rest if number % 2 else reversed(rest)))


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of each scheduler but the baseline, as factors.

    ``scores`` are how many times better it is, ``errors`` their standard errors as logarithms, ``prices`` how far its
    worst price is beyond its tolerance (below 1 it is inside).
    """

    worth: float
    scores: Mapping[str, float]
    errors: Mapping[str, float]
    prices: Mapping[str, float]

    def grade(self, decision: str, winner: str | None) -> str:
        """Return ``right``, ``wrong``, ``open`` (neither) or ``undecided``."""
        best = max(self.scores.values())
        if decision == "keep":
            return "right" if best <= NEAR * self.worth else "wrong" if best > FAR * self.worth else "open"
        if decision not in {"switch", "conditional", "trade-off"}:
            return "undecided"
        score = self.scores.get(winner or "", 0.0)
        if score < 1 or (decision == "switch" and self.prices[winner or ""] > BEYOND):
            return "wrong"
        return "right" if score >= max(best / BEST, self.worth / NEAR) else "open"

    def __str__(self) -> str:
        return ", ".join(
            f"{name} {score:.2f}±{100 * self.errors[name]:.0f} %{f' (price {price:.2f})' if price else ''}"
            for name, score in sorted(self.scores.items(), key=lambda pair: -pair[1])
            for price in [self.prices[name]]
        )


def truth(asked: Question, baseline: str, figures: Figures) -> Truth:
    """Return what long runs say of each scheduler."""
    scores, errors, prices = {}, {}, {}
    for name in FOUR:
        if name == baseline:
            continue
        gains = [(weight, _gains(figures[metric], metric, name, baseline)) for metric, weight in asked.parts.items()]
        whole = sum(weight for weight, _ in gains)
        scores[name] = math.exp(sum(weight * statistics.fmean(logs) for weight, logs in gains) / whole)
        errors[name] = (
            math.hypot(*(weight * statistics.stdev(logs) / len(logs) ** 0.5 for weight, logs in gains)) / whole
        )
        losses = (
            -statistics.fmean(_gains(figures[metric], metric, name, baseline)) + math.log(1 - may_lose)
            for metric, may_lose in asked.prices.items()
        )
        prices[name] = math.exp(max(losses, default=-math.inf))
    return Truth(asked.worth, scores, errors, prices)


def _gains(by_scheduler: Mapping[str, list[float]], metric: str, ours: str, theirs: str) -> list[float]:
    """Compare round by round, as logarithms; what is better is positive."""
    known = known_metric(metric)
    assert known
    sign = -1 if known.better is Better.LOWER else 1
    pairs = zip(by_scheduler[ours], by_scheduler[theirs], strict=True)
    return [sign * math.log(one / other) for one, other in pairs if one > 0 and other > 0]
