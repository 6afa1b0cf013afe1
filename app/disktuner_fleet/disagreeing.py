# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines that disagree with the others of their model, with a bound on false alarms.

Each machine is compared with all others (externally studentized residuals: W. Viechtbauer and M. W.-L. Cheung, "Outlier
and influence diagnostics for meta-analysis", Research Synthesis Methods 1, 2010). The farthest is removed and the rest
examined again, up to a fifth of all; all those removed up to the last significant one are named, so that several
cannot mask each other (B. Rosner, "Percentage points for a generalized ESD many-outlier procedure", Technometrics 25,
1983).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from disktuner.verdict.effects import Effect
from disktuner.verdict.student import cdf
from disktuner.vocabulary.settings import Setting
from disktuner_fleet.pooling import heterogeneity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_FEWEST = 4
"""Of three machines nobody can say which one is odd."""
_NAMED = 0.05
"""The share of groups without an odd machine in which one may be named."""
_MOST_SHARE = 0.2


def disagreeing(scores: Sequence[Mapping[Setting, Effect]], settings: Sequence[Setting]) -> list[int]:
    """Return the indices of machines that disagree at any setting; scores are by machine and setting."""
    import numpy as np  # noqa: PLC0415 - loaded only when something is judged

    nothing = Effect(0, np.nan, np.nan, 0.0)
    effects = [[of_machine.get(setting, nothing) for setting in settings] for of_machine in scores]
    gains = np.array([[effect.gain for effect in row] for row in effects])
    noise = np.array([[effect.std_error**2 for effect in row] for row in effects])
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
    """Return each machine's p-value for its distance from all others; 1 if it, or too many, did not measure.

    A machine's noise counts as at least the median machine's.
    """
    import numpy as np  # noqa: PLC0415

    chances, measured = np.ones(len(gains)), ~np.isnan(gains)
    df = int(measured.sum()) - 2
    if df < _FEWEST - 3:
        return chances
    values = gains[measured]
    counted = np.maximum(noise[measured], np.median(noise[measured]))
    weights = 1 / (counted + heterogeneity(values, counted))
    total = weights.sum()
    rest = total - weights
    off = values - (weights * values).sum() / total
    typical = np.median(1 / weights)
    squares = np.maximum((weights * off**2).sum() - weights * off**2 * total / rest, 0.0)
    spread = np.maximum(squares / df * typical, np.median(counted))
    away = off * total / rest / np.sqrt((1 / weights + 1 / rest) / typical * spread)
    chances[measured] = [2 * cdf(-abs(distance), df) for distance in away.tolist()]
    return chances
