# SPDX-License-Identifier: GPL-3.0-or-later
"""The program's own icon, as the window and the task bar show it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap

from disktuner.gui.icons import renderer
from disktuner.gui.style import look

_SIDE_PX = 128
"""What task bars show at a scale of 2."""


def window_icon() -> QIcon:
    """Drawn from the file that is installed for the desktop, too."""
    pixmap = QPixmap(_SIDE_PX, _SIDE_PX)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer("org.disktuner.Disktuner", look().text).render(painter, QRectF(pixmap.rect()))
    painter.end()
    return QIcon(pixmap)
