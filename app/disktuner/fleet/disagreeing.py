# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines that disagree with the others of their model: which, with a bound on naming any where none does.

Each machine is held against all others without it (externally studentized residuals: W. Viechtbauer and M. W.-L.
Cheung, "Outlier and influence diagnostics for meta-analysis", Research Synthesis Methods 1, 2010). What other settings
tell of how machines of the model vary counts as further degrees of freedom, less where this setting varies more: else
nothing could be told of four machines. The one that stands out most is taken away and the rest looked at again, a fifth
of all at most; as many are named as were taken away when one last stood out, so that several cannot hide each other
(B. Rosner, "Percentage points for a generalized ESD many-outlier procedure", Technometrics 25, 1983).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from disktuner.fleet.pooling import heterogeneity
from disktuner.verdict.effects import Effect
from disktuner.verdict.fitting import TRUST

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FEWEST = 4
"""Of three machines nobody can say which one is odd."""
NAMED = 0.05
"""In which share of the groups without an odd machine one may be named."""
_MOST_SHARE = 0.2
_PRIOR = 6.0
"""Up to so many degrees of freedom come from the other settings, half of theirs: all share the baseline."""
_MOST_FREEDOM = 12.0
"""However many machines there are, the noise of each is known from a few rounds only."""
_AT_ONCE = 1000
"""Of several thousand machines, one in so many is taken away at once, to save time."""
_NONE = 1e-12


def disagreeing(scores: Sequence[Mapping[str, Effect]], settings: Sequence[str]) -> list[int]:
    """Return which machines disagree at any of the settings; scores are by machine and setting."""
    import numpy as np  # noqa: PLC0415 - loaded only when something is judged

    nothing = Effect(0, np.nan, np.nan, 0.0)
    found = [[scores_of.get(name, nothing) for name in settings] for scores_of in scores]
    gains = np.array([[each.gain for each in row] for row in found])
    noise = np.array([[each.error**2 for each in row] for row in found])
    machines = len(scores)
    most = max(1, int(machines * _MOST_SHARE)) if machines >= FEWEST and settings else 0
    at_once = max(1, machines // _AT_ONCE)
    rest = np.arange(machines)
    taken: list[int] = []
    named = 0
    while len(taken) < most:
        chances = _chances(gains[rest], noise[rest])
        farthest = chances.argsort(kind="stable")[:at_once]
        odd = int((chances[farthest] * len(rest) <= NAMED).sum())
        named = len(taken) + odd if odd else named
        taken += [int(rest[each]) for each in farthest]
        rest = np.delete(rest, farthest)
    return sorted(taken[:named])


def _chances(gains: Floats, noise: Floats) -> Floats:
    """Return by machine how probable it is to be as far from the others at any setting, family-wise over these."""
    import numpy as np  # noqa: PLC0415
    from scipy.special import stdtr  # noqa: PLC0415

    columns = [_against_others(*pair) for pair in zip(gains.T, noise.T, strict=True)]
    seen = [each for each in columns if each is not None]
    if not seen:
        return np.ones(len(gains))
    away, spread, freedom = (np.stack(each) for each in zip(*seen, strict=True))
    known = ~np.isnan(away)
    others = freedom.sum(axis=0) - freedom
    squares = np.where(known, spread * freedom, 0.0)
    pooled = np.maximum((squares.sum(axis=0) - squares) / np.maximum(others, 1.0), _NONE)
    trusted = np.minimum(1.0, TRUST**2 * pooled / np.where(known, spread, 1.0)) ** 1.5
    prior = np.minimum(others / 2, _PRIOR) * trusted
    scale = (prior * pooled + freedom * spread) / np.maximum(prior + freedom, 1.0)
    chances = 2 * stdtr(np.minimum(prior + freedom, _MOST_FREEDOM), -np.abs(away) / np.sqrt(scale))
    return np.asarray(np.minimum(1.0, np.where(known, chances, 1.0).min(axis=0) * len(seen)))


def _against_others(gains: Floats, noise: Floats) -> tuple[Floats, Floats, Floats] | None:
    """Return by machine how far it is from the others' mean, the variance of that by what the others say, its freedom.

    None where too few have measured it. A machine's noise counts as the median machine's at least.
    """
    import numpy as np  # noqa: PLC0415

    there = ~np.isnan(gains)
    count = int(there.sum())
    if count < FEWEST - 1:
        return None
    values = gains[there]
    counted = np.maximum(noise[there], np.median(noise[there]))
    weights = 1 / (counted + heterogeneity(values, counted))
    total = weights.sum()
    rest = total - weights
    off = values - (weights * values).sum() / total
    typical = np.median(1 / weights)
    squares = (weights * off**2).sum() - weights * off**2 * total / rest
    spread = np.maximum(np.maximum(squares, 0.0) / (count - 2) * typical, np.median(counted))
    away = off * total / rest / np.sqrt((1 / weights + 1 / rest) / typical)
    found = np.full((3, len(gains)), np.nan)
    found[:, there] = away, spread, np.full(count, count - 2.0)
    return found[0], found[1], np.nan_to_num(found[2])
