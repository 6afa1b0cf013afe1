# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be done with a result, and on which disks: the measured ones, and no others of the same name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QScrollArea

from disktuner.block.disk import Mount
from disktuner.comparison.continuing import request_to_continue
from disktuner.gui.measurement.result_page import ResultPage
from disktuner.gui.plots.charts import BarChart
from disktuner.gui.sheet import wear
from disktuner.gui.style import wishes
from disktuner.gui.widgets.layout import Elided
from disktuner.gui.wishes import Wishes
from disktuner.helper_client import calls
from disktuner.results.store import Store
from disktuner.verdict.judge import judge
from disktuner.verdict.model import More
from disktuner.verdict.outcomes import Decision
from disktuner.vocabulary.messages import text
from tests.gui.answers import measured, needing, put_into
from tests.gui.conftest import PageOf
from tests.gui.person import Person, Visit, click, idle, pressable, said, until
from tests.gui.stand_ins import Bench, disk, trial

FOUR_MINUTES = More(6, 240.0)
BELOW_SRV = (Mount("/srv", "btrfs", "/dev/sdb1", (), 10**12, 10**11),)


def offered(page: ResultPage) -> list[QPushButton]:
    """The buttons' texts, in reading order."""
    controls = page.foot.findChildren(QPushButton)
    buttons = [button for button in controls if button.isVisible() and button is not page.save_button]
    places = {button: button.mapTo(page.foot, QPoint()) for button in buttons}
    return sorted(buttons, key=lambda button: (places[button].y(), places[button].x()))


def to_srv(person: Person) -> None:
    """Go from the card of sda to the plan for another folder."""
    person.running.begin("sda", "desktop")
    person.plan.use_folder("/srv")
    person.at_cost()


def titled(person: Person) -> Elided:
    """The title, which names the disks that would be measured."""
    assert person.window.planned is not None
    return person.window.planned.title


def test_a_folder_on_another_disk_leads_to_that_disk_everywhere(visit: Visit, bench: Bench) -> None:
    second_disk = disk("sdb", diskseq=9, model="Elements", mounts=BELOW_SRV)
    bench.disks = (*bench.disks[:2], second_disk)
    person = visit(bench)
    folder, where = str(bench.places(bench.disks[1])[0].folder), "WD Blue WD10EZEX (sda)"
    to_srv(person)
    person.plan.use_folder(folder)
    assert not person.plan.foot.measure_button.isEnabled()
    person.at_cost()
    assert titled(person).text() == where and person.plan.notice.text == ""
    person.plan.use_folder("/srv")
    person.at_cost()
    assert titled(person).text() == titled(person).toolTip() == "Elements (sdb)"
    notice = person.plan.notice.text
    assert f"is on Elements (sdb): that disk is measured, not {where}." in notice
    person.measure()
    assert person.measurement.title.text() == "Elements (sdb)" and person.result.disks == (second_disk,)
    check_foot(person)
    try_and_go_back(person, bench, "sdb", 9)


def try_and_go_back(person: Person, bench: Bench, *disk: str | int) -> None:
    """Only the measured disks are changed."""
    banner = person.try_now()
    assert bench.helper.calls == trial("bfq", disk)
    click(banner.back_button)
    until(lambda: person.notice)


def check_foot(person: Person) -> None:
    """The buttons of a result do not scroll away."""
    page = person.result
    area = next(area for area in person.measurement.findChildren(QScrollArea) if area.widget() is page)
    area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())
    for control in (page.use_button, page.leave_button, page.save_button):
        assert not area.isAncestorOf(control) and not control.visibleRegion().isEmpty()


def test_what_was_measured_together_is_tried_and_used_together(visit: Visit, bench: Bench) -> None:
    bench.disks = (disk("sda", mounts=BELOW_SRV), disk("sdb", diskseq=9, scheduler="none", mounts=BELOW_SRV))
    person = visit(bench)
    to_srv(person)
    assert titled(person).text() == "WD Blue WD10EZEX (sda) + sdb"
    assert "several disks: sda and sdb." in person.plan.notice.text
    person.measure()
    person.try_now()
    person.keep("keep-until-restart")
    call = trial("bfq", ("sda", 7), ("sdb", 9))
    until(lambda: bench.helper.calls == [*call, calls.keep_trial("t1", persist=False)])


