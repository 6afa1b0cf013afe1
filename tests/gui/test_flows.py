# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person does in the window, by mouse and by keyboard, and what the screen shows then."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt, QThread
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel

from disktuner.block.writers import Writer
from disktuner.gui import start
from disktuner.gui.history import MOST_WAITING
from disktuner.gui.measurement import measurement_page
from disktuner.gui.widgets.change_dialog import ChangeDialog
from disktuner.gui.widgets.history_page import HistoryPage
from disktuner.gui.widgets.monitor_page import MonitorPage
from disktuner.gui.widgets.opened_page import OpenedPage
from disktuner.gui.widgets.trial_banner import TrialBanner
from disktuner.helper_client import calls
from disktuner.helper_client.errors import NoSuchTrial, WriteFailed
from disktuner.results.store import Store
from disktuner.vocabulary.errors import HelperNotThere, NotAuthorised
from disktuner.vocabulary.messages import message, say, text
from disktuner.vocabulary.settings import Setting
from tests.gui.person import Hands, Person, Visit, click, idle, pressable, seen, until, words
from tests.gui.stand_ins import Bench, ScriptedComparison, disk, result, trial
from tests.gui.watchdog import Blocking

REFUSED = NotAuthorised("refused-nobody-to-ask")
BFQ, KYBER = ([*trial(name, ("sda", 7)), calls.end_trial("t1")] for name in ("bfq", "kyber"))
TUNED = Writer("tuned", "/etc/tuned/profiles/mine/tuned.conf", 5, "queue/scheduler", "kyber")
TRY_OVER = ("try-over", {"disk": "WD Blue WD10EZEX (sda)", "scheduler": "mq-deadline"})


def changing(person: Person) -> ChangeDialog:
    person.press("change", person.card("sda"))
    return person.dialog(ChangeDialog)


def held(bench: Bench, source: str, allowed: threading.Event, *, fails: bool) -> None:
    """Have a source answer, or fail, but not before it is allowed to."""
    answers = getattr(bench, source)

    def slow(*arguments: object) -> object:
        allowed.wait()
        if fails:
            raise REFUSED
        return answers(*arguments) if callable(answers) else answers

    setattr(bench, source, slow)


def refusing(monkeypatch: pytest.MonkeyPatch, step: str, when: Callable[[], object] = bool) -> None:
    """Let a step of comparisons fail, once ``when`` has returned."""

    def fail(*_: object) -> None:
        when()
        raise REFUSED

    monkeypatch.setattr(ScriptedComparison, step, fail)


def trying(person: Person, scheduler: str) -> TrialBanner:
    person.running.try_out((person.card("sda").disk,), Setting(scheduler))
    return person.on_trial()


def choose(dialog: ChangeDialog, scheduler: str) -> None:
    dialog.scheduler.setCurrentIndex(dialog.scheduler.findData(scheduler))


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize(("source", "opening"), [("find_writers", "change"), ("places", "")])
def test_who_asked_may_be_gone_when_the_answer_comes(
    visit: Visit, bench: Bench, source: str, opening: str, fails: bool
) -> None:
    allowed = threading.Event()
    held(bench, source, allowed, fails=fails)
    person = visit(bench)
    try:
        if opening:
            person.press(opening, person.card("sda"))
        else:
            person.running.begin("sda", "desktop")
        for dialog in seen(ChangeDialog):
            person.press("cancel", dialog)
        person.key(Qt.Key.Key_Escape)
        until(lambda: person.window.planned is None and not person.window.findChildren(ChangeDialog))
    finally:
        allowed.set()
    idle()
    assert text("check-page-found", count=1) not in person.notice
    assert person.window.isEnabled()


def test_every_tunable_disk_has_a_card_that_says_what_it_is_as_plain_text(visit: Visit, bench: Bench) -> None:
    bench.disks = (*bench.disks, disk("sdx", diskseq=90, model="<img src=x><b>Bold</b>"))
    person = visit(bench)
    sentences = words(person.card("sda"))
    assert person.card("sda").option.isCheckable()
    for part in ("WD Blue WD10EZEX", "1 TB", "Hard disk", "mq-deadline", "bfq"):
        assert part in sentences
    names = [label for label in seen(QLabel, person.card("sdx")) if label.text().startswith("<img")]
    assert [label.textFormat() for label in names] == [Qt.TextFormat.PlainText]
    person.press("show-others", count=1)
    idle()
    grey = words(person.card("zram0"))
    assert "Compressed memory has no queue to tune." in grey and not person.card("zram0").option.isCheckable()


