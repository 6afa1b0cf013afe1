# SPDX-License-Identifier: GPL-3.0-or-later
"""What a disk did in the last minute: reads above a line, writes below it; small, or large with its scales."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from itertools import groupby

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QAccessible, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy

from disktuner.block.counters import Figures
from disktuner.drawing.pen import RIGHT, Pen
from disktuner.gui.plots.picture import Drawn, Picture
from disktuner.gui.style import SMALL, look
from disktuner.vocabulary import units
from disktuner.vocabulary.messages import language, text

SECONDS = 60
_FLOOR = 1e6
"""The least rate that fills the height, in bytes a second, so that a few stray requests do not look like a storm."""
_LEFT, _RIGHT = 4.6, 3.2
"""The room for the scales, in lines of text."""
_SHORTEST_S = 0.001
"""The shortest wait that fills the height."""

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


def _round_up(value: float) -> float:
    """Return a value for a scale that is easy to read."""
    step = 10.0 ** math.floor(math.log10(value))
    return next(step * many for many in (1, 2, 5, 10) if step * many >= value * 0.999)


def _highest(rates: Sequence[Rates]) -> float:
    """Return the highest rate, for the scale."""
    return max((_FLOOR, *(max(pair) for pair in rates)))


def draw_minute(painter: QPainter, box: QRectF, rates: Sequence[Rates], most: int = SECONDS, top: float = 0.0) -> None:
    """Draw rates in their order, the last at the right end of a box that has room for ``most``.

    ``top`` is the rate that fills the height.
    """
    now, middle, half = look(), box.center().y(), box.height() / 2
    top = top or _highest(rates)
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


class MinuteGraph(Picture):
    """Reads above a line and writes below it, on the left scale; how long reads wait, on the right one.

    The present figures are below it.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self._seconds: Sequence[Figures] = ()
        self.tell(name, text("live-nothing"))

    def show_figures(self, seconds: Sequence[Figures]) -> None:
        """Show what was done in each of the last seconds."""
        self._seconds = seconds
        if seconds:
            self.setAccessibleDescription("; ".join(self._now()))
        self.update()

    def _now(self) -> tuple[str, ...]:
        return in_words(rates_of(self._seconds[-1]), self._seconds[-1].read_latency_s)

    def draw(self, pen: Pen, box: QRectF) -> None:
        now, em, painter = look(), pen.ink.em, pen.painter
        box = box.adjusted(em * _LEFT, em * 0.6, -em * _RIGHT, -em * 2.2)
        rates = [rates_of(figures) for figures in self._seconds]
        waits = [figures.read_latency_s for figures in self._seconds]
        most, longest = _round_up(_highest(rates)), _round_up(max((_SHORTEST_S, *(wait_s or 0.0 for wait_s in waits))))
        rate, wait = units.rate(most, language().numbers), units.time(longest, language().numbers)
        for y, left, right in ((box.top(), rate, wait), (box.center().y(), "0", ""), (box.bottom(), rate, "0")):
            line = QRectF(0, y - em / 2, box.left() - em * 0.5, em)
            pen.write(line, left, now.muted, SMALL, align=RIGHT)
            pen.write(QRectF(box.right() + em * 0.5, line.top(), em * _RIGHT, em), right, now.muted, SMALL)
            painter.setPen(QPen(now.border, 1))
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
        draw_minute(painter, box, rates, top=most)
        self._draw_waits(painter, box, [None if wait_s is None else wait_s / longest for wait_s in waits])
        self._draw_legend(pen, QRectF(em * 0.5, box.bottom() + em * 0.8, self.width() - em, em * 1.2))

    def _draw_waits(self, painter: QPainter, box: QRectF, waits: Sequence[float | None]) -> None:
        """Draw a line for each stretch of time with reads."""
        painter.setPen(QPen(look().text, 1.3))
        first = SECONDS - len(waits)
        for is_known, stretch in groupby(enumerate(waits, first), lambda point: point[1] is not None):
            if is_known:
                points = [
                    QPointF(box.left() + at * box.width() / (SECONDS - 1), box.bottom() - (wait or 0.0) * box.height())
                    for at, wait in stretch
                ]
                painter.drawPolyline(QPolygonF([points[0] - QPointF(2, 0), *points]))

    def _draw_legend(self, pen: Pen, line: QRectF) -> None:
        """Draw each figure in its colour."""
        if not self._seconds:
            pen.write(line, text("live-nothing"), look().muted, SMALL)
            return
        now, em, third = look(), pen.ink.em, line.width() / 3
        for number, (words, colour) in enumerate(zip(self._now(), (now.accent, now.muted, now.text), strict=False)):
            left, thick = line.left() + number * third, 0.55 if number < 2 else 0.12
            key = QRectF(left, line.center().y() - em * thick / 2, em * 0.7, em * thick)
            pen.fill(key, now.drawn(colour, 0.6 if number < 2 else 1.0))
            pen.write(QRectF(left + em, line.top(), third - em * 1.3, line.height()), words, size=SMALL)
