# SPDX-License-Identifier: GPL-3.0-or-later
"""Intervals contain the truth if machines are few, unequal and truly differ."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pytest

from disktuner.verdict.effects import Effect
from disktuner_fleet.pooling import heterogeneity, pool

BCG = (
    (-0.8893, -1.5854, -1.3481, -1.4416, -0.2175, -0.7861, -1.6209, 0.0120, -0.4694, -1.3713, -0.3394, 0.4459, -0.0173),
    (0.3256, 0.1946, 0.4154, 0.0200, 0.0512, 0.0069, 0.2230, 0.0040, 0.0564, 0.0730, 0.0124, 0.5325, 0.0714),
)
"""Log risk ratios of thirteen trials of a vaccine (G. A. Colditz et al., JAMA 271, 1994), every textbook's example."""


def machines(gains: Iterable[float], errors: Iterable[float]) -> list[Effect]:
    return [Effect(6, gain, error, 8.0) for gain, error in zip(gains, errors, strict=True)]


def test_the_textbooks_example() -> None:
    """Paule and Mandel's variance as computed by metafor (W. Viechtbauer, Journal of Statistical Software 36, 2010)."""
    assert heterogeneity(*map(np.array, BCG)) == pytest.approx(0.318, abs=0.0005)


@pytest.mark.parametrize("gains", [[700.0, -700.0, 0.0], [0.0, 0.0], [1e-300, 1.0], [5.0]])
def test_nothing_is_too_wild(gains: list[float]) -> None:
    for error in (1e-6, 1.0, 1e3):
        pooled = pool(machines(gains, [error] * len(gains)))
        assert pooled.n == len(gains) and math.isfinite(pooled.gain) and 0 < pooled.std_error < math.inf


@pytest.mark.parametrize("count", [3, 12])
@pytest.mark.parametrize("between", [0.0, 0.5])
def test_intervals_hold_the_truth(count: int, between: float) -> None:
    """For equally noisy machines, and for some with one exact machine; always the same forty experiments."""
    source = np.random.default_rng(count)
    missed = 0
    for number in range(40):
        deviation = np.where(np.arange(count) == number % 2 - 1, 0.01, 0.2)
        known = deviation * np.sqrt(source.chisquare(12, count) / 12)  # from a few rounds
        pooled = pool(machines(source.normal(0, np.hypot(deviation, between)), known))
        missed += abs(pooled.gain) > pooled.reach(0.025)
    assert missed <= 5
