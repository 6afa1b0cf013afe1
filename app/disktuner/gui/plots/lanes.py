# SPDX-License-Identifier: GPL-3.0-or-later
"""Lanes: one per setting, with its value so far, its runs as dots, and the current run as a growing bar."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy

from disktuner.drawing.pen import RIGHT, Pen
from disktuner.gui.plots.marks import setting_colour
from disktuner.gui.plots.picture import Picture
from disktuner.gui.style import SMALL, look, wishes
from disktuner.gui.widgets.layout import plain
from disktuner.vocabulary import units
from disktuner.vocabulary.differences import value_message
from disktuner.vocabulary.messages import language, say, text
from disktuner.vocabulary.metrics import Metric
from disktuner.vocabulary.settings import Setting

if TYPE_CHECKING:  # both load what judges, which the window's start does not wait for
    from disktuner.presentation import Panel
    from disktuner.results.model import Sample

_DRAW_MS = 100
_LOW, _HIGH = 1.75, 8.0
"""The least and the greatest height of a lane, in lines of text."""
_DROP_S = 0.3
_STILL, _BELOW = 0.6, 0.25
"""The opacity of a bar, and of the part below the one that grows over it."""
_TRACK = 0.07
"""The opacity of the track ahead of a bar."""
_FAR = 1.6
"""A single run reaches at most this multiple of the longest bar."""


class Lanes(Picture):
    """Shows one metric at a time, and keeps the runs of the others. A run that does not count is a hollow dot.

    Only the lane of the current run is repainted, and not even that if motion is to be avoided. ``stacked`` lanes, for
    little width, have their names above the bars, and the baseline is what there was before. Attributes: ``turn`` is
    the setting of that run.
    """

    def __init__(self, *, stacked: bool = False) -> None:
        super().__init__()
        self._is_stacked, self._baseline_words = stacked, ""
        self.turn: Setting | None = None
        self._settings: tuple[Setting, ...] = ()
        self._baseline: Setting | None = None
        self._metric: Metric | None = None
        self._runs: defaultdict[str, defaultdict[Setting, list[Sample]]] = defaultdict(lambda: defaultdict(list))
        self._values: dict[str, Mapping[Setting, float]] = {}
        self._expected_s = 0.0
        self._clock, self._since_drop = QElapsedTimer(), QElapsedTimer()
        self._last: Sample | None = None
        self._timer = QTimer(self, interval=_DRAW_MS)
        self._timer.timeout.connect(self._move)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_settings(self, settings: Sequence[Setting], baseline: Setting | None, *, tunes: bool = False) -> None:
        """Show an empty lane for each setting; the baseline of a tuning need not be what the disk has."""
        self._baseline_words = text("is-tuned" if tunes else "was-before" if self._is_stacked else "had-before")
        self._settings, self._baseline, self._last = tuple(settings), baseline, None
        self._runs.clear()
        self._values.clear()
        self.setMinimumHeight(self._height(_LOW))
        self.setMaximumHeight(self._height(_HIGH))
        self.updateGeometry()

    def show_metric(self, metric: Metric, title: str) -> None:
        """Show this metric of the runs from now on."""
        if self._metric != metric:
            self._metric = metric
            self.setAccessibleName(title)
            self._say()
            self.update()

    def begin(self, setting: Setting | None, expected_s: float) -> None:
        """It is this setting's turn, or nobody's: its bar grows for the expected duration of its run."""
        self.turn, self._expected_s = setting, max(expected_s, 0.1)
        self._clock.start()
        if not wishes().calm:
            self._timer.start()
        self.update()

    def add(self, sample: Sample) -> None:
        """The run is over: its dot drops."""
        self._runs[sample.metric][sample.setting].append(sample)
        self._last, self.turn = sample, None
        self._since_drop.start()
        self._say()
        self.update()

    def show_values(self, panels: Sequence[Panel]) -> None:
        """Show the values of the answer so far; until there are some, the medians of the runs are shown."""
        for panel in panels:
            typical = {row.setting: row.typical for row in panel.rows if row.typical is not None}
            self._values[panel.metric.name] = {
                setting: value for setting, value in typical.items() if math.isfinite(value)
            }
        self._say()
        self.update()

    def rest(self) -> None:
        self.turn = self._last = None
        self._timer.stop()
        self.update()

    @property
    def seconds(self) -> float:
        """How long the current run has taken."""
        return self._clock.elapsed() / 1000

    def value(self, setting: Setting) -> float | None:
        """Return a setting's value so far, of the metric that is shown; None without one."""
        if self._metric is None:
            return None
        counted = [run.value for run in self._runs[self._metric.name][setting] if run.valid]
        typical = self._values.get(self._metric.name, {}).get(setting)
        return typical if typical is not None else median(counted) if counted else None

    def _height(self, lines: float) -> int:
        return math.ceil(len(self._settings) * (lines + self._is_stacked) * self.fontMetrics().height())

    def sizeHint(self) -> QSize:
        return QSize(look().wide * 14, self._height(_LOW))

    def _say(self) -> None:
        """Describe in words what is shown, and why runs do not count."""
        if self._metric is None:
            return
        runs, largest = self._runs[self._metric.name], self._longest()
        values = [(setting, value) for setting in self._settings if (value := self.value(setting)) is not None]
        sentences = [
            text("row-alone", scheduler=setting.name, value=say(value_message(value, self._metric, largest)))
            for setting, value in values
        ]
        sentences += [
            text("lane-not-counted", setting=run.setting.name, reason=run.reason)
            for setting in self._settings
            for run in runs[setting]
            if not run.valid and run.reason
        ]
        if (description := "; ".join(sentences)) != self.accessibleDescription():
            self.setAccessibleDescription(description)
            self.setToolTip(plain("\n".join(sentences)))

    def _longest(self) -> float:
        return max((value for setting in self._settings if (value := self.value(setting)) is not None), default=0.0)

    def _move(self) -> None:
        """Repaint what has changed since."""
        falls = self._last if self._last and self._since_drop.elapsed() < 2000 * _DROP_S else None
        moving = {self.turn, falls.setting if falls else None}
        for number, setting in enumerate(self._settings):
            if setting in moving:
                self.update(self._lane(number).toAlignedRect())
        if self.turn is None and falls is None:
            self._timer.stop()

    def _lane(self, number: int) -> QRectF:
        height = self.height() / max(1, len(self._settings))
        return QRectF(0, number * height, self.width(), height).adjusted(0, 1, 0, -1)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        pen = Pen(painter, look().ink(self.font()))
        longest = self._longest()
        full = max(
            (
                longest,
                *(min(run.value, _FAR * longest) for setting in self._settings for run in self._runs_of(setting)),
            )
        )
        for number, setting in enumerate(self._settings):
            if (lane := self._lane(number)).intersects(QRectF(event.rect())):
                self._draw(pen, lane, setting, longest, full)
        painter.end()

    def _widest(self, pen: Pen) -> float:
        """The width of the longest name."""
        return max(pen.ink.width(setting.words, bold=True) for setting in self._settings)

    def _runs_of(self, setting: Setting) -> list[Sample]:
        runs = self._runs[self._metric.name][setting] if self._metric else []
        return [run for run in runs if run.valid]

    def _draw(self, pen: Pen, lane: QRectF, setting: Setting, longest: float, full: float) -> None:
        """Draw name, bar and value in a line, the dots below it."""
        now, em, is_turn = look(), pen.ink.em, setting == self.turn
        above = em * 1.2 if self._is_stacked else 0.0
        high = min((lane.height() - above) * 0.5, em * 2.4)
        line = QRectF(lane.left(), lane.top() + (lane.height() + above - high - em * 0.4) / 2, lane.width(), high)
        head = QRectF(lane.left(), line.top() - above, lane.width(), above) if self._is_stacked else line
        if is_turn:
            pen.rounded(lane, now.tint(now.accent), now.tight)
        name_wide = self._draw_name(pen, head, setting)
        way = (
            line.adjusted(em * 1.3, 0, -em * 0.6, 0) if self._is_stacked else line.adjusted(name_wide, 0, -em * 4.5, 0)
        )
        _fill(pen, way, way.width(), now.tint(now.muted, _TRACK))
        bars, value = way.adjusted(0, 0, -em * 5.5, 0), self.value(setting)
        end = self._draw_bar(pen, bars, setting, (value or 0.0) / full if full else 0.0)
        self._draw_dots(pen, QRectF(bars.left(), bars.bottom(), bars.width(), em * 0.5), setting, full)
        if self._metric and value is not None:
            value_text = say(value_message(value, self._metric, longest))
            pen.write(line.adjusted(end - line.left() + em * 0.4, 0, 0, 0), value_text, bold=is_turn)
        if is_turn and self._timer.isActive():
            numbers = language().numbers
            stopwatch = f"{numbers.signed(f'{self.seconds:.1f}')} {units.sign('s', numbers)}"
            pen.write(head.adjusted(0, 0, -em * 0.6, 0), stopwatch, size=SMALL, align=RIGHT)

    def _draw_name(self, pen: Pen, line: QRectF, setting: Setting) -> float:
        """Draw the lane's setting, and whether the disk uses it now; return the left end of its track."""
        em, middle, is_turn = pen.ink.em, line.center().y(), setting == self.turn
        if is_turn:
            _draw_turn(pen.painter, QPointF(line.left() + em * 0.6, middle), em * 0.32, look().accent)
        pen.dots([QPointF(line.left() + em * 1.6, middle)], setting_colour(setting), em * 0.3)
        wide, words = min(self._widest(pen), line.width() * (0.6 if self._is_stacked else 0.3)), self._baseline_words
        name = QRectF(line.left() + em * 2.3, line.top(), wide + 1, line.height())
        pen.write(name, setting.words, bold=is_turn)
        words_box = QRectF(name.right() + em * 0.5, line.top(), pen.ink.width(words, SMALL) + 2, line.height())
        if setting == self._baseline:
            pen.write(words_box, words, look().muted, SMALL)
        return words_box.right() + em * 0.8 - line.left()

    def _draw_bar(self, pen: Pen, box: QRectF, setting: Setting, share: float) -> float:
        """Draw its value, and over it the progress of its run; return where that ends."""
        colour, length = setting_colour(setting), share * box.width()
        if setting != self.turn or not self._timer.isActive():
            _fill(pen, box, length, look().drawn(colour, _STILL))
            return box.left() + length
        _fill(pen, box, length, look().tint(colour, _BELOW))
        elapsed, usual = self.seconds / self._expected_s, length or 0.6 * box.width()
        grown = usual * elapsed if elapsed <= 1 else usual + (box.width() - usual) * (1 - 1 / elapsed)
        _fill(pen, box, grown, look().drawn(colour))
        return box.left() + max(length, grown)

    def _draw_dots(self, pen: Pen, line: QRectF, setting: Setting, full: float) -> None:
        now, radius = look(), pen.ink.em * 0.19
        runs = self._runs[self._metric.name][setting] if self._metric and full else []
        for run in runs:
            if not run.valid and run.value <= 0:
                continue
            x = line.left() + min(run.value / full, _FAR) * line.width()
            place = QPointF(min(x, line.right()), line.center().y() - self._fall(run) * line.height() * 2)
            pen.painter.setPen(QPen(now.text, 1.2))
            pen.painter.setBrush(now.text if run.valid else Qt.BrushStyle.NoBrush)
            pen.painter.drawEllipse(place, radius, radius)

    def _fall(self, run: Sample) -> float:
        """How far above its place the last dot is, from 1 to 0."""
        if run is not self._last or wishes().calm:
            return 0.0
        return max(0.0, 1 - self._since_drop.elapsed() / 1000 / _DROP_S)


def _fill(pen: Pen, box: QRectF, length: float, colour: QColor) -> None:
    if length > 0:
        pen.rounded(QRectF(box.left(), box.top(), max(length, 2.0), box.height()), colour, 3)


def _draw_turn(painter: QPainter, centre: QPointF, radius: float, colour: QColor) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    corners = ((-0.7, -1.0), (1.0, 0.0), (-0.7, 1.0))
    painter.drawPolygon(QPolygonF([centre + QPointF(x, y) * radius for x, y in corners]))
