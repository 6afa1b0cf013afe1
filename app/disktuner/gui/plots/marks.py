# SPDX-License-Identifier: GPL-3.0-or-later
"""A colour and a marker shape per setting, the same as in saved pictures; colour is never the only clue."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPolygonF
from PySide6.QtWidgets import QWidget

from disktuner.drawing.pen import Pen
from disktuner.gui.plots.picture import Drawn
from disktuner.gui.style import look
from disktuner.gui.widgets.flow import Flow
from disktuner.gui.widgets.layout import filled, label, row
from disktuner.vocabulary.settings import Setting, marks

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


def setting_colour(setting: Setting) -> QColor:
    """Return a setting's colour on a card."""
    return look().ink(QFont()).of(setting)


def draw_marker(painter: QPainter, setting: Setting, centre: QPointF, radius: float, among: Iterable[Setting]) -> None:
    """Draw a setting's shape in its colour, unlike those of the others ``among`` which it is shown."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(setting_colour(setting))
    outline = _OUTLINES.get(marks(among)[setting].shape)
    if outline is None:
        painter.drawEllipse(centre, radius * 1.1, radius * 1.1)
    else:
        painter.drawPolygon(QPolygonF([centre + QPointF(x, y) * radius for x, y in outline]))


class Mark(Drawn):
    """The mark of a setting beside its name, unlike those of the settings ``among`` which it is shown."""

    def __init__(self, setting: Setting, among: Sequence[Setting]) -> None:
        super().__init__()
        self._setting, self._among = setting, among
        self.setFixedSize(look().medium, look().medium)

    def draw(self, pen: Pen, box: QRectF) -> None:
        draw_marker(pen.painter, self._setting, box.center(), look().small * 0.62, self._among)


class Legend(QWidget):
    """Names with their marks, in as many rows as necessary."""

    def __init__(self, settings: Sequence[Setting]) -> None:
        super().__init__()
        self.setLayout(Flow([_named(setting, settings) for setting in settings], look().large))


def _named(setting: Setting, among: Sequence[Setting]) -> QWidget:
    return filled(row(Mark(setting, among), label(setting.words, tone="muted"), gap=look().tight))
