# SPDX-License-Identifier: GPL-3.0-or-later
"""Two results side by side: what they recommend, what both measured, and what cannot be set side by side."""

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


UNSURE = made({}, deviation=0.4, done=2)


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        (made({}), made({}, seed=2), text("both-recommend", setting="mq-deadline")),
        (made(FASTER), made(FASTER, seed=2), text("both-recommend", setting="bfq")),
        (made(FASTER), begun_with("bfq", made({})), text("both-recommend", setting="bfq")),
        (made({}), made(FASTER), text("each-recommends", first="mq-deadline", second="bfq")),
        (made({}), begun_with("none", made({})), text("each-recommends", first="mq-deadline", second="none")),
        (made({}), UNSURE, ""),
        (UNSURE, UNSURE, ""),
    ],
)
def test_it_is_said_what_they_recommend_if_both_do(first: Result, second: Result, why: str) -> None:
    between = present_between(first, second)
    assert between.why == why, between.answers


def test_values_are_those_of_both_pages_and_none_is_judged() -> None:
    """However much they differ: what changed with time is part of it."""
    results = [made({(LAUNCH, "bfq"): 0.35}, 0.1, 8, seed=seed, now={LAUNCH: now}) for seed, now in ((3, 10), (4, 6))]
    between = present_between(*results)
    (launch,) = (figure for figure in between.shared if figure.panel.metric.name == LAUNCH)
    assert [(first.setting.name, second.setting.name) for first, second in launch.rows] == [(n, n) for n in FOUR]
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
    first, second = (replace(made({}, metrics=(LAUNCH,)), sizes=result.sizes) for result in sized)
    alone = present_between(first, second)
    assert not alone.shared and alone.left_out and not alone.caveat
    assert WRITE in names(between) and LAUNCH not in names(between)
    assert LAUNCH in names(present_between(sized[0], sized[0]))


def test_what_one_of_them_did_not_measure_is_not_shown() -> None:
    fewer = made({}, schedulers=("mq-deadline", "bfq"))
    between = present_between(made({}), replace(fewer, plan=made({}).plan))
    assert {first.setting.name for figure in between.shared for first, _ in figure.rows} == {"mq-deadline", "bfq"}


def test_nothing_in_common_is_said() -> None:
    between = present_between(made({}, metrics=(LAUNCH,)), made({}, metrics=(WRITE,)))
    assert not between.shared and between.caveat == text("nothing-in-common")
