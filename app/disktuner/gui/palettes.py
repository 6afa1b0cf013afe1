# SPDX-License-Identifier: GPL-3.0-or-later
"""Palettes laid over the desktop's: its accent colour, a dark one, one with more contrast, as they are wished."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from disktuner.drawing.colours import mix, readable, text_on
from disktuner.gui.sheet import style_sheet
from disktuner.gui.style import WISHES, look, wishes
from disktuner.gui.wishes import Wishes

_EFFECTS = (Qt.UIEffect.UI_AnimateMenu, Qt.UIEffect.UI_AnimateCombo, Qt.UIEffect.UI_AnimateTooltip)


def dark_palette(accent: QColor | None = None) -> QPalette:
    """A dark palette for desktops whose theme only says that it is dark."""
    palette = QPalette(QColor("#2c2e33"), QColor("#232529"))
    text = QColor("#e8e9ec")
    roles = (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText)
    for role in (*roles, QPalette.ColorRole.BrightText, QPalette.ColorRole.ToolTipText):
        palette.setColor(role, text)
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor("#85888f"))
    palette.setColor(QPalette.ColorRole.Base, QColor("#1c1e21"))
    palette.setColor(QPalette.ColorRole.AlternateBase, QColor("#26282c"))
    palette.setColor(QPalette.ColorRole.ToolTipBase, QColor("#33363b"))
    palette.setColor(QPalette.ColorRole.PlaceholderText, QColor("#8f929a"))
    chosen = accent or QColor("#5aa2f0")
    palette.setColor(QPalette.ColorRole.Link, readable(chosen, palette.color(QPalette.ColorRole.Window), 4.5))
    return accented(palette, chosen)


def contrast_palette(dark: bool) -> QPalette:
    """Black and white, for those who asked for more contrast."""
    ground, text = (QColor("black"), QColor("white")) if dark else (QColor("white"), QColor("black"))
    palette = QPalette(ground, ground)
    roles = QPalette.ColorRole
    for role in (roles.WindowText, roles.Text, roles.ButtonText, roles.BrightText, roles.ToolTipText):
        palette.setColor(role, text)
        palette.setColor(QPalette.ColorGroup.Disabled, role, mix(ground, text, 0.6))
    for role in (roles.Base, roles.AlternateBase, roles.ToolTipBase):
        palette.setColor(role, ground)
    palette.setColor(roles.PlaceholderText, mix(ground, text, 0.75))
    for role in (roles.Accent, roles.Highlight, roles.Link):
        palette.setColor(role, QColor("#8ecbff") if dark else QColor("#00457c"))
    palette.setColor(roles.HighlightedText, ground)
    return palette


def accented(palette: QPalette, accent: QColor) -> QPalette:
    """The palette with an accent colour, and text that can be read on it."""
    for role in (QPalette.ColorRole.Accent, QPalette.ColorRole.Highlight):
        palette.setColor(role, accent)
    palette.setColor(QPalette.ColorRole.HighlightedText, text_on(accent))
    return palette


def laid_over(desktop: QPalette, wished: Wishes, *, dark: bool) -> QPalette:
    """What differs from the desktop's palette by what is wished; ``dark`` is what the desktop says of itself.

    A desktop may say that it is dark and have its programs painted light: then all of it is ours.
    """
    painted_light = desktop.color(QPalette.ColorRole.Window).lightnessF() > 0.5
    if wished.high_contrast:
        return contrast_palette(dark or not painted_light)
    accent = None if wished.accent is None else QColor.fromRgbF(*wished.accent)
    if dark and painted_light:
        return dark_palette(accent)
    return QPalette() if accent is None else accented(QPalette(), accent)


def wear(application: QApplication, wished: Wishes) -> None:
    """Show everything as its user wishes it from now on."""
    if wished == wishes():
        return
    application.setProperty(WISHES, wished)
    if wished.calm:
        for effect in _EFFECTS:
            QApplication.setEffectEnabled(effect, False)
    _paint(application)
    application.paletteChanged.emit(application.palette())  # not only colours follow from it


def follow_desktop(application: QApplication) -> None:
    """Wear the style sheet and what is wished, and change with the desktop's colours and font."""

    def dress() -> None:
        sheet = style_sheet(look(), calm=wishes().calm)
        if application.styleSheet() != sheet:
            application.setStyleSheet(sheet)

    def soon(change: Callable[[], None], *_: object) -> None:
        QTimer.singleShot(0, application, change)  # not amid the change

    application.styleHints().colorSchemeChanged.connect(partial(soon, partial(_paint, application)))
    application.paletteChanged.connect(partial(soon, dress))
    application.fontChanged.connect(partial(soon, dress))
    _paint(application)
    dress()


def _paint(application: QApplication) -> None:
    application.setPalette(QPalette())  # the desktop's
    dark = application.styleHints().colorScheme() == Qt.ColorScheme.Dark
    application.setPalette(laid_over(application.palette(), wishes(), dark=dark))
