# SPDX-License-Identifier: GPL-3.0-or-later
"""What to measure next: rounds of what decides for those that may win, then what the one that gains may cost.

A pure function of the samples: who was left out too early comes back. Leaving out adds no error, for each setting's
bounds hold whatever the others do (racing: O. Maron and A. W. Moore, "Hoeffding races", NIPS 1993).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from disktuner.results.model import Result
from disktuner.verdict.deciding import BY_EYE, best_of, is_free
from disktuner.verdict.findings import Finding, Findings, State, findings_of

SHOWN_ROUNDS = 5
"""How often something is measured that neither decides nor prices."""
FAR_BEHIND = math.log(3)
"""After a single round only those leave that are so far behind one who seems to gain what is worth a change."""

Runs = Mapping[str, tuple[str, ...]]
"""By workload, which settings have another round, the baseline first."""


def next_runs(result: Result) -> Runs:
    """Return what is worth another round; nothing when all is answered, or nothing can be."""
    found = findings_of(result)
    if not found.by_setting:
        return {}
    return {name: (found.baseline, *settings) for name, settings in _wanted(result, found).items() if settings}


def _wanted(result: Result, found: Findings) -> Runs:
    everyone = tuple(found.by_setting)
    if not found.question.parts:
        return dict.fromkeys(result.plan.workloads, everyone)
    if first := _not_begun(result, found):
        return dict.fromkeys(first, everyone)
    race = racing(found)
    if not is_settled(found, race):
        return dict.fromkeys(found.question.deciding_workloads, race)
    if prices := _prices(found):
        return prices
    shown = [name for name in result.plan.workloads if name not in _asked(found)]
    return {name: everyone for name in shown if _rounds(result, name) < SHOWN_ROUNDS}


def racing(found: Findings) -> tuple[str, ...]:
    """Return the settings that may still win."""
    every = tuple(found.by_setting.values())
    leader = max(every, key=lambda each: each.gain)
    if max((each.score.n for each in every if each.score), default=0) < 2:
        far = leader.gain - FAR_BEHIND if leader.gain >= leader.worth else -math.inf
        return tuple(each.setting for each in every if each.score is None or each.gain >= far)
    rivals = [each for each in every if each.gains and not each.sides(State.BEYOND)]
    best = max(rivals, key=lambda each: each.gain, default=leader)
    return tuple(each.setting for each in every if _may_win(found, each, best))


def _may_win(found: Findings, each: Finding, best: Finding) -> bool:
    if each.ruled_out or (each.sides(State.BEYOND) and each.gains):
        return False
    return each is best or best.gain < best.worth or not found.is_behind(each.setting, best.setting)


def is_settled(found: Findings, race: Iterable[str]) -> bool:
    """Say whether what decides is known: nobody races, or one gains and no other that may win scores more by eye."""
    left = [found.by_setting[name] for name in race]
    gaining = [each for each in left if each.gains]
    if not gaining:
        return not left
    best = best_of(gaining)
    return all(each.gains or each.gain <= best.gain + BY_EYE for each in left)


def unpriced(found: Findings) -> str | None:
    """Return the best one that gains while it is not known what it costs; None where one is free to be taken."""
    gaining = [each for each in found.by_setting.values() if each.gains and not each.sides(State.BEYOND)]
    if not gaining:
        return None
    best = best_of(gaining)
    alike = [each for each in gaining if each.gain >= best.gain - BY_EYE]
    return None if any(map(is_free, alike)) else best.setting


def _prices(found: Findings) -> Runs:
    """Return what may cost something and is not known of the one who gains."""
    candidate = unpriced(found)
    sides = found.by_setting[candidate].sides(State.OPEN) if candidate else ()
    return {side.metric.rpartition(".")[0]: (str(candidate),) for side in sides}


def _not_begun(result: Result, found: Findings) -> tuple[str, ...]:
    """Return what decides and was not measured yet: one round of it comes before a second of anything."""
    begun = {sample.metric.rpartition(".")[0] for sample in result.samples}
    return tuple(name for name in found.question.deciding_workloads if name not in begun)


def _asked(found: Findings) -> frozenset[str]:
    question = found.question
    return frozenset((*question.deciding_workloads, *question.pricing_workloads))


def _rounds(result: Result, workload: str) -> int:
    prefix = f"{workload}."
    return len({sample.round for sample in result.samples if sample.valid and sample.metric.startswith(prefix)})
