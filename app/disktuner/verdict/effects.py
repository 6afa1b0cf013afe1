# SPDX-License-Identifier: GPL-3.0-or-later
"""From the valid samples of a result to effects: what each setting gains over another one, metric by metric."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, median

from disktuner.results.model import Result
from disktuner.vocabulary.metrics import COUNTED, Better, Metric
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.workloads import DAILY_USE

ALPHA = 0.05
LEVELS, PEAK, RISE = (0.35, 0.40, 0.48), 8, 2.5
"""The share of the error that the look after the eighth round may spend, of two, three and more settings: the more there
are, the more is known of how runs vary. It rises to there, and falls with the square from there on, so that the sum is
finite. Calibrated by simulation, not proved (docs/method.md; ``./dev bench bench_verdict``)."""
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
    error: float
    freedom: float
    level: float | None = None
    measured: float | None = None

    @property
    def lasting(self) -> float:
        """The standard error without what was assumed before anything was measured."""
        return self.error if self.measured is None else self.measured

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
        level = 1.0 if self.level is None else self.level * min((self.n / PEAK) ** RISE, (PEAK / self.n) ** 2)
        return float(-stdtrit(self.freedom, alpha * level)) * self.error

    def chance_above(self, gain: float) -> float:
        """Return the probability that the true gain is larger, as if nothing was known before."""
        from scipy.special import stdtr  # noqa: PLC0415

        return float(stdtr(self.freedom, (self.gain - gain) / self.error))

    def after(self, more: int) -> Effect:
        """Return what is to be expected after so many more rounds that vary as these did: what was assumed fades."""
        n, freedom = self.n + more, self.freedom + more
        variance = (self.freedom * self.error**2 + more * self.lasting**2) / freedom
        shrinks = (self.n / n) ** 0.5
        return replace(
            self, n=n, error=shrinks * variance**0.5, freedom=freedom, measured=shrinks * self.lasting
        )


def level_of(settings: int) -> float:
    """Return what a look may spend at most where so many settings compete, the one they are compared with among them."""
    return LEVELS[max(0, min(settings, len(LEVELS) + 1) - 2)]


def combined(effects: Sequence[Effect], weights: Sequence[float]) -> Effect:
    """Return the weighted mean of independent effects, as sure as F. E. Satterthwaite says (Biometrics 2, 1946)."""
    shares = [(weight * each.error) ** 2 for weight, each in zip(weights, effects, strict=True)]
    variance = sum(shares)
    spread = sum(share**2 / each.freedom for share, each in zip(shares, effects, strict=True))
    gain = sum(weight * each.gain for weight, each in zip(weights, effects, strict=True))
    level = min((each.level for each in effects if each.level is not None), default=None)
    measured = math.hypot(*(weight * each.lasting for weight, each in zip(weights, effects, strict=True)))
    return Effect(min(each.n for each in effects), gain, variance**0.5, variance**2 / spread, level, measured)


@dataclass(frozen=True, slots=True)
class Levels:
    """The valid samples of a result as logarithms: by metric and setting, a value of each round.

    Larger is better, NaN is not measured. ``impossible`` names the metrics with valid values that cannot be (a time of
    zero, a negative rate): those values are not counted.
    """

    gains: Mapping[str, Mapping[Setting, Sequence[float]]] = field(default_factory=dict)
    impossible: frozenset[str] = frozenset()

    @classmethod
    def of(cls, result: Result) -> Levels:
        """Sort the valid samples of a result; of several in a round the mean counts."""
        found: dict[str, dict[Setting, dict[int, list[float]]]] = defaultdict(
            lambda: defaultdict(lambda: defaultdict(list))
        )
        impossible = set()
        for sample in result.samples:
            if sample.valid:
                value = logarithm(result.metrics[sample.metric], sample.value)
                if value is None:
                    impossible.add(sample.metric)
                else:
                    found[sample.metric][sample.setting][sample.round].append(value)
        gains = {}
        for metric, settings in found.items():
            rounds = sorted({number for values in settings.values() for number in values})
            gains[metric] = {
                setting: [fmean(values[number]) if number in values else math.nan for number in rounds]
                for setting, values in settings.items()
            }
        return cls(gains, frozenset(impossible))

    def rounds(self, metric: str, setting: Setting) -> int:
        """Return in how many rounds there is a valid value."""
        return sum(not math.isnan(each) for each in self._row(metric, setting))

    def typical(self, metric: Metric, setting: Setting) -> float | None:
        """Return the median over the rounds, in the metric's unit; None where there is no valid value."""
        found = [each for each in self._row(metric.name, setting) if not math.isnan(each)]
        return value_of(metric, median(found)) if found else None

    def differences(self, metric: str, ours: Setting, theirs: Setting) -> list[float]:
        """Return the gains of one setting over another in each round that has both, in order; logarithms."""
        both = zip(self._row(metric, ours), self._row(metric, theirs), strict=False)
        return [our - their for our, their in both if not math.isnan(our - their)]

    def effects(self, metric: str, reference: Setting, asked: float) -> dict[Setting, Effect]:
        """Return what the settings gain over a reference at one metric, those that share rounds with it.

        ``asked`` is the difference that is asked for, a logarithm.
        """
        from disktuner.verdict.alternating import effect  # noqa: PLC0415 - loaded only when something is judged
        from disktuner.verdict.fitting import fit  # noqa: PLC0415 - the same

        rows = self.gains.get(metric, {})
        if reference not in rows:
            return {}
        others = [name for name in rows if name != reference]
        if metric.startswith(f"{DAILY_USE.id}."):  # two settings changed places by lot
            found = [effect(self.differences(metric, name, reference)) for name in others]
        else:
            found = fit([rows[name] for name in (reference, *others)], abs(asked))
        return {name: gained for name, gained in zip(others, found, strict=True) if gained}

    def _row(self, metric: str, setting: Setting) -> Sequence[float]:
        return self.gains.get(metric, {}).get(setting, ())


def logarithm(metric: Metric, value: float) -> float | None:
    """Return the logarithm of a value so that larger is better; None for one that cannot be.

    Half a unit is added to what may truly be zero.
    """
    shifted = value + (0.5 if metric.unit in COUNTED else 0.0)
    if not 0 < shifted < math.inf:
        return None
    return -math.log(shifted) if metric.better is Better.LOWER else math.log(shifted)


def value_of(metric: Metric, gain: float) -> float:
    """Return the value whose ``logarithm`` it is."""
    value = ratio_of(-gain if metric.better is Better.LOWER else gain)
    return max(0.0, value - (0.5 if metric.unit in COUNTED else 0.0))


def ratio_of(log: float) -> float:
    """Return the ratio of a logarithm, however wild, as a number above 0."""
    return math.exp(max(-LARGEST_LOG, min(LARGEST_LOG, log)))
