# SPDX-License-Identifier: GPL-3.0-or-later
"""Two results side by side as people see them: what became faster or slower, and what else differs.

Each setting is compared with itself, metric by metric, by Welch's interval on logarithms (B. L. Welch, "The
generalization of Student's problem when several different population variances are involved", Biometrika 34, 1947),
family-wise 95 % over all rows (Bonferroni). Unlike runs within a result, those of two are not interleaved: changes over
time (age of the files, temperature, other work) are part of the difference, not of the interval.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median, variance
from typing import Any, NamedTuple

from disktuner.presentation.panels import Panel, Row, compared_row, figure, make_panel, typical_of
from disktuner.presentation.presented import result_title
from disktuner.results.model import Result
from disktuner.verdict.answer import subject_of
from disktuner.verdict.effects import ALPHA, LEAST_DEVIATION, Effect, ratio_of
from disktuner.verdict.judge import judge
from disktuner.verdict.levels import Levels, Scale, scales_of
from disktuner.verdict.model import Comparison, Estimate, Verdict
from disktuner.verdict.outcomes import Outcome
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
    "state of the disk",
    "read-ahead (KiB)",
    "queue length",
    "Disktuner",
)
"""The facts that are named if two results differ in them."""

_CHANGED = {Outcome.BETTER: "more-are-better", Outcome.WORSE: "more-are-worse"}
"""Outcomes that are changes, with the ids of the sentences that count further ones."""

LevelsOfRuns = Mapping[tuple[str, Setting], Sequence[float]]
"""The levels of the valid values by metric and setting."""


class _Side(NamedTuple):
    """A setting on one metric in one of the results: its levels, and the typical value that the result's page shows."""

    levels: Sequence[float]
    typical: float | None


@dataclass(frozen=True, slots=True)
class PresentedBetween:
    """Everything that is shown of two results.

    ``verdicts`` and ``answers`` are the first's and the second's, ``differences`` are other facts that differ as (what,
    first, second), ``left_out`` says by metric why it is not compared. The rows of ``panels`` are the second result's
    gains over the first, with both values ("70 ms → 60 ms"). ``why`` states the largest change in the first panel.
    ``caveat`` is what a reader must know.
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
    """Compare two results; never raises for well-formed ones."""
    verdicts = judge(first), judge(second)
    left_out = _left_out(first, second)
    changes = _changes((first, second), verdicts, left_out)
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
    reasons = {}
    for name, metric in first.metrics.items():
        other = second.metrics.get(name)
        if other is None:
            continue
        if (other.unit, other.better) != (metric.unit, metric.better):
            reasons[name] = message("other-unit", label=label_of(as_declared(metric)))
        elif metric.workload in OF_ONES_OWN:
            if not _same_program(first, second):
                reasons[name] = message("other-program", label=label_of(metric))
        elif _grows_with_size(metric) and not _same_size(first, second, metric.workload):
            reasons[name] = message("other-size", label=label_of(as_declared(metric)))
    return reasons


def _same_program(first: Result, second: Result) -> bool:
    """Whether both measured the same program of the user; its time limit does not matter."""
    programs = [program and replace(program, limit_s=1.0) for program in (first.own, second.own)]
    return programs[0] is not None and programs[0] == programs[1]


def _grows_with_size(metric: Metric) -> bool:
    """Whether a metric depends on the size of a run: total durations and counts do, rates and single waits do not."""
    return metric.name.endswith("wall_s") or metric.unit in COUNTED


def _same_size(first: Result, second: Result, workload: str) -> bool:
    """Whether both runs had the same size; results without sizes (from other programs, by hand) count as equal."""
    sizes = [_work(result.sizes.get(workload, {})) for result in (first, second) if result.sizes]
    return len(sizes) < 2 or sizes[0] == sizes[1]


def _work(size: Mapping[str, Any]) -> dict[str, int]:
    """Return the amounts of work, which are the integers; other values are durations and expectations."""
    return {name: n for name, n in size.items() if isinstance(n, int)}


def _changes(
    results: tuple[Result, Result], verdicts: tuple[Verdict, Verdict], left_out: Mapping[str, Message]
) -> tuple[Comparison, ...]:
    """Compare what both measured, in the first's order and on its scales; values are those of each result's answer."""
    first, second = results
    scales = scales_of(first, first.question)
    before, after = _levels(first, scales), _levels(second, scales)
    pairs = [pair for pair in before if pair in after and pair[0] not in left_out]
    judged = [(verdict, Levels.of(result)) for verdict, result in zip(verdicts, results, strict=True)]
    return tuple(
        _change(
            as_declared(first.metrics[metric]),
            scales[metric],
            setting,
            (
                _Side(before[metric, setting], typical_of(*judged[0], metric, setting)),
                _Side(after[metric, setting], typical_of(*judged[1], metric, setting)),
            ),
            ALPHA / len(pairs) / 2,
        )
        for metric, setting in pairs
    )


def _levels(result: Result, scales: Mapping[str, Scale]) -> LevelsOfRuns:
    """Return the levels of a result's valid values, without impossible ones (a time of zero)."""
    known: dict[tuple[str, Setting], list[float]] = {}
    for sample in result.samples:
        level = scales[sample.metric].level(sample.value) if sample.valid and sample.metric in scales else None
        if level is not None:
            known.setdefault((sample.metric, sample.setting), []).append(level)
    return known


