# SPDX-License-Identifier: GPL-3.0-or-later
"""A colour and a marker shape per scheduler: told apart without colour too."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPolygonF

from disktuner.gui.style import look, readable

_COLOURS = {"none": "#0072b2", "mq-deadline": "#d55e00", "bfq": "#009e73", "kyber": "#cc79a7"}
_OTHERS = ("#e69f00", "#56b4e9", "#8a6fd1", "#7a7a7a")
_SHAPES = {
    "none": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    "mq-deadline": ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
    "kyber": ((0, -1.2), (1.2, 1), (-1.2, 1)),
}


def scheduler_colour(name: str) -> QColor:
    """Its colour, out of Okabe and Ito's set that colour-blind people can tell apart, visible on a card."""
    plain = _COLOURS.get(name) or _OTHERS[sum(name.encode()) % len(_OTHERS)]
    return readable(QColor(plain), look().card, 3.0)


def draw_marker(painter: QPainter, name: str, centre: QPointF, radius: float) -> None:
    """Its shape (a disc for bfq and for unknown ones) in its colour, with a rim of the card."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(scheduler_colour(name))
    shape = _SHAPES.get(name)
    if shape is None:
        painter.drawEllipse(centre, radius * 1.1, radius * 1.1)
    else:
        painter.drawPolygon(QPolygonF([centre + QPointF(x, y) * radius for x, y in shape]))
