# SPDX-License-Identifier: GPL-3.0-or-later
"""Palettes of desktops: the offscreen platform has only a light one, whatever the colour scheme."""

from __future__ import annotations

from PySide6.QtGui import QColor, QPalette

DESKTOPS = {
    "fusion": ("#efefef", "#ffffff", "#000000"),
    "fusion-dark": ("#323232", "#242424", "#ffffff"),
    "breeze": ("#eff0f1", "#ffffff", "#232629"),
    "breeze-dark": ("#202326", "#141618", "#fcfcfc"),
    "adwaita": ("#fafafb", "#ffffff", "#323237"),
    "adwaita-dark": ("#222226", "#1d1d20", "#ffffff"),
    "grey": ("#c0c0c0", "#ffffff", "#000000"),
    "black": ("#000000", "#000000", "#ffffff"),
    "white": ("#ffffff", "#ffffff", "#000000"),
}
"""The colours of windows, of what is written into, and of texts, by desktop; the last are those of high contrast."""


def palette_of(desktop: str) -> QPalette:
    """Return the palette of a desktop whose accent is Qt's own blue."""
    window, base, words = map(QColor, DESKTOPS[desktop])
    palette = QPalette(window, window)
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        palette.setColor(role, words)
    palette.setColor(QPalette.ColorRole.Base, base)
    palette.setColor(QPalette.ColorRole.Accent, QColor(48, 140, 198))
    return palette


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
