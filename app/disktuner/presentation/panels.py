# SPDX-License-Identifier: GPL-3.0-or-later
"""A panel per figure with a row per scheduler: typical value, difference from the baseline, interval, finding.

Typical values and differences come from one estimator and cannot contradict each other: the baseline's typical value
is the median of its rounds, that of every other scheduler the baseline's times its ratio.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import median

from disktuner.presentation.scale import Scale, scale_of
from disktuner.results.model import Result
from disktuner.verdict.criteria import criteria
from disktuner.verdict.model import Contrast, Decision, Outcome, Verdict
from disktuner.verdict.table import LARGEST_LOG, Table
from disktuner.vocabulary.differences import difference_message, gain_of, interval_message
from disktuner.vocabulary.messages import language, say, text
from disktuner.vocabulary.metrics import COUNTED, Better, Metric, is_cost
from disktuner.vocabulary.schedulers import shown
from disktuner.vocabulary.units import NOTHING, value_text
from disktuner.vocabulary.workloads import as_declared, label_of

MOST_DOTS = 200
_IMAGINED = 1000
"""How many times faster or slower a scheduler may make something, at the very most."""

_FINDINGS = {
    Outcome.BETTER: "finding-better",
    Outcome.WORSE: "finding-worse",
    Outcome.SAME: "finding-same",
    Outcome.UNDECIDED: "finding-undecided",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One scheduler on one figure.

    ``n`` counts rounds. ``typical`` is in the metric's unit and ``value`` the same as text. ``difference``,
    ``interval`` and ``finding`` are texts, empty where nothing was compared. Gains are for drawing: how many times
    better than the baseline, whose own is 1; ``dots`` are those of single rounds. ``spoken`` is the row for those who
    do not see it.
    """

    scheduler: str
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

    @property
    def name(self) -> str:
        """The scheduler or setting as people read it."""
        return shown(self.scheduler)


@dataclass(frozen=True, slots=True)
class Panel:
    """One figure with all its schedulers, the baseline first; ``axis`` names the ``scale``."""

    metric: Metric
    label: str
    direction: str
    decides: bool
    rows: tuple[Row, ...]
    scale: Scale
    axis: str


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
    others = [name for name in result.metrics if name in figures.values and not (judged and is_cost(name))]
    deciding = criteria(result).deciding
    return tuple(figures.panel(name, name in deciding) for name in dict.fromkeys((*judged, *others)))


def make_panel(metric: Metric, rows: tuple[Row, ...], axis: str, decides: bool = False) -> Panel:
    """Return the panel of some rows."""
    typical = [row.gain for row in rows if row.gain is not None]
    ends = [end for row in rows for end in (row.gain_low, row.gain_high) if end is not None]
    direction = text("lower-is-better" if metric.better is Better.LOWER else "higher-is-better")
    return Panel(metric, say(label_of(metric)), direction, decides, rows, scale_of(typical, ends), axis)


def figure(value: float | None, metric: Metric) -> str:
    """Return a value with its unit."""
    if value is None or not math.isfinite(value):
        return NOTHING
    return value_text(value, metric.unit, language().numbers)


def _is_anything(low: float, high: float) -> bool:
    """Whether an interval of a ratio holds all that can be imagined, as two or three rounds leave it."""
    return low < 1 / _IMAGINED and high > _IMAGINED


def compared_row(metric: Metric, found: Contrast, value: str, typical: float | None, finding: str | None = None) -> Row:
    """Return the row of a scheduler that was compared; ``finding`` None is what its outcome says."""
    finding = finding or text(_FINDINGS[found.outcome])
    shown = NOTHING if found.ratio is None else difference(metric, found.ratio)
    low = high = None
    bounds, spoken = text("too-few-rounds"), text("row-of-too-few", scheduler=found.scheduler, value=value)
    if found.ci_low is not None and found.ci_high is not None and not _is_anything(found.ci_low, found.ci_high):
        low, high = sorted((gain_of(metric, found.ci_low), gain_of(metric, found.ci_high)))
        bounds = interval(metric, found.ci_low, found.ci_high)
        spoken = text(
            "row-of-other",
            scheduler=found.scheduler,
            value=value,
            difference=shown,
            interval=bounds,
            finding=finding,
        )
    return Row(
        scheduler=found.scheduler,
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
    )


