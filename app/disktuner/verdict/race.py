# SPDX-License-Identifier: GPL-3.0-or-later
"""What to measure next: rounds of what decides for those that may win, then what the one that gains may cost.

A pure function of the samples: who was left out too early comes back. Leaving out adds no error, for each setting's
bounds hold whatever the others do (racing: O. Maron and A. W. Moore, "Hoeffding races", NIPS 1993).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from disktuner.experiment.rounds import Runs, Turn
from disktuner.results.model import Result
from disktuner.verdict.evidence import Evidence, evidence_of
from disktuner.verdict.judge import BY_EYE, best_of
from disktuner.verdict.model import Assessment, State
from disktuner.vocabulary.metrics import workload_of
from disktuner.vocabulary.settings import Setting

SHOWN_ROUNDS = 5
"""How often something is measured that neither decides nor prices."""
DROP_AFTER_FIRST_ROUND = math.log(3)
"""After a single round only those leave that are so far behind one who seems to gain what is worth a change."""


def next_turn(result: Result) -> Turn:
    """Return what to measure next, given all that was measured."""
    evidence = evidence_of(result)
    if not evidence.by_setting:
        return Turn()
    everyone = tuple(evidence.by_setting)
    if not evidence.question.parts:
        return Turn(_with(evidence, dict.fromkeys(result.plan.workloads, everyone)))
    begun = {workload_of(sample.metric) for sample in result.samples}
    # One round of all that decides comes before a second one of anything.
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
    leader = candidate or max(evidence.by_setting.values(), key=lambda known: known.gain).setting
    reserve = (
        _prices(result, evidence, leader, settled) if evidence.by_setting[leader].gain >= evidence.min_gain else {}
    )
    return Turn(_with(evidence, deciding | prices), _with(evidence, reserve))


def _with(evidence: Evidence, runs: Mapping[str, tuple[Setting, ...]]) -> Runs:
    """Add the baseline."""
    return {workload: (evidence.baseline, *settings) for workload, settings in runs.items() if settings}


def contenders(evidence: Evidence) -> tuple[Setting, ...]:
    """Return the settings that may still win."""
    every = tuple(evidence.by_setting.values())
    leader = max(every, key=lambda known: known.gain)
    if max((known.score.n for known in every if known.score), default=0) < 2:
        far = leader.gain - DROP_AFTER_FIRST_ROUND if leader.gain >= leader.min_gain else -math.inf
        return tuple(known.setting for known in every if known.score is None or known.gain >= far)
    # One that costs too much sets no standard for those that may be taken.
    rivals = [known for known in every if not (known.is_better and known.sides(State.BEYOND))]
    better = [known for known in rivals if known.is_better]
    best = max(better or rivals, key=lambda known: known.gain, default=leader)
    return tuple(known.setting for known in every if _may_win(evidence, known, best))


def _may_win(evidence: Evidence, known: Assessment, best: Assessment) -> bool:
    if known.is_ruled_out or (known.sides(State.BEYOND) and known.is_better):
        return False
    return known is best or best.gain < best.min_gain or not evidence.is_behind(known.setting, best.setting)


def is_settled(evidence: Evidence, race: Iterable[Setting]) -> bool:
    """Say whether what decides is known: nobody races, or one gains and no other that may win scores more by eye."""
    left = [evidence.by_setting[known] for known in race]
    gaining = [known for known in left if known.is_better]
    if not gaining:
        return not left
    best = best_of(gaining)
    return all(known.is_better or known.gain <= best.gain + BY_EYE for known in left)


def awaiting_price(evidence: Evidence) -> Setting | None:
    """Return the best one that gains while it is not known what it costs; None where one is free to be taken."""
    gaining = [known for known in evidence.by_setting.values() if known.is_better and not known.sides(State.BEYOND)]
    if not gaining:
        return None
    best = best_of(gaining)
    alike = [known for known in gaining if known.gain >= best.gain - BY_EYE]
    return None if any(known.is_acceptable for known in alike) else best.setting


def _prices(
    result: Result, evidence: Evidence, candidate: Setting | None, settled: bool
) -> dict[str, tuple[Setting, ...]]:
    """Return what is open of a setting; while others race, only what prices, for the rest is measured anyway.

    What was not planned cannot be measured.
    """
    if candidate is None:
        return {}
    planned = result.plan.workloads
    sides = evidence.by_setting[candidate].sides(State.OPEN)
    workloads = dict.fromkeys(workload_of(side.metric) for side in sides)
    open_ = [name for name in workloads if settled or name in evidence.question.pricing_workloads]
    return {name: (candidate,) for name in open_ if not planned or name in planned}


def _rounds(result: Result, workload: str) -> int:
    return len({run.round for run in result.samples if run.valid and workload_of(run.metric) == workload})
