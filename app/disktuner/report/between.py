# SPDX-License-Identifier: GPL-3.0-or-later
"""What lies between two results, as lines for a terminal and as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict

from disktuner.report.figures import value_text
from disktuner.report.text import figure, verdict_document
from disktuner.verdict.between import CAVEAT, Between, Row


def between_text(found: Between) -> str:
    """Return the sentence, both answers, what else differs, and every row in columns."""
    lines = [found.why, ""]
    lines += [f"{which}: {verdict.why}" for which, verdict in zip(("First", "Second"), found.verdicts, strict=True)]
    lines += [f"Not the same: {what}: {old or '–'} → {new or '–'}" for what, old, new in found.differences]
    lines += [f"Left out: {found.first.metrics[name].label}: {reason}." for name, reason in found.left_out.items()]
    if found.rows:
        lines += ["", *_table(found), "", CAVEAT]
    return "\n".join(lines)


def between_json(found: Between) -> str:
    """Return the same as one JSON document."""
    document = {
        "first": found.first.id,
        "second": found.second.id,
        "why": found.why,
        "verdicts": [verdict_document(verdict) for verdict in found.verdicts],
        "comparisons": [asdict(row.comparison) | {"first": row.before, "second": row.after} for row in found.rows],
        "differences": [{"what": what, "first": old, "second": new} for what, old, new in found.differences],
        "left_out": dict(found.left_out),
    }
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2)


def values_text(found: Between, row: Row) -> str:
    """Return the typical value before and after."""
    unit = found.first.metrics[row.comparison.metric].unit
    return f"{value_text(row.before, unit)} → {value_text(row.after, unit)}"


def _table(found: Between) -> list[str]:
    rows = [("", "scheduler", "typical", "second ÷ first", "family-wise 95 %", "")]
    before = ""
    for row in found.rows:
        each = row.comparison
        label = found.first.metrics[each.metric].label
        interval = "too few"
        if each.ci_low is not None and each.ci_high is not None:
            interval = f"{figure(each.ci_low)} – {figure(each.ci_high)}"
        ratio = "–" if each.ratio is None else figure(each.ratio)
        shown = label if label != before else ""
        rows.append((shown, each.scheduler, values_text(found, row), ratio, interval, each.outcome.value))
        before = label
    widths = [max(len(row[at]) for row in rows) for at in range(6)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
