# SPDX-License-Identifier: GPL-3.0-or-later
"""The one look of all pages: spacings, text sizes and colours, derived from the desktop's palette and font."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TypeAlias

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QColor, QFont, QFontMetrics, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from disktuner.gui.comfort import Comfort

Accent: TypeAlias = tuple[float, float, float]
"""Red, green and blue, 0 to 1."""

_COMFORT, _PLAIN = "comfort", "plain-palette"
"""Properties of the application."""

TITLE = 1.55
HEADING = 1.15
BODY = 1.0
SMALL = 0.92
"""Text sizes relative to the desktop's font."""

TINT = 0.14
"""How much of a colour is in a background for text."""

BAND = 0.08
"""How much of the text's colour is in the ground of a chart where nothing matters."""


@dataclass(frozen=True, slots=True)
class Look:
    """Colours and spacings of the moment; ``high`` is with more contrast.

    ``border`` divides, ``edge`` outlines what is typed or chosen in, so it must be seen.
    ``tight`` to ``wide`` are the only spacings used, in device independent pixels, and grow with the font.
    """

    dark: bool
    high: bool
    window: QColor
    card: QColor
    raised: QColor
    border: QColor
    edge: QColor
    text: QColor
    muted: QColor
    accent: QColor
    on_accent: QColor
    good: QColor
    caution: QColor
    bad: QColor
    point_size: float
    tight: int
    small: int
    medium: int
    large: int
    wide: int

    @classmethod
    def of(cls, palette: QPalette, font: QFont, high: bool = False) -> Look:
        """The look for a palette (light or dark, with its accent) and a font, perhaps with more contrast."""
        window, text = palette.color(QPalette.ColorRole.Window), palette.color(QPalette.ColorRole.WindowText)
        dark = window.lightnessF() < 0.5
        card = mix(window, QColor("white"), 0.0 if high else 0.06) if dark else palette.color(QPalette.ColorRole.Base)
        raised = mix(card, text, 0.07)
        words, lines = (7.0, 4.5) if high else (4.5, 3.0)

        grounds = (window, card, raised)

        def seen(colour: QColor) -> QColor:
            """To be read on any ground, also on a tint of itself, which changes with it."""
            for _ in range(3):
                colour = readable_on(colour, (*grounds, mix(card, colour, TINT)), words)
            return colour

        caution = seen(QColor("#f0b849") if dark else QColor("#8a5a00"))
        accent = seen(palette.color(QPalette.ColorRole.Accent))
        edge = readable_on(mix(card, text, 0.18), grounds, lines)
        em = QFontMetrics(font).height()
        return cls(
            dark=dark,
            high=high,
            window=window,
            card=card,
            raised=raised,
            border=edge if high else mix(card, text, 0.18),
            edge=edge,
            text=text,
            muted=readable(mix(card, text, 0.66), mix(card, caution, TINT), words),
            accent=accent,
            on_accent=text_on(accent),
            good=seen(QColor("#5fce9b") if dark else QColor("#08784c")),
            caution=caution,
            bad=seen(QColor("#ff8f85") if dark else QColor("#b3261e")),
            point_size=font.pointSizeF(),
            tight=round(em * 0.25),
            small=round(em * 0.5),
            medium=round(em * 0.8),
            large=round(em * 1.25),
            wide=round(em * 2),
        )

    def tint(self, colour: QColor, share: float = TINT) -> QColor:
        """A quiet background in a colour, to put text on."""
        return mix(self.card, colour, share)

    def drawn(self, colour: QColor, share: float = 1.0) -> QColor:
        """A line or mark in a colour, or a quieter one, that is still seen on a card and on the bands of charts."""
        ground = mix(self.card, self.text, BAND)
        return readable(mix(self.card, colour, share), ground, 4.5 if self.high else 3.0)


def mix(one: QColor, other: QColor, share: float) -> QColor:
    """``share`` of the other colour in the one."""
    return QColor.fromRgbF(
        one.redF() + (other.redF() - one.redF()) * share,
        one.greenF() + (other.greenF() - one.greenF()) * share,
        one.blueF() + (other.blueF() - one.blueF()) * share,
    )


