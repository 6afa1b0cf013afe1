# SPDX-License-Identifier: GPL-3.0-or-later
"""Which colour and mark belongs to which scheduler, and which one is in use right now."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from disktuner.gui.plots.colours import draw_marker
from disktuner.gui.style import look


class Legend(QWidget):
    """Names in a row, the current one bold."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names: tuple[str, ...] = ()
        self._current = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_names(self, names: tuple[str, ...]) -> None:
        """Show these."""
        self._names = names
        self.updateGeometry()
        self.update()

    def show_current(self, name: str) -> None:
        """This one is in use."""
        if name != self._current:
            self._current = name
            self.setAccessibleName(name)
            self.update()

    def _bold(self) -> QFont:
        font = QFont(self.font())
        font.setWeight(QFont.Weight.Bold)
        return font

    def _step(self, name: str) -> int:
        return QFontMetrics(self._bold()).horizontalAdvance(name) + look().wide + look().medium

    def sizeHint(self) -> QSize:
        """All names in one row."""
        return QSize(sum(map(self._step, self._names)), QFontMetrics(self._bold()).height() + look().tight)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Mark and name."""
        painter, x, now = QPainter(self), 0, look()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for name in self._names:
            draw_marker(painter, name, QPointF(x + now.small, self.height() / 2), now.small * 0.62)
            current = name == self._current
            painter.setFont(self._bold() if current else self.font())
            painter.setPen(now.text if current else now.muted)
            metrics = painter.fontMetrics()
            base = (self.height() + metrics.ascent() - metrics.descent()) / 2
            painter.drawText(QPointF(x + now.large, base), name)
            x += self._step(name)
        painter.end()
