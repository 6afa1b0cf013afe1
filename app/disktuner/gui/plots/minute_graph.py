# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk's last minute with its scales."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF

from disktuner.block.counters import Figures
from disktuner.drawing.pen import RIGHT, Pen
from disktuner.gui.plots.picture import Picture
from disktuner.gui.style import SMALL, look
from disktuner.gui.widgets.minute import SECONDS, draw_minute, highest, rates_of, round_up
from disktuner.vocabulary import units
from disktuner.vocabulary.messages import language, text

_LEFT, _RIGHT = 5.0, 4.2
"""The room for the scales, in lines of text."""
_SHORTEST_S = 0.001
"""Waits that fill the room at least."""


class MinuteGraph(Picture):
    """Reads above a line and writes below it, by the scale on the left; how long reads wait, by that on the right.

    Below it stands what is true right now.
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
        now = self._seconds[-1]
        read, written = rates_of(now)
        shown = text("live-read", rate=read), text("live-written", rate=written)
        return (*shown, text("live-wait", wait=now.read_latency_s)) if now.read_latency_s else shown

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, now = QPainter(self), look()
        pen = Pen(painter, now.ink(self.font()))
        em = pen.ink.em
        box = QRectF(self.rect()).adjusted(em * _LEFT, em * 0.6, -em * _RIGHT, -em * 2.2)
        rates = [rates_of(each) for each in self._seconds]
        waits = [each.read_latency_s for each in self._seconds]
        most, longest = round_up(highest(rates)), round_up(max((_SHORTEST_S, *(each or 0.0 for each in waits))))
        rate, wait = units.rate(most, language().numbers), units.time(longest, language().numbers)
        for y, left, right in ((box.top(), rate, wait), (box.center().y(), "0", ""), (box.bottom(), rate, "0")):
            line = QRectF(0, y - em / 2, box.left() - em * 0.5, em)
            pen.write(line, left, now.muted, SMALL, align=RIGHT)
            pen.write(QRectF(box.right() + em * 0.5, line.top(), em * _RIGHT, em), right, now.muted, SMALL)
            painter.setPen(QPen(now.border, 1))
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
        draw_minute(painter, box, rates, top=most)
        self._draw_waits(painter, box, [None if each is None else each / longest for each in waits])
        self._draw_legend(pen, QRectF(em * 0.5, box.bottom() + em * 0.8, self.width() - em, em * 1.2))
        painter.end()

    def _draw_waits(self, painter: QPainter, box: QRectF, waits: Sequence[float | None]) -> None:
        """A line for each time in which there were reads."""
        painter.setPen(QPen(look().text, 1.3))
        first = SECONDS - len(waits)
        for is_known, stretch in groupby(enumerate(waits, first), lambda each: each[1] is not None):
            if is_known:
                points = [
                    QPointF(box.left() + at * box.width() / (SECONDS - 1), box.bottom() - (wait or 0.0) * box.height())
                    for at, wait in stretch
                ]
                painter.drawPolyline(QPolygonF([points[0] - QPointF(2, 0), *points]))

    def _draw_legend(self, pen: Pen, line: QRectF) -> None:
        """Each in its colour."""
        if not self._seconds:
            pen.write(line, text("live-nothing"), look().muted, SMALL)
            return
        now, em, third = look(), pen.ink.em, line.width() / 3
        for number, (shown, colour) in enumerate(zip(self._now(), (now.accent, now.muted, now.text), strict=False)):
            left, thick = line.left() + number * third, 0.55 if number < 2 else 0.12
            key = QRectF(left, line.center().y() - em * thick / 2, em * 0.7, em * thick)
            pen.fill(key, now.drawn(colour, 0.6 if number < 2 else 1.0))
            pen.write(QRectF(left + em, line.top(), third - em * 1.3, line.height()), shown, size=SMALL)
