# SPDX-License-Identifier: GPL-3.0-or-later
"""Confidence intervals for a mean difference from few rounds, which may be looked at after every round without an end.

Two views of the same runs are taken and their common part is the interval:

* Student's t of the differences within rounds, with a moderated variance (G. K. Smyth, "Linear models and empirical
  Bayes methods for assessing differential expression", Statistical Applications in Genetics 3, 2004): what the rounds
  of all other schedulers say of the noise counts as up to ``PRIOR`` further degrees of freedom. Only what is left of
  them beside the difference itself is used (Helmert's contrasts), so both are independent. It counts for less where
  the difference's own variance is larger, or far smaller, than theirs: some schedulers are noisier than others.
* From six rounds on, the 20 % trimmed mean with its winsorised deviation (J. W. Tukey and D. H. McLaughlin, "Less
  vulnerable confidence and significance procedures", Sankhya A 25, 1963), which one wild run cannot blow up.

An error that falls as fast as a square has a finite sum over all looks, without a last one (D. A. Darling and H.
Robbins, "Confidence sequences for mean, variance, and median", PNAS 58, 1967). How much each view may spend at each
look was found by simulation (``./dev bench bench_verdict``). The intervals of all looks are cut with each other, so
what was found stays found.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FIRST_LOOK = 3
SPENT, SPENT_ALONE, SPENT_BY_ERROR = 0.68, 0.575, 0.12
"""A look spends ``SPENT`` times the promised error to the power of ``1 + SPENT_BY_ERROR``, or ``SPENT_ALONE`` times it
where nobody else's rounds tell of the noise."""
EVENLY, SPENT_POWER = 8, 2.0
"""Most disks are decided in the first rounds: these looks spend alike, later ones less with ``n ** -SPENT_POWER``."""
EARLY = 0.05
"""The share of that which looks before ``FEW`` rounds spend."""
ONCE, ONCE_BY_ERROR = 1.3, 0.15
TRIMMED_SHARE = 0.0075
TRIMMED_FROM = 6
PRIOR = 10.0
NOISIER, QUIETER, DOUBT = 1.5, 8.0, 6.0
"""From a pool that is this many times less, or more, noisy than the difference itself ever less is learnt, falling with
the power ``DOUBT``, or 2."""
LEAST_DEVIATION = 0.005
"""No measurement on a disk is more exact than half a percent, however alike a few runs came out (log units)."""

FEW, LEAST_HALF_OF_FEW = 6, math.log(1.75)
"""Below six rounds no end of an interval is nearer than 1.75 times: of something with two habits, a few runs often show
only one, five of them in one case of sixteen. Since the noise of others counts, too, five rounds would switch wrongly
in 6 % where a baseline jumps by 40 % and the others hardly vary, as 1.6 times would (see tests/bench)."""


@dataclass(frozen=True, slots=True)
class Errors:
    """How often the low and the high end of an interval may miss the truth, each over all looks."""

    low: float
    high: float

    @classmethod
    def two_sided(cls, alpha: float) -> Errors:
        """Return an error in equal parts."""
        return cls(alpha / 2, alpha / 2)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Centre and ends of many intervals at once, in the unit of the differences; NaN where there is none."""

    centre: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def of(self, row: int) -> Bounds:
        """Return one interval's."""
        return Bounds(self.centre[row], self.low[row], self.high[row])


@dataclass(frozen=True, slots=True)
class Looks:
    """What two views see of differences after so many ``rounds``, from two on; the looks are the last axis.

    ``error`` is the standard error of ``mean``, moderated, with ``freedom``; ``pooled`` is whether there are others to
    moderate it. The trimmed view is NaN where there are too few rounds for it.
    """

    rounds: NDArray[np.int64]
    mean: NDArray[np.float64]
    error: NDArray[np.float64]
    freedom: NDArray[np.float64]
    pooled: NDArray[np.bool_]
    trimmed: NDArray[np.float64]
    trimmed_error: NDArray[np.float64]

    @property
    def centre(self) -> NDArray[np.float64]:
        """The typical difference at each look."""
        import numpy as np  # noqa: PLC0415 - loaded only when something is judged

        return np.where(np.isnan(self.trimmed), self.mean, self.trimmed)

    def of(self, row: int) -> Looks:
        """Return what is seen of one difference."""
        each = (self.mean, self.error, self.freedom, self.pooled, self.trimmed, self.trimmed_error)
        return Looks(self.rounds, *(values[row] for values in each))


