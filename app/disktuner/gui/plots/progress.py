# SPDX-License-Identifier: GPL-3.0-or-later
"""The progress of a measurement: a ring with the time left, and the steps of its plan."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QElapsedTimer, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QProgressBar, QSizePolicy

from disktuner.drawing.pen import Pen
from disktuner.experiment.progress import Advance
from disktuner.gui.plots.picture import Drawn
from disktuner.gui.style import SMALL, look, wishes
from disktuner.vocabulary import units
from disktuner.vocabulary.messages import text

_TICK_MS = 250


class Ring(QProgressBar):
    """Advances by itself for the expected duration of a run, unless motion is to be avoided.

    Its value is in percent.

    Signals: ``moved`` carries how much is done, and of how much.
    """

    moved = Signal(int, int)

    def __init__(self) -> None:
        super().__init__()
        self._advance: Advance | None = None
        self._clock, self._shown_s = QElapsedTimer(), -1
        self._timer = QTimer(self, interval=_TICK_MS)
        self._timer.timeout.connect(self._tick)
        self.setRange(0, 100)
        self.setTextVisible(False)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        side = round(self.fontMetrics().height() * 5.2)
        return QSize(side, side)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def begin(self, advance: Advance) -> None:
        self._advance = advance
        self._clock.start()
        if not wishes().calm:
            self._timer.start()
        self._tick()

    def rest(self) -> None:
        self._timer.stop()
        self._advance = None
        self.update()

    def _now(self) -> Advance | None:
        seconds = self._clock.elapsed() / 1000 if self._timer.isActive() else 0.0
        return self._advance.after(seconds) if self._advance else None

    def _tick(self) -> None:
        """Repaint if that is visible: the time left is shown in seconds."""
        if (now := self._now()) is None:
            return
        if (percent := int(100 * now.share)) != self.value():
            self.setValue(percent)
            self.moved.emit(self.value(), self.maximum())
        if self._shown_s != int(now.at_most_s):
            self._shown_s = int(now.at_most_s)
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        now, painter = look(), QPainter(self)
        pen = Pen(painter, now.ink(self.font()))
        em, box = pen.ink.em, QRectF(self.rect())
        ring = box.adjusted(em * 0.35, em * 0.35, -em * 0.35, -em * 0.35)
        advance = self._now()
        progress = advance.share if advance else self.value() / 100
        for colour, share in ((now.border, 1.0), (now.accent, progress)):
            painter.setPen(QPen(colour, em * 0.4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
            painter.drawArc(ring, 90 * 16, round(-share * 360 * 16))
        if advance is not None:
            _write_middle(pen, box.translated(0, -em * 0.35), units.clock(advance.at_most_s), 1.25, bold=True)
            _write_middle(pen, box.translated(0, em * 0.75), text("at-most"), 0.8)
        painter.end()


def _write_middle(pen: Pen, box: QRectF, words: str, size: float, *, bold: bool = False) -> None:
    wide = min(pen.ink.width(words, size, bold=bold) + 1, box.width() - pen.ink.em * 1.4)
    line = QRectF(box.center().x() - wide / 2, box.top(), wide, box.height())
    pen.write(line, words, None if bold else look().muted, size, bold=bold)


class Steps(Drawn):
    """The steps of a plan in a line: done ones have a tick, the current one is filled, those begun have a dot.

    Without room for all names, only the current step is shown, whose index is ``at``.
    """

    accessible_role = QAccessible.Role.StaticText

    def __init__(self) -> None:
        super().__init__()
        self._names: tuple[str, ...] = ()
        self._in_turns = True
        self.at, self._begun_numbers = 0, set[int]()
        self.setFixedHeight(round(self.fontMetrics().height() * 1.5))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_steps(self, names: Sequence[str], *, in_turns: bool = True) -> None:
        """Show these steps; the first prepares the others, which follow one after the other or in turns."""
        self._names, self._in_turns = tuple(names), in_turns
        self.go_to(0)

    def go_to(self, number: int) -> None:
        self.at = number
        self._begun_numbers.add(number)
        if self._names:
            sentence = text("step-of", number=number + 1, count=len(self._names), step=self._names[number])
            self.setAccessibleName(sentence)
            self.setToolTip(" ━ ".join(self._names))
        self.update()

    def draw(self, pen: Pen, box: QRectF) -> None:
        now, em, x, middle = look(), pen.ink.em, 0.0, box.center().y()
        needed = sum(pen.ink.width(name, SMALL, bold=True) + em * 2.6 for name in self._names)
        for number, name in enumerate(self._names):
            if number:
                pen.painter.setPen(QPen(now.edge, 1.5))
                pen.painter.drawLine(QPointF(x, middle), QPointF(x + em * 0.9, middle))
                x += em * 1.3
            is_now = number == self.at
            self._mark(pen, QPointF(x + em * 0.35, middle), number)
            x += em * 0.95
            if is_now or needed <= self.width():
                wide = pen.ink.width(name, SMALL, bold=is_now) + 1
                place = QRectF(x, 0, min(wide, self.width() - x), self.height())
                pen.write(place, name, now.text if is_now else now.muted, SMALL, bold=is_now)
                x += wide + em * 0.3

    def _mark(self, pen: Pen, centre: QPointF, number: int) -> None:
        now, radius, painter = look(), pen.ink.em * 0.3, pen.painter
        if number < self.at and not (number and self._in_turns):
            painter.setPen(QPen(now.good, pen.ink.em * 0.14))
            corners = [centre + QPointF(x, y) * radius for x, y in ((-1, 0.1), (-0.3, 0.8), (1, -0.8))]
            painter.drawPolyline(corners)
            return
        is_now = number == self.at
        painter.setPen(QPen(now.accent if is_now else now.edge, 1.5))
        painter.setBrush(now.accent if is_now else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(centre, radius, radius)
        if number in self._begun_numbers and not is_now:
            painter.setBrush(now.edge)
            painter.drawEllipse(centre, radius * 0.4, radius * 0.4)
