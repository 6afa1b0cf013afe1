# SPDX-License-Identifier: GPL-3.0-or-later
"""A trial, a measurement and a call at the same time, by a person's clicks: how each affects the others."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QWidget

from disktuner.block.disk import Disk, disk_to_json
from disktuner.gui.measurement.result_page import ResultPage
from disktuner.results.beginning import this_machine
from disktuner.results.store import Store
from disktuner.verdict.outcomes import Decision
from disktuner.vocabulary.errors import NotAuthorised
from disktuner.vocabulary.messages import message, text
from tests.gui.answers import measured
from tests.gui.person import Person, Visit, idle, seen, until, words
from tests.gui.stand_ins import Bench, disk, result

REFUSED = NotAuthorised("refused-nobody-to-ask")
NAMELESS = {"wwn": "", "serial": ""}


def on_trial(person: Person) -> None:
    """Measure sda, try the answer, and go back to the disks."""
    person.to_result()
    person.try_now()
    person.key(Qt.Key.Key_Escape)
    until(person.window.disks_page.isVisible)
    idle()


def named(within: QWidget, id_: str) -> QAbstractButton:
    """Return the button with this text, enabled or not."""
    return next(button for button in seen(QAbstractButton, within) if button.text().replace("&", "") == text(id_))


def keep(bench: Bench, result_id: str, of: Disk, decision: Decision = Decision.SWITCH, rounds: int = 0) -> None:
    """Keep a result of a disk of this machine."""
    result_ = replace(measured(decision), id=result_id, disk=disk_to_json(of), machine=this_machine())
    if rounds:
        result_ = replace(
            result(rounds), id=result_id, disk=disk_to_json(of), created="2026-11-28T02:00:00Z", finished=False
        )
    Store(bench.kept).save(result_)


def test_keeping_what_is_on_trial_leaves_a_measurement_of_another_disk_alone(
    visit: Visit, bench: Bench, other: Disk
) -> None:
    person = visit(bench)
    on_trial(person)
    measurement = person.hold_at(bench, 3, other.name)
    person.keep("keep-until-restart")
    person.reads("until the next restart")
    assert person.window.measurement is measurement
    assert person.running.state.measured_disks and not bench.comparisons[-1].closed
    bench.go_on()
    assert person.at_result().disks == (other,)


def test_what_is_kept_closes_the_answer_that_it_was_about_and_no_other(visit: Visit, bench: Bench, other: Disk) -> None:
    person = visit(bench)
    on_trial(person)
    answer = person.to_result(other.name)
    person.keep("keep-until-restart")
    person.reads("until the next restart")
    assert person.result is answer and answer.isVisible()


def test_a_disk_on_trial_can_be_changed_in_no_other_way_and_each_button_says_why(
    visit: Visit, bench: Bench, other: Disk
) -> None:
    """Even after the helper reported the disks' state; other disks are free."""
    person = visit(bench)
    on_trial(person)
    bench.helper.changed("sda")
    idle()
    trial_card, free = person.card("sda"), person.card(other.name)
    free.option.click()
    person.at_cost()
    person.find_best()
    measure = person.plan.foot.measure_button
    until(lambda: "bfq is on trial" in measure.toolTip())
    for control in (measure, named(trial_card, "change")):
        assert not control.isEnabled() and "bfq is on trial" in control.toolTip()
        assert control.accessibleDescription() == control.toolTip()
    assert named(free, "change").isEnabled()
    person.press("go-back", person.window.trial)
    person.reads("nothing was kept")
    until(measure.isEnabled)


def test_one_setting_is_tried_at_a_time(visit: Visit, bench: Bench, other: Disk) -> None:
    """Not even from a result that is opened during a trial; the first one goes on."""
    keep(bench, "second", other)
    person = visit(bench)
    on_trial(person)
    begun = list(bench.helper.calls)
    page = person.open_kept("second")
    assert not page.use_button.isEnabled() and "bfq is on trial on WD Blue" in page.use_button.toolTip()
    page.use_button.click()
    idle()
    assert bench.helper.calls == begun
    person.press("go-back", person.window.trial)
    person.reads("WD Blue WD10EZEX (sda) uses mq-deadline again")
    until(page.use_button.isEnabled)
    person.press("try-setting", page.foot, setting="bfq")
    until(person.window.trial.isVisible)
    assert other.title in words(person.window.trial)


