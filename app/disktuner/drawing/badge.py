# SPDX-License-Identifier: GPL-3.0-or-later
"""An answer as a filled disc with a sign, recognisable at a glance even without colour."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPen, QPolygonF

from disktuner.drawing.colours import text_on
from disktuner.drawing.ink import Ink
from disktuner.drawing.pen import Pen
from disktuner.verdict.outcomes import Decision

_TICK = ((0.29, 0.52), (0.44, 0.67), (0.72, 0.36))
_SIGNS: Mapping[Decision, tuple[tuple[tuple[float, float], ...], ...]] = {
    Decision.TRADE_OFF: (((0.26, 0.5), (0.74, 0.5)), ((0.38, 0.36), (0.24, 0.5), (0.38, 0.64)),
                         ((0.62, 0.36), (0.76, 0.5), (0.62, 0.64))),
    Decision.UNDECIDED: (((0.37, 0.4), (0.4, 0.31), (0.5, 0.27), (0.6, 0.31), (0.63, 0.4), (0.51, 0.52), (0.5, 0.6)),
                         ((0.5, 0.73), (0.5, 0.735))),
}  # fmt: skip
"""Lines within a unit square; other decisions have a tick."""


def tone_of(ink: Ink, decision: Decision) -> QColor:
    """Return the colour of an answer."""
    tones = {Decision.SWITCH: ink.good, Decision.CONDITIONAL: ink.caution, Decision.UNDECIDED: ink.muted}
    return tones.get(decision, ink.accent)


def draw_badge(pen: Pen, decision: Decision, box: QRectF) -> None:
    """Draw a decision's badge into a square box."""
    tone, side = tone_of(pen.ink, decision), box.width()
    pen.dots([box.center()], tone, side / 2)
    caps = Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin
    pen.painter.setPen(QPen(text_on(tone), side * 0.085, Qt.PenStyle.SolidLine, *caps))
    for line in _SIGNS.get(decision, (_TICK,)):
        pen.painter.drawPolyline(QPolygonF([box.topLeft() + QPointF(x, y) * side for x, y in line]))