def level(
    rounds: NDArray[np.int64] | int, error: float, looked: bool, pooled: NDArray[np.bool_] | bool = True
) -> NDArray[np.float64]:
    """Return the error that the first view may make at a look at so many rounds; 0 where there must be none yet.

    ``error`` is that of one end of an interval over all looks. ``looked`` says that there is a look after every round;
    else there is one, whenever it is. ``pooled`` is whether others tell of the noise.
    """
    import numpy as np  # noqa: PLC0415

    n = np.asarray(rounds, float)
    if not looked:
        return np.where(n < 2, 0.0, ONCE * error ** (1 + ONCE_BY_ERROR))
    spent = np.where(pooled, SPENT, SPENT_ALONE) * error ** (1 + SPENT_BY_ERROR)
    spent = spent * np.minimum(1.0, (np.maximum(n, 1) / EVENLY) ** -SPENT_POWER) * np.where(n < FEW, EARLY, 1.0)
    return np.where(n < FIRST_LOOK, 0.0, spent)


def least_half(n: int, looked: bool) -> float:
    """Return how near an end of an interval of ``n`` rounds may be, whatever its runs say."""
    return LEAST_HALF_OF_FEW if looked and n < FEW else 0.0


def looks(
    ours: NDArray[np.float64],
    theirs: NDArray[np.float64],
    others: NDArray[np.float64],
    first: int,
) -> Looks:
    """Return what the looks from the ``first`` on see of ``ours`` less ``theirs``, whose last axis is the rounds.

    ``others`` are the same rounds of all other schedulers, one axis more before the last, NaN where not measured.
    """
    import numpy as np  # noqa: PLC0415

    differences = ours - theirs
    n = np.arange(max(first, 2), differences.shape[-1] + 1)
    count = np.arange(1, differences.shape[-1] + 1)
    shifted = differences - differences[..., :1]  # sums of squares of small numbers stay exact
    total, squares = shifted.cumsum(axis=-1), (shifted**2).cumsum(axis=-1)
    at = slice(len(count) - len(n), None)
    own_squares = np.maximum(squares - total**2 / count, 0.0)[..., at]
    mean = (differences[..., :1] + total / count)[..., at]
    own = np.maximum(own_squares / (n - 1), LEAST_DEVIATION**2)
    rest, rest_freedom = _rest(ours, theirs, others)
    pooled = np.maximum(2 * rest[..., at], LEAST_DEVIATION**2)
    prior = np.minimum(rest_freedom[..., at], PRIOR) * trust(own / pooled)
    variance = (prior * pooled + (n - 1) * own) / (prior + n - 1)
    pool = rest_freedom[..., at] > 0
    return Looks(n, mean, np.sqrt(variance / n), prior + n - 1, pool, *_trimmed(differences, n))


