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
from disktuner.verdict.findings import Finding, Findings, State, findings_of
from disktuner.verdict.judge import BY_EYE, best_of, is_free
from disktuner.vocabulary.settings import Setting

SHOWN_ROUNDS = 5
"""How often something is measured that neither decides nor prices."""
FAR_BEHIND = math.log(3)
"""After a single round only those leave that are so far behind one who seems to gain what is worth a change."""


def next_turn(result: Result) -> Turn:
    """Return what to measure next, given all that was measured."""
    found = findings_of(result)
    if not found.by_setting:
        return Turn()
    everyone = tuple(found.by_setting)
    if not found.question.parts:
        return Turn(_with(found, dict.fromkeys(result.plan.workloads, everyone)))
    begun = {sample.metric.rpartition(".")[0] for sample in result.samples}
    # One round of all that decides comes before a second one of anything.
    if first := [name for name in found.question.deciding_workloads if name not in begun]:
        return Turn(_with(found, dict.fromkeys(first, everyone)))
    race, candidate = racing(found), unpriced(found)
    settled = is_settled(found, race)
    prices = _prices(found, candidate, settled)
    if settled:
        asked = {*found.question.deciding_workloads, *found.question.pricing_workloads}
        shown = [name for name in result.plan.workloads if name not in asked and _rounds(result, name) < SHOWN_ROUNDS]
        return Turn(_with(found, prices or dict.fromkeys(shown, everyone)))
    deciding = dict.fromkeys(found.question.deciding_workloads, race)
    leader = candidate or max(found.by_setting.values(), key=lambda each: each.gain).setting
    reserve = _prices(found, leader, settled) if found.by_setting[leader].gain >= found.worth else {}
    return Turn(_with(found, deciding | prices), _with(found, reserve))


def _with(found: Findings, runs: Mapping[str, tuple[Setting, ...]]) -> Runs:
    """Add the baseline."""
    return {workload: (found.baseline, *settings) for workload, settings in runs.items() if settings}


def racing(found: Findings) -> tuple[Setting, ...]:
    """Return the settings that may still win."""
    every = tuple(found.by_setting.values())
    leader = max(every, key=lambda each: each.gain)
    if max((each.score.n for each in every if each.score), default=0) < 2:
        far = leader.gain - FAR_BEHIND if leader.gain >= leader.worth else -math.inf
        return tuple(each.setting for each in every if each.score is None or each.gain >= far)
    # One that costs too much sets no standard for those that may be taken.
    rivals = [each for each in every if not (each.gains and each.sides(State.BEYOND))]
    gaining = [each for each in rivals if each.gains]
    best = max(gaining or rivals, key=lambda each: each.gain, default=leader)
    return tuple(each.setting for each in every if _may_win(found, each, best))


def _may_win(found: Findings, each: Finding, best: Finding) -> bool:
    if each.ruled_out or (each.sides(State.BEYOND) and each.gains):
        return False
    return each is best or best.gain < best.worth or not found.is_behind(each.setting, best.setting)


def is_settled(found: Findings, race: Iterable[Setting]) -> bool:
    """Say whether what decides is known: nobody races, or one gains and no other that may win scores more by eye."""
    left = [found.by_setting[each] for each in race]
    gaining = [each for each in left if each.gains]
    if not gaining:
        return not left
    best = best_of(gaining)
    return all(each.gains or each.gain <= best.gain + BY_EYE for each in left)


def unpriced(found: Findings) -> Setting | None:
    """Return the best one that gains while it is not known what it costs; None where one is free to be taken."""
    gaining = [each for each in found.by_setting.values() if each.gains and not each.sides(State.BEYOND)]
    if not gaining:
        return None
    best = best_of(gaining)
    alike = [each for each in gaining if each.gain >= best.gain - BY_EYE]
    return None if any(map(is_free, alike)) else best.setting


def _prices(found: Findings, candidate: Setting | None, settled: bool) -> dict[str, tuple[Setting, ...]]:
    """Return what is open of a setting; while others race, only what prices, for the rest is measured anyway."""
    if candidate is None:
        return {}
    sides = found.by_setting[candidate].sides(State.OPEN)
    workloads = dict.fromkeys(side.metric.rpartition(".")[0] for side in sides)
    return {name: (candidate,) for name in workloads if settled or name in found.question.pricing_workloads}


def _rounds(result: Result, workload: str) -> int:
    prefix = f"{workload}."
    return len({sample.round for sample in result.samples if sample.valid and sample.metric.startswith(prefix)})
