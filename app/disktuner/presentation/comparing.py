# SPDX-License-Identifier: GPL-3.0-or-later
"""Two results side by side as people see them: what became faster or slower, and what else differs between them.

Each setting is compared with itself, metric by metric, by Welch's interval on logarithms (B. L. Welch, "The
generalization of Student's problem when several different population variances are involved", Biometrika 34, 1947),
family-wise 95 % over all rows (Bonferroni). Unlike the runs of one result, those of two were not interleaved: what
changed with time (age of the files, temperature, other work) is part of the difference and not of the interval.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median, variance
from typing import Any

from disktuner.presentation.panels import Panel, Row, compared_row, figure, make_panel
from disktuner.presentation.presented import result_title
from disktuner.results.model import Result
from disktuner.verdict.answer import subject_of
from disktuner.verdict.effects import ALPHA, LEAST_DEVIATION, Effect, ratio_of
from disktuner.verdict.judge import judge
from disktuner.verdict.levels import Scale, scales_of
from disktuner.verdict.model import Comparison, Estimate, Outcome, Verdict
from disktuner.vocabulary.differences import difference_of_gain
from disktuner.vocabulary.messages import Message, language, message, named, say, say_all, text
from disktuner.vocabulary.metrics import COUNTED, Metric
from disktuner.vocabulary.questions import Question
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.units import NOTHING, size
from disktuner.vocabulary.workloads import OF_ONES_OWN, as_declared, label_of

DIFFERENCES = (
    "disk",
    "serial number",
    "kernel",
    "system",
    "processor",
    "memory",
    "file system",
    "mount options",
    "scheduler before",
    "goal",
    "read-ahead (KiB)",
    "queue length",
    "Disktuner",
)
"""What is named where two results differ in it."""

_CHANGED = {Outcome.BETTER: "more-are-better", Outcome.WORSE: "more-are-worse"}
"""What is a change, and the sentence on further ones."""

Levels = Mapping[tuple[str, Setting], Sequence[float]]
"""The levels of the valid values by metric and setting."""


@dataclass(frozen=True, slots=True)
class PresentedBetween:
    """Everything that is shown of two results.

    ``verdicts`` are those of the first and the second, ``answers`` sentences on them, ``differences`` what else is not
    the same as (what, first, second), ``left_out`` says by metric why it is not compared. The rows of ``panels`` are
    the second result's gains over the first; their values say both ("70 ms → 60 ms"). Of the first panel ``why``
    states a change. ``caveat`` is what a reader must know.
    """

    first: Result
    second: Result
    verdicts: tuple[Verdict, Verdict]
    changes: tuple[Comparison, ...]
    why: str
    answers: tuple[str, str]
    differences: tuple[tuple[str, str, str], ...]
    panels: tuple[Panel, ...]
    left_out: Mapping[str, str]
    caveat: str


def present_between(first: Result, second: Result) -> PresentedBetween:
    """Compare two results; never raises for whatever sound results may hold."""
    verdicts = judge(first), judge(second)
    left_out = _left_out(first, second)
    changes = _changes(first, second, left_out)
    metrics = {name: as_declared(metric) for name, metric in first.metrics.items()}
    names = _first_told(changes, first.question.deciding)
    return PresentedBetween(
        first,
        second,
        verdicts,
        changes,
        say_all(_why(changes, names[:1], first.question)),
        (
            text("first-answer", title=result_title(first), why=say_all(verdicts[0].answer.sentences)),
            text("second-answer", title=result_title(second), why=say_all(verdicts[1].answer.sentences)),
        ),
        tuple(_differences(first, second)),
        tuple(_panel(metrics[name], changes) for name in names),
        {name: say(why) for name, why in left_out.items()},
        text("not-in-turns"),
    )


def _left_out(first: Result, second: Result) -> dict[str, Message]:
    found = {}
    for name, metric in first.metrics.items():
        other = second.metrics.get(name)
        if other is None:
            continue
        if (other.unit, other.better) != (metric.unit, metric.better):
            found[name] = message("other-unit", label=label_of(as_declared(metric)))
        elif metric.workload in OF_ONES_OWN:
            if not _same_program(first, second):
                found[name] = message("other-program", label=label_of(metric))
        elif _grows_with_size(metric) and not _same_size(first, second, metric.workload):
            found[name] = message("other-size", label=label_of(as_declared(metric)))
    return found


def _same_program(first: Result, second: Result) -> bool:
    """Whether both measured the same program of the user's own; how long it might have taken does not matter."""
    found = [own and replace(own, limit_s=1.0) for own in (first.own, second.own)]
    return found[0] is not None and found[0] == found[1]


def _grows_with_size(metric: Metric) -> bool:
    """Whole durations and counts depend on how much a run had to do; rates and single waits do not."""
    return metric.name.endswith("wall_s") or metric.unit in COUNTED


def _same_size(first: Result, second: Result, workload: str) -> bool:
    """Results that do not say their sizes (not ours, by hand) are taken to have the same."""
    found = [_work(result.sizes.get(workload, {})) for result in (first, second) if result.sizes]
    return len(found) < 2 or found[0] == found[1]


def _work(size: Mapping[str, Any]) -> dict[str, int]:
    """How much was done: whole numbers; the others are durations, and what was expected."""
    return {name: n for name, n in size.items() if isinstance(n, int)}


