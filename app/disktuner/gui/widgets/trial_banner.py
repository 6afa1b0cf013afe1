# SPDX-License-Identifier: GPL-3.0-or-later
"""A setting that is on trial, above whatever page is seen: how long it stays, and what can become of it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QDeadlineTimer, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QWidget

from disktuner.block.disk import Disk
from disktuner.block.writers import Writer
from disktuner.gui.access import announce, has_keyboard
from disktuner.gui.icons import Pictogram
from disktuner.gui.style import look
from disktuner.gui.widgets.clocks import Clocks
from disktuner.gui.widgets.flow import Flow
from disktuner.gui.widgets.layout import button, column, label, row, with_margin
from disktuner.remedies import warnings
from disktuner.vocabulary.messages import say, text
from disktuner.vocabulary.settings import Setting

_TICK_MS = 250
_SOON_S = 10
"""So long before the end it is announced."""


class TrialBanner(QFrame):
    """Counts down while the person works. It is hidden as long as nothing is on trial.

    The keyboard goes to what undoes it, as where a screen is tried; what was pressed for it cannot be pressed any more.
    Signals: ``keep`` carries whether it shall hold after a restart too, ``undo`` that it shall not be kept (asked for,
    or time over); exactly one of them comes for each ``begin``, unless ``withdraw`` is called. ``difference`` carries
    whether it shall be shown or no more. ``left_by_keyboard`` comes before it is hidden if it has the keyboard.
    """

    keep = Signal(bool)
    undo = Signal()
    difference = Signal(bool)
    left_by_keyboard = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("notice", "info")
        self._disks: dict[str, Disk] = {}
        self._setting: Setting | None = None
        self._against: dict[str, None] = {}
        self._shows_difference = False
        self._deadline = QDeadlineTimer(0)
        self.left, self.caution = label(bold=True, wrap=True), label(wrap=True)
        self.always_button = button(text("keep-for-good"), lambda: self._answer_keep(for_good=True), primary=True)
        self.until_button = button(text("keep-until-restart"), lambda: self._answer_keep(for_good=False))
        self.back_button = button(text("go-back"), self._answer_undo)
        self.difference_button, self.clocks = button("", self._toggle_difference, link=True), Clocks()
        buttons = (self.always_button, self.until_button, self.back_button, self.difference_button)
        texts = column(self.left, self.caution, Flow(buttons, look().small))
        content = row(Pictogram("question", look().large, "accent"), texts, gap=look().medium, wide=1)
        self.setLayout(with_margin(column(content, self.clocks), look().medium, look().small))
        self._timer = QTimer(self, interval=_TICK_MS)
        self._timer.timeout.connect(self._tick)
        self.hide()

    def begin(self, disks: Sequence[Disk], setting: Setting, before: str, seconds: float) -> None:
        """A setting is in use for so long; ``before`` is what the disks go back to."""
        self._disks, self._setting = {disk.name: disk for disk in disks}, setting
        self._against = {}
        self.caution.hide()
        self.always_button.setAccessibleDescription("")
        self._deadline = QDeadlineTimer(round(seconds * 1000), Qt.TimerType.PreciseTimer)
        self._timer.start()
        self._show_left()
        self.clocks.hide()
        self.end_difference()
        self.show()
        self.back_button.setFocus()
        announce(self, text("trial-begun", scheduler=setting.name, before=before, seconds=seconds))

    def show_writers(self, name: str, writers: Sequence[Writer]) -> None:
        """Say that it will not last now that it is known who else sets a disk's queue."""
        if self.isHidden() or self._setting is None or name not in self._disks:
            return
        found = warnings(self._disks[name], writers, self._setting, for_good=True)
        self._against |= dict.fromkeys(map(say, found))
        if self._against:
            self.caution.setText(text("try-will-not-last", warnings=" ".join(self._against)))
            self.caution.show()
            self.always_button.setAccessibleDescription(self.caution.text())
            announce(self, text("try-will-not-last", warnings="").rstrip())

    def show_difference(self, settings: Sequence[Setting]) -> None:
        """The old setting and the new are shown in turn."""
        self._shows_difference = True
        self.clocks.begin(settings)
        self.difference_button.setText(text("stop-difference"))

    def end_difference(self) -> None:
        """No more; what was seen stays to be read."""
        if self._shows_difference:
            self.clocks.end()
        self._shows_difference = False
        self.difference_button.setText(text("show-difference"))

    def _toggle_difference(self) -> None:
        self.difference.emit(not self._shows_difference)

    def withdraw(self) -> None:
        """The trial is over: nothing is asked any more."""
        self._timer.stop()
        if has_keyboard(self):
            self.left_by_keyboard.emit()
        self.hide()

    def _tick(self) -> None:
        if self._deadline.hasExpired():
            self._answer_undo()
        else:
            self._show_left()

    def _show_left(self) -> None:
        left_s = math.ceil(self._deadline.remainingTime() / 1000)
        shown = text("trial-left", scheduler=self._setting.name if self._setting else None, left=left_s)
        if shown != self.left.text():
            self.left.setText(shown)
            if left_s == _SOON_S:
                announce(self, shown)

    def _answer_keep(self, *, for_good: bool) -> None:
        self.withdraw()
        self.keep.emit(for_good)

    def _answer_undo(self) -> None:
        self.withdraw()
        self.undo.emit()
