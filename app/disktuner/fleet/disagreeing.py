# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines that disagree with the others of their model: which, with a bound on naming any where none does.

Each machine is held against all others without it (externally studentized residuals: W. Viechtbauer and M. W.-L.
Cheung, "Outlier and influence diagnostics for meta-analysis", Research Synthesis Methods 1, 2010). The one that stands
out most is taken away and the rest looked at again, a fifth of all at most; as many are named as were taken away when
one last stood out, so that several cannot hide each other (B. Rosner, "Percentage points for a generalized ESD
many-outlier procedure", Technometrics 25, 1983).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from disktuner.fleet.pooling import heterogeneity
from disktuner.verdict.effects import Effect
from disktuner.verdict.student import cdf
from disktuner.vocabulary.settings import Setting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_FEWEST = 4
"""Of three machines nobody can say which one is odd."""
_NAMED = 0.05
"""In which share of the groups without an odd machine one may be named."""
_MOST_SHARE = 0.2


def disagreeing(scores: Sequence[Mapping[Setting, Effect]], settings: Sequence[Setting]) -> list[int]:
    """Return which machines disagree at any of the settings; scores are by machine and setting."""
    import numpy as np  # noqa: PLC0415 - loaded only when something is judged

    nothing = Effect(0, np.nan, np.nan, 0.0)
    found = [[of_machine.get(each, nothing) for each in settings] for of_machine in scores]
    gains = np.array([[each.gain for each in row] for row in found])
    noise = np.array([[each.std_error**2 for each in row] for row in found])
    most = max(1, int(len(scores) * _MOST_SHARE)) if len(scores) >= _FEWEST and settings else 0
    rest = np.arange(len(scores))
    taken: list[int] = []
    named = 0
    while len(taken) < most:
        chances = np.min([_chances(*pair) for pair in zip(gains[rest].T, noise[rest].T, strict=True)], axis=0)
        farthest = int(chances.argmin())
        taken.append(int(rest[farthest]))
        named = len(taken) if chances[farthest] * len(rest) * len(settings) * most <= _NAMED else named
        rest = np.delete(rest, farthest)
    return sorted(taken[:named])


def _chances(gains: Floats, noise: Floats) -> Floats:
    """Return by machine how probable it is to be as far from all others; 1 where it, or too many, have not measured.

    A machine's noise counts as the median machine's at least.
    """
    import numpy as np  # noqa: PLC0415

    found, there = np.ones(len(gains)), ~np.isnan(gains)
    freedom = int(there.sum()) - 2
    if freedom < _FEWEST - 3:
        return found
    values = gains[there]
    counted = np.maximum(noise[there], np.median(noise[there]))
    weights = 1 / (counted + heterogeneity(values, counted))
    total = weights.sum()
    rest = total - weights
    off = values - (weights * values).sum() / total
    typical = np.median(1 / weights)
    squares = np.maximum((weights * off**2).sum() - weights * off**2 * total / rest, 0.0)
    spread = np.maximum(squares / freedom * typical, np.median(counted))
    away = off * total / rest / np.sqrt((1 / weights + 1 / rest) / typical * spread)
    found[there] = [2 * cdf(-abs(each), freedom) for each in away.tolist()]
    return found
