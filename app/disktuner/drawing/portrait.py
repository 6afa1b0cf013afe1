# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture of a portrait, as large as forums and chats show whole: the curve, small reads, what the disk says.

The window draws its curve and small reads with the same functions.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPolygonF
from PySide6.QtSvg import QSvgRenderer

from disktuner.drawing import paper
from disktuner.drawing.colours import mix
from disktuner.drawing.icons import ICONS
from disktuner.drawing.ink import Ink, ThemeName
from disktuner.drawing.pen import RIGHT, Pen
from disktuner.presentation.portrait import PRESENT, End, ShownPortrait, ShownReads, mean_speed
from disktuner.vocabulary.messages import language, text
from disktuner.vocabulary.units import rate, size

Curve = Sequence[tuple[float, float]]
"""Bytes written, and bytes per second, of each step."""
WIDTH, HEIGHT = 1200, 630
_MARGIN, _TEXT, _GAP, _LEFT = 48, 22, 44, 0.62
_TITLES, _SMALL, _HEADING = (2.0, 1.7, 1.4), 0.8, 1.1
_COLUMNS = 160
"""So many columns the curve has at most: what is shorter is no part of its shape."""
_ROW_GAP = 0.24
_PLATE = 0.7
"""How much of the ground is behind a speed."""
_AREA, _BAND, _TAIL = 0.55, 0.3, 0.35
"""How much of a colour is in the area below the curve, in the interval of the end, and in the slowest tenth."""


def portrait_png(portrait: ShownPortrait, theme: ThemeName) -> bytes:
    """Return the picture as PNG."""
    return paper.png(WIDTH, HEIGHT, paper.ink(theme, _TEXT), lambda pen: _draw(pen, portrait))


def portrait_svg(portrait: ShownPortrait, theme: ThemeName) -> str:
    """Return it as SVG; letters are outlines."""
    ink = paper.ink(theme, _TEXT)
    return paper.svg(WIDTH, HEIGHT, ink, lambda pen: _draw(pen, portrait), portrait.title, alone=True)


def _draw(pen: Pen, portrait: ShownPortrait) -> None:
    ink = pen.ink
    pen.fill(QRectF(0, 0, 14, HEIGHT), ink.caution if portrait.end else ink.accent)
    box = QRectF(_MARGIN, 36, WIDTH - 2 * _MARGIN, HEIGHT - 64)
    box.setBottom(_draw_foot(pen, portrait, box) - 14)
    fits = (title for title in _TITLES if ink.width(portrait.title, title, bold=True) <= box.width())
    lines = [portrait.title]
    box.setTop(pen.paragraph(box, lines, size=next(fits, _TITLES[-1]), bold=True) + 4)
    said = ink.lines(" ".join(portrait.sentences), box.width(), _HEADING, most=3)
    box.setTop(pen.paragraph(box, said, size=_HEADING) + 4)
    problems = ink.lines(" ".join(portrait.problems), box.width(), _SMALL, most=2) if portrait.problems else []
    box.setTop(pen.paragraph(box, problems, ink.caution, _SMALL) + 12)
    has_side = bool(portrait.reads or portrait.says)
    curve = QRectF(box)
    if has_side:
        curve.setWidth(box.width() * _LEFT - _GAP / 2)
        _draw_side(pen, portrait, box.adjusted(box.width() * _LEFT + _GAP / 2, 0, 0, 0))
    if portrait.curve:
        line = ink.em * _SMALL * 1.2
        pen.write(QRectF(curve.left(), curve.top(), curve.width(), line), text("portrait-curve"), ink.muted, _SMALL)
        draw_curve(pen, portrait.curve, portrait.end, curve.adjusted(0, line * 1.3, 0, 0))


