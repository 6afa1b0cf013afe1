# SPDX-License-Identifier: GPL-3.0-or-later
"""A text that is cut where there is no room."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

from disktuner.gui import wording
from disktuner.gui.style import look, text_role


class Elided(QLabel):
    """A text of one line that ends in an ellipsis where there is no room; the whole of it is the tool tip."""

    def __init__(self, text: str, *, bold: bool = False) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)
        text_role(self, bold=bold)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def setText(self, text: str) -> None:
        """Show it, and the whole of it as the tool tip."""
        super().setText(text)
        self.setToolTip(wording.plain(text))

    def minimumSizeHint(self) -> QSize:
        """A few letters."""
        return QSize(look().wide * 3, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """As much of it as fits."""
        painter = QPainter(self)
        painter.setPen(look().text)
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, self.width())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        painter.end()
