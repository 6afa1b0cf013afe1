# SPDX-License-Identifier: GPL-3.0-or-later
"""The gain between two settings that alternate at random, with bounds that hold however often they are looked at.

In each pair of blocks a coin decided which setting came first. If one gains exactly ``g`` over the other (logarithms),
the pair's difference minus ``g`` is as likely as its opposite. Betting on its sign, with a stake that grows with its
size, then wins nothing on average, and multiplies the initial wealth by ``1 / alpha`` at any time with a probability of
at most ``alpha`` (J. Ville, 1939). So every ``g`` against which the bets have won that much is ruled out for good. The
bets are spread over several stakes (I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by
betting", Journal of the Royal Statistical Society B 86, 2024). A pair counts for more the more it differs, up to about
three times.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from disktuner.verdict.effects import Effect

STAKES = np.array([0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 0.95])
"""Shares of the wealth: larger ones win early where the gain is large, smaller ones where it is small."""
ALPHA = 0.04
"""The error of the deciding bound, which is exact (the rest of the 5 % is for parts, of which there are none here);
bounds for other errors are derived as if the distribution were normal."""
LARGEST = math.log(1000)
"""The largest gain or loss searched for."""
SURE = 1e6
"""Degrees of freedom: only the gain is estimated."""


def effect(differences: Sequence[float]) -> Effect | None:
    """Return the gain from the differences of pairs of blocks (logarithms, in any order); None without pairs."""
    if not differences:
        return None
    pairs = np.asarray(differences, dtype=float)
    gain = _last(lambda shift: float(np.tanh(pairs - shift).sum()) >= 0)
    low = _last(lambda shift: wealth(pairs - shift) >= -math.log(ALPHA))
    high = -_last(lambda shift: wealth(-pairs - shift) >= -math.log(ALPHA))
    return Effect(len(pairs), gain, max(gain - low, high - gain) / NormalDist().inv_cdf(1 - ALPHA), SURE)


def wealth(pairs: NDArray[np.float64]) -> float:
    """Return the logarithm of the wealth made of 1 by betting that differences are above 0."""
    logs = np.log1p(STAKES[:, None] * np.tanh(pairs)).sum(axis=1)
    return float(np.logaddexp.reduce(logs)) - math.log(len(STAKES))


def _last(holds: Callable[[float], bool]) -> float:
    """Return the largest shift for which a condition holds that holds for all smaller ones."""
    low, high = -LARGEST, LARGEST
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
