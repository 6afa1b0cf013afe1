# SPDX-License-Identifier: GPL-3.0-or-later
"""A panel per figure with a row per setting: typical value, difference from the baseline, interval, finding.

Typical values and differences come from one estimator and cannot contradict each other: the baseline's typical value is
the median of its rounds, every other setting's is derived from that by its gain.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from disktuner.results.model import Result
from disktuner.verdict.effects import ratio_of
from disktuner.verdict.levels import Levels
from disktuner.verdict.model import Comparison, Estimate, Verdict
from disktuner.verdict.outcomes import Outcome
from disktuner.vocabulary.differences import FAR, difference_of_gain, gain_message, interval_message, value_message
from disktuner.vocabulary.messages import say, text
from disktuner.vocabulary.metrics import Better, Metric, Wording, is_cost
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.units import NOTHING
from disktuner.vocabulary.workloads import as_declared, label_of

MOST_DOTS = 200


@dataclass(frozen=True, slots=True)
class Row:
    """One setting on one figure.

    ``n`` counts rounds. ``typical`` is in the metric's unit, ``value`` the same as text. ``estimate`` is the measured
    gain over the baseline, None if nothing was compared. ``difference`` and ``interval`` are texts, empty if nothing is
    certain. ``dots`` are single rounds relative to the baseline's typical value. ``spoken`` is the row for screen
    readers, ``words`` the text next to its value: "3× faster (at least 1.4×)", "2× slower", "can't tell".
    """

    setting: Setting
    is_baseline: bool
    n: int
    typical: float | None
    value: str
    estimate: Estimate | None = None
    outcome: Outcome | None = None
    difference: str = ""
    interval: str = ""
    dots: tuple[float, ...] = ()
    spoken: str = ""
    words: str = ""

    @property
    def name(self) -> str:
        """The setting in words."""
        return self.setting.words

    @property
    def finding(self) -> str:
        """The outcome in a word; empty if nothing was compared."""
        return text(f"finding-{self.outcome}") if self.outcome else ""

    @property
    def ends(self) -> tuple[float, float] | None:
        """The interval of the gain as logarithms; None if it says nothing."""
        known = self.estimate
        if known is None or self.outcome in (None, Outcome.UNDECIDED) or not known.is_bounded:
            return None
        return (known.low, known.high) if known.high <= known.low + math.log(FAR) else None


@dataclass(frozen=True, slots=True)
class Panel:
    """One figure with all its settings, the baseline first."""

    metric: Metric
    label: str
    direction: str
    decides: bool
    rows: tuple[Row, ...]


def panels(result: Result, verdict: Verdict) -> tuple[Panel, ...]:
    """Return a panel for every figure, those that decide first.

    CPU costs are shown only if they, or nothing, was compared.
    """
    figures = _Figures(result, verdict, Levels.of(result))
    judged = dict.fromkeys(made.metric.name for made in verdict.comparisons)
    others = [name for name in result.metrics if name in figures.levels.by_metric and not (judged and is_cost(name))]
    deciding = result.question.deciding
    return tuple(figures.panel(name, name in deciding) for name in dict.fromkeys((*judged, *others)))


def make_panel(metric: Metric, rows: tuple[Row, ...], decides: bool = False) -> Panel:
    """Return a panel with these rows."""
    direction = text("lower-is-better" if metric.better is Better.LOWER else "higher-is-better")
    return Panel(metric, say(label_of(metric)), direction, decides, rows)


def figure(value: float | None, metric: Metric, beside: float | None = None) -> str:
    """Return a value with its unit, if possible that of a larger value shown ``beside`` it."""
    if value is None or not math.isfinite(value):
        return NOTHING
    return say(value_message(value, metric, beside))


def difference(words: Wording, gain: float) -> str:
    """Say a gain (a logarithm): "2.9× faster"."""
    return say(difference_of_gain(words, ratio_of(gain)))


def baseline_words(result: Result) -> str:
    """Say whether the disk had the baseline, or that it is what a tuning began with."""
    return text("had-before" if result.had_baseline else "is-tuned")


def compared_row(made: Comparison, value: str, typical: float | None) -> Row:
    """Return the row of a compared setting."""
    name, words_of = made.setting.name, made.metric.words
    row = Row(made.setting, False, made.measured.n if made.measured else 0, typical, value, made.measured, made.outcome)
    known = made.measured
    if known is None or not _tells(made):
        spoken = text("row-of-unclear", scheduler=name, value=value, finding=row.finding)
        return replace(row, difference=NOTHING, spoken=spoken, words=row.finding)
    words, shown, bounds = row.finding, difference(words_of, known.gain), ""
    if made.outcome is Outcome.BETTER:
        least = ratio_of(known.low)
        shown = say(gain_message(words_of, least, ratio_of(known.gain), short=True))
        words = say(gain_message(words_of, least, ratio_of(known.gain)))
    elif made.outcome is Outcome.WORSE:
        words = shown
    spoken = text("row-of-unclear", scheduler=name, value=value, finding=row.finding)
    if made.outcome is not Outcome.UNDECIDED:
        bounds = say(interval_message(words_of, ratio_of(known.low), ratio_of(known.high)))
        values = {"scheduler": name, "value": value, "difference": shown, "interval": bounds}
        spoken = text("row-of-other", finding=row.finding, **values)
    return replace(row, difference=shown, interval=bounds, spoken=spoken, words=words)


def _tells(made: Comparison) -> bool:
    """Whether a factor is meaningful: for an unnoticeable difference, it might look large."""
    known = made.measured
    return known is not None and (made.outcome is not Outcome.SAME or known.outcome() is Outcome.SAME)


@dataclass(frozen=True, slots=True)
class _Figures:
    """The valid values of a result, and its comparisons by figure and setting."""

    result: Result
    verdict: Verdict
    levels: Levels

    def panel(self, name: str, decides: bool) -> Panel:
        """Return the panel of one figure."""
        metric, measured = as_declared(self.result.metrics[name]), self.levels.by_metric.get(name, {})
        order = dict.fromkeys((self.verdict.baseline, *self.result.plan.settings, *measured))
        shown = [
            setting for setting in order if setting in measured or (decides and self.verdict.comparison(name, setting))
        ]
        typical = {setting: self._typical(name, setting) for setting in shown}
        largest = max((value for value in typical.values() if value and math.isfinite(value)), default=None)
        rows = (self._row(metric, setting, value, figure(value, metric, largest)) for setting, value in typical.items())
        return make_panel(metric, tuple(rows), decides)

    def _typical(self, name: str, setting: Setting) -> float | None:
        """Return the typical value (see the module), or the median of the setting's rounds if nothing was compared."""
        made = self.verdict.comparison(name, setting)
        return self.levels.typical(name, setting) if made is None or made.value is None else made.value

    def _row(self, metric: Metric, setting: Setting, typical: float | None, value: str) -> Row:
        made, baseline = self.verdict.comparison(metric.name, setting), self.verdict.baseline
        if made is not None:
            return replace(compared_row(made, value, typical), dots=tuple(self._dots(metric.name, made)))
        count = self.levels.rounds(metric.name, setting)
        if setting != baseline or len(self.result.plan.settings) < 2:
            spoken = text("row-alone", scheduler=setting.name, value=value)
            return Row(setting, setting == baseline, count, typical, value, spoken=spoken)
        tunes = self.result.plan.tunes
        spoken = text("row-of-plain" if tunes else "row-of-baseline", scheduler=setting.name, value=value)
        return Row(
            setting,
            True,
            count,
            typical,
            value,
            Estimate(0.0, 0.0, 0.0, count) if self.verdict.of_metric(metric.name) else None,
            difference=text("is-tuned" if tunes else "had-before"),
            spoken=spoken,
            words=baseline_words(self.result),
        )

    def _dots(self, name: str, made: Comparison) -> Iterator[float]:
        """Yield the values of single rounds relative to the baseline's typical value."""
        if made.now is not None:
            for gain in self.levels.differences(name, made.setting, self.verdict.baseline)[:MOST_DOTS]:
                yield self.levels.scale(name).after(made.now, gain)
