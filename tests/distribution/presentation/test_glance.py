# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever was measured, the first sentence says what its chart shows, and no excessive price is left out."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TypeGuard

import pytest
from hypothesis import given
from tests.gui.answers import measured
from tests.unit.cli.kinds import every
from tests.unit.presentation.generating import results
from tests.unit.verdict.making import LAUNCH, WRITER, made

from disktuner.presentation import Glance, for_goal, other_goals, present
from disktuner.results.codec import load
from disktuner.results.model import Result
from disktuner.verdict.answer import subject_of
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Comparison, Verdict
from disktuner.verdict.outcomes import Decision, Outcome
from disktuner.vocabulary.messages import Message
from disktuner.vocabulary.questions import Question
from disktuner.vocabulary.settings import Setting

ROOT = Path(__file__).resolve().parents[3]
KINDS = every()


def check(result: Result) -> Glance:
    """The sentence agrees with the panel about its setting; the title does not contradict it."""
    presented = present(result)
    glance, verdict = presented.glance, presented.verdict
    about = verdict.winner or verdict.leader
    rows = {row.setting: row for row in glance.panel.rows} if glance.panel else {}
    if about is not None and glance.panel is not None and verdict.leading == glance.panel.metric.name:
        assert rows[about].value in glance.sentence and rows[verdict.baseline].value in glance.sentence
    if verdict.winner is not None and verdict.decision is not Decision.TRADE_OFF:
        assert rows[verdict.winner].estimate is not None and rows[verdict.winner].estimate.gain > 0
    for panel in presented.panels:
        for row in panel.rows:
            assert row.ends is None or row.ends[1] <= row.ends[0] + math.log(10.01)
            assert row.finding != "can't tell" or not row.interval
    return glance


def test_the_same_samples_answer_another_goal_where_all_that_decides_was_measured() -> None:
    """On a desktop disk, reads during writes were measured with all schedulers, copies only with two."""
    result = load(ROOT / "docs/measured/hard-disk-desktop.json")
    assert [goal.id for goal in other_goals(result)] == ["server"]
    assert present(for_goal(result, "server")).verdict.baseline == result.plan.baseline
    assert other_goals(load(ROOT / "tests/data/results/write-up-a.json")) == ()


def test_no_chart_is_drawn_of_what_does_not_count_for_the_goal() -> None:
    result = load(ROOT / "docs/measured/hard-disk-desktop.json")
    assert present(for_goal(result, "removable")).bars is None
    assert present(for_goal(result, "server")).bars and present(result).bars


@pytest.mark.parametrize("decision", Decision)
def test_each_answer_has_its_sentence_and_its_price(decision: Decision) -> None:
    checked = check(measured(decision))
    assert checked.sentence and len(checked.spoken.split()) <= 30
    assert checked.turns == (decision in (Decision.CONDITIONAL, Decision.TRADE_OFF))
    assert checked.price or not checked.turns
    assert not checked.price or decision not in (Decision.KEEP, Decision.UNDECIDED), "what costs nothing has no price"


def test_what_is_written_meanwhile_is_a_price_where_nothing_that_counts_gets_worse() -> None:
    glance = present(made({(LAUNCH, "bfq"): 0.3, (WRITER, "bfq"): 0.2})).glance
    assert "writing in the background" in glance.price and not glance.turns


def values_of(sentence: Message) -> dict[str, float]:
    """Return the measured values in a sentence, by placeholder."""
    values = [(name, value.values["value"]) for name, value in sentence.values.items() if is_value(value)]
    return {name: value for name, value in values if isinstance(value, float)}


def is_value(value: object) -> TypeGuard[Message]:
    return isinstance(value, Message) and value.id.startswith("value-") and "value" in value.values


def made_of(verdict: Verdict, sentence: Message, setting: Setting, question: Question) -> Comparison:
    """Return the one comparison that a sentence is about, by its subject and values."""
    (comparison,) = (
        comparison
        for comparison in verdict.comparisons
        if comparison.setting == setting
        and subject_of(comparison.metric, question) == sentence.values["subject"]
        and (not values_of(sentence) or values_of(sentence) == {"value": comparison.value, "now": comparison.now})
    )
    return comparison


SHOWS = {"measured-same": Outcome.SAME, "measured-unclear": Outcome.UNDECIDED, "glance-price": Outcome.WORSE}


@pytest.mark.parametrize("kind", KINDS)
def test_what_an_answer_says_is_shown_by_the_row_of_what_it_names(kind: str) -> None:
    check(KINDS[kind])
    check_answer(KINDS[kind])


@given(results())
def test_what_any_answer_says_is_shown_by_the_row_of_what_it_names(result: Result) -> None:
    check(result)
    check_answer(result)


def check_answer(result: Result) -> None:
    verdict, question = judge(result), result.question
    answer, about = verdict.answer, verdict.about
    deciding = [comparison for comparison in verdict.comparisons if comparison.metric.name in question.deciding]
    for sentence in answer.sentences:
        if values_of(sentence) or "difference" in sentence.values:
            assert "purpose" not in sentence.values, "no purpose stands behind a figure"
    if verdict.winner is not None:
        check_gain(verdict, question)
    elif verdict.decision is Decision.KEEP:
        min_gain = math.log(verdict.worth)
        is_named = any(part.id == "better-alone" for part in answer.parts)
        assert (
            is_named
            or len(question.parts) > 1
            or not [
                comparison
                for comparison in deciding
                if comparison.outcome is Outcome.BETTER and comparison.estimate and comparison.estimate.gain > min_gain
            ]
        )
        if answer.headline.id == "nothing-felt":
            assert {comparison.outcome for comparison in deciding} <= {Outcome.SAME, Outcome.UNDECIDED}
    if about is not None:
        for sentence in (*answer.parts, *answer.prices):
            if "subject" in sentence.values and sentence.id in SHOWS:
                assert made_of(verdict, sentence, about, question).outcome is SHOWS[sentence.id]


def check_gain(verdict: Verdict, question: Question) -> None:
    """The headline's subject is a metric whose own row is better; else no deciding row is."""
    answer, winner = verdict.answer, verdict.winner
    assert winner is not None
    if answer.subject is None:
        assert "mean" in answer.headline.id and len(question.parts) > 1
        return
    comparison = verdict.comparison(answer.subject, winner)
    assert comparison and comparison.outcome is Outcome.BETTER and comparison.estimate and comparison.estimate.low > 0
    if "subject" in answer.headline.values:
        assert made_of(verdict, answer.headline, winner, question) is comparison
