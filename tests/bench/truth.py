# SPDX-License-Identifier: GPL-3.0-or-later
"""What is true of a disk for a goal: long fixed runs of all schedulers in turns, and how an answer compares with that.

The truth is taken with the program's own workloads, but not with its planning, guard or verdict. Processor time is left
out of the prices, as a simulated disk is itself a program. A difference that nobody notices is none: the question's
threshold is added to values, and what gains nothing noticeable gains nothing.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from disktuner.block.system import System
from disktuner.comparison.exhausting import probe_exhausted
from disktuner.experiment.exhaustion import Exhaustion, UsedUp
from disktuner.experiment.probe import probe
from disktuner.verdict.levels import Scale
from disktuner.vocabulary.goals import QUICK
from disktuner.vocabulary.metrics import is_cost
from disktuner.vocabulary.questions import Question, question_for
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.workloads import WORKLOADS, known_metric, metrics_of, workloads_for
from disktuner.workloads.catalogue import find
from disktuner.workloads.load import SteadyWriter
from disktuner.workloads.processes import Control, Processes
from disktuner.workloads.source import Source
from disktuner.workloads.workload import Probe, Scratch
from tests.conftest import LoopDisk, Sudo
from tests.simdisk.family import FOUR

RUN_S = 4.0
FEWEST_ROUNDS = 4
DECIDING_S, PRICE_S = 60.0, 24.0
"""How long all that decides, and each workload that only prices, is measured at least."""
SURE = 0.03
"""The standard error of a mean, as a logarithm, from which on more runs tell nothing that matters."""
APART = 0.2
"""How much of a difference between schedulers may be left unsure, as a share of it."""
MOST_BYTES = QUICK.limits.on_disk(0, wears=False).written_bytes / (12 * len(FOUR) * QUICK.limits.workloads)
NEAR, FAR, BEST, BEYOND = 1.05, 1.25, 1.1, 1.1
"""Up to and from what a keep is right and wrong, what is as good as the best, what price is too high: as factors."""

GRADES = ("right", "wrong", "open", "undecided")
Figures = Mapping[str, Mapping[str, list[float]]]
"""Values by metric (its full name) and scheduler, round by round."""


def quick(goal: str) -> list[str]:
    """Return the workloads that the quick budget runs here for a goal."""
    return [name for name in workloads_for(goal) if find(name).unavailable() is None][: QUICK.limits.workloads]


def asked(goal: str, workloads: Iterable[str]) -> Question:
    """Return what the quick budget asks of some workloads for a goal."""
    metrics = [metric for name in workloads for metric in metrics_of(WORKLOADS[name]).values()]
    question = question_for(goal, (metric for metric in metrics if not is_cost(metric.name)))
    return replace(question, worth=max(question.worth, QUICK.limits.resolves))


def times(question: Question) -> dict[str, float]:
    """Return how long each workload is measured, in seconds."""
    decide = dict.fromkeys(question.deciding_workloads, DECIDING_S / len(question.deciding_workloads))
    return decide | dict.fromkeys(question.pricing_workloads, PRICE_S)


def measure(
    disk: LoopDisk, sudo: Sudo, workload: str, seconds: float, exhaustion: Exhaustion | None = None
) -> dict[str, dict[str, list[float]]]:
    """Run a workload with all schedulers in turns for so long, in whole rounds; where it varies much, twice as long.

    ``exhaustion``: the disk's cache is used up before, and kept so by one writer.
    """
    folder, runner, control = disk.folder / "truth", find(workload), Control()
    folder.mkdir()
    values_by_setting: dict[str, dict[str, list[float]]] = {}
    decides = f"{workload}.{WORKLOADS[workload].deciding}"
    try:
        sudo("tee", disk.queue / "scheduler", stdin=FOUR[0])  # a slow one would make all runs short
        seen = probe(folder, control.check)
        size = _sized(runner, probe_exhausted(seen, exhaustion) if exhaustion else seen)
        with (
            Source(getattr(size, "cost", size).bytes_source, 1, control.check) as source,
            Processes(control) as processes,
            _used_up(disk, exhaustion, Scratch(folder, 1, source, processes)) as (used_up, scratch),
        ):
            runner.prepare(scratch, size)
            if used_up:
                used_up.bring_about()
                size = size.beside_steady()
            runner.run(scratch, size)  # the first does not count
            until, number = time.monotonic() + seconds, 0
            while number < FEWEST_ROUNDS or time.monotonic() < until + seconds * (
                not _is_sure(values_by_setting[decides])
            ):
                for scheduler in _order(number):
                    sudo("tee", disk.queue / "scheduler", stdin=scheduler)
                    if used_up:
                        used_up.go_on(Setting(scheduler))
                    completed = runner.run(replace(scratch, seed=number + 2), size)
                    processes.end_all()
                    for metric, value in completed.values.items():
                        values_by_setting.setdefault(f"{workload}.{metric}", {}).setdefault(scheduler, []).append(value)
                number += 1
    finally:
        sudo("rm", "-r", folder)
    return values_by_setting


@contextmanager
def _used_up(
    disk: LoopDisk, exhaustion: Exhaustion | None, scratch: Scratch
) -> Iterator[tuple[UsedUp | None, Scratch]]:
    """Yield what uses up the cache, if anything does, and the scratch folder beside its writer."""
    if exhaustion is None:
        yield None, scratch
        return
    with Processes(Control()) as apart:
        writer = SteadyWriter(scratch.folder, exhaustion.most_bytes, scratch.source, apart)
        used_up = UsedUp(exhaustion, writer, scratch.processes, lambda: System().counters(disk.name))
        yield used_up, replace(scratch, steady_bytes=lambda: writer.bytes_written)


def _error(logs: Sequence[float]) -> float:
    return statistics.stdev(logs) / len(logs) ** 0.5


def _is_sure(by_scheduler: Mapping[str, Sequence[float]]) -> bool:
    """Whether more runs would add nothing that matters: the error is small, or small compared with the differences."""
    logs = {name: [math.log(max(value, 1e-9)) for value in values] for name, values in by_scheduler.items()}
    middle = statistics.median(statistics.fmean(logs_) for logs_ in logs.values())
    return all(_error(logs_) <= max(SURE, APART * abs(statistics.fmean(logs_) - middle)) for logs_ in logs.values())


def _sized(runner: Any, probe_result: Probe) -> Any:
    """Return a run's size, within what a run of the quick budget may write."""
    if hasattr(runner, "plan"):
        return runner.plan(probe_result, RUN_S, MOST_BYTES)
    return runner.size(probe_result, RUN_S)


