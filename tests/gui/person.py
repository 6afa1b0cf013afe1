# SPDX-License-Identifier: GPL-3.0-or-later
"""A person in front of the window: finds things by their text, presses them, and reads the outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QLabel, QMenu, QTabBar, QWidget

from disktuner.gui.application import Application
from disktuner.gui.jobs import Jobs
from disktuner.gui.measurement.details import Details
from disktuner.gui.measurement.measurement_page import MeasurementPage
from disktuner.gui.measurement.plan import PlanPage
from disktuner.gui.measurement.portrait_page import PortraitPage
from disktuner.gui.measurement.portrait_plan import PortraitPlan
from disktuner.gui.measurement.result_page import ResultPage
from disktuner.gui.measurement.sitting_page import SittingPage
from disktuner.gui.widgets.disk_card import DiskCard
from disktuner.gui.widgets.history_page import HistoryPage
from disktuner.gui.widgets.trial_banner import TrialBanner
from disktuner.gui.widgets.window import Window
from disktuner.vocabulary.messages import text
from tests import waiting
from tests.gui.stand_ins import Bench

Found = TypeVar("Found")
Seen = TypeVar("Seen", bound=QWidget)
Dialog = TypeVar("Dialog", bound=QDialog)
Visit = Callable[..., "Person"]


PAGES = ("page-disks", "page-monitor", "page-history")


def click_tab(window: Window, id_: str) -> None:
    """Turn to a page."""
    place = window.tabs.tabRect(PAGES.index(id_)).center()
    QTest.mouseClick(window.tabs, Qt.MouseButton.LeftButton, pos=place)


def click(widget: QWidget) -> None:
    """Press an enabled control."""
    assert widget.isEnabled()
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


def settle() -> None:
    """Let the window do everything that is due now."""
    loop, works = QEventLoop(), True
    while works:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)  # as the program's own loop does
        works = loop.processEvents()


def until(holds: Callable[[], Found]) -> Found:
    """Let the window work until a condition holds, however slow the machine, and return its value."""

    def look() -> Found:
        settle()
        return holds()

    return waiting.until(look)


def idle() -> None:
    """Let the window work until it has nothing left to do: no event is due, and no thread may bring one.

    Timers of more than 0 ms are not waited for: use ``until`` with their visible effect.
    """
    application = QApplication.instance()
    until(lambda: not any(jobs.busy for jobs in application.findChildren(Jobs)))


def seen(kind: type[Seen], within: QWidget | None = None) -> list[Seen]:
    """Return all visible widgets of a kind, in any window or within one widget."""
    every = QApplication.allWidgets() if within is None else [within, *within.findChildren(QWidget)]
    return [widget for widget in every if isinstance(widget, kind) and widget.isVisible()]


def pressable(name: str, within: QWidget | None = None) -> QAbstractButton | None:
    """Return the enabled button with this text, or with this accessible name."""

    def fits(candidate: QAbstractButton) -> bool:
        return candidate.isEnabled() and name in {candidate.text().replace("&", ""), candidate.accessibleName()}

    return next(filter(fits, seen(QAbstractButton, within)), None)


def said(within: QWidget) -> Iterator[str]:
    """Return the text of each label, button and tab."""
    for part in seen(QWidget, within):
        if isinstance(part, QLabel | QAbstractButton):
            yield part.text()
        elif isinstance(part, QTabBar):
            yield from (part.tabText(at) for at in range(part.count()))


def words(within: QWidget) -> str:
    return "\n".join(said(within))


def details(page: ResultPage) -> Details:
    for section in page.details.sections:
        section.setChecked(True)
    return page.details


class Hands:
    """Counts what a person does: ``clicks``, and ``presses`` of keys that do something instead of only going there."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.clicks = self.presses = 0
        self._click, self._press = QTest.mouseClick, QTest.keyClick
        monkeypatch.setattr(QTest, "mouseClick", self._count_click)
        monkeypatch.setattr(QTest, "keyClick", self._count_press)

    def _count_click(self, *where: Any, **place: Any) -> None:
        self.clicks += 1
        self._click(*where, **place)

    def _count_press(self, widget: QWidget, key: Qt.Key) -> None:
        self.presses += key in {Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter}
        self._press(widget, key)


