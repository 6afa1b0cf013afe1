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
"""The share of the error that the look after the eighth round may spend, with two, three and more settings: more
settings say more about how runs vary. It rises until then and falls with the square afterwards, so that the sum is
finite. Calibrated by simulation, not proved (docs/method.md; ``./dev bench bench_verdict``)."""
EARLY = 5
"""Of prices, the look after this round may spend as much already: most are only measured until they are settled."""
SPREAD = ((0.7, 0.03), (0.3, 1.15))
"""The distribution of true gains: shares with the standard deviation of the logarithm. On simulated disks, whose truth
is known, seven in ten settings hardly differ. ``./dev bench bench_verdict`` shows how the chances hold."""
LARGEST_LOG = 700.0


@dataclass(frozen=True, slots=True)
class Effect:
    """A gain (a logarithm; above 0 is better) with its standard error and degrees of freedom, from ``n`` rounds.

    ``level`` is the largest share of the error that one look may spend, where there is a look after every round; None
    where there is only one look, or the bounds hold at every look anyway. ``measured`` is the standard error without
    the prior; None where there was no prior. ``peak`` is the first round whose look may spend that share.
    """

    n: int
    gain: float
    std_error: float
    df: float
    level: float | None = None
    measured: float | None = None
    peak: int = PEAK

    @property
    def lasting(self) -> float:
        """The standard error without the prior."""
        return self.std_error if self.measured is None else self.measured

    def low(self, alpha: float = ALPHA) -> float:
        """Return the lower bound, wrong with a probability of ``alpha`` over all looks."""
        return self.gain - self.reach(alpha)

    def high(self, alpha: float = ALPHA) -> float:
        """Return the upper bound, wrong with a probability of ``alpha`` over all looks."""
        return self.gain + self.reach(alpha)

    def reach(self, alpha: float) -> float:
        """Return the distance from the gain to either bound."""
        if self.n < 2 or alpha <= 0:
            return math.inf
        level = 1.0
        if self.level is not None:
            level = self.level * min((self.n / self.peak) ** RISE, 1, (PEAK / self.n) ** 2)
        return -quantile(alpha * level, self.df) * self.std_error

    def chance_above(self, gain: float) -> float:
        """Return the probability that the true gain is larger, given the distribution of gains (``SPREAD``).

        It therefore holds for the best of several too, which is best partly by chance.
        """
        variance = self.std_error**2 * (self.df / (self.df - 2) if self.df > 2.5 else 5)
        shares = [share * NormalDist(0, (sd**2 + variance) ** 0.5).pdf(self.gain) for share, sd in SPREAD]
        if not sum(shares):
            return float(self.gain > gain)
        trusts = [sd**2 / (sd**2 + variance) for _, sd in SPREAD]
        above = [1 - NormalDist(self.gain * trust, (trust * variance) ** 0.5).cdf(gain) for trust in trusts]
        return sum(share * chance for share, chance in zip(shares, above, strict=True)) / sum(shares)

    def after(self, more: int) -> Effect:
        """Return the effect to expect after ``more`` rounds that vary as these did; the prior fades."""
        n, df = self.n + more, self.df + more
        variance = (self.df * self.std_error**2 + more * self.lasting**2) / df
        shrinks = (self.n / n) ** 0.5
        return replace(self, n=n, std_error=shrinks * variance**0.5, df=df, measured=shrinks * self.lasting)


def level_of(settings: int) -> float:
    """Return the largest share of the error that a look may spend; ``settings`` counts the baseline too."""
    return LEVELS[max(0, min(settings, len(LEVELS) + 1) - 2)]


def combined(effects: Sequence[Effect], weights: Sequence[float]) -> Effect:
    """Return the weighted mean of independent effects, as sure as F. E. Satterthwaite says (Biometrics 2, 1946)."""
    shares = [(weight * effect.std_error) ** 2 for weight, effect in zip(weights, effects, strict=True)]
    variance = sum(shares)
    spread = sum(share**2 / effect.df for share, effect in zip(shares, effects, strict=True))
    gain = sum(weight * effect.gain for weight, effect in zip(weights, effects, strict=True))
    level = min((effect.level for effect in effects if effect.level is not None), default=None)
    measured = math.hypot(*(weight * effect.lasting for weight, effect in zip(weights, effects, strict=True)))
    return Effect(min(effect.n for effect in effects), gain, variance**0.5, variance**2 / spread, level, measured)


def ratio_of(log: float) -> float:
    """Return the ratio of a logarithm, capped to stay a finite number above 0."""
    return math.exp(max(-LARGEST_LOG, min(LARGEST_LOG, log)))
