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
from typing import TYPE_CHECKING, TypeAlias

from disktuner.verdict.analysis import MISSED, Analysis
from disktuner.verdict.interval import FEW, FIRST_LOOK, LEAST_DEVIATION, Errors, least_half, level, quantile
from disktuner.verdict.table import Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

MOST_ROUNDS = 400
_STEPS: tuple[int, ...] = (*range(1, 25), *range(25, 100, 5), *range(100, MOST_ROUNDS + 1, 20))

HOPELESS = 0.05
"""Below this chance of an answer within the horizon a scheduler is not measured any more."""

GREAT = math.log(1.25)
"""Before six rounds, which know little of the noise, the best so far is not given up while it looks this good."""

WILD = 4.0
"""A round that lies this many deviations of the others away from them must not make the rest look hopeless."""


def more_rounds(analysis: Analysis, schedulers: Iterable[str]) -> int | None:
    """Return how many more rounds would show that one of these schedulers gains, or decide all that is open of them.

    None if too many. One that seems to gain what is worth a change is enough for an answer; that none does must be
    known of all.
    """
    pairs = [(m, s) for s in schedulers for m in analysis.criteria.deciding if not analysis.is_settled(m, s)]
    steps = {pair: _steps(analysis, *pair) for pair in pairs}
    enough = [each for pair, each in steps.items() if each and (analysis.gain_at(*pair) or 0.0) >= analysis.worth]
    known = [each for each in steps.values() if each is not None]
    if len(known) == len(steps):
        enough.append(max(known, default=1))
    return min(enough, default=None)


def round_s(analysis: Analysis) -> float:
    """Return how long one round of what decides took on average, from its runs' durations (0 where not recorded)."""
    taken: dict[str, dict[int, float]] = {metric: {} for metric in analysis.criteria.deciding}
    for sample in analysis.result.samples:
        if (rounds := taken.get(sample.metric)) is not None:
            rounds[sample.round] = rounds.get(sample.round, 0.0) + sample.duration_s
    # Two figures of one workload come from the same runs.
    of_workloads = {metric.rpartition(".")[0]: rounds for metric, rounds in taken.items() if rounds}
    return sum(sum(rounds.values()) / len(rounds) for rounds in of_workloads.values())


def chance_of_worth(analysis: Analysis, metric: str, scheduler: str) -> float | None:
    """Return the probability that a scheduler truly gains what is worth a change, as if nothing was known before.

    None below ``FIRST_LOOK`` rounds.
    """
    from scipy.special import stdtr  # noqa: PLC0415 - loaded only when something is judged

    estimate, gain = analysis.estimates[metric, scheduler], analysis.gain_at(metric, scheduler)
    if gain is None or estimate.deviation is None or estimate.n < FIRST_LOOK:
        return None
    return float(stdtr(estimate.freedom, (gain - analysis.worth) / estimate.deviation * estimate.n**0.5))


def _steps(analysis: Analysis, metric: str, scheduler: str) -> int | None:
    """Return after how many more rounds the interval would show a gain that counts, or rule it out."""
    estimate, gain, worth = analysis.estimates[metric, scheduler], analysis.gain_at(metric, scheduler), analysis.worth
    if estimate.n < 2 or estimate.deviation is None or gain is None:
        return max(1, FIRST_LOOK - estimate.n)
    looked, error = analysis.table.looked, gain_error(analysis.errors[metric])
    for more in _STEPS:
        n = estimate.n + more
        if level(n, error, looked):
            to_show, to_rule_out = (_half(estimate, n, each, looked) for each in (error, MISSED))
            if to_show < gain >= worth or gain + to_rule_out < worth:
                return more
    return None


def gain_error(errors: Errors) -> float:
    """Return the error of the end of an interval that shows a gain: the larger one."""
    return max(errors.low, errors.high)


def _half(estimate: Estimate, n: int, error: float, looked: bool) -> float:
    """Return how far an end of an interval of so many rounds will lie from its centre."""
    reach = quantile(level(n, error, looked), estimate.freedom + n - estimate.n) * (estimate.deviation or 0.0) / n**0.5
    return max(float(reach), least_half(n, looked))


@dataclass(frozen=True, slots=True)
class Horizon:
    """What is left of a comparison: so many rounds, with the error of showing a gain and of ruling one out."""

    left: int
    error: float
    missed: float
    looked: bool = True

    def half(self, deviation: Floats, freedom: Floats, n: int, error: float) -> Floats:
        """Return how far an end of the interval will lie from its centre after ``n`` rounds."""
        import numpy as np  # noqa: PLC0415

        reach = quantile(level(n, error, self.looked), freedom + self.left) * deviation / n**0.5
        return np.asarray(np.maximum(reach, least_half(n, self.looked)))


