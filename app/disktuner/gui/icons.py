# SPDX-License-Identifier: GPL-3.0-or-later
"""The project's own pictograms, drawn in the colour of the text beside them."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QSizePolicy

from disktuner.drawing.icons import ICONS
from disktuner.drawing.pen import Pen
from disktuner.gui.plots.picture import Drawn
from disktuner.gui.style import look

_ICON_PX = 128
"""The size in task bars at a scale of 2."""


def renderer(name: str, colour: QColor) -> QSvgRenderer:
    """Return a pictogram in a colour. Raises ``FileNotFoundError`` if the installation is incomplete."""
    return _renderer(name, colour.name())


@lru_cache(maxsize=128)
def _renderer(name: str, colour: str) -> QSvgRenderer:
    text = (ICONS / f"{name}.svg").read_text(encoding="utf-8")
    return QSvgRenderer(QByteArray(text.replace("#000000", colour).encode()))


def icon(name: str, colour: QColor) -> QIcon:
    """Return a pictogram as an icon."""
    pixmap = QPixmap(_ICON_PX, _ICON_PX)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer(name, colour).render(painter, QRectF(pixmap.rect()))
    painter.end()
    return QIcon(pixmap)


class Pictogram(Drawn):
    """A pictogram as a widget: vector at every scale, in the text's colour or a named one of the look."""

    def __init__(self, name: str, side: int, tone: str = "text") -> None:
        super().__init__()
        self._name, self._side, self._tone = name, side, tone
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(self._side, self._side)

    def set_name(self, name: str, tone: str | None = None) -> None:
        if (name, tone or self._tone) != (self._name, self._tone):
            self._name, self._tone = name, tone or self._tone
            self.update()

    def draw(self, pen: Pen, box: QRectF) -> None:
        colour: QColor = getattr(look(), self._tone if self.isEnabled() else "muted")
        half = min(box.width(), box.height()) / 2
        x, y = box.center().x(), box.center().y()
        renderer(self._name, colour).render(pen.painter, QRectF(x - half, y - half, 2 * half, 2 * half))