def test_another_disk_of_that_name_is_left_alone_and_the_same_one_is_known_again(visit: Visit, bench: Bench) -> None:
    person, first = visit(bench), bench.disks[0]
    page = person.to_result()
    bench.show(first, disk("sda", diskseq=99, wwn="0x6", serial="S2"))
    until(lambda: person.running.state.disks[-1].diskseq == 99)
    page.use_button.click()
    until(lambda: "is no longer the disk that was measured" in person.window.notice.text)
    assert bench.helper.calls == []
    bench.show(first, disk("sda", diskseq=100))
    until(lambda: person.running.state.disks[-1].diskseq == 100)
    try_and_go_back(person, bench, "sda", 100)


def test_a_disk_that_is_not_connected_is_not_tried(visit: Visit, bench: Bench) -> None:
    person, disks = visit(bench), bench.disks
    page = person.to_result()
    bench.show(disks[0])
    until(lambda: not page.use_button.isEnabled())
    assert page.use_button.toolTip() == page.more_button.toolTip() != ""
    bench.show(*disks)
    until(page.use_button.isEnabled)


OFFERED = {
    Decision.SWITCH: ["Leave as it is", "Try bfq"],
    Decision.CONDITIONAL: ["Leave as it is", "Measure longer (4 minutes)…", "Try bfq"],
    Decision.TRADE_OFF: ["Leave as it is", "Try bfq"],
    Decision.KEEP: ["Leave as it is", "Measure longer (4 minutes)…"],
    Decision.UNDECIDED: ["Leave as it is", "Measure longer (4 minutes)…", "Try bfq"],
}


FIRST = {Decision.KEEP: 0, Decision.UNDECIDED: 1}


@pytest.mark.parametrize("decision", Decision)
def test_each_answer_offers_what_can_be_done_about_it(page_of: PageOf, decision: Decision) -> None:
    page = page_of(measured(decision), needing(FOUR_MINUTES))
    buttons = offered(page)
    assert [button.text() for button in buttons] == OFFERED[decision]
    assert all(button.isEnabled() for button in buttons)
    primary = [button for button in buttons if button.property("primary")]
    if decision is Decision.TRADE_OFF:
        assert primary == [], "nobody decides for the user"
    else:
        assert primary == [page.first] == [buttons[FIRST.get(decision, -1)]]
    buttons[0].setFocus()
    for number, following in enumerate(buttons[1:]):
        for _ in range(1 if number else 2):  # over *Share*
            QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        assert following.hasFocus(), "by keyboard alone"
    glance = page.presented.glance
    assert page.presented.verdict.decision is decision
    answer = {glance.subject, glance.value, glance.instead} if glance.value else {glance.headline}
    certain = {glance.certainty.words} if glance.certainty else set()
    assert {glance.title, *answer, *certain, *filter(None, (glance.price if glance.turns else "",))} <= {*said(page)}
    assert page.details.findChildren(QLabel, options=Qt.FindChildOption.FindDirectChildrenOnly) == [], "nothing else"


def test_a_trial_is_the_foot_and_moves_nothing(person: Person) -> None:
    page = person.to_result()

    def places() -> list[QPoint]:
        parts = [page.title, *page.details.sections, *page.findChildren(BarChart)]
        return [part.mapTo(person.window, QPoint()) for part in parts]

    before = places()
    banner = person.try_now()
    assert places() == before and page.foot.isHidden() and page.presented.candidate is not None
    assert banner.mapTo(person.window, banner.rect().bottomLeft()).y() == person.window.rect().bottom()
    assert banner.left.text().startswith("bfq on trial on WD Blue WD10EZEX (sda)")
    assert pressable(text("back")), "the foot with its way back is hidden"
    words, button = (part.mapTo(banner, part.rect().center()).y() for part in (banner.left, banner.back_button))
    assert abs(words - button) <= 1, "in one line"
    click(banner.back_button)
    until(page.foot.isVisible)
    until(lambda: person.notice)
    person.window.show_notice("")
    idle()
    assert places() == before and banner.isHidden()


def test_measuring_on_is_announced_and_adds_to_the_same_result(visit: Visit, bench: Bench) -> None:
    """Back from there leads to the result."""
    put_into(bench, Decision.UNDECIDED, FOUR_MINUTES)
    person = visit(bench)
    person.running.begin("sda", "server")
    person.at_cost()
    person.measure()
    first, samples = bench.comparisons[-1].request, len(person.result.presented.result.samples)
    for leave in (True, False):
        person.result.more_button.click()
        person.at_cost()
        costs = {*said(person.window)}
        assert {text("on-question"), text("on-about")} <= costs and text("where-question") not in costs
        assert any("21 GB" in cost for cost in costs)
        request = bench.comparisons[-1].request
        assert request.continues == Path("/nowhere/result.json") and request.target == first.target
        assert (request.goal, request.budget) == ("desktop", "standard"), "what the result was for, in time enough"
        if leave:
            page = person.result
            person.press("back")
            assert person.window.planned is None and person.result is page and page.isVisible()
    person.measure()
    assert len(person.result.presented.result.samples) == 2 * samples


