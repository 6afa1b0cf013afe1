# SPDX-License-Identifier: GPL-3.0-or-later
"""The application's style sheet, made of the look of the moment: what is ours, and flat controls where the desktop's
own style is not to be had."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication

from disktuner.drawing.colours import mix
from disktuner.gui.style import CARD_RADIUS, CONTROL_RADIUS, WISHES, Look, look, wishes
from disktuner.gui.wishes import Wishes

_EFFECTS = (Qt.UIEffect.UI_AnimateMenu, Qt.UIEffect.UI_AnimateCombo, Qt.UIEffect.UI_AnimateTooltip)
_COLOURS = ("card", "raised", "border", "edge", "text", "muted", "accent", "on_accent")
_CHOSEN = 0.3
"""How much of the accent is in a button that is chosen: styles draw it darker."""
_TONES = ("accent", "good", "caution", "bad")


_BEVELLED = ("fusion", "windows")
"""Qt's own styles, which a program has without the desktop's plugins."""


def style_sheet(now: Look, *, calm: bool = False, flat: bool = False) -> str:
    """Cards, notices, tones, and the buttons that stand out.

    ``calm`` is where nothing may move that need not, ``flat`` where controls have no style of the desktop's.
    """
    colours = {name: getattr(now, name).name() for name in {*_COLOURS, *_TONES}}
    tints = {f"{name}_tint": now.tint(getattr(now, name)).name() for name in _TONES}
    tints["chosen"] = now.tint(now.accent, _CHOSEN).name()
    tints["hovered"] = mix(now.raised, now.text, 0.08).name()
    tints["primary_hovered"] = mix(now.accent, now.on_accent, 0.12).name()
    sizes = {
        "pad": now.small,
        "wide": now.medium,
        "tight": now.tight,
        "radius": CARD_RADIUS,
        "radius_small": CONTROL_RADIUS,
    }
    sheet = _FLAT + _SHEET if flat else _SHEET
    return sheet.format(**colours, **tints, **sizes, moving_ms=0 if calm else 200)


def wear(application: QApplication, wished: Wishes) -> None:
    """Show everything as its user wishes it from now on."""
    if wished == wishes():
        return
    application.setProperty(WISHES, wished)
    if wished.calm:
        for effect in _EFFECTS:
            QApplication.setEffectEnabled(effect, False)
    application.paletteChanged.emit(application.palette())  # not only the sheet follows from it


def follow_desktop(application: QApplication) -> None:
    """Wear the style sheet, and change it with the desktop's colours and font."""
    flat = application.style().name().lower() in _BEVELLED

    def dress() -> None:
        sheet = style_sheet(look(), calm=wishes().calm, flat=flat)
        if application.styleSheet() != sheet:
            application.setStyleSheet(sheet)

    soon = partial(QTimer.singleShot, 0, application, dress)  # not amid the change
    application.paletteChanged.connect(lambda _: soon())
    application.fontChanged.connect(lambda _: soon())
    dress()


_FLAT = """
QPushButton {{ background: {raised}; border: 1px solid {border}; border-radius: {radius_small}px;
    padding: {tight}px {wide}px; }}
QPushButton:hover:enabled {{ background: {hovered}; }}
QPushButton:pressed {{ background: {chosen}; }}
QPushButton:disabled {{ color: {muted}; }}
QPushButton:flat {{ background: transparent; border-color: transparent; }}
QPushButton[primary="true"]:enabled {{ border-color: {accent}; }}
QPushButton::menu-indicator {{ subcontrol-position: right center; right: {pad}px; }}
QLineEdit {{ background: {card}; border: 1px solid {edge}; border-radius: {radius_small}px; padding: {tight}px; }}
QTableView {{ border: 1px solid {border}; border-radius: {radius_small}px; background: {card};
    selection-background-color: {chosen}; selection-color: {text}; }}
QHeaderView {{ background: {card}; }}
QHeaderView::section {{ background: {card}; color: {muted}; border: none; border-bottom: 1px solid {border};
    padding: {tight}px; }}
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
QPushButton[primary="true"]:enabled {{ background-color: {accent}; color: {on_accent}; }}
QPushButton[primary="true"]:hover:enabled {{ background-color: {primary_hovered}; }}
QPushButton[option="true"]:checked {{ background-color: {chosen}; }}
QPushButton[link="true"] {{ background: transparent; border: 2px solid transparent; padding: 0 {tight}px;
    text-align: left; }}
QPushButton[link="true"][tone=""] {{ text-decoration: underline; }}
QPushButton[link="true"]:hover {{ border-color: {accent}; }}
"""
