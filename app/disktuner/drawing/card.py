# SPDX-License-Identifier: GPL-3.0-or-later
"""The card for forums and chats: answer, figures, chart, certainty, price, disk, and how it was measured."""

from __future__ import annotations

from itertools import product

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF
from PySide6.QtSvg import QSvgRenderer

from disktuner.drawing import paper
from disktuner.drawing.badge import draw_badge, tone_of
from disktuner.drawing.bars import BarDrawing
from disktuner.drawing.certainty import draw_certainty, height_of_certainty
from disktuner.drawing.icons import ICONS
from disktuner.drawing.ink import Ink, ThemeName
from disktuner.drawing.pen import RIGHT, Pen
from disktuner.presentation import Panel, Presented, bars_of
from disktuner.vocabulary.messages import text

WIDTH, HEIGHT = 1200, 630
"""In pixels, as Open Graph recommends."""
_MARGIN, _TEXT, _BADGE, _GAP = 48, 22, 64, 44
_LEFT = 0.64
"""The answer's share of the width; certainty and price have the rest."""
_FIGURE, _HEADING, _PARTS, _SMALL = 2.6, 1.2, 0.92, 0.8
"""Letter sizes relative to ``_TEXT``."""
_TITLES, _SIZES = (2.0, 1.7, 1.4, 1.1), (24, 22, 20, 18)
"""Letter sizes to try, largest first: of the title, relative to ``_TEXT``, and of a chart, in pixels."""
_ROWS = (6, 5, 4, 3)
"""Numbers of chart rows to try, as fewer rows allow larger letters."""


def card_png(presented: Presented, theme: ThemeName) -> bytes:
    """Return the card of a result as PNG."""
    return paper.png(WIDTH, HEIGHT, paper.ink(theme, _TEXT), _Card(presented, theme).draw)


def card_svg(presented: Presented, theme: ThemeName) -> str:
    """Return the card as SVG; letters are outlines."""
    draw = _Card(presented, theme).draw
    return paper.svg(WIDTH, HEIGHT, paper.ink(theme, _TEXT), draw, presented.glance.spoken, alone=True)


