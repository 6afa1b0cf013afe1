# SPDX-License-Identifier: GPL-3.0-or-later
"""The static charts of the window, as wide as there is room; what draws them draws saved pictures, too."""

from __future__ import annotations

import math
from typing import Protocol

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from disktuner.drawing.bars import BarDrawing
from disktuner.drawing.graphs import GraphDrawing
from disktuner.drawing.pen import Pen
from disktuner.gui.plots.picture import Picture
from disktuner.gui.style import look
from disktuner.gui.widgets.layout import plain
from disktuner.presentation import Graphs, Panel, bars_of
from disktuner.vocabulary.messages import text


class Drawing(Protocol):
    """What draws a chart in any width."""

    @property
    def least_width(self) -> float:
        """How wide it must be at least."""

    def height(self, width: float) -> float:
        """Return how high it is in a width."""

    def draw(self, pen: Pen, box: QRectF) -> object:
        """Draw it from the top of a box on."""


class _Chart(Picture):
    """A drawing as a widget, made anew where letters or colours change."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._made: tuple[object, Drawing] | None = None
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def _make(self) -> Drawing | None:
        """Return the drawing of what is shown, None where nothing is."""
        raise NotImplementedError

    def _changed(self) -> None:
        self._made = None
        self.updateGeometry()
        self.update()

    @property
    def _drawing(self) -> Drawing | None:
        key = (look(), self.font().key())
        if self._made is None or self._made[0] != key:
            drawing = self._make()
            self._made = (key, drawing) if drawing else None
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
        """As high as its drawing is in that width."""
        margins = 2 * look().tight
        return math.ceil(self._drawing.height(width - margins)) + margins if self._drawing else 0

    def paintEvent(self, event: QPaintEvent) -> None:
        """The drawing, and the frame of the focus."""
        if self._drawing:
            painter, margin = QPainter(self), look().tight
            box = QRectF(self.rect()).adjusted(margin, margin, -margin, -margin)
            self._drawing.draw(Pen(painter, look().ink(self.font())), box)
            painter.end()
        super().paintEvent(event)


class BarChart(_Chart):
    """A panel as bars; ``panel`` is what is shown."""

    panel: Panel | None = None
    _about: str | None = None

    def show_panel(self, panel: Panel, about: str | None = None) -> None:
        """Show this one; the setting ``about`` which something is said stands out."""
        self.panel, self._about = panel, about
        spoken = [row.spoken for row in panel.rows]
        self.tell(text("picture-of-metric", metric=panel.label, direction=panel.direction), "; ".join(spoken))
        self.setToolTip(plain("\n".join(spoken)))
        self._changed()

    def _make(self) -> Drawing | None:
        return BarDrawing(bars_of(self.panel, self._about), look().ink(self.font())) if self.panel else None


class GraphsChart(_Chart):
    """Tunables over their values; ``shown`` is what is shown."""

    shown: Graphs | None = None

    def show_graphs(self, shown: Graphs) -> None:
        """Show these."""
        self.shown = shown
        self.tell(text("picture-of-tunables"), shown.spoken)
        self.setToolTip(plain("\n".join(dict.fromkeys(graph.trade for graph in shown.graphs if graph.trade))))
        self._changed()

    def _make(self) -> Drawing | None:
        return GraphDrawing(self.shown, look().ink(self.font())) if self.shown else None
