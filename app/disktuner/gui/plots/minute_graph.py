# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk's last minute with its scales."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPen, QPolygonF

from disktuner.block.counters import Figures
from disktuner.drawing.pen import RIGHT, Pen
from disktuner.gui.plots.picture import Picture
from disktuner.gui.style import SMALL, look
from disktuner.gui.widgets.minute import SECONDS, draw_minute, highest, in_words, rates_of, round_up
from disktuner.vocabulary import units
from disktuner.vocabulary.messages import language, text

_LEFT, _RIGHT = 4.6, 3.2
"""The room for the scales, in lines of text."""
_SHORTEST_S = 0.001
"""The shortest wait that fills the height."""


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
        most, longest = round_up(highest(rates)), round_up(max((_SHORTEST_S, *(wait_s or 0.0 for wait_s in waits))))
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