def test_disks_come_and_go_without_the_others_being_made_anew(person: Person, bench: Bench) -> None:
    sda_card, page = person.card("sda"), person.window.disks_page
    bench.show(*(d for d in bench.disks if d.name != "sdb"), disk("sdc", diskseq=12))
    until(lambda: {card.disk.name for card in page.cards} == {"nvme0n1", "sda", "sdc"})
    assert person.card("sda") is sda_card
    bench.show()
    until(lambda: text("no-disks-to-tune") in words(page))


def test_by_mouse_it_is_two_clicks_to_a_measurement_and_five_to_a_kept_answer_and_nothing_blocks(
    person: Person, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The only walk that counts blocking calls in the GUI thread."""
    hands = Hands(monkeypatch)
    with Blocking().watching() as blocking:
        plan = person.find_best()
        person.unfold_options()
        plan.budget_box.setCurrentIndex(plan.budget_box.findData("standard"))
        person.press("start-measuring")
        until(lambda: person.window.measurement)
        assert (hands.clicks, hands.presses) == (2, 0)
        person.at_result()
        assert "bfq on trial on WD Blue" in words(person.try_now())
        person.keep("keep-for-good")  # a click on the button, and one on the way
        until(lambda: person.window.measurement is None)
        idle()
    assert blocking == [] and (hands.clicks, hands.presses) == (5, 0)
    assert bench.helper.calls == [*BFQ[:2], calls.keep_trial("t1", persist=True)]
    assert bench.comparisons[-1].request.budget == "standard" and bench.comparisons[-1].closed


def test_a_try_without_an_answer_goes_back_by_itself(visit: Visit, bench: Bench) -> None:
    person = visit(bench, try_s=0.001)
    result = person.to_result()
    click(result.use_button)
    person.reads(text(TRY_OVER[0], **TRY_OVER[1]))
    assert bench.helper.calls == BFQ
    assert person.measurement.step == 2 and result.use_button.isEnabled()


@pytest.mark.parametrize(
    "ending", [None, NoSuchTrial("refused-no-such-trial"), WriteFailed("refused-not-put-back", disks=("sda",))]
)
def test_a_try_that_fails_is_put_back_and_says_why(person: Person, bench: Bench, ending: Exception | None) -> None:
    bench.helper.fails_at["SetTrial"] = WriteFailed("refused-scheduler-ignored", disk="sda")
    bench.helper.fails_at |= {"EndTrial": ending} if ending else {}  # type: ignore[dict-item]
    person.running.try_out(bench.below("sda"), Setting("bfq"))
    person.reads("ignores the scheduler of sda")
    assert bench.helper.calls == BFQ and seen(TrialBanner) == []


def test_a_try_ends_with_undo_with_the_helper_and_with_the_window(person: Person, bench: Bench) -> None:
    for refusal in ({}, {"EndTrial": NoSuchTrial("refused-no-such-trial")}):  # the trial may be over already
        bench.helper.fails_at = refusal  # type: ignore[assignment]
        trying(person, "kyber")
        click(person.window.trial.back_button)
        person.reads(text(TRY_OVER[0], **TRY_OVER[1]))
        until(lambda: not seen(TrialBanner))
        assert bench.helper.calls == KYBER
        bench.helper.calls.clear()
        person.window.show_notice("")
    bench.helper.fails_at = {}
    trying(person, "kyber")
    bench.helper.trial_ended("t1", "time limit")
    until(lambda: not seen(TrialBanner))
    assert bench.helper.calls[-2:] == KYBER[:2] and "nothing was kept" in person.notice
    trying(person, "kyber")
    person.window.close()
    person.press("close-now")
    assert bench.helper.calls[-1] == KYBER[-1] and bench.helper.closed


@pytest.mark.parametrize("ends", ["by itself", "undone"])
def test_a_disk_that_was_unplugged_on_trial_is_not_said_to_use_anything(
    person: Person, bench: Bench, ends: str
) -> None:
    trying(person, "kyber")
    bench.show(*(disk for disk in bench.disks if disk.name != "sda"))
    person.running.take_in(bench.disks)
    if ends == "undone":
        click(person.window.trial.back_button)
    else:
        bench.helper.trial_ended("t1", "time limit")
    until(lambda: not seen(TrialBanner))
    assert person.notice == text("try-over-without", disk="WD Blue WD10EZEX (sda)")


def test_a_person_works_on_while_something_is_tried(person: Person, bench: Bench) -> None:
    """Every page can be visited, and the trial stays visible, with what can be done about it."""
    person.to_result()
    banner = person.try_now()
    assert not person.result.use_button.isEnabled(), "one at a time"
    person.window.back()
    for page in ("page-history", "page-monitor", "page-disks"):
        person.press(page)
        idle()
        assert banner.isVisible() and banner.left.text().startswith("bfq on trial on WD Blue WD10EZEX (sda)")
    assert not person.window.disks_page.foot.isVisible()
    click(person.card("nvme0n1").option)
    until(person.window.disks_page.foot.isVisible)
    person.keep("keep-for-good")
    person.reads("bfq, permanently")
    assert banner.isHidden()
    assert bench.helper.calls == [*BFQ[:2], calls.keep_trial("t1", persist=True)]


def test_an_answer_that_cannot_be_shown_ends_the_measurement_and_is_kept(
    visit: Visit, bench: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As when a library of the distribution lacks what the page needs."""

    def fails(*_: object, **__: object) -> None:
        raise TypeError("QFont.Tag called with wrong argument types")

    person = visit(bench)
    person.to_announced()
    monkeypatch.setattr(measurement_page, "ResultPage", fails)
    person.press("start-measuring")
    until(lambda: person.window.measurement is None)
    person.reads("QFont.Tag called with wrong argument types")
    assert text("kept-in-history") in person.notice and not person.running.state.measured_disks
    assert "unforeseen" in caplog.text


def test_what_is_refused_leaves_the_result_on_the_screen(person: Person, bench: Bench) -> None:
    result = person.to_result()
    bench.helper.fails = REFUSED
    click(result.use_button)
    person.reads(text("nothing-changed", why=REFUSED.message))
    until(result.use_button.isEnabled)
    assert person.measurement.step == 2


def test_the_desktop_stays_awake_and_is_told(person: Person, bench: Bench) -> None:
    person.to_announced()
    person.window.showMinimized()
    person.plan.measure()
    until(lambda: person.measurement.step == 2)
    idle()
    requests = bench.desktop.asked
    assert ("progress", 95, 100) in requests
    assert [request[0] for request in requests if request[0] != "progress"] == ["awake", "rest", "notify"]
    assert requests[-1][1] == "Measured: Switch to bfq"
    assert person.window.isMinimized()
    bench.desktop.chosen("")
    assert not person.window.isMinimized() and person.window.windowTitle() == text("title-result")


def test_esc_goes_back_and_asks_only_while_measuring_cancelled_it_says_that_the_disk_is_restored(
    person: Person, bench: Bench
) -> None:
    person.running.begin("sda", "desktop")
    person.key(Qt.Key.Key_Escape)
    assert person.window.planned is None and person.window.question is None
    measurement, comparison = person.hold_at(bench, 3), bench.comparisons[-1]
    assert "%" in person.window.windowTitle()
    person.key(Qt.Key.Key_Escape)
    assert person.window.question is not None
    person.press("leave-stay")
    assert person.window.measurement is measurement and person.running.state.measured_disks
    person.press("pause")
    bench.holds_at = 9
    person.press("continue")
    person.at_run(9)
    person.press("cancel")
    person.reads(text("cancelled") + "\n" + text("kept-in-history"))
    assert person.window.measurement is None and comparison.closed


def test_a_measurement_that_fails_says_why(visit: Visit, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    refusing(monkeypatch, "run")
    person = visit(bench)
    person.to_announced()
    comparison = bench.comparisons[-1]
    person.press("start-measuring")
    person.reads(str(REFUSED))
    assert person.window.measurement is None and comparison.closed
    monkeypatch.undo()
    person.press("try-again", person.window.notice)
    until(lambda: person.window.measurement)
    person.at_result()


@pytest.mark.parametrize("moves_on", ["other disk", "other goal", "pulled out", "closed"])
def test_what_failed_is_tried_again_only_as_long_as_it_is_what_would_be_measured(
    visit: Visit, bench: Bench, monkeypatch: pytest.MonkeyPatch, moves_on: str
) -> None:
    refusing(monkeypatch, "run")
    person = visit(bench)
    if moves_on == "closed":
        person.running.begin("sda", "desktop")
    else:
        person.find_best()
    person.at_cost()
    person.press("start-measuring")
    person.reads(str(REFUSED))
    if moves_on == "closed":
        person.window.back()
    elif moves_on == "pulled out":
        bench.show(bench.disks[0])
    else:
        click(
            person.card("sdb").option
            if moves_on == "other disk"
            else person.window.disks_page.complaints.buttons["copying"]
        )
    until(lambda: person.notice == "")


def test_what_failed_because_its_disk_is_gone_cannot_be_tried_again(
    visit: Visit, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = threading.Event()
    refusing(monkeypatch, "run", gone.wait)
    person = visit(bench)
    person.to_announced()
    person.press("start-measuring")
    bench.show(bench.disks[0])
    until(lambda: len(person.window.disks_page.cards) == 1)
    gone.set()
    person.reads(str(REFUSED))
    assert pressable(text("try-again"), person.window.notice) is None


def test_what_has_no_cost_cannot_be_begun_and_says_why(
    visit: Visit, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusing(monkeypatch, "announce")
    person = visit(bench)
    plan = person.find_best()
    until(lambda: plan.notice.text.endswith(str(REFUSED)))
    assert not plan.foot.measure_button.isEnabled() and plan.foot.measure_button.toolTip() == plan.notice.text


def test_what_cannot_start_says_so(visit: Visit, bench: Bench) -> None:
    bench.announces_refusal = message("too-little-room", folder="/home", needed=3 * 10**9, usable=10**9)
    person = visit(bench)
    plan = person.find_best()
    until(lambda: plan.notice.text == say(bench.announces_refusal))
    assert not plan.foot.measure_button.isEnabled()


def test_change_writes_only_on_apply_and_only_what_differs(person: Person, bench: Bench) -> None:
    dialog = changing(person)
    assert not dialog.apply_button.isEnabled()
    dialog.rows[0].spin.setValue(512)
    assert dialog.rows[0].property("changed") and "1 change" in words(dialog)
    assert bench.helper.calls == []
    person.press("apply")
    until(lambda: bench.helper.calls == [calls.set_disks([("sda", 7)], "mq-deadline", {"queue/nr_requests": "512"})])
    until(lambda: not seen(ChangeDialog))


def test_changes_of_a_disk_that_was_connected_again_meanwhile_are_applied(person: Person, bench: Bench) -> None:
    dialog = changing(person)
    choose(dialog, "bfq")
    bench.change("sda", diskseq=99)
    until(lambda: person.card("sda").disk.diskseq == 99)
    person.press("apply")
    until(lambda: bench.helper.calls == [calls.set_disks([("sda", 99)], "bfq", {})])


def test_changes_of_a_disk_that_is_gone_are_not_applied_and_that_is_said(person: Person, bench: Bench) -> None:
    dialog = changing(person)
    choose(dialog, "bfq")
    bench.show(*(other for other in bench.disks if other.name != "sda"))
    until(lambda: person.running.state.find("sda") is None)
    person.press("apply")
    person.reads("Connect it to continue.")
    assert bench.helper.calls == []


def test_return_after_a_value_applies_it_and_resets_nothing(person: Person, bench: Bench) -> None:
    dialog = changing(person)
    spin = dialog.rows[0].spin
    spin.setFocus()
    QTest.keyClick(spin, Qt.Key.Key_Return)
    assert dialog.isVisible() and bench.helper.calls == []
    spin.selectAll()
    QTest.keyClicks(spin, "512")
    QTest.keyClick(spin, Qt.Key.Key_Return)
    until(lambda: bench.helper.calls == [calls.set_disks([("sda", 7)], "mq-deadline", {"queue/nr_requests": "512"})])


def test_a_notice_moves_nothing_that_is_seen_already(person: Person) -> None:
    """It is placed between a page and its foot."""
    person.to_result()
    for foot in (person.result.foot, person.window.disks_page.foot):
        page = person.window.pages.currentWidget()
        parts = (page, foot)
        idle()
        before = [part.mapTo(person.window, QPoint()) for part in parts]
        person.window.show_notice("The disk is full. Free some room.", "bad")
        until(lambda page=page: person.window.notice.height() > 0 and page.isAncestorOf(person.window.notice))
        idle()
        assert [part.mapTo(person.window, QPoint()) for part in parts] == before
        bottom = person.window.notice.mapTo(person.window, QPoint(0, person.window.notice.height())).y()
        assert bottom <= before[1].y()
        person.window.show_notice("")
        person.window.back()


def test_what_may_wait_in_memory_is_chosen_in_mib(visit: Visit, bench: Bench) -> None:
    """The readings follow the free memory, and the percentage is the same limit."""
    free = {"bdi/max_ratio": 100, "bdi/max_bytes": 4_416_348_160, "bdi/strict_limit": 0}
    bench.change("sda", free)
    bench.helper.first = {"sda": ("mq-deadline", {**free, "bdi/max_bytes": 4_300_000_000})}
    dialog = changing(visit(bench))
    rows = {row.name: row for row in dialog.rows}
    assert "bdi/max_ratio" not in rows and rows["bdi/max_bytes"].spin.value() == 4211
    dialog.persist.setChecked(True)
    assert dialog.wanted_settings.tunables == {}
    rows["bdi/max_bytes"].spin.setValue(16)
    assert rows["bdi/max_bytes"].spin.text() == "16 MiB"
    assert dialog.wanted_settings.tunables == {"bdi/max_bytes": "16777216"}


def test_a_tunable_beyond_what_a_spin_box_holds_can_be_changed(visit: Visit, bench: Bench) -> None:
    """As the kernel has it after ``echo 4294967295 > read_ahead_kb``."""
    bench.change("sda", {"queue/read_ahead_kb": 4_294_967_292})
    dialog = changing(visit(bench))
    (row,) = (row for row in dialog.rows if row.name == "queue/read_ahead_kb")
    assert not row.differs and not dialog.apply_button.isEnabled()
    row.spin.setValue(128)
    assert dialog.wanted_settings.tunables == {"queue/read_ahead_kb": "128"}


def test_tunables_stand_in_groups_and_only_what_differs_can_be_reset(visit: Visit, bench: Bench) -> None:
    dialog = changing(visit(bench))
    groups = [text(name, scheduler="mq-deadline") for name in ("tunables-queue", "tunables-scheduler")]
    assert [line for line in words(dialog).splitlines() if line in groups] == groups
    row = dialog.rows[0]
    assert row.reset.isHidden() and dialog.reset_button.isHidden()
    row.spin.setValue(512)
    assert row.reset.isVisible() and dialog.reset_button.isVisible()
    row.reset.click()
    assert row.reset.isHidden() and not row.differs
    choose(dialog, "bfq")
    assert groups[1] not in words(dialog).splitlines()


def test_what_is_kept_is_what_is_seen(visit: Visit, bench: Bench) -> None:
    """Kept are edited values, those that are neither default nor first, and those kept before; nothing else."""
    bench.change("sda", {"queue/nr_requests": 64, "iosched/fifo_batch": 8})
    bench.helper.first = {"sda": ("mq-deadline", {"queue/nr_requests": 256, "queue/read_ahead_kb": 128})}
    bench.helper.kept = {"sda": ("mq-deadline", {"iosched/read_expire": 500})}
    dialog = changing(person := visit(bench))
    assert dialog.persist.isChecked()
    rows = {row.name: row for row in dialog.rows}
    rows["queue/rq_affinity"].spin.setValue(2)
    sentence = "Applies permanently: mq-deadline, nr_requests 64, rq_affinity 2, read_expire 500, fifo_batch 8."
    assert sentence in words(dialog)
    assert "permanent" in words(rows["queue/nr_requests"])
    assert "now 1 · permanent" in words(rows["queue/rq_affinity"])
    dialog.persist.setChecked(False)
    assert "then your permanent choice applies again: mq-deadline, read_expire 500." in words(dialog)
    assert dialog.wanted_settings.tunables == {"queue/rq_affinity": "2"}
    dialog.persist.setChecked(True)
    person.press("reset-all")
    assert (rows["queue/nr_requests"].value, rows["iosched/fifo_batch"].value) == (256, 16)
    assert rows["queue/wbt_lat_usec"].value == 75000
    person.press("apply")
    expected = {"queue/nr_requests": "256", "iosched/read_expire": "500", "iosched/fifo_batch": "16"}
    until(lambda: bench.helper.calls == [calls.set_disks([("sda", 7)], "mq-deadline", expected, persist=True)])


def test_what_the_kernel_gave_is_nobodys_decision_and_what_it_lacks_is_said(visit: Visit, bench: Bench) -> None:
    """bfq's time slice is counted in the kernel's ticks; how requests are merged is the driver's default."""
    ticks = round(1 / time.clock_getres(6))
    tunables = {"queue/nomerges": 2, "iosched/fifo_expire_sync": 125, "iosched/fifo_expire_async": 250}
    tunables |= {"iosched/timeout_sync": ticks // 8 * 1000 // ticks, "iosched/slice_idle": 8}
    bench.change("sda", tunables, scheduler="bfq", schedulers=("none", "mq-deadline", "bfq"))
    dialog = changing(visit(bench))
    dialog.persist.setChecked(True)
    assert dialog.wanted_settings.tunables == {} and not dialog.reset_button.isEnabled()
    rows = {row.name: words(row) for row in dialog.rows}
    assert "1 to 1,000,000 ms, default 125" in rows["iosched/fifo_expire_sync"]
    assert "0 to 2" in rows["queue/nomerges"]
    assert text("not-in-kernel", schedulers=("kyber",)) in words(dialog)


def test_what_will_not_last_is_asked_before_it_is_kept(visit: Visit, bench: Bench) -> None:
    bench.writers = (TUNED,)
    person = visit(bench)
    for answer in ("cancel", "keep-anyway"):
        person.running.keep(person.card("sda").disk, Setting("bfq"))
        until(lambda: person.window.question is not None)
        question = person.window.question
        assert question is not None and bench.helper.calls == []
        question_text = question.text() + question.informativeText()
        assert (
            "bfq may not survive a restart" in question_text
            and f"{TUNED.place} (tuned) sets the scheduler to kyber" in question_text
        )
        assert "the check-up shows the fix" in question_text
        person.press(answer, question)
        until(lambda: person.window.question is None)
    person.reads(f"{TUNED.place} (tuned) sets the scheduler to kyber at every start, after Disktuner's rule")
    assert bench.helper.calls == [calls.set_disks([("sda", 7)], "bfq", {}, persist=True)]


def test_what_will_not_last_is_said_while_it_is_tried(visit: Visit, bench: Bench) -> None:
    bench.writers = (TUNED,)
    person = visit(bench)
    banner = trying(person, "bfq")
    until(banner.caution.isVisible)
    sentence = banner.caution.text()
    assert sentence.startswith("It may not survive a restart. ") and TUNED.place in sentence
    person.keep("keep-for-good")
    person.reads(f"{TUNED.place} (tuned) sets the scheduler to kyber at every start")


def test_how_long_a_change_holds_is_said_before_it_is_applied(visit: Visit, bench: Bench) -> None:
    rule = Writer("udev", "/etc/udev/rules.d/60-x.rules", 3, "queue/scheduler", "none", on_change=True)
    bench.writers = (rule, TUNED)
    person = visit(bench)
    dialog = changing(person)
    idle()
    assert text("holds-until-restart") in words(dialog).splitlines()
    choose(dialog, "bfq")
    assert f"{rule.place} (udev) sets the scheduler to “none” whenever udev reports a change of the disk" in words(
        dialog
    )
    dialog.persist.setChecked(True)
    sentences = words(dialog)
    assert (
        "Applies now, but not permanently: bfq" in sentences
        and TUNED.place in sentences
        and rule.place not in sentences
    )
    choose(dialog, "kyber")
    assert "Applies permanently: kyber" in words(dialog)


def test_where_the_helper_is_missing_one_sentence_says_what_to_do_and_it_is_tried_again(
    person: Person, bench: Bench
) -> None:
    """With another Disktuner at work ours cannot start: there is nothing to install then."""
    card = person.card("sda")
    bench.helper.fails = HelperNotThere("helper-not-started", why="exited")
    person.running.refresh()
    person.reads(text("helper-not-started", why="exited"))
    assert "install" not in person.notice.lower()
    (change,) = (button for button in seen(QAbstractButton, card) if button.text() == text("change"))
    measure = person.find_best().foot.measure_button
    until(lambda: measure.toolTip() == person.notice)
    for control in (change, measure):
        assert not control.isEnabled() and person.notice == control.toolTip() == control.accessibleDescription()
    person.window.back()
    assert person.notice, "what hinders stays to be read"
    bench.helper.fails = None
    person.press("try-again", person.window.standing)
    person.press("change", card)
    assert person.notice == ""


def test_a_file_that_is_opened_meanwhile_is_shown_at_once_or_when_the_measurement_is_over(
    visit: Visit, bench: Bench, tmp_path: Path
) -> None:
    file = Store(tmp_path / "elsewhere").save(result(6))
    person = visit(bench)
    person.to_announced()
    person.running.open_file(file)
    until(lambda: person.window.opened is not None)
    assert person.window.measurement is None and seen(OpenedPage) == [person.window.opened]
    assert person.notice == text("history-added")
    person.key(Qt.Key.Key_Escape)
    person.press("page-disks")
    person.hold_at(bench, 3)
    for _ in range(2):
        person.running.open_file(file)
        person.reads(text("history-added-meanwhile"))
        person.window.show_notice("")
    assert person.running.state.measured_disks and person.window.opened is None
    person.press("cancel")
    until(lambda: seen(OpenedPage))


def test_however_many_files_are_opened_one_thread_adds_them_and_the_last_is_shown(
    visit: Visit, bench: Bench, tmp_path: Path
) -> None:
    file = Store(tmp_path / "elsewhere").save(result(6))
    person = visit(bench)
    until(lambda: not person.running.jobs.busy)
    threads = threading.active_count()
    for _ in range(10_000):
        person.running.open_file(file)
    assert threading.active_count() <= threads + 1 and len(person.running.jobs.findChildren(QThread)) <= 1
    person.reads(text("too-many-opened", most=MOST_WAITING))
    assert person.window.opened is not None and seen(OpenedPage) == [person.window.opened]
    person.running.open_file(tmp_path / "none.json")
    person.running.open_file(file)
    person.running.open_file(tmp_path / "none.json")
    person.reads(str(tmp_path / "none.json"))


def test_pages_are_tabs_to_a_screen_reader_and_a_click_reads_the_history_anew(person: Person, bench: Bench) -> None:
    interface = QAccessible.queryAccessibleInterface(person.window.tabs)
    assert interface.role() is QAccessible.Role.PageTabList
    assert [interface.child(at).role() for at in range(3)] == [QAccessible.Role.PageTab] * 3
    for at, page in ((2, HistoryPage), (1, MonitorPage), (2, HistoryPage)):
        interface.child(at).actionInterface().doAction("Press")
        assert len(seen(page)) == 1
    Store(bench.kept).save(result(6))
    person.to_history(1)


def test_what_went_wrong_is_not_said_over_another_page_or_a_new_result(person: Person) -> None:
    for leave in (lambda: person.press("page-history"), lambda: person.press("page-monitor")):
        person.window.show_notice("The disk is full. Free some room.", "bad")
        leave()
        assert person.notice == ""
        person.press("page-disks")
    person.to_announced()
    person.window.show_notice("The disk is full. Free some room.", "bad")
    person.press("start-measuring")
    until(lambda: person.measurement.step == 2)
    assert person.notice == ""


def test_it_refuses_to_run_as_root(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert start.main([]) == 2
    assert "does not run as root" in capsys.readouterr().err
