# SPDX-License-Identifier: GPL-3.0-or-later
"""A person's walk through the window: shared by its pictures and by what measures its pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from tempfile import TemporaryDirectory

from PySide6.QtCore import QAbstractAnimation, QTimer
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget

from disktuner.block.disk import Disk
from disktuner.gui.application import Application
from disktuner.gui.instruments import load_judging
from disktuner.gui.main import dress
from disktuner.gui.plots.picture import Picture
from tests.gui.person import Person, settle, until
from tests.gui.stand_ins import Bench


def dressed(*arguments: str) -> QApplication:
    application = QApplication(["disktuner", *arguments])
    dress(application)
    load_judging()
    return application


class Walk(Person):
    """The steps of all walks. Each state is given to ``see``, with a name."""

    def __init__(
        self, bench: Bench, kept: TemporaryDirectory[str], read_disks: Callable[[], Sequence[Disk]] | None = None
    ) -> None:
        super().__init__(Application(bench.sources(read_disks)))
        self.bench, self._kept = bench, kept
        bench.helper.first = {"sdb": ("mq-deadline", {})}

    def see(self, name: str, widget: QWidget | None = None) -> None:
        """Look at a part of the window, or at all of it."""
        raise NotImplementedError

    def rest(self) -> None:
        """Wait until no page is being built, no picture is to be redrawn, and nothing moves on one."""
        until(lambda: not _is_built(self.window) and not _is_drawn(self.window) and not _moves(self.window))

    def to_check_up(self) -> None:
        """Go from the line on a card to the page."""
        self.card("sda").check_line.link.click()
        until(lambda: self.window.opened)
        self.see("11-check")

    def to_purpose(self) -> None:
        """Go on from the disk's card."""
        self.running.begin("sda", "desktop")
        self.see("20-looking")

    def to_cost(self) -> None:
        """Go from the purpose to the cost of measuring."""
        self.at_cost()
        self.see("23-where")

    def to_run(self, run: int) -> None:
        """Measure until a run, and stay there."""
        self.bench.holds_at = run
        self.measure_until(run)

    def to_end(self) -> None:
        """Measure on from there to the result."""
        self.bench.go_on()
        self.at_result()
        self.see("30-result")

    def end(self) -> None:
        self.window.close()
        settle()
        self._kept.cleanup()


def _is_drawn(window: QWidget) -> bool:
    timers = (timer for picture in window.findChildren(Picture) for timer in picture.findChildren(QTimer))
    return any(timer.isActive() and timer.isSingleShot() for timer in timers)


def _moves(window: QWidget) -> bool:
    ways = (way for picture in window.findChildren(Picture) for way in picture.findChildren(QAbstractAnimation))
    return any(way.state() == QAbstractAnimation.State.Running for way in ways)


def _is_built(window: QWidget) -> bool:
    return not all(area.updatesEnabled() for area in window.findChildren(QScrollArea))
