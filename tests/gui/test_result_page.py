# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be done with a result, and on which disks: those that were measured, and no others of the same name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from disktuner.block.disk import Disk, Mount
from disktuner.gui.application import Application
from disktuner.gui.continuing import request_to_continue, still_there
from disktuner.gui.widgets.layout import column
from disktuner.gui.wizard.result_page import ResultPage
from disktuner.helper_client import calls
from disktuner.presentation import present
from disktuner.results.model import Result
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Decision, More, Verdict
from disktuner.vocabulary.messages import text
from tests.gui.answers import measured, needing, put_into
from tests.gui.conftest import click
from tests.gui.measuring import complaints
from tests.gui.stand_ins import Bench, disk, trial
from tests.gui.walk import Walk, kept, said, until

Open = Callable[[Bench], Application]
FOUR_MINUTES = More(6, 240.0)
BELOW_SRV = (Mount("/srv", "btrfs", "/dev/sdb1", (), 10**12, 10**11),)


def page_of(
    qtbot: QtBot, found: Result, verdict: Callable[[Result], Verdict] = judge, disks: Sequence[Disk] = (disk(),)
) -> ResultPage:
    """A result's page above its buttons, in a window that has the focus."""
    page = ResultPage(present(found, verdict(found)), partial(still_there, disks), disks, Path("/a/result.json"))
    window = QWidget()
    window.setLayout(column(page, page.foot))
    kept(qtbot, window).activateWindow()
    until(window.isActiveWindow)
    page.first.setFocus()
    return page


def offered(page: ResultPage) -> list[QPushButton]:
    """What can be done, from the left."""
    controls = page.foot.findChildren(QPushButton)
    shown = [each for each in controls if each.isVisible() and each is not page.save_button]
    return sorted(shown, key=lambda each: each.mapTo(page.foot, QPoint()).x())


def to_folder(walk: Walk, folder: str) -> None:
    """From the card of sda to what would be measured in a folder."""
    walk.app.find_best("sda")
    walk.wizard.next()
    walk.wizard.where_page.use_folder(folder)
    walk.at_cost()


def test_a_folder_on_another_disk_leads_to_that_disk_everywhere(opened: Open, bench: Bench) -> None:
    other = disk("sdb", diskseq=9, model="Elements", mounts=BELOW_SRV)
    bench.disks = (*bench.disks[:2], other)
    walk = Walk(opened(bench), bench)
    own, where = str(bench.places(bench.disks[1])[0].folder), "WD Blue WD10EZEX (sda)"
    to_folder(walk, "/srv")
    walk.wizard.where_page.use_folder(own)
    assert not walk.wizard.next_button.isEnabled()
    walk.at_cost()
    assert walk.wizard.title.text() == where and walk.wizard.where_page.notice.text == ""
    walk.wizard.where_page.use_folder("/srv")
    walk.at_cost()
    assert walk.wizard.title.text() == walk.wizard.title.toolTip() == "Elements (sdb)"
    notice = walk.wizard.where_page.notice.text
    assert f"lies on Elements (sdb): that disk will be measured, not {where}." in notice
    walk.measured()
    assert walk.wizard.title.text() == "Elements (sdb)" and walk.result.disks == (other,)
    check_foot(walk)
    walk.result.keep_button.click()
    until(lambda: bench.helper.calls == [calls.set_disks([("sdb", 9)], "bfq", {}, persist=True)])


def check_foot(walk: Walk) -> None:
    """The buttons of a result do not scroll away."""
    page = walk.result
    area = next(each for each in walk.wizard.findChildren(QScrollArea) if each.widget() is page)
    area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())
    for control in (page.use_button, page.keep_button, page.leave_button, page.save_button):
        assert not area.isAncestorOf(control) and not control.visibleRegion().isEmpty()


