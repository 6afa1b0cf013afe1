# SPDX-License-Identifier: GPL-3.0-or-later
"""Other goals that a result's samples also answer, because their deciding workloads were measured."""

from __future__ import annotations

from dataclasses import replace

from disktuner.results.model import Result
from disktuner.vocabulary.goals import GOALS, Goal
from disktuner.vocabulary.questions import Question, question_for
from disktuner.vocabulary.workloads import deciding


def for_goal(result: Result, goal: str) -> Result:
    """Return a result as if it had been measured for a goal, by its id; one that was keeps what was asked then."""
    if goal == result.plan.goal:
        return result
    return replace(result, plan=replace(result.plan, goal=goal, question=None))


def other_goals(result: Result) -> tuple[Goal, ...]:
    """Return the other goals that a result's samples answer; none for a tuning or a user's own program.

    Deciding workloads must have been measured with all settings, since prices are only measured for those that gain.
    """
    if result.plan.tunes or result.plan.goal not in GOALS:
        return ()
    pairs = {(sample.metric, sample.setting) for sample in result.samples if sample.valid}
    settings = (result.plan.baseline, *result.plan.settings)
    measured = [
        metric for name, metric in result.metrics.items() if all((name, setting) in pairs for setting in settings)
    ]
    return tuple(
        goal
        for goal in GOALS.values()
        if goal.id != result.plan.goal and _is_answered(question_for(goal.id, measured), goal)
    )


def _is_answered(question: Question, goal: Goal) -> bool:
    """Whether the proper workloads decide, not stand-ins."""
    return bool(question.parts) and {*question.deciding_workloads} <= deciding(goal.id).keys()
