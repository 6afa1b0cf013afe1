# SPDX-License-Identifier: GPL-3.0-or-later
"""Fine-tuning in the window: from a result's page to the competing settings, and what is done with the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from disktuner.comparison.continuing import settings_to_try
from disktuner.gui.measurement.result_page import ResultPage
from disktuner.gui.state import State
from disktuner.helper_client import calls
from disktuner.results.model import Result
from disktuner.verdict.judge import judge
from disktuner.verdict.outcomes import Decision
from disktuner.vocabulary.messages import text
from tests.gui.answers import measured
from tests.gui.conftest import PageOf
from tests.gui.measuring import complaints
from tests.gui.person import Person, Visit, click, details, said, until
from tests.gui.stand_ins import Bench, disk, result, tuned
from tests.gui.test_result_page import offered

BEST = "bfq:timeout_sync=40"
GAINED: Mapping[str, float] = {BEST: 1.8}
TUNABLES = {"iosched/timeout_sync": "40"}


@pytest.fixture
def person(visit: Visit, bench: Bench) -> Person:
    """A window on a bench whose disk gains by a setting."""
    bench.gains = GAINED
    return visit(bench)


def offers(page: ResultPage) -> list[str]:
    return [button.text() for button in offered(page)]


def test_from_a_result_to_the_settings_that_are_kept(person: Person, bench: Bench) -> None:
    person.to_result()
    check_offer(person)
    first = bench.comparisons[-1].request
    person.key(Qt.Key.Key_Return)
    person.at_cost()
    check_announcement(person, bench)
    person.unfold_options()
    person.plan.budget_box.setCurrentIndex(person.plan.budget_box.findData("thorough"))
    until(lambda: bench.comparisons[-1].request.budget == "thorough")
    person.at_cost()
    request = bench.comparisons[-1].request
    assert (request.after, request.target, request.goal) == (Path("/nowhere/result.json"), first.target, "desktop")
    check_running(person, bench)
    person.at_result()
    check_answer(person.result)
    banner = person.try_now()
    assert banner.left.text().startswith("“bfq, timeout_sync 40” on trial on WD Blue")
    trial_calls = [calls.begin_trial([("sda", 7)]), calls.set_trial("t1", "sda", "bfq", TUNABLES)]
    assert bench.helper.calls == trial_calls
    person.keep("keep-for-good")
    all_calls = [*trial_calls, calls.keep_trial("t1", persist=True)]
    until(lambda: bench.helper.calls == all_calls and person.window.measurement is None)
    assert "now uses “bfq, timeout_sync 40”, permanently." in person.window.notice.text


def check_offer(person: Person) -> None:
    """It says what it does, how long it takes and that the disk is restored; keys reach it after the answer."""
    page = person.result
    offer = text("tune-offer", plain="bfq", count=7, seconds=600)
    assert page.title.hasFocus()
    tune = person.details.tune_button
    assert offer in said(page) and tune.isEnabled() and tune.accessibleDescription() == offer
    person.tab_to(tune)


def check_announcement(person: Person, bench: Bench) -> None:
    """Only the settings compete, in the usual time."""
    request = bench.comparisons[-1].request
    assert (request.budget, request.continues) == ("standard", None)
    person.unfold_options()
    sentences = {*said(person.window)}
    assert {text("tune-question"), text("tune-about")} <= sentences and any(
        "21 GB" in sentence for sentence in sentences
    )
    assert any(sentence.startswith("bfq\nbfq, timeout_sync 40\n") for sentence in sentences)
    assert not any(sentence.startswith("Try first") for sentence in sentences)
    assert complaints(person.window) == []


def check_running(person: Person, bench: Bench) -> None:
    """The setting that runs is named, and so are those that ran."""
    a_round = 2 * len(bench.comparisons[-1].settings)
    bench.holds_at = a_round + 1
    person.press("start-measuring")
    page = person.measurement.running_page
    values = []
    for number in (1, 2, 3):
        if number > 1:
            bench.go_on(a_round * number + 1)
        person.at_run(a_round * number + 1)
        values.append(page.lanes.value(bench.comparisons[-1].settings[0]))
    assert None not in values
    assert any(sentence.endswith(", with “bfq, timeout_sync 40”") for sentence in said(page))
    until(lambda: "timeout_sync 40" in page.lanes.accessibleDescription() and page.lanes.toolTip())
    bench.go_on()


def check_answer(page: ResultPage) -> None:
    """The setting that gains is named, and why each setting was tried is one click away."""
    assert page.presented.title == "Switch to “bfq, timeout_sync 40”"
    assert offers(page) == ["Leave as it is", "Try bfq, timeout_sync 40"]
    assert page.first is page.use_button and page.title.hasFocus()
    assert not details(page).tune_button.isVisible()
    fold = details(page).folds[0]
    assert fold.text() == "Why these settings? (7) ▸"
    fold.setFocus()
    click(fold)
    sentences = {*said(page)}
    reason = "Shorter turns: programs that write much give way sooner to those that read little."
    assert {reason, "bfq, timeout_sync 40"} <= sentences
    assert "Source: Documentation/block/bfq-iosched.rst." in sentences and text("tried-left-out") in sentences


def nothing_gained(**has: str) -> Result:
    result_ = tuned(
        6, ("bfq", *(setting.name for setting in settings_to_try(result(6), judge(result(6)), (disk(),)))), {}
    )
    return replace(result_, disk={**result_.disk, **has})


def test_where_nothing_gains_the_plain_winner_can_be_had(page_of: PageOf) -> None:
    page = page_of(nothing_gained())
    assert page.presented.verdict.decision is Decision.KEEP
    assert page.presented.title == "Take bfq untuned"
    assert "Keep bfq" not in page.presented.why
    assert offers(page) == ["Leave as it is", "Measure longer…", "Try bfq"]
    assert page.first is page.use_button and not details(page).tune_button.isVisible()
    kept_page = page_of(nothing_gained(scheduler="bfq"), disks=(disk(scheduler="bfq"),))
    assert kept_page.presented.title == "Keep bfq untuned"
    assert offers(kept_page) == ["Leave as it is", "Measure longer…"] and kept_page.first is kept_page.leave_button


def test_no_offer_without_an_answer_or_after_a_tuning_or_without_a_disk() -> None:
    connected, decided = (disk(),), result(6)
    assert len(settings_to_try(decided, judge(decided), connected)) == 7
    unfinished = replace(decided, finished=False)
    tuned_result = tuned(6, ("bfq", BEST), GAINED)
    bare = disk(schedulers=("bfq",), scheduler="bfq", tunables={})
    cases = ((decided, ()), (unfinished, connected), (tuned_result, connected), (decided, (bare,)))
    cases += tuple((measured(decision), connected) for decision in (Decision.UNDECIDED, Decision.CONDITIONAL))
    for measured_, disks in cases:
        assert settings_to_try(measured_, judge(measured_), disks) == ()


@pytest.mark.parametrize("decision", [Decision.TRADE_OFF, Decision.KEEP])
def test_what_the_disk_has_is_tuned_where_nothing_won(page_of: PageOf, decision: Decision) -> None:
    page = page_of(measured(decision))
    tune = details(page).tune_button
    assert any("compares mq-deadline with" in sentence for sentence in said(page))
    for disks in ((), (disk(),)):
        page.show_state(State(disks=disks))
        assert tune.isVisible() and tune.isEnabled() is bool(disks), "it may be unplugged"