@pytest.mark.parametrize(
    ("more", "offer", "budget"),
    [
        (More(6, 240.0), "Measure longer (4 minutes)…", "standard"),
        (More(2, 20.0), "Measure longer (20 seconds)…", "quick"),
        (More(60, 9000.0), "Measure longer (30 minutes)…", "thorough"),
        (More(6, None), "Measure longer (6 rounds)…", "quick"),
        (None, "Measure longer…", "quick"),
    ],
)
def test_how_long_measuring_on_takes_stands_on_its_button(
    page_of: PageOf, more: More | None, offer: str, budget: str
) -> None:
    result_ = measured(Decision.UNDECIDED)
    page = page_of(result_, needing(more))
    assert page.more_button.text() == offer and page.more_button.property("primary") is (more is not None)
    request = request_to_continue(result_, needing(more)(result_), Path("/a"))
    assert (request.budget, request.rounds) == (budget, more.rounds if more is not None else None)


def test_where_nothing_was_compared_it_is_measured_again(visit: Visit, bench: Bench) -> None:
    put_into(bench, Decision.UNDECIDED)
    bench.verdict = lambda judged: replace(judge(judged), comparisons=(), leader=None)
    person = visit(bench)
    page = person.to_result()
    assert [button.text() for button in offered(page)] == ["Leave as it is", "Measure longer (10 min)…"]
    page.more_button.click()
    person.at_cost()
    request = bench.comparisons[-1].request
    assert (request.goal, request.budget, request.continues) == ("desktop", "standard", None)
    assert titled(person).text() == "WD Blue WD10EZEX (sda)"


def answer_of(page: ResultPage) -> BarChart:
    """The chart of the answer, on which the setting that it is about stands out."""
    (chart,) = (chart for chart in page.findChildren(BarChart) if chart.panel is page.presented.glance.panel)
    return chart


def seen_of(chart: BarChart) -> QImage:
    """The chart, unless its bar moves on by itself meanwhile."""
    return chart.grab().toImage()


def moved_to(chart: BarChart, ms: int) -> QImage:
    """The chart at a point of its bar's way."""
    chart.begin_move()
    chart.moving.pause()
    chart.moving.setCurrentTime(ms)
    return seen_of(chart)


def test_the_bar_of_the_answer_starts_as_long_as_the_present_ones_and_gets_its_length(page_of: PageOf) -> None:
    chart = answer_of(page_of(measured(Decision.SWITCH)))
    after, whole_ms = seen_of(chart), chart.moving.duration()

    def columns(picture: QImage) -> list[int]:
        """Where something is drawn otherwise than in the end: on the row of the answer, from the end of its bar on."""
        places = ((x, y) for x in range(picture.width()) for y in range(picture.height()))
        return [x for x, y in places if picture.pixel(x, y) != after.pixel(x, y)]

    ends = [max(columns(moved_to(chart, ms))) for ms in (0, whole_ms // 10, whole_ms // 2, whole_ms * 4 // 5)]
    assert ends[0] == ends[1] > ends[2] > ends[3], "it waits until it is seen, then shrinks"
    assert moved_to(chart, whole_ms) == after
    moved_to(chart, 0)
    chart.window().hide()
    chart.window().show()
    assert seen_of(chart) == after, "it is over once nobody sees it"


def test_only_a_fresh_answers_bar_moves_and_not_where_the_desktop_says_so(visit: Visit, bench: Bench) -> None:
    put_into(bench, Decision.SWITCH)
    Store(bench.kept).save(replace(measured(Decision.SWITCH), id="kept"))
    person = visit(bench)
    opened = answer_of(person.open_kept())
    idle()
    assert opened.moving.currentTime() == 0
    person.window.back()
    person.press("page-disks")
    chart = answer_of(person.to_result())
    until(lambda: chart.moving.currentTime() == chart.moving.duration())
    application, wished = QApplication.instance(), wishes()
    assert isinstance(application, QApplication)
    chart.moving.setDuration(600_000)
    chart.begin_move()
    chart.moving.setCurrentTime(chart.moving.duration() // 2)  # past where it waits
    wear(application, Wishes(calm=True))
    until(lambda: chart.moving.state() == chart.moving.State.Stopped)
    assert chart.moving.currentTime() < chart.moving.duration()
    chart.begin_move()
    assert chart.moving.state() == chart.moving.State.Stopped
    wear(application, wished)
