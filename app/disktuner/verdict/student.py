# SPDX-License-Identifier: GPL-3.0-or-later
"""Student's t distribution, for degrees of freedom that need not be whole, as exact as SciPy's (which tests it).

Its chances are incomplete beta functions, by the continued fraction of A. R. DiDonato and A. H. Morris ("Algorithm 708:
significant digit computation of the incomplete beta function ratios", ACM Transactions on Mathematical Software 18,
1992), evaluated as W. J. Lentz does (Applied Optics 15, 1976).
"""

from __future__ import annotations

import math
from itertools import count
from statistics import NormalDist

_EXACT, _LAST_STEP = 2e-15, 1e-8
"""The change at which the fraction has converged; the last Newton step, as the error is that of the step squared."""
_LEAST_P, _LEAST_DF = 1e-70, 0.5
"""Smaller values would overflow when squared."""
_GAMMA_MOST, _NORMAL = 100.0, 1e18
"""Gamma functions are exact up to the first and a series above it; above the second the distribution is normal."""


def cdf(t: float, df: float) -> float:
    """Return the probability of a value below ``t``; ValueError if that is no number or ``df`` below 0.5."""
    if math.isnan(t) or not df >= _LEAST_DF:
        raise ValueError(t, df)
    inner, outer, _ = _chances(abs(t), df)
    return outer if t < 0 else 0.5 + inner


def quantile(p: float, df: float) -> float:
    """Return the value below which a probability of ``p`` lies; ValueError unless 1e-70 <= p < 1 and ``df`` >= 0.5.

    The logarithm of either tail's probability is concave in the logarithm of the value, whose density is log-concave,
    so Newton's method converges from anywhere; it starts near the root, by R. A. Fisher and E. A. Cornish
    (Technometrics 2, 1960).
    """
    if not (_LEAST_P <= p < 1 and df >= _LEAST_DF):
        raise ValueError(p, df)
    beyond = min(p, 1 - p)
    is_far = beyond < 0.25
    wanted = beyond if is_far else 0.5 - beyond
    z = -NormalDist().inv_cdf(beyond)
    t, step = z + (z**3 + z) / (4 * df), math.inf if wanted else 0.0
    while abs(step) > _LAST_STEP:
        inner, outer, slope = _chances(t, df)
        step = outer / slope * math.log(outer / wanted) if is_far else inner / slope * math.log(wanted / inner)
        t *= math.exp(step)
    return math.copysign(t, p - 0.5)


def _chances(t: float, df: float) -> tuple[float, float, float]:
    """Return the probabilities of lying between 0 and ``t`` and above ``t``, and ``t`` times the density at ``t``."""
    a, square = min(df, _NORMAL) / 2, t * t
    if math.isinf(square):
        return 0.5, 0.0, 0.0
    far = square / (2 * a)
    slope = t * math.exp(-(a + 0.5) * math.log1p(far)) * _gamma_ratio(a) / math.sqrt(2 * math.pi * a)
    rest = (square - 1) / (1 + far) / 2
    if square > 2:
        outer = slope / 2 * _fraction(a, 0.5, 1 / (1 + far), rest)
        return 0.5 - outer, outer, slope
    inner = slope / 2 * _fraction(0.5, a, far / (1 + far), -rest)
    return inner, 0.5 - inner, slope


def _gamma_ratio(a: float) -> float:
    """Return the gamma function of ``a + 1/2`` by that of ``a`` (series: NIST's DLMF, 5.11.14)."""
    if a < _GAMMA_MOST:
        return math.gamma(a + 0.5) / math.gamma(a)
    w = a - 0.25
    return math.sqrt(w) * (1 + 1 / (64 * w**2) - 19 / (8192 * w**4))


def _fraction(a: float, b: float, x: float, rest: float) -> float:
    """Return I(x; a, b) * B(a, b) / (x**a * (1 - x)**b), given ``rest = a - (a + b) * x`` without loss of digits."""
    value = c = a / (a + 1) * (rest + 1)
    d = 0.0
    for n in count(1):
        alpha = (a + n - 1) * (a + b + n - 1) * n * (b - n) * (x / (a + 2 * n - 1)) ** 2
        beta = n + n * (b - n) * x / (a + 2 * n - 1) + (a + n) / (a + 2 * n + 1) * (rest + 1 + n * (2 - x))
        d = 1 / (beta + alpha * d)
        c = beta + alpha / c
        value *= c * d
        if abs(c * d - 1) <= _EXACT:
            break
    return 1 / value
