# SPDX-License-Identifier: GPL-3.0-or-later
"""What all drawn widgets and charts have in common: Tab reaches charts, and they describe what they show."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QAccessible, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from disktuner.drawing.pen import Pen
from disktuner.gui.style import look


class Drawn(QWidget):
    """``draw`` draws into the box it fills, with the current ink."""

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.draw(Pen(painter, look().ink(self.font())), QRectF(self.rect()))
        painter.end()

    def draw(self, pen: Pen, box: QRectF) -> None:
        """Draw nothing; for pictures that consist of other widgets."""


class Picture(Drawn):
    """A chart: ``tell`` sets its name and, as its description, everything it shows, row by row."""

    accessible_role = QAccessible.Role.Chart

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def tell(self, name: str, rows: str) -> None:
        """Set the name and the description for screen readers."""
        self.setAccessibleName(name)
        self.setAccessibleDescription(rows)
