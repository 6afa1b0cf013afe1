# SPDX-License-Identifier: GPL-3.0-or-later
"""Confidence intervals for a mean difference from few rounds, also when they are looked at after each round.

Several views of the same runs are taken and their common part is the interval:

* Student's t of the differences within rounds (W. S. Gosset, "The probable error of a mean", Biometrika 6, 1908): no
  drift of the disk disturbs it. Under heavy but symmetric tails it errs less often than it says (B. Efron, "Student's
  t-test under symmetry conditions", JASA 64, 1969).
* Welch's t of the two sides ("The generalization of 'Student's' problem when several different population variances
  are involved", Biometrika 34, 1947), which knows more of the noise where both sides are alike. Its degrees of freedom
  are reckoned as if the variances were ``DOUBTED`` times as unequal as they seem, since from few runs they seem too
  alike.
* From six rounds on, the 20 % trimmed mean with its winsorised deviation (J. W. Tukey and D. H. McLaughlin, "Less
  vulnerable confidence and significance procedures", Sankhya A 25, 1963), which one wild run cannot blow up.

Where an interval is looked at after every round, its error is spent in equal parts over the looks (S. J. Pocock, "Group
sequential methods in the design and analysis of clinical trials", Biometrika 64, 1977; C. Jennison and B. W.
Turnbull, "Interim analyses: the repeated confidence interval approach", JRSS B 51, 1989). How much each view may spend
at each look was found by simulation (``./dev bench calibration``): the largest share of the promised error ``alpha``
with which all views at all looks together miss no more often than promised is about ``SPENT`` times ``alpha`` to the
power of ``SPENT_POWER``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FIRST_LOOK = 3
SPENT = {
    3: 1.66,
    4: 1.0,
    5: 0.75,
    6: 0.6,
    7: 0.515,
    8: 0.46,
    9: 0.415,
    10: 0.38,
    11: 0.35,
    12: 0.325,
    14: 0.3,
    16: 0.275,
    25: 0.19,
    48: 0.148,
    60: 0.13,
}
SPENT_BEYOND, SPENT_POWER = 0.12, 0.2
ONCE, ONCE_POWER = 1.3, 0.15
LOOKS = 64
WELCH_SHARE, TRIMMED_SHARE = 0.5, 0.1
DOUBTED = 2.0
TRIMMED_FROM = 6
LEAST_DEVIATION = 0.005
"""No measurement on a disk is more exact than half a percent, however alike a few runs came out (log units)."""

FEW, LEAST_HALF_OF_FEW = 5, math.log(1.75)
"""Below five rounds no end of an interval is nearer than 1.75 times: of something with two habits, three or four runs
often show only one."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Centre and ends of many intervals at once, in the unit of the differences; NaN where there is none."""

    centre: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def level(n: int, alpha: float, planned: int | None) -> float:
    """Return the error that the first view at one look at ``n`` rounds may make; 0 where there must be no look yet.

    ``planned`` is the largest number of rounds of a plan that looks after each; None means one look at the end.
    """
    if n < 2 or (planned is not None and n < FIRST_LOOK):
        return 0.0
    if planned is None:
        return float(alpha * ONCE * alpha**ONCE_POWER)
    largest = max(planned, n)
    spent: float = next((share for rounds, share in SPENT.items() if rounds >= largest), SPENT_BEYOND)
    return float(alpha * spent * alpha**SPENT_POWER)


def least_half(n: int, planned: int | None) -> float:
    """Return how narrow half an interval of ``n`` rounds may be, whatever its runs say."""
    return LEAST_HALF_OF_FEW if planned is not None and n < FEW else 0.0


def bounds(ours: NDArray[np.float64], theirs: NDArray[np.float64], alpha: float, planned: int | None) -> Bounds:
    """Return intervals of ``ours`` less ``theirs`` along the last axis, which is the rounds that both have.

    ``alpha`` is the two-sided error of each interval over all its looks.
    """
    import numpy as np  # noqa: PLC0415 - loaded only when something is judged

    differences = ours - theirs
    n = differences.shape[-1]
    allowed = level(n, alpha, planned)
    if not allowed:
        nothing = np.full(differences.shape[:-1], np.nan)
        centre = np.median(differences, axis=-1) if n else nothing
        return Bounds(centre, nothing, nothing)
    centre = differences.mean(axis=-1)
    deviation = np.maximum(differences.std(axis=-1, ddof=1), LEAST_DEVIATION)
    paired = quantile(allowed, n - 1) * deviation / n**0.5
    half = np.minimum(paired, _welch(ours, theirs, allowed * WELCH_SHARE))
    half = np.maximum(half, least_half(n, planned))
    whole = Bounds(centre, centre - half, centre + half)
    return _common(whole, _trimmed(differences, allowed * TRIMMED_SHARE)) if n >= TRIMMED_FROM else whole


