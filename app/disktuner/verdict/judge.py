# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges a result from its raw samples: switch, conditional, trade-off, keep or undecided; what more rounds would do.

The method and how often it errs are described in docs/method.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from disktuner.results.model import Result
from disktuner.verdict.answer import answer_of
from disktuner.verdict.effects import ALPHA, Effect, ratio_of
from disktuner.verdict.evidence import PARTS_SHARE, Evidence, evidence_of
from disktuner.verdict.levels import Levels
from disktuner.verdict.model import MOST_ROUNDS, SAME, Assessment, Comparison, Estimate, More, SideState, Verdict
from disktuner.verdict.outcomes import Decision, Outcome
from disktuner.vocabulary.metrics import Better, Metric, is_cost, workload_of
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.states import DiskState, settle_s
from disktuner.vocabulary.workloads import as_declared

BY_EYE = math.log(SAME[1])
"""Among settings whose scores differ by no more, the simplest wins."""
_USUAL_ROUNDS = 4
_STEPS = (*range(1, 25), *range(25, 100, 5), *range(100, MOST_ROUNDS + 1, 20))


def judge(result: Result) -> Verdict:
    """Judge a result; never raises for a sound one."""
    evidence = evidence_of(result)
    verdict = decide(evidence, tuple(_comparisons(result, evidence)))
    verdict = replace(verdict, left_out=_left_out(result, evidence), more=_more(result, evidence, verdict))
    return replace(verdict, answer=answer_of(result, evidence, verdict))


def compared(
    metric: Metric,
    setting: Setting,
    effect: Effect | None,
    levels: Levels,
    baseline: Setting,
    *,
    low: float | None = None,
) -> Comparison:
    """Return one comparison with its own 95 % interval, or with the lower end ``low``."""
    if effect is None:
        return Comparison(metric, setting, Outcome.UNDECIDED, value=levels.typical(metric.name, setting))
    estimate = Estimate(effect.gain, effect.low(ALPHA / 2) if low is None else low, effect.high(ALPHA / 2), effect.n)
    now = levels.typical(metric.name, baseline)
    if now is None:
        return Comparison(metric, setting, estimate.outcome(), estimate, estimate)
    scale = levels.scale(metric.name)
    better, worse = scale.noticed(now)
    value = scale.after(now, effect.gain)
    if scale.unnoticed and metric.better is Better.LOWER:  # never show a value below all measured ones
        value = max(value, levels.least(metric.name, setting))
    gain = scale.measured(now, _gain(scale.level(now), scale.level(value), effect.gain))
    ends = [scale.measured(now, end) for end in (estimate.low, estimate.high)]
    measured = Estimate(gain, min(*ends, gain), max(*ends, gain), effect.n)
    return Comparison(metric, setting, estimate.outcome(worse, better), estimate, measured, value, now)


def _gain(now: float | None, value: float | None, fallback: float) -> float:
    return fallback if now is None or value is None else value - now


def _comparisons(result: Result, evidence: Evidence) -> Iterator[Comparison]:
    """Yield all comparisons, those that the question asks about first; processor costs only where it asks.

    A single deciding metric takes the score's lower end, which holds for all settings together. A price that is a
    condition takes the one that this states.
    """
    levels, asked = evidence.levels, evidence.question.metrics
    is_single = len(evidence.question.parts) == 1
    prices = {
        setting: {side.metric: side.low for side in assessment.sides(SideState.OPEN) if side.is_price and side.effect}
        for setting, assessment in evidence.by_setting.items()
    }
    for name in dict.fromkeys((*asked, *result.metrics)):
        if name in levels.by_metric and (name in asked or not is_cost(name)):
            metric = as_declared(result.metrics[name])
            effects = evidence.effects.get(name) or levels.effects(name, evidence.baseline, evidence.min_gain)
            for setting, assessment in evidence.by_setting.items():
                low = assessment.low if is_single and name in evidence.question.deciding else prices[setting].get(name)
                yield compared(metric, setting, effects.get(setting), levels, evidence.baseline, low=low)


