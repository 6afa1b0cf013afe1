# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves of several schedulers on two axes, told apart by colour and by the shape of their marks."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from disktuner.gui.plots.colours import draw_marker, scheduler_colour
from disktuner.gui.style import SMALL, look


@dataclass(frozen=True, slots=True)
class Curve:
    """A scheduler's line, and the points of it that bear its mark."""

    name: str
    points: tuple[tuple[float, float], ...]
    marks: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Axis:
    """From ``low`` to ``high``, with texts at some values."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    logarithmic: bool

    def place(self, value: float) -> float:
        """0 at the lower end, 1 at the upper; values beyond stay on the edge."""
        value = min(max(value, self.low), self.high)
        if self.high <= self.low:
            return 0.5
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


class CurveChart(QWidget):
    """A frame with tick texts; texts that would touch each other are left out."""

    def __init__(self, curves: tuple[Curve, ...], across: Axis, up: Axis, speech: str) -> None:
        super().__init__()
        self._curves, self._across, self._up = curves, across, up
        self.setAccessibleName(speech)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def _small(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * SMALL)
        return font

    def _left(self) -> int:
        metrics = QFontMetrics(self._small())
        return max((metrics.horizontalAdvance(text) for _, text in self._up.ticks), default=0) + look().small

    def sizeHint(self) -> QSize:
        """A low rectangle."""
        return QSize(look().wide * 14, look().wide * 7)

    def minimumSizeHint(self) -> QSize:
        """Room for the texts and some curve."""
        return QSize(self._left() + look().wide * 6, look().wide * 7)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Texts and lines of the axes, then the curves."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._small())
        line = painter.fontMetrics().height()
        right = max((painter.fontMetrics().horizontalAdvance(text) for _, text in self._across.ticks[-1:]), default=0)
        box = QRectF(self.rect()).adjusted(self._left(), line / 2 + 1, -max(right / 2, 6), -line - look().tight)
        self._draw_across(painter, box, line)
        self._draw_up(painter, box, line)
        for curve in self._curves:
            self._draw_curve(painter, box, curve)
        painter.end()

    def _draw_across(self, painter: QPainter, box: QRectF, line: int) -> None:
        now, free_from = look(), -math.inf
        for value, text in self._across.ticks:
            x, width = (
                box.left() + self._across.place(value) * box.width(),
                painter.fontMetrics().horizontalAdvance(text),
            )
            painter.setPen(QPen(now.border, 1))
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
            if x - width / 2 > free_from:
                painter.setPen(now.muted)
                place = QRectF(x - width / 2 - 1, box.bottom() + now.tight, width + 2, line)
                painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)
                free_from = x + width / 2 + now.small

    def _draw_up(self, painter: QPainter, box: QRectF, line: int) -> None:
        now = look()
        for value, text in self._up.ticks:
            y = box.bottom() - self._up.place(value) * box.height()
            painter.setPen(QPen(now.border, 1))
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
            painter.setPen(now.muted)
            place = QRectF(0, y - line / 2, box.left() - now.small, line)
            painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _draw_curve(self, painter: QPainter, box: QRectF, curve: Curve) -> None:
        def at(x: float, y: float) -> QPointF:
            return QPointF(
                box.left() + self._across.place(x) * box.width(), box.bottom() - self._up.place(y) * box.height()
            )

        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(scheduler_colour(curve.name), 1.6))
        painter.drawPolyline(QPolygonF([at(x, y) for x, y in curve.points]))
        for x, y in curve.marks:
            draw_marker(painter, curve.name, at(x, y), look().small * 0.55)