@dataclass(frozen=True, slots=True)
class _Figures:
    """The valid values of a result, as they are and as logarithms, and its comparisons by figure and scheduler."""

    result: Result
    verdict: Verdict
    table: Table
    values: Mapping[str, Mapping[str, Mapping[int, list[float]]]]
    compared: Mapping[tuple[str, str], Contrast]

    @classmethod
    def of(cls, result: Result, verdict: Verdict) -> _Figures:
        """Sort a result's valid values by figure, scheduler and round."""
        found: dict[str, dict[str, dict[int, list[float]]]] = {}
        for sample in result.samples:
            if sample.valid and math.isfinite(sample.value):
                of_metric = found.setdefault(sample.metric, {})
                of_metric.setdefault(sample.scheduler, {}).setdefault(sample.round, []).append(sample.value)
        compared = {(each.metric, each.scheduler): each for each in verdict.comparisons}
        return cls(result, verdict, Table.of(result), found, compared)

    @property
    def baseline(self) -> str:
        """The scheduler that all others are compared with."""
        return self.verdict.baseline

    def panel(self, name: str, decides: bool) -> Panel:
        """Return the panel of one figure."""
        metric, measured = as_declared(self.result.metrics[name]), self.values.get(name, {})
        order = dict.fromkeys((self.baseline, *self.result.plan.schedulers, *measured))
        whole = decides or not self.result.plan.tunes  # a tuning prices only who gains
        shown = [each for each in order if each in measured or (whole and (name, each) in self.compared)]
        rows = tuple(self._row(metric, scheduler, decides) for scheduler in shown)
        return make_panel(metric, rows, text("gain-axis", baseline=self.baseline), decides)

    def _row(self, metric: Metric, scheduler: str, decides: bool) -> Row:
        found = self.compared.get((metric.name, scheduler))
        typical = self._typical(metric, scheduler, found)
        value = figure(typical, metric)
        if found is not None:
            row = compared_row(metric, found, value, typical, self._finding(metric, found) if decides else None)
            return replace(row, dots=self._dots(metric, scheduler))
        count = len(self.values[metric.name][scheduler])
        if scheduler != self.baseline or len(self.result.plan.schedulers) < 2:
            spoken = text("row-alone", scheduler=scheduler, value=value)
            return Row(scheduler, scheduler == self.baseline, count, typical, value, spoken=spoken)
        tunes = self.result.plan.tunes
        spoken = text("row-of-plain" if tunes else "row-of-baseline", scheduler=scheduler, value=value)
        gain = 1.0 if any(name == metric.name for name, _ in self.compared) else None
        return Row(
            scheduler,
            True,
            count,
            typical,
            value,
            text("is-tuned" if tunes else "had-before"),
            gain=gain,
            spoken=spoken,
        )

    def _finding(self, metric: Metric, found: Contrast) -> str | None:
        """Say that a gain worth a change is ruled out, where it is and nothing else is shown, or who left early."""
        if found.ci_low is None and found.scheduler in self.verdict.left_out:
            return text("finding-left-out")
        if found.outcome is not Outcome.UNDECIDED or found.ci_low is None or found.ci_high is None:
            return None
        best = max(gain_of(metric, end) for end in (found.ci_low, found.ci_high))
        ruled_out = self.verdict.decision is Decision.KEEP or best < self.verdict.worth
        return text("finding-not-worth") if ruled_out else None

    def _typical(self, metric: Metric, scheduler: str, found: Contrast | None) -> float | None:
        """Return the typical value, see above; where there is no ratio it is the median of the scheduler's rounds."""
        shift = 0.5 if metric.unit in COUNTED else 0.0
        base, own = self.table.centre(metric.name, self.baseline), self.table.centre(metric.name, scheduler)
        if found is not None and found.ratio is not None and base is not None:
            return max(math.exp(base) * found.ratio - shift, 0.0)
        if own is not None:
            return math.exp(own) - shift
        rounds = self.values.get(metric.name, {}).get(scheduler, {})
        return median(map(median, rounds.values())) if rounds else None

    def _dots(self, metric: Metric, scheduler: str) -> tuple[float, ...]:
        """Return the gains of single rounds."""
        logs = self.table.differences(metric.name, scheduler, self.baseline)[:MOST_DOTS]
        return tuple(gain_of(metric, math.exp(max(-LARGEST_LOG, min(LARGEST_LOG, float(log))))) for log in logs)
