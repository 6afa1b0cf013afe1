# SPDX-License-Identifier: GPL-3.0-or-later
"""A list that unfolds, with the mark that says so: style sheets take the desktop's own away."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QStyle

from disktuner.gui.icons import renderer
from disktuner.gui.style import look


class Selection(QComboBox):
    """One of several things."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what is chosen, and the mark at its end."""
        super().paintEvent(event)
        side = look().medium
        place = QRect(self.width() - side - look().small, (self.height() - side) // 2, side, side)
        shown = QStyle.visualRect(self.layoutDirection(), self.rect(), place)
        colour = look().text if self.isEnabled() else look().muted
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        renderer("unfold", colour).render(painter, QRectF(shown))
        painter.end()
