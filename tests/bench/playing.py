# SPDX-License-Identifier: GPL-3.0-or-later
"""One simulated experiment played through the program itself: it is asked before each round who is to be measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from disktuner.verdict.sequential import next_runs
from numpy.typing import NDArray

from disktuner.results.model import FileSystem, Machine, PlanRecord, Result, Sample
from disktuner.vocabulary.metrics import Better, Metric

Floats = NDArray[np.float64]
SCHEDULERS = ("mq-deadline", "none", "kyber", "bfq")


def next_schedulers(result: Result) -> tuple[str, ...]:
    """Return those to be measured in the next round, in the plan's order; empty when the comparison is finished.

    The baseline is always among them; who was left out once does not return.
    """
    runs = next_runs(result)
    wanted = {scheduler for schedulers in runs.values() for scheduler in schedulers}
    return tuple(name for name in dict.fromkeys((result.plan.baseline, *result.plan.schedulers)) if name in wanted)


def played(
    logs: Mapping[str, Floats], goal: str | None, schedulers: tuple[str, ...] = SCHEDULERS, tunes: bool = False
) -> Result:
    """Return the result of one experiment; ``logs`` are logarithms of times by metric, of scheduler and round."""
    rounds = next(iter(logs.values())).shape[1]
    plan = PlanRecord(goal, None, schedulers, schedulers[0], (), 1, rounds, tunes)
    known = {name: Metric(name, "s", Better.LOWER, name) for name in logs}
    machine, place = Machine("", "", "", 0, ""), FileSystem("", "", (), ())
    result = Result("played", "2026-11-21T02:00:00Z", "0", machine, {}, place, plan, known, ())
    for number in range(rounds):
        samples = tuple(
            Sample(metric, name, number, number, float(np.exp(times[schedulers.index(name), number])))
            for name in (next_schedulers(result) if number else schedulers)
            for metric, times in logs.items()
        )
        result = replace(result, samples=result.samples + samples)
    return result
