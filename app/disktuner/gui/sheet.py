# SPDX-License-Identifier: GPL-3.0-or-later
"""The application's style sheet, made from the current look: our own parts, and flat controls if the desktop's style is
missing.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from disktuner.drawing.colours import mix, text_on
from disktuner.gui.style import CARD_RADIUS, CONTROL_RADIUS, WISHES, Look, follow_font, look, wishes
from disktuner.gui.wishes import Wishes

_EFFECTS = (Qt.UIEffect.UI_AnimateMenu, Qt.UIEffect.UI_AnimateCombo, Qt.UIEffect.UI_AnimateTooltip)
_COLOURS = ("card", "raised", "border", "edge", "text", "muted", "accent", "on_accent")
_CHOSEN = 0.3
"""The accent's share in the colour of a chosen button: styles draw it darker."""
_TONES = ("accent", "good", "caution", "bad")


_BEVELLED = ("fusion", "windows")
"""Qt's built-in styles, used without the desktop's plugins."""


def style_sheet(now: Look, *, calm: bool = False, flat: bool = False) -> str:
    """Return rules for cards, notices, tones, and the buttons that stand out.

    ``calm``: motion is to be avoided; ``flat``: controls have no desktop style.
    """
    colours = {name: getattr(now, name).name() for name in {*_COLOURS, *_TONES}}
    tints = {f"{name}_tint": now.tint(getattr(now, name)).name() for name in _TONES}
    tints["chosen"] = now.tint(now.accent, _CHOSEN).name()
    tints["hovered"] = mix(now.raised, now.text, 0.08).name()
    tints["primary_hovered"] = mix(now.accent, text_on(now.on_accent), 0.12).name()  # away from its text
    arrows = {"arrow_down": _arrow(now.text), "arrow_up": _arrow(now.text, 0), "arrow_primary": _arrow(now.on_accent)}
    sizes = {
        "pad": now.small,
        "wide": now.medium,
        "tight": now.tight,
        "large": now.large,
        "radius": CARD_RADIUS,
        "radius_small": CONTROL_RADIUS,
    }
    sheet = _FLAT + _SHEET if flat else _SHEET
    return sheet.format(**colours, **tints, **arrows, **sizes, moving_ms=0 if calm else 200)


def _arrow(colour: QColor, corner: int = 1) -> str:
    """Return a triangle twice as wide as high, as part of a conical gradient: images could not follow the palette."""
    filled, empty = colour.name(), "transparent"
    stops = ((0, empty), (0.176, empty), (0.177, filled), (0.323, filled), (0.324, empty), (1, empty))
    gradient_stops = ", ".join(f"stop:{at} {name}" for at, name in stops)
    return f"qconicalgradient(cx:0.5, cy:{corner}, angle:{0 if corner else 180}, {gradient_stops})"


def wear(application: QApplication, wished: Wishes) -> None:
    """Show everything as the user wishes from now on."""
    if wished == wishes():
        return
    application.setProperty(WISHES, wished)
    if wished.calm:
        for effect in _EFFECTS:
            QApplication.setEffectEnabled(effect, False)
    application.paletteChanged.emit(application.palette())  # not only the sheet follows from it


def follow_desktop(application: QApplication) -> None:
    """Apply the style sheet, and renew it when the desktop's colours or font change."""
    flat = application.style().name().lower() in _BEVELLED

    def dress() -> None:
        sheet = style_sheet(look(), calm=wishes().calm, flat=flat)
        if application.styleSheet() != sheet:
            application.setStyleSheet(sheet)

    soon = partial(QTimer.singleShot, 0, application, dress)  # not amid the change
    application.paletteChanged.connect(lambda _: soon())
    application.fontChanged.connect(lambda _: soon())
    application.fontChanged.connect(lambda _: QTimer.singleShot(0, application, follow_font))
    dress()


