# SPDX-License-Identifier: GPL-3.0-or-later
"""What one gains and what it costs: two figures of every scheduler in one square, better is up and right."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from disktuner.gui.plots.colours import draw_marker
from disktuner.gui.style import look


@dataclass(frozen=True, slots=True)
class Spot:
    """A scheduler's gains against the baseline: 2 is twice as good, 0.5 half as good."""

    scheduler: str
    across: float
    up: float


class TradeOffChart(QWidget):
    """Both axes are logarithmic gains; the cross is what the disk had."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._spots: tuple[Spot, ...] = ()
        self._names = ("", "")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_spots(self, spots: tuple[Spot, ...], across: str, up: str) -> None:
        """Show these, under the names of the two figures."""
        self._spots, self._names = spots, (across, up)
        speech = (f"{s.scheduler}: {across} {s.across:.2f}×, {up} {s.up:.2f}×" for s in spots)
        self.setAccessibleName("; ".join(speech))
        self.update()

    def sizeHint(self) -> QSize:
        """A low rectangle."""
        return QSize(look().wide * 14, look().wide * 8)

    def minimumSizeHint(self) -> QSize:
        """Enough for the names."""
        return QSize(look().wide * 9, look().wide * 8)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Frame, cross, names of the directions, spots."""
        now = look()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = QFontMetrics(self.font()).height()
        box = QRectF(self.rect()).adjusted(1, line + now.tight, -1, -line - now.tight)
        painter.setPen(QPen(now.border, 1))
        painter.drawRect(box)
        painter.drawLine(QPointF(box.center().x(), box.top()), QPointF(box.center().x(), box.bottom()))
        painter.drawLine(QPointF(box.left(), box.center().y()), QPointF(box.right(), box.center().y()))
        painter.setPen(now.muted)
        painter.drawText(QRectF(0, 0, self.width(), line), Qt.AlignmentFlag.AlignLeft, f"↑ {self._names[1]}")
        below = QRectF(0, box.bottom() + now.tight, self.width(), line)
        painter.drawText(below, Qt.AlignmentFlag.AlignRight, f"{self._names[0]} →")
        self._draw_spots(painter, box)
        painter.end()

    def _draw_spots(self, painter: QPainter, box: QRectF) -> None:
        reach = max((abs(math.log(v)) for s in self._spots for v in (s.across, s.up)), default=0) * 1.25
        reach = max(reach, math.log(1.25))
        radius = look().small * 0.7
        places = [
            QPointF(
                box.center().x() + math.log(spot.across) / reach * box.width() / 2,
                box.center().y() - math.log(spot.up) / reach * box.height() / 2,
            )
            for spot in self._spots
        ]
        taken = [QRectF(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius) for at in places]
        for spot, at in zip(self._spots, places, strict=True):
            draw_marker(painter, spot.scheduler, at, radius)
        for spot, at in zip(self._spots, places, strict=True):
            self._draw_name(painter, spot, at, box, taken)

    def _draw_name(self, painter: QPainter, spot: Spot, at: QPointF, box: QRectF, taken: list[QRectF]) -> None:
        """Beside its spot, where no other name stands."""
        metrics, gap = painter.fontMetrics(), look().small
        text = f"{spot.scheduler}"
        size = QRectF(0, 0, metrics.horizontalAdvance(text) + 2, metrics.height())
        half, line = size.width() / 2, size.height()
        around = ((gap + 2 + half, 0), (-gap - 2 - half, 0), (0, -gap - line / 2), (0, gap + line / 2))
        corners = ((half + gap, line), (-half - gap, line), (half + gap, -line), (-half - gap, -line))
        places = [QPointF(at.x() + x - half, at.y() + y - line / 2) for x, y in (*around, *corners)]
        boxes = [QRectF(place, size.size()) for place in places]
        free = [b for b in boxes if box.contains(b) and not any(b.intersects(other) for other in taken)]
        chosen = (free or boxes)[0]
        taken.append(chosen)
        painter.setPen(look().text)
        painter.drawText(chosen, Qt.AlignmentFlag.AlignCenter, text)


def gains(bars_across: dict[str, float], bars_up: dict[str, float]) -> tuple[Spot, ...]:
    """Spots of the schedulers that have both gains."""
    return tuple(
        Spot(name, bars_across[name], bars_up[name])
        for name in bars_across
        if name in bars_up and bars_across[name] > 0 and bars_up[name] > 0
    )
