# SPDX-License-Identifier: GPL-3.0-or-later
"""A verdict as the JSON that other programs read and as text for a terminal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from disktuner.presentation import Panel, present
from disktuner.report.tables import cells, heads
from disktuner.results.model import Result
from disktuner.verdict.model import Verdict
from disktuner.vocabulary.messages import say_all


def verdict_document(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as a JSON object, with the keys that ``disktuner verdict --json`` promises."""
    return {
        "decision": verdict.decision.value,
        "winner": verdict.winner,
        "baseline": verdict.baseline,
        "why": say_all(verdict.why),
        "comparisons": [asdict(comparison) for comparison in verdict.comparisons],
        "ties": [list(tie) for tie in verdict.ties],
        "more_rounds": verdict.more_rounds,
    }


def verdict_json(verdict: Verdict) -> str:
    """Return a verdict as one JSON document."""
    return json.dumps(verdict_document(verdict), ensure_ascii=False, allow_nan=False, indent=2)


def verdict_text(result: Result, verdict: Verdict) -> str:
    """Return a verdict as lines for a terminal: the sentences, then every comparison in columns."""
    presented = present(result, verdict)
    lines = [presented.why, "", *aligned(presented.panels, heads(verdict.baseline))]
    return "\n".join([*lines, "", presented.priorities] if presented.priorities else lines)


def aligned(panels: Sequence[Panel], head: Sequence[str]) -> list[str]:
    """Return the rows of all panels in columns, the label of each beside its first row."""
    rows = [("", *head)]
    for panel in panels:
        labels = (panel.label, *[""] * len(panel.rows))
        rows += [(label, *cells(row)) for label, row in zip(labels, panel.rows, strict=False)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
