# SPDX-License-Identifier: GPL-3.0-or-later
"""Verdicts as the JSON that other programs read."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from disktuner.fleet.group import Group
from disktuner.fleet.summary import Summary
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
        "score": {setting: asdict(score) for setting, score in verdict.score.items()},
        "comparisons": [asdict(comparison) for comparison in verdict.comparisons],
        "ties": [list(tie) for tie in verdict.ties],
        "worth": verdict.worth,
        "open": [asdict(each) for each in verdict.open],
        "known": [asdict(fact) for fact in verdict.known],
        "leader": verdict.leader,
        "chance": verdict.chance,
        "more": asdict(verdict.more) if verdict.more else None,
        "more_rounds": verdict.more_rounds,
        "bound": verdict.bound,
        "left_out": list(verdict.left_out),
    }


def between_document(shown: PresentedBetween) -> dict[str, Any]:
    """Return what lies between two results as plain JSON values."""
    return {
        "first": shown.first.id,
        "second": shown.second.id,
        "why": shown.why,
        "verdicts": [verdict_document(verdict) for verdict in shown.verdicts],
        "comparisons": [
            asdict(each.comparison) | {"first": each.before, "second": each.after} for each in shown.changes
        ],
        "differences": [{"what": what, "first": old, "second": new} for what, old, new in shown.differences],
        "left_out": dict(shown.left_out),
    }


def summary_document(found: Summary) -> dict[str, Any]:
    """Return what many machines' results come to as plain JSON values.

    ``{"groups": [...], "left_out": [{"file", "why"}], "files"}``. A group has

    - ``model``, ``kernel`` (its series: ``6.12``), ``goal``;
    - ``machines``, how many were measured, ``disagreeing``, the files of those among them that do not fit the others
      (they do not count), and ``unidentified``, how many files do not say which disk it was (together one machine);
    - ``decision`` (``switch``, ``conditional``, ``keep``, ``trade-off``, ``undecided``), ``winner`` (a setting, or
      null), ``baseline``;
    - ``clear``: it is ``switch`` or ``keep``, and one machine in ten at most disagrees;
    - ``scheduler``, the winner, else who scores best, and its score: ``ratio`` (how many times better than the
      baseline), ``ci_low`` and ``ci_high`` (null below two machines); all are null where nothing was compared;
    - ``worth``, the least gain that is worth a change; ``more_machines``, how many more would decide (null where it is
      decided, or no number would);
    - ``why``, sentences, and ``comparisons``, as ``disktuner verdict --json`` has them, whose ``n`` are machines.

    Files are paths below the folder that was read.
    """
    return {
        "groups": [_group(each) for each in found.groups],
        "left_out": [{"file": each.file, "why": say(each.why)} for each in found.left_out],
        "files": found.files,
    }


def _group(group: Group) -> dict[str, Any]:
    verdict = group.verdict
    score = verdict.score.get(group.shown or "")
    return {
        "model": group.model,
        "kernel": group.kernel,
        "goal": group.goal,
        "machines": len(group.machines),
        "decision": verdict.decision.value,
        "clear": group.is_clear,
        "winner": verdict.winner,
        "baseline": verdict.baseline,
        "scheduler": group.shown,
        "ratio": score.ratio if score else None,
        "ci_low": score.ci_low if score else None,
        "ci_high": score.ci_high if score else None,
        "disagreeing": [file for machine in group.disagreeing for file in machine.files],
        "unidentified": group.unknown,
        "worth": verdict.worth,
        "more_machines": verdict.more_rounds,
        "why": say_all(verdict.why),
        "comparisons": [asdict(comparison) for comparison in verdict.comparisons],
    }