class _Card:
    def __init__(self, presented: Presented, theme: ThemeName) -> None:
        self._shown, self._theme = presented, theme

    def draw(self, pen: Pen) -> None:
        """Draw the answer at the left, certainty and price at the right, and what was measured below."""
        shown, glance = self._shown, self._shown.glance
        pen.fill(QRectF(0, 0, 14, HEIGHT), tone_of(pen.ink, shown.verdict.decision))
        inner = QRectF(_MARGIN, 40, WIDTH - 2 * _MARGIN, HEIGHT - 72)
        inner.setBottom(self._draw_foot(pen, inner) - 16)
        left = QRectF(inner)
        if glance.certainty is not None or glance.price:
            left.setWidth(inner.width() * _LEFT - _GAP / 2)
            right = inner.adjusted(inner.width() * _LEFT + _GAP / 2, 0, 0, 0)
            right.setTop(self._draw_certainty(pen, right) + 16)
            self._draw_price(pen, right)
        left.setTop(self._draw_answer(pen, left) + 10)
        if glance.panel is not None:
            self._draw_chart(pen, glance.panel, left)

    def _draw_answer(self, pen: Pen, box: QRectF) -> float:
        shown, ink = self._shown.glance, pen.ink
        draw_badge(pen, self._shown.verdict.decision, QRectF(box.left(), box.top(), _BADGE, _BADGE))
        room = box.adjusted(_BADGE + 20, 0, 0, 0)
        for size in _TITLES:
            title = ink.lines(shown.title, room.width(), size, bold=True, most=4)
            if len(title) == 1:
                break
        line = QFontMetricsF(ink.letters(size)).height() * 1.1
        room.setTop(box.top() + max(0.0, (_BADGE - line * len(title)) / 2))
        top = max(pen.paragraph(room, title, ink.text, size, bold=True), box.top() + _BADGE) + 8
        said = shown.subject if shown.value else shown.headline
        lines = ink.lines(_unbroken(said), box.width(), _HEADING, most=4)
        top = pen.paragraph(QRectF(box.left(), top, box.width(), 0), lines, ink.text, _HEADING)
        if shown.value:
            high, wide = ink.em * _FIGURE * 1.05, min(ink.width(shown.value, _FIGURE, bold=True), box.width())
            pen.write(QRectF(box.left(), top, wide + 1, high), shown.value, size=_FIGURE, bold=True)
            beside = QRectF(box.left() + wide + 18, top + high * 0.2, box.width() - wide - 18, high * 0.8)
            top += high
            if ink.width(shown.instead, _HEADING) <= beside.width():
                pen.write(beside, shown.instead, ink.muted, _HEADING)
            else:
                top = pen.paragraph(QRectF(box.left(), top, box.width(), 0), [shown.instead], ink.muted, _HEADING)
        size = _PARTS if shown.panel is not None else _HEADING
        parts = ink.lines(_unbroken(shown.parts), box.width(), size, most=3) if shown.parts else []
        return pen.paragraph(QRectF(box.left(), top, box.width(), 0), parts, ink.muted, size)

    def _draw_chart(self, pen: Pen, panel: Panel, box: QRectF) -> None:
        """Draw bars with the largest letters that fit, if possible each on one line."""
        glance, about = self._shown.glance, self._shown.about
        bars = bars_of(panel, about)
        title = pen.ink.lines(bars.direction if glance.value else bars.title, box.width(), _SMALL, most=2)
        room = QRectF(box)
        room.setTop(pen.paragraph(box, title, pen.ink.muted, _SMALL) + pen.ink.em * 0.3)
        for whole, rows, size in product((True, False), _ROWS, _SIZES):
            ink = paper.ink(self._theme, size)
            drawing = BarDrawing(bars_of(panel, about, rows), ink, plain=True)
            wide = drawing.full_width if whole else drawing.least_width
            if wide <= room.width() and drawing.height(room.width()) <= room.height():
                break
        drawing.draw(pen.with_ink(ink), room)

    def _draw_certainty(self, pen: Pen, box: QRectF) -> float:
        """Draw the certainty, if any; return the y below it."""
        if (certainty := self._shown.glance.certainty) is None:
            return box.top()
        pen.write(QRectF(box.left(), box.top(), box.width(), pen.ink.em * 1.4), text("how-sure"), bold=True)
        top = box.top() + pen.ink.em * 1.7
        small = pen.with_ink(paper.ink(self._theme, _SIZES[-1]))
        draw_certainty(small, certainty, QRectF(box.left(), top, box.width(), 0))
        top += height_of_certainty(small.ink) + 6
        lines = pen.ink.lines(_unbroken(certainty.words), box.width(), _PARTS, most=3)
        return pen.paragraph(QRectF(box.left(), top, box.width(), 0), lines, pen.ink.text, _PARTS)

    def _draw_price(self, pen: Pen, box: QRectF) -> None:
        """Draw as many bars as fit, and the sentence if not all do or if it may turn the answer."""
        ink, glance, small = pen.ink, self._shown.glance, paper.ink(self._theme, _SIZES[-1])
        if not glance.price:
            return
        drawings = [BarDrawing(bars_of(panel, self._shown.about), small, plain=True) for panel in glance.prices]
        lines = ink.lines(_unbroken(glance.price), box.width(), _PARTS, most=9)
        said = len(lines) * ink.em * _PARTS * 1.1
        head = ink.em * 1.4
        titles = [_price_title(ink, panel, box.width(), 1 if glance.turns else 2) for panel in glance.prices]
        heights = [
            ink.em * 1.1 * len(title) + drawing.height(box.width()) + 8
            for title, drawing in zip(titles, drawings, strict=True)
        ]
        shown = max(n for n in range(len(heights) + 1) if n == 0 or head + sum(heights[:n]) + said <= box.height())
        if shown and shown == len(heights) and not glance.turns:
            lines, said = [], 0.0
        top = box.bottom() - said - sum(heights[:shown])
        pen.write(QRectF(box.left(), top - head, box.width(), head), text("what-it-costs"), bold=True)
        for title, drawing, height in zip(titles[:shown], drawings, heights, strict=False):
            below = pen.paragraph(QRectF(box.left(), top, box.width(), 0), title, ink.muted, _SMALL)
            drawing.draw(pen.with_ink(small), QRectF(box.left(), below, box.width(), 0))
            top += height
        tone = ink.caution if glance.turns else ink.text
        pen.paragraph(QRectF(box.left(), top, box.width(), 0), lines, tone, _PARTS)

    def _draw_foot(self, pen: Pen, box: QRectF) -> float:
        """Draw what was measured and how, in two lines, with the program's name; return their top."""
        shown, ink = self._shown, pen.ink
        name = text("app")
        icon = ink.em * 1.4
        mark = icon + ink.width(name, bold=True) + 30
        facts = (" · ".join(shown.setup), " · ".join(shown.run))
        lines = [line for fact in facts for line in ink.lines(fact, box.width() - mark, _SMALL, most=1)]
        top = box.bottom() - len(lines) * ink.em * _SMALL * 1.1
        pen.paragraph(QRectF(box.left(), top, box.width(), 0), lines, ink.muted, _SMALL)
        pen.write(QRectF(box.left(), top, box.width(), box.bottom() - top), name, bold=True, align=RIGHT)
        middle = (top + box.bottom() - icon) / 2
        mark_box = QRectF(box.right() - mark + 20, middle, icon, icon)
        QSvgRenderer(str(ICONS / "org.disktuner.Disktuner.svg")).render(pen.painter, mark_box)
        return top


def _price_title(ink: Ink, panel: Panel, width: float, most: int) -> list[str]:
    """Return the title if it fits on one line, else the label in as many as needed, at ``most`` so many."""
    title = bars_of(panel, None).title
    return ink.lines(title if ink.width(title, _SMALL) <= width else panel.label, width, _SMALL, most=most)


def _unbroken(shown: str) -> str:
    """Return a text with non-breaking hyphens."""
    return shown.replace("-", "\u2011")
