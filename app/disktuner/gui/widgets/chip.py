# SPDX-License-Identifier: GPL-3.0-or-later
"""What orders a disk's work, with the colour of its scheduler."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QWidget

from disktuner.gui.style import look, set_property
from disktuner.gui.widgets.layout import label, plain, row, with_margin
from disktuner.vocabulary.messages import named
from disktuner.vocabulary.schedulers import SCHEDULERS, scheduler
from disktuner.vocabulary.settings import Setting


class Dot(QWidget):
    """In the colour of a scheduler, by its name."""

    def __init__(self) -> None:
        super().__init__()
        self._colour = QColor()
        self.setFixedSize(look().small, look().small)

    def show_scheduler(self, name: str) -> None:
        self._colour = QColor(scheduler(name).mark.colour(look().dark))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look().drawn(self._colour))
        painter.drawEllipse(QRectF(self.rect()))
        painter.end()


class SchedulerChip(QFrame):
    """A setting in use: the scheduler's dot, and its words."""

    def __init__(self) -> None:
        super().__init__()
        self._dot, self._words = Dot(), label(bold=True)
        self._words.setMinimumWidth(
            max(label(name, bold=True).sizeHint().width() for name in SCHEDULERS)
        )  # all in line
        self.setProperty("chip", "true")
        self.setLayout(with_margin(row(self._dot, self._words, gap=look().tight), look().small, 1))

    def show_setting(self, setting: Setting, *, is_ours: bool) -> None:
        """Show it; ``is_ours`` where the user chose it."""
        self._dot.show_scheduler(setting.scheduler)
        self._words.setText(setting.words)
        self.setToolTip(plain(named(scheduler(setting.scheduler).about)))
        set_property(self, "chip", "ours" if is_ours else "true")
