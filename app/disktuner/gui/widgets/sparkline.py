# SPDX-License-Identifier: GPL-3.0-or-later
"""A small graph of what a disk did in the last minute."""

from __future__ import annotations

from collections import deque

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from disktuner.block.counters import Figures
from disktuner.gui import wording
from disktuner.gui.style import look

_POINTS = 60
_FLOOR = 1e6
"""Bytes a second that fill the graph at least, so that a few stray requests do not look like a storm."""


class Sparkline(QFrame):
    """Reads and writes a second; drawn only when a new figure differs from silence on silence."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("graph", True)
        self._values: deque[float] = deque([0.0] * _POINTS, maxlen=_POINTS)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setToolTip("Reads and writes of the last minute")

    def sizeHint(self) -> QSize:
        """Wide and low."""
        return QSize(look().wide * 6, round(look().wide * 1.1))

    def add(self, figures: Figures) -> None:
        """Take in the figures of the last second."""
        value = figures.read_bytes_per_s + figures.write_bytes_per_s
        changed = value or any(self._values)
        self._values.append(value)
        self.setAccessibleName(wording.rate(value))
        if changed:
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """A line over a quiet area, on the base line that the style sheet draws."""
        super().paintEvent(event)
        if not any(self._values):
            return
        now = look()
        box = QRectF(self.rect()).adjusted(1, 2, -1, -1)
        top = max(_FLOOR, *self._values)
        step = box.width() / (_POINTS - 1)
        line = [
            QPointF(box.left() + index * step, box.bottom() - value / top * box.height())
            for index, value in enumerate(self._values)
        ]
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QPainterPath()
        area.addPolygon(QPolygonF([box.bottomLeft(), *line, box.bottomRight()]))
        painter.fillPath(area, now.tint(now.accent, 0.2))
        painter.setPen(QPen(now.accent, 1.2))
        painter.drawPolyline(QPolygonF(line))
        painter.end()
