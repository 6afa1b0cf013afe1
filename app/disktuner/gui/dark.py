# SPDX-License-Identifier: GPL-3.0-or-later
"""For the rare desktop that says it is dark but has its programs painted light; Qt's Fusion does the others itself."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QPalette

from disktuner.gui.style import dark_palette


def follow_scheme() -> None:
    """Paint dark where the desktop is."""
    dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
    if dark and QGuiApplication.palette().color(QPalette.ColorRole.Window).lightnessF() > 0.5:
        QGuiApplication.setPalette(dark_palette())