def _order(number: int) -> tuple[str, ...]:
    """Return the schedulers in an order that changes by round, each coming first equally often."""
    at = number % len(FOUR)
    first, *rest = (*FOUR[at:], *FOUR[:at])
    return (first, *(rest if number % 2 else reversed(rest)))


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of each scheduler but the baseline, as factors.

    ``scores`` are how many times better it is, ``errors`` their standard errors as logarithms, ``prices`` how far its
    worst price exceeds its tolerance (below 1 it is within). ``noticed`` are those with some part that gains a
    noticeable amount.
    """

    worth: float
    scores: Mapping[str, float]
    errors: Mapping[str, float]
    prices: Mapping[str, float]
    noticed: frozenset[str]

    @property
    def best(self) -> float:
        """The possible gain, as a factor; 1 if nobody would notice."""
        return max((score for name, score in self.scores.items() if name in self.noticed), default=1.0)

    @property
    def is_gain(self) -> bool:
        """Whether there is something to gain that is worth a change."""
        return self.best > NEAR * self.worth

    def grade(self, decision: str, winner: str | None) -> str:
        """Return ``right``, ``wrong``, ``open`` (neither) or ``undecided``.

        A switch is compared with the best scheduler whose price is tolerable: one that gains more at too high a price
        does not count.
        """
        if decision == "keep":
            return "open" if self.is_gain and self.best <= FAR * self.worth else "wrong" if self.is_gain else "right"
        noticed = {name: score for name, score in self.scores.items() if name in self.noticed}
        inside = [score for name, score in noticed.items() if self.prices[name] <= BEYOND]
        best = max(inside if decision == "switch" and inside else noticed.values(), default=math.inf)
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


def truth(question: Question, baseline: str, figures: Figures) -> Truth:
    """Measure each scheduler with long runs, and return the truth."""

    scales, weights = _scales(question), question.weights()

    def gains(metric: str, name: str) -> list[float]:
        levels = ([scales[metric].level(value) for value in figures[metric][setting]] for setting in (name, baseline))
        pairs = zip(*levels, strict=True)
        return [ours - baseline for ours, baseline in pairs if ours is not None and baseline is not None]

    def gain(metric: str | None, name: str) -> float:
        return math.exp(statistics.fmean(gains(metric, name))) if metric else 1.0

    def is_noticed(metric: str, name: str) -> bool:
        now = statistics.median(figures[metric][baseline])
        return statistics.fmean(gains(metric, name)) >= scales[metric].noticed(now)[0]

    scores, errors, prices = {}, {}, {}
    rivals = [name for name in FOUR if name != baseline]
    for name in rivals:
        logs = {part: gains(part, name) for part in question.deciding}
        scores[name] = math.exp(sum(weights[part] * statistics.fmean(values) for part, values in logs.items()))
        errors[name] = math.hypot(*(weights[part] * _error(values) for part, values in logs.items()))
        over = (price.least_gain(gain(price.beside, name)) / gain(price.metric, name) for price in question.prices)
        prices[name] = max(over, default=0.0)
    noticed = frozenset(name for name in rivals if any(is_noticed(part, name) for part in question.deciding))
    return Truth(question.worth, scores, errors, prices, noticed)


def _scales(question: Question) -> dict[str, Scale]:
    """Return how values of each metric in the question are compared."""
    thresholds: dict[str, float] = {price.beside: 0.0 for price in question.prices if price.beside}
    thresholds |= {part.metric: part.unnoticed or 0.0 for part in (*question.prices, *question.parts)}
    return {
        name: Scale.of(metric, unnoticed) for name, unnoticed in thresholds.items() if (metric := known_metric(name))
    }
