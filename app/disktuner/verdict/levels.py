# SPDX-License-Identifier: GPL-3.0-or-later
"""The valid samples of a result on the scale that compares them, and each setting's gain on it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median

from disktuner.results.model import Result
from disktuner.verdict.effects import Effect, ratio_of
from disktuner.vocabulary.metrics import COUNTED, Better, Metric, workload_of
from disktuner.vocabulary.questions import Question, unnoticed_in
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.workloads import DAILY_USE

Level = float
"""The logarithm of a value plus what nobody notices, signed so that larger is better."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How values of a metric are compared: ``unnoticed``, in its unit, is added before the logarithm is taken.

    Differences far below it vanish, and those far above it count in full.
    """

    unit: str
    is_lower: bool
    unnoticed: float

    @classmethod
    def of(cls, metric: Metric, unnoticed: float) -> Scale:
        """Return the scale of a metric."""
        return cls(metric.unit, metric.better is Better.LOWER, unnoticed)

    def level(self, value: float) -> Level | None:
        """Return the level of a value; None for an impossible one (a time of zero, a negative rate)."""
        if not 0 < value + (self.unnoticed if self.unit in COUNTED else 0.0) < math.inf:
            return None
        return self._signed(math.log(value + self.unnoticed))

    def value(self, level: Level) -> float:
        """Return the value at a level, in the metric's unit; 0 where no value could have it."""
        return max(0.0, ratio_of(self._signed(level)) - self.unnoticed)

    def after(self, value: float, gain: float) -> float:
        """Return the value with a gain over another value."""
        return max(0.0, (value + self.unnoticed) * ratio_of(self._signed(gain)) - self.unnoticed)

    def measured(self, value: float, gain: float) -> float:
        """Convert a gain over a value on this scale into the log of a plain ratio; infinite if nothing remains."""
        if math.isinf(gain) or not self.unnoticed or not value:
            return gain
        after = self.after(value, gain)
        return self._signed(math.log(after / value)) if after else self._signed(-math.inf)

    def noticed(self, value: float) -> tuple[float, float]:
        """Return the least gain and the least loss (below 0) from a value that a person notices."""
        if not self.unnoticed or self.unit in COUNTED:
            return 0.0, 0.0
        return math.log1p(self.unnoticed / value) if value else math.inf, -math.log1p(
            self.unnoticed / (value + self.unnoticed)
        )

    def most(self, value: float) -> float:
        """Return the largest gain possible over a value: all of it."""
        return math.log1p(value / self.unnoticed) if self.is_lower and self.unnoticed else math.inf

    def _signed(self, log: float) -> float:
        return -log if self.is_lower else log


_PLAIN = Scale("", False, 0.0)


@dataclass(frozen=True, slots=True)
class Levels:
    """The valid samples of a result: by metric and setting, the level of each round; NaN where not measured.

    ``impossible`` names the metrics with impossible values, which are not counted.
    """

    by_metric: Mapping[str, Mapping[Setting, Sequence[Level]]] = field(default_factory=dict)
    impossible: frozenset[str] = frozenset()
    scales: Mapping[str, Scale] = field(default_factory=dict)

    @classmethod
    def of(cls, result: Result) -> Levels:
        """Sort the valid samples of a result; several in one round count as their mean."""
        runs: dict[str, dict[Setting, dict[int, list[Level]]]] = defaultdict(
            lambda: defaultdict(lambda: defaultdict(list))
        )
        impossible, scales = set(), _scales_of(result, result.question)
        for sample in result.samples:
            if sample.valid:
                level = scales[sample.metric].level(sample.value)
                if level is None:
                    impossible.add(sample.metric)
                else:
                    runs[sample.metric][sample.setting][sample.round].append(level)
        return cls({name: _by_round(settings) for name, settings in runs.items()}, frozenset(impossible), scales)

    def scale(self, metric: str) -> Scale:
        """Return the scale of a metric; a plain one where the levels come from no result."""
        return self.scales.get(metric, _PLAIN)

    def rounds(self, metric: str, setting: Setting) -> int:
        """Return the number of rounds with a valid value."""
        return sum(not math.isnan(level) for level in self._row(metric, setting))

    def typical(self, metric: str, setting: Setting) -> float | None:
        """Return the median over the rounds, in the metric's unit; None where there is no valid value."""
        levels = [level for level in self._row(metric, setting) if not math.isnan(level)]
        return self.scale(metric).value(median(levels)) if levels else None

    def least(self, metric: str, setting: Setting) -> float:
        """Return the smallest value of a round, 0 where there is none."""
        values = [self.scale(metric).value(level) for level in self._row(metric, setting) if not math.isnan(level)]
        return min(values, default=0.0)

    def differences(self, metric: str, setting: Setting, other: Setting) -> list[float]:
        """Return the gains of one setting over another in each round that has both, in order; logarithms."""
        pairs = zip(self._row(metric, setting), self._row(metric, other), strict=False)
        return [level - other_level for level, other_level in pairs if not math.isnan(level - other_level)]

    def effects(self, metric: str, reference: Setting, asked: float) -> dict[Setting, Effect]:
        """Return the gains in one metric over a reference, of the settings that share rounds with it.

        ``asked`` is the difference to find, a logarithm.
        """
        from disktuner.verdict.alternating import effect  # noqa: PLC0415 - loaded only when something is judged
        from disktuner.verdict.fitting import fit  # noqa: PLC0415 - the same

        rows = self.by_metric.get(metric, {})
        if reference not in rows:
            return {}
        others = [setting for setting in rows if setting != reference]
        if workload_of(metric) == DAILY_USE.id:  # two settings changed places by lot
            effects = [effect(self.differences(metric, setting, reference)) for setting in others]
        else:
            most = self.scale(metric).most(self.typical(metric, reference) or 0.0)
            effects = fit([rows[setting] for setting in (reference, *others)], min(abs(asked), most))
        return {setting: gained for setting, gained in zip(others, effects, strict=True) if gained}

    def _row(self, metric: str, setting: Setting) -> Sequence[Level]:
        return self.by_metric.get(metric, {}).get(setting, ())


def _scales_of(result: Result, question: Question) -> dict[str, Scale]:
    """Return the scale of each metric of a result."""
    asked = {part.metric: part.unnoticed for part in question.parts}
    asked |= {price.metric: price.unnoticed for price in question.prices}
    scales = {}
    for name, metric in result.metrics.items():
        unnoticed = asked.get(name)
        scales[name] = Scale.of(metric, unnoticed_in(result.plan.goal, metric) if unnoticed is None else unnoticed)
    return scales


def _by_round(settings: Mapping[Setting, Mapping[int, Sequence[Level]]]) -> dict[Setting, list[Level]]:
    rounds = sorted({number for values in settings.values() for number in values})
    return {
        setting: [fmean(values[number]) if number in values else math.nan for number in rounds]
        for setting, values in settings.items()
    }
