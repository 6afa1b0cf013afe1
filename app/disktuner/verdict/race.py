# SPDX-License-Identifier: GPL-3.0-or-later
"""What to measure next: deciding workloads for the settings that may win, then the costs of the one that gains.

A pure function of the samples: a setting dropped too early comes back. Dropping adds no error, as each setting's bounds
hold whatever the others do (racing: O. Maron and A. W. Moore, "Hoeffding races", NIPS 1993).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from disktuner.experiment.rounds import Runs, Turn
from disktuner.results.model import Result
from disktuner.verdict.evidence import Evidence, evidence_of
from disktuner.verdict.judge import BY_EYE, best_of
from disktuner.verdict.model import Assessment, SideState
from disktuner.vocabulary.metrics import workload_of
from disktuner.vocabulary.settings import Setting

SHOWN_ROUNDS = 5
"""Rounds of a workload that neither decides nor has a price."""
DROP_AFTER_FIRST_ROUND = math.log(3)
"""After one round, a setting is dropped only if it is this far behind one whose gain seems worth a change."""


def next_turn(result: Result) -> Turn:
    """Return what to measure next, given all samples so far."""
    evidence = evidence_of(result)
    if not evidence.by_setting:
        return Turn()
    everyone = tuple(evidence.by_setting)
    if not evidence.question.parts:
        return Turn(_with(evidence, dict.fromkeys(result.plan.workloads, everyone)))
    begun = {workload_of(sample.metric) for sample in result.samples}
    # One round of every deciding workload comes before a second round of any.
    if first := [name for name in evidence.question.deciding_workloads if name not in begun]:
        return Turn(_with(evidence, dict.fromkeys(first, everyone)))
    race, candidate = contenders(evidence), awaiting_price(evidence)
    settled = is_settled(evidence, race)
    prices = _prices(result, evidence, candidate, settled)
    if settled:
        asked = {*evidence.question.deciding_workloads, *evidence.question.pricing_workloads}
        shown = [name for name in result.plan.workloads if name not in asked and _rounds(result, name) < SHOWN_ROUNDS]
        return Turn(_with(evidence, prices or dict.fromkeys(shown, everyone)))
    deciding = dict.fromkeys(evidence.question.deciding_workloads, race)
    leader = candidate or max(evidence.by_setting.values(), key=lambda assessment: assessment.gain).setting
    reserve = (
        _prices(result, evidence, leader, settled) if evidence.by_setting[leader].gain >= evidence.min_gain else {}
    )
    return Turn(_with(evidence, deciding | prices), _with(evidence, reserve))


def _with(evidence: Evidence, runs: Mapping[str, tuple[Setting, ...]]) -> Runs:
    """Add the baseline to each workload's settings."""
    return {workload: (evidence.baseline, *settings) for workload, settings in runs.items() if settings}


def contenders(evidence: Evidence) -> tuple[Setting, ...]:
    """Return the settings that may still win."""
    assessments = tuple(evidence.by_setting.values())
    leader = max(assessments, key=lambda assessment: assessment.gain)
    if max((assessment.score.n for assessment in assessments if assessment.score), default=0) < 2:
        far = leader.gain - DROP_AFTER_FIRST_ROUND if leader.gain >= leader.min_gain else -math.inf
        return tuple(
            assessment.setting for assessment in assessments if assessment.score is None or assessment.gain >= far
        )
    # A setting that costs too much is no standard for those that may be taken.
    rivals = [
        assessment for assessment in assessments if not (assessment.is_better and assessment.sides(SideState.BEYOND))
    ]
    better = [assessment for assessment in rivals if assessment.is_better]
    best = max(better or rivals, key=lambda assessment: assessment.gain, default=leader)
    return tuple(assessment.setting for assessment in assessments if _may_win(evidence, assessment, best))


def _may_win(evidence: Evidence, assessment: Assessment, best: Assessment) -> bool:
    if assessment.is_ruled_out or (assessment.sides(SideState.BEYOND) and assessment.is_better):
        return False
    return assessment is best or best.gain < best.min_gain or not evidence.is_behind(assessment.setting, best.setting)


def is_settled(evidence: Evidence, race: Iterable[Setting]) -> bool:
    """Whether the race is over: nobody is left, or one gains and no contender scores more than ``BY_EYE`` above it."""
    left = [evidence.by_setting[assessment] for assessment in race]
    gaining = [assessment for assessment in left if assessment.is_better]
    if not gaining:
        return not left
    best = best_of(gaining)
    return all(assessment.is_better or assessment.gain <= best.gain + BY_EYE for assessment in left)


def awaiting_price(evidence: Evidence) -> Setting | None:
    """Return the best setting that gains, while its costs are unknown; None where an equal one is acceptable."""
    gaining = [
        assessment
        for assessment in evidence.by_setting.values()
        if assessment.is_better and not assessment.sides(SideState.BEYOND)
    ]
    if not gaining:
        return None
    best = best_of(gaining)
    alike = [assessment for assessment in gaining if assessment.gain >= best.gain - BY_EYE]
    return None if any(assessment.is_acceptable for assessment in alike) else best.setting


def _prices(
    result: Result, evidence: Evidence, candidate: Setting | None, settled: bool
) -> dict[str, tuple[Setting, ...]]:
    """Return the planned workloads that settle a candidate's open costs.

    While others race, only those with prices: the deciding ones are measured anyway.
    """
    if candidate is None:
        return {}
    planned = result.plan.workloads
    sides = evidence.by_setting[candidate].sides(SideState.OPEN)
    workloads = dict.fromkeys(workload_of(side.metric) for side in sides)
    open_ = [name for name in workloads if settled or name in evidence.question.pricing_workloads]
    return {name: (candidate,) for name in open_ if not planned or name in planned}


def _rounds(result: Result, workload: str) -> int:
    return len({run.round for run in result.samples if run.valid and workload_of(run.metric) == workload})
