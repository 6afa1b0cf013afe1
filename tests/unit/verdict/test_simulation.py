# SPDX-License-Identifier: GPL-3.0-or-later
"""A few experiments whose truth is known, always the same: answers are right, and intervals hold the truth.

How often they err is for ``./dev bench bench_verdict`` to count.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.bench.playing import SCHEDULERS, played
from tests.unit.verdict.making import FOUR, LAUNCH, made

from disktuner.verdict.judge import judge
from disktuner.verdict.model import Decision, Verdict

TIMES = 8


def experiments(gains: tuple[float, ...], deviation: float, names: tuple[str, ...] = SCHEDULERS) -> list[Verdict]:
    """Play some through the program, of at most twelve rounds that differ among themselves."""
    found = []
    for seed in range(TIMES):
        source = np.random.default_rng(seed)
        noise = source.normal(0, deviation, (len(names), 12)) + source.normal(0, 0.1, 12)
        logs = {LAUNCH: noise - np.log(gains)[:, None]}
        found.append(judge(played(logs, "desktop", names, tunes=names is not SCHEDULERS)))
    return found


@pytest.mark.parametrize(
    ("gains", "deviation", "decision", "winner"),
    [
        ((1, 1, 1, 1.4), 0.05, Decision.SWITCH, "bfq"),
        ((1, 1.3, 1.8, 1.3), 0.1, Decision.SWITCH, "kyber"),
        ((1, 1, 1, 1), 0.05, Decision.KEEP, None),
        ((1, 1, 1, 1.1), 0.03, Decision.KEEP, None),
        ((1, 0.7, 0.8, 0.9), 0.05, Decision.KEEP, None),
    ],
)
def test_what_is_true_is_found(
    gains: tuple[float, ...], deviation: float, decision: Decision, winner: str | None
) -> None:
    found = [(each.decision, each.winner) for each in experiments(gains, deviation)]
    assert found.count((decision, winner)) >= TIMES - 1
    assert {wrong for _, wrong in found} <= {None, winner}, "whoever is not the best is never taken"


def test_of_many_settings_the_best_is_found_and_none_where_none_gains() -> None:
    names = ("bfq", *(f"bfq:slice_idle={number}" for number in range(5)))
    planted = [each.winner for each in experiments((1, 1.6, 1.1, 1, 0.9, 0.5), 0.05, names)]
    assert planted.count(names[1]) >= TIMES - 1 and set(planted) <= {None, names[1]}
    assert {each.winner for each in experiments((1.0,) * 6, 0.05, names)} == {None}


@pytest.mark.parametrize("done", [3, 6, 12])
def test_intervals_hold_the_truth(done: int) -> None:
    """Of one metric, with a noise of their own each: 95 % are promised for all three of a result together."""
    held = []
    for seed in range(20):
        effects = {(LAUNCH, "none"): 1.3, (LAUNCH, "kyber"): 1.0, (LAUNCH, "bfq"): 0.6}
        found = judge(made(effects, 0.1, done, metrics=(LAUNCH,), schedulers=FOUR, seed=seed)).comparisons
        ends = [(each.ci_low, each.ci_high, effects[LAUNCH, each.scheduler]) for each in found]
        held.append(all((low or 0) <= truth <= (high or math.inf) for low, high, truth in ends))
    assert held.count(True) >= 18
