# SPDX-License-Identifier: GPL-3.0-or-later
"""What a report shows of a result, worked out once for pictures and tables: rows, values, facts about the set-up."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from statistics import median

from disktuner.results.model import Result
from disktuner.verdict.model import Comparison, Outcome, Verdict
from disktuner.vocabulary.metrics import Better, Metric, is_cost

SIGNS = {Outcome.BETTER: "▲", Outcome.WORSE: "▼", Outcome.SAME: "=", Outcome.UNDECIDED: "?"}
METHOD = (
    "Bars hold the true ratio of typical values with 95 % confidence for all of them together. Runs in random order, "
    "compared within rounds; dots are single rounds. “Same” means within ±5 %."
)


@dataclass(frozen=True, slots=True)
class Row:
    """One scheduler on one metric. ``gain`` is how many times better than the baseline, above 1 is better."""

    scheduler: str
    typical: float
    n: int
    gain: float | None
    gain_low: float | None
    gain_high: float | None
    outcome: Outcome | None
    dots: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """One metric with all its schedulers, the baseline first."""

    metric: Metric
    rows: tuple[Row, ...]


def panels(result: Result, verdict: Verdict) -> tuple[Panel, ...]:
    """Return a panel for every metric, what decides first; for a result of one scheduler its own values alone."""
    values = _values(result)
    compared = {(c.metric, c.scheduler): c for c in verdict.comparisons}
    first = dict.fromkeys(c.metric for c in verdict.comparisons)
    order = dict.fromkeys((*first, *(name for name in result.metrics if name in values)))
    if first:
        order = {name: None for name in order if name in first or not is_cost(name)}
    planned = (verdict.baseline, *result.plan.schedulers)
    return tuple(_panel(result.metrics[m], values[m], planned, compared) for m in order if m in values)


def value_text(value: float, unit: str) -> str:
    """Return a measured value with its unit as people read it."""
    if unit == "bytes_per_s":
        return f"{_digits(value / 1e6)} MB/s"
    if unit == "s" and value < 1:
        return f"{_digits(value * 1e3)} ms"
    return f"{_digits(value)} {unit.replace('_per_s', '/s').replace('_', ' ')}".rstrip()


def gain_text(row: Row) -> str:
    """Return how much better or worse, and its interval, as text."""
    if row.gain is None:
        return "too few runs"
    if row.gain_low is None or row.gain_high is None:
        return f"{_times(row.gain)} (too few runs)"
    return f"{_times(row.gain)} ({_times(row.gain_low)[:-1]}–{_times(row.gain_high)})"


def direction(metric: Metric) -> str:
    """Say which way of a metric is better."""
    return "less is better" if metric.better is Better.LOWER else "more is better"


def setup_facts(result: Result) -> tuple[str, ...]:
    """Return disk, size, kind, file system and kernel: what a reader must know to compare with their own."""
    disk, machine = result.disk, result.machine
    model = " ".join(str(disk[key]).strip() for key in ("vendor", "model") if disk.get(key))
    kind = str(disk.get("kind") or "")
    size = disk.get("size_bytes")
    facts = (
        model or kind or "unnamed disk",
        kind if model else "",
        f"{size / 1e9:.0f} GB" if isinstance(size, int | float) and size >= 1e9 else "",
        result.filesystem.fstype,
        f"kernel {machine.kernel}" if machine.kernel else "",
        machine.os,
        machine.cpu,
    )
    return tuple(" ".join(fact.split()) for fact in facts if fact)


def run_facts(result: Result) -> str:
    """Return goal, rounds, marked samples and date of a result in one line."""
    rounds = len({sample.round for sample in result.samples})
    invalid = sum(not sample.valid for sample in result.samples)
    disturbed = sum(sample.valid and sample.reason is not None for sample in result.samples)
    parts = [
        f"goal {result.plan.goal}" if result.plan.goal else "",
        f"{rounds} {'round' if rounds == 1 else 'rounds'}",
        f"{invalid} invalid samples left out" if invalid else "",
        f"{disturbed} disturbed samples used" if disturbed else "",
        result.created[:10],
        f"Disktuner {result.app_version}" if result.app_version else "Disktuner",
    ]
    return " · ".join(part for part in parts if part)


def _panel(
    metric: Metric,
    values: dict[str, dict[int, float]],
    planned: tuple[str, ...],
    compared: dict[tuple[str, str], Comparison],
) -> Panel:
    baseline, names = planned[0], [name for name in dict.fromkeys((*planned, *values)) if name in values]
    return Panel(metric, tuple(_row(metric, s, values, baseline, compared.get((metric.name, s))) for s in names))


def _row(
    metric: Metric, scheduler: str, values: dict[str, dict[int, float]], baseline: str, found: Comparison | None
) -> Row:
    own, base = values[scheduler], values.get(baseline, {})
    typical = median(own.values())
    if found is None:
        return Row(scheduler, typical, len(own), None, None, None, None, ())
    turn = -1 if metric.better is Better.LOWER else 1
    pairs = [(own[r], base[r]) for r in sorted(own.keys() & base.keys())[:200]]
    dots = tuple(_power(x / y, turn) for x, y in pairs if x > 0 and y > 0)
    ends = [None if x is None else _power(x, turn) for x in (found.ratio, found.ci_low, found.ci_high)]
    low, high = (ends[2], ends[1]) if turn < 0 else (ends[1], ends[2])
    return Row(scheduler, typical, found.n, ends[0], low, high, found.outcome, dots)


def _power(ratio: float, turn: int) -> float:
    return ratio if turn > 0 or ratio <= 0 else 1 / ratio


def _values(result: Result) -> dict[str, dict[str, dict[int, float]]]:
    """Return the valid values by metric, scheduler and round; several in one round as their median."""
    found: dict[str, dict[str, dict[int, list[float]]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for sample in result.samples:
        if sample.valid and math.isfinite(sample.value):
            found[sample.metric][sample.scheduler][sample.round].append(sample.value)
    return {
        metric: {s: {r: median(values) for r, values in rounds.items()} for s, rounds in schedulers.items()}
        for metric, schedulers in found.items()
    }


def _digits(value: float) -> str:
    """Return a number with three digits that mean something, thousands apart."""
    if value == 0 or not 1e-4 <= abs(value) < 1e15:
        return f"{value:.3g}"
    return f"{value:,.{max(0, 2 - math.floor(math.log10(abs(value))))}f}".replace(",", " ")


def _times(gain: float) -> str:
    if not 0.001 <= gain < 1000:
        return ">999×" if gain > 1 else "0×"
    return f"{gain:.2f}×" if gain < 10 else f"{gain:.0f}×"
