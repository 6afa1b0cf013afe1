# SPDX-License-Identifier: GPL-3.0-or-later
"""The certainty of an answer: a dot for the gain, a line for its interval, a mark for the least gain worth a change."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPen

from disktuner.drawing.colours import mix
from disktuner.drawing.ink import Ink
from disktuner.drawing.pen import LEFT, Pen
from disktuner.presentation import Certainty

_SMALL = 0.92
_HEIGHT = 3.4
"""In lines of text."""


def height_of_certainty(ink: Ink) -> float:
    return ink.em * _HEIGHT


def draw_certainty(pen: Pen, shown: Certainty, box: QRectF) -> None:
    """Draw a certainty from the top of a box."""
    ink, em = pen.ink, pen.ink.em
    inner = box.adjusted(em * 0.6, 0, -em * 0.6, 0)

    def x(gain: float) -> float:
        return inner.left() + shown.scale.at(gain) * inner.width()

    line, foot = box.top() + em * 2.3, box.top() + em * 3.2
    _draw_labels(pen, shown, QRectF(inner.left(), box.top(), inner.width(), em * 1.2))
    quiet = mix(ink.ground, ink.text, 0.3)
    pen.rule(QLineF(inner.left(), foot, inner.right(), foot), quiet, 1)
    for gain, _ in shown.scale.ticks:
        pen.rule(QLineF(x(gain), foot - em * 0.25, x(gain), foot), quiet, 1)
    pen.painter.setPen(QPen(ink.text, max(1.0, em * 0.08), Qt.PenStyle.DashLine))
    pen.painter.drawLine(QLineF(x(shown.worth), box.top() + em * 1.3, x(shown.worth), foot))
    colour, half = ink.of(shown.setting), em * 0.3
    pen.rule(QLineF(x(shown.low), line, x(shown.high), line), colour, em * 0.2)
    for end in (end for end in (shown.low, shown.high) if shown.scale.low < end < shown.scale.high):
        pen.rule(QLineF(x(end), line - half, x(end), line + half), colour, em * 0.12)
    pen.dots([QPointF(x(shown.gain), line)], colour, em * 0.42)


def _draw_labels(pen: Pen, shown: Certainty, box: QRectF) -> None:
    widest = max(pen.ink.width(label, _SMALL) for _, label in shown.scale.ticks) + pen.ink.em * 0.5
    written: list[float] = []
    for gain, label in sorted(shown.scale.ticks, key=lambda tick: (tick[0] != shown.worth, tick[0])):
        if any(abs(shown.scale.at(gain) - shown.scale.at(other)) < widest / box.width() for other in written):
            continue
        written.append(gain)
        width = pen.ink.width(label, _SMALL) + 1
        left = box.left() + shown.scale.at(gain) * box.width() - width / 2
        colour = pen.ink.text if gain == shown.worth else pen.ink.muted
        pen.write(QRectF(left, box.top(), width, box.height()), label, colour, _SMALL, align=LEFT)
