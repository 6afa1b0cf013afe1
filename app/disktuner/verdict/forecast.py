# SPDX-License-Identifier: GPL-3.0-or-later
"""What more rounds would show: how many would decide and how long they would take, and which are hopeless.

Source of the chance: D. J. Spiegelhalter, L. S. Freedman and P. R. Blackburn, "Monitoring clinical trials: conditional
or predictive power?", Controlled Clinical Trials 7, 1986. Stopping on it can only leave a finding out, never make one,
so it adds no error (K. K. G. Lan, R. Simon and M. Halperin, "Stochastically curtailed tests in long-term clinical
trials", Sequential Analysis 1, 1982).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from disktuner.results.model import Result
from disktuner.verdict.analysis import MISSED, Analysis, worth
from disktuner.verdict.interval import FEW, FIRST_LOOK, LEAST_DEVIATION, WELCH_SHARE, least_half, level, quantile
from disktuner.verdict.table import Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_ROUNDS = 400
_STEPS: tuple[int, ...] = (*range(1, 25), *range(25, 100, 5), *range(100, MOST_ROUNDS + 1, 20))

HOPELESS = 0.15
"""Below this chance of an answer within the plan a scheduler is not measured any more."""

GREAT = math.log(1.25)
"""Before five rounds, which know little of the noise, the best so far is not given up while it looks this good."""

WILD = 4.0
"""A round that lies this many deviations of the others away from them must not make the rest look hopeless."""


def more_rounds(analysis: Analysis, schedulers: Iterable[str]) -> int | None:
    """Return how many more rounds would decide all open comparisons of these schedulers; None if too many."""
    needed = 1
    for scheduler in schedulers:
        for metric in analysis.criteria.deciding:
            if not analysis.is_settled(metric, scheduler):
                estimate = analysis.estimates[metric, scheduler]
                gain = analysis.gain_at(metric, scheduler)
                least = worth(analysis.result.metrics[metric])
                steps = _steps(estimate, gain, least, analysis.alphas[metric], analysis.table.planned)
                if steps is None:
                    return None
                needed = max(needed, steps)
    return needed


def round_s(result: Result) -> float:
    """Return how long one round took on average, from the durations of its runs (0 where not recorded)."""
    runs = {(sample.round, sample.order): sample.duration_s for sample in result.samples}
    rounds = {number for number, _ in runs}
    return sum(runs.values()) / len(rounds) if rounds else 0.0


def _steps(estimate: Estimate, gain: float | None, least: float, alpha: float, planned: int | None) -> int | None:
    """Return after how many more rounds the interval would exclude no gain, or a gain of the ``least`` that counts."""
    if estimate.n < 2 or estimate.deviation is None or gain is None:
        return max(1, FIRST_LOOK - estimate.n)
    for more in _STEPS:
        n = estimate.n + more
        if level(n, alpha, planned):
            to_show, to_rule_out = (_half(n, error, planned, estimate.deviation) for error in (alpha, 2 * MISSED))
            if to_show < gain or gain + to_rule_out < least:
                return more
    return None


def _half(n: int, alpha: float, planned: int | None, deviation: float) -> float:
    """Return half an interval of so many rounds."""
    spread = max(deviation, LEAST_DEVIATION) / float(n**0.5)
    return max(quantile(level(n, alpha, planned), n - 1) * spread, least_half(n, planned))


@dataclass(frozen=True, slots=True)
class Horizon:
    """What is left of a comparison: so many rounds, with the errors of a gain and of ruling one out over all looks."""

    left: int
    alpha: float
    missed: float
    planned: int | None

    def half(self, deviation: NDArray[np.float64], n: int, alpha: float) -> NDArray[np.float64]:
        """Return half an interval after ``n`` rounds, if it turns out well."""
        import numpy as np  # noqa: PLC0415 - loaded only when something is judged

        allowed = level(n, alpha, self.planned)
        best = min(quantile(allowed, n - 1), quantile(allowed * WELCH_SHARE, 2 * (n - 1)))
        half: NDArray[np.float64] = np.maximum(deviation * best / n**0.5, least_half(n, self.planned))
        return half


def chance_of_answer(
    gains: NDArray[np.float64], lags: NDArray[np.float64], horizon: Horizon, worth: float
) -> NDArray[np.float64]:
    """Return the predictive chance that a scheduler is shown to gain most, or that a gain of ``worth`` is ruled out.

    ``gains`` over the baseline and ``lags`` over the best of the others (all 0 for the best itself) are differences of
    logarithms, above 0 where it is better, with the rounds done along the last axis, two at least.
    """
    import numpy as np  # noqa: PLC0415

    if horizon.left <= 0 or not level(gains.shape[-1] + horizon.left, horizon.alpha, horizon.planned):
        return np.zeros(gains.shape[:-1])
    shown = _kindly(gains, lambda some, n: _shown(some, n, horizon, worth))
    ruled_out = _kindly(gains, lambda some, n: _ruled_out(some, n, horizon, worth))
    ahead = _kindly(lags, lambda some, n: _ahead(some, n, horizon.left))
    best = (lags == 0).all(axis=-1)
    chance = np.minimum(shown, np.where(best, 1.0, ahead)) + ruled_out
    if gains.shape[-1] < FEW:
        chance = np.where(best & (np.median(gains, axis=-1) >= GREAT), 1.0, chance)
    kept: NDArray[np.float64] = chance
    return kept


def _kindly(
    rounds: NDArray[np.float64], chance: Callable[[NDArray[np.float64], int], NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Return the chance from all rounds or, where that is better, without one wild round."""
    import numpy as np  # noqa: PLC0415

    n = rounds.shape[-1]
    if n <= 2:
        return chance(rounds, n)
    off = np.abs(rounds - np.median(rounds, axis=-1, keepdims=True))
    kept = np.ones(rounds.shape, bool)
    np.put_along_axis(kept, off.argmax(axis=-1)[..., None], False, axis=-1)
    others, one = rounds[kept].reshape(*rounds.shape[:-1], n - 1), rounds[~kept].reshape(rounds.shape[:-1])
    wild = np.abs(one - others.mean(axis=-1)) > WILD * others.std(axis=-1, ddof=1)
    plain = chance(rounds, n)
    return np.where(wild, np.maximum(plain, chance(others, n)), plain)


