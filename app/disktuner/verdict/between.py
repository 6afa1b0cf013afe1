# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares two results: what became faster or slower from one to the other, and what else differs between them.

Each scheduler is compared with itself, metric by metric, by Welch's interval on logarithms (B. L. Welch, "The
generalization of Student's problem when several different population variances are involved", Biometrika 34, 1947),
family-wise 95 % over all rows (Bonferroni). Unlike the runs of one result, those of two were not interleaved: what
changed with time (age of the files, temperature, other work) is part of the difference and not of the interval.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from disktuner.results.definition import from_extra
from disktuner.results.model import Result
from disktuner.verdict.analysis import FAMILY_ALPHA, comparison_of, ratio_of
from disktuner.verdict.interval import Errors, unpaired
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Contrast, Outcome, Verdict
from disktuner.verdict.table import COUNTED, Estimate, Table
from disktuner.vocabulary.differences import difference_message
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.metrics import Metric
from disktuner.vocabulary.workloads import OF_ONES_OWN, as_declared, label_of


@dataclass(frozen=True, slots=True)
class Change:
    """One scheduler on one metric: ``comparison.ratio`` is the typical value ``after`` (in the second) ÷ ``before``."""

    comparison: Contrast
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Between:
    """What lies between two results.

    ``verdicts`` are those of the first and the second; ``differences`` name what else is not the same (kernel, file
    system, …) as (what, first, second); ``left_out`` says by metric why it cannot be compared; ``why`` are the
    sentences that a person reads.
    """

    first: Result
    second: Result
    verdicts: tuple[Verdict, Verdict]
    changes: tuple[Change, ...]
    differences: tuple[tuple[str, str | int, str | int], ...]
    left_out: Mapping[str, Message]
    why: tuple[Message, ...]


def between(first: Result, second: Result) -> Between:
    """Compare two results; never raises for whatever sound results may hold."""
    tables = Table.of(first), Table.of(second)
    left_out = _left_out(first, second)
    pairs = [pair for pair in _common(*tables) if pair[0] not in left_out]
    alpha = FAMILY_ALPHA / max(1, len(pairs))
    changes = tuple(_change(first.metrics[metric], scheduler, tables, alpha) for metric, scheduler in pairs)
    verdicts = judge(first), judge(second)
    return Between(first, second, verdicts, changes, _differences(first, second), left_out, _why(changes, first))


def _common(first: Table, second: Table) -> list[tuple[str, str]]:
    """Return the metrics and schedulers that both have, in the order of the first."""
    return [
        (metric, scheduler)
        for metric, schedulers in first.logs.items()
        for scheduler in schedulers
        if scheduler in second.logs.get(metric, {})
    ]


def _left_out(first: Result, second: Result) -> dict[str, Message]:
    found = {}
    for name, metric in first.metrics.items():
        other = second.metrics.get(name)
        if other is not None and (other.unit, other.better) != (metric.unit, metric.better):
            found[name] = message("other-unit", label=label_of(as_declared(metric)))
        elif other is not None and metric.workload in OF_ONES_OWN:
            if not _same_program(first, second):
                found[name] = message("other-program", label=label_of(metric))
        elif other is not None and _grows_with_size(metric) and not _same_size(first, second, name.partition(".")[0]):
            found[name] = message("other-size", label=label_of(as_declared(metric)))
    return found


def _same_program(first: Result, second: Result) -> bool:
    """Whether both measured the same program of the user's own; how long it might have taken does not matter."""
    found = [own and replace(own, limit_s=1.0) for own in (from_extra(first.extra), from_extra(second.extra))]
    return found[0] is not None and found[0] == found[1]


def _grows_with_size(metric: Metric) -> bool:
    """Whole durations and counts depend on how much a run had to do; rates and single waits do not."""
    return metric.name.endswith("wall_s") or metric.unit in COUNTED


def _same_size(first: Result, second: Result, workload: str) -> bool:
    """Results that do not say their sizes (not ours, by hand) are taken to have the same."""
    sizes = [result.extra.get("sizes") for result in (first, second)]
    found = [_work(size.get(workload)) for size in sizes if isinstance(size, Mapping)]
    return len(found) < 2 or found[0] == found[1]


def _work(size: object) -> dict[str, int]:
    """How much was done: whole numbers; the others are durations, and what was expected."""
    return {name: n for name, n in size.items() if isinstance(n, int)} if isinstance(size, Mapping) else {}


def _change(metric: Metric, scheduler: str, tables: tuple[Table, Table], alpha: float) -> Change:
    import numpy as np  # noqa: PLC0415 - loaded only when something is judged

    shift = 0.5 if metric.unit in COUNTED else 0.0
    before, after = (table.logs[metric.name][scheduler].values for table in tables)
    n = min(len(before), len(after))
    centre = np.mean if n >= 2 else np.median  # as the interval's: so that no ratio contradicts its two values
    centres = [float(centre(values)) for values in (before, after)]
    estimate = Estimate(n, centres[1] - centres[0], None, None)
    if n >= 2:
        found = unpaired(after, before, Errors.two_sided(alpha))
        estimate = Estimate(n, float(found.centre), float(found.low), float(found.high))
    typical = [ratio_of(each) - shift for each in centres]
    return Change(comparison_of(metric, scheduler, estimate), *typical)


def _differences(first: Result, second: Result) -> tuple[tuple[str, str | int, str | int], ...]:
    facts = [_facts(first), _facts(second)]
    return tuple((name, facts[0][name], facts[1][name]) for name in facts[0] if facts[0][name] != facts[1][name])


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


def _facts(result: Result) -> dict[str, str | int]:
    disk, machine, filesystem = result.disk, result.machine, result.filesystem
    tunables = disk.get("tunables")
    shown = tunables if isinstance(tunables, Mapping) else {}
    facts = (
        _text(disk, "vendor", "model") or _text(disk, "name"),
        _text(disk, "serial"),
        machine.kernel,
        machine.os,
        machine.cpu,
        machine.memory_bytes,
        filesystem.fstype,
        ",".join(sorted(filesystem.options)),
        result.plan.baseline,
        result.plan.goal or "",
        str(shown.get("queue/read_ahead_kb", "")),
        str(shown.get("queue/nr_requests", "")),
        result.app_version,
    )
    return dict(zip(DIFFERENCES, facts, strict=True))


def _text(disk: Mapping[str, Any], *keys: str) -> str:
    return " ".join(str(disk[key]).strip() for key in keys if disk.get(key))


def _why(changes: tuple[Change, ...], first: Result) -> tuple[Message, ...]:
    if not changes:
        return (message("nothing-in-common"),)
    found = {outcome: [each for each in changes if each.comparison.outcome is outcome] for outcome in Outcome}
    better, worse = found[Outcome.BETTER], found[Outcome.WORSE]
    if better or worse:
        return (*_largest(better, "more-are-better", first), *_largest(worse, "more-are-worse", first))
    return (message("second-is-same" if len(found[Outcome.SAME]) == len(changes) else "second-is-unclear"),)


def _largest(changes: list[Change], how_many_more: str, first: Result) -> Iterator[Message]:
    """Say the largest change in one direction, and how many more there are."""
    if not changes:
        return
    most = max((each.comparison for each in changes), key=lambda found: abs(math.log(found.ratio or 1.0)))
    metric = as_declared(first.metrics[most.metric])
    yield message(
        "second-differs",
        scheduler=most.scheduler,
        difference=difference_message(metric, most.ratio or 1.0),
        subject=message("figure", label=label_of(metric)),
    )
    if len(changes) > 1:
        yield message(how_many_more, count=len(changes) - 1)
