# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits one metric: what each setting gains over another one, and how far that may be off, from whatever runs are valid.

``y[setting, round] = a[setting] + b[round] + e``, by least squares (F. Yates, "Incomplete randomized blocks", Annals of
Eugenics 7, 1936): a level that a whole round shares falls out. From ``ROBUST_ROUNDS`` on what lies far off is cut to
``CUT`` robust deviations (P. J. Huber, "Robust estimation of a location parameter", Annals of Mathematical Statistics
35, 1964; by modified residuals, as in P. J. Huber, Robust Statistics, 1981, 7.8).

The variance of one run, for a setting and what it is compared with, is their own, moderated (G. K. Smyth, "Linear
models and empirical Bayes methods", Statistical Applications in Genetics 3, 2004) by what the other settings of the
same metric leave and by a prior. Both helpers count for less where the runs contradict them: where these vary more than
they say, and where they vary far less, the more the more runs say so.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import numpy as np
from numpy.typing import NDArray

from disktuner.verdict.effects import LEAST_DEVIATION, Effect, level_of

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

ROBUST_ROUNDS = 5
CUT = 2.5
OTHERS = 4.0
"""What all other settings say of the noise counts as so many runs at most: in 185 cells of real results the logarithms
of two settings' variances differ by a deviation of 1.0, which is what three or four runs tell."""
PRIOR = 2.0
"""What is assumed before anything is measured counts as two runs."""
PRIOR_SHARE, PRIOR_MOST = 0.8, 0.12
"""The deviation that is assumed: so much of the difference that is asked for, at most so much (12 %)."""
OTHERS_TRUST, PRIOR_TRUST = 2.0, 1.1
"""Helpers count for less, with the cube, where the runs vary more than so many times as much as they say."""
OTHERS_FAR, PRIOR_FAR = 3.0, 2.0
"""And where they say that runs vary more than so many times as much as these do, with a power that grows with the runs:
what few runs say by chance takes nothing from a helper, what many say everything."""
_STEPS, _EXACT = 20, 1e-4
_MAD = 1.4826


def fit(levels: Floats | Sequence[Sequence[float]], asked: float) -> list[Effect | None]:
    """Return what each setting but the first gains over it; None for one that shares no round with it.

    ``levels`` are logarithms by setting and round, NaN where not measured. ``asked`` is the difference that is asked
    for, a logarithm above 0.
    """
    levels = _connected(np.asarray(levels, dtype=float))
    there = ~np.isnan(levels)
    shared = (there & there[:1]).sum(axis=1)
    prior = min(PRIOR_SHARE * asked, PRIOR_MOST) ** 2
    values, kept = _robust(levels, there, prior) if there[0].sum() >= ROBUST_ROUNDS else (levels, there)
    gains, by_round, spread = _solve(values, there)
    left = np.where(there, np.nan_to_num(values) - gains[:, None] - by_round, 0.0)
    used = there.any(axis=1).sum() + there.any(axis=0).sum() - 1
    total, freedom = float((left**2).sum()), float(there.sum() - used)
    variances, seen, known = _variances(values, there, kept, (total, freedom), prior)
    errors, lasting = (np.sqrt(np.maximum(each, LEAST_DEVIATION**2) * spread) for each in (variances, seen))
    level = level_of(int(there.any(axis=1).sum()))
    found = zip(*(each.tolist() for each in (shared, gains, errors, known, lasting)), strict=True)
    return [Effect(n, gain, error, free, level, seen) if n else None for n, gain, error, free, seen in found][1:]


def _connected(levels: Floats) -> Floats:
    """Leave out rounds of one setting alone, and settings that no chain of rounds leads to from the first."""
    there = ~np.isnan(levels)
    there &= there.sum(axis=0) > 1
    meets = (there.astype(int) @ there.T.astype(int)) > 0
    reached = meets[0]
    for _ in range(len(levels)):
        reached = meets[reached].any(axis=0) if reached.any() else reached
    return np.where(there & reached[:, None], levels, np.nan)


def _solve(values: Floats, there: Flags) -> tuple[Floats, Floats, Floats]:
    """Return the settings' effects against the first, the rounds' effects, and the variances in those of one run."""
    count, values = there.astype(float), np.where(there, values, 0.0)
    runs, per_round = count.sum(axis=1), np.maximum(count.sum(axis=0), 1.0)
    normal = np.diag(runs + (runs == 0)) - (count / per_round) @ count.T
    totals = values.sum(axis=1) - count @ (values.sum(axis=0) / per_round)
    gains, spread = np.zeros(len(runs)), np.zeros(len(runs))
    if len(runs) > 1 and runs[0]:
        inverse = np.linalg.inv(normal[1:, 1:])
        gains[1:], spread[1:] = inverse @ totals[1:], np.diagonal(inverse)
    by_round = (values - count * gains[:, None]).sum(axis=0) / per_round
    return gains, by_round, spread


def _robust(levels: Floats, there: Flags, prior: float) -> tuple[Floats, Flags]:
    """Return the values with what lies far off cut, and which were not cut."""
    values, kept = levels, there
    runs = np.maximum(there.sum(axis=1), 1)
    lost = there.sum() / max(1.0, there.sum() - there.any(axis=1).sum() - there.any(axis=0).sum() + 1)
    for _ in range(_STEPS):
        gains, by_round, _ = _solve(values, there)
        off = np.where(there, np.nan_to_num(levels) - gains[:, None] - by_round, 0.0)
        own = lost * (_MAD * _median(np.abs(off), there)) ** 2
        pooled = lost * (_MAD * _median(np.abs(off).reshape(1, -1), there.reshape(1, -1))) ** 2
        moderated = ((runs - 1) * own + OTHERS * pooled + PRIOR * prior) / (runs - 1 + OTHERS + PRIOR)
        limit = CUT * np.sqrt(moderated)[:, None]
        within = there & (np.abs(off) <= limit)
        if (within == there).all():
            return levels, there
        values, before, kept = levels - off + np.clip(off, -limit, limit), values, within
        if np.nanmax(np.abs(values - before)) < _EXACT:
            break
    return values, kept


def _median(values: Floats, there: Flags) -> Floats:
    """Return the median of each row of what is there, 0 where nothing is."""
    rows = (row[seen].tolist() for row, seen in zip(values, there, strict=True))
    return np.array([median(row) if row else 0.0 for row in rows])


def _variances(
    values: Floats, there: Flags, kept: Flags, left: tuple[float, float], prior: float
) -> tuple[Floats, Floats, Floats]:
    """Return the variance of one run for each setting beside the first, with the prior and without it, and its degrees
    of freedom."""
    total, freedom = left
    both = there & there[:1]
    runs = both.sum(axis=1)
    apart = np.where(both, np.nan_to_num(values) - np.nan_to_num(values[:1]), 0.0)
    centre = apart.sum(axis=1) / np.maximum(runs, 1)
    squares = (np.where(both, apart - centre[:, None], 0.0) ** 2).sum(axis=1) / 2
    uncut = (kept & kept[:1]).sum(axis=1) / np.maximum(runs, 1)
    own_freedom = np.maximum(runs - 1.0, 0.0)
    own = squares / np.maximum(own_freedom, 1.0)
    rest_freedom = np.maximum(freedom - own_freedom, 0.0)
    rest = np.maximum(total - squares, 0.0) / np.maximum(rest_freedom, 1.0)
    others = np.minimum(rest_freedom, OTHERS) * _trust(rest, own, own_freedom, (OTHERS_TRUST, OTHERS_FAR))
    assumed = PRIOR * _trust(np.full(own.shape, prior), own, own_freedom, (PRIOR_TRUST, PRIOR_FAR))
    measured, known = own_freedom * own + others * rest, own_freedom + others + assumed
    variances = (measured + assumed * prior) / np.maximum(known, 1e-9)
    seen = np.where(own_freedom > 0, measured / np.maximum(own_freedom + others, 1e-9), variances)
    losses = np.maximum(uncut, 0.5) ** 2
    return variances / losses, seen / losses, known


def _trust(helper: Floats, own: Floats, own_freedom: Floats, limits: tuple[float, float]) -> Floats:
    """Return how much a helper's variance counts beside runs of their own variance, 0 to 1."""
    own, helper = np.maximum(own, 1e-18), np.maximum(helper, 1e-18)
    says_less = np.minimum(1.0, limits[0] ** 2 * helper / own) ** 1.5
    says_more = np.minimum(1.0, limits[1] ** 2 * own / helper) ** (own_freedom / 2)
    return np.where(own_freedom > 0, says_less * says_more, 1.0)
