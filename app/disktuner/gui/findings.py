# SPDX-License-Identifier: GPL-3.0-or-later
"""From a result and its verdict to what the charts show."""

from __future__ import annotations

from collections import defaultdict
from statistics import median

from disktuner.gui import wording
from disktuner.gui.plots.intervals import Bar
from disktuner.results.model import Result
from disktuner.verdict.model import Comparison, Verdict
from disktuner.vocabulary.metrics import Better, Metric


def judged_metrics(verdict: Verdict) -> tuple[str, ...]:
    """The figures that were judged, the deciding one first as the verdict lists them."""
    return tuple(dict.fromkeys(comparison.metric for comparison in verdict.comparisons))


def bars(result: Result, verdict: Verdict, metric: str) -> tuple[Bar, ...]:
    """One row per scheduler of the plan on one figure, the baseline first."""
    found = {c.scheduler: c for c in verdict.comparisons if c.metric == metric}
    names = [verdict.baseline, *(name for name in result.plan.schedulers if name in found)]
    return tuple(_bar(result, name, metric, found.get(name), verdict.baseline) for name in dict.fromkeys(names))


def caption(metric: Metric) -> str:
    """What a figure is and which way is good."""
    direction = wording.BETTER_LOWER if metric.better is Better.LOWER else wording.BETTER_HIGHER
    return f"{metric.label} ({direction})"


def trade_off(verdict: Verdict, result: Result) -> tuple[str, str] | None:
    """The deciding figure and the first other one whose workload differs: their two answers may be opposite."""
    names = judged_metrics(verdict)
    if not names:
        return None
    first = names[0]
    other = next((name for name in names[1:] if _workload(name) != _workload(first) and name in result.metrics), None)
    other = other or next((name for name in names[1:] if name in result.metrics), None)
    return (first, other) if other else None


def _workload(metric: str) -> str:
    return metric.partition(".")[0]


def _bar(result: Result, name: str, metric: str, found: Comparison | None, baseline: str) -> Bar:
    rounds: dict[str, dict[int, float]] = defaultdict(dict)
    for sample in result.samples:
        if sample.metric == metric and sample.valid:
            rounds[sample.scheduler][sample.round] = sample.value
    base, mine = rounds[baseline], rounds[name]
    dots = tuple(mine[number] / base[number] for number in mine if base.get(number)) if found else ()
    unit = result.metrics[metric].unit if metric in result.metrics else ""
    value = wording.figure(median(mine.values()), unit) if mine else ""
    return Bar(name, found, dots, value)
