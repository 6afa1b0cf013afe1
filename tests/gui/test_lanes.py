# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a running measurement: whose turn it is, what is known so far, and the progress."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, QRect, QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QLabel, QWidget

from disktuner.block.counters import Figures
from disktuner.comparison.request import Announcement
from disktuner.comparison.target import Target
from disktuner.experiment.events import LivePoint, Phase, Preparing, RoundDone, RunDone, RunStarted
from disktuner.experiment.plan import Plan, Planned
from disktuner.experiment.progress import Advance
from disktuner.gui.measurement.running_page import RunningPage
from disktuner.gui.plots.lanes import Lanes
from disktuner.gui.plots.live import LiveStrip
from disktuner.gui.plots.progress import Steps
from disktuner.presentation import present
from disktuner.results.model import PlanRecord, Sample
from disktuner.vocabulary.messages import message, say, text
from disktuner.vocabulary.settings import Setting
from disktuner.workloads.catalogue import find
from tests.gui.conftest import Show
from tests.gui.person import until
from tests.gui.stand_ins import Files, result, some_disks
from tests.gui.test_figures_agree import painted

FOUR = tuple(map(Setting, ("none", "mq-deadline", "kyber", "bfq")))
START, COPIES = "launch-office", "copy-contended"
CACHED = message("page-cache", claimed=96_000_000, moved=4096)


def announced(*, tunes: bool = False) -> Announcement:
    planned = (Planned(find(START), Files(1.0, 10**9, 0)), Planned(find(COPIES), Files(1.0, 0, 0), decides=False))
    record = PlanRecord("desktop", "quick", FOUR, FOUR[0], (START, COPIES), 1, tunes=tunes)
    (disk, *_) = some_disks(Path("/x"))
    plan = Plan(Path("/x"), (disk.name,), record, planned, 3, 9, FOUR)
    return Announcement(Target(Path("/x"), disk.mounts[0], (disk,)), plan)


def advance(share: float, then: float) -> Advance:
    return Advance(share, then, 1000.0, 2000.0)


def begun(workload: str, setting: Setting, order: int, share: float) -> RunStarted:
    return RunStarted(workload, setting, 0, order, advance(share, share + 0.1))


def done(metric: str, setting: Setting, value: float, valid: bool = True) -> RunDone:
    reason = None if valid else CACHED
    return RunDone(metric.partition(".")[0], Sample(metric, setting, 0, 0, value, valid, reason, "", 1.0))


def point(number: int, setting: Setting | None) -> LivePoint:
    figures = Figures(1.0, 1.0, 1.0, 10e6, 50e6, 0.0, 0.0, 0.01, None, 1.0, 0.5)
    return LivePoint(100.0 + number, 0, setting, figures)


@pytest.fixture
def page(show: Show) -> RunningPage:
    page = RunningPage()
    page.show_announced(announced())
    page.resize(900, 700)
    show(page)
    return page


def shown(page: QWidget) -> list[str]:
    return [label.text() for label in page.findChildren(QLabel) if label.isVisible()]


def test_a_figure_is_shown_once_its_run_counts_and_why_it_does_not(page: RunningPage) -> None:
    lanes, bfq = page.lanes, FOUR[3]
    page.show_event(begun(START, bfq, 0, 0.1))
    assert lanes.turn == bfq and lanes.value(bfq) is None and not lanes.accessibleDescription()
    page.show_event(done(f"{START}.wall_s", bfq, 0.1, valid=False))
    assert lanes.value(bfq) is None and lanes.turn is None
    assert say(CACHED) in lanes.toolTip() and "0.1 s" not in lanes.accessibleDescription()
    page.show_event(begun(START, bfq, 1, 0.2))
    page.show_event(done(f"{START}.wall_s", bfq, 0.4))
    assert lanes.value(bfq) == 0.4 and "bfq: 0.4 s" in lanes.accessibleDescription()


@pytest.mark.parametrize(("tunes", "words"), [(False, "now"), (True, "untuned")])
def test_what_a_tuning_begins_with_need_not_be_what_the_disk_has(
    page: RunningPage, monkeypatch: pytest.MonkeyPatch, tunes: bool, words: str
) -> None:
    page.show_announced(announced(tunes=tunes))
    with painted(monkeypatch) as lines:
        page.lanes.grab()
    assert {"now", "untuned"} & {*lines} == {words}