def chance_of_answer(gains: Floats, lags: Floats, seen: Noise, horizon: Horizon, worth: float) -> Floats:
    """Return the predictive chance that a scheduler is shown to gain most, or that a gain of ``worth`` is ruled out.

    ``gains`` over the baseline and ``lags`` over the best of the others (all 0 for the best itself) are differences of
    logarithms, above 0 where it is better, with the rounds done along the last axis, two at least; ``seen`` is the
    moderated noise of the gains.
    """
    import numpy as np  # noqa: PLC0415

    n = gains.shape[-1]
    if horizon.left <= 0 or not level(n + horizon.left, horizon.error, horizon.looked):
        return np.zeros(gains.shape[:-1])
    shown = _kindly(gains, seen, lambda mean, noise, n: _shown(mean, noise, n, horizon, worth))
    ruled_out = _kindly(gains, seen, lambda mean, noise, n: _ruled_out(mean, noise, n, horizon, worth))
    ahead = _kindly(lags, Noise.of(lags), lambda mean, noise, n: _student(mean, noise, n, horizon.left))
    best = (lags == 0).all(axis=-1)
    chance = np.minimum(shown, np.where(best, 1.0, ahead)) + ruled_out
    if n < FEW:
        chance = np.where(best & (np.median(gains, axis=-1) >= GREAT), 1.0, chance)
    return np.asarray(chance)


@dataclass(frozen=True, slots=True)
class Noise:
    """The deviation of differences from round to round, and how well it is known."""

    deviation: Floats
    freedom: Floats

    @classmethod
    def of(cls, rounds: Floats) -> Noise:
        """Return what the rounds alone say."""
        import numpy as np  # noqa: PLC0415

        deviation = np.maximum(rounds.std(axis=-1, ddof=1), LEAST_DEVIATION)
        return cls(deviation, np.full(deviation.shape, rounds.shape[-1] - 1.0))


def _kindly(rounds: Floats, seen: Noise, chance: Callable[[Floats, Noise, int], Floats]) -> Floats:
    """Return the chance from all rounds or, where that is better, without one wild round."""
    import numpy as np  # noqa: PLC0415

    n = rounds.shape[-1]
    plain = chance(rounds.mean(axis=-1), seen, n)
    if n <= FIRST_LOOK:
        return plain
    off = np.abs(rounds - np.median(rounds, axis=-1, keepdims=True))
    kept = np.ones(rounds.shape, bool)
    np.put_along_axis(kept, off.argmax(axis=-1)[..., None], False, axis=-1)
    others, one = rounds[kept].reshape(*rounds.shape[:-1], n - 1), rounds[~kept].reshape(rounds.shape[:-1])
    wild = np.abs(one - others.mean(axis=-1)) > WILD * others.std(axis=-1, ddof=1)
    without = chance(others.mean(axis=-1), Noise.of(others), n - 1)
    return np.asarray(np.where(wild, np.maximum(plain, without), plain))


def _shown(mean: Floats, noise: Noise, n: int, horizon: Horizon, worth: float) -> Floats:
    import numpy as np  # noqa: PLC0415

    half = horizon.half(noise.deviation, noise.freedom, n + horizon.left, horizon.error)
    return _student(mean - np.maximum(half, worth), noise, n, horizon.left)


def _ruled_out(mean: Floats, noise: Noise, n: int, horizon: Horizon, worth: float) -> Floats:
    half = horizon.half(noise.deviation, noise.freedom, n + horizon.left, horizon.missed)
    return _student(worth - half - mean, noise, n, horizon.left)


def chance_of_price(rounds: Floats, seen: Noise, left: int, least: float) -> float:
    """Return the predictive chance that so many more rounds show on which side of its tolerance a price is."""
    horizon, n = Horizon(left, MISSED, MISSED), rounds.shape[-1]
    if left <= 0:
        return 0.0
    half = horizon.half(seen.deviation, seen.freedom, n + left, MISSED)
    off = rounds.mean(axis=-1) - least
    return float(_student(off - half, seen, n, left) + _student(-off - half, seen, n, left))


def _student(margin: Floats, noise: Noise, n: int, left: int) -> Floats:
    """Return the chance that the mean of all rounds will not have lost the margin that the mean of ``n`` has."""
    from scipy.special import stdtr  # noqa: PLC0415

    chance: Floats = stdtr(noise.freedom, margin / (noise.deviation * (1 / n - 1 / (n + left)) ** 0.5))
    return chance
