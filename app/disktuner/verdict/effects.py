# SPDX-License-Identifier: GPL-3.0-or-later
"""An effect: what one setting gains over another one, how far that may be off, and how effects are combined."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

from disktuner.verdict.student import quantile

ALPHA = 0.05
LEVELS, PEAK, RISE = (0.35, 0.40, 0.45), 8, 2.5
"""The share of the error that the look after the eighth round may spend, of two, three and more settings: the more of
them, the more is known of how runs vary. It rises to there, and falls with the square from there on, so that the sum is
finite. Calibrated by simulation, not proved (docs/method.md; ``./dev bench bench_verdict``)."""
SPREAD = ((0.7, 0.03), (0.3, 1.15))
"""How true gains are spread, as shares with the deviation of the logarithm: on the simulated disks whose truth is
known, whatever the baseline, seven in ten settings hardly differ. ``./dev bench bench_verdict`` shows how chances hold.
"""
LEAST_DEVIATION = 0.005
"""Runs that vary less are taken to vary so much (half a percent): clocks and steps of a figure hide the rest."""
LARGEST_LOG = 700.0


@dataclass(frozen=True, slots=True)
class Effect:
    """A gain (a logarithm; above 0 is better) with its standard error and degrees of freedom, from ``n`` rounds.

    ``level`` is the share of the error that a look may spend at most, where there is one after every round, for ever;
    None where it is looked at once, or the bounds hold at every look as they are. ``measured`` is the standard error by
    what was measured alone, without what was assumed before; None where nothing was.
    """

    n: int
    gain: float
    std_error: float
    df: float
    level: float | None = None
    measured: float | None = None

    @property
    def lasting(self) -> float:
        """The standard error without what was assumed before anything was measured."""
        return self.std_error if self.measured is None else self.measured

    def low(self, alpha: float = ALPHA) -> float:
        """Return the lower end of its interval, but for a chance of ``alpha`` over all looks."""
        return self.gain - self.reach(alpha)

    def high(self, alpha: float = ALPHA) -> float:
        """Return the upper end of its interval, but for a chance of ``alpha`` over all looks."""
        return self.gain + self.reach(alpha)

    def reach(self, alpha: float) -> float:
        """Return how far it may be off to one side, but for a chance of ``alpha`` over all looks."""
        if self.n < 2 or alpha <= 0:
            return math.inf
        level = 1.0 if self.level is None else self.level * min((self.n / PEAK) ** RISE, (PEAK / self.n) ** 2)
        return -quantile(alpha * level, self.df) * self.std_error

    def chance_above(self, gain: float) -> float:
        """Return the probability that the true gain is larger, given how gains are spread.

        So it holds for the best of several, too, which is best partly by chance.
        """
        variance = self.std_error**2 * (self.df / (self.df - 2) if self.df > 2.5 else 5)
        shares = [share * NormalDist(0, (sd**2 + variance) ** 0.5).pdf(self.gain) for share, sd in SPREAD]
        if not sum(shares):
            return float(self.gain > gain)
        trusts = [sd**2 / (sd**2 + variance) for _, sd in SPREAD]
        above = [1 - NormalDist(self.gain * trust, (trust * variance) ** 0.5).cdf(gain) for trust in trusts]
        return sum(share * chance for share, chance in zip(shares, above, strict=True)) / sum(shares)

    def after(self, more: int) -> Effect:
        """Return what is to be expected after so many more rounds that vary as these did: what was assumed fades."""
        n, df = self.n + more, self.df + more
        variance = (self.df * self.std_error**2 + more * self.lasting**2) / df
        shrinks = (self.n / n) ** 0.5
        return replace(self, n=n, std_error=shrinks * variance**0.5, df=df, measured=shrinks * self.lasting)


def level_of(settings: int) -> float:
    """Return what a look may spend at most where so many settings compete, what they are compared with among them."""
    return LEVELS[max(0, min(settings, len(LEVELS) + 1) - 2)]


def combined(effects: Sequence[Effect], weights: Sequence[float]) -> Effect:
    """Return the weighted mean of independent effects, as sure as F. E. Satterthwaite says (Biometrics 2, 1946)."""
    shares = [(weight * each.std_error) ** 2 for weight, each in zip(weights, effects, strict=True)]
    variance = sum(shares)
    spread = sum(share**2 / each.df for share, each in zip(shares, effects, strict=True))
    gain = sum(weight * each.gain for weight, each in zip(weights, effects, strict=True))
    level = min((each.level for each in effects if each.level is not None), default=None)
    measured = math.hypot(*(weight * each.lasting for weight, each in zip(weights, effects, strict=True)))
    return Effect(min(each.n for each in effects), gain, variance**0.5, variance**2 / spread, level, measured)


def ratio_of(log: float) -> float:
    """Return the ratio of a logarithm, however wild, as a number above 0."""
    return math.exp(max(-LARGEST_LOG, min(LARGEST_LOG, log)))
