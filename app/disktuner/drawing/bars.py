# SPDX-License-Identifier: GPL-3.0-or-later
"""A figure as bars: full colour for the setting that the answer is about, hatching for what is uncertain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor

from disktuner.drawing.colours import mix
from disktuner.drawing.ink import Ink
from disktuner.drawing.pen import LEFT, RIGHT, Pen
from disktuner.verdict.outcomes import Outcome
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting

if TYPE_CHECKING:  # brings what judges, which the window's start does not wait for
    from disktuner.presentation import Bar, Bars

_SMALL = 0.92
_NOW, _OTHER = 0.55, 0.35
"""The share of the text's colour in the present setting's bar, and of its own colour in other settings' bars."""
_MARK = 1.0
"""The width of a setting's dot, in heights of a line of text."""
_HIGHEST = 4.5
"""The largest height of a row, in lines of text."""
_WIDE, _NARROW = 1.65, 2.7
"""The height of a row in lines of text: all in one line, or with a separate line for the bar."""
_LINE = 1.05
"""The height of each line of a name."""
_LONGEST_NAME, _ROOM = 14.0, 8.0
"""The width for names, and the least width for bars, if side by side, in heights of a line of text; names take up to
half of any further width. Longer names have several lines."""


class BarDrawing:
    """Bars in an ink; ``plain`` ones have no intervals and rounds. If narrow, each bar is below its name."""

    def __init__(self, shown: Bars, ink: Ink, *, plain: bool = False) -> None:
        self._shown, self._ink, self._plain = shown, ink, plain
        self._longest = max((bar.share for bar in shown.bars), default=1.0) or 1.0 if plain else 1.0
        self._is_about = any(bar.stands_out for bar in shown.bars)
        self._mark = ink.em * _MARK
        self._names = max((ink.width(bar.name, bold=True) for bar in shown.bars), default=0.0) + self._mark
        self._name = min(self._names, ink.em * _LONGEST_NAME)
        self._value = max((ink.width(bar.value) for bar in shown.bars), default=0.0)
        self._words = max((ink.width(bar.words, _SMALL) for bar in shown.bars), default=0.0)

    @property
    def least_width(self) -> float:
        """The least width."""
        return self._value + self._ink.em * 6

    @property
    def full_width(self) -> float:
        """The least width at which a row fits on one line."""
        return self._name + self._value + self._words + self._ink.em * (_ROOM + 2)

    @property
    def highest(self) -> float:
        """The largest height, given enough room."""
        return self._ink.em * (_HIGHEST * len(self._shown.bars) + (1.4 if self._shown.hidden else 0.0))

    def height(self, width: float) -> float:
        """Return the least height at a width."""
        rows = sum(self._row(bar, width) for bar in self._shown.bars)
        return rows + self._ink.em * (1.4 if self._shown.hidden else 0.0)

    def _row(self, bar: Bar, width: float) -> float:
        least = _WIDE if width >= self.full_width else _NARROW
        return self._ink.em * (least + _LINE * (len(self._name_lines(bar, width)) - 1))

    def _name_lines(self, bar: Bar, width: float) -> list[str]:
        room = self._name_width(bar, width) - self._mark
        return self._ink.lines(bar.name, room, bold=bar.stands_out, most=4)

    def _name_width(self, bar: Bar, width: float) -> float:
        if width >= self.full_width:
            return min(self._names, self._name + (width - self.full_width) / 2)
        return width - self._words_width(bar, width) - self._ink.em * 0.5

    def _words_width(self, bar: Bar, width: float) -> float:
        return min(self._ink.width(bar.words, _SMALL) + 1, width * 0.6)

    def draw(self, pen: Pen, box: QRectF, *, moved: float = 1.0) -> None:
        """Draw from the top of a box, with the rows spread over its height.

        ``moved``: how far the answer's bar has come from the present setting's length to its own, from 0 to 1.
        """
        draw = self._draw_wide if box.width() >= self.full_width else self._draw_narrow
        room = min(box.height(), self.highest) - self.height(box.width())
        spare, top = max(0.0, room) / max(1, len(self._shown.bars)), box.top()
        for bar in self._shown.bars:
            line = QRectF(box.left(), top, box.width(), self._row(bar, box.width()) + spare)
            draw(pen, self._on_its_way(bar, moved), line)
            top = line.bottom()
        if self._shown.hidden:
            line = QRectF(box.left(), top, box.width(), self._ink.em * 1.4)
            pen.write(line, text("rows-more", count=self._shown.hidden), self._ink.muted, _SMALL)

    def _on_its_way(self, bar: Bar, moved: float) -> Bar:
        now = next((bar for bar in self._shown.bars if bar.outcome is None), None)
        if now is None or bar is now or moved >= 1 or not bar.stands_out:
            return bar
        ahead = (now.share - bar.share) * (1 - moved)
        return replace(bar, share=bar.share + ahead, doubtful=max(0.0, bar.doubtful + ahead), is_cut=False)

    def _draw_wide(self, pen: Pen, bar: Bar, line: QRectF) -> None:
        em, name = self._ink.em, self._name_width(bar, line.width())
        left, right = line.left() + name + em * 0.8, line.right() - self._words - em
        self._write_name(pen, bar, line, line.height())
        high = min(line.height() * 0.66, em * 1.8)
        self._draw_bar(pen, bar, QRectF(left, line.center().y() - high / 2, right - left, high))
        self._write_words(pen, bar, QRectF(right + em, line.top(), self._words, line.height()), LEFT)

    def _draw_narrow(self, pen: Pen, bar: Bar, line: QRectF) -> None:
        em = self._ink.em
        head = QRectF(line.left(), line.top(), line.width(), self._row(bar, line.width()) - em * (_NARROW - 1.3))
        words = self._words_width(bar, line.width())
        self._write_name(pen, bar, line, head.height())
        self._write_words(pen, bar, head.adjusted(head.width() - words, 0, 0, 0), RIGHT)
        self._draw_bar(pen, bar, QRectF(line.left(), head.bottom(), line.width(), em * 0.9))

    def _write_name(self, pen: Pen, bar: Bar, line: QRectF, height: float) -> None:
        """Write a name, vertically centred, in as many lines as needed."""
        lines, width = self._name_lines(bar, line.width()), self._name_width(bar, line.width()) - self._mark
        step, left = self._ink.em * _LINE, line.left() + self._mark
        top = line.top() + (height - step * len(lines)) / 2
        place = QPointF(line.left() + self._mark * 0.4, top + step / 2)
        pen.dots([place], self._ink.of(bar.setting), self._ink.em * 0.27)
        for number, name_line in enumerate(lines):
            pen.write(QRectF(left, top + number * step, width, step), name_line, bold=bar.stands_out)

    def _write_words(self, pen: Pen, bar: Bar, box: QRectF, align: Qt.AlignmentFlag) -> None:
        ink = self._ink
        tones = {Outcome.BETTER: ink.good, Outcome.WORSE: ink.text}
        pen.write(box, bar.words, tones.get(bar.outcome or Outcome.SAME, ink.muted), _SMALL, align=align)

    def _draw_bar(self, pen: Pen, bar: Bar, box: QRectF) -> None:
        """Draw the bar with its rounds, and the value after it."""
        em = self._ink.em
        room = (box.width() - self._value - em * 0.7) / self._longest
        filled = QRectF(box.left(), box.top(), max(bar.share * room, 1.5 if bar.share else 0.0), box.height())
        self._fill(pen, bar, filled)
        if bar.is_cut:
            self._cut(pen, filled)
        if self._plain:
            pen.write(box.adjusted(filled.width() + em * 0.5, 0, 0, 0), bar.value)
        else:
            self._draw_ends(pen, [box.left() + end * room for end in bar.ends or ()], box)
            low = box.bottom() - box.height() * 0.2
            pen.dots([QPointF(box.left() + dot * room, low) for dot in bar.dots], self._ink.text, em * 0.09)
            pen.write(box, bar.value, align=RIGHT)

    def _fill(self, pen: Pen, bar: Bar, box: QRectF) -> None:
        ink, colour = self._ink, self._colour(bar)
        pen.fill(box, colour)
        if bar.doubtful < bar.share:
            doubtful = box.adjusted(box.width() * bar.doubtful / bar.share, 0, 0, 0)
            pen.fill(doubtful, mix(ink.ground, colour, 0.4))
            for line in _hatching(doubtful, box.height() * 0.4):
                pen.rule(line, colour, max(1.0, box.height() * 0.07))
        end = QRectF(box.right() - ink.em * 0.15, box.top(), ink.em * 0.15, box.height())
        pen.fill(end.intersected(box), ink.of(bar.setting) if bar.outcome or bar.stands_out else ink.muted)

    def _colour(self, bar: Bar) -> QColor:
        """Return the colour of a bar, except for its end, which is in full colour to be read off."""
        stands_out = bar.stands_out or not (self._is_about or bar.outcome is None)
        return bar_colour(self._ink, bar.setting, stands_out=stands_out, is_now=bar.outcome is None)

    def _draw_ends(self, pen: Pen, ends: list[float], box: QRectF) -> None:
        """Draw the interval as a whisker over the end of the bar."""
        y, half, width = box.center().y(), box.height() * 0.18, max(1.0, self._ink.em * 0.06)
        if ends:
            pen.rule(QLineF(ends[0], y, ends[1], y), self._ink.text, width)
        for x in ends:
            pen.rule(QLineF(x, y - half, x, y + half), self._ink.text, width)

    def _cut(self, pen: Pen, box: QRectF) -> None:
        """Draw two slanted gaps near the end of a bar."""
        high = box.height()
        for back in (1.2, 1.7):
            x = box.right() - back * high
            pen.rule(QLineF(x, box.bottom() + 1, x + high * 0.4, box.top() - 1), self._ink.ground, high * 0.16)