def trust(ratio: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how much the pool counts where a difference's own variance is ``ratio`` times as large as the pool's."""
    import numpy as np  # noqa: PLC0415

    ratio = np.clip(ratio, 1e-9, 1e9)
    return np.minimum(1.0, np.minimum((ratio / NOISIER) ** -DOUBT, (QUIETER * ratio) ** 2))


def _rest(
    ours: NDArray[np.float64], theirs: NDArray[np.float64], others: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the variance of single runs after each round from what the difference leaves, and its freedom.

    Each of the others is held against the mean of all before it, who was measured longest first: these contrasts are
    orthogonal to each other, to the difference and to whatever a round does to all.
    """
    import numpy as np  # noqa: PLC0415

    order = np.isnan(others).sum(axis=-1).argsort(axis=-1, kind="stable")
    others = np.take_along_axis(others, order[..., None], axis=-2)
    so_far = ours + theirs
    squares, freedom = np.zeros(ours.shape), np.zeros(ours.shape)
    for place in range(others.shape[-2]):
        before = place + 2
        contrast = (others[..., place, :] - so_far / before) * (before / (before + 1)) ** 0.5
        there = ~np.isnan(contrast)
        value = np.where(there, contrast, 0.0)
        count = there.cumsum(axis=-1)
        some = np.maximum(count, 1)
        squares += np.maximum((value**2).cumsum(axis=-1) - value.cumsum(axis=-1) ** 2 / some, 0.0)
        freedom += np.maximum(count - 1, 0)
        so_far = so_far + others[..., place, :]
    return squares / np.maximum(freedom, 1), freedom


def _trimmed(differences: NDArray[np.float64], n: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return Tukey and McLaughlin's trimmed mean at each look and its error; a fifth is cut off at either end."""
    import numpy as np  # noqa: PLC0415

    place, cut = np.arange(differences.shape[-1]), n // 5
    seen = place < n[:, None]
    ordered = np.sort(np.where(seen, differences[..., None, :], np.inf), axis=-1)
    ends = [
        np.take_along_axis(ordered, np.broadcast_to(end[:, None], (*ordered.shape[:-1], 1)), axis=-1)
        for end in (cut, n - cut - 1)
    ]
    kept = (place >= cut[:, None]) & (place < (n - cut)[:, None])
    mean = np.where(kept, ordered, 0.0).sum(axis=-1) / (n - 2 * cut)
    pulled = np.where(seen, np.clip(ordered, *ends), 0.0)
    centre = pulled.sum(axis=-1) / n
    squares = (np.where(seen, pulled - centre[..., None], 0.0) ** 2).sum(axis=-1)
    deviation = np.maximum(np.sqrt(squares / (n - 1)), LEAST_DEVIATION) * n / (n - 2 * cut)
    enough = n >= TRIMMED_FROM
    return np.where(enough, mean, np.nan), np.where(enough, deviation / n**0.5, np.nan)


def bounds(seen: Looks, errors: Errors, looked: bool) -> Bounds:
    """Return the interval of each look alone."""
    import numpy as np  # noqa: PLC0415

    reach = [_reach(seen, error, looked) for error in (errors.low, errors.high)]
    lows = seen.mean - reach[0][0], seen.trimmed - reach[0][1]
    highs = seen.mean + reach[1][0], seen.trimmed + reach[1][1]
    low, high = np.fmax(*lows), np.fmin(*highs)
    apart = low > high  # where the views contradict, what either allows
    low, high = np.where(apart, np.fmin(*lows), low), np.where(apart, np.fmax(*highs), high)
    none = np.isnan(reach[0][0])
    low, high = np.where(none, np.nan, low), np.where(none, np.nan, high)
    return Bounds(np.where(none, seen.centre, np.clip(seen.centre, low, high)), low, high)


def _reach(seen: Looks, error: float, looked: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how far an end lies from the mean and from the trimmed mean; NaN where there is none."""
    import numpy as np  # noqa: PLC0415

    allowed = level(seen.rounds, error, looked, seen.pooled)
    reach = quantile(allowed, seen.freedom) * seen.error
    if looked:
        reach = np.maximum(reach, np.where(seen.rounds < FEW, LEAST_HALF_OF_FEW, 0.0))
    freedom = np.maximum(seen.rounds - 2 * (seen.rounds // 5) - 1, 1)
    trimmed = quantile(allowed * TRIMMED_SHARE, freedom) * seen.trimmed_error
    return np.where(allowed > 0, reach, np.nan), trimmed


def running(seen: Looks, errors: Errors, looked: bool) -> Bounds:
    """Return what the intervals of all looks up to each one allow together, so that what was found stays found.

    All looks hold at once with the promised confidence, therefore their common part does; where they contradict
    (one of them is wrong) the last one stands. What is looked at once has only its last look.
    """
    import numpy as np  # noqa: PLC0415

    each = bounds(seen, errors, looked)
    if not looked:
        return each
    return cut(each, np.fmax.accumulate(each.low, axis=-1), np.fmin.accumulate(each.high, axis=-1))


def cut(last: Bounds, low: NDArray[np.float64], high: NDArray[np.float64]) -> Bounds:
    """Return what all looks together allow, given the largest low and the smallest high end so far."""
    import numpy as np  # noqa: PLC0415

    apart = low > high
    low, high = np.where(apart, last.low, low), np.where(apart, last.high, high)
    return Bounds(np.where(np.isnan(low), last.centre, np.clip(last.centre, low, high)), low, high)


def unpaired(ours: NDArray[np.float64], theirs: NDArray[np.float64], errors: Errors) -> Bounds:
    """Return Welch's interval for runs that share no rounds.

    Source: B. L. Welch, "The generalization of 'Student's' problem when several different population variances are
    involved", Biometrika 34, 1947.
    """
    import numpy as np  # noqa: PLC0415

    squares = [max(float(x.std(ddof=1)), LEAST_DEVIATION) ** 2 / len(x) for x in (ours, theirs)]
    freedom = sum(squares) ** 2 / sum(s**2 / (len(x) - 1) for s, x in zip(squares, (ours, theirs), strict=True))
    centre = float(ours.mean() - theirs.mean())
    error = sum(squares) ** 0.5
    low, high = (float(quantile(end, freedom)) * error for end in (errors.low, errors.high))
    return Bounds(np.array(centre), np.array(centre - low), np.array(centre + high))


def quantile(error: NDArray[np.float64] | float, freedom: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Return the one-sided quantile of Student's t: it is exceeded with probability ``error``."""
    import numpy as np  # noqa: PLC0415
    from scipy.special import stdtrit  # noqa: PLC0415 - scipy.stats would take a second to load

    return np.asarray(-stdtrit(freedom, np.asarray(error)))