def draw_curve(
    pen: Pen,
    curve: Curve,
    end: End | None,
    box: QRectF,
    *,
    small: float = _SMALL,
    room_bytes: float | None = None,
) -> None:
    """Draw speed over bytes, with the place where fast writing ends; ``small`` is the size of its letters.

    One that still grows has room for ``room_bytes``, and shows its present speed.
    """
    ink, numbers, line = pen.ink, language().numbers, pen.ink.em * small * 1.2
    columns = _columns(curve)
    most_bytes, top_rate = room_bytes or curve[-1][0], 1.08 * max(speed for _, speed in columns)
    room = box.adjusted(0, max(0.0, line - 0.07 * box.height()), 0, -line)

    def x(written: float) -> float:
        return room.left() + room.width() * min(1.0, written / most_bytes)

    def y(speed: float) -> float:
        return room.bottom() - room.height() * min(1.0, speed / top_rate)

    if end:
        band = QRectF(QPointF(x(end.low_bytes), room.top()), QPointF(x(end.high_bytes), room.bottom()))
        pen.fill(band, mix(ink.ground, ink.caution, _BAND))
    points, before = [QPointF(room.left(), room.bottom())], 0.0
    for written, speed in columns:
        points += [QPointF(x(before), y(speed)), QPointF(x(written), y(speed))]
        before = written
    points.append(QPointF(x(before), room.bottom()))
    pen.painter.setPen(Qt.PenStyle.NoPen)
    pen.painter.setBrush(mix(ink.ground, ink.accent, _AREA))
    pen.painter.drawPolygon(QPolygonF(points))
    present = curve[-PRESENT:] if room_bytes else curve
    levels = (end.fast_bytes_per_s, end.slow_bytes_per_s) if end else (mean_speed(present),)
    if end:
        pen.rule(QLineF(x(end.size_bytes), room.top(), x(end.size_bytes), room.bottom()), ink.caution, 2)
    plate = QColor(ink.ground)
    plate.setAlphaF(_PLATE)
    for speed in levels:
        shown = rate(speed, numbers)
        wide = ink.width(shown, small) + ink.em * 0.3
        place = QRectF(room.right() - wide, y(speed) - line, wide, line)
        pen.fill(place, plate)
        pen.rule(QLineF(room.left(), y(speed), room.right(), y(speed)), ink.muted, 1)
        pen.write(place, shown, ink.text, small, align=RIGHT)
    if room_bytes:
        pen.dots([QPointF(x(before), y(levels[-1]))], ink.accent, ink.em * 0.3)
    axis = QRectF(room.left(), room.bottom(), room.width(), line)
    pen.rule(QLineF(room.left(), room.bottom(), room.right(), room.bottom()), ink.muted, 1)
    first, last = size(0, numbers), size(most_bytes, numbers)
    pen.write(axis, first, ink.muted, small)
    pen.write(axis, last, ink.muted, small, align=RIGHT)
    if end:
        shown = size(end.about_bytes, numbers)
        wide, gap = ink.width(shown, small, bold=True), ink.em * 0.6
        least = room.left() + ink.width(first, small) + gap
        left = max(least, min(x(end.size_bytes) - wide / 2, room.right() - ink.width(last, small) - gap - wide))
        pen.write(QRectF(left, room.bottom(), wide + 2, line), shown, ink.caution, small, bold=True)


def _columns(curve: Curve) -> list[tuple[float, float]]:
    """Join steps so that no more columns are drawn than have room; a column's speed is its bytes by its time."""
    wide = -(-len(curve) // _COLUMNS)
    parts = [curve[first : first + wide] for first in range(0, len(curve), wide)]
    return [(part[-1][0], mean_speed(part)) for part in parts]


def _draw_side(pen: Pen, portrait: ShownPortrait, box: QRectF) -> None:
    """Draw how long small reads took, then what the disk says of itself."""
    ink, line, top = pen.ink, pen.ink.em * _SMALL * 1.15, box.top()
    if portrait.reads:
        pen.write(QRectF(box.left(), top, box.width(), line), text("portrait-reads"), ink.muted, _SMALL)
        top += line * 1.2
        draw_reads(pen, portrait.reads, box.adjusted(0, top - box.top(), 0, 0))
        top += height_of_reads(ink, len(portrait.reads))
    for sentence in portrait.says:
        lines = ink.lines(sentence, box.width(), _SMALL, most=2)
        if top + len(lines) * line > box.bottom():
            return
        top = pen.paragraph(QRectF(box.left(), top, box.width(), 0), lines, ink.muted, _SMALL)


def height_of_reads(ink: Ink, count: int, small: float = _SMALL) -> float:
    """Return how high so many rows are."""
    return count * ink.em * (2 * small * 1.15 + _ROW_GAP)


def draw_reads(pen: Pen, rows: Sequence[ShownReads], box: QRectF, small: float = _SMALL) -> None:
    """Draw a bar for each state of small reads, its slowest tenth paler behind, from the top of a box."""
    ink, line = pen.ink, pen.ink.em * small * 1.15
    longest_s = max(reads.slowest_s for reads in rows) or 1.0
    room = box.width() - ink.em / 2 - max(ink.width(reads.value, small, bold=True) for reads in rows)
    for number, reads in enumerate(rows):
        name = QRectF(box.left(), box.top() + height_of_reads(ink, number, small), box.width(), line)
        pen.write(name, reads.label, ink.caution if reads.problem else ink.text, small)
        row = name.translated(0, line)
        pen.write(row, reads.value, ink.text, small, bold=True, align=RIGHT)
        for time_s, colour in ((reads.slowest_s, mix(ink.ground, ink.accent, _TAIL)), (reads.p50_s, ink.accent)):
            wide, high = max(2.0, room * time_s / longest_s), ink.em * 0.4
            pen.fill(QRectF(box.left(), row.center().y() - high / 2, wide, high), colour)


def _draw_foot(pen: Pen, portrait: ShownPortrait, box: QRectF) -> float:
    """Draw disk and day, and the program's name; return the top of both."""
    ink, name, icon = pen.ink, text("app"), pen.ink.em * 1.4
    top = box.bottom() - icon
    wide = icon + ink.width(name, bold=True) + 12
    place = QRectF(box.left(), top, box.width(), icon)
    pen.write(place.adjusted(0, 0, -wide - 10, 0), portrait.heading, ink.muted, _SMALL)
    pen.write(place, name, bold=True, align=RIGHT)
    QSvgRenderer(str(ICONS / "org.disktuner.Disktuner.svg")).render(
        pen.painter, QRectF(box.right() - wide, top, icon, icon)
    )
    return top