def _left_out(result: Result, evidence: Evidence) -> tuple[Setting, ...]:
    """Return the settings that a tuning ran in fewer rounds than others, as they were behind or ruled out."""
    if not result.plan.tunes:
        return ()
    rounds: dict[Setting, set[tuple[str, int]]] = {setting: set() for setting in evidence.by_setting}
    for sample in result.samples:
        if sample.setting in rounds and sample.metric in evidence.question.deciding:
            rounds[sample.setting].add((sample.metric, sample.round))
    most = max(map(len, rounds.values()), default=0)
    others = [setting for setting, run in rounds.items() if len(run) == most]
    return tuple(
        setting
        for setting, run in rounds.items()
        if len(run) < most
        and (evidence.by_setting[setting].is_ruled_out or any(evidence.is_behind(setting, other) for other in others))
    )


def _more(result: Result, evidence: Evidence, verdict: Verdict) -> More | None:
    rounds = more_rounds(evidence, verdict)
    if rounds is None:
        return None
    asked = {side.metric for side in verdict.open} or set(evidence.question.deciding)
    return More(rounds, rounds * _round_s(result, {workload_of(metric) for metric in asked}) or None)


def _round_s(result: Result, workloads: set[str]) -> float:
    """Return how long one round of some workloads took on average (0 where not recorded)."""
    taken: dict[str, dict[int, dict[int, float]]] = {name: {} for name in workloads}
    blocks = set[tuple[int, Setting]]()
    for sample in result.samples:
        if (rounds := taken.get(workload_of(sample.metric))) is not None:
            rounds.setdefault(sample.round, {})[sample.order] = sample.duration_s
            blocks.add((sample.round, sample.setting))
    runs_s = sum(
        sum(sum(runs.values()) for runs in rounds.values()) / len(rounds) for rounds in taken.values() if rounds
    )
    if not runs_s or result.plan.state is DiskState.RESTED:
        return runs_s
    return runs_s + sum(settle_s(setting) for _, setting in blocks) / len({number for number, _ in blocks})


def decide(evidence: Evidence, comparisons: tuple[Comparison, ...] = ()) -> Verdict:
    """Return the verdict without its sentences."""
    verdict = replace(_decided(evidence), comparisons=comparisons)
    return replace(verdict, leading=_leading(evidence, verdict))


def _decided(evidence: Evidence) -> Verdict:
    assessments = tuple(evidence.by_setting.values())
    undecided = Verdict(
        Decision.UNDECIDED, None, evidence.baseline, evidence.question.worth, assessments=evidence.by_setting
    )
    for decision, winners in (
        (Decision.SWITCH, [assessment for assessment in assessments if assessment.is_acceptable]),
        (
            Decision.CONDITIONAL,
            [
                assessment
                for assessment in assessments
                if assessment.is_better and not assessment.sides(SideState.BEYOND)
            ],
        ),
        (
            Decision.TRADE_OFF,
            [assessment for assessment in assessments if assessment.is_better or assessment.is_trade_off],
        ),
    ):
        if winners:
            winner = best_of(winners)
            return replace(undecided, decision=decision, winner=winner.setting, ties=_ties(evidence, winner))
    highest = max((assessment.high for assessment in assessments), default=math.inf)
    undecided = replace(undecided, bound=None if math.isinf(highest) else ratio_of(highest))
    if assessments and all(assessment.is_ruled_out for assessment in assessments):
        equals = tuple(assessment.setting for assessment in assessments if assessment.high >= 0)
        ties = ((evidence.baseline, *equals),) if equals else ()
        return replace(undecided, decision=Decision.KEEP, ties=ties)
    leader = max(assessments, key=lambda assessment: assessment.gain, default=None)
    if leader is None or leader.score is None or leader.is_ruled_out or leader.gain < leader.min_gain:
        return undecided
    return replace(undecided, leader=leader.setting, chance=leader.score.chance_above(leader.min_gain))


