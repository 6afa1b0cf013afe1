# SPDX-License-Identifier: GPL-3.0-or-later
"""The project's own pictograms, drawn in the colour of the text they stand beside."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPaintEvent, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QSizePolicy, QWidget

from disktuner.drawing.paper import ICONS
from disktuner.gui.style import look

_ICON_PX = 128
"""What task bars show at a scale of 2."""


def renderer(name: str, colour: QColor) -> QSvgRenderer:
    """A pictogram in a colour. Raises ``FileNotFoundError`` if the installation is incomplete."""
    text = (ICONS / f"{name}.svg").read_text(encoding="utf-8")
    return QSvgRenderer(QByteArray(text.replace("#000000", colour.name()).encode()))


def icon(name: str, colour: QColor) -> QIcon:
    """A pictogram for a place that takes icons."""
    pixmap = QPixmap(_ICON_PX, _ICON_PX)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer(name, colour).render(painter, QRectF(pixmap.rect()))
    painter.end()
    return QIcon(pixmap)


def window_icon() -> QIcon:
    """The program's own icon for the window and the task bar, of the file that is installed for the desktop, too."""
    return icon("org.disktuner.Disktuner", look().text)


class Pictogram(QWidget):
    """A pictogram as a widget: vector at every scale, in the text's or a named colour of the look."""

    def __init__(self, name: str, side: int, tone: str = "text", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name, self._side, self._tone = name, side, tone
        self._drawn: tuple[str, QSvgRenderer] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(self._side, self._side)

    def set_name(self, name: str, tone: str | None = None) -> None:
        """Show another one."""
        if (name, tone or self._tone) != (self._name, self._tone):
            self._name, self._tone, self._drawn = name, tone or self._tone, None
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        colour: QColor = getattr(look(), self._tone if self.isEnabled() else "muted")
        key = f"{self._name}{colour.name()}"
        if self._drawn is None or self._drawn[0] != key:
            self._drawn = (key, renderer(self._name, colour))
        painter = QPainter(self)
        side = min(self.width(), self.height())
        self._drawn[1].render(painter, QRectF((self.width() - side) / 2, (self.height() - side) / 2, side, side))
        painter.end()
