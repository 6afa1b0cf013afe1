# SPDX-License-Identifier: GPL-3.0-or-later
"""Two results against each other: what became better or worse, and what cannot be compared."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.verdict.making import FOUR, LAUNCH, WRITE, made

from disktuner.presentation import present_between
from disktuner.verdict.model import Outcome
from disktuner.vocabulary.messages import text

ALL = {(LAUNCH, name): 0.5 for name in FOUR}


def test_what_became_faster_is_found_and_what_stayed_is_the_same() -> None:
    found = present_between(made({}), made(ALL, seed=2))
    launch = [made for made in found.changes if made.metric.name == LAUNCH]
    assert [each.outcome for each in launch] == [Outcome.BETTER] * 4
    assert all(each.value and each.now and 0.45 < each.value / each.now < 0.55 for each in launch)
    assert found.why.startswith("With ") and found.why.endswith(
        " 2× faster for starting an office program while files are written. 3 more comparisons are better."
    )
    assert all(made.outcome is not Outcome.WORSE for made in found.changes)


def test_what_decides_is_told_first_with_its_chart_on_top() -> None:
    """However much else has changed."""
    found = present_between(
        made({}, metrics=(WRITE, LAUNCH)), made({**ALL, (WRITE, "bfq"): 0.1}, metrics=(WRITE, LAUNCH))
    )
    assert [panel.metric.name for panel in found.panels] == [LAUNCH, WRITE]
    assert found.panels[0].label.casefold() in found.why.casefold()
    assert "3 more comparisons are better. 1 more comparison is worse." in found.why


def test_equal_results_are_found_equal_and_few_runs_are_not() -> None:
    for deviation, done, said in ((0.005, 12, "second-is-same"), (0.2, 2, "second-is-unclear")):
        found = present_between(made({}, deviation, done), made({}, deviation, done, seed=2))
        assert found.why == text(said)
    single = present_between(made({}, done=1), made({}, done=1, seed=2))
    assert not any(made.measured and made.measured.is_bounded for made in single.changes)


def test_whole_durations_of_other_amounts_of_work_are_left_out() -> None:
    sized = [replace(made({}), sizes={LAUNCH.partition(".")[0]: {"scale": n}}) for n in (1, 2)]
    found = present_between(*sized)
    assert list(found.left_out) == [LAUNCH]
    assert WRITE in {made.metric.name for made in found.changes}
    assert LAUNCH in {made.metric.name for made in present_between(sized[0], sized[0]).changes}


def test_nothing_in_common_is_said() -> None:
    found = present_between(made({}, metrics=(LAUNCH,)), made({}, metrics=(WRITE,)))
    assert not found.changes and found.why == text("nothing-in-common")
