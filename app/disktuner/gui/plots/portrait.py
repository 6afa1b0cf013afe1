# SPDX-License-Identifier: GPL-3.0-or-later
"""The curve and the small reads of a portrait, drawn as in its picture; and a sketch of how one is made."""

from __future__ import annotations

import math

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QAccessible, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from disktuner.drawing.pen import Pen
from disktuner.drawing.portrait import Curve, draw_curve, draw_reads, height_of_reads
from disktuner.experiment.events import Part
from disktuner.gui.plots.picture import Drawn, Picture
from disktuner.gui.style import SMALL, look
from disktuner.gui.widgets.layout import plain
from disktuner.presentation.portrait import End, ShownPortrait, ShownReads
from disktuner.vocabulary.messages import text

_LOWEST, _HIGHEST, _COURSE = 8, 30, 10
"""The heights of a curve (least, greatest) and of the sketch, in lines of text."""
_ROUND = (1, 1.5, 2, 3, 4, 6, 8, 10, 15)
_SHARES = {Part.PREPARE: 0.14, Part.WRITE: 0.44, Part.RECOVER: 0.26, Part.COPY: 0.16}
"""The width of each part of a portrait in the sketch, as a share."""
_FALL = ((0.0, 0.0), (0.0, 0.8), (0.6, 0.8), (0.6, 0.16), (1.0, 0.16), (1.0, 0.0))
"""The writing speed in the sketch, as shares of width and height."""
_BURSTS = ((0.1, 0.18), (0.21, 0.22), (0.43, 0.36), (0.87, 0.76))
_READS = ((0.1, 0.12), (0.28, 0.2), (0.42, 0.1), (0.6, 0.16), (0.78, 0.11))


class PortraitCurve(Picture):
    """Writing speed by bytes written: of a portrait, or as far as it is measured."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._curve: Curve = ()
        self._end: End | None = None
        self._grows = False
        em = self.fontMetrics().height()
        self.setMinimumHeight(_LOWEST * em)
        self.setMaximumHeight(_HIGHEST * em)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.tell(text("picture-of-curve"), text("live-nothing"))

    @property
    def spare(self) -> int:
        """How much higher than necessary it may become."""
        return self.maximumHeight() - self.minimumHeight()

    def show_portrait(self, portrait: ShownPortrait) -> None:
        """Show a finished curve."""
        self._curve, self._end, self._grows = portrait.curve, portrait.end, False
        self.tell(text("picture-of-curve"), " ".join((portrait.title, *portrait.sentences[:1])))
        self.update()

    def show_curve(self, curve: Curve, spoken: str) -> None:
        """Show the curve as far as it is measured, and describe it."""
        self._curve, self._grows = curve, True
        self.setAccessibleDescription(spoken)
        self.update()

    def draw(self, pen: Pen, box: QRectF) -> None:
        box = box.adjusted(2, 2, -2, -2)  # the frame of the focus
        if self._curve:
            room_bytes = _round_up(self._curve[-1][0]) if self._grows else None
            draw_curve(pen, self._curve, self._end, box, small=SMALL, room_bytes=room_bytes)
        else:
            pen.write(box, text("live-nothing"), look().muted, SMALL)


class PortraitReads(Picture):
    """How long small reads took, in each state of the disk."""

    def __init__(self, rows: tuple[ShownReads, ...]) -> None:
        super().__init__()
        self._rows = rows
        spoken = [f"{reads.label}: {reads.value}" for reads in rows]
        self.tell(text("picture-of-reads"), "; ".join(spoken))
        self.setToolTip(plain("\n".join(filter(None, (*spoken, *(reads.problem for reads in rows))))))
        self.setMinimumWidth(look().wide * 7)
        self.setFixedHeight(math.ceil(height_of_reads(look().ink(self.font()), len(rows), SMALL)) + 4)

    def draw(self, pen: Pen, box: QRectF) -> None:
        draw_reads(pen, self._rows, box.adjusted(2, 2, -2, -2), SMALL)


class PortraitCourse(Drawn):
    """A sketch of the parts of a portrait."""

    accessible_role = QAccessible.Role.Graphic

    def __init__(self) -> None:
        super().__init__()
        em = self.fontMetrics().height()
        self.setMinimumHeight(_COURSE * em)
        self.setMaximumHeight(_HIGHEST * em)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)
        self.setAccessibleName(text("portrait-question"))

    def draw(self, pen: Pen, box: QRectF) -> None:
        now, em = look(), pen.ink.em
        room, left = box.adjusted(0, 0, 0, -em * 1.4), box.left()
        for part, share in _SHARES.items():
            place = QRectF(left, room.top(), room.width() * share, room.height())
            left = place.right()
            _DRAWINGS[part](pen, place.adjusted(em * 0.7, 0, -em * 0.7, 0))
            name = text(f"step-{part}")
            under = QRectF(place.center().x() - pen.ink.width(name, SMALL) / 2, room.bottom(), place.width(), em * 1.4)
            pen.write(under, name, now.muted, SMALL)
        pen.rule(QLineF(room.left(), room.bottom(), room.right(), room.bottom()), now.edge, 1)


def _draw_reads(pen: Pen, box: QRectF) -> None:
    """Draw small reads at random times."""
    pen.dots([_at(box, x, y) for x, y in _READS], look().drawn(look().accent), pen.ink.em * 0.22)


def _draw_fall(pen: Pen, box: QRectF) -> None:
    now, knee = look(), _at(box, _FALL[2][0], 0).x()
    pen.painter.setPen(Qt.PenStyle.NoPen)
    pen.painter.setBrush(now.tint(now.accent, 0.5))
    pen.painter.drawPolygon(QPolygonF([_at(box, x, y) for x, y in _FALL]))
    pen.painter.setPen(QPen(now.caution, 2, Qt.PenStyle.DashLine))
    pen.painter.drawLine(QPointF(knee, box.top()), QPointF(knee, box.bottom()))


def _draw_bursts(pen: Pen, box: QRectF) -> None:
    """Draw bursts after ever longer pauses."""
    for x, y in _BURSTS:
        top = _at(box, x, y)
        pen.fill(QRectF(top.x() - pen.ink.em * 0.25, top.y(), pen.ink.em * 0.5, box.bottom() - top.y()), look().accent)


def _draw_copy(pen: Pen, box: QRectF) -> None:
    """Draw that a copy seems done before it is safe."""
    now, em = look(), pen.ink.em
    done, safe = _at(box, 0.0, 0.55), _at(box, 0.5, 0.55)
    size = QPointF(min(box.width() * 0.5, em * 3), box.bottom() - done.y())
    pen.fill(QRectF(done.x(), done.y(), size.x(), size.y()), now.tint(now.accent, 0.5))
    pen.painter.setPen(QPen(now.good, em * 0.25))
    pen.painter.drawPolyline([safe + QPointF(x, y) * em for x, y in ((0.7, 1.2), (1.2, 1.7), (2.2, 0.5))])


_DRAWINGS = {Part.PREPARE: _draw_reads, Part.WRITE: _draw_fall, Part.RECOVER: _draw_bursts, Part.COPY: _draw_copy}


def _at(box: QRectF, x: float, y: float) -> QPointF:
    """Return a point by its share of the width from the left, and of the height from the bottom."""
    return QPointF(box.left() + x * box.width(), box.bottom() - y * box.height())


def _round_up(value: float) -> float:
    """Return a round value a little above."""
    step = 10.0 ** math.floor(math.log10(value))
    return next(step * many for many in _ROUND if step * many >= value * 1.04)
