# SPDX-License-Identifier: GPL-3.0-or-later
"""What one gains and what it costs: two metrics of every scheduler in one square, better is up and right."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from disktuner.gui.plots.marks import draw_marker
from disktuner.gui.style import look
from disktuner.presentation import Panel
from disktuner.vocabulary.messages import text

_FACTORS = (1.0, 10.0, 0.1, 100.0, 0.01, 1000.0, 0.001, 2.0, 0.5, 5.0, 0.2, 1.25, 0.8, 1.1, 0.9)
_WIDEST = 0.001
_LEAST_REACH = 1.5


@dataclass(frozen=True, slots=True)
class Spot:
    """A scheduler's gains against the baseline: 2 is twice as good, 0.5 half as good."""

    scheduler: str
    across: float
    up: float


class TradeOffChart(QWidget):
    """The deciding panel upwards, another one across, each on a scale of its own; the cross is what the disk had."""

    def __init__(self, deciding: Panel, other: Panel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        across = {row.scheduler: row.gain for row in other.rows if row.gain}
        pairs = [(row.scheduler, across.get(row.scheduler), row.gain) for row in deciding.rows]
        self._spots = tuple(Spot(name, one, two) for name, one, two in pairs if one and two)
        self._up_name = text("trade-off-up", metric=deciding.label)
        self._across_name = text("trade-off-across", metric=other.label)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        spoken = [row.spoken for panel in (deciding, other) for row in panel.rows]
        self.setAccessibleName("; ".join(spoken))

    def sizeHint(self) -> QSize:
        """A low rectangle."""
        return QSize(look().wide * 14, look().wide * 9)

    def minimumSizeHint(self) -> QSize:
        """Enough for the names."""
        return QSize(look().wide * 9, look().wide * 9)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Scales, names of the directions, spots."""
        now = look()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = painter.fontMetrics().height()
        left = painter.fontMetrics().horizontalAdvance(_shown(_WIDEST)) + now.small
        box = QRectF(self.rect()).adjusted(left, line + now.tight, -1, -2 * line - 2 * now.tight)
        painter.setPen(now.muted)
        painter.drawText(QRectF(0, 0, self.width(), line), Qt.AlignmentFlag.AlignLeft, self._up_name)
        below = QRectF(0, self.height() - line, self.width(), line)
        painter.drawText(below, Qt.AlignmentFlag.AlignRight, self._across_name)
        across, up = _reach(spot.across for spot in self._spots), _reach(spot.up for spot in self._spots)
        self._draw_scales(painter, box, across, up)
        painter.setPen(QPen(now.border, 1))
        painter.drawRect(box)
        self._draw_spots(painter, box, across, up)
        painter.end()

    def _draw_scales(self, painter: QPainter, box: QRectF, across: float, up: float) -> None:
        """A line and a label per tick; the lines of 1 are the cross."""
        metrics, now = painter.fontMetrics(), look()
        line, wide = metrics.height(), metrics.horizontalAdvance(_shown(_WIDEST)) + now.small
        for factor in _ticks(across, box.width(), wide):
            x = _x(factor, box, across)
            painter.setPen(_pen(factor))
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
            painter.setPen(now.muted)
            place = QRectF(x - wide / 2, box.bottom() + now.tight, wide, line)
            painter.drawText(place, Qt.AlignmentFlag.AlignHCenter, _shown(factor))
        for factor in _ticks(up, box.height(), line):
            y = _y(factor, box, up)
            painter.setPen(_pen(factor))
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
            painter.setPen(now.muted)
            place = QRectF(0, y - line / 2, box.left() - now.tight, line)
            painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, _shown(factor))

    def _draw_spots(self, painter: QPainter, box: QRectF, across: float, up: float) -> None:
        radius = look().small * 0.7
        places = [QPointF(_x(spot.across, box, across), _y(spot.up, box, up)) for spot in self._spots]
        taken = [QRectF(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius) for at in places]
        for spot, at in zip(self._spots, places, strict=True):
            draw_marker(painter, spot.scheduler, at, radius)
        for spot, at in zip(self._spots, places, strict=True):
            self._draw_name(painter, spot, at, box, taken)

    def _draw_name(self, painter: QPainter, spot: Spot, at: QPointF, box: QRectF, taken: list[QRectF]) -> None:
        """Beside its spot, where no other name stands."""
        metrics, gap = painter.fontMetrics(), look().small
        size = QRectF(0, 0, metrics.horizontalAdvance(spot.scheduler) + 2, metrics.height())
        half, line = size.width() / 2, size.height()
        around = ((gap + 2 + half, 0), (-gap - 2 - half, 0), (0, -gap - line / 2), (0, gap + line / 2))
        corners = ((half + gap, line), (-half - gap, line), (half + gap, -line), (-half - gap, -line))
        places = [QPointF(at.x() + x - half, at.y() + y - line / 2) for x, y in (*around, *corners)]
        boxes = [QRectF(place, size.size()) for place in places]
        free = [b for b in boxes if box.contains(b) and not any(b.intersects(other) for other in taken)]
        chosen = (free or boxes)[0]
        taken.append(chosen)
        painter.fillRect(chosen, look().card)
        painter.setPen(look().text)
        painter.drawText(chosen, Qt.AlignmentFlag.AlignCenter, spot.scheduler)


def _reach(factors: Iterable[float]) -> float:
    """How far a scale goes to either side, as a logarithm: all spots with their names are well inside."""
    return max(math.log(_LEAST_REACH), max((abs(math.log(factor)) for factor in factors), default=0.0) * 1.25)


def _ticks(reach: float, room: float, apart: float) -> list[float]:
    """The gains of a scale of so many pixels, so far apart that each can be read; the rounder one goes first."""
    found: list[float] = []
    for factor in _FACTORS:
        free = all(abs(math.log(factor / other)) / reach * room / 2 >= apart for other in found)
        if free and abs(math.log(factor)) < reach * 0.95:
            found.append(factor)
    return found


def _shown(factor: float) -> str:
    return text("gain-tick", gain=factor)


def _pen(factor: float) -> QPen:
    now = look()
    return QPen(now.muted, 1.4) if factor == 1.0 else QPen(now.border, 1)


def _x(factor: float, box: QRectF, reach: float) -> float:
    return box.center().x() + math.log(factor) / reach * box.width() / 2


def _y(factor: float, box: QRectF, reach: float) -> float:
    return box.center().y() - math.log(factor) / reach * box.height() / 2
