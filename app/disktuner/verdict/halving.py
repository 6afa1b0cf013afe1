# SPDX-License-Identifier: GPL-3.0-or-later
"""What tuning many settings needs beside ``interval``: who is left out early, and what even those do not gain.

* *Left out* is the worse half of those that race, as far as each is shown not to gain what is worth a change over the
  median of them (successive halving: Z. Karnin, T. Koren and O. Somekh, "Almost optimal exploration in multi-armed
  bandits", ICML 2013). This only orders the work: a gain is shown by the intervals of ``interval`` alone.
* *A bound* for everyone, however few its rounds, comes from all rounds together: the effects of settings and of rounds
  are fitted by least squares (F. Yates, "Incomplete randomized blocks", Annals of Eugenics 7, 1936), so what the
  baseline did in later rounds tells of those that had left by then. Its error holds over all looks, from the second
  round on: unlike with four schedulers, a dozen settings tell of the noise after two rounds.

Found by simulation (docs/method.md). All arrays hold gains: logarithms, larger is better, NaN where nothing was
measured; the axis before the last are settings, the baseline first, the last one the rounds. More axes may come before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from disktuner.verdict.interval import LEAST_DEVIATION, PRIOR, quantile, trust

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FEWEST = 2
"""From how many rounds on anything is concluded: one run tells nothing of the noise."""
LEFT_OUT = 0.02
"""How often one that gains what is worth a change over the median may be left out at a look, while the others race."""
FEW_TELL_LESS = 1.0
"""Few runs may vary more than they usually do by chance: at two of them that many times more is no sign of noise."""
SPENT, EVENLY = 0.007, 16
"""What a bound may miss at a look, all of them together 5 %. After ``EVENLY`` rounds less, with the square."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Gains over the baseline by setting, their standard errors and degrees of freedom; NaN where not measured."""

    gains: Floats
    errors: Floats
    freedom: Floats


def fit(levels: Floats) -> Fit:
    """Return what all rounds that have the baseline say together.

    The noise of a setting and of the baseline is their own as far as they vary more than all (``interval.trust``).
    """
    import numpy as np  # noqa: PLC0415 - loaded only when something is judged

    there = ~np.isnan(levels) & ~np.isnan(levels[..., :1, :])
    count, values = there.astype(float), np.where(there, levels, 0.0)
    rounds, per_round = count.sum(axis=-1), np.maximum(count.sum(axis=-2), 1.0)
    gains, spread = _solved(count, values, rounds, per_round)
    by_round = (values - count * gains[..., None]).sum(axis=-2) / per_round
    squares = ((values - gains[..., None] - by_round[..., None, :]) ** 2 * count).sum(axis=-1)
    used = (rounds > 0).sum(axis=-1) + there.any(axis=-2).sum(axis=-1) - 1
    freedom = np.maximum(rounds.sum(axis=-1) - used, 1.0)
    pooled = np.maximum(squares.sum(axis=-1) / freedom, LEAST_DEVIATION**2)[..., None]
    own, own_freedom = _own(squares, rounds, pooled, freedom[..., None])
    known = np.maximum(rounds, 1.0)
    parts = own / known, own[..., :1] / known[..., :1]
    rest = pooled * np.maximum(spread - 1 / known - 1 / known[..., :1], 0.0)
    enough = rounds >= FEWEST
    errors = np.where(enough, np.sqrt(sum(parts) + rest), np.nan)
    return Fit(np.where(enough, gains, np.nan), errors, np.minimum(own_freedom, own_freedom[..., :1]))


