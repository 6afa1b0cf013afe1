# SPDX-License-Identifier: GPL-3.0-or-later
"""Verdicts as the JSON that other programs read."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from disktuner.presentation import PresentedBetween
from disktuner.verdict.model import Verdict
from disktuner.vocabulary.messages import say, say_all


def verdict_document(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as plain JSON values, with the keys that ``disktuner verdict --json`` promises."""
    return {
        "decision": verdict.decision.value,
        "winner": verdict.winner,
        "baseline": verdict.baseline,
        "why": say_all(verdict.why),
        "comparisons": [asdict(comparison) for comparison in verdict.comparisons],
        "ties": [list(tie) for tie in verdict.ties],
        "worth": verdict.worth,
        "known": [asdict(fact) | {"kind": fact.kind.value} for fact in verdict.known],
        "leader": verdict.leader,
        "chance": verdict.chance,
        "more": asdict(verdict.more) if verdict.more else None,
        "more_rounds": verdict.more_rounds,
        "bound": verdict.bound,
        "left_out": list(verdict.left_out),
    }


def between_document(shown: PresentedBetween) -> dict[str, Any]:
    """Return what lies between two results as plain JSON values."""
    found = shown.between
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
