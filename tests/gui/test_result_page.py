# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be done with a result, and on which disks: those that were measured, and no others of the same name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QScrollArea
from pytestqt.qtbot import QtBot

from disktuner.block.disk import Mount
from disktuner.gui.application import Application
from disktuner.gui.continuing import request_to_continue, still_there
from disktuner.gui.widgets.keep_dialog import KeepDialog
from disktuner.gui.widgets.layout import label
from disktuner.gui.wizard.result_page import ResultPage
from disktuner.gui.wizard.wizard import Wizard
from disktuner.helper_client import Call, calls
from disktuner.presentation import present
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Decision, More
from disktuner.vocabulary.errors import NotAuthorised
from disktuner.vocabulary.messages import text
from tests.gui.answers import needing, put_into, world
from tests.gui.conftest import click
from tests.gui.measuring import complaints
from tests.gui.stand_ins import Bench, disk, full_result, trial

Open = Callable[[Bench], Application]
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)


def wizard_of(running: Application) -> Wizard:
    found = running.window.wizard
    assert found is not None
    return found


def announced(qtbot: QtBot, running: Application, folder: str = "") -> Wizard:
    """From the card of sda to what would be measured, in a folder if one is named."""
    running.find_best("sda")
    wizard = wizard_of(running)
    click(qtbot, wizard.next_button)
    if folder:
        wizard.where_page.use_folder(folder)
    qtbot.waitUntil(wizard.next_button.isEnabled, timeout=5000)
    return wizard


def result_of(qtbot: QtBot, wizard: Wizard) -> ResultPage:
    wizard.next()
    qtbot.waitUntil(lambda: wizard.step == 3, timeout=20000)
    assert wizard.result_page is not None
    return wizard.result_page


def press(qtbot: QtBot, running: Application, name: str) -> None:
    click(qtbot, getattr(wizard_of(running).result_page, name))


