# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk's scheduler or setting, with its colour."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QTimer
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QFrame

from disktuner.drawing.pen import Pen
from disktuner.gui.plots.picture import Drawn
from disktuner.gui.style import look, set_property
from disktuner.gui.widgets.layout import label, plain, row, with_margin
from disktuner.vocabulary.messages import named
from disktuner.vocabulary.schedulers import SCHEDULERS, scheduler
from disktuner.vocabulary.settings import Setting


class Dot(Drawn):
    """A dot in the colour of a scheduler, by its name."""

    def __init__(self) -> None:
        super().__init__()
        self._colour = QColor()
        self.setFixedSize(look().small, look().small)

    def show_scheduler(self, name: str) -> None:
        self._colour = QColor(scheduler(name).mark.colour(look().dark))
        self.update()

    def draw(self, pen: Pen, box: QRectF) -> None:
        pen.dots([box.center()], look().drawn(self._colour), box.width() / 2)


_NEW_MS = 2000
"""How long a new choice is highlighted."""


class SchedulerChip(QFrame):
    """A setting in use: the scheduler's dot, and its words; those ``in_line`` below each other are equally wide."""

    def __init__(self, *, in_line: bool = False) -> None:
        super().__init__()
        self._dot, self._words = Dot(), label(bold=True)
        if in_line:
            self._words.setMinimumWidth(max(label(name, bold=True).sizeHint().width() for name in SCHEDULERS))
        self._is_ours, self._new = False, QTimer(self, singleShot=True, interval=_NEW_MS)
        self._new.timeout.connect(self._mark)
        self.setProperty("chip", "true")
        self.setLayout(with_margin(row(self._dot, self._words, gap=look().tight), look().small, 1))

    def show_setting(self, setting: Setting, *, is_ours: bool) -> None:
        """Show a setting; ``is_ours`` if the user chose it."""
        self._dot.show_scheduler(setting.scheduler)
        self._words.setText(setting.words)
        self.setToolTip(plain(named(scheduler(setting.scheduler).about)))
        self._is_ours = is_ours
        self._mark()

    def highlight(self) -> None:
        """Highlight the setting for a while: it was just chosen."""
        self._new.start()
        self._mark()

    def _mark(self) -> None:
        set_property(self, "chip", "new" if self._new.isActive() else "ours" if self._is_ours else "true")
