# SPDX-License-Identifier: GPL-3.0-or-later
"""Verdicts as the JSON that other programs read."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from disktuner.fleet.group import Group
from disktuner.fleet.summary import Summary
from disktuner.presentation import PresentedBetween
from disktuner.verdict.effects import ratio_of
from disktuner.verdict.model import Assessment, Comparison, Estimate, Side, State, Verdict
from disktuner.vocabulary.messages import say, say_all
from disktuner.vocabulary.metrics import Better
from disktuner.vocabulary.settings import Setting


def verdict_document(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as plain JSON values, with the keys that ``disktuner verdict --json`` promises.

    Ratios of ``comparisons`` are as measured, all others on the scale that decides (docs/method.md).
    """
    return {
        "decision": verdict.decision.value,
        "winner": _name(verdict.winner),
        "baseline": verdict.baseline.name,
        "why": say_all(verdict.answer.sentences),
        "score": {setting.name: _factors(known.estimate) for setting, known in _scored(verdict)},
        "comparisons": list(map(_comparison, verdict.comparisons)),
        "ties": [[setting.name for setting in tie] for tie in verdict.ties],
        "worth": verdict.worth,
        "open": list(map(_side, verdict.open)),
        "known": list(_known(verdict)),
        "leader": _name(verdict.leader),
        "chance": verdict.chance,
        "more": asdict(verdict.more) if verdict.more else None,
        "more_rounds": verdict.more.rounds if verdict.more else None,
        "bound": verdict.bound,
        "left_out": [setting.name for setting in verdict.left_out],
    }


def between_document(shown: PresentedBetween) -> dict[str, Any]:
    """Return what lies between two results as plain JSON values."""
    return {
        "first": shown.first.id,
        "second": shown.second.id,
        "why": shown.why,
        "verdicts": [verdict_document(verdict) for verdict in shown.verdicts],
        "comparisons": [_comparison(made) | {"first": made.now, "second": made.value} for made in shown.changes],
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
        **{name: factor for name, factor in _factors(group.score).items() if name != "n"},
        "disagreeing": [file for machine in group.disagreeing for file in machine.files],
        "unidentified": group.unknown,
        "worth": verdict.worth,
        "more_machines": verdict.more.rounds if verdict.more else None,
        "why": say_all(verdict.answer.sentences),
        "comparisons": list(map(_comparison, verdict.comparisons)),
    }


def _name(setting: Setting | None) -> str | None:
    return setting.name if setting else None


def _scored(verdict: Verdict) -> Iterator[tuple[Setting, Assessment]]:
    return ((setting, known) for setting, known in verdict.assessments.items() if known.score)


def _factors(estimate: Estimate | None, sign: float = 1.0) -> dict[str, Any]:
    """Return an estimate as factors: of gains, with a ``sign`` of -1 of losses."""
    if estimate is None:
        return {"n": 0, "ratio": None, "ci_low": None, "ci_high": None}
    low, high = sorted((sign * estimate.low, sign * estimate.high))
    return {"n": estimate.n, "ratio": ratio_of(sign * estimate.gain), "ci_low": _factor(low), "ci_high": _factor(high)}


def _comparison(made: Comparison) -> dict[str, Any]:
    factors = _factors(made.measured, -1.0 if made.metric.better is Better.LOWER else 1.0)
    if made.estimate and math.isfinite(made.estimate.high) and factors["ci_low"] is None:
        factors["ci_low"] = 0.0  # of what nobody notices, all of it may be gained
    of = {"metric": made.metric.name, "scheduler": made.setting.name}
    return of | factors | {"outcome": made.outcome.value}


def _side(side: Side) -> dict[str, Any]:
    return {
        "metric": side.metric,
        "measured": ratio_of(side.gain) if side.effect else None,
        "at_worst": _factor(side.low),
        "least": ratio_of(side.least),
        "is_price": side.is_price,
    }


def _known(verdict: Verdict) -> Iterator[dict[str, Any]]:
    """Yield what is shown, and what is ruled out."""
    for setting, known in verdict.assessments.items():
        if not known.estimate or not known.estimate.is_bounded:
            continue
        if known.low > 0:
            yield _fact(setting, None, "gains", known.low, known.high)
        elif known.is_ruled_out:
            yield _fact(setting, None, "loses" if known.high < 0 else "no-more-than", known.low, known.high)
        for part in known.parts:
            if part.proved:
                yield _fact(setting, part.metric, "gains", part.low, part.high)
            elif part.state is State.BEYOND:
                yield _fact(setting, part.metric, "loses", part.low, part.high)


def _fact(setting: Setting, metric: str | None, kind: str, low: float, high: float) -> dict[str, Any]:
    ends = {"low": _factor(low), "high": _factor(high)}
    return {"scheduler": setting.name, "metric": metric, "kind": kind, **ends}


def _factor(log: float) -> float | None:
    return ratio_of(log) if math.isfinite(log) else None
