# SPDX-License-Identifier: GPL-3.0-or-later
"""The interval that may be looked at after each round misses no more often than promised."""

from __future__ import annotations

import numpy as np
import pytest
from tests.bench.calibration import ERRORS, UNEQUAL, shares

from disktuner.verdict.forecast import HOPELESS, Horizon, chance_of_answer
from disktuner.verdict.interval import (
    FEW,
    FIRST_LOOK,
    LEAST_HALF_OF_FEW,
    ONCE,
    ONCE_POWER,
    SPENT,
    SPENT_BEYOND,
    SPENT_POWER,
    bounds,
    level,
    running,
)

HORIZON = Horizon(left=8, alpha=0.0167, missed=0.1, planned=12)
WORTH = 0.05


@pytest.mark.parametrize("unequal", [1, 3, 8])
@pytest.mark.parametrize("planned", [5, 12, None])
def test_no_look_misses_more_often_than_promised(unequal: float, planned: int | None) -> None:
    source, alpha, count = np.random.default_rng(7), 0.05, 20_000
    ours, theirs = (
        source.standard_normal((count, planned or 4)),
        unequal * source.standard_normal((count, planned or 4)),
    )
    found = running(0.01 * ours, 0.01 * theirs, alpha, planned)
    missed = float(((found.low > 0) | (found.high < 0)).mean())
    assert missed <= alpha * 1.07  # of 20,000: two standard errors


def test_what_is_spent_is_what_the_calibration_allows() -> None:
    once, spent = shares(20_000, 12, 3)
    assert len(UNEQUAL) > 5 and ERRORS[1] == 0.05
    for n in range(FIRST_LOOK, 13):
        allowed = spent[n][1] / 0.05**SPENT_POWER
        assert next(share for rounds, share in SPENT.items() if rounds >= n) <= allowed * 1.1
        assert once[n][1] / 0.05**ONCE_POWER * 1.1 >= ONCE


def test_more_looks_never_spend_more() -> None:
    spent = [level(n, 0.05, n) for n in range(FIRST_LOOK, 70)]
    assert spent == sorted(spent, reverse=True)
    assert min(SPENT.values()) > SPENT_BEYOND
    assert level(1, 0.05, None) == level(FIRST_LOOK - 1, 0.05, 12) == 0


def test_the_ends_of_a_few_rounds_are_not_near() -> None:
    sides = np.array([[0.1, 0.1, 0.1, 0.1]]), np.zeros((1, 4))
    few, once = bounds(*sides, 0.05, 12), bounds(*sides, 0.05, None)
    assert few.low[0] == pytest.approx(0.1 - LEAST_HALF_OF_FEW)
    assert few.low[0] < 0 < once.low[0]
    assert FEW == 5


def test_rounds_that_are_left_promise_what_they_can() -> None:
    clear = np.array([0.3, 0.31, 0.29, 0.3])
    noise = np.array([0.5, -0.5, 0.4, -0.4])
    wild = np.array([0.3, 0.31, 0.29, -4.0])
    alike = np.array([0.001, -0.002, 0.0, 0.001])
    for gains in (clear, wild, alike):
        assert chance_of_answer(gains, 0 * gains, HORIZON, WORTH) > 0.9
    assert chance_of_answer(noise, 0 * noise, HORIZON, WORTH) < HOPELESS
    assert chance_of_answer(clear, clear - 1.0, HORIZON, WORTH) < HOPELESS  # it will not catch up
    great = np.array([0.9, 2.2, -0.4])
    soon = Horizon(2, 0.0067, 0.1, 5)
    assert chance_of_answer(great, 0 * great, soon, WORTH) == 1  # two rounds are soon made
    assert chance_of_answer(great, great - 1.0, soon, WORTH) < 1
    assert chance_of_answer(clear, 0 * clear, Horizon(0, 0.0167, 0.1, 4), WORTH) == 0
