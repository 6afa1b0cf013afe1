# SPDX-License-Identifier: GPL-3.0-or-later
"""A colour and a marker shape per scheduler, the same as in saved pictures: told apart without colour too."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPolygonF

from disktuner.gui.style import look
from disktuner.vocabulary.schedulers import scheduler

_OUTLINES = {
    "s": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    "D": ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
    "^": ((0, -1.2), (1.2, 1), (-1.2, 1)),
    "v": ((-1.2, -1), (1.2, -1), (0, 1.2)),
    "p": ((0, -1.2), (1.15, -0.35), (0.7, 1), (-0.7, 1), (-1.15, -0.35)),
    "P": ((-0.4, -1.2), (0.4, -1.2), (0.4, -0.4), (1.2, -0.4), (1.2, 0.4), (0.4, 0.4), (0.4, 1.2), (-0.4, 1.2),
          (-0.4, 0.4), (-1.2, 0.4), (-1.2, -0.4), (-0.4, -0.4)),
    "X": ((-1.2, -0.6), (-0.6, -1.2), (0, -0.6), (0.6, -1.2), (1.2, -0.6), (0.6, 0), (1.2, 0.6), (0.6, 1.2),
          (0, 0.6), (-0.6, 1.2), (-1.2, 0.6), (-0.6, 0)),
}  # fmt: skip


def scheduler_colour(name: str) -> QColor:
    """Its colour on a card; quiet for what belongs to no scheduler's run."""
    if not name:
        return look().muted
    return QColor(scheduler(name).mark.colour(look().dark))


def draw_marker(painter: QPainter, name: str, centre: QPointF, radius: float) -> None:
    """Its shape in its colour."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(scheduler_colour(name))
    outline = _OUTLINES.get(scheduler(name).mark.shape) if name else None
    if outline is None:
        painter.drawEllipse(centre, radius * 1.1, radius * 1.1)
    else:
        painter.drawPolygon(QPolygonF([centre + QPointF(x, y) * radius for x, y in outline]))
