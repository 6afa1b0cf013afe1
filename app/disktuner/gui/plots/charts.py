# SPDX-License-Identifier: GPL-3.0-or-later
"""The static chart of the window, as wide as there is room; what draws it draws saved pictures, too."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from disktuner.drawing.bars import BarDrawing
from disktuner.drawing.pen import Pen
from disktuner.gui.plots.picture import Picture
from disktuner.gui.style import look
from disktuner.gui.widgets.layout import column, label, plain
from disktuner.presentation import Panel, bars_of
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting


class BarChart(Picture):
    """A panel as bars, drawn anew where letters or colours change; the setting ``about`` which it is stands out."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.panel: Panel | None = None
        self.about: Setting | None = None
        self._made: tuple[object, BarDrawing] | None = None
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_panel(self, panel: Panel, about: Setting | None = None) -> None:
        """Show this one; the setting ``about`` which something is said stands out."""
        self.panel, self.about, self._made = panel, about, None
        spoken = [row.spoken for row in panel.rows]
        self.tell(text("picture-of-metric", metric=panel.label, direction=panel.direction), "; ".join(spoken))
        self.setToolTip(plain("\n".join(spoken)))
        self.updateGeometry()
        self.update()

    @property
    def _drawing(self) -> BarDrawing | None:
        """Made once for a look: a page asks for it hundreds of times while it is laid out."""
        key = (look(), self.font().key())
        if self.panel is not None and (self._made is None or self._made[0] != key):
            self._made = (key, BarDrawing(bars_of(self.panel, self.about), look().ink(self.font())))
        return self._made[1] if self._made else None

    def sizeHint(self) -> QSize:
        """As high as its rows."""
        width = look().wide * 14
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        """As narrow as can be read."""
        width = math.ceil(self._drawing.least_width) + 2 * look().tight if self._drawing else 0
        return QSize(width, self.heightForWidth(width))

    def hasHeightForWidth(self) -> bool:
        """Where it is narrow, it is higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """As high as its rows are in that width."""
        margins = 2 * look().tight
        return math.ceil(self._drawing.height(width - margins)) + margins if self._drawing else 0

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The bars."""
        if self._drawing:
            painter, margin = QPainter(self), look().tight
            box = QRectF(self.rect()).adjusted(margin, margin, -margin, -margin)
            self._drawing.draw(Pen(painter, look().ink(self.font())), box)
            painter.end()


def panel_chart(panel: Panel, about: Setting | None = None) -> QVBoxLayout:
    """A panel under its name and the direction in which it is better; the setting ``about`` which it is stands out."""
    chart = BarChart()
    chart.show_panel(panel, about)
    return column(label(bars_of(panel, about).title, tone="muted", wrap=True), chart, gap=look().tight)