def running(ours: NDArray[np.float64], theirs: NDArray[np.float64], alpha: float, planned: int | None) -> Bounds:
    """Return what the intervals of all looks up to now allow together, so that what was found stays found.

    All looks hold at once with the promised confidence, therefore their common part does; where they contradict
    (one of them is wrong) the last one stands. With more than ``LOOKS`` rounds only the last look is added.
    """
    import numpy as np  # noqa: PLC0415

    last = bounds(ours, theirs, alpha, planned)
    n = ours.shape[-1]
    if planned is None or n <= FIRST_LOOK:
        return last
    low, high = last.low, last.high
    for k in range(FIRST_LOOK, min(n, LOOKS + 1)):
        then = bounds(ours[..., :k], theirs[..., :k], alpha, planned)
        low, high = np.maximum(low, then.low), np.minimum(high, then.high)
    low, high = np.where(low > high, last.low, low), np.where(low > high, last.high, high)
    return Bounds(np.clip(last.centre, low, high), low, high)


def unpaired(ours: NDArray[np.float64], theirs: NDArray[np.float64], alpha: float) -> Bounds:
    """Return Welch's interval for runs that share no rounds."""
    import numpy as np  # noqa: PLC0415

    squares = [max(float(x.std(ddof=1)), LEAST_DEVIATION) ** 2 / len(x) for x in (ours, theirs)]
    freedom = sum(squares) ** 2 / sum(s**2 / (len(x) - 1) for s, x in zip(squares, (ours, theirs), strict=True))
    centre = float(ours.mean() - theirs.mean())
    half = quantile(alpha, freedom) * sum(squares) ** 0.5
    return Bounds(np.array(centre), np.array(centre - half), np.array(centre + half))


def quantile(alpha: float, freedom: float) -> float:
    """Return the two-sided quantile of Student's t: it is exceeded, either way, with probability ``alpha``."""
    from scipy.special import stdtrit  # noqa: PLC0415 - scipy.stats would take a second to load

    return float(-stdtrit(freedom, alpha / 2))


def _welch(ours: NDArray[np.float64], theirs: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    """Return half of Welch's interval for two sides of as many runs."""
    import numpy as np  # noqa: PLC0415
    from scipy.special import stdtrit  # noqa: PLC0415

    n = ours.shape[-1]
    sides = [np.maximum(side.var(axis=-1, ddof=1), LEAST_DEVIATION**2 / 2) for side in (ours, theirs)]
    unequal = DOUBTED * np.maximum(*sides) / np.minimum(*sides)
    freedom = (n - 1) * (1 + unequal) ** 2 / (1 + unequal**2)
    half: NDArray[np.float64] = -stdtrit(freedom, alpha / 2) * np.sqrt((sides[0] + sides[1]) / n)
    return half


def _trimmed(differences: NDArray[np.float64], alpha: float) -> Bounds:
    """Return Tukey and McLaughlin's interval; a fifth of the values is cut off at either end."""
    import numpy as np  # noqa: PLC0415

    n = differences.shape[-1]
    cut = n // 5
    ordered = np.sort(differences, axis=-1)
    kept = ordered[..., cut : n - cut]
    pulled_in = np.clip(ordered, kept[..., :1], kept[..., -1:])
    centre = kept.mean(axis=-1)
    deviation = np.maximum(pulled_in.std(axis=-1, ddof=1), LEAST_DEVIATION) * n / (n - 2 * cut)
    half = quantile(alpha, n - 2 * cut - 1) * deviation / n**0.5
    return Bounds(centre, centre - half, centre + half)


def _common(whole: Bounds, trimmed: Bounds) -> Bounds:
    """Return what both intervals allow, around the trimmed centre; where they contradict, what either allows."""
    import numpy as np  # noqa: PLC0415

    low, high = np.maximum(whole.low, trimmed.low), np.minimum(whole.high, trimmed.high)
    apart = low > high
    low = np.where(apart, np.minimum(whole.low, trimmed.low), low)
    high = np.where(apart, np.maximum(whole.high, trimmed.high), high)
    return Bounds(np.clip(trimmed.centre, low, high), low, high)
