# SPDX-License-Identifier: GPL-3.0-or-later
"""A colour and a marker shape per scheduler, the same as in saved pictures, so that none needs colour to be seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QWidget

from disktuner.gui.style import look
from disktuner.gui.widgets.flow import Flow
from disktuner.gui.widgets.layout import label, row
from disktuner.vocabulary.schedulers import marks, shown

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
    return look().ink(QFont()).of(name)


def draw_marker(painter: QPainter, name: str, centre: QPointF, radius: float, among: Iterable[str] = ()) -> None:
    """Its shape in its colour, other than those of the names ``among`` which it is shown."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(scheduler_colour(name))
    outline = _OUTLINES.get(marks((*among, name))[name].shape) if name else None
    if outline is None:
        painter.drawEllipse(centre, radius * 1.1, radius * 1.1)
    else:
        painter.drawPolygon(QPolygonF([centre + QPointF(x, y) * radius for x, y in outline]))


class Mark(QWidget):
    """The mark of a scheduler beside its name, other than those of the names ``among`` which it is shown."""

    def __init__(self, name: str, among: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name, self._among = name, among
        self.setFixedSize(look().medium, look().medium)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw it in the middle."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw_marker(painter, self._name, QRectF(self.rect()).center(), look().small * 0.62, self._among)
        painter.end()


class Legend(QWidget):
    """Names with their marks, in as many rows as they need."""

    def __init__(self, names: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setLayout(Flow([_named(name, names) for name in names], look().large))


def _named(name: str, among: Sequence[str]) -> QWidget:
    made = QWidget()
    made.setLayout(row(Mark(name, among), label(shown(name), tone="muted"), gap=look().tight))
    return made
