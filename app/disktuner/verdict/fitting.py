# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits one metric: what each setting gains over a reference, and its standard error, from the valid runs.

``y[setting, round] = a[setting] + b[round] + e``, by least squares (F. Yates, "Incomplete randomized blocks", Annals of
Eugenics 7, 1936): a level that a whole round shares cancels out. From ``ROBUST_ROUNDS`` on, outliers are cut to ``CUT``
robust deviations (P. J. Huber, "Robust estimation of a location parameter", Annals of Mathematical Statistics 35, 1964;
by modified residuals, as in P. J. Huber, Robust Statistics, 1981, 7.8).

The variance of one run of a setting and its reference is their own, moderated (G. K. Smyth, "Linear models and
empirical Bayes methods", Statistical Applications in Genetics 3, 2004) by the residuals of the metric's other settings
and by a prior. Both helpers lose weight where the runs contradict them: where runs vary more than the helpers say, and,
as runs accumulate, where they vary far less.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import numpy as np
from numpy.typing import NDArray

from disktuner.verdict.effects import Effect, level_of

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

ROBUST_ROUNDS = 5
CUT = 2.5
OTHERS = 4.0
"""The most runs that the noise of all other settings counts for: in 185 cells of real results the logarithms of two
settings' variances differ by a deviation of 1.0, which three or four runs would show."""
PRIOR = 2.0
"""The prior counts as two runs."""
PRIOR_SHARE, PRIOR_MOST = 0.8, 0.12
"""The prior's deviation: this share of the difference asked for, at most 12 %."""
OTHERS_TRUST, PRIOR_TRUST = 2.0, 1.1
"""Helpers lose weight, with the cube, where the runs deviate by more than this many times what they say."""
OTHERS_FAR, PRIOR_FAR = 3.0, 2.0
"""Helpers also lose weight where they say this many times the runs' deviation, with a power that grows with the number
of runs: a few quiet runs may be chance, many are not."""
_STEPS, _EXACT = 20, 1e-4
_MAD = 1.4826
_LEAST_DEVIATION = 0.005
"""The least deviation assumed (half a percent): the resolution of clocks and figures hides smaller ones."""


def fit(levels: Floats | Sequence[Sequence[float]], asked: float) -> list[Effect | None]:
    """Return the gain of each setting over the first one; None for a setting that shares no round with it.

    ``levels`` are logarithms by setting and round, NaN where not measured. ``asked`` is the difference to find, a
    logarithm above 0.
    """
    levels = _connected(np.asarray(levels, dtype=float))
    present = ~np.isnan(levels)
    shared = (present & present[:1]).sum(axis=1)
    prior = min(PRIOR_SHARE * asked, PRIOR_MOST) ** 2
    values, kept = _robust(levels, present, prior) if present[0].sum() >= ROBUST_ROUNDS else (levels, present)
    gains, by_round, spread = _solve(values, present)
    left = np.where(present, np.nan_to_num(values) - gains[:, None] - by_round, 0.0)
    used = present.any(axis=1).sum() + present.any(axis=0).sum() - 1
    total, df = float((left**2).sum()), float(present.sum() - used)
    variances, seen, dfs = _variances(values, present, kept, (total, df), prior)
    std_errors, lasting_errors = (
        np.sqrt(np.maximum(variance, _LEAST_DEVIATION**2) * spread) for variance in (variances, seen)
    )
    level = level_of(int(present.any(axis=1).sum()))
    rows = zip(*(column.tolist() for column in (shared, gains, std_errors, dfs, lasting_errors)), strict=True)
    return [
        Effect(n, gain, std_error, effect_df, level, lasting_error) if n else None
        for n, gain, std_error, effect_df, lasting_error in rows
    ][1:]


def _connected(levels: Floats) -> Floats:
    """Leave out rounds with a single setting, and settings that no chain of shared rounds connects to the first."""
    present = ~np.isnan(levels)
    present &= present.sum(axis=0) > 1
    meets = (present.astype(int) @ present.T.astype(int)) > 0
    reached = meets[0]
    for _ in range(len(levels)):
        reached = meets[reached].any(axis=0) if reached.any() else reached
    return np.where(present & reached[:, None], levels, np.nan)


def _solve(values: Floats, present: Flags) -> tuple[Floats, Floats, Floats]:
    """Return the settings' effects against the first, the rounds' effects, and the effects' variances in units of one
    run's variance."""
    count, values = present.astype(float), np.where(present, values, 0.0)
    runs, per_round = count.sum(axis=1), np.maximum(count.sum(axis=0), 1.0)
    normal = np.diag(runs + (runs == 0)) - (count / per_round) @ count.T
    totals = values.sum(axis=1) - count @ (values.sum(axis=0) / per_round)
    gains, spread = np.zeros(len(runs)), np.zeros(len(runs))
    if len(runs) > 1 and runs[0]:
        inverse = np.linalg.inv(normal[1:, 1:])
        gains[1:], spread[1:] = inverse @ totals[1:], np.diagonal(inverse)
    by_round = (values - count * gains[:, None]).sum(axis=0) / per_round
    return gains, by_round, spread


def _robust(levels: Floats, present: Flags, prior: float) -> tuple[Floats, Flags]:
    """Return the values with outliers cut, and which values were not cut."""
    values, kept = levels, present
    runs = np.maximum(present.sum(axis=1), 1)
    lost = present.sum() / max(1.0, present.sum() - present.any(axis=1).sum() - present.any(axis=0).sum() + 1)
    for _ in range(_STEPS):
        gains, by_round, _ = _solve(values, present)
        off = np.where(present, np.nan_to_num(levels) - gains[:, None] - by_round, 0.0)
        variances = lost * (_MAD * _median(np.abs(off), present)) ** 2
        pooled = lost * (_MAD * _median(np.abs(off).reshape(1, -1), present.reshape(1, -1))) ** 2
        moderated = ((runs - 1) * variances + OTHERS * pooled + PRIOR * prior) / (runs - 1 + OTHERS + PRIOR)
        limit = CUT * np.sqrt(moderated)[:, None]
        within = present & (np.abs(off) <= limit)
        if (within == present).all():
            return levels, present
        values, before, kept = levels - off + np.clip(off, -limit, limit), values, within
        if np.nanmax(np.abs(values - before)) < _EXACT:
            break
    return values, kept


def _median(values: Floats, present: Flags) -> Floats:
    """Return the median of the present values of each row, 0 for an empty row."""
    rows = (row[seen].tolist() for row, seen in zip(values, present, strict=True))
    return np.array([median(row) if row else 0.0 for row in rows])


def _variances(
    values: Floats, present: Flags, kept: Flags, left: tuple[float, float], prior: float
) -> tuple[Floats, Floats, Floats]:
    """Return the variance of one run of each setting and the first, with and without the prior, and its degrees of
    freedom."""
    total, df = left
    both = present & present[:1]
    runs = both.sum(axis=1)
    apart = np.where(both, np.nan_to_num(values) - np.nan_to_num(values[:1]), 0.0)
    centre = apart.sum(axis=1) / np.maximum(runs, 1)
    squares = (np.where(both, apart - centre[:, None], 0.0) ** 2).sum(axis=1) / 2
    uncut = (kept & kept[:1]).sum(axis=1) / np.maximum(runs, 1)
    own_df = np.maximum(runs - 1.0, 0.0)
    own_variances = squares / np.maximum(own_df, 1.0)
    rest_df = np.maximum(df - own_df, 0.0)
    rest_variances = np.maximum(total - squares, 0.0) / np.maximum(rest_df, 1.0)
    others = np.minimum(rest_df, OTHERS) * _trust(rest_variances, own_variances, own_df, (OTHERS_TRUST, OTHERS_FAR))
    assumed = PRIOR * _trust(np.full(own_variances.shape, prior), own_variances, own_df, (PRIOR_TRUST, PRIOR_FAR))
    measured, effective_df = own_df * own_variances + others * rest_variances, own_df + others + assumed
    variances = (measured + assumed * prior) / np.maximum(effective_df, 1e-9)
    seen = np.where(own_df > 0, measured / np.maximum(own_df + others, 1e-9), variances)
    losses = np.maximum(uncut, 0.5) ** 2
    return variances / losses, seen / losses, effective_df


def _trust(helper: Floats, variances: Floats, df: Floats, limits: tuple[float, float]) -> Floats:
    """Return the weight, 0 to 1, of a helper's variance, given the variance of the runs themselves."""
    variances, helper = np.maximum(variances, 1e-18), np.maximum(helper, 1e-18)
    says_less = np.minimum(1.0, limits[0] ** 2 * helper / variances) ** 1.5
    says_more = np.minimum(1.0, limits[1] ** 2 * variances / helper) ** (df / 2)
    return np.where(df > 0, says_less * says_more, 1.0)
