# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person does in the window, by mouse and by keyboard, and what the screen says then."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from disktuner.block.disk import PersistentChoice, UntilRestart
from disktuner.block.writers import Writer
from disktuner.gui import start
from disktuner.gui.application import Application
from disktuner.gui.choice import Choice, chosen_text, now_uses
from disktuner.gui.plots.curves import workload_title
from disktuner.gui.widgets.change_dialog import ChangeDialog, Wanted
from disktuner.gui.widgets.keep_dialog import KeepDialog
from disktuner.helper_client import calls
from disktuner.helper_client.errors import NoSuchTrial, WriteFailed
from disktuner.vocabulary.errors import HelperNotThere, NotAuthorised
from disktuner.vocabulary.messages import message, say, text
from disktuner.workloads.catalogue import catalogue
from tests.gui.conftest import click
from tests.gui.stand_ins import Bench, disk, trial

Open = Callable[[Bench], Application]
REFUSED = NotAuthorised("refused-nobody-to-ask")
TRIED = [*trial("bfq", ("sda", 7)), calls.end_trial("t1")]
# Only the offscreen platform says this.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)


def to_result(qtbot: QtBot, running: Application) -> None:
    wizard = running.window.wizard
    assert wizard is not None
    wizard.next()
    qtbot.waitUntil(wizard.next_button.isEnabled, timeout=5000)
    click(qtbot, wizard.next_button)
    qtbot.waitUntil(lambda: wizard.step == 3, timeout=20000)


