# SPDX-License-Identifier: GPL-3.0-or-later
"""The card that a forum or chat shows whole: answer, sentence, chart, price, disk, and how it was measured."""

from __future__ import annotations

from itertools import product

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor

from disktuner.drawing import paper
from disktuner.drawing.bars import BarDrawing
from disktuner.drawing.ink import Ink, ThemeName
from disktuner.drawing.pen import RIGHT, Pen
from disktuner.presentation import Panel, Presented, bars_of
from disktuner.verdict.model import Decision

WIDTH, HEIGHT = 1200, 630
"""In pixels, as Open Graph has it."""
_MARGIN, _TEXT = 56, 24
_SENTENCES, _PARTS, _SMALL = (1.15, 1.05, 0.95), 0.92, 0.8
"""Of letters, against those of ``_TEXT`` pixels: of the headline as large as it has room in a line."""
_TITLES, _SIZES = (2.0, 1.7, 1.4), (28, 26, 24, 22, 20, 18)
"""Of the letters of the title, relative, and of the chart, in pixels: as large as there is room for."""
_ROWS, _PRICES = (6, 5, 4, 3), 4
"""Of the chart, fewer where letters would be too small, and lines for what it costs, at most."""


def card_png(presented: Presented, theme: ThemeName) -> bytes:
    """Return the card of a result as PNG."""
    return paper.png(WIDTH, HEIGHT, paper.ink(theme, _TEXT), _Card(presented, theme).draw)


def card_svg(presented: Presented, theme: ThemeName) -> str:
    """Return it as SVG; letters are outlines."""
    draw = _Card(presented, theme).draw
    return paper.svg(WIDTH, HEIGHT, paper.ink(theme, _TEXT), draw, presented.glance.spoken, alone=True)


class _Card:
    def __init__(self, presented: Presented, theme: ThemeName) -> None:
        self._shown, self._theme = presented, theme

    def draw(self, pen: Pen) -> None:
        """From top to bottom; the chart has the room that the texts leave."""
        shown, ink = self._shown, pen.ink
        pen.fill(QRectF(0, 0, 14, HEIGHT), _tone(ink, shown.verdict.decision))
        inner = QRectF(_MARGIN, 44, WIDTH - 2 * _MARGIN, HEIGHT - 88)
        top = self._draw_answer(pen, inner)
        bottom = self._draw_foot(pen, inner)
        if shown.glance.price:
            bottom = self._draw_price(pen, inner, bottom - 14)
        if shown.glance.panel is not None:
            self._draw_chart(pen, shown.glance.panel, QRectF(inner.left(), top + 22, inner.width(), bottom - top - 36))

    def _draw_answer(self, pen: Pen, box: QRectF) -> float:
        shown, ink = self._shown, pen.ink
        about = " · ".join((*shown.setup[:1], *shown.run[:1]))
        top = pen.paragraph(box, ink.lines(about, box.width(), _SMALL, most=1), ink.muted, _SMALL) + 4
        sure = ink.width(shown.glance.sure) + 20
        for size in _TITLES:
            title = ink.lines(shown.glance.title, box.width() - sure, size, bold=True, most=2)
            if len(title) == 1:
                break
        first = QRectF(box.left(), top, box.width(), ink.em * size * 1.1)
        pen.write(first.adjusted(0, ink.em * 0.2, 0, 0), shown.glance.sure, ink.muted, align=RIGHT)
        top = pen.paragraph(box.adjusted(0, top - box.top(), -sure, 0), title, ink.text, size, bold=True) + 4
        for size in _SENTENCES:
            headline = ink.lines(_unbroken(shown.glance.headline), box.width(), size, most=3)
            if len(headline) == 1:
                break
        top = pen.paragraph(box.adjusted(0, top - box.top(), 0, 0), headline, ink.text, size)
        parts = ink.lines(_unbroken(shown.glance.parts), box.width(), _PARTS, most=3)
        return pen.paragraph(box.adjusted(0, top - box.top(), 0, 0), parts, ink.muted, _PARTS)

    def _draw_foot(self, pen: Pen, box: QRectF) -> float:
        """Draw what was measured and how, in two lines, and return their top."""
        shown, ink = self._shown, pen.ink
        facts = (" · ".join(shown.setup[1:]), " · ".join(shown.run[1:]))
        lines = [line for fact in facts for line in ink.lines(fact, box.width(), _SMALL, most=1)]
        top = box.bottom() - len(lines) * ink.em * _SMALL * 1.1
        pen.paragraph(QRectF(box.left(), top, box.width(), 0), lines, ink.muted, _SMALL)
        return top

    def _draw_price(self, pen: Pen, box: QRectF, bottom: float) -> float:
        ink, glance = pen.ink, self._shown.glance
        lines = ink.lines(_unbroken(glance.price), box.width(), most=_PRICES)
        top = bottom - len(lines) * ink.em * 1.1
        pen.paragraph(QRectF(box.left(), top, box.width(), 0), lines, ink.caution if glance.turns else ink.text)
        return top

    def _draw_chart(self, pen: Pen, panel: Panel, box: QRectF) -> None:
        head = pen.ink.em * 1.2
        title = bars_of(panel, self._shown.about).title
        pen.write(QRectF(box.left(), box.top(), box.width(), head), title, pen.ink.muted, 0.9)
        room = box.adjusted(0, head + 6, 0, 0)
        for rows, size in product(_ROWS, _SIZES):
            ink = paper.ink(self._theme, size)
            drawing = BarDrawing(bars_of(panel, self._shown.about, rows), ink, plain=True)
            if drawing.full_width <= room.width() and drawing.height(room.width()) <= room.height():
                break
        drawing.draw(pen.with_ink(ink), room)


def _unbroken(shown: str) -> str:
    """Return a text whose names with a hyphen stay in one line."""
    return shown.replace("-", "\u2011")


def _tone(ink: Ink, decision: Decision) -> QColor:
    tones = {Decision.SWITCH: ink.good, Decision.CONDITIONAL: ink.caution, Decision.UNDECIDED: ink.muted}
    return tones.get(decision, ink.accent)
