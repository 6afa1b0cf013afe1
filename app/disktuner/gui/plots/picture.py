# SPDX-License-Identifier: GPL-3.0-or-later
"""What all charts have in common: Tab reaches them, a frame shows that, and they say in words what they show."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from disktuner.gui.style import look


class Picture(QWidget):
    """A chart: ``tell`` gives it a name and, as its description, all that it shows, row by row."""

    accessible_role = QAccessible.Role.Chart

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def tell(self, name: str, rows: str) -> None:
        """For those who do not see it."""
        self.setAccessibleName(name)
        self.setAccessibleDescription(rows)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The frame of the focus, over what was painted before."""
        if self.hasFocus():
            painter = QPainter(self)
            painter.setPen(QPen(look().accent, 2))
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
            painter.end()
