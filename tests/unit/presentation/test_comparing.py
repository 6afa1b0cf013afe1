# SPDX-License-Identifier: GPL-3.0-or-later
"""Two results side by side: what became better or worse, and what cannot be compared."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.verdict.making import FAST, FOUR, LAUNCH, READ, WRITE, made

from disktuner.presentation import present, present_between
from disktuner.verdict.outcomes import Outcome
from disktuner.vocabulary.messages import text

ALL = {(LAUNCH, name): 0.5 for name in FOUR}


def test_what_became_faster_is_found_and_what_stayed_is_the_same() -> None:
    between = present_between(made({}), made(ALL, seed=2))
    launch = [change for change in between.changes if change.metric.name == LAUNCH]
    assert [row.outcome for row in launch] == [Outcome.BETTER] * 4
    assert all(row.value and row.now and 0.45 < row.value / row.now < 0.55 for row in launch)
    assert between.why.startswith("With ") and between.why.endswith(
        " 2× faster for starting an office program while files are written. 3 more comparisons are better."
    )
    assert all(change.outcome is not Outcome.WORSE for change in between.changes)


def test_values_are_those_of_the_answers_beside_them() -> None:
    results = [made({(LAUNCH, "bfq"): 0.35}, 0.1, 8, seed=seed, now={LAUNCH: now}) for seed, now in ((3, 10), (4, 6))]
    between = present_between(*results)
    for row in (change for change in between.changes if change.metric.name == LAUNCH):
        for result, value in zip(results, (row.now, row.value), strict=True):
            (panel,) = (panel for panel in present(result).panels if panel.metric.name == LAUNCH)
            assert value == next(shown.typical for shown in panel.rows if shown.setting == row.setting)


def test_what_decides_is_told_first_with_its_chart_on_top() -> None:
    """However much else has changed."""
    between = present_between(
        made({}, metrics=(WRITE, LAUNCH)), made({**ALL, (WRITE, "bfq"): 0.1}, metrics=(WRITE, LAUNCH))
    )
    assert [panel.metric.name for panel in between.panels] == [LAUNCH, WRITE]
    assert between.panels[0].label.casefold() in between.why.casefold()
    assert "3 more comparisons are better. 1 more comparison is worse." in between.why


def test_equal_results_are_found_equal_and_few_runs_are_not() -> None:
    for deviation, rounds, ending in ((0.005, 12, "second-is-same"), (0.2, 2, "second-is-unclear")):
        between = present_between(made({}, deviation, rounds), made({}, deviation, rounds, seed=2))
        assert between.why == text(ending)
    unnoticed = present_between(made({}, metrics=(LAUNCH,), now={LAUNCH: 0.05}), made({}, now={LAUNCH: 0.08}))
    assert unnoticed.why.endswith("differs by at most 5 %, or by too little for anyone to notice.")
    unnoticed = [made({}, now=FAST | {READ: seconds}, metrics=(LAUNCH, READ)) for seconds in (0.0008, 0.004)]
    assert present_between(*unnoticed).why == text("second-is-same")
    single = present_between(made({}, done=1), made({}, done=1, seed=2))
    assert not any(change.measured and change.measured.is_bounded for change in single.changes)


def test_whole_durations_of_other_amounts_of_work_are_left_out() -> None:
    sized = [replace(made({}), sizes={LAUNCH.partition(".")[0]: {"scale": n}}) for n in (1, 2)]
    between = present_between(*sized)
    assert list(between.left_out) == [LAUNCH]
    assert WRITE in {change.metric.name for change in between.changes}
    assert LAUNCH in {change.metric.name for change in present_between(sized[0], sized[0]).changes}


def test_nothing_in_common_is_said() -> None:
    between = present_between(made({}, metrics=(LAUNCH,)), made({}, metrics=(WRITE,)))
    assert not between.changes and between.why == text("nothing-in-common")