def _shown(gains: NDArray[np.float64], n: int, horizon: Horizon, worth: float) -> NDArray[np.float64]:
    import numpy as np  # noqa: PLC0415

    deviation = _deviation(gains)
    needed = np.maximum(horizon.half(deviation, n + horizon.left, horizon.alpha), worth)
    return _student(gains.mean(axis=-1) - needed, deviation, n, horizon.left)


def _ruled_out(gains: NDArray[np.float64], n: int, horizon: Horizon, worth: float) -> NDArray[np.float64]:
    deviation = _deviation(gains)
    half = horizon.half(deviation, n + horizon.left, horizon.missed)
    return _student(worth - half - gains.mean(axis=-1), deviation, n, horizon.left)


def _ahead(lags: NDArray[np.float64], n: int, left: int) -> NDArray[np.float64]:
    return _student(lags.mean(axis=-1), _deviation(lags), n, left)


def _deviation(rounds: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np  # noqa: PLC0415

    deviation: NDArray[np.float64] = np.maximum(rounds.std(axis=-1, ddof=1), LEAST_DEVIATION)
    return deviation


def _student(margin: NDArray[np.float64], deviation: NDArray[np.float64], n: int, left: int) -> NDArray[np.float64]:
    """Return the chance that the mean of all rounds will not have lost the margin that the mean of ``n`` has."""
    from scipy.special import stdtr  # noqa: PLC0415

    chance: NDArray[np.float64] = stdtr(n - 1, margin / (deviation * (1 / n - 1 / (n + left)) ** 0.5))
    return chance
