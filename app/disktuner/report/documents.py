# SPDX-License-Identifier: GPL-3.0-or-later
"""Verdicts as the JSON that other programs read."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from disktuner.fleet.group import Group
from disktuner.fleet.summary import Summary
from disktuner.presentation import PresentedBetween
from disktuner.verdict.model import Contrast, Known, Verdict
from disktuner.vocabulary.messages import say, say_all
from disktuner.vocabulary.settings import Setting


def verdict_document(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as plain JSON values, with the keys that ``disktuner verdict --json`` promises."""
    return {
        "decision": verdict.decision.value,
        "winner": _name(verdict.winner),
        "baseline": verdict.baseline.name,
        "why": say_all(verdict.why),
        "score": {setting.name: asdict(score) for setting, score in verdict.score.items()},
        "comparisons": [_of_setting(each) for each in verdict.comparisons],
        "ties": [[each.name for each in tie] for tie in verdict.ties],
        "worth": verdict.worth,
        "open": [asdict(each) for each in verdict.open],
        "known": [_of_setting(each) for each in verdict.known],
        "leader": _name(verdict.leader),
        "chance": verdict.chance,
        "more": asdict(verdict.more) if verdict.more else None,
        "more_rounds": verdict.more.rounds if verdict.more else None,
        "bound": verdict.bound,
        "left_out": [each.name for each in verdict.left_out],
    }


def between_document(shown: PresentedBetween) -> dict[str, Any]:
    """Return what lies between two results as plain JSON values."""
    return {
        "first": shown.first.id,
        "second": shown.second.id,
        "why": shown.why,
        "verdicts": [verdict_document(verdict) for verdict in shown.verdicts],
        "comparisons": [
            _of_setting(each.comparison) | {"first": each.before, "second": each.after} for each in shown.changes
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
    score = verdict.score.get(group.shown) if group.shown else None
    return {
        "model": group.model,
        "kernel": group.kernel,
        "goal": group.goal,
        "machines": len(group.machines),
        "decision": verdict.decision.value,
        "clear": group.is_clear,
        "winner": _name(verdict.winner),
        "baseline": verdict.baseline.name,
        "scheduler": _name(group.shown),
        "ratio": score.ratio if score else None,
        "ci_low": score.ci_low if score else None,
        "ci_high": score.ci_high if score else None,
        "disagreeing": [file for machine in group.disagreeing for file in machine.files],
        "unidentified": group.unknown,
        "worth": verdict.worth,
        "more_machines": verdict.more.rounds if verdict.more else None,
        "why": say_all(verdict.why),
        "comparisons": [_of_setting(each) for each in verdict.comparisons],
    }


def _name(setting: Setting | None) -> str | None:
    return setting.name if setting else None


def _of_setting(fact: Contrast | Known) -> dict[str, Any]:
    """Return what is said of a setting, which stands under ``scheduler`` by its name."""
    others = {each.name: getattr(fact, each.name) for each in fields(fact) if each.name != "setting"}
    return {"scheduler": fact.setting.name, **others}