def draw_shares(
    pen: Pen, box: QRectF, shares: Sequence[tuple[str, float]], about: str, baseline: str, *, named: bool = False
) -> None:
    """Draw small bars of settings, by their names; each in full colour where it is ``about`` none of them."""
    step, em = box.height() / len(shares), pen.ink.em
    room = max(pen.ink.width(name, _SMALL) for name, _ in shares) + em if named else 0.0
    for number, (name, share) in enumerate(shares):
        line = QRectF(box.left(), box.top() + number * step, box.width(), step)
        setting = Setting(name.partition(":")[0])
        colour = bar_colour(pen.ink, setting, stands_out=about in {"", name}, is_now=name == baseline)
        pen.fill(line.adjusted(room, step * 0.15, (share - 1) * (box.width() - room), -step * 0.15), colour)
        if named:
            pen.write(QRectF(box.left(), line.top(), room, step), name, size=_SMALL, bold=name == about)


def bar_colour(ink: Ink, setting: Setting, *, stands_out: bool, is_now: bool) -> QColor:
    """Return the colour of a setting's bar: full if it ``stands_out``, else grey for the present setting, or pale."""
    if stands_out:
        return ink.of(setting)
    return mix(ink.ground, ink.text, _NOW) if is_now else mix(ink.ground, ink.of(setting), _OTHER)


def _hatching(box: QRectF, apart: float) -> Iterator[QLineF]:
    """Yield slanted lines that fill a box."""
    high, start = box.height(), -box.height()
    while start < box.width():
        low, top = max(0.0, start), min(box.width(), start + high)
        yield QLineF(box.left() + low, box.bottom() - (low - start), box.left() + top, box.bottom() - (top - start))
        start += apart
