# SPDX-License-Identifier: GPL-3.0-or-later
"""An effect: what one setting gains over another one, how far that may be off, and how effects are combined."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

ALPHA = 0.05
LEVEL, RISING, FALLING = 0.33, 6, 8
"""The share of the error that the look after a round may spend: it rises until the sixth, and falls with the square
after the eighth, so that the sum is finite. Calibrated by simulation, not proved (docs/method.md; ``./dev bench
bench_verdict``)."""
LARGEST_LOG = 700.0


@dataclass(frozen=True, slots=True)
class Effect:
    """A gain (a logarithm; above 0 is better) with its standard error and degrees of freedom, from ``n`` rounds.

    ``looked`` says that there is a look after every round, for ever, which its bounds have to bear; those of others are
    looked at once, or hold at every look as they are.
    """

    n: int
    gain: float
    error: float
    freedom: float
    looked: bool = False

    def low(self, alpha: float = ALPHA) -> float:
        """Return the lower end of its interval, but for a chance of ``alpha`` over all looks."""
        return self.gain - self.reach(alpha)

    def high(self, alpha: float = ALPHA) -> float:
        """Return the upper end of its interval, but for a chance of ``alpha`` over all looks."""
        return self.gain + self.reach(alpha)

    def reach(self, alpha: float) -> float:
        """Return how far it may be off to one side, but for a chance of ``alpha`` over all looks."""
        from scipy.special import stdtrit  # noqa: PLC0415 - loaded only when something is judged

        if self.n < 2 or alpha <= 0:
            return math.inf
        level = LEVEL * min((self.n / RISING) ** 3, 1.0, (FALLING / self.n) ** 2) if self.looked else 1.0
        return float(-stdtrit(self.freedom, alpha * level)) * self.error

    def chance_above(self, gain: float) -> float:
        """Return the probability that the true gain is larger, as if nothing was known before."""
        from scipy.special import stdtr  # noqa: PLC0415

        return float(stdtr(self.freedom, (self.gain - gain) / self.error))

    def after(self, more: int) -> Effect:
        """Return what is to be expected after so many more rounds that vary as these did."""
        n = self.n + more
        return replace(self, n=n, error=self.error * (self.n / n) ** 0.5, freedom=self.freedom + more)


def combined(effects: Sequence[Effect], weights: Sequence[float]) -> Effect:
    """Return the weighted mean of independent effects, as sure as F. E. Satterthwaite says (Biometrics 2, 1946)."""
    shares = [(weight * each.error) ** 2 for weight, each in zip(weights, effects, strict=True)]
    variance = sum(shares)
    spread = sum(share**2 / each.freedom for share, each in zip(shares, effects, strict=True))
    gain = sum(weight * each.gain for weight, each in zip(weights, effects, strict=True))
    looked = any(each.looked for each in effects)
    return Effect(min(each.n for each in effects), gain, variance**0.5, variance**2 / spread, looked)


def ratio_of(log: float) -> float:
    """Return the ratio of a logarithm, however wild, as a number above 0."""
    return math.exp(max(-LARGEST_LOG, min(LARGEST_LOG, log)))