def contrast(one: QColor, other: QColor) -> float:
    """The contrast ratio of two colours, 1 to 21, as WCAG 2.1 defines it."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def readable(colour: QColor, background: QColor, ratio: float) -> QColor:
    """The colour, moved away from the background until text in it has at least this contrast."""
    away = QColor("white") if _luminance(background) < 0.18 else QColor("black")
    steps = (mix(colour, away, step / 20) for step in range(21))
    return next((step for step in steps if contrast(step, background) >= ratio), away)


def readable_on(colour: QColor, grounds: Iterable[QColor], ratio: float) -> QColor:
    """The colour, moved until it has this contrast with each of several backgrounds, all light or all dark."""
    for ground in grounds:
        colour = readable(colour, ground, ratio)
    return colour


def text_on(colour: QColor) -> QColor:
    """Black or white, whichever can be read better on a colour: its contrast is 4.5 at least."""
    return max(QColor("white"), QColor("black"), key=lambda text: contrast(text, colour))


def _luminance(colour: QColor) -> float:
    def linear(channel: float) -> float:
        return float(channel / 12.92 if channel <= 0.03928 else ((channel + 0.055) / 1.055) ** 2.4)

    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF())


def look() -> Look:
    """The look of the running application."""
    dpi = QGuiApplication.primaryScreen().logicalDotsPerInch()
    return _look(QGuiApplication.palette().cacheKey(), QApplication.font().key(), dpi, comfort().high_contrast)


@lru_cache(maxsize=4)
def _look(_palette: int, _font: str, _dpi: float, high: bool) -> Look:
    """Every widget asks for it, and to work it out takes a third of a millisecond."""
    return Look.of(QGuiApplication.palette(), QApplication.font(), high)


def comfort() -> Comfort:
    """What the application's user needs; it is kept by the application, as its palette and font are."""
    found = QApplication.instance().property(_COMFORT)  # type: ignore[union-attr]  # no widgets without one
    return found if isinstance(found, Comfort) else Comfort()


def fitting(width: int, height: int) -> QSize:
    """A window's size in device independent pixels, cut to what the screen has room for."""
    room = QGuiApplication.primaryScreen().availableSize()
    return QSize(width, height).boundedTo(room)


def text_role(widget: QWidget, size: float = BODY, *, bold: bool = False, colour: str = "") -> None:
    """Give a text its size and, by name (``muted``, ``good``, ``caution``, ``bad``, ``accent``), its colour."""
    font = QFont(QApplication.font())
    font.setPointSizeF(font.pointSizeF() * size)
    font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    widget.setFont(font)
    widget.setProperty("tone", colour)


def set_property(widget: QWidget, name: str, value: object) -> None:
    """Change a property that the style sheet looks at, and draw the widget anew."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)
        widget.update()


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


def wear(application: QApplication, wanted: Comfort) -> None:
    """Show everything as its user needs it from now on."""
    had = comfort()
    application.setProperty(_COMFORT, wanted)
    if wanted.calm:
        for effect in (Qt.UIEffect.UI_AnimateMenu, Qt.UIEffect.UI_AnimateCombo, Qt.UIEffect.UI_AnimateTooltip):
            QApplication.setEffectEnabled(effect, False)
    if wanted.high_contrast and not had.high_contrast:
        _put_contrast_over(application)
    elif had.high_contrast and not wanted.high_contrast:
        application.setPalette(application.property(_PLAIN))
    if wanted != had:
        application.paletteChanged.emit(application.palette())


def _put_contrast_over(application: QApplication) -> None:
    application.setProperty(_PLAIN, application.palette())
    application.setPalette(contrast_palette(look().dark))


def follow_desktop(application: QApplication) -> Callable[[Accent | None], None]:
    """Wear the style sheet, and change with the desktop's colours and font. Returns what puts an accent over them."""
    accent: QColor | None = None

    def paint() -> None:
        application.setPalette(QPalette())  # the desktop's
        application.setPalette(_painted(application, accent))
        if comfort().high_contrast:
            _put_contrast_over(application)

    def wear(chosen: Accent | None) -> None:
        nonlocal accent
        accent = None if chosen is None else QColor.fromRgbF(*chosen)
        paint()

    def dress() -> None:
        sheet = style_sheet(look(), calm=comfort().calm)
        if application.styleSheet() != sheet:
            application.setStyleSheet(sheet)

    def soon(change: Callable[[], None], *_: object) -> None:
        QTimer.singleShot(0, application, change)  # not amid the change

    application.styleHints().colorSchemeChanged.connect(partial(soon, paint))
    application.paletteChanged.connect(partial(soon, dress))
    application.fontChanged.connect(partial(soon, dress))
    paint()
    dress()
    return wear


def _painted(application: QApplication, accent: QColor | None) -> QPalette:
    """What differs from the desktop's palette.

    A desktop may say that it is dark and have its programs painted light: then all of it is ours.
    """
    dark = application.styleHints().colorScheme() == Qt.ColorScheme.Dark
    if dark and application.palette().color(QPalette.ColorRole.Window).lightnessF() > 0.5:
        return dark_palette(accent)
    return QPalette() if accent is None else accented(QPalette(), accent)


def accented(palette: QPalette, accent: QColor) -> QPalette:
    """The palette with an accent colour, and text that can be read on it."""
    for role in (QPalette.ColorRole.Accent, QPalette.ColorRole.Highlight):
        palette.setColor(role, accent)
    palette.setColor(QPalette.ColorRole.HighlightedText, text_on(accent))
    return palette


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
QToolButton[flat="true"]:checked {{ background: {accent_tint}; border-color: {accent}; }}
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
