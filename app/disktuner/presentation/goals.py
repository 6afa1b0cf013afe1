# SPDX-License-Identifier: GPL-3.0-or-later
"""What the samples of a result answer besides what was asked: other goals whose deciding workloads were measured."""

from __future__ import annotations

from dataclasses import replace

from disktuner.results.model import Result
from disktuner.vocabulary.goals import GOALS, Goal
from disktuner.vocabulary.questions import question_for


def for_goal(result: Result, goal: str) -> Result:
    """Return a result as if it had been measured for another goal, by its id."""
    return replace(result, plan=replace(result.plan, goal=goal, question=None))


def other_goals(result: Result) -> tuple[Goal, ...]:
    """Return the other goals that the samples of a result answer; none of a tuning or of a user's own program."""
    if result.plan.tunes or result.plan.goal not in GOALS:
        return ()
    there = {sample.metric for sample in result.samples if sample.valid}
    measured = [metric for name, metric in result.metrics.items() if name in there]
    asked = {goal: question_for(goal.id, measured) for goal in GOALS.values() if goal.id != result.plan.goal}
    return tuple(goal for goal, question in asked.items() if question.parts and not question.stands_in)
