# SPDX-License-Identifier: GPL-3.0-or-later
"""What a disk did in the last minute: reads above a line, writes below it, on one scale."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QAccessible, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy

from disktuner.block.counters import Figures
from disktuner.drawing.pen import Pen
from disktuner.gui.plots.picture import Drawn
from disktuner.gui.style import look
from disktuner.vocabulary.messages import text

SECONDS = 60
_FLOOR = 1e6
"""The least rate that fills the height, in bytes a second, so that a few stray requests do not look like a storm."""

Rates = tuple[float, float]
"""Bytes a second read and written."""


def rates_of(figures: Figures) -> Rates:
    """Return the current rates."""
    return figures.read_bytes_per_s, figures.write_bytes_per_s


def in_words(rates: Rates, wait_s: float | None) -> tuple[str, ...]:
    """Return the rates in words, and how long reads wait if there are any."""
    read, written = rates
    wait = (text("live-wait", wait=wait_s),) if wait_s else ()
    return text("live-read", rate=read), text("live-written", rate=written), *wait


def activity(figures: Figures) -> str:
    """Return the rates in one sentence."""
    read, written = rates_of(figures)
    return text("disk-idle") if read + written < 1000 else text("disk-active", read=read, written=written)


def round_up(value: float) -> float:
    """Return a value for a scale that is easy to read."""
    step = 10.0 ** math.floor(math.log10(value))
    return next(step * many for many in (1, 2, 5, 10) if step * many >= value * 0.999)


def highest(rates: Sequence[Rates]) -> float:
    """Return the highest rate, for the scale."""
    return max((_FLOOR, *(max(pair) for pair in rates)))


def draw_minute(painter: QPainter, box: QRectF, rates: Sequence[Rates], most: int = SECONDS, top: float = 0.0) -> None:
    """Draw rates in their order, the last at the right end of a box that has room for ``most``.

    ``top`` is the rate that fills the height.
    """
    now, middle, half = look(), box.center().y(), box.height() / 2
    top = top or highest(rates)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    across = [box.right() - back * box.width() / (most - 1) for back in reversed(range(len(rates)))]
    for index, colour, up in ((0, now.accent, -1), (1, now.muted, 1)):
        line = [QPointF(x, middle + up * half * pair[index] / top) for x, pair in zip(across, rates, strict=True)]
        ends = [QPointF(x, middle) for x in (*across[:1], *across[-1:])]
        painter.setBrush(now.drawn(colour, 0.6))
        painter.drawPolygon(QPolygonF([*ends[:1], *line, *ends[1:]]))
    painter.setPen(QPen(now.edge, 1))
    painter.drawLine(QPointF(box.left(), middle), QPointF(box.right(), middle))
    painter.restore()


class Minute(Drawn):
    """A small picture of the last minute."""

    accessible_role = QAccessible.Role.Chart

    def __init__(self) -> None:
        super().__init__()
        self._rates: deque[Rates] = deque(maxlen=SECONDS)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setToolTip(text("last-minute"))
        self.setAccessibleName(text("last-minute"))

    def sizeHint(self) -> QSize:
        return QSize(look().wide * 3, round(look().wide * 0.7))

    def clear(self) -> None:
        """Show nothing of what was before."""
        self._rates.clear()
        self.update()

    def add(self, figures: Figures) -> None:
        self._rates.append(rates_of(figures))
        if (now := activity(figures)) != self.accessibleDescription():
            self.setAccessibleDescription(now)
        if any(map(any, self._rates)):
            self.update()

    def draw(self, pen: Pen, box: QRectF) -> None:
        draw_minute(pen.painter, box.adjusted(1, 1, -1, -1), self._rates)
