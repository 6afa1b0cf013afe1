# SPDX-License-Identifier: GPL-3.0-or-later
"""The application's style sheet, made of the look of the moment."""

from __future__ import annotations

from PySide6.QtGui import QColor

from disktuner.drawing.colours import contrast, mix
from disktuner.gui.style import Look


def style_sheet(now: Look, *, calm: bool = False) -> str:
    """The application's style sheet: controls of one family, cards, tones."""
    names = {name: getattr(now, name) for name in ("window", "card", "raised", "border", "edge", "text", "muted")}
    colours = {name: colour.name() for name, colour in names.items()}
    colours |= {name: getattr(now, name).name() for name in ("accent", "good", "caution", "bad")}
    return _SHEET.format(
        **colours,
        on_accent=now.on_accent.name(),
        accent_hover=mix(now.accent, now.text, 0.15).name(),
        accent_tint=now.tint(now.accent).name(),
        caution_tint=now.tint(now.caution).name(),
        bad_tint=now.tint(now.bad).name(),
        good_tint=now.tint(now.good).name(),
        faded=mix(now.card, now.text, 0.45).name(),
        handle=now.edge.name(),
        on_primary=_ring(now).name(),
        moving_ms=0 if calm else 200,
        pad=now.small,
        pad_wide=now.medium,
        pad_less=now.small - 1,
        pad_wide_less=now.medium - 1,
        control=now.large + now.tight,
        tight=now.tight,
        bar=max(10, now.small + 2),
        bar_round=max(3, now.small // 2 - 2),
        radius=now.small,
        radius_small=max(3, now.tight),
    )


def _ring(now: Look) -> QColor:
    """The frame of the focus within a button that is filled with the accent."""
    choices = (now.text, QColor("black"), QColor("white"))
    return next(
        (each for each in choices if contrast(each, now.accent) >= 3),
        max(choices, key=lambda each: contrast(each, now.accent)),
    )


_SHEET = """
* {{ widget-animation-duration: {moving_ms}; }}
QMainWindow, QDialog, QWidget#page {{ background: {window}; }}
QScrollArea, QScrollArea > QWidget > QWidget#scrolled {{ background: transparent; border: none; }}
QFrame[card="true"] {{ background: {card}; border: 1px solid {border}; border-radius: {radius}px; }}
QFrame[notice="info"] {{ background: {accent_tint}; border: 1px solid {accent}; border-radius: {radius}px; }}
QFrame[notice="good"] {{ background: {good_tint}; border: 1px solid {good}; border-radius: {radius}px; }}
QFrame[notice="caution"] {{ background: {caution_tint}; border: 1px solid {caution}; border-radius: {radius}px; }}
QFrame[notice="bad"] {{ background: {bad_tint}; border: 1px solid {bad}; border-radius: {radius}px; }}
QFrame[bar="true"] {{ background: {card}; border: none; border-bottom: 1px solid {border}; }}
QFrame[bar="foot"] {{ background: {card}; border: none; border-top: 1px solid {border}; }}
QFrame[graph="true"] {{ background: transparent; border: none; border-bottom: 1px solid {border}; }}
QLabel[tone="muted"] {{ color: {muted}; }}
QLabel[tone="accent"] {{ color: {accent}; }}
QLabel[tone="good"] {{ color: {good}; }}
QLabel[tone="caution"] {{ color: {caution}; }}
QLabel[tone="bad"] {{ color: {bad}; }}
QLabel:disabled {{ color: {muted}; }}
QLabel[chip="true"] {{ background: {raised}; color: {text}; border: 1px solid {border};
    border-radius: {radius_small}px; padding: 1px {pad}px; }}
QLabel[chip="ours"] {{ background: {accent_tint}; color: {text}; border: 1px solid {accent};
    border-radius: {radius_small}px; padding: 1px {pad}px; }}
QPushButton, QToolButton {{ background: {raised}; color: {text}; border: 1px solid {border};
    border-radius: {radius_small}px; padding: {pad}px {pad_wide}px; }}
QPushButton:hover, QToolButton:hover {{ border-color: {accent}; }}
QPushButton:focus, QToolButton:focus {{ border: 2px solid {accent}; padding: {pad_less}px {pad_wide_less}px; }}
QPushButton:pressed, QToolButton:pressed {{ background: {border}; }}
QPushButton:disabled, QToolButton:disabled {{ color: {faded}; }}
QPushButton[primary="true"] {{ background: {accent}; color: {on_accent}; border-color: {accent}; }}
QPushButton[primary="true"]:hover {{ background: {accent_hover}; }}
QPushButton[primary="true"]:focus {{ border: 2px solid {on_primary}; }}
QPushButton[primary="true"]:disabled {{ background: {raised}; color: {faded}; border-color: {border}; }}
QToolButton[menu="true"] {{ padding-right: {control}px; }}
QToolButton[menu="true"]::menu-indicator {{ subcontrol-position: center right; right: {pad}px; }}
QToolButton[flat="true"], QPushButton[flat="true"] {{ background: transparent; border: 1px solid transparent; }}
QToolButton[flat="true"]:hover, QPushButton[flat="true"]:hover {{ background: {raised}; }}
QToolButton[flat="true"]:focus, QPushButton[flat="true"]:focus {{ border: 2px solid {accent}; }}
QTabBar::tab {{ background: transparent; color: {text}; border: 2px solid transparent;
    border-radius: {radius_small}px; padding: {pad_less}px {pad_wide}px; margin-right: {tight}px; }}
QTabBar::tab:hover {{ background: {raised}; }}
QTabBar::tab:selected {{ background: {accent_tint}; border: 2px solid {accent_tint}; }}
QTabBar::tab:selected:focus {{ border: 2px solid {accent}; }}
QPushButton[link="true"] {{ background: transparent; border: 2px solid transparent; padding: 0px {tight}px;
    text-align: left; }}
QPushButton[link="true"][tone=""] {{ text-decoration: underline; }}
QPushButton[link="true"]:hover, QPushButton[link="true"]:focus {{ border-color: {accent}; padding: 0px {tight}px; }}
QPushButton[link="true"][tone="muted"] {{ color: {muted}; }}
QFrame[code="true"] {{ background: {raised}; border: none; border-radius: {radius_small}px; }}
QPushButton[choice="true"] {{ background: {card}; border: 1px solid {edge}; border-radius: {radius}px;
    padding: 0px; text-align: left; }}
QPushButton[choice="true"]:hover {{ border-color: {accent}; }}
QPushButton[choice="true"]:checked {{ background: {accent_tint}; border: 2px solid {accent}; }}
QPushButton[choice="true"]:focus {{ border: 3px solid {text}; }}
QPushButton[option="true"]:checked {{ background: {accent_tint}; border: 2px solid {accent};
    padding: {pad_less}px {pad_wide_less}px; }}
QComboBox, QAbstractSpinBox {{ min-height: {control}px; }}
QComboBox {{ background: {card}; color: {text}; border: 1px solid {edge}; border-radius: {radius_small}px;
    padding: 0px {pad}px; }}
QComboBox:hover {{ border-color: {accent}; }}
QComboBox::drop-down {{ border: none; width: {control}px; }}
QComboBox:focus {{ border: 2px solid {accent}; border-radius: {radius_small}px; }}
QCheckBox {{ border: 2px solid transparent; border-radius: {radius_small}px; padding: {tight}px; }}
QCheckBox:focus {{ border-color: {accent}; }}
QTableView:focus {{ border: 2px solid {accent}; }}
QScrollBar:vertical {{ background: transparent; width: {bar}px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: {bar}px; margin: 0; }}
QScrollBar::handle {{ background: {handle}; border-radius: {bar_round}px; margin: 2px;
    min-height: {pad_wide}px; min-width: {pad_wide}px; }}
QScrollBar::handle:hover {{ background: {muted}; }}
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {{
    background: none; border: none; width: 0; height: 0; }}
QProgressBar {{ background: {raised}; border: none; border-radius: {radius_small}px; height: {pad}px; }}
QProgressBar::chunk {{ background: {accent}; border-radius: {radius_small}px; }}
QTableView {{ background: {card}; alternate-background-color: {raised}; border: 1px solid {border};
    gridline-color: {border}; selection-background-color: {accent}; selection-color: {on_accent}; }}
QTableView::item {{ padding: 0px {pad_less}px; }}
QLineEdit {{ background: {card}; color: {text}; border: 1px solid {edge}; border-radius: {radius_small}px;
    padding: {pad}px; }}
QLineEdit {{ placeholder-text-color: {muted}; }}
QLineEdit:focus {{ border: 2px solid {accent}; padding: {pad_less}px; }}
QHeaderView::section {{ background: {raised}; color: {text}; border: none; border-bottom: 1px solid {border};
    padding: {pad}px; }}
QFrame[changed="true"] {{ background: {accent_tint}; border-left: 3px solid {accent}; }}
"""
