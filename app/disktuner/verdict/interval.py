# SPDX-License-Identifier: GPL-3.0-or-later
"""Confidence intervals for a mean difference from few rounds, also when they are looked at after each round.

Two views of the same differences are taken and their common part is the interval:

* Student's t (W. S. Gosset, "The probable error of a mean", Biometrika 6, 1908). Under heavy but
symmetric tails it errs less often than it says (B. Efron, "Student's t-test under symmetry conditions",
JASA 64, 1969). * From six rounds on, the 20 % trimmed mean with its winsorised deviation (J. W. Tukey and
D. H. McLaughlin, "Less vulnerable confidence and significance procedures", Sankhya A 25, 1963), which one
wild run cannot blow up. It gets a tenth of the error.

Looked at once, the two share the error (Bonferroni). Looked at after every round, the intervals are a confidence
sequence: the error is spent over the looks (C. Jennison and B. W. Turnbull, "Interim analyses: the repeated
confidence interval approach", JRSS B 51, 1989), at look ``n`` the share ``SPENT · sqrt(4 / n)``. ``SPENT`` depends on
the number of rounds planned and was found by simulation (docs/method.md); its values hold both views together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FIRST_LOOK = 4
SPENT = {4: 0.98, 5: 0.58, 6: 0.41, 8: 0.27, 10: 0.24, 12: 0.19, 16: 0.165, 48: 0.115}
SPENT_BEYOND = 0.1
LOOKS = 64
TRIMMED_FROM = 6
TRIMMED_SHARE = 0.1
LEAST_DEVIATION = 0.005
"""No measurement on a disk is more exact than half a percent, however alike a few runs came out (log units)."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Centre and ends of many intervals at once, in the unit of the differences; NaN where there is none."""

    centre: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def level(n: int, alpha: float, planned: int | None) -> float:
    """Return the error that one look at ``n`` rounds may make; 0 where there must be no look yet.

    ``planned`` is the largest number of rounds of a plan that looks after each; None means one look at the end.
    """
    if n < 2 or (planned is not None and n < FIRST_LOOK):
        return 0.0
    if planned is None:
        return alpha
    largest = max(planned, n)
    spent: float = next((share for rounds, share in SPENT.items() if rounds >= largest), SPENT_BEYOND)
    return float(alpha * spent * (FIRST_LOOK / n) ** 0.5)


def bounds(differences: NDArray[np.float64], alpha: float, planned: int | None) -> Bounds:
    """Return intervals along the last axis; ``alpha`` is the two-sided error of each over all its looks."""
    import numpy as np  # noqa: PLC0415 - loaded only when something is judged

    n = differences.shape[-1]
    allowed = level(n, alpha, planned)
    if not allowed:
        nothing = np.full(differences.shape[:-1], np.nan)
        centre = np.median(differences, axis=-1) if n else nothing
        return Bounds(centre, nothing, nothing)
    centre = differences.mean(axis=-1)
    deviation = np.maximum(differences.std(axis=-1, ddof=1), LEAST_DEVIATION)
    both = n >= TRIMMED_FROM
    share = 1 - TRIMMED_SHARE if both and planned is None else 1.0
    half = quantile(allowed * share, n - 1) * deviation / n**0.5
    whole = Bounds(centre, centre - half, centre + half)
    return _common(whole, _trimmed(differences, allowed * TRIMMED_SHARE)) if both else whole


def running(differences: NDArray[np.float64], alpha: float, planned: int | None) -> Bounds:
    """Return what the intervals of all looks up to now allow together, so that what was found stays found.

    All looks hold at once with the promised confidence, therefore their common part does; where they contradict
    (one of them is wrong) the last one stands. With more than ``LOOKS`` rounds only the last look is added.
    """
    import numpy as np  # noqa: PLC0415

    last = bounds(differences, alpha, planned)
    n = differences.shape[-1]
    if planned is None or n <= FIRST_LOOK:
        return last
    low, high = last.low, last.high
    for k in range(FIRST_LOOK, min(n, LOOKS + 1)):
        then = bounds(differences[..., :k], alpha, planned)
        low, high = np.maximum(low, then.low), np.minimum(high, then.high)
    low, high = np.where(low > high, last.low, low), np.where(low > high, last.high, high)
    return Bounds(np.clip(last.centre, low, high), low, high)


def unpaired(ours: NDArray[np.float64], theirs: NDArray[np.float64], alpha: float) -> Bounds:
    """Return Welch's interval for runs that share no rounds (B. L. Welch, Biometrika 34, 1947)."""
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