def test_what_was_measured_together_is_tried_and_used_together(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    bench.disks = (disk("sda", mounts=BELOW_SRV), disk("sdb", diskseq=9, scheduler="none", mounts=BELOW_SRV))
    walk = Walk(opened(bench), bench)
    to_folder(walk, "/srv")
    assert walk.wizard.title.text() == "WD Blue WD10EZEX (sda) + sdb"
    assert "several disks: sda and sdb." in walk.wizard.where_page.notice.text
    walk.measured()
    dialog = walk.try_dialog(walk.result)
    assert "mq-deadline (sda), none (sdb)" in dialog.left.text()
    click(qtbot, dialog.until_button)
    tried = [*trial("bfq", ("sda", 7), ("sdb", 9)), calls.end_trial("t1")]
    used = [calls.set_disks([("sda", 7), ("sdb", 9)], "bfq")]
    until(lambda: bench.helper.calls == [*tried, *used])


def test_another_disk_of_that_name_is_left_alone_and_the_same_one_is_known_again(opened: Open, bench: Bench) -> None:
    walk, first = Walk(opened(bench), bench), bench.disks[0]
    page = walk.compared()
    walk.show_disks(first, disk("sda", diskseq=99, wwn="0x6", serial="S2"))
    until(lambda: walk.app.disks.disks[-1].diskseq == 99)
    for button in (page.use_button, page.keep_button):
        walk.window.show_notice("")
        button.click()
        until(lambda: "is not the disk that was measured any more" in walk.window.notice.text)
    assert bench.helper.calls == []
    walk.show_disks(first, disk("sda", diskseq=100))
    until(lambda: walk.app.disks.disks[-1].diskseq == 100)
    page.keep_button.click()
    until(lambda: bench.helper.calls == [calls.set_disks([("sda", 100)], "bfq", {}, persist=True)])


OFFERED = {
    Decision.SWITCH: ["Try it now", "Keep after restart", "Keep mq-deadline"],
    Decision.TRADE_OFF: ["Try bfq now", "Keep bfq after restart", "Keep mq-deadline"],
    Decision.KEEP: ["Done", "Measure on (4 minutes)…"],
    Decision.UNDECIDED: ["Measure on (4 minutes)…", "Try bfq now", "Keep mq-deadline"],
}


@pytest.mark.parametrize("decision", Decision)
def test_each_answer_offers_what_can_be_done_about_it(qtbot: QtBot, dressed: QApplication, decision: Decision) -> None:
    page = page_of(qtbot, measured(decision), needing(FOUR_MINUTES))
    buttons = offered(page)
    assert [each.text() for each in buttons] == OFFERED[decision]
    assert page.first is buttons[0] and all(each.isEnabled() for each in buttons)
    primary = [each.text() for each in buttons if each.property("primary")]
    assert primary == ([] if decision is Decision.TRADE_OFF else OFFERED[decision][:1]), "nobody decides for the user"
    for following in buttons[1:]:
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        assert following.hasFocus(), "by keyboard alone"
    shown = page.presented
    assert shown.verdict.decision is decision and shown.title in said(page)
    by_one = {Decision.TRADE_OFF: shown.remarks, Decision.UNDECIDED: shown.reasons}
    assert {*by_one.get(decision, (shown.why,))} <= {*said(page)}


def test_both_sides_of_a_trade_off_stand_next_to_each_other(qtbot: QtBot, dressed: QApplication) -> None:
    page = page_of(qtbot, measured(Decision.TRADE_OFF))
    gain, price = page.presented.sides or pytest.fail("no sides")
    assert page.presented.title == "Your call: bfq or mq-deadline"
    assert gain.difference.endswith("× faster") and gain.limit == "A change is worth it from 20 % faster on."
    assert price.difference.endswith("slower") and price.limit == "This goal accepts 50 % slower at most."
    places = {each.text(): each.mapTo(page, QPoint()) for each in page.findChildren(QLabel)}
    assert places[gain.difference].y() == places[price.difference].y()
    assert places[gain.difference].x() < places[price.difference].x()
    assert all(side.sure in places and side.label in places for side in (gain, price))


def test_measuring_on_is_announced_and_adds_to_the_same_result(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    """What costs how much is told in plain words; back from there leads out of the wizard."""
    put_into(bench, Decision.UNDECIDED, FOUR_MINUTES)
    walk = Walk(opened(bench), bench)
    walk.app.find_best("sda")
    walk.wizard.goal_page.buttons["server"].click()
    walk.announced()
    costs = {*said(walk.wizard.where_page)}
    assert {"3 GB of 412 GB free", "60 seconds to 3 minutes"} <= costs, "a range is told only where it is one"
    walk.wizard.where_page.show_announcement(replace(bench.comparisons[-1].announce(), least_s=170.0))
    assert "3 minutes" in said(walk.wizard.where_page)
    walk.measured()
    first, samples = bench.comparisons[-1].request, len(walk.result.presented.result.samples)
    for leave in (True, False):
        walk.result.on_button.click()
        walk.at_cost()
        costs = {*said(walk.wizard.where_page)}
        assert {text("on-question"), text("on-about"), "21 GB"} <= costs and text("where-question") not in costs
        request = bench.comparisons[-1].request
        assert request.continues == Path("/nowhere/result.json") and request.target == first.target
        assert (request.goal, request.budget) == ("desktop", "standard"), "what the result was for, in time enough"
        if leave:
            click(qtbot, walk.wizard.back_button)
            assert walk.window.wizard is None
            walk.compared()
    walk.measured()
    assert len(walk.result.presented.result.samples) == 2 * samples


@pytest.mark.parametrize(
    ("more", "shown", "budget"),
    [
        (More(6, 240.0), "Measure on (4 minutes)…", "standard"),
        (More(2, 20.0), "Measure on (20 seconds)…", "quick"),
        (More(60, 9000.0), "Measure on (30 minutes)…", "thorough"),
        (More(6, None), "Measure on (6 rounds)…", "quick"),
        (None, "Measure on…", "quick"),
    ],
)
def test_how_long_measuring_on_takes_stands_on_its_button(
    qtbot: QtBot, dressed: QApplication, more: More | None, shown: str, budget: str
) -> None:
    found = measured(Decision.UNDECIDED)
    page = page_of(qtbot, found, needing(more))
    assert page.on_button.text() == shown and page.on_button.property("primary") is (more is not None)
    assert request_to_continue(found, needing(more)(found), Path("/a")).budget == budget


def test_a_disk_that_is_gone_cannot_be_measured_on_until_it_is_back(qtbot: QtBot, dressed: QApplication) -> None:
    page, name = page_of(qtbot, measured(Decision.UNDECIDED)), "WD Blue WD10EZEX (sda)"
    for disks, why in (
        ((), text("on-gone", disk=name)),
        ((disk("sda", diskseq=99, serial="2", model="Red"),), text("on-another", disk=name, now="Red (sda)")),
        ((disk(),), ""),
    ):
        page.show_disks(disks)
        assert page.on_button.isVisible() and page.on_button.isEnabled() is not bool(why)
        assert not why or why in [each.text() for each in page.findChildren(QLabel) if each.isVisible()]
        assert complaints(page) == []


def test_where_nothing_was_compared_it_is_measured_again(opened: Open, bench: Bench) -> None:
    put_into(bench, Decision.UNDECIDED)
    bench.verdict = lambda found: replace(judge(found), comparisons=(), leader=None)
    walk = Walk(opened(bench), bench)
    page = walk.compared()
    assert [each.text() for each in offered(page)] == ["Measure longer (10 min)…", "Keep mq-deadline"]
    page.longer_button.click()
    walk.at_cost()
    request = bench.comparisons[-1].request
    assert (request.goal, request.budget, request.continues) == ("desktop", "standard", None)
    assert walk.wizard.title.text() == "WD Blue WD10EZEX (sda)"
