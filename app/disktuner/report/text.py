# SPDX-License-Identifier: GPL-3.0-or-later
"""A verdict as the JSON that other programs read and as text for a terminal."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from disktuner.results.model import Result
from disktuner.verdict.model import Comparison, Verdict
from disktuner.verdict.priorities import priority_facts


def verdict_document(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as a JSON object, with the keys that ``disktuner verdict --json`` promises."""
    return {
        "decision": verdict.decision.value,
        "winner": verdict.winner,
        "baseline": verdict.baseline,
        "why": verdict.why,
        "comparisons": [asdict(comparison) for comparison in verdict.comparisons],
        "ties": [list(tie) for tie in verdict.ties],
        "more_rounds": verdict.more_rounds,
    }


def verdict_json(verdict: Verdict) -> str:
    """Return a verdict as one JSON document."""
    return json.dumps(verdict_document(verdict), ensure_ascii=False, allow_nan=False, indent=2)


def verdict_text(result: Result, verdict: Verdict) -> str:
    """Return a verdict as lines for a terminal: the sentence, then every comparison in columns."""
    rows = [("", "scheduler", "rounds", f"against {verdict.baseline}", "family-wise 95 %", "")]
    before = ""
    for comparison in verdict.comparisons:
        label = result.metrics[comparison.metric].label
        rows.append((label if label != before else "", *columns(comparison)))
        before = label
    widths = [max(len(row[at]) for row in rows) for at in range(6)]
    table = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    lines = [verdict.why, "", *table] if verdict.comparisons else [verdict.why]
    facts = priority_facts(result)
    if facts:
        lines += ["", "I/O priorities on this disk:", *(f"  {fact.sentence()}" for fact in facts)]
    return "\n".join(lines)


def columns(comparison: Comparison) -> tuple[str, str, str, str, str]:
    """Return scheduler, rounds, ratio, interval and outcome of a comparison as text."""
    ratio = "–" if comparison.ratio is None else figure(comparison.ratio)
    interval = "too few"
    if comparison.ci_low is not None and comparison.ci_high is not None:
        interval = f"{figure(comparison.ci_low)} – {figure(comparison.ci_high)}"
    return comparison.scheduler, str(comparison.n), ratio, interval, comparison.outcome.value


def figure(ratio: float) -> str:
    """Return a ratio with three digits that mean something."""
    if ratio >= 1000 or ratio < 0.001:
        return "> 1000" if ratio >= 1000 else "< 0.001"
    return f"{ratio:.3f}" if ratio < 10 else f"{ratio:.1f}"
