# SPDX-License-Identifier: GPL-3.0-or-later
"""What lies between two results, as lines for a terminal and as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from disktuner.presentation import present_between
from disktuner.report.tables import heads
from disktuner.report.text import aligned, verdict_document
from disktuner.verdict.between import Between
from disktuner.vocabulary.messages import say, text


def between_text(found: Between) -> str:
    """Return the sentences, both answers, what else differs, and every row in columns."""
    shown = present_between(found)
    lines = [shown.why, "", *shown.answers]
    lines += [text("not-the-same", what=what, first=old, second=new) for what, old, new in shown.differences]
    lines += shown.left_out
    lines += ["", *aligned(shown.panels, heads(text("first"))), "", shown.caveat] if shown.panels else []
    return "\n".join(lines)


def between_json(found: Between) -> str:
    """Return the same as one JSON document."""
    return json.dumps(between_document(found), ensure_ascii=False, allow_nan=False, indent=2)


def between_document(found: Between) -> dict[str, Any]:
    """Return the same as plain JSON values."""
    shown = present_between(found)
    return {
        "first": found.first.id,
        "second": found.second.id,
        "why": shown.why,
        "verdicts": [verdict_document(verdict) for verdict in found.verdicts],
        "comparisons": [
            asdict(each.comparison) | {"first": each.before, "second": each.after} for each in found.changes
        ],
        "differences": [{"what": what, "first": old, "second": new} for what, old, new in shown.differences],
        "left_out": {name: say(reason) for name, reason in found.left_out.items()},
    }