_FLAT = """
QPushButton {{ background: {raised}; border: 1px solid {border}; border-radius: {radius_small}px;
    padding: {tight}px {wide}px; }}
QPushButton:hover:enabled {{ background: {hovered}; }}
QPushButton:pressed {{ background: {chosen}; }}
QPushButton:disabled, QCheckBox:disabled, QRadioButton:disabled {{ color: {muted}; }}
QPushButton:flat {{ background: transparent; border-color: transparent; }}
QPushButton[primary="true"]:enabled {{ border-color: {accent}; }}
QPushButton::menu-indicator {{ subcontrol-position: right center; right: {pad}px; }}
QPushButton[primary="true"]::menu-indicator {{ background: {arrow_primary}; }}
QCheckBox::indicator:unchecked {{ background: {card}; border: 1px solid {edge}; border-radius: 3px; }}
QLineEdit, QComboBox, QAbstractSpinBox {{ background: {card}; border: 1px solid {edge};
    border-radius: {radius_small}px; padding: {tight}px; }}
QComboBox, QAbstractSpinBox {{ padding: {tight}px {wide}px {tight}px {pad}px; }}
QComboBox:hover, QAbstractSpinBox:hover {{ border-color: {accent}; }}
QComboBox::drop-down, QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{ border: none; width: {large}px; }}
QComboBox::down-arrow, QAbstractSpinBox::down-arrow, QPushButton::menu-indicator {{ width: 8px; height: 4px;
    image: none; background: {arrow_down}; }}
QAbstractSpinBox::up-arrow {{ width: 8px; height: 4px; background: {arrow_up}; }}
QScrollBar {{ background: transparent; border: none; margin: 0; }}
QScrollBar:vertical {{ width: 10px; }}
QScrollBar:horizontal {{ height: 10px; }}
QScrollBar::handle {{ background: {edge}; margin: 2px; border-radius: 3px;
    min-height: {large}px; min-width: {large}px; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QTableView {{ border: 1px solid {border}; border-radius: {radius_small}px; background: {card};
    selection-background-color: {chosen}; selection-color: {text}; }}
QHeaderView {{ background: {card}; }}
QHeaderView::section {{ background: {card}; color: {muted}; border: none; border-bottom: 1px solid {border};
    padding: {tight}px {pad}px; }}
QTableView::item {{ padding: 0 {pad}px; }}
QTabBar::tab {{ padding: {tight}px {pad}px; border: none; border-bottom: 2px solid transparent; }}
QTabBar::tab:selected {{ border-bottom-color: {accent}; color: {accent}; }}
QTabBar::tab:hover:!selected {{ border-bottom-color: {border}; }}
"""

_SHEET = """
* {{ widget-animation-duration: {moving_ms}; }}
QFrame[card="true"], QFrame[notice] {{ background: {card}; border: 1px solid {border}; border-radius: {radius}px; }}
QFrame[turns="true"] {{ border-color: {caution}; }}
QFrame[notice="info"] {{ background: {accent_tint}; border-color: {accent}; }}
QFrame[notice="good"] {{ background: {good_tint}; border-color: {good}; }}
QFrame[notice="caution"] {{ background: {caution_tint}; border-color: {caution}; }}
QFrame[notice="bad"] {{ background: {bad_tint}; border-color: {bad}; }}
QFrame[bar="true"] {{ background: {card}; border: none; border-bottom: 1px solid {border}; }}
QFrame[bar="foot"] {{ background: {card}; border: none; border-top: 1px solid {border}; }}
QFrame[bar="trial"] {{ background: {accent_tint}; border: none; border-top: 1px solid {accent}; }}
QFrame[code="true"] {{ background: {raised}; border-radius: {radius_small}px; }}
QFrame[changed="true"] {{ background: {accent_tint}; border-left: 3px solid {accent}; }}
*[tone="muted"], QLabel:disabled {{ color: {muted}; }}
*[tone="accent"] {{ color: {accent}; }}
*[tone="good"] {{ color: {good}; }}
*[tone="caution"] {{ color: {caution}; }}
*[tone="bad"] {{ color: {bad}; }}
QLineEdit {{ placeholder-text-color: {muted}; }}
QFrame[chip] {{ background: {raised}; border: 1px solid {border}; border-radius: {radius_small}px; }}
QFrame[chip="ours"] {{ background: {accent_tint}; border-color: {accent}; }}
QFrame[chip="new"] {{ background: {chosen}; border-color: {accent}; }}
QPushButton[primary="true"]:enabled {{ background-color: {accent}; color: {on_accent}; }}
QPushButton[primary="true"]:hover:enabled {{ background-color: {primary_hovered}; }}
QPushButton[option="true"]:checked {{ background-color: {chosen}; }}
QPushButton[link="true"] {{ background: transparent; border: 2px solid transparent; padding: 0 {tight}px;
    text-align: left; }}
QPushButton[link="true"][tone=""] {{ text-decoration: underline; }}
QPushButton[link="true"]:hover {{ border-color: {accent}; }}
"""
