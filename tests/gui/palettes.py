# SPDX-License-Identifier: GPL-3.0-or-later
"""The palette of a dark desktop: the offscreen platform has only a light one, whatever the colour scheme."""

from __future__ import annotations

from PySide6.QtGui import QColor, QPalette


def dark_palette() -> QPalette:
    """Return the palette as Qt's Fusion style makes it."""
    window, link, faded = QColor(50, 50, 50), QColor(48, 140, 198), QColor(255, 255, 255, 128)
    roles = QPalette.ColorRole
    palette = QPalette(window, window)
    palette.setColor(roles.Base, window.darker(140))
    palette.setColor(roles.AlternateBase, window.darker(120))
    palette.setColor(roles.PlaceholderText, faded)
    for role in (roles.WindowText, roles.Text, roles.ButtonText, roles.HighlightedText):
        palette.setColor(role, QColor("white"))
        palette.setColor(QPalette.ColorGroup.Disabled, role, faded)
    for role in (roles.Highlight, roles.Accent, roles.Link):
        palette.setColor(role, link)
    return palette