def _changes(first: Result, second: Result, left_out: Mapping[str, Message]) -> tuple[Comparison, ...]:
    """Compare what both measured, in the order of the first and on its scales."""
    scales = scales_of(first, first.question)
    before, after = _levels(first, scales), _levels(second, scales)
    pairs = [pair for pair in before if pair in after and pair[0] not in left_out]
    return tuple(
        _change(
            as_declared(first.metrics[metric]),
            scales[metric],
            setting,
            (before[metric, setting], after[metric, setting]),
            ALPHA / len(pairs) / 2,
        )
        for metric, setting in pairs
    )


def _levels(result: Result, scales: Mapping[str, Scale]) -> Levels:
    """Return the levels of a result's valid values; what cannot be (a time of zero) does not count."""
    known: dict[tuple[str, Setting], list[float]] = {}
    for sample in result.samples:
        level = scales[sample.metric].level(sample.value) if sample.valid and sample.metric in scales else None
        if level is not None:
            known.setdefault((sample.metric, sample.setting), []).append(level)
    return known


def _change(
    metric: Metric, scale: Scale, setting: Setting, levels: tuple[Sequence[float], Sequence[float]], alpha: float
) -> Comparison:
    before, after = levels
    n = min(len(before), len(after))
    centre = fmean if n >= 2 else median
    now, value = scale.value(centre(before)), scale.value(centre(after))
    effect = _welch(before, after) if n >= 2 else Effect(n, centre(after) - centre(before), math.inf, 1.0)
    estimate = Estimate(effect.gain, effect.low(alpha), effect.high(alpha), n)
    gain, low, high = (scale.measured(now, log) for log in (estimate.gain, estimate.low, estimate.high))
    better, worse = scale.noticed(now)
    measured = Estimate(gain, low, high, n)
    return Comparison(metric, setting, estimate.outcome(worse, better), estimate, measured, value, now)


def _welch(before: Sequence[float], after: Sequence[float]) -> Effect:
    """Return what is gained from one to the other."""
    logs = before, after
    squares = [max(variance(each), LEAST_DEVIATION**2) / len(each) for each in logs]
    freedom = sum(squares) ** 2 / sum(s**2 / (len(each) - 1) for s, each in zip(squares, logs, strict=True))
    return Effect(min(map(len, logs)), fmean(after) - fmean(before), math.sqrt(sum(squares)), freedom)


def _differences(first: Result, second: Result) -> Iterator[tuple[str, str, str]]:
    for what, old, new in zip(DIFFERENCES, _facts(first), _facts(second), strict=True):
        if old != new:
            yield named(what), _fact(old), _fact(new)


def _facts(result: Result) -> tuple[str | int, ...]:
    """Return what ``DIFFERENCES`` name."""
    machine, filesystem, tunables = result.machine, result.filesystem, result.disk.get("tunables")
    shown = tunables if isinstance(tunables, Mapping) else {}
    return (
        result.disk_called("vendor", "model") or result.disk_called("name"),
        result.disk_called("serial"),
        machine.kernel,
        machine.os,
        machine.cpu,
        machine.memory_bytes,
        filesystem.fstype,
        ",".join(sorted(filesystem.options)),
        result.plan.baseline.name,
        result.plan.goal or "",
        str(shown.get("queue/read_ahead_kb", "")),
        str(shown.get("queue/nr_requests", "")),
        result.app_version,
    )


def _fact(fact: str | int) -> str:
    """Return what is not the same: a text, or a number of bytes."""
    shown = size(fact, language().numbers) if isinstance(fact, int) and fact else str(fact or "")
    return shown or NOTHING


def _first_told(changes: Sequence[Comparison], deciding: Sequence[str]) -> list[str]:
    """Return the metrics: what changed before what did not, and of both what decides before the rest."""
    changed = {made.metric.name for made in changes if made.outcome in _CHANGED}
    names = dict.fromkeys(made.metric.name for made in changes)
    return sorted(names, key=lambda name: (name not in changed, name not in deciding))


def _why(changes: Sequence[Comparison], first: Sequence[str], question: Question) -> Iterator[Message]:
    """Say the largest change of the first metric, and how many more became better or worse."""
    changed = [made for made in changes if made.outcome in _CHANGED]
    if not changed:
        is_same = all(made.outcome is Outcome.SAME for made in changes)
        same_or_not = "second-is-same" if is_same else "second-is-unclear"
        yield message(same_or_not if changes else "nothing-in-common")
        return
    most = max((made for made in changed if made.metric.name in first), key=lambda made: abs(made.gain))
    yield message(
        "second-differs",
        scheduler=most.setting.name,
        difference=difference_of_gain(most.metric.words, ratio_of(most.gain)),
        subject=subject_of(most.metric, question),
    )
    for outcome, how_many_more in _CHANGED.items():
        if count := sum(made.outcome is outcome and made is not most for made in changed):
            yield message(how_many_more, count=count)


def _panel(metric: Metric, changes: tuple[Comparison, ...]) -> Panel:
    return make_panel(metric, tuple(_row(made) for made in changes if made.metric.name == metric.name))


def _row(made: Comparison) -> Row:
    value = text("from-to", before=figure(made.now, made.metric), after=figure(made.value, made.metric))
    return compared_row(made, value, made.value)
