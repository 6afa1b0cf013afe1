# SPDX-License-Identifier: GPL-3.0-or-later
"""What the samples of a result answer besides what was asked: other goals whose deciding workloads were measured."""

from __future__ import annotations

from dataclasses import replace

from disktuner.results.model import Result
from disktuner.vocabulary.goals import GOALS, Goal
from disktuner.vocabulary.questions import Question, question_for
from disktuner.vocabulary.workloads import deciding


def for_goal(result: Result, goal: str) -> Result:
    """Return a result as if it had been measured for another goal, by its id."""
    return replace(result, plan=replace(result.plan, goal=goal, question=None))


def other_goals(result: Result) -> tuple[Goal, ...]:
    """Return the other goals that the samples of a result answer; none of a tuning or of a user's own program.

    What decides must have been measured with all settings: a price is only measured of who gains.
    """
    if result.plan.tunes or result.plan.goal not in GOALS:
        return ()
    there = {(sample.metric, sample.setting) for sample in result.samples if sample.valid}
    settings = (result.plan.baseline, *result.plan.settings)
    measured = [
        metric for name, metric in result.metrics.items() if all((name, setting) in there for setting in settings)
    ]
    return tuple(
        goal
        for goal in GOALS.values()
        if goal.id != result.plan.goal and _is_answered(question_for(goal.id, measured), goal)
    )


def _is_answered(question: Question, goal: Goal) -> bool:
    """Whether what was measured is what should decide."""
    return bool(question.parts) and {*question.deciding_workloads} <= deciding(goal.id).keys()