def _solved(count: Floats, values: Floats, rounds: Floats, per_round: Floats) -> tuple[Floats, Floats]:
    """Solve the normal equations without the rounds' effects; return gains and the variances in those of one run."""
    import numpy as np  # noqa: PLC0415

    shared = count / per_round[..., None, :]
    normal = -shared @ np.swapaxes(count, -1, -2)
    at = np.arange(count.shape[-2])
    normal[..., at, at] += rounds + (rounds == 0)
    totals = values.sum(axis=-1) - (shared * values.sum(axis=-2)[..., None, :]).sum(axis=-1)
    inverse = np.linalg.inv(normal[..., 1:, 1:])
    gains, spread = np.zeros(rounds.shape), np.zeros(rounds.shape)
    gains[..., 1:] = (inverse @ totals[..., 1:, None])[..., 0]
    spread[..., 1:] = np.diagonal(inverse, axis1=-2, axis2=-1)
    return gains, spread


def _own(squares: Floats, rounds: Floats, pooled: Floats, freedom: Floats) -> tuple[Floats, Floats]:
    """Return the variance of each setting's runs: that of all, unless its own is clearly larger."""
    import numpy as np  # noqa: PLC0415

    alone = np.maximum(rounds - 1, 1.0)
    ratio = squares / alone / pooled / (1 + FEW_TELL_LESS / alone)
    prior = PRIOR * trust(np.maximum(ratio, 1.0))
    own = (prior * pooled + squares) / (prior + alone)
    noisier = prior < PRIOR
    return np.where(noisier, own, pooled), np.where(noisier, np.minimum(prior + alone, freedom), freedom)


def spent(rounds: int) -> float:
    """Return the error that a bound may make at the look after so many rounds."""
    return SPENT * min(1.0, (EVENLY / rounds) ** 2)


def bound(levels: Floats) -> Floats:
    """Return the gain that each setting does not exceed, as the look after all these rounds shows it alone."""
    import numpy as np  # noqa: PLC0415

    rounds = levels.shape[-1]
    if rounds < FEWEST:
        return np.full(levels.shape[:-1], np.nan)
    found = fit(levels)
    return np.asarray(found.gains + quantile(spent(rounds), found.freedom) * found.errors)


def least_bound(levels: Floats) -> Floats:
    """Return the gain that each setting does not exceed, the least of all looks: what was ruled out stays so."""
    import numpy as np  # noqa: PLC0415

    looks = [bound(levels[..., :n]) for n in range(FEWEST, levels.shape[-1] + 1)]
    return np.fmin.reduce(looks) if looks else np.full(levels.shape[:-1], np.nan)


@dataclass(frozen=True, slots=True)
class Place:
    """How much better each setting is than the median of all that race, and how much better it may be at most."""

    ahead: Floats
    most: Floats


def place(levels: Floats) -> Place:
    """Return where everybody stands who was measured in all these rounds; NaN for the others."""
    import numpy as np  # noqa: PLC0415

    rounds = levels.shape[-1]
    racing = np.asarray(~np.isnan(levels).any(axis=-1))
    levels = np.where(racing[..., None], levels, np.nan)
    ahead = (levels - np.nanmedian(levels, axis=-2, keepdims=True)).mean(axis=-1)
    off = levels - np.nanmean(levels, axis=-2, keepdims=True)
    off -= off.mean(axis=-1, keepdims=True)
    freedom = np.maximum((racing.sum(axis=-1) - 1) * (rounds - 1), 1.0)
    deviation = np.maximum(np.sqrt(np.nansum(off**2, axis=(-1, -2)) / freedom), LEAST_DEVIATION)
    reach = quantile(LEFT_OUT, freedom) * deviation / rounds**0.5
    return Place(ahead, ahead + reach[..., None])


def left_out(places: list[Place], worth: float) -> NDArray[np.bool_]:
    """Say who of the worse half is shown, by every figure that decides, not to gain what is worth a change.

    Halves are told by what each gains most anywhere; the baseline always stays.
    """
    import numpy as np  # noqa: PLC0415

    best = np.max([each.ahead for each in places], axis=0)
    best[..., 0] = np.nan
    shown = np.all([each.most < worth for each in places], axis=0)
    return np.asarray(shown & (best < np.nanmedian(best, axis=-1, keepdims=True)))
