# SPDX-License-Identifier: GPL-3.0-or-later
"""Student's t agrees with SciPy, or with exact values where SciPy has fewer digits."""

from __future__ import annotations

import math
from statistics import NormalDist

import pytest
from scipy.special import stdtr, stdtrit

from disktuner.verdict.student import cdf, quantile

LOWER = (1e-12, 1e-9, 1e-6, 1e-3, 0.0225, 0.05, 0.0786, 0.1, 0.2499, 0.25, 0.26, 0.45, 0.4999)
MIDDLE = (math.nextafter(0.5, 0), 0.4999999999, 0.4999999, 0.5000001)
VALUES = (0.0, 1e-300, 1e-7, 0.1, math.sqrt(2), math.nextafter(math.sqrt(2), 2), 5.0, 30.0, 1e6, math.inf)


@pytest.mark.parametrize("df", [0.5, 0.7, 1, 1.5, 2.3, 5, 11.7, 50, 199, 200.5, 1e3, 1e5, 1e7])
def test_it_is_scipys(df: float) -> None:
    for p in (*LOWER, *(1 - p for p in LOWER)):
        assert quantile(p, df) == pytest.approx(float(stdtrit(df, p)), rel=1e-12)
    for t in (*VALUES, *(-t for t in VALUES), *(quantile(p, df) for p in LOWER)):
        assert cdf(t, df) == pytest.approx(float(stdtr(df, t)), rel=1e-10, abs=1e-300)
    assert quantile(0.5, df) == 0


@pytest.mark.parametrize("p", [1e-70, *LOWER, *MIDDLE, 1 - 1e-12, math.nextafter(1, 0)])
def test_with_one_or_two_degrees_of_freedom_and_without_end_it_is_known_exactly(p: float) -> None:
    cauchy = math.tan(math.pi * (p - 0.5)) if 0.1 < p < 0.9 else 1 / math.tan(math.pi * (1 - p if p > 0.5 else -p))
    assert quantile(p, 1) == pytest.approx(cauchy, rel=1e-13)
    assert quantile(p, 2) == pytest.approx((p - 0.5) * math.sqrt(2 / p / (1 - p)), rel=1e-13)
    assert quantile(p, math.inf) == pytest.approx(NormalDist().inv_cdf(p), rel=1e-13)


@pytest.mark.parametrize(("p", "df"), [(0, 5), (1, 5), (1e-71, 5), (math.nan, 5), (0.1, 0.4), (0.1, math.nan)])
def test_what_has_no_quantile_is_an_error(p: float, df: float) -> None:
    with pytest.raises(ValueError):
        quantile(p, df)


@pytest.mark.parametrize(("t", "df"), [(math.nan, 5), (1, 0), (1, -1), (1, math.nan)])
def test_what_has_no_chance_is_an_error(t: float, df: float) -> None:
    with pytest.raises(ValueError):
        cdf(t, df)