@pytest.mark.parametrize("way", ["keep-for-good", "keep-until-restart"])
def test_a_keep_that_is_refused_lets_the_trial_go_on(person: Person, bench: Bench, way: str) -> None:
    on_trial(person)
    for method in ("KeepTrial", "Set"):
        bench.helper.fails_at[method] = REFUSED
    person.keep(way)
    person.reads(text("nothing-changed", why=REFUSED.message))
    assert person.window.trial.isVisible() and "EndTrial" not in {call.method for call in bench.helper.calls}
    bench.helper.fails_at.clear()
    person.keep(way)
    person.reads("WD Blue WD10EZEX (sda) now uses bfq")
    until(person.window.trial.isHidden)
    switched = [call.method for call in bench.helper.calls if call.method in {"SetTrial", "Set"}]
    assert switched == ["SetTrial"], "the queue is switched once"


def test_what_is_tried_and_for_how_long_is_said_while_the_password_is_asked_for(
    person: Person, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing else can be pressed for the disk meanwhile, and nothing is undone behind the question."""
    bench.helper.waits_at.add("KeepTrial")
    person.to_result()
    banner = person.try_now()
    person.keep("keep-until-restart")
    until(lambda: bench.helper.waiting)
    monkeypatch.setattr("disktuner.gui.state.monotonic", lambda: math.inf)
    until(lambda: "0:00" in words(banner))
    assert banner.isVisible() and "EndTrial" not in {call.method for call in bench.helper.calls}
    buttons = (banner.keep_button, banner.back_button)
    assert not any(button.isEnabled() for button in buttons)
    assert all(button.toolTip() == text("waiting-for-helper") for button in buttons)
    bench.helper.answer(REFUSED)
    person.reads("nothing was kept")  # its time was over meanwhile
    until(banner.isHidden)


@pytest.mark.parametrize("refused", [None, REFUSED])
def test_a_page_may_be_left_while_the_password_for_a_try_is_asked_for(
    person: Person, bench: Bench, refused: NotAuthorised | None
) -> None:
    bench.helper.waits_at.add("BeginTrial")
    person.to_result().use_button.click()
    until(lambda: bench.helper.waiting)
    person.key(Qt.Key.Key_Escape)
    until(person.window.disks_page.isVisible)
    assert not named(person.card("sda"), "change").isEnabled()
    bench.helper.answer(refused)
    until(named(person.card("sda"), "change").isEnabled if refused else person.window.trial.isVisible)
    idle()
    assert person.window.trial.isVisible() is (refused is None) and person.window.disks_page.isVisible()


@pytest.mark.parametrize("method", ["BeginTrial", "KeepTrial"])
def test_closed_while_a_password_is_asked_for_nothing_goes_on(person: Person, bench: Bench, method: str) -> None:
    """The helper ends the trial when its client is gone."""
    bench.helper.waits_at.add(method)
    person.to_result().use_button.click()
    if method == "KeepTrial":
        person.keep("keep-until-restart")
    until(lambda: bench.helper.waiting)
    sent = list(bench.helper.calls)
    person.window.close()
    if method == "KeepTrial":
        person.press("close-now", until(lambda: person.window.question))
    until(lambda: not person.window.isVisible())
    bench.helper.answer()
    idle()
    assert bench.helper.closed and bench.helper.calls == sent


def test_within_one_start_of_the_computer_a_disk_without_a_number_is_known_again(visit: Visit, bench: Bench) -> None:
    nameless = disk("sde", diskseq=12, **NAMELESS, mounts=bench.disks[1].mounts)
    bench.disks = (*bench.disks, nameless)
    keep(bench, "now", nameless)
    person = visit(bench)
    page = person.open_kept("now")
    assert page.use_button.isVisible() and page.disks == (nameless,)
    bench.show(*bench.disks[:-1], replace(nameless, diskseq=13))
    until(page.use_button.isHidden)
    assert text("on-uncertain", disk=nameless.title) in words(page)


def test_a_run_that_answered_nothing_does_not_take_the_place_of_an_answer(visit: Visit, bench: Bench) -> None:
    sda = next(disk for disk in bench.disks if disk.name == "sda")
    keep(bench, "answer", sda)
    keep(bench, "thrown-away", sda, rounds=1)
    person = visit(bench)
    person.press("show-answer", person.card("sda"))
    assert person.opened(ResultPage).presented.result.id == "answer"


def test_a_disk_that_no_rule_could_know_again_is_not_offered_to_be_kept_permanently(visit: Visit, bench: Bench) -> None:
    why = message("refused-no-identity", disk="sda")
    bench.change("sda", why_not_kept=why)
    person = visit(bench)
    on_trial(person)
    banner = person.window.trial
    assert banner.keep_button.isEnabled() and banner.ways[0].isEnabled() and not banner.ways[1].isEnabled()
    assert "no serial number or port" in banner.ways[1].toolTip()


def test_closing_undoes_no_trial_without_a_question_that_names_the_disk(person: Person, bench: Bench) -> None:
    on_trial(person)
    person.window.close()
    question = until(lambda: person.window.question)
    question_text = question.text() + question.informativeText()
    assert "bfq is on trial on WD Blue WD10EZEX (sda)" in question_text and "mq-deadline returns" in question_text
    person.press("cancel", question)
    until(lambda: person.window.question is None)
    assert person.window.isVisible() and person.window.trial.isVisible()
    person.window.close()
    person.press("close-now", until(lambda: person.window.question))
    until(lambda: not person.window.isVisible())
    assert bench.helper.calls[-1].method == "EndTrial" and bench.helper.closed


def test_closing_waits_for_what_goes_on_where_that_is_wished(visit: Visit, bench: Bench, other: Disk) -> None:
    """For a measurement as for a trial; the user may change their mind."""
    person = visit(bench)
    on_trial(person)
    person.hold_at(bench, 3, other.name)
    for _ in range(2):
        person.window.close()
        question = until(lambda: person.window.question)
        assert other.title in question.text() and "(sda)" in question.informativeText()
        person.press("close-afterwards", question)
        person.reads(text("waits-to-close"))
        if _ == 0:
            person.press("cancel", person.window.standing)
    bench.go_on()
    person.at_result()
    idle()
    assert person.window.isVisible()
    person.keep("keep-until-restart")
    until(lambda: not person.window.isVisible())
    assert bench.helper.closed and "EndTrial" not in {call.method for call in bench.helper.calls}


def test_that_it_will_close_is_said_until_it_does_and_can_be_thought_better_of(person: Person, bench: Bench) -> None:
    """Whatever else is visited and said meanwhile."""
    on_trial(person)
    person.window.close()
    person.press("close-afterwards", until(lambda: person.window.question))
    person.press("page-monitor")
    bench.helper.fails_at["KeepTrial"] = REFUSED
    person.keep("keep-until-restart")
    person.reads(text("nothing-changed", why=REFUSED.message))
    person.reads(text("waits-to-close"))
    person.press("cancel", person.window.standing)
    bench.helper.fails_at.clear()
    person.keep("keep-until-restart")
    person.reads("until the next restart")
    idle()
    assert person.window.isVisible() and text("waits-to-close") not in person.notice


def test_what_should_wait_for_a_measurement_that_is_stopped_closes_nothing_else(person: Person, bench: Bench) -> None:
    """Esc leads back step by step."""
    bench.holds_at = 3
    person.running.check("sda")
    page = until(lambda: person.window.opened)
    person.running.begin("sda", "desktop")
    person.at_cost()
    person.measure_until(3)
    for answer in ("leave-afterwards", "leave-stop"):
        person.key(Qt.Key.Key_Escape)
        person.press(answer, until(lambda: person.window.question))
    person.reads(text("cancelled"))
    idle()
    assert person.window.planned is not None and text("waits-to-leave") not in person.notice
    person.key(Qt.Key.Key_Escape)
    assert person.window.opened is page and page.isVisible()


def test_what_a_disk_has_by_now_is_what_the_others_are_compared_with(person: Person, bench: Bench) -> None:
    person.to_announced()
    (announced,) = bench.comparisons
    assert announced.disks[0].scheduler == "mq-deadline"
    bench.change("sda", scheduler="bfq")
    until(lambda: len(bench.comparisons) > 1)
    person.measure()
    assert announced.closed and bench.comparisons[-1].disks[0].scheduler == "bfq"


def test_leaving_a_measurement_may_wait_for_its_end(person: Person, bench: Bench) -> None:
    person.hold_at(bench, 3)
    person.key(Qt.Key.Key_Escape)
    question = until(lambda: person.window.question)
    assert "WD Blue WD10EZEX (sda)" in question.text()
    person.press("leave-afterwards", question)
    person.reads(text("waits-to-leave"))
    bench.go_on()
    until(person.window.disks_page.isVisible)
    assert person.window.measurement is None and person.notice == ""


def test_a_question_is_taken_back_where_its_answer_would_end_nothing_any_more(person: Person, bench: Bench) -> None:
    person.hold_at(bench, 3)
    person.key(Qt.Key.Key_Escape)
    assert until(lambda: person.window.question)
    bench.go_on()
    person.at_result()
    until(lambda: person.window.question is None)
    assert person.result.isVisible()