def test_every_tunable_disk_has_a_card_that_says_what_it_is(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    running = opened(bench)
    page = running.window.disks_page
    qtbot.waitUntil(lambda: len(page.cards) == 3)
    card = page.card("sda")
    assert card._name.text() == "WD Blue WD10EZEX"
    assert "1 TB" in card._details.text() and "Hard disk" in card._details.text()
    assert card._chip.text() == "mq-deadline"
    assert "bfq" in card._hint.text()
    click(qtbot, page._fold)
    assert page.card("zram0")._hint.text() == "Compressed memory has no queue to tune."
    assert not page.card("zram0")._find.isVisible()


def test_disks_come_and_go_without_the_others_being_made_anew(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    running = opened(bench)
    page = running.window.disks_page
    kept = page.card("sda")
    bench.disks = (*(d for d in bench.disks if d.name != "sdb"), disk("sdc", diskseq=12))
    bench.changed()
    qtbot.waitUntil(lambda: {card.disk.name for card in page.cards} == {"nvme0n1", "sda", "sdc"})
    assert page.card("sda") is kept
    bench.disks = ()
    bench.changed()
    qtbot.waitUntil(lambda: page._stack.currentWidget() is page._empty)


def test_wizard_by_mouse_ends_in_an_applied_scheduler(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    running = opened(bench)
    window = running.window
    click(qtbot, window.disks_page.card("sda")._find)
    wizard = window.wizard
    assert wizard is not None
    click(qtbot, wizard.goal_page.buttons["media"])
    click(qtbot, wizard.next_button)
    click(qtbot, wizard.where_page.budgets["standard"])
    qtbot.waitUntil(wizard.next_button.isEnabled, timeout=5000)
    click(qtbot, wizard.next_button)
    qtbot.waitUntil(lambda: wizard.step == 3, timeout=20000)
    request = bench.comparisons[-1].request
    assert (request.goal, request.budget) == ("media", "standard")
    assert bench.comparisons[-1].closed
    page = wizard.result_page
    assert page is not None and page.use_button.isVisible()
    click(qtbot, page.use_button)
    dialog = asked_to_keep(qtbot, running)
    assert "mq-deadline" in dialog.left.text()
    assert window.wizard is wizard
    click(qtbot, dialog.until_button)
    qtbot.waitUntil(lambda: "until the next restart" in window.notice.text)
    assert bench.helper.calls == [*TRIED, calls.set_scheduler("sda", 7, "bfq")]
    assert window.wizard is None


def asked_to_keep(qtbot: QtBot, running: Application) -> KeepDialog:
    qtbot.waitUntil(lambda: running.window.findChild(KeepDialog) is not None)
    found = running.window.findChild(KeepDialog)
    qtbot.waitUntil(found.isVisible)
    return found


def test_a_try_without_an_answer_goes_back_by_itself(bench: Bench, opened: Open, qtbot: QtBot) -> None:
    running = opened(bench)
    running._try_s = 0.6
    running.find_best("sda")
    to_result(qtbot, running)
    wizard = running.window.wizard
    assert wizard is not None and wizard.result_page is not None
    click(qtbot, wizard.result_page.use_button)
    asked_to_keep(qtbot, running)
    assert not wizard.result_page.use_button.isEnabled()
    said = text("try-over", disk="WD Blue WD10EZEX (sda)", scheduler="mq-deadline")
    qtbot.waitUntil(lambda: running.window.notice.text == said, timeout=3000)
    assert bench.helper.calls == TRIED
    assert running.window.wizard is wizard and wizard.result_page.use_button.isEnabled()


def test_a_try_that_fails_is_put_back_and_says_why(bench: Bench, opened: Open, qtbot: QtBot) -> None:
    running = opened(bench)
    bench.helper.fails_at["SetTrialScheduler"] = WriteFailed("refused-scheduler-ignored", disk="sda")
    for ending in (None, NoSuchTrial("refused-no-such-trial"), WriteFailed("refused-not-put-back", disks=("sda",))):
        bench.helper.calls.clear()
        running.window.show_notice("")
        bench.helper.fails_at |= {"EndTrial": ending} if ending else {}
        running.try_out(bench.below("sda"), "bfq")
        qtbot.waitUntil(lambda: bench.helper.calls == TRIED)
        qtbot.waitUntil(lambda: "accepted the scheduler of sda and ignored it" in running.window.notice.text)
        assert running.window.findChild(KeepDialog) is None


def test_a_try_whose_trial_is_over_is_over(bench: Bench, opened: Open, qtbot: QtBot) -> None:
    running = opened(bench)
    bench.helper.fails_at["EndTrial"] = NoSuchTrial("refused-no-such-trial")
    running.try_out(bench.below("sda"), "bfq")
    qtbot.keyClick(asked_to_keep(qtbot, running), Qt.Key.Key_Escape)
    said = text("try-over", disk="WD Blue WD10EZEX (sda)", scheduler="mq-deadline")
    qtbot.waitUntil(lambda: running.window.notice.text == said)


def test_a_try_ends_with_esc_with_the_window_and_with_the_helper(bench: Bench, opened: Open, qtbot: QtBot) -> None:
    running, kyber = opened(bench), trial("kyber", ("sda", 7))
    running.try_out(bench.below("sda"), "kyber")
    qtbot.keyClick(asked_to_keep(qtbot, running), Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: bench.helper.calls == [*kyber, calls.end_trial("t1")])
    qtbot.waitUntil(lambda: running.window.findChild(KeepDialog) is None)
    running.try_out(bench.below("sda"), "kyber")
    asked_to_keep(qtbot, running)
    bench.helper.trial_ended("t1", "time limit")
    qtbot.waitUntil(lambda: "nothing was kept" in running.window.notice.text)
    qtbot.waitUntil(lambda: running.window.findChild(KeepDialog) is None)
    assert bench.helper.calls[-2:] == kyber
    running.try_out(bench.below("sda"), "kyber")
    asked_to_keep(qtbot, running)
    running.window.close()
    assert bench.helper.calls[-1] == calls.end_trial("t1") and bench.helper.closed


def test_what_is_refused_leaves_the_result_on_the_screen(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    running = opened(bench)
    running.find_best("sda")
    to_result(qtbot, running)
    wizard = running.window.wizard
    assert wizard is not None and wizard.result_page is not None
    for control in (wizard.result_page.use_button, wizard.result_page.keep_button):
        bench.helper.fails = REFUSED
        click(qtbot, control)
        qtbot.waitUntil(lambda: running.window.notice.text == text("nothing-changed", why=REFUSED.message))
        qtbot.waitUntil(control.isEnabled)
        running.window.show_notice("")
    assert running.window.wizard is wizard and wizard.step == 3


def test_the_desktop_stays_awake_and_is_told(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    running = opened(bench)
    running.find_best("sda")
    running.window.showMinimized()
    to_result(qtbot, running)
    asked = bench.desktop.asked
    assert asked[0] == ("awake",)
    assert ("progress", 47, 48) in asked
    assert [each[0] for each in asked if each[0] != "progress"] == ["awake", "rest", "notify"]
    assert asked[-1][1] == "Measured: Switch to bfq"
    assert running.window.isMinimized()
    bench.desktop.chosen("")
    assert not running.window.isMinimized()
    assert running.window.windowTitle() == text("title-result")


def test_the_starting_point_follows_the_purpose(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    running = opened(bench)
    running.find_best("sda")
    wizard = running.window.wizard
    assert wizard is not None
    said = []
    for goal in ("desktop", "database"):
        click(qtbot, wizard.goal_page.buttons[goal])
        click(qtbot, wizard.next_button)
        assert wizard.where_page._first.isVisible()
        said.append(wizard.where_page._first.text())
        wizard.back()
    assert "bfq" in said[0] and said[0] != said[1]
    assert all("only measuring" in each.lower() for each in said)


def test_what_the_kernel_lacks_is_said(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    bench.disks = (disk("sda", schedulers=("none", "mq-deadline"), loadable=("bfq",)),)
    running = opened(bench)
    running.change("sda")
    dialog = running.window.findChild(ChangeDialog)
    assert dialog is not None and "built without kyber" in dialog._about.text()
    dialog.reject()


def test_wizard_by_keyboard_alone(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    running = opened(bench)
    window = running.window
    window.disks_page.card("sda")._find.setFocus()
    qtbot.keyClick(window.disks_page.card("sda")._find, Qt.Key.Key_Return)
    wizard = window.wizard
    assert wizard is not None
    _tab_to(qtbot, wizard.next_button)
    qtbot.keyClick(wizard.next_button, Qt.Key.Key_Return)
    assert wizard.step == 1
    qtbot.waitUntil(wizard.next_button.isEnabled, timeout=5000)
    _tab_to(qtbot, wizard.next_button)
    qtbot.keyClick(wizard.next_button, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: wizard.step == 3, timeout=20000)
    page = wizard.result_page
    assert page is not None
    _tab_to(qtbot, page.keep_button)
    qtbot.keyClick(page.keep_button, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: bool(bench.helper.calls))
    assert bench.helper.calls == [calls.persist("sda", 7, "bfq", {})]
    qtbot.waitUntil(lambda: window.wizard is None)


def _tab_to(qtbot: QtBot, wanted: QWidget) -> None:
    seen: list[str] = []
    for _ in range(40):
        focused = QApplication.focusWidget()
        seen.append(str(focused))
        if focused is wanted:
            return
        qtbot.keyClick(focused or wanted.window(), Qt.Key.Key_Tab)
    pytest.fail(f"Tab never reaches {wanted}, last {seen}")


def test_cancel_while_measuring_says_that_the_disk_is_restored(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    bench.rounds = 60
    running = opened(bench)
    running.find_best("sda")
    wizard = running.window.wizard
    assert wizard is not None
    wizard.next()
    qtbot.waitUntil(wizard.next_button.isEnabled, timeout=5000)
    wizard.next()
    qtbot.waitUntil(lambda: wizard.running_page._bar.value() > 2, timeout=5000)
    assert "%" in running.window.windowTitle()
    click(qtbot, wizard.running_page.pause_button)
    assert wizard.running_page.pause_button.text() == text("continue")
    click(qtbot, wizard.running_page.cancel_button)
    qtbot.waitUntil(lambda: running.window.wizard is None, timeout=1000)
    assert running.window.notice.text == text("measuring-cancelled")


def test_esc_goes_back_and_asks_only_while_measuring(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    bench.rounds = 60
    running = opened(bench)
    window = running.window
    running.find_best("sda")
    wizard = window.wizard
    assert wizard is not None
    wizard.next()
    window.back()
    assert wizard.step == 0 and window.question is None
    wizard.next()
    qtbot.waitUntil(wizard.next_button.isEnabled, timeout=5000)
    wizard.next()
    window.back()
    assert window.question is not None
    window.question.reject()
    assert wizard.running


def test_closing_while_measuring_asks_restores_and_closes(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    bench.rounds = 60
    running = opened(bench)
    window = running.window
    running.find_best("sda")
    wizard = window.wizard
    assert wizard is not None
    wizard.next()
    qtbot.waitUntil(wizard.next_button.isEnabled, timeout=5000)
    wizard.next()
    qtbot.wait(50)
    window.close()
    assert window.isVisible() and window.question is not None
    stop = next(b for b in window.question.buttons() if b.text() == text("leave-stop"))
    click(qtbot, stop)
    qtbot.waitUntil(lambda: not window.isVisible(), timeout=2000)
    assert bench.helper.closed


def test_what_cannot_start_says_so(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    bench.announces_refusal = message("too-little-room", folder="/home", needed=3 * 10**9, usable=10**9)
    running = opened(bench)
    running.find_best("sda")
    wizard = running.window.wizard
    assert wizard is not None
    wizard.next()
    qtbot.waitUntil(lambda: wizard.where_page.notice.text == say(bench.announces_refusal), timeout=5000)
    assert not wizard.next_button.isEnabled()


def test_change_writes_only_on_apply_and_only_what_differs(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    running = opened(bench)
    running.change("sda")
    dialog = running.window.findChild(ChangeDialog)
    assert not dialog.apply_button.isEnabled()
    dialog.rows[0].spin.setValue(512)
    assert dialog.rows[0].property("changed") and dialog._count.text() == "1 change"
    assert bench.helper.calls == []
    click(qtbot, dialog.apply_button)
    qtbot.waitUntil(lambda: bench.helper.calls == [calls.set_tunables("sda", 7, {"queue/nr_requests": "512"})])


def test_what_is_kept_is_what_is_seen(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    """Kept: what is edited, what is neither default nor first, and what was kept before; nothing else."""
    had = {**bench.disks[1].tunables, "queue/nr_requests": 64, "iosched/fifo_batch": 8}
    bench.disks = (bench.disks[0], replace(bench.disks[1], tunables=had))
    bench.helper.first = {"sda": ("mq-deadline", {"queue/nr_requests": 256, "queue/read_ahead_kb": 128})}
    bench.helper.kept = {"sda": ("mq-deadline", {"iosched/read_expire": 500})}
    running = opened(bench)
    qtbot.waitUntil(running.window.disks_page.card("sda")._back.isVisible)
    running.change("sda")
    dialog = running.window.findChild(ChangeDialog)
    assert dialog.persist.isChecked()
    rows = {row.name: row for row in dialog.rows}
    rows["queue/rq_affinity"].spin.setValue(2)
    assert dialog._scope.text() == (
        "Holds now and after every restart: mq-deadline, nr_requests 64, rq_affinity 2, read_expire 500, fifo_batch 8."
    )
    assert rows["queue/nr_requests"]._note.text() == "kept after restart"
    assert rows["queue/rq_affinity"]._note.text() == "now 1 · kept after restart"
    dialog.persist.setChecked(False)
    assert "then what you kept holds again: mq-deadline, read_expire 500." in dialog._scope.text()
    assert dialog.wanted.tunables == {"queue/rq_affinity": "2"}
    dialog.persist.setChecked(True)
    click(qtbot, dialog.reset_button)
    assert (rows["queue/nr_requests"].value, rows["iosched/fifo_batch"].value) == (256, 16)
    assert rows["queue/wbt_lat_usec"].value == 75000
    click(qtbot, dialog.apply_button)
    wanted = {"queue/nr_requests": "256", "iosched/read_expire": "500", "iosched/fifo_batch": "16"}
    qtbot.waitUntil(lambda: bench.helper.calls == [calls.persist("sda", 7, "mq-deadline", wanted)])


TUNED = Writer("tuned", "/etc/tuned/profiles/mine/tuned.conf", 5, "queue/scheduler", "kyber")


def test_what_will_not_last_is_asked_before_it_is_kept(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    bench.writers = (TUNED,)
    running = opened(bench)
    window = running.window
    running.find_best("sda")
    to_result(qtbot, running)
    wizard = window.wizard
    assert wizard is not None and wizard.result_page is not None
    for answer in (text("cancel"), text("keep-anyway")):
        click(qtbot, wizard.result_page.keep_button)
        qtbot.waitUntil(lambda: window.question is not None)
        assert window.question is not None and bench.helper.calls == []
        asked = window.question.text() + window.question.informativeText()
        assert "bfq will not last" in asked and f"{TUNED.place} (tuned) sets the scheduler to kyber" in asked
        assert "tuned-adm off" in asked
        click(qtbot, next(each for each in window.question.buttons() if each.text() == answer))
        qtbot.waitUntil(lambda: window.question is None)
    qtbot.waitUntil(lambda: window.wizard is None)
    assert bench.helper.calls == [calls.persist("sda", 7, "bfq", {})]
    assert "now. After a restart, TuneD sets it to kyber, unless you change that." in window.notice.text


def test_what_will_not_last_is_said_while_it_is_tried(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    running = opened(bench)
    running.try_out((bench.disks[1],), "bfq")
    dialog = asked_to_keep(qtbot, running)
    qtbot.wait(50)
    assert not dialog.caution.isVisible()
    dialog.reject()
    qtbot.waitUntil(lambda: running.window.findChild(KeepDialog) is None)
    bench.writers = (TUNED,)
    running.try_out((bench.disks[1],), "bfq")
    dialog = asked_to_keep(qtbot, running)
    qtbot.waitUntil(dialog.caution.isVisible)
    assert (
        dialog.caution.text().startswith("After a restart it will not last. ") and TUNED.place in dialog.caution.text()
    )
    click(qtbot, dialog.always_button)
    qtbot.waitUntil(lambda: "After a restart, TuneD sets it to kyber" in running.window.notice.text)


def test_how_long_a_change_holds_is_said_before_it_is_applied(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    rule = Writer("udev", "/etc/udev/rules.d/60-x.rules", 3, "queue/scheduler", "none", on_change=True)
    bench.writers = (rule, TUNED)
    running = opened(bench)
    running.change("sda")
    dialog = running.window.findChild(ChangeDialog)
    qtbot.wait(50)
    assert dialog._scope.text() == text("holds-until-restart")
    dialog.scheduler.setCurrentIndex(dialog.scheduler.findData("bfq"))
    told = f"{rule.place} (udev) sets the scheduler to “none” whenever udev sees the disk change"
    qtbot.waitUntil(lambda: told in dialog._scope.text())
    dialog.persist.setChecked(True)
    said = dialog._scope.text()
    assert said.startswith("Holds now, but will not last: bfq") and TUNED.place in said and rule.place not in said
    dialog.scheduler.setCurrentIndex(dialog.scheduler.findData("kyber"))
    assert dialog._scope.text().startswith("Holds now and after every restart: kyber")
    dialog.reject()


def test_a_scheduler_without_its_tunables_is_reported(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    running = opened(bench)
    bench.helper.fails_at["SetTunables"] = REFUSED
    running.actions.change(bench.disks[1], Wanted("bfq", {"queue/nr_requests": "512"}))
    qtbot.waitUntil(lambda: str(REFUSED) in running.window.notice.text)
    assert "uses bfq now, but its tunables were not changed" in running.window.notice.text


def test_the_card_says_for_how_long_and_for_what(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    kept, until = PersistentChoice("bfq", {}), UntilRestart("none", "2026-11-21T02:00:00Z")
    by_port = PersistentChoice("bfq", {}, by_port=True)
    said = {
        "a": disk("sda", scheduler="bfq", persistent=kept),
        "b": disk("sda", scheduler="none", persistent=kept, until_restart=until),
        "c": disk("sda", scheduler="kyber", persistent=kept, until_restart=until),
        "d": disk("sda", scheduler="none", until_restart=until),
        "e": disk("sda", scheduler="bfq", persistent=by_port),
        "f": disk("sda"),
    }
    assert {
        name: chosen_text(one, Choice(chosen="bfq" if name != "d" else None))
        for name, one in said.items()
        if name != "f"
    } == {
        "a": "your choice, also after a restart",
        "b": "your choice, until the next restart; then bfq again",
        "c": "you chose “none”, but something else changed it",
        "d": "your choice, until the next restart",
        "e": "your choice, also after a restart, for whatever disk is plugged in here",
    }
    assert chosen_text(said["f"], Choice()) == ""
    assert now_uses((said["a"],), "none").endswith("until the next restart; then bfq again, which you keep.")
    assert now_uses((said["f"],), "none").endswith("now uses “none”, until the next restart.")


def test_what_the_kernel_gave_is_nobodys_decision(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    """bfq's turn is counted in the kernel's ticks; how requests are joined is the driver's default."""
    ticks = round(1 / time.clock_getres(6))
    given = {"queue/nomerges": 2, "iosched/fifo_expire_sync": 125, "iosched/fifo_expire_async": 250}
    given |= {"iosched/timeout_sync": ticks // 8 * 1000 // ticks, "iosched/slice_idle": 8}
    bench.disks = (replace(bench.disks[1], scheduler="bfq", tunables={**bench.disks[1].tunables, **given}),)
    running = opened(bench)
    running.change("sda")
    dialog = running.window.findChild(ChangeDialog)
    dialog.persist.setChecked(True)
    assert dialog.wanted.tunables == {}
    assert not dialog.reset_button.isEnabled()
    shown = {row.name: [label.text() for label in row.findChildren(QLabel)] for row in dialog.rows}
    assert "1 to 1,000,000 ms, usually 125" in shown["iosched/fifo_expire_sync"]
    assert "0 to 2" in shown["queue/nomerges"]


def test_change_of_the_scheduler(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    running = opened(bench)
    running.change("sda")
    dialog = running.window.findChild(ChangeDialog)
    dialog.scheduler.setCurrentIndex(dialog.scheduler.findData("kyber"))
    assert "kyber" in dialog._later.text()
    click(qtbot, dialog.apply_button)
    qtbot.waitUntil(lambda: bench.helper.calls == [calls.set_scheduler("sda", 7, "kyber")])


def test_go_back_is_one_click_and_says_what_will_be(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    bench.helper.first = {"sda": ("none", {})}
    running = opened(bench)
    card = running.window.disks_page.card("sda")
    qtbot.waitUntil(card._back.isVisible)
    assert card._back.toolTip() == "Sets the disk back to “none”."
    click(qtbot, card._back)
    qtbot.waitUntil(lambda: bench.helper.calls == [calls.revert("sda")])
    qtbot.waitUntil(lambda: "none" in running.window.notice.text)


def test_going_back_from_a_rule_alone_names_its_tunables(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    kept = {"queue/read_ahead_kb": 16}
    bench.helper.kept = {"sda": ("mq-deadline", kept)}
    now = replace(bench.disks[1], persistent=PersistentChoice("mq-deadline", kept))
    bench.disks = (bench.disks[0], replace(now, tunables={**now.tunables, **kept}), *bench.disks[2:])
    running = opened(bench)
    card = running.window.disks_page.card("sda")
    qtbot.waitUntil(card._back.isVisible)
    qtbot.waitUntil(lambda: running.actions.choice(bench.disks[1]).persistent)
    click(qtbot, card._back)
    qtbot.waitUntil(lambda: bench.helper.calls == [calls.undo("sda")])
    qtbot.waitUntil(lambda: "no longer sets" in running.window.notice.text)
    assert "to “mq-deadline, read_ahead_kb 16”. It stays as it is until then." in running.window.notice.text


def test_refused_and_missing_helper_end_in_a_sentence(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    running = opened(bench)
    chosen = bench.disks[1]
    bench.helper.fails = REFUSED
    running.actions.use((chosen,), "bfq")
    qtbot.waitUntil(lambda: running.window.notice.text == text("nothing-changed", why=REFUSED.message))
    bench.helper.fails = HelperNotThere("helper-not-installed")
    running.actions.refresh()
    qtbot.waitUntil(lambda: text("helper-not-installed") in running.window.notice.text)
    assert not running.window.disks_page.card("sda")._change.isEnabled()


def test_everything_that_can_be_pressed_has_a_name(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    running = opened(bench)
    running.find_best("sda")
    to_result(qtbot, running)
    for control in running.window.findChildren(QAbstractButton):
        if control.isVisible() and control.metaObject().className() not in {"QTableCornerButton"}:
            assert control.text() or control.accessibleName(), control


def test_hostile_names_are_shown_as_plain_text(opened: Open, qtbot: QtBot) -> None:
    bench = Bench((disk("sda", model="<img src=x><b>Bold</b>"),))
    running = opened(bench)
    label = running.window.disks_page.card("sda")._name
    assert label.text().startswith("<img") and label.textFormat() == Qt.TextFormat.PlainText


def test_hundreds_of_disks_do_not_freeze_the_window(opened: Open, qtbot: QtBot) -> None:
    bench = Bench(tuple(replace(disk(), name=f"sd{n}", diskseq=n) for n in range(120)))
    running = opened(bench)
    qtbot.waitUntil(lambda: len(running.window.disks_page.cards) == 120, timeout=20000)


def test_what_runs_is_said_in_plain_words(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    assert not [each.id for each in catalogue() if each.id in workload_title(each.id)]
    bench.rounds = 60
    running = opened(bench)
    running.find_best("sda")
    wizard = running.window.wizard
    assert wizard is not None
    wizard.next()
    qtbot.waitUntil(wizard.next_button.isEnabled, timeout=5000)
    runs = wizard.where_page._facts["will-run"]
    assert runs.text() == "Starting an office program while files are written\nWriting one big file"
    assert runs.toolTip() == "launch-office, dd-write"
    wizard.next()
    qtbot.waitUntil(lambda: wizard.running_page._what.text() == "Writing one big file", timeout=5000)
    assert wizard.running_page._what.toolTip() == "dd-write"
    whom_and_when = r"With the scheduler (“none”|mq-deadline|kyber|bfq) · run \d+ of 480 · "
    assert re.match(whom_and_when, wizard.running_page._where.text())


def test_it_refuses_to_run_as_root(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert start.main([]) == 2
    assert "does not run as root" in capsys.readouterr().err
