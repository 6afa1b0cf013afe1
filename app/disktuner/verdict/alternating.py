# SPDX-License-Identifier: GPL-3.0-or-later
"""What one of two settings gains that change places by lot, with bounds that hold however often they are looked at.

In each pair of blocks a coin decided who came first. If one setting gains just ``g`` over the other (logarithms), the
pair's difference less ``g`` is as likely as its opposite. Who bets on its sign, with a stake that grows with its size,
then expects to win nothing, and multiplies what he had by ``1 / alpha`` at any time with a chance of ``alpha`` at most
(J. Ville, 1939). So all ``g`` against which a bettor has won that much are ruled out, for ever. What he bets is spread
over several stakes (I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting", Journal
of the Royal Statistical Society B 86, 2024). A pair counts for
more the more it differs, up to about three times.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from disktuner.verdict.effects import Effect

STAKES = np.array([0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 0.95])
"""Shares of what the bettor has: the larger ones win soon where much is gained, the smaller ones where little is."""
ALPHA = 0.04
"""The bound that decides (the smaller share of the 5 % has parts that there are none of here) is exact; those for other
chances follow as if it came from a normal distribution."""
LARGEST = math.log(1000)
"""A gain or a loss beyond that is not looked for."""
SURE = 1e6
"""Degrees of freedom: nothing is estimated but the gain."""


def effect(differences: Sequence[float]) -> Effect | None:
    """Return the gain by pairs of blocks (logarithms of gains, in any order); None of none."""
    if not differences:
        return None
    pairs = np.asarray(differences, dtype=float)
    gain = _last(lambda shift: float(np.tanh(pairs - shift).sum()) >= 0)
    low = _last(lambda shift: wealth(pairs - shift) >= -math.log(ALPHA))
    high = -_last(lambda shift: wealth(-pairs - shift) >= -math.log(ALPHA))
    return Effect(len(pairs), gain, max(gain - low, high - gain) / NormalDist().inv_cdf(1 - ALPHA), SURE)


def wealth(pairs: NDArray[np.float64]) -> float:
    """Return the logarithm of what has become of 1 by betting that differences are above 0."""
    logs = np.log1p(STAKES[:, None] * np.tanh(pairs)).sum(axis=1)
    return float(np.logaddexp.reduce(logs)) - math.log(len(STAKES))


def _last(holds: Callable[[float], bool]) -> float:
    """Return up to which shift something holds that holds for small ones."""
    low, high = -LARGEST, LARGEST
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
