# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares two results: what became faster or slower from one to the other, and what else differs between them.

Each scheduler is compared with itself, figure by figure, by Welch's interval on logarithms (B. L. Welch, "The
generalization of Student's problem when several different population variances are involved", Biometrika 34, 1947),
family-wise 95 % over all rows (Bonferroni). Unlike the runs of one result, those of two were not interleaved: what
changed with time (age of the files, temperature, other work) is part of the difference and not of the interval.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from disktuner.results.codec import without_collector
from disktuner.results.model import Result
from disktuner.verdict.analysis import FAMILY_ALPHA, outcome_of
from disktuner.verdict.interval import unpaired
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Comparison, Outcome, Verdict
from disktuner.verdict.table import COUNTED, LARGEST_LOG, Estimate, Table
from disktuner.vocabulary.metrics import Metric

CAVEAT = (
    "The two were not measured in turns: whatever else changed between them (other files, temperature, other work) is "
    "part of the difference."
)


@dataclass(frozen=True, slots=True)
class Row:
    """One scheduler on one figure: ``comparison.ratio`` is the second result's typical value ÷ the first's."""

    comparison: Comparison
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Between:
    """What lies between two results.

    ``verdicts`` are those of the first and the second; ``differences`` name what else is not the same (kernel, file
    system, …) as (what, first, second); ``left_out`` says by figure why it cannot be compared; ``why`` is the
    sentence that a person reads.
    """

    first: Result
    second: Result
    verdicts: tuple[Verdict, Verdict]
    rows: tuple[Row, ...]
    differences: tuple[tuple[str, str, str], ...]
    left_out: Mapping[str, str]
    why: str


def between(first: Result, second: Result) -> Between:
    """Compare two results; never raises for whatever sound results may hold."""
    with without_collector():
        tables = Table.of(first), Table.of(second)
        left_out = _left_out(first, second)
        pairs = [pair for pair in _common(*tables) if pair[0] not in left_out]
        alpha = FAMILY_ALPHA / max(1, len(pairs))
        rows = tuple(_row(first.metrics[metric], scheduler, tables, alpha) for metric, scheduler in pairs)
        verdicts = judge(first), judge(second)
        return Between(first, second, verdicts, rows, _differences(first, second), left_out, _sentence(rows, first))


def _common(first: Table, second: Table) -> list[tuple[str, str]]:
    """Figures and schedulers that both have, in the order of the first."""
    return [
        (metric, scheduler)
        for metric, schedulers in first.logs.items()
        for scheduler in schedulers
        if scheduler in second.logs.get(metric, {})
    ]


def _left_out(first: Result, second: Result) -> dict[str, str]:
    found = {}
    for name, metric in first.metrics.items():
        other = second.metrics.get(name)
        if other is not None and (other.unit, other.better) != (metric.unit, metric.better):
            found[name] = "the two results give it another unit or direction"
        elif other is not None and _grows_with_size(metric) and not _same_size(first, second, name.partition(".")[0]):
            found[name] = "it was measured with another amount of work"
    return found


def _grows_with_size(metric: Metric) -> bool:
    """Whole durations and counts depend on how much a run had to do; rates and single waits do not."""
    return metric.name.endswith("wall_s") or metric.unit in COUNTED


def _same_size(first: Result, second: Result, workload: str) -> bool:
    """Results that do not say their sizes (not ours, by hand) are taken to have the same."""
    sizes = [result.extra.get("sizes") for result in (first, second)]
    found = [size.get(workload) for size in sizes if isinstance(size, Mapping)]
    return len(found) < 2 or found[0] == found[1]


def _row(metric: Metric, scheduler: str, tables: tuple[Table, Table], alpha: float) -> Row:
    import numpy as np  # noqa: PLC0415 - loaded only when something is judged

    shift = 0.5 if metric.unit in COUNTED else 0.0
    before, after = (table.logs[metric.name][scheduler].values for table in tables)
    n = min(len(before), len(after))
    centre = np.mean if n >= 2 else np.median  # as the interval's: so that no ratio contradicts its two values
    centres = [_bounded(float(centre(values))) for values in (before, after)]
    estimate = Estimate(n, centres[1] - centres[0], None, None)
    if n >= 2:
        found = unpaired(after, before, alpha)
        estimate = Estimate(n, float(found.centre), _bounded(float(found.low)), _bounded(float(found.high)))
    ratio, low, high = (
        None if x is None else math.exp(_bounded(x)) for x in (estimate.centre, estimate.low, estimate.high)
    )
    comparison = Comparison(metric.name, scheduler, n, ratio, low, high, outcome_of(metric, estimate))
    return Row(comparison, math.exp(centres[0]) - shift, math.exp(centres[1]) - shift)


def _bounded(log: float) -> float:
    return max(-LARGEST_LOG, min(LARGEST_LOG, log))


def _differences(first: Result, second: Result) -> tuple[tuple[str, str, str], ...]:
    facts = [_facts(first), _facts(second)]
    return tuple((name, facts[0][name], facts[1][name]) for name in facts[0] if facts[0][name] != facts[1][name])


def _facts(result: Result) -> dict[str, str]:
    disk, machine, filesystem = result.disk, result.machine, result.filesystem
    tunables = disk.get("tunables")
    shown = tunables if isinstance(tunables, Mapping) else {}
    return {
        "disk": _text(disk, "vendor", "model") or _text(disk, "name"),
        "serial number": _text(disk, "serial"),
        "kernel": machine.kernel,
        "system": machine.os,
        "processor": machine.cpu,
        "memory": f"{machine.memory_bytes / 2**30:.0f} GiB" if machine.memory_bytes else "",
        "file system": filesystem.fstype,
        "mount options": ",".join(sorted(filesystem.options)),
        "scheduler before": result.plan.baseline,
        "goal": result.plan.goal or "",
        "read-ahead": f"{shown['queue/read_ahead_kb']} KiB" if "queue/read_ahead_kb" in shown else "",
        "queue length": str(shown.get("queue/nr_requests", "")),
        "Disktuner": result.app_version,
    }


def _text(disk: Mapping[str, Any], *keys: str) -> str:
    return " ".join(str(disk[key]).strip() for key in keys if disk.get(key))


def _sentence(rows: tuple[Row, ...], first: Result) -> str:
    if not rows:
        return "Nothing can be compared: the two results have no figure and scheduler in common."
    found = {outcome: [row for row in rows if row.comparison.outcome is outcome] for outcome in Outcome}
    told = [_told(found[outcome], outcome.value, first) for outcome in (Outcome.BETTER, Outcome.WORSE)]
    parts = [part for part in told if part]
    if parts:
        return f"The second result is {' and '.join(parts)}."
    if len(found[Outcome.SAME]) == len(rows):
        return "No practical difference: everything that both measured is within 5 %."
    return "No difference is shown: more rounds in both would tell whether there is one."


def _told(rows: list[Row], word: str, first: Result) -> str:
    """The largest change in one direction, and how many more there are."""
    if not rows:
        return ""
    most = max(rows, key=lambda row: abs(math.log(row.comparison.ratio or 1.0)))
    found = most.comparison
    ratio = max(found.ratio or 1.0, 1 / (found.ratio or 1.0))
    label = first.metrics[found.metric].label
    more = f" and {len(rows) - 1} more" if len(rows) > 1 else ""
    return f"{word} on “{label}” with {found.scheduler} ({ratio:.2f}×){more}"
