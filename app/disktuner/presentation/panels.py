# SPDX-License-Identifier: GPL-3.0-or-later
"""A panel per figure with a row per setting: typical value, difference from the baseline, interval, finding.

Typical values and differences come from one estimator and cannot contradict each other: the baseline's typical value
is the median of its rounds, that of every other setting the baseline's times its ratio.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from disktuner.results.model import Result
from disktuner.verdict.effects import Levels, ratio_of
from disktuner.verdict.judge import outcome
from disktuner.verdict.model import Contrast, Outcome, Verdict
from disktuner.vocabulary.differences import (
    FAR,
    difference_message,
    gain_message,
    gain_of,
    interval_message,
    ratio_of_gain,
)
from disktuner.vocabulary.messages import language, say, text
from disktuner.vocabulary.metrics import COUNTED, Better, Metric, is_cost
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.units import NOTHING, value_text
from disktuner.vocabulary.workloads import as_declared, label_of

MOST_DOTS = 200


@dataclass(frozen=True, slots=True)
class Row:
    """One setting on one figure.

    ``n`` counts rounds. ``typical`` is in the metric's unit and ``value`` the same as text. ``difference``,
    ``interval`` and ``finding`` are texts, empty where nothing was compared. Gains are for drawing: how many times
    better than the baseline, whose own is 1; ``dots`` are those of single rounds. ``spoken`` is the row for those who
    do not see it, ``words`` what stands beside its value: "3× faster (at least 1.4×)", "2× slower", "can't tell".
    """

    setting: Setting
    is_baseline: bool
    n: int
    typical: float | None
    value: str
    difference: str = ""
    interval: str = ""
    outcome: Outcome | None = None
    finding: str = ""
    gain: float | None = None
    gain_low: float | None = None
    gain_high: float | None = None
    dots: tuple[float, ...] = ()
    spoken: str = ""
    words: str = ""

    @property
    def name(self) -> str:
        """The setting as people read it."""
        return self.setting.words


@dataclass(frozen=True, slots=True)
class Panel:
    """One figure with all its settings, the baseline first."""

    metric: Metric
    label: str
    direction: str
    decides: bool
    rows: tuple[Row, ...]


def difference(metric: Metric, ratio: float) -> str:
    """Say how a value differs from another one, of which it is ``ratio`` times as much: "2.9× faster"."""
    return say(difference_message(metric, ratio))


def interval(metric: Metric, low: float, high: float) -> str:
    """Say the interval of such a ratio: "3 % slower to 12 % faster"."""
    return say(interval_message(metric, low, high))


def panels(result: Result, verdict: Verdict) -> tuple[Panel, ...]:
    """Return a panel for every figure, what decides first.

    What a run costs the processors is shown only where it was compared or nothing was.
    """
    figures = _Figures.of(result, verdict)
    judged = dict.fromkeys(comparison.metric for comparison in verdict.comparisons)
    others = [name for name in result.metrics if name in figures.levels.gains and not (judged and is_cost(name))]
    deciding = result.question.deciding
    return tuple(figures.panel(name, name in deciding) for name in dict.fromkeys((*judged, *others)))


def make_panel(metric: Metric, rows: tuple[Row, ...], decides: bool = False) -> Panel:
    """Return the panel of some rows."""
    direction = text("lower-is-better" if metric.better is Better.LOWER else "higher-is-better")
    return Panel(metric, say(label_of(metric)), direction, decides, rows)


def figure(value: float | None, metric: Metric, beside: float | None = None) -> str:
    """Return a value with its unit, that of a larger value ``beside`` it where that can be."""
    if value is None or not math.isfinite(value):
        return NOTHING
    return value_text(value, metric.unit, language().numbers, beside)


def compared_row(metric: Metric, found: Contrast, value: str, typical: float | None) -> Row:
    """Return the row of a setting that was compared."""
    finding = text(f"finding-{found.outcome}")
    words = finding
    shown = NOTHING if found.ratio is None else difference(metric, found.ratio)
    if found.outcome is Outcome.BETTER:
        shown, words = _gained(metric, found)
    elif found.outcome is Outcome.WORSE:
        words = shown
    low = high = None
    bounds, spoken = "", text("row-of-unclear", scheduler=found.setting.name, value=value, finding=finding)
    if found.ci_low is not None and found.ci_high is not None and found.outcome is not Outcome.UNDECIDED:
        bounds = interval(metric, found.ci_low, found.ci_high)
        if found.ci_high <= FAR * found.ci_low:
            low, high = sorted((gain_of(metric, found.ci_low), gain_of(metric, found.ci_high)))
        spoken = text(
            "row-of-other",
            scheduler=found.setting.name,
            value=value,
            difference=shown,
            interval=bounds,
            finding=finding,
        )
    return Row(
        setting=found.setting,
        is_baseline=False,
        n=found.n,
        typical=typical,
        value=value,
        difference=shown,
        interval=bounds,
        outcome=found.outcome,
        finding=finding,
        gain=None if found.ratio is None else gain_of(metric, found.ratio),
        gain_low=low,
        gain_high=high,
        spoken=spoken,
        words=words,
    )


def _gained(metric: Metric, found: Contrast) -> tuple[str, str]:
    """Return a gain, and the same with what it is at least."""
    gain, *ends = (gain_of(metric, each or 1.0) for each in (found.ratio, found.ci_low, found.ci_high))
    return (
        say(gain_message(metric.words, min(ends), gain, short=True)),
        say(gain_message(metric.words, min(ends), gain)),
    )


def _as_answered(result: Result, verdict: Verdict, found: Contrast) -> Contrast:
    """Return a comparison with the bounds that the answer states, where it is the figure that stands for it."""
    figure = verdict.figures.get(found.setting) if found.metric == verdict.leading else None
    if figure is None or figure.ci_low is None or figure.ci_high is None:
        return found
    low, high = sorted(ratio_of_gain(result.metrics[found.metric], end) for end in (figure.ci_low, figure.ci_high))
    return replace(found, ci_low=low, ci_high=high, outcome=outcome(figure.ci_low, figure.ci_high))


@dataclass(frozen=True, slots=True)
class _Figures:
    """The valid values of a result, and its comparisons by figure and setting."""

    result: Result
    verdict: Verdict
    levels: Levels
    compared: Mapping[tuple[str, Setting], Contrast]

    @classmethod
    def of(cls, result: Result, verdict: Verdict) -> _Figures:
        """Sort a result's valid values by figure, setting and round."""
        compared = {(each.metric, each.setting): _as_answered(result, verdict, each) for each in verdict.comparisons}
        return cls(result, verdict, Levels.of(result), compared)

    @property
    def baseline(self) -> Setting:
        """The setting that all others are compared with."""
        return self.verdict.baseline

    def panel(self, name: str, decides: bool) -> Panel:
        """Return the panel of one figure."""
        metric, measured = as_declared(self.result.metrics[name]), self.levels.gains.get(name, {})
        order = dict.fromkeys((self.baseline, *self.result.plan.settings, *measured))
        shown = [each for each in order if each in measured or (decides and (name, each) in self.compared)]
        typical = {each: self._typical(metric, each, self.compared.get((name, each))) for each in shown}
        largest = max((value for value in typical.values() if value and math.isfinite(value)), default=None)
        rows = tuple(self._row(metric, each, value, figure(value, metric, largest)) for each, value in typical.items())
        return make_panel(metric, rows, decides)

    def _row(self, metric: Metric, setting: Setting, typical: float | None, value: str) -> Row:
        found = self.compared.get((metric.name, setting))
        if found is not None:
            return replace(compared_row(metric, found, value, typical), dots=self._dots(metric, setting))
        count = self.levels.rounds(metric.name, setting)
        if setting != self.baseline or len(self.result.plan.settings) < 2:
            spoken = text("row-alone", scheduler=setting.name, value=value)
            return Row(setting, setting == self.baseline, count, typical, value, spoken=spoken)
        tunes = self.result.plan.tunes
        spoken = text("row-of-plain" if tunes else "row-of-baseline", scheduler=setting.name, value=value)
        gain = 1.0 if any(name == metric.name for name, _ in self.compared) else None
        return Row(
            setting,
            True,
            count,
            typical,
            value,
            text("is-tuned" if tunes else "had-before"),
            gain=gain,
            spoken=spoken,
            words=text("had-before"),
        )

    def _typical(self, metric: Metric, setting: Setting, found: Contrast | None) -> float | None:
        """Return the typical value, see above; where there is no ratio it is the median of the setting's rounds."""
        base = self.levels.typical(metric, self.baseline)
        if found is None or found.ratio is None or base is None:
            return self.levels.typical(metric, setting)
        shift = 0.5 if metric.unit in COUNTED else 0.0
        return max((base + shift) * found.ratio - shift, 0.0)

    def _dots(self, metric: Metric, setting: Setting) -> tuple[float, ...]:
        """Return the gains of single rounds."""
        return tuple(map(ratio_of, self.levels.differences(metric.name, setting, self.baseline)[:MOST_DOTS]))
