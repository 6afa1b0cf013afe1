# SPDX-License-Identifier: GPL-3.0-or-later
"""How likely the rounds that are left would tell whether there is a gain, so that hopeless ones are not run.

Source: D. J. Spiegelhalter, L. S. Freedman and P. R. Blackburn, "Monitoring clinical trials: conditional or
predictive power?", Controlled Clinical Trials 7, 1986. Stopping on it can only take a finding away, never make one, so
it adds no error (K. K. G. Lan, R. Simon and M. Halperin, "Stochastically curtailed tests", Sequential Analysis 1,
1982).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from disktuner.verdict.interval import LEAST_DEVIATION, WELCH_SHARE, least_half, level, quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HOPELESS = 0.1
"""Below this chance to tell within the plan a scheduler is not measured any more."""


@dataclass(frozen=True, slots=True)
class Horizon:
    """What is planned for one comparison: ``n`` rounds are done, ``last`` will be at most, with this error."""

    n: int
    last: int
    alpha: float
    planned: int | None

    @property
    def half_in_deviations(self) -> float:
        """Half an interval after the last round, in standard deviations of a difference, if it turns out well."""
        allowed = level(self.last, self.alpha, self.planned)
        freedom = self.last - 1
        best = min(quantile(allowed, freedom), quantile(allowed * WELCH_SHARE, 2 * freedom))
        return float(best / self.last**0.5)


def chance_to_tell(
    gain: NDArray[np.float64] | float, deviation: NDArray[np.float64] | float, horizon: Horizon, worth: float
) -> NDArray[np.float64]:
    """Return the predictive chance that a gain is shown, or that a gain of ``worth`` is ruled out, by the last round.

    ``gain`` is a difference of logarithms, above 0 where it is better; ``deviation`` that of a single round.
    """
    import numpy as np  # noqa: PLC0415 - loaded only when something is judged
    from scipy.special import stdtr  # noqa: PLC0415

    n, last = horizon.n, horizon.last
    if last <= n or not level(last, horizon.alpha, horizon.planned):
        return np.zeros(np.shape(gain))
    deviation = np.maximum(deviation, LEAST_DEVIATION)
    half = np.maximum(horizon.half_in_deviations * deviation, least_half(last, horizon.planned))
    yet = deviation * (1 / n - 1 / last) ** 0.5
    shown = stdtr(n - 1, (gain - np.maximum(half, worth)) / yet)
    ruled_out = stdtr(n - 1, (worth - half - gain) / yet)
    chance: NDArray[np.float64] = shown + ruled_out
    return chance
