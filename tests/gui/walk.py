# SPDX-License-Identifier: GPL-3.0-or-later
"""A walk through the window, as a person goes: what its tests, pictures and measurements share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QProgressBar, QScrollArea, QToolButton, QWidget

from disktuner.gui.application import Application, dress
from disktuner.gui.libraries import load_drawing, load_judging
from disktuner.gui.plots.picture import Picture
from disktuner.gui.widgets.keep_dialog import KeepDialog
from disktuner.gui.wizard.result_page import ResultPage
from disktuner.gui.wizard.wizard import Wizard
from tests import waiting
from tests.gui.stand_ins import Bench

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

Found = TypeVar("Found")


def settle() -> None:
    """Let the window do all that there is to do now."""
    loop = QEventLoop()
    while loop.processEvents():
        pass


def until(holds: Callable[[], Found]) -> Found:
    """Let the window go on until something holds, and return what it returned."""

    def look() -> Found:
        settle()
        return holds()

    return waiting.until(look)


def dressed(*arguments: str) -> QApplication:
    """The application with all libraries of its pages."""
    application = QApplication(["disktuner", *arguments])
    dress(application)
    load_judging()
    load_drawing()
    return application


def said(widget: QWidget) -> Iterator[str]:
    """What stands on the labels and buttons of a widget."""
    return (part.text() for part in widget.findChildren(QWidget) if isinstance(part, QLabel | QAbstractButton))


def kept(qtbot: QtBot, widget: QWidget) -> QWidget:
    """Show a widget until the end of the test: qtbot only knows it weakly, and the application collects cycles."""
    qtbot.addWidget(widget, before_close_func=lambda _: widget.hide())
    widget.show()
    return widget


class Walk:
    """The steps, in a window on a bench."""

    def __init__(self, app: Application, bench: Bench) -> None:
        self.app, self.bench, self.window = app, bench, app.window

    @property
    def wizard(self) -> Wizard:
        """The wizard that is open."""
        assert self.window.wizard is not None
        return self.window.wizard

    @property
    def result(self) -> ResultPage:
        """The wizard's result."""
        assert self.wizard.result_page is not None
        return self.wizard.result_page

    def rest(self) -> None:
        """Wait until no page is just being built, and no picture to be drawn anew."""
        until(lambda: not _is_built(self.window) and not _is_drawn(self.window))

    def tab(self, number: int) -> None:
        """Disks, monitor, history."""
        self.window.findChildren(QToolButton)[number].click()

    def announced(self) -> None:
        """From the purpose to what measuring costs."""
        self.wizard.next()
        self.at_cost()

    def at_cost(self) -> None:
        """Wait until it is announced what measuring costs."""
        until(lambda: self.window.wizard and self.wizard.step == 1 and self.wizard.next_button.isEnabled())

    def compared(self, disk: str = "sda") -> ResultPage:
        """The whole way from a disk's card to its result."""
        self.app.find_best(disk)
        self.announced()
        self.measured()
        return self.result

    def measured(self) -> None:
        """From there to the result."""
        self.wizard.next()
        self.at_result()

    def at_result(self) -> None:
        """Let the measurement end."""
        until(lambda: self.wizard.step == 3)

    def held(self, run: int) -> None:
        """Measure until a run, and stay there."""
        self.bench.holds_at = run
        self.wizard.next()
        until(lambda: self.wizard.running_page.findChild(QProgressBar).value() == run)

    def go_on(self) -> None:
        """Measure on from where it was held."""
        self.bench.holds_at = None
        self.bench.comparisons[-1].resume()

    def try_dialog(self, page: ResultPage) -> KeepDialog:
        """Try what is proposed; returns the question whether to keep it."""
        page.use_button.click()
        return self.asked_to_keep()

    def asked_to_keep(self) -> KeepDialog:
        """The question whether to keep what is tried."""
        return until(lambda: next((each for each in self.window.findChildren(KeepDialog) if each.isVisible()), None))

    def show_disks(self, *disks: object) -> None:
        """Have other disks from now on."""
        self.bench.disks = disks  # type: ignore[assignment]
        self.bench.changed()


def _is_drawn(window: QWidget) -> bool:
    timers = (timer for picture in window.findChildren(Picture) for timer in picture.findChildren(QTimer))
    return any(timer.isActive() for timer in timers)


def _is_built(window: QWidget) -> bool:
    return not all(area.updatesEnabled() for area in window.findChildren(QScrollArea))