class Person:
    """A person at a window of the program."""

    def __init__(self, running: Application) -> None:
        self.running = running

    @property
    def window(self) -> Window:
        return self.running.window

    @property
    def measurement(self) -> MeasurementPage:
        assert self.window.measurement is not None
        return self.window.measurement

    @property
    def result(self) -> ResultPage:
        assert self.measurement.result_page is not None
        return self.measurement.result_page

    @property
    def details(self) -> Details:
        """The details of the measurement's result, unfolded."""
        return details(self.result)

    @property
    def notice(self) -> str:
        notices = (self.window.standing, self.window.notice)
        return "\n".join(notice.text for notice in notices if notice.isVisible())

    def card(self, disk: str) -> DiskCard:
        """Return a disk's card, even one that is folded away."""
        page = self.window.disks_page
        if disk not in {card.disk.name for card in page.cards}:
            self.press("show-others", count=len(self.running.state.disks) - len(self.running.state.main))
            until(lambda: disk in {card.disk.name for card in page.cards})
        return self.window.disks_page.card(disk)

    def reads(self, sentence: str) -> None:
        """Wait until a notice above the page contains this."""
        until(lambda: sentence in self.notice)

    def press(self, id_: str, within: QWidget | None = None, **parameters: object) -> None:
        """Press the button with this text as soon as it is enabled."""
        name = text(id_, **parameters)
        if id_ in PAGES:
            click_tab(self.window, id_)
            return
        click(until(lambda: pressable(name, within)))

    def key(self, key: Qt.Key) -> None:
        """Press a key where the focus is: a window manager returns it to the window below a dialog."""
        if QApplication.activeWindow() is None:
            self.window.activateWindow()
            until(self.window.isActiveWindow)
        QTest.keyClick(QApplication.focusWidget() or self.window, key)

    def tab_to(self, wanted: QWidget) -> None:
        """Reach a widget by Tab alone."""
        for _ in range(60):
            if QApplication.focusWidget() is wanted:
                return
            self.key(Qt.Key.Key_Tab)
        raise AssertionError(f"Tab never reaches {wanted}")

    def dialog(self, kind: type[Dialog]) -> Dialog:
        return until(lambda: seen(kind))[0]

    def try_now(self) -> TrialBanner:
        """Try the proposed setting; return the banner."""
        click(self.result.use_button if self.window.measurement is not None else self.opened(ResultPage).use_button)
        return self.on_trial()

    def keep(self, id_: str) -> None:
        """Keep the setting on trial in one of the two ways that the menu offers."""
        self.press("keep", self.window.trial)
        menu = until(lambda: next(iter(seen(QMenu)), None))
        (action,) = (action for action in menu.actions() if action.text() == text(id_))
        QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center())

    def on_trial(self) -> TrialBanner:
        """Return the banner of the trial, once it is visible."""
        until(self.window.trial.isVisible)
        return self.window.trial

    def opened(self, kind: type[Seen]) -> Seen:
        """Return the page that is open over the others."""
        content = until(lambda: self.window.opened).content
        assert isinstance(content, kind)
        return content

    def open_kept(self, result_id: str = "") -> ResultPage:
        """Open a kept result from the history: that of this id, else the newest."""
        self.press("page-history")
        page = self.window.page("history")
        until(page.model.rowCount)
        rows = range(page.model.rowCount())
        page.table.selectRow(next(row for row in rows if not result_id or page.model.entry(row).id == result_id))
        click(page.open_button)
        return self.opened(ResultPage)

    def to_history(self, count: int) -> HistoryPage:
        """Go to the list of kept results, once it has so many rows."""
        self.press("page-history")
        page = self.window.page("history")
        until(lambda: page.model.rowCount() == count)
        return page

    def to_portrait_plan(self, disk: str = "sda") -> PortraitPlan:
        """Go to the cost of a portrait of a disk."""
        self.press("portrait", self.card(disk))
        self.at_cost()
        return until(lambda: seen(PortraitPlan))[0]

    def to_sitting(self, disk: str = "sda") -> SittingPage:
        """Go to a portrait in the making, up to where the bench holds it."""
        self.to_portrait_plan(disk)
        self.press("start-measuring")
        return until(lambda: seen(SittingPage))[0]

    def at_portrait(self) -> PortraitPage:
        return until(lambda: seen(PortraitPage))[0]

    @property
    def plan(self) -> PlanPage:
        """The plan: on the page over the others, else on the page of disks."""
        assert self.window.plan is not None
        return self.window.plan

    def find_best(self, disk: str = "sda", goal: str = "") -> PlanPage:
        """Choose a complaint and a disk."""
        if goal:
            click(self.window.disks_page.complaints.buttons[goal])
        click(self.card(disk).option)
        settle()  # what is clicked quickly after each other is asked for once
        return self.plan

    def to_announced(self, disk: str = "sda", goal: str = "") -> PlanPage:
        """Go to the cost of measuring."""
        plan = self.find_best(disk, goal)
        self.at_cost()
        return plan

    def unfold_options(self) -> None:
        """Unfold where and how long to measure."""
        self.plan.foot.options_fold.setChecked(True)

    def at_cost(self) -> None:
        """Wait until the cost of measuring is announced."""
        until(lambda: pressable(text("start-measuring")))

    def measure_until(self, run: int) -> None:
        """Start measuring, and let it get to a run."""
        self.press("start-measuring")
        self.at_run(run)

    def hold_at(self, bench: Bench, run: int, disk: str = "sda") -> MeasurementPage:
        """Measure a disk up to a run, at which the bench holds it."""
        bench.holds_at = run
        self.to_announced(disk)
        self.measure_until(run)
        return self.measurement

    def at_run(self, run: int) -> None:
        """Let the measurement get to a run, at which the bench holds it."""
        page = self.measurement.running_page
        until(lambda: page.run and page.run.order == run)

    def measure(self) -> ResultPage:
        self.press("start-measuring")
        return self.at_result()

    def at_result(self) -> ResultPage:
        until(lambda: self.measurement.step == 2)
        return self.result

    def to_result(self, disk: str = "sda") -> ResultPage:
        """Go all the way to a result."""
        self.to_announced(disk)
        return self.measure()
