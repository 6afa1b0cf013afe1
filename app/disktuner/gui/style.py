# SPDX-License-Identifier: GPL-3.0-or-later
"""The look of all pages: spacings, text sizes and colours, derived from the desktop's palette and font."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QFont, QFontMetrics, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QStyle, QWidget

from disktuner.drawing.colours import contrast, mix, readable_on, text_on
from disktuner.drawing.ink import Ink
from disktuner.gui.wishes import Wishes

WISHES = "wishes"
"""The application's property that keeps the user's wishes, beside its palette and font."""

_TEXT = "sized"
"""The property that keeps the size of a widget's text and whether it is bold."""

FIGURE = 2.6
TITLE = 1.8
HEADING = 1.2
BODY = 1.0
SMALL = 0.92
"""The size of small text, relative to the desktop's font."""

CARD_RADIUS, CONTROL_RADIUS = 10, 6
"""In device independent pixels."""

_ACCENTS = {False: "#2a5f9e", True: "#8ab4e8"}
"""The icon's blue, for light and for dark backgrounds."""
_CARD = QColor("#2b2b2b")
"""The card colour of a dark desktop, unless its windows are as light."""

TINT = 0.14
"""The colour's share in a background for text."""

BAND = 0.08
"""The share of the text's colour in the background of a neutral chart."""


@dataclass(frozen=True, slots=True)
class Look:
    """The current colours and spacings; ``high``: with more contrast.

    ``border`` divides, ``edge`` outlines inputs and choices, so it must be visible. ``tight`` to ``wide`` are the only
    spacings used, in device independent pixels, and grow with the font.
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
    tight: int
    small: int
    medium: int
    large: int
    wide: int

    @classmethod
    def of(cls, palette: QPalette, font: QFont, high: bool = False) -> Look:
        """Return the look for a palette (light or dark, with its accent) and a font, perhaps with more contrast."""
        window, text = palette.color(QPalette.ColorRole.Window), palette.color(QPalette.ColorRole.WindowText)
        dark = window.lightnessF() < 0.5
        card = _dark_card(window, high=high) if dark else palette.color(QPalette.ColorRole.Base)
        raised = mix(card, text, 0.07)
        words, lines = (7.0, 4.5) if high else (4.5, 3.0)

        grounds = (window, card, raised)

        def seen(colour: QColor) -> QColor:
            """Return a colour legible on any background, even on a tint of itself, which changes with it."""
            for _ in range(3):
                colour = readable_on(colour, (*grounds, mix(card, colour, TINT)), words)
            return colour

        accent = seen(palette.color(QPalette.ColorRole.Accent) if high else QColor(_ACCENTS[dark]))
        good = seen(QColor("#5fce9b") if dark else QColor("#08784c"))
        caution = seen(QColor("#f0b849") if dark else QColor("#8a5a00"))
        bad = seen(QColor("#ff8f85") if dark else QColor("#b3261e"))
        tints = [mix(card, colour, TINT) for colour in (accent, good, caution, bad)]
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
            muted=readable_on(mix(card, text, 0.66), (*grounds, *tints), words),
            accent=accent,
            on_accent=text_on(accent),
            good=good,
            caution=caution,
            bad=bad,
            tight=round(em * 0.25),
            small=round(em * 0.5),
            medium=round(em),
            large=round(em * 1.5),
            wide=round(em * 2),
        )

    def tint(self, colour: QColor, share: float = TINT) -> QColor:
        """Return a quiet background in a colour, for text: the quieter, the less the text contrasts with the card."""
        needed = min(7.0 if self.high else 4.5, contrast(self.text, self.card))
        tints = (mix(self.card, colour, share * step / 10) for step in range(10, -1, -1))
        return next(tint for tint in tints if contrast(self.text, tint) >= needed)

    def drawn(self, colour: QColor, share: float = 1.0) -> QColor:
        """Return the colour of a line or mark, perhaps a quieter one, that is visible on all that it stands on."""
        return readable_on(mix(self.card, colour, share), (self.card, *self._mark_grounds), 4.5 if self.high else 3.0)

    @property
    def _mark_grounds(self) -> tuple[QColor, QColor]:
        """What marks stand on besides cards: the bands of charts, and what is chosen or has its turn."""
        return mix(self.card, self.text, BAND), self.tint(self.accent)

    def ink(self, font: QFont) -> Ink:
        """Return the ink for a chart on a card."""
        tones = (self.card, self.text, self.muted, self.accent, self.good, self.caution)
        return Ink(font, *tones, contrast=4.5 if self.high else 3.0, other_grounds=self._mark_grounds)


def _dark_card(window: QColor, *, high: bool) -> QColor:
    """Return a colour at least slightly lighter than the window."""
    if high:
        return window
    return max(_CARD, mix(window, QColor("white"), 0.06), key=QColor.lightnessF)


def look() -> Look:
    """Return the look of the running application."""
    dpi = QGuiApplication.primaryScreen().logicalDotsPerInch()
    return _look(QGuiApplication.palette().cacheKey(), QApplication.font().key(), dpi, wishes().high_contrast)


@lru_cache(maxsize=4)
def _look(_palette: int, _font: str, _dpi: float, high: bool) -> Look:
    """Cached, since every widget asks for it, and computing it takes a third of a millisecond."""
    return Look.of(QGuiApplication.palette(), QApplication.font(), high)


def wishes() -> Wishes:
    """Return the wishes of the application's user."""
    wished = QApplication.instance().property(WISHES)  # type: ignore[union-attr]  # no widgets without one
    return wished if isinstance(wished, Wishes) else Wishes()


def fitting(width: int, height: int) -> QSize:
    """Return a window's size in device independent pixels, reduced to the screen's room below a title bar.

    Qt restores no window larger than that, so a larger one would not get its size back.
    """
    title = QApplication.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight) + 2
    room = QGuiApplication.primaryScreen().availableSize()
    return QSize(width, height).boundedTo(room - QSize(0, title))


def text_role(widget: QWidget, size: float = BODY, *, bold: bool = False, colour: str = "") -> None:
    """Give a text its size and, by name (``muted``, ``good``, ``caution``, ``bad``, ``accent``), its colour."""
    widget.setProperty(_TEXT, (size, bold))
    widget.setFont(_font(size, bold=bold))
    widget.setProperty("tone", colour)


def follow_font() -> None:
    """Give all texts their size in the desktop's font, which has changed."""
    for widget in QApplication.allWidgets():
        if (text := widget.property(_TEXT)) is not None:
            size, bold = text
            widget.setFont(_font(size, bold=bold))


def _font(size: float, *, bold: bool) -> QFont:
    font = QFont(QApplication.font())
    font.setPointSizeF(font.pointSizeF() * size)
    heavy = QFont.Weight.Bold if size >= TITLE else QFont.Weight.DemiBold
    font.setWeight(heavy if bold else QFont.Weight.Normal)
    return font


def set_property(widget: QWidget, name: str, value: object) -> None:
    """Set a property that the style sheet uses, and restyle the widget."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)
        widget.update()
