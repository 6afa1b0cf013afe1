# SPDX-License-Identifier: GPL-3.0-or-later
"""Two results side by side: whether their answers agree, what both show, and what cannot be set side by side."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.verdict.making import FOUR, LAUNCH, WRITE, made

from disktuner.presentation import PresentedBetween, present, present_between
from disktuner.results.model import Result
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting

FASTER = {(LAUNCH, "bfq"): 0.3}
"""A clear gain of one scheduler."""


def begun_with(scheduler: str, result: Result) -> Result:
    return replace(result, plan=replace(result.plan, baseline=Setting(scheduler)))


def names(between: PresentedBetween) -> list[str]:
    return [figure.panel.metric.name for figure in between.shared]


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        (made({}), made({}, seed=2), "answers-agree"),
        (made(FASTER), made(FASTER, seed=2), "answers-agree"),
        (made({}), made(FASTER), "answers-differ"),
        (made({}), made({}, deviation=0.4, done=2), "answers-differ"),
        (made({}, deviation=0.4, done=2), begun_with("none", made({}, deviation=0.4, done=2)), "two-compared"),
        (made({}), begun_with("none", made({})), "answers-differ"),
    ],
)
def test_it_is_said_whether_both_have_the_same_answer(first: Result, second: Result, why: str) -> None:
    between = present_between(first, second)
    assert between.why == text(why), between.answers


def test_values_are_those_of_both_pages_and_none_is_judged() -> None:
    """However much they differ: what changed with time is part of it."""
    results = [made({(LAUNCH, "bfq"): 0.35}, 0.1, 8, seed=seed, now={LAUNCH: now}) for seed, now in ((3, 10), (4, 6))]
    between = present_between(*results)
    (launch,) = (figure for figure in between.shared if figure.panel.metric.name == LAUNCH)
    assert [first.setting.name for first, _ in launch.rows] == list(FOUR)
    for number, result in enumerate(results):
        (panel,) = (panel for panel in present(result).panels if panel.metric.name == LAUNCH)
        assert {row[number].setting: row[number].value for row in launch.rows} == {
            row.setting: row.value for row in panel.rows
        }
    assert between.caveat == text("not-in-turns")


def test_what_decides_is_shown_first() -> None:
    assert names(present_between(made({}, metrics=(WRITE, LAUNCH)), made({}, metrics=(WRITE, LAUNCH))))[0] == LAUNCH


def test_whole_durations_of_other_amounts_of_work_are_left_out() -> None:
    sized = [replace(made({}), sizes={LAUNCH.partition(".")[0]: {"scale": n}}) for n in (1, 2)]
    between = present_between(*sized)
    assert list(between.left_out) == [LAUNCH]
    assert WRITE in names(between) and LAUNCH not in names(between)
    assert LAUNCH in names(present_between(sized[0], sized[0]))


def test_nothing_in_common_is_said() -> None:
    between = present_between(made({}, metrics=(LAUNCH,)), made({}, metrics=(WRITE,)))
    assert not between.shared and between.caveat == text("nothing-in-common")
