# SPDX-License-Identifier: GPL-3.0-or-later
"""The drawing below the disks if there is room: the last answer as bars, or the three steps to a first one."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QSizePolicy

from disktuner.drawing.badge import draw_badge
from disktuner.drawing.bars import draw_shares
from disktuner.drawing.pen import Pen
from disktuner.gui.plots.picture import Drawn
from disktuner.gui.style import CARD_RADIUS, look
from disktuner.standing import Memory
from disktuner.verdict.outcomes import Decision
from disktuner.vocabulary.messages import text

_LOW, _HIGH, _WIDE = 5.5, 12.0, 2.4
"""The least and the greatest height of a picture in lines of text, and its width per height."""
_WORDS = 2.6
"""The room for the text below it."""
_MOST_ABOVE = 6
"""The most room above it."""
_STEPS = ("how-choose", "how-measure", "how-keep")
_SHARES = tuple(zip(("bfq", "none", "kyber", "mq-deadline"), (0.2, 0.55, 0.75, 1.0), strict=True))
"""What an answer may look like."""


class FreeRoom(Drawn):
    """Takes what room is left, and asks for none."""

    accessible_role = QAccessible.Role.StaticText

    def __init__(self) -> None:
        super().__init__()
        self._memory: Memory | None = None
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        self.show_memory(None)

    def show_memory(self, memory: Memory | None) -> None:
        """Show the last answer, or how to get one."""
        self._memory = memory if memory and memory.bars else None
        self.setAccessibleName(self._memory.sentence if self._memory else " ".join(map(text, _STEPS)))
        self.update()

    def draw(self, pen: Pen, box: QRectF) -> None:
        em = pen.ink.em
        high = min(box.height() - em * (_WORDS + 1), em * _HIGH)
        if high >= em * _LOW:
            box.setTop(box.top() + min((box.height() - high - em * _WORDS) / 2, em * _MOST_ABOVE))
            box.setHeight(high)
            if self._memory is not None:
                self._draw_memory(pen, box, self._memory)
            else:
                self._draw_steps(pen, box)

    def _draw_memory(self, pen: Pen, box: QRectF, memory: Memory) -> None:
        em = pen.ink.em
        _frame(pen, box)
        inner = box.adjusted(em, em * 0.6, -em, -em * 0.6)
        draw_badge(
            pen, Decision(memory.decision), QRectF(inner.left(), box.center().y() - em * 1.4, em * 2.8, em * 2.8)
        )
        words = QRectF(inner.left() + em * 3.8, inner.top(), inner.width() / 2 - em * 5, inner.height())
        lines = pen.ink.lines(memory.sentence, words.width(), bold=True, most=2)
        words.setTop(box.center().y() - em * (0.55 * len(lines) + 0.55))
        words.setTop(pen.paragraph(words, lines, bold=True))
        pen.paragraph(words, pen.ink.lines(memory.disk, words.width(), most=1), pen.ink.muted)
        bars = inner.adjusted(inner.width() / 2, 0, 0, 0)
        draw_shares(pen, bars, memory.bars, memory.about, memory.baseline, named=True)

    def _draw_steps(self, pen: Pen, box: QRectF) -> None:
        em, third = pen.ink.em, box.width() / len(_STEPS)
        drawings: tuple[Callable[[Pen, QRectF], None], ...] = (_draw_choice, _draw_measuring, _draw_answer)
        for number, (step, draw) in enumerate(zip(_STEPS, drawings, strict=True)):
            wide = min(box.height() * _WIDE, third - em * 2)
            middle = box.left() + (number + 0.5) * third
            frame = QRectF(middle - wide / 2, box.top(), wide, box.height())
            _frame(pen, frame)
            draw(pen, frame.adjusted(em, em * 0.8, -em, -em * 0.8))
            for line, words in enumerate(pen.ink.lines(f"{number + 1}. {text(step)}", third - em, most=2)):
                left = middle - pen.ink.width(words) / 2
                pen.write(QRectF(left, frame.bottom() + em * (0.4 + 1.1 * line), third, em * 1.1), words)


def _frame(pen: Pen, box: QRectF) -> None:
    pen.rounded(box, look().card, CARD_RADIUS, look().border)


def _draw_choice(pen: Pen, box: QRectF) -> None:
    """Draw three rows, one of them chosen."""
    now, step = look(), box.height() / 3
    for number in range(3):
        line = QRectF(box.left(), box.top() + number * step, box.width(), step * 0.8)
        edge, ground, width = (now.accent, now.tint(now.accent, 0.1), 2) if number == 1 else (now.edge, now.card, 1)
        pen.rounded(line, ground, 4, edge, width)
        mark = QPointF(line.left() + step * 0.5, line.center().y())
        pen.dots([mark], edge, step * 0.16)
        bar = QRectF(mark.x() + step * 0.5, line.center().y() - step * 0.08, line.width() * 0.4, step * 0.16)
        pen.fill(bar, now.drawn(now.muted))


def _draw_measuring(pen: Pen, box: QRectF) -> None:
    """Draw a lane for each scheduler."""
    draw_shares(pen, box, _SHARES, "", "", named=False)


def _draw_answer(pen: Pen, box: QRectF) -> None:
    side = box.height() * 0.75
    draw_badge(pen, Decision.SWITCH, QRectF(box.left(), box.center().y() - side / 2, side, side))
    bars = (_SHARES[0], _SHARES[-1])
    draw_shares(pen, box.adjusted(side * 1.35, 0, 0, 0), bars, bars[0][0], bars[1][0], named=False)