def test_lanes_show_one_metric_a_step_and_a_price_as_one_while_the_answer_stays(page: RunningPage) -> None:
    lanes, steps = page.lanes, page.findChild(Steps)
    for setting in FOUR:
        page.show_event(begun(START, setting, 0, 0.1))
        page.show_event(done(f"{START}.wall_s", setting, 2.0))
    title = lanes.accessibleName()
    assert title in shown(page) and text("shorter-is-better") in title
    assert text("step-of", number=2, count=3, step="program starts") == steps.accessibleName()
    presented = present(result(6))
    page.show_event(RoundDone(0, presented.result))
    page.show_so_far(presented)
    so_far = text("so-far-better", setting="bfq", difference=next(
        row.difference for row in presented.glance.panel.rows if row.setting == FOUR[3]))  # fmt: skip
    assert so_far in shown(page) and lanes.accessibleName() == title
    page.show_event(begun(COPIES, FOUR[0], 4, 0.5))
    page.show_event(done(f"{COPIES}.wall_s", FOUR[0], 7.0))
    price = lanes.accessibleName()
    assert price == text("lanes-price", title="Four copies at once (shorter is better)") and {price, so_far} <= {
        *shown(page)
    }
    assert lanes.accessibleDescription() == text("row-alone", scheduler="none", value="7 s")
    page.show_event(begun(START, FOUR[0], 5, 0.6))
    typical = next(row.typical for panel in presented.panels[:1] for row in panel.rows if row.setting == FOUR[3])
    assert lanes.accessibleName() == title and lanes.value(FOUR[3]) == typical, "the figure that the answer has"


def test_what_is_written_before_is_counted(page: RunningPage) -> None:
    page.show_event(Preparing(1, 3, START, None, 10**9, advance(0.0, 0.1)))
    for number in range(8):
        page.show_event(point(number, None))
    assert text("preparing-files", number=1, count=3, done=400_000_000, size=10**9) in shown(page)
    for number in range(8, 40):
        page.show_event(point(number, None))
    assert text("preparing-files", number=1, count=3, done=10**9, size=10**9) in shown(page)
    page.show_event(Preparing(2, 3, START, FOUR[1], 0, advance(0.1, 0.2)))
    assert page.lanes.turn == FOUR[1] and page.findChild(Steps).accessibleName().startswith("Step 1 of 3")
    assert any(label.startswith("Preparing 2 of 3: ") for label in shown(page))


def test_the_ring_goes_on_by_itself_and_never_back(page: RunningPage) -> None:
    heard = QSignalSpy(page.ring.moved)
    page.show_event(RunStarted(START, FOUR[0], 0, 0, Advance(0.2, 0.3, 0.2, 100.0)))
    until(lambda: page.ring.value() == 30)
    page.show_event(RunStarted(START, FOUR[1], 0, 1, Advance(0.3, 0.31, 0.2, 99.0)))
    until(lambda: page.ring.value() == 31)
    values = [heard.at(number)[0] for number in range(heard.count())]
    assert values == sorted(values) and {heard.at(number)[1] for number in range(heard.count())} == {100}
    assert page.ring.accessibleName().startswith(text("run-left", left=99.0)[:-10])


class Painted(QObject):
    """Records which parts of a widget are painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.parts: list[QRect] = []
        widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if isinstance(event, QPaintEvent):
            self.parts.append(event.rect())
        return False


def test_while_a_run_goes_on_only_its_lane_is_painted_and_nothing_once_all_is_over(page: RunningPage) -> None:
    lanes = page.findChild(Lanes)
    page.show_event(begun(START, FOUR[2], 0, 0.1))
    painted = Painted(lanes)
    until(lambda: len(painted.parts) > 5)
    high = lanes.height() / 4
    assert all(2 * high - 2 <= part.top() and part.bottom() <= 3 * high + 2 for part in painted.parts[2:])
    page.show_event(Phase(message("cleaning")))
    assert lanes.turn is None and not any(timer.isActive() for timer in lanes.findChildren(QTimer))
    assert not any(timer.isActive() for timer in page.ring.findChildren(QTimer))


def test_what_the_disk_does_is_said_when_the_keyboard_comes_and_has_room_where_there_is_some(
    page: RunningPage, focused: Show
) -> None:
    strip = page.findChild(LiveStrip)
    for number in range(300):
        page.show_event(point(number, FOUR[number // 20 % 4]))
    high = strip.height()
    strip.setFocus()
    until(lambda: "MB/s" in strip.accessibleDescription())
    assert strip.accessibleDescription().startswith(FOUR[299 // 20 % 4].name)
    page.resize(800, 400)
    until(lambda: strip.height() < high / 3)
    strip.grab()