def test_a_folder_on_another_disk_leads_to_that_disk_everywhere(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    other = disk("sdb", diskseq=9, model="Elements", mounts=(Mount("/srv", "ext4", "/dev/sdb1", (), 10**12, 10**11),))
    bench.disks = (*bench.disks[:2], other)
    running = opened(bench)
    wizard = announced(qtbot, running, "/srv")
    assert wizard.title.text() == wizard.title.toolTip() == "Elements (sdb)"
    assert (
        "lies on Elements (sdb): that disk will be measured, not WD Blue WD10EZEX (sda)."
        in wizard.where_page.notice.text
    )
    page = result_of(qtbot, wizard)
    assert wizard.title.text() == "Elements (sdb)" and page.disks == (other,)
    press(qtbot, running, "keep_button")
    qtbot.waitUntil(lambda: bench.helper.calls == [calls.persist("sdb", 9, "bfq", {})])


def test_back_on_a_folder_of_its_own_it_is_the_disk_again(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    other = disk("sdb", diskseq=9, mounts=(Mount("/srv", "ext4", "/dev/sdb1", (), 10**12, 10**11),))
    bench.disks = (*bench.disks[:2], other)
    running = opened(bench)
    wizard = announced(qtbot, running, "/srv")
    wizard.where_page.use_folder(str(bench.places(bench.disks[1])[0].folder))
    assert not wizard.next_button.isEnabled()
    qtbot.waitUntil(wizard.next_button.isEnabled, timeout=5000)
    assert wizard.title.text() == "WD Blue WD10EZEX (sda)" and wizard.where_page.notice.text == ""


def two_below_one_folder(bench: Bench) -> None:
    mounts = (Mount("/srv", "btrfs", "/dev/sda", (), 10**12, 10**11),)
    bench.disks = (disk("sda", mounts=mounts), disk("sdb", diskseq=9, scheduler="none", mounts=mounts))


def test_what_was_measured_together_is_tried_and_used_together(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    two_below_one_folder(bench)
    running = opened(bench)
    wizard = announced(qtbot, running, "/srv")
    assert wizard.title.text() == "WD Blue WD10EZEX (sda) + sdb"
    assert "several disks: sda and sdb." in wizard.where_page.notice.text
    result_of(qtbot, wizard)
    press(qtbot, running, "use_button")
    qtbot.waitUntil(lambda: running.window.findChild(KeepDialog) is not None)
    dialog = running.window.findChild(KeepDialog)
    assert "mq-deadline (sda), none (sdb)" in dialog.left.text()
    qtbot.waitUntil(dialog.isVisible)
    click(qtbot, dialog.until_button)
    used = [calls.set_scheduler("sda", 7, "bfq"), calls.set_scheduler("sdb", 9, "bfq")]
    tried = [*trial("bfq", ("sda", 7), ("sdb", 9)), calls.end_trial("t1")]
    qtbot.waitUntil(lambda: bench.helper.calls == [*tried, *used])


def test_where_the_second_disk_fails_the_first_is_named(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    two_below_one_folder(bench)
    running = opened(bench)
    send = bench.helper.send

    def refuse_second(call: Call[Any], *answers: Callable[[Any], None]) -> None:
        bench.helper.fails = NotAuthorised("refused-not-agreed") if "sdb" in call.arguments else None
        send(call, *answers)

    bench.helper.send = refuse_second  # type: ignore[method-assign, assignment]
    running.keep(bench.disks, "bfq")
    qtbot.waitUntil(lambda: running.window.notice.text.startswith(text("refused-not-agreed")))
    assert "Changed before that: WD Blue WD10EZEX (sda)." in running.window.notice.text


@pytest.mark.parametrize("button", ["use_button", "keep_button"])
def test_another_disk_of_that_name_is_left_alone(opened: Open, bench: Bench, qtbot: QtBot, button: str) -> None:
    running = opened(bench)
    result_of(qtbot, announced(qtbot, running))
    bench.disks = (bench.disks[0], disk("sda", diskseq=99, wwn="0x6", serial="S2"))
    bench.changed()
    qtbot.waitUntil(lambda: running.disks.disks[-1].diskseq == 99)
    press(qtbot, running, button)
    qtbot.waitUntil(lambda: "is not the disk that was measured any more" in running.window.notice.text)
    assert bench.helper.calls == []


def test_a_disk_that_was_plugged_in_again_is_the_same(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    running = opened(bench)
    result_of(qtbot, announced(qtbot, running))
    bench.disks = (bench.disks[0], disk("sda", diskseq=99))
    bench.changed()
    qtbot.waitUntil(lambda: running.disks.disks[-1].diskseq == 99)
    press(qtbot, running, "keep_button")
    qtbot.waitUntil(lambda: bench.helper.calls == [calls.persist("sda", 99, "bfq", {})])


OFFERED = {
    Decision.SWITCH: ["Try it now", "Keep after restart", "Keep mq-deadline"],
    Decision.TRADE_OFF: ["Try bfq now", "Keep bfq after restart", "Keep mq-deadline"],
    Decision.KEEP: ["Done", "Measure on (4 minutes)…"],
    Decision.UNDECIDED: ["Measure on (4 minutes)…", "Try bfq now", "Keep mq-deadline"],
}
FOUR_MINUTES = More(6, 240.0)


def offered(page: ResultPage) -> list[QPushButton]:
    """What can be done, from the left."""
    controls = page.foot.findChildren(QPushButton)
    shown = [each for each in controls if each.isVisible() and each.text() != page.save_button.text()]
    return sorted(shown, key=lambda each: each.mapTo(page.foot, QPoint()).x())


@pytest.mark.parametrize("decision", Decision)
def test_each_answer_offers_what_can_be_done_about_it(
    opened: Open, bench: Bench, qtbot: QtBot, decision: Decision
) -> None:
    put_into(bench, decision, FOUR_MINUTES)
    running = opened(bench)
    page = result_of(qtbot, announced(qtbot, running))
    buttons = offered(page)
    assert [each.text() for each in buttons] == OFFERED[decision]
    assert page.first is buttons[0] and buttons[0].hasFocus() and all(each.isEnabled() for each in buttons)
    primary = [each.text() for each in buttons if each.property("primary")]
    assert primary == ([] if decision is Decision.TRADE_OFF else OFFERED[decision][:1]), "nobody decides for the user"
    for following in buttons[1:]:
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        assert following.hasFocus(), "by keyboard alone"
    assert complaints(running.window) == []
    shown, said = page.presented, {each.text() for each in page.findChildren(QLabel)}
    assert shown.verdict.decision is decision and shown.title in said
    by_one = {Decision.TRADE_OFF: shown.remarks, Decision.UNDECIDED: shown.reasons}
    assert {*by_one.get(decision, (shown.why,))} <= said


def test_both_sides_of_a_trade_off_stand_next_to_each_other(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    put_into(bench, Decision.TRADE_OFF)
    running = opened(bench)
    page = result_of(qtbot, announced(qtbot, running))
    gain, price = page.presented.sides or pytest.fail("no sides")
    assert page.presented.title == "Your call: bfq or mq-deadline"
    assert gain.difference.endswith("× faster") and gain.limit == "A change is worth it from 20 % faster on."
    assert price.difference.endswith("slower") and price.limit == "This goal accepts 50 % slower at most."
    places = {each.text(): each.mapTo(page, QPoint()) for each in page.findChildren(QLabel)}
    assert places[gain.difference].y() == places[price.difference].y()
    assert places[gain.difference].x() < places[price.difference].x()
    assert all(side.sure in places and side.label in places for side in (gain, price))


@pytest.mark.parametrize("decision", [Decision.KEEP, Decision.UNDECIDED])
def test_measuring_on_is_announced_and_adds_to_the_same_result(
    opened: Open, bench: Bench, qtbot: QtBot, decision: Decision
) -> None:
    put_into(bench, decision, FOUR_MINUTES)
    running = opened(bench)
    running.find_best("sda")
    wizard_of(running).goal_page.buttons["server"].click()
    wizard_of(running).next()
    qtbot.waitUntil(wizard_of(running).next_button.isEnabled, timeout=5000)
    page = result_of(qtbot, wizard_of(running))
    first = bench.comparisons[-1].request
    samples = len(page.presented.result.samples)
    press(qtbot, running, "on_button")
    wizard = wizard_of(running)
    qtbot.waitUntil(lambda: wizard.step == 1 and wizard.next_button.isEnabled(), timeout=5000)
    said = {each.text() for each in wizard.where_page.findChildren(QLabel)}
    assert {text("on-question"), text("on-about"), "21 GB"} <= said and text("where-question") not in said
    assert complaints(running.window) == []
    request = bench.comparisons[-1].request
    assert request.continues == Path("/nowhere/result.json") and request.target == first.target
    assert (request.goal, request.budget) == ("desktop", "standard"), "what the result was for, in time enough"
    assert len(result_of(qtbot, wizard).presented.result.samples) == 2 * samples


def test_back_from_the_announcement_of_measuring_on_leaves(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    put_into(bench, Decision.UNDECIDED)
    running = opened(bench)
    result_of(qtbot, announced(qtbot, running))
    press(qtbot, running, "on_button")
    qtbot.waitUntil(lambda: wizard_of(running).step == 1)
    click(qtbot, wizard_of(running).back_button)
    assert running.window.wizard is None


@pytest.mark.parametrize(
    ("more", "shown", "budget"),
    [
        (More(6, 240.0), "Measure on (4 minutes)…", "standard"),
        (More(2, 20.0), "Measure on (20 seconds)…", "quick"),
        (More(60, 9000.0), "Measure on (30 minutes)…", "thorough"),
        (More(6, None), "Measure on (6 rounds)…", "quick"),
        (More(1, None), "Measure on (1 round)…", "quick"),
        (None, "Measure on…", "quick"),
    ],
)
def test_how_long_measuring_on_takes_stands_on_its_button(
    qtbot: QtBot, more: More | None, shown: str, budget: str
) -> None:
    measured = world(Decision.UNDECIDED)(full_result(5, noise=0.1))
    verdict = needing(more)(measured)
    page = ResultPage(present(measured, verdict), partial(still_there, (disk(),)), (disk(),), Path("/a"))
    qtbot.addWidget(page)
    qtbot.addWidget(page.foot)
    assert page.on_button.text() == shown and page.on_button.property("primary") is (more is not None)
    assert request_to_continue(measured, verdict, Path("/a")).budget == budget


def test_a_disk_that_is_gone_cannot_be_measured_on_until_it_is_back(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    put_into(bench, Decision.UNDECIDED, FOUR_MINUTES)
    running = opened(bench)
    page = result_of(qtbot, announced(qtbot, running))
    there, name = bench.disks, "WD Blue WD10EZEX (sda)"
    for disks, said in (
        (there[:1], text("on-gone", disk=name)),
        ((disk("sda", diskseq=99, serial="2", model="Red"),), text("on-another", disk=name, now="Red (sda)")),
        (there, ""),
    ):
        bench.disks = disks
        bench.changed()
        qtbot.waitUntil(lambda disks=disks: running.disks.disks == disks)
        assert page.on_button.isVisible() and page.on_button.isEnabled() is not bool(said)
        assert page._why_not.text() == said and page._why_not.isVisible() is bool(said)
        qtbot.waitUntil(lambda: complaints(running.window) == [])


def test_where_nothing_was_compared_it_is_measured_again(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    put_into(bench, Decision.UNDECIDED)
    bench.verdict = lambda found: replace(judge(found), comparisons=(), leader=None)
    running = opened(bench)
    page = result_of(qtbot, announced(qtbot, running))
    assert [each.text() for each in offered(page)] == ["Measure longer (10 min)…", "Keep mq-deadline"]
    press(qtbot, running, "longer_button")
    qtbot.waitUntil(lambda: wizard_of(running).step == 1 and wizard_of(running).next_button.isEnabled(), timeout=5000)
    request = bench.comparisons[-1].request
    assert (request.goal, request.budget, request.continues) == ("desktop", "standard", None)
    assert wizard_of(running).title.text() == "WD Blue WD10EZEX (sda)"


def test_who_leads_can_be_tried_though_nothing_is_decided(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    put_into(bench, Decision.UNDECIDED)
    running = opened(bench)
    page = result_of(qtbot, announced(qtbot, running))
    leader = page.presented.verdict.leader
    assert leader is not None and page.use_button.text() == f"Try {leader} now"
    press(qtbot, running, "use_button")
    qtbot.waitUntil(lambda: bench.helper.calls == trial(leader, ("sda", 7)))
    qtbot.waitUntil(lambda: running.window.findChild(KeepDialog) is not None)
    running.window.findChild(KeepDialog).reject()


def test_the_buttons_of_a_result_do_not_scroll_away(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    running = opened(bench)
    page = result_of(qtbot, announced(qtbot, running))
    area = next(each for each in wizard_of(running).findChildren(QScrollArea) if each.widget() is page)
    area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())
    for control in (page.use_button, page.keep_button, page.leave_button, page.save_button):
        assert not area.isAncestorOf(control)
        assert not control.visibleRegion().isEmpty()


def test_room_is_told_so_that_it_is_no_range(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    wizard = announced(qtbot, opened(bench))
    assert wizard.where_page._facts["will-need"].text() == "3 GB of 412 GB free"


def test_time_is_told_from_a_plain_answer_on(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    wizard = announced(qtbot, opened(bench))
    assert wizard.where_page._facts["will-take"].text() == "60 seconds to 3 minutes"
    wizard.where_page.show_announcement(replace(bench.announced(), least_s=170.0))
    assert wizard.where_page._facts["will-take"].text() == "3 minutes"


def test_no_line_ends_within_the_name_of_a_scheduler(qtbot: QtBot) -> None:
    shown = label("with mq-deadline now", wrap=True)
    qtbot.addWidget(shown)
    name = shown.fontMetrics().horizontalAdvance("mq-deadline")
    assert shown.minimumSizeHint().width() >= name > shown.fontMetrics().horizontalAdvance("deadline")
    assert shown.text() == "with mq-deadline now"
    assert QLabel.text(shown) == "with mq\N{NON-BREAKING HYPHEN}deadline now"