def best_of(assessments: Sequence[Assessment]) -> Assessment:
    """Return the simplest of the settings whose scores are within ``BY_EYE`` of the best."""
    most = max(assessment.gain for assessment in assessments)
    alike = (assessment for assessment in assessments if assessment.gain >= most - BY_EYE)
    return min(alike, key=lambda assessment: assessment.setting.simplicity)


def more_rounds(evidence: Evidence, verdict: Verdict) -> int | None:
    """Return how many more rounds would decide, or settle a conditional winner's open costs; None if too many.

    One setting with a gain worth a change is enough for an answer; to answer that none has it, all must be ruled out.
    A cost never measured with the baseline cannot be settled by more rounds.
    """
    if verdict.decision is Decision.CONDITIONAL:
        if any(side.effect is None and side.metric not in evidence.levels.by_metric for side in verdict.open):
            return None
        most = max(_rounds_until(side.effect, above=side.least, below=side.least) for side in verdict.open)
        return most if most <= MOST_ROUNDS else None
    undecided = [assessment for assessment in evidence.by_setting.values() if not assessment.is_ruled_out]
    if (
        verdict.decision is not Decision.UNDECIDED
        or not undecided
        or any(assessment.score is None for assessment in undecided)
    ):
        return None
    family = (1 - PARTS_SHARE) * ALPHA / len(evidence.by_setting)
    gaining = [
        assessment for assessment in undecided if assessment.gain >= assessment.min_gain and assessment.is_noticed
    ]
    shown = [
        max(_rounds_until(mean, above=0.0, alpha=family) for mean in (assessment.score, assessment.felt) if mean)
        for assessment in gaining
    ]
    fewest = min((*shown, max(map(_until_ruled_out, undecided))))
    return fewest if fewest <= MOST_ROUNDS else None


def _until_ruled_out(assessment: Assessment) -> int:
    """Return how many more rounds would rule out a gain that is worth a change, or that anybody notices."""
    by_score = _rounds_until(assessment.score, below=assessment.min_gain)
    if any(not part.noticed for part in assessment.parts):
        return by_score
    return min(
        by_score, max((_rounds_until(part.effect, below=part.noticed) for part in assessment.parts), default=by_score)
    )


def _rounds_until(
    effect: Effect | None, *, above: float = math.inf, below: float = -math.inf, alpha: float = ALPHA
) -> int:
    """Return how many more rounds would show a gain to be above one limit (``alpha``) or below another.

    An unmeasured effect is assumed to take ``_USUAL_ROUNDS``; one that varies too much more than ``MOST_ROUNDS``.
    """
    if effect is None:
        return _USUAL_ROUNDS
    later_effects = ((more, effect.after(more)) for more in _STEPS)
    return next(
        (more for more, later in later_effects if later.low(alpha) > above or later.high() < below), MOST_ROUNDS + 1
    )


def _leading(evidence: Evidence, verdict: Verdict) -> str | None:
    """Return the metric that stands for the answer; None where the mean of several does.

    Among several metrics that each show the gain, it is the one with the most weight.
    """
    if len(evidence.question.parts) == 1:
        return evidence.question.deciding[0]
    weights = evidence.question.weights()
    assessment = evidence.by_setting.get(verdict.about) if verdict.about else None
    shown = [
        part
        for part in (assessment.parts if assessment else ())
        if (made := verdict.comparison(part.metric, verdict.about))
        and made.outcome is Outcome.BETTER
        and part.gain >= part.noticed
    ]
    return max(shown, key=lambda part: (weights[part.metric], part.gain)).metric if shown else None


def _ties(evidence: Evidence, winner: Assessment) -> tuple[tuple[Setting, ...], ...]:
    """Return the winner with all settings not shown to score less; nothing where it stands alone."""
    equals = [
        assessment.setting
        for assessment in evidence.by_setting.values()
        if assessment is winner
        or (
            assessment.score
            and not assessment.is_ruled_out
            and not assessment.sides(SideState.BEYOND)
            and not evidence.is_behind(assessment.setting, winner.setting)
        )
    ]
    return (tuple(equals),) if len(equals) > 1 else ()
