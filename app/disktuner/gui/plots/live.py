# SPDX-License-Identifier: GPL-3.0-or-later
"""The disk's activity during a measurement: the last minute, under a band of whose turn it was."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from itertools import groupby

from PySide6.QtCore import QRectF, QTimer
from PySide6.QtGui import QFocusEvent

from disktuner.drawing.colours import text_on
from disktuner.drawing.pen import RIGHT, Pen
from disktuner.experiment.events import LivePoint
from disktuner.gui.plots.marks import setting_colour
from disktuner.gui.plots.picture import Picture
from disktuner.gui.style import SMALL, look, wishes
from disktuner.gui.widgets.minute import Rates, draw_minute, in_words
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting

_SLOT_S = 0.5
_SLOTS = round(60 / _SLOT_S)
_DRAW_MS = 500
_CALM_MS = 5000
"""The interval of repainting if motion is to be avoided."""
_LOW, _HIGH = 1.6, 6.5
"""Heights in lines of text: of the band alone, beside the figures, and with the curves."""


@dataclass(slots=True)
class _Slot:
    """The points of half a second; ``wait_s`` is that of the last reads, None without reads."""

    number: int
    setting: Setting | None
    elapsed_s: float = 0.0
    read_bytes: float = 0.0
    written_bytes: float = 0.0
    wait_s: float | None = None

    @property
    def rates(self) -> Rates:
        elapsed_s = self.elapsed_s or 1.0
        return self.read_bytes / elapsed_s, self.written_bytes / elapsed_s


class LiveStrip(Picture):
    """Reads go up and writes down. Points may come at any rate: it repaints at most twice a second.

    Its description is of the moment when it got the focus: figures that change all the time cannot be listened to.
    Without the settings' ``turns`` there is no band.
    """

    def __init__(self, *, turns: bool = True) -> None:
        super().__init__()
        self._turns = turns
        self._slots: deque[_Slot] = deque(maxlen=_SLOTS)
        self.tell(text("picture-live"), text("live-nothing"))
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.update)
        self.fit(True)

    def fit(self, is_low: bool) -> None:
        """Shrink to one line of text, or show curves."""
        self._is_low = is_low
        self.setFixedHeight(round((_LOW if is_low else _HIGH) * self.fontMetrics().height()))

    def add(self, point: LivePoint) -> None:
        """Take in a point; it is drawn within half a second, or five where motion is to be avoided."""
        number = int(point.time_s / _SLOT_S)
        if not self._slots or self._slots[-1].number != number or self._slots[-1].setting != point.setting:
            self._slots.append(_Slot(number, point.setting))
        slot, figures = self._slots[-1], point.figures
        slot.elapsed_s += figures.elapsed_s
        slot.read_bytes += figures.read_bytes_per_s * figures.elapsed_s
        slot.written_bytes += figures.write_bytes_per_s * figures.elapsed_s
        slot.wait_s = figures.read_latency_s or slot.wait_s
        if not self._timer.isActive() and self.isVisible():
            self._timer.start(_CALM_MS if wishes().calm else _DRAW_MS)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Describe what it shows now."""
        if self._slots:
            setting = self._slots[-1].setting
            self.setAccessibleDescription("; ".join(filter(None, (setting.name if setting else "", *self._now()))))
        super().focusInEvent(event)

    def _now(self) -> tuple[str, ...]:
        return in_words(self._slots[-1].rates, self._slots[-1].wait_s)

    def draw(self, pen: Pen, box: QRectF) -> None:
        """Draw the band, the curves below it, and the present figures at the right edge."""
        em, box = pen.ink.em, box.adjusted(2, 2, -2, -2)  # the frame of the focus
        figures = self._now() if self._slots else ()
        if self._is_low:
            summary = " · ".join(figures)
            wide = em * math.ceil(pen.ink.width(summary, SMALL) / em + 1)  # so that it does not change all the time
            pen.write(box, summary, look().muted, SMALL, align=RIGHT)
        else:
            wide = em * 9
            head = QRectF(box.right() - wide, box.top(), wide, em * 1.2)
            pen.write(head, text("duration", time=60.0), look().muted, SMALL, align=RIGHT)
            for number, figure in enumerate(figures):
                line = QRectF(box.right() - wide, box.top() + em * (1.6 + 1.4 * number), wide, em * 1.4)
                pen.write(line, figure, size=SMALL, align=RIGHT)
        box.setRight(box.right() - wide - em)
        if self._turns:
            above = (box.height() - em * 1.2) / 2 if self._is_low else 0
            self._draw_band(pen, QRectF(box.left(), box.top() + above, box.width(), em * 1.2))
            box.setTop(box.top() + em * 1.5)
        if not (self._is_low and self._turns):
            draw_minute(pen.painter, box, [slot.rates for slot in self._slots], _SLOTS)

    def _draw_band(self, pen: Pen, band: QRectF) -> None:
        """Draw a stretch for each turn in its setting's colour, with its name if that fits."""
        step, at = band.width() / _SLOTS, _SLOTS - len(self._slots)
        pen.fill(band, look().raised)
        for setting, slots in groupby(self._slots, lambda slot: slot.setting):
            count = len(list(slots))
            part = QRectF(band.left() + at * step, band.top(), count * step, band.height())
            at += count
            if setting is None:
                continue
            colour = look().tint(setting_colour(setting), 0.45)
            pen.fill(part.adjusted(0, 0, -1, 0), colour)
            if pen.ink.width(setting.words, SMALL) + pen.ink.em * 0.6 < part.width():
                inner = part.adjusted(pen.ink.em * 0.3, 0, 0, 0)
                pen.write(inner, setting.words, text_on(colour), SMALL)
