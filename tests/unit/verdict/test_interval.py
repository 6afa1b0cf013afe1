# SPDX-License-Identifier: GPL-3.0-or-later
"""The interval that may be looked at after each round misses no more often than promised."""

from __future__ import annotations

import numpy as np
import pytest
from tests.bench.calibration import UNEQUAL, always

from disktuner.verdict.forecast import HOPELESS, Horizon, Noise, chance_of_answer
from disktuner.verdict.interval import (
    EARLY,
    EVENLY,
    FEW,
    FIRST_LOOK,
    LEAST_HALF_OF_FEW,
    PRIOR,
    Errors,
    bounds,
    level,
    looks,
    running,
    trust,
)

HORIZON = Horizon(left=8, error=0.008, missed=0.05)
WORTH = 0.05
BOTH = Errors.two_sided(0.05)


@pytest.mark.parametrize("schedulers", [2, 3, 4, 5])
def test_no_look_up_to_two_hundred_rounds_misses_more_often_than_promised(schedulers: int) -> None:
    """Of 500 comparisons; two standard errors of chance are granted."""
    family, single = always((1.0,) * schedulers, 500, 200, 7)
    assert family <= 0.05 + 2 * (0.05 * 0.95 / 500) ** 0.5
    assert single <= 0.05 + 2 * (0.05 * 0.95 / 500) ** 0.5


@pytest.mark.parametrize("deviations", UNEQUAL)
def test_one_noisy_scheduler_hardly_makes_it_miss_more_often(deviations: tuple[float, ...]) -> None:
    family, single = always(deviations, 1000, 25, 8)
    assert family <= 0.09
    assert single <= 0.085
    if max(deviations) == 20:
        assert single <= 0.075 + 2 * (0.075 / 1000) ** 0.5


def test_one_look_misses_no_more_often_than_promised() -> None:
    source = np.random.default_rng(7)
    for rounds in (3, 4, 8):
        logs = 0.1 * source.standard_normal((20_000, 4, rounds))
        found = running(looks(logs[:, 1], logs[:, 0], logs[:, 2:], rounds), BOTH, False)
        assert float(((found.low > 0) | (found.high < 0)).mean()) <= 0.05 * 1.07


def test_what_was_found_stays_found() -> None:
    source = np.random.default_rng(5)
    logs = 0.1 * source.standard_normal((300, 4, 60))
    all_looks = running(looks(logs[:, 1], logs[:, 0], logs[:, 2:], 2), BOTH, True)
    for n in (8, 30):
        then = logs[..., :n]
        found = running(looks(then[:, 1], then[:, 0], then[:, 2:], 2), BOTH, True)
        assert np.allclose(found.low[:, -1], all_looks.low[:, n - 2], equal_nan=True)
    together = all_looks.low[:, FEW:] <= all_looks.high[:, FEW:]
    assert together.all()
    rising = np.diff(all_looks.low[:, FIRST_LOOK:], axis=1) >= 0
    assert rising.mean() > 0.99  # but where looks contradict each other, the last one stands


def test_later_looks_spend_less_and_their_sum_is_finite() -> None:
    rounds = np.arange(FEW, 100_000)
    spent = level(rounds, 0.05, True)
    assert (np.diff(spent) <= 0).all()
    assert spent[: EVENLY - FEW + 1].min() == spent.max()
    assert spent.sum() < 2 * spent[: 10 * EVENLY].sum()
    assert level(FIRST_LOOK, 0.05, True) == EARLY * spent[0]
    assert level(1, 0.05, False) == level(FIRST_LOOK - 1, 0.05, True) == 0
    assert level(8, 0.05, True, pooled=False) < level(8, 0.05, True)


def test_the_ends_of_a_few_rounds_are_not_near() -> None:
    sides = np.array([[0.1, 0.1, 0.1, 0.1, 0.1]]), np.zeros((1, 5)), np.zeros((1, 0, 5))
    seen = looks(*sides, 5)
    few, once = bounds(seen, BOTH, True), bounds(seen, BOTH, False)
    assert few.low[0, 0] == pytest.approx(0.1 - LEAST_HALF_OF_FEW)
    assert few.low[0, 0] < 0 < once.low[0, 0]
    assert FEW == 6


def test_the_rounds_of_others_tell_of_the_noise() -> None:
    source = np.random.default_rng(6)
    logs = source.standard_normal((4, 6))
    alone, among = looks(logs[1], logs[0], logs[:0], 6), looks(logs[1], logs[0], logs[2:], 6)
    assert alone.freedom[-1] == 5 and not alone.pooled[-1]
    assert 5 < among.freedom[-1] <= 5 + min(PRIOR, 2 * 5) and among.pooled[-1]
    assert trust(np.array(1.0)) == 1 and trust(np.array(20.0)) < 0.001 and trust(np.array(1e-4)) < 0.001


def test_what_a_round_does_to_all_and_how_schedulers_differ_is_no_noise() -> None:
    source = np.random.default_rng(6)
    logs = 0.1 * source.standard_normal((4, 9))
    shifted = logs + source.standard_normal(9) + np.array([[0.0], [0.0], [3.0], [-2.0]])
    plain, other = looks(logs[1], logs[0], logs[2:], 2), looks(shifted[1], shifted[0], shifted[2:], 2)
    assert np.allclose(plain.error, other.error) and np.allclose(plain.mean, other.mean)


def test_who_left_early_still_tells_of_its_rounds() -> None:
    source = np.random.default_rng(6)
    logs = 0.1 * source.standard_normal((4, 9))
    logs[3, 4:] = np.nan
    seen = looks(logs[1], logs[0], logs[2:], 2)
    swapped = looks(logs[1], logs[0], logs[[3, 2]], 2)
    assert np.isfinite(seen.error).all() and np.allclose(seen.error, swapped.error)
    gone = looks(logs[1], logs[0], logs[2:3], 2)
    assert seen.freedom[-1] >= gone.freedom[-1]


def chance(gains: list[float] | np.ndarray, behind: float = 0.0, horizon: Horizon = HORIZON) -> float:  # type: ignore[type-arg]
    rounds = np.array(gains)
    return float(chance_of_answer(rounds, rounds * 0 - behind, Noise.of(rounds), horizon, WORTH))


def test_rounds_that_are_left_promise_what_they_can() -> None:
    clear, noise = [0.3, 0.31, 0.29, 0.3], [0.5, -0.5, 0.4, -0.4] * 3
    wild, alike = [0.3, 0.31, 0.29, -4.0], [0.001, -0.002, 0.0, 0.001]
    for gains in (clear, wild, alike):
        assert chance(gains) > 0.9
    assert chance(noise) < HOPELESS
    assert chance(clear, behind=1.0) < HOPELESS  # it will not catch up
    soon = Horizon(2, 0.003, 0.05)
    assert chance([0.9, 2.2, -0.4], horizon=soon) == 1  # two rounds are soon made
    assert chance([0.9, 2.2, -0.4], behind=1.0, horizon=soon) < 1
    assert chance(clear, horizon=Horizon(0, 0.008, 0.05)) == 0
