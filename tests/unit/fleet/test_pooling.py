# SPDX-License-Identifier: GPL-3.0-or-later
"""Intervals hold the truth and odd machines are found, where machines are few, unequal and truly differ."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from disktuner.fleet.disagreeing import NAMED, disagreeing
from disktuner.fleet.pooling import heterogeneity, pool, pool_runs
from disktuner.verdict.interval import Errors

Floats = NDArray[np.float64]
TIMES = 300

BCG = (
    (-0.8893, -1.5854, -1.3481, -1.4416, -0.2175, -0.7861, -1.6209, 0.0120, -0.4694, -1.3713, -0.3394, 0.4459, -0.0173),
    (0.3256, 0.1946, 0.4154, 0.0200, 0.0512, 0.0069, 0.2230, 0.0040, 0.0564, 0.0730, 0.0124, 0.5325, 0.0714),
)
"""Log risk ratios of thirteen trials of a vaccine (G. A. Colditz et al., JAMA 271, 1994), every textbook's example."""


def test_the_textbooks_example() -> None:
    """Paule and Mandel's variance as metafor computes it (W. Viechtbauer, Journal of Statistical Software 36, 2010)."""
    assert heterogeneity(*map(np.array, BCG)) == pytest.approx(0.318, abs=0.0005)


def test_one_sample_without_noise_is_students_t() -> None:
    values = np.array([1.0, 1.2, 0.7, 1.4, 1.1])
    found = pool(values, np.zeros(5))
    assert found.centre == pytest.approx(values.mean(), abs=1e-6)
    assert found.error == pytest.approx(values.std(ddof=1) / 5**0.5, rel=1e-4)
    low, high = found.ends(Errors.two_sided(0.05))
    assert (high - low) / 2 == pytest.approx(2.776445 * found.error, rel=1e-6)


@pytest.mark.parametrize("values", [[700.0, -700.0, 0.0], [0.0, 0.0], [1e-300, 1.0], [5.0]])
def test_nothing_is_too_wild(values: list[float]) -> None:
    for variance in (0.0, 1e-12, 1.0, 1e6):
        found = pool(np.array(values), np.full(len(values), variance))
        assert all(map(math.isfinite, (found.centre, found.between, found.error))) and found.error > 0


def noise(kind: str, machines: int, source: np.random.Generator) -> Floats:
    """The deviation of each machine's own difference."""
    if kind == "one exact":
        return np.where(np.arange(machines) == 0, 0.01, 0.2)
    return np.full(machines, 0.1) if kind == "equal" else np.exp(source.normal(math.log(0.1), 0.8, machines))


@pytest.mark.parametrize("machines", [2, 3, 12, 30])
@pytest.mark.parametrize("between", [0.0, 0.05, 0.5])
@pytest.mark.parametrize("kind", ["equal", "unequal", "one exact"])
def test_intervals_hold_the_truth(machines: int, between: float, kind: str) -> None:
    source = np.random.default_rng(machines)
    missed = 0
    for _ in range(TIMES):
        deviation = noise(kind, machines, source)
        known = deviation**2 * source.chisquare(12, machines) / 12  # from a few rounds
        low, high = pool(source.normal(0, np.hypot(deviation, between)), known).ends(Errors(0.025, 0.025))
        missed += not low <= 0 <= high
    assert missed / TIMES <= 0.05 + 2.6 * (0.05 * 0.95 / TIMES) ** 0.5


def test_runs_of_one_machine_that_contradict_each_other_widen_its_noise() -> None:
    centre, variance = pool_runs(np.array([0.0, 0.02]), np.array([0.01, 0.01]))
    assert (centre, variance) == (pytest.approx(0.01), pytest.approx(0.005))
    assert pool_runs(np.array([0.0, 1.0]), np.array([0.01, 0.01]))[1] == pytest.approx(0.25)


def fleet(machines: int, between: float, source: np.random.Generator) -> tuple[Floats, Floats]:
    """Three schedulers on two figures, which share a baseline."""
    deviation = np.exp(source.normal(math.log(0.05), 0.4, (machines, 1)))
    shared = source.normal(0, 1, (2, machines, 1))
    own = source.normal(0, 1, (2, machines, 6))
    errors, differ = (shared + own) / 2**0.5
    known = deviation**2 * source.chisquare(12, (machines, 6)) / 12
    return errors * deviation + differ * between, known


@pytest.mark.parametrize("machines", [4, 10])
@pytest.mark.parametrize("between", [0.0, 0.3])
def test_hardly_a_machine_is_named_where_none_is_odd(machines: int, between: float) -> None:
    source = np.random.default_rng(machines)
    times = TIMES // 4
    named = sum(bool(disagreeing(*fleet(machines, between, source))) for _ in range(times))
    assert named / times <= NAMED + 2.6 * (NAMED * (1 - NAMED) / times) ** 0.5


@pytest.mark.parametrize("machines", [4, 5, 10])
def test_an_odd_machine_is_named(machines: int) -> None:
    source = np.random.default_rng(machines)
    found = 0
    for _ in range(30):
        differences, variances = fleet(machines, 0.05, source)
        differences[0, :3] += math.log(2)
        found += 0 in disagreeing(differences, variances)
    assert found >= 24


def test_several_odd_machines_do_not_hide_each_other() -> None:
    source = np.random.default_rng(1)
    differences, variances = fleet(30, 0.05, source)
    differences[:4] += math.log(3)
    assert disagreeing(differences, variances)[:4] == [0, 1, 2, 3]


def test_what_few_have_measured_is_no_reason() -> None:
    differences, variances = fleet(8, 0.0, np.random.default_rng(1))
    differences[2:, 5] = np.nan
    differences[0, 5] = 9.0
    assert disagreeing(differences, variances) == []
    assert disagreeing(differences[:3], variances[:3]) == []