def _change(metric: Metric, scale: Scale, setting: Setting, sides: tuple[_Side, _Side], alpha: float) -> Comparison:
    """Compare a setting with itself; its values are the typical ones unless they contradict the change."""
    (before, first), (after, second) = sides
    n = min(len(before), len(after))
    centre = fmean if n >= 2 else median
    now, value = scale.value(centre(before)), scale.value(centre(after))
    effect = _welch(before, after) if n >= 2 else Effect(n, centre(after) - centre(before), math.inf, 1.0)
    estimate = Estimate(effect.gain, effect.low(alpha), effect.high(alpha), n)
    old, new = scale.level(first or 0.0), scale.level(second or 0.0)
    if old is not None and new is not None and estimate.low <= new - old <= estimate.high:
        now, value = first or 0.0, second or 0.0
    gain, low, high = (scale.measured(now, log) for log in (estimate.gain, estimate.low, estimate.high))
    better, worse = scale.noticed(now)
    measured = Estimate(gain, low, high, n)
    return Comparison(metric, setting, estimate.outcome(worse, better), estimate, measured, value, now)


def _welch(before: Sequence[float], after: Sequence[float]) -> Effect:
    """Return the gain from one set of levels to the other."""
    logs = before, after
    squares = [max(variance(levels), LEAST_DEVIATION**2) / len(levels) for levels in logs]
    df = sum(squares) ** 2 / sum(s**2 / (len(levels) - 1) for s, levels in zip(squares, logs, strict=True))
    return Effect(min(map(len, logs)), fmean(after) - fmean(before), math.sqrt(sum(squares)), df)


def _differences(first: Result, second: Result) -> Iterator[tuple[str, str, str]]:
    for what, *facts in zip(DIFFERENCES, _facts(first), _facts(second), strict=True):
        old, new = map(_fact, facts)
        if old != new:
            yield named(what), old, new


def _facts(result: Result) -> tuple[str | int, ...]:
    """Return the facts named in ``DIFFERENCES``."""
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
        text(f"state-{result.plan.state}"),
        str(shown.get("queue/read_ahead_kb", "")),
        str(shown.get("queue/nr_requests", "")),
        result.app_version,
    )


def _fact(fact: str | int) -> str:
    """Return a fact as text; numbers are bytes."""
    shown = size(fact, language().numbers) if isinstance(fact, int) and fact else str(fact or "")
    return shown or NOTHING


def _first_told(changes: Sequence[Comparison], deciding: Sequence[str]) -> list[str]:
    """Return the metrics, changed ones first, and among both kinds those that decide first."""
    changed = {made.metric.name for made in changes if made.outcome in _CHANGED}
    names = dict.fromkeys(made.metric.name for made in changes)
    return sorted(names, key=lambda name: (name not in changed, name not in deciding))


def _why(changes: Sequence[Comparison], first: Sequence[str], question: Question) -> Iterator[Message]:
    """State the largest change of the first metric, and how many more became better or worse."""
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
