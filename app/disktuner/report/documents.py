# SPDX-License-Identifier: GPL-3.0-or-later
"""Verdicts as the JSON that other programs read."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from disktuner.presentation import PresentedBetween
from disktuner.verdict.effects import ratio_of
from disktuner.verdict.model import Assessment, Comparison, Estimate, Side, SideState, Verdict
from disktuner.vocabulary.messages import say_all
from disktuner.vocabulary.metrics import Better
from disktuner.vocabulary.settings import Setting


def verdict_document(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as plain JSON values, with the keys that ``disktuner verdict --json`` promises.

    Ratios in ``comparisons`` are as measured, all others on the deciding scale (docs/method.md).
    """
    return {
        "decision": verdict.decision.value,
        "winner": _name(verdict.winner),
        "baseline": verdict.baseline.name,
        "why": say_all(verdict.answer.sentences),
        "score": {setting.name: factors(known.estimate) for setting, known in _scored(verdict)},
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
    """Return two results side by side as plain JSON values."""
    return {
        "first": shown.first.id,
        "second": shown.second.id,
        "why": shown.why,
        "verdicts": [verdict_document(verdict) for verdict in shown.verdicts],
        "values": [
            {"metric": figure.panel.metric.name, "scheduler": first.setting.name}
            | {"first": first.typical, "second": second.typical}
            for figure in shown.shared
            for first, second in figure.rows
        ],
        "differences": [{"what": what, "first": old, "second": new} for what, old, new in shown.differences],
        "left_out": dict(shown.left_out),
        "caveat": shown.caveat,
    }


def _name(setting: Setting | None) -> str | None:
    return setting.name if setting else None


def _scored(verdict: Verdict) -> Iterator[tuple[Setting, Assessment]]:
    return ((setting, assessment) for setting, assessment in verdict.assessments.items() if assessment.score)


def factors(estimate: Estimate | None, sign: float = 1.0) -> dict[str, Any]:
    """Return an estimate as factors of gains, or of losses with a ``sign`` of -1."""
    if estimate is None:
        return {"n": 0, "ratio": None, "ci_low": None, "ci_high": None}
    low, high = sorted((sign * estimate.low, sign * estimate.high))
    return {"n": estimate.n, "ratio": ratio_of(sign * estimate.gain), "ci_low": _factor(low), "ci_high": _factor(high)}


def _comparison(comparison: Comparison) -> dict[str, Any]:
    measured = factors(comparison.measured, -1.0 if comparison.metric.better is Better.LOWER else 1.0)
    if comparison.estimate and math.isfinite(comparison.estimate.high) and measured["ci_low"] is None:
        measured["ci_low"] = 0.0  # an unnoticed amount may be gained entirely
    of = {"metric": comparison.metric.name, "scheduler": comparison.setting.name}
    return of | measured | {"outcome": comparison.outcome.value}


def _side(side: Side) -> dict[str, Any]:
    return {
        "metric": side.metric,
        "measured": ratio_of(side.gain) if side.effect else None,
        "at_worst": _factor(side.low),
        "least": ratio_of(side.least),
        "is_price": side.is_price,
    }


def _known(verdict: Verdict) -> Iterator[dict[str, Any]]:
    """Yield what is proven, and what is ruled out."""
    for setting, assessment in verdict.assessments.items():
        if not assessment.estimate or not assessment.estimate.is_bounded:
            continue
        if assessment.low > 0:
            yield _fact(setting, None, "gains", assessment.low, assessment.high)
        elif assessment.is_ruled_out:
            yield _fact(
                setting, None, "loses" if assessment.high < 0 else "no-more-than", assessment.low, assessment.high
            )
        for part in assessment.parts:
            if part.proved:
                yield _fact(setting, part.metric, "gains", part.low, part.high)
            elif part.state is SideState.BEYOND:
                yield _fact(setting, part.metric, "loses", part.low, part.high)


def _fact(setting: Setting, metric: str | None, kind: str, low: float, high: float) -> dict[str, Any]:
    ends = {"low": _factor(low), "high": _factor(high)}
    return {"scheduler": setting.name, "metric": metric, "kind": kind, **ends}


def _factor(log: float) -> float | None:
    return ratio_of(log) if math.isfinite(log) else None
