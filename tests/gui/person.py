# SPDX-License-Identifier: GPL-3.0-or-later
"""Somebody in front of the window: finds things by what they say, presses them, and reads what is there then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QLabel, QTabBar, QWidget

from disktuner.gui.application import Application
from disktuner.gui.jobs import Jobs
from disktuner.gui.widgets.disk_card import DiskCard
from disktuner.gui.widgets.trial_banner import TrialBanner
from disktuner.gui.widgets.window import Window
from disktuner.gui.wizard.details import Details
from disktuner.gui.wizard.plan import Plan
from disktuner.gui.wizard.result_page import ResultPage
from disktuner.gui.wizard.wizard import Wizard
from disktuner.vocabulary.messages import text
from tests import waiting

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
    """Press what can be pressed."""
    assert widget.isEnabled()
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


def settle() -> None:
    """Let the window do all that there is to do now."""
    loop, works = QEventLoop(), True
    while works:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)  # as the program's own loop does
        works = loop.processEvents()


def until(holds: Callable[[], Found]) -> Found:
    """Let the window work until something holds, however slow the machine is, and return what it returned."""

    def look() -> Found:
        settle()
        return holds()

    return waiting.until(look)


def idle() -> None:
    """Let the window work until it has nothing left to do: no event is due, and no thread may bring one.

    What a timer of more than 0 ms begins later is not waited for: say with ``until`` what shall be seen of it.
    """
    application = QApplication.instance()
    until(lambda: not any(jobs.busy for jobs in application.findChildren(Jobs)))


def seen(kind: type[Seen], within: QWidget | None = None) -> list[Seen]:
    """All of a kind that is to be seen, in any window or within something."""
    every = QApplication.allWidgets() if within is None else [within, *within.findChildren(QWidget)]
    return [each for each in every if isinstance(each, kind) and each.isVisible()]


def pressable(name: str, within: QWidget | None = None) -> QAbstractButton | None:
    """The button with this text, or with this name for those who do not see it, if it can be pressed."""

    def fits(each: QAbstractButton) -> bool:
        return each.isEnabled() and name in {each.text().replace("&", ""), each.accessibleName()}

    return next(filter(fits, seen(QAbstractButton, within)), None)


def said(within: QWidget) -> Iterator[str]:
    """What is to be read on each label, button and tab."""
    for part in seen(QWidget, within):
        if isinstance(part, QLabel | QAbstractButton):
            yield part.text()
        elif isinstance(part, QTabBar):
            yield from (part.tabText(at) for at in range(part.count()))


def words(within: QWidget) -> str:
    """All that is to be read on labels and buttons."""
    return "\n".join(said(within))


def details(page: ResultPage) -> Details:
    """Unfold all that supports a result."""
    for section in page.details.sections:
        section.setChecked(True)
    return page.details


class Person:
    """At a window of the program."""

    def __init__(self, running: Application) -> None:
        self.running = running

    @property
    def window(self) -> Window:
        return self.running.window

    @property
    def wizard(self) -> Wizard:
        assert self.window.wizard is not None
        return self.window.wizard

    @property
    def result(self) -> ResultPage:
        """The result of the wizard."""
        assert self.wizard.result_page is not None
        return self.wizard.result_page

    @property
    def details(self) -> Details:
        """All that supports the result of the wizard, unfolded."""
        return details(self.result)

    @property
    def notice(self) -> str:
        """What stands above the page."""
        shown = (self.window.standing, self.window.notice)
        return "\n".join(each.text for each in shown if each.isVisible())

    def card(self, disk: str) -> DiskCard:
        """The card of a disk, one that is folded away, too."""
        page = self.window.disks_page
        if disk not in {card.disk.name for card in page.cards}:
            self.press("show-others", count=len(self.running.state.disks) - len(self.running.state.main))
            until(lambda: disk in {card.disk.name for card in page.cards})
        return self.window.disks_page.card(disk)

    def reads(self, sentence: str) -> None:
        """Wait until it stands above the page."""
        until(lambda: sentence in self.notice)

    def press(self, id_: str, within: QWidget | None = None, **given: object) -> None:
        """Press what says this, as soon as that can be done."""
        name = text(id_, **given)
        if id_ in PAGES:
            click_tab(self.window, id_)
            return
        click(until(lambda: pressable(name, within)))

    def key(self, key: Qt.Key) -> None:
        """Press a key where the keyboard is: a window manager gives it back to the window below a dialog."""
        if QApplication.activeWindow() is None:
            self.window.activateWindow()
            until(self.window.isActiveWindow)
        QTest.keyClick(QApplication.focusWidget() or self.window, key)

    def tab_to(self, wanted: QWidget) -> None:
        """Come to something by Tab alone."""
        for _ in range(60):
            if QApplication.focusWidget() is wanted:
                return
            self.key(Qt.Key.Key_Tab)
        raise AssertionError(f"Tab never reaches {wanted}")

    def dialog(self, kind: type[Dialog]) -> Dialog:
        """The dialog of a kind, once it is there."""
        return until(lambda: seen(kind))[0]

    def try_now(self) -> TrialBanner:
        """Try what is proposed; returns the banner."""
        click(self.result.use_button if self.window.wizard is not None else self.opened(ResultPage).use_button)
        return self.on_trial()

    def on_trial(self) -> TrialBanner:
        """The banner of what is on trial, once it is there."""
        until(self.window.trial.isVisible)
        return self.window.trial

    def opened(self, kind: type[Seen]) -> Seen:
        """What was opened over the pages."""
        content = until(lambda: self.window.opened).content
        assert isinstance(content, kind)
        return content

    @property
    def plan(self) -> Plan:
        """What would be measured: of the page that is over the others, else of the page of disks."""
        assert self.window.plan is not None
        return self.window.plan

    def find_best(self, disk: str = "sda", goal: str = "") -> Plan:
        """Say what bothers one, and on which disk."""
        if goal:
            click(self.window.disks_page.complaints.buttons[goal])
        click(self.card(disk).option)
        settle()  # what is clicked quickly after each other is asked for once
        return self.plan

    def to_announced(self, disk: str = "sda", goal: str = "") -> Plan:
        """On to what measuring costs."""
        plan = self.find_best(disk, goal)
        self.at_cost()
        return plan

    def unfold_options(self) -> None:
        """Where, and how long."""
        self.plan.foot.options_fold.setChecked(True)

    def at_cost(self) -> None:
        """Wait until it is announced what measuring costs."""
        until(lambda: pressable(text("start-measuring")))

    def measure_until(self, run: int) -> None:
        """Start measuring, and let it come to a run of it."""
        self.press("start-measuring")
        self.at_run(run)

    def at_run(self, run: int) -> None:
        """Let the measurement come to a run, at which the bench holds it."""
        page = self.wizard.running_page
        until(lambda: page.run and page.run.order == run)

    def measure(self) -> ResultPage:
        """Start measuring, and let it end."""
        self.press("start-measuring")
        return self.at_result()

    def at_result(self) -> ResultPage:
        """Let the measurement end."""
        until(lambda: self.wizard.step == 2)
        return self.result

    def to_result(self, disk: str = "sda", goal: str = "") -> ResultPage:
        """All the way."""
        self.to_announced(disk, goal)
        return self.measure()
