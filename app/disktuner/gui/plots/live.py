# SPDX-License-Identifier: GPL-3.0-or-later
"""The live graphs of a measurement: throughput above, the wait of reads below, in the scheduler's colour.

The last figures are kept in columns, so that they are drawn without a loop over them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pyqtgraph
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QTimer
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from disktuner.drawing.colours import mix
from disktuner.experiment.events import LivePoint
from disktuner.gui.plots.axes import Floats, latency_axes, rate_axes, retitle, stretches, with_next
from disktuner.gui.plots.marks import setting_colour
from disktuner.gui.plots.picture import Picture
from disktuner.gui.style import look, wishes
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting

_SPANS_S = (10.0, 20.0, 40.0, 60.0)
"""How far back the graph shows: wider in steps as it fills, because each change draws the axes anew."""
_POINTS = 1800
_DRAW_MS = 100
_CALM_MS = 2000
"""Where nothing may move that need not."""
_NAMED_S = 7.0
"""How long a scheduler must have its turn for its name to fit."""
_WRITTEN = 0.5
"""How strong the curves of what is written are beside those of what is read."""
_LATENCY_RANGE = (-5.0, 0.5)
"""10 µs to 3 s, as powers of ten."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The points of the moment: seconds before the last one (so negative), and what they say.

    ``latency`` is a power of ten of seconds, NaN where nothing was waited for; ``setting`` the number of one,
    ``turn`` grows by one with each run.
    """

    age_s: NDArray[np.float64]
    read_per_s: NDArray[np.float64]
    written_per_s: NDArray[np.float64]
    latency: NDArray[np.float64]
    setting: NDArray[np.float64]
    turn: NDArray[np.float64]


class Points:
    """Keeps the last ``most`` points. ``settings`` are those that came, in that order."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept = np.empty((6, 2 * most))
        self._end = 0
        self._turns = 0
        self._last: tuple[int, Setting | None] | None = None
        self.settings: list[Setting | None] = []

    def add(self, point: LivePoint) -> None:
        """Take one in."""
        if self._end == self._kept.shape[1]:
            self._kept[:, : self._most] = self._kept[:, -self._most :]
            self._end = self._most
        if point.setting not in self.settings:
            self.settings.append(point.setting)
        turn = (point.order, point.setting)
        self._turns += self._last not in (None, turn)
        self._last = turn
        number = self.settings.index(point.setting)
        read, written = point.figures.read_bytes_per_s, point.figures.write_bytes_per_s
        self._kept[:, self._end] = (point.time_s, read, written, _latency(point), number, self._turns)
        self._end += 1

    def seen(self) -> Seen:
        """What is kept; nothing may come meanwhile."""
        kept = self._kept[:, max(0, self._end - self._most) : self._end]
        return Seen(kept[0] - kept[0, -1:], *kept[1:])


def _latency(point: LivePoint) -> float:
    """Of reads alone: nobody waits for a write that is cached, and those of one scheduler queue longer on purpose."""
    wait = point.figures.read_latency_s or 0.0
    return math.log10(wait) if wait > 0 else math.nan


class _Curve(pyqtgraph.PlotCurveItem):  # type: ignore[misc]  # pyqtgraph has no types
    """A curve that takes all of its axes: to work out its own size, four times a drawing, takes a fifth of the page."""

    def boundingRect(self) -> QRectF:
        """What the axes show; they clip what lies outside."""
        rect: QRectF = self.getViewBox().viewRect()
        return rect


class LivePlot(Picture):
    """The last minute. Points may come at any rate; it draws ten times a second and only when something came.

    In words it is what was last when the focus came: figures that change all the time cannot be listened to.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._points = Points(_POINTS)
        self._last: LivePoint | None = None
        self.tell(text("picture-live"), text("live-nothing"))
        self._curves: dict[tuple[str, Setting | None], _Curve] = {}
        self._names: list[pyqtgraph.TextItem] = []
        self._top, self._span_s = 0.0, _SPANS_S[0]
        self._rate = rate_axes(self)
        self._latency: pyqtgraph.PlotWidget | None = None
        self._fit(0.0)
        self._rate.setXRange(-self._span_s, 0, padding=0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2, 2, 2, 2)  # the frame of the focus
        layout.setSpacing(look().small)
        layout.addWidget(self._rate, 1)
        QTimer.singleShot(0, self, self._add_latency)
        self._timer = QTimer(self, interval=_CALM_MS if wishes().calm else _DRAW_MS, singleShot=True)
        self._timer.timeout.connect(self._draw)

    def _add_latency(self) -> None:
        """In a turn of its own: a plot takes 30 ms to make."""
        plot = self._latency = latency_axes(self)
        plot.setLogMode(x=False, y=True)
        plot.setYRange(*_LATENCY_RANGE, padding=0)
        plot.setXLink(self._rate)
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.addWidget(plot, 1)

    def add(self, point: LivePoint) -> None:
        """Take in a point; it is drawn within a tenth of a second."""
        self._points.add(point)
        self._last = point
        if not self._timer.isActive() and self.isVisible():
            self._timer.start()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Say what it shows now."""
        if self._last is not None:
            name = self._last.setting.name if self._last.setting else ""
            self.setAccessibleDescription("; ".join(filter(None, (name, *_now(self._last)))))
        super().focusInEvent(event)

    def _draw(self) -> None:
        if self._latency is None:
            return
        seen = self._points.seen()
        for number, setting in enumerate(self._points.settings):
            mine = with_next(seen.setting == number)
            age_s, read, written, waits = stretches(mine, seen.age_s, seen.read_per_s, seen.written_per_s, seen.latency)
            self._set("written", setting, age_s, written)
            self._set("read", setting, age_s, read)
            self._set("wait", setting, age_s, waits)
        self._fit(float(max(seen.read_per_s.max(initial=0.0), seen.written_per_s.max(initial=0.0))))
        self._reach_back(-float(seen.age_s[0]))
        self._name_turns(seen)
        self._say_now()

    def _say_now(self) -> None:
        """The present figures, in words above each axis."""
        if self._last is None or self._latency is None:
            return
        rates, wait = _now(self._last)
        retitle(self._rate, rates)
        retitle(self._latency, wait)

    def _set(self, what: str, setting: Setting | None, across: Floats, up: Floats) -> None:
        key = (what, setting)
        if key not in self._curves:
            plot = self._latency if what == "wait" else self._rate
            assert plot is not None
            colour = setting_colour(setting)
            faded = mix(look().card, colour, _WRITTEN) if what == "written" else colour
            self._curves[key] = curve = _Curve(pen=pyqtgraph.mkPen(faded, width=1))
            plot.addItem(curve, ignoreBounds=True)
        self._curves[key].setData(across, up, connect="finite")

    def _fit(self, highest: float) -> None:
        """Move the upper end rarely: each change draws the axis anew."""
        if not self._top * 0.35 < highest < self._top:
            self._top = max(highest * 1.3, 1e6)
            self._rate.setYRange(0, self._top, padding=0)

    def _reach_back(self, age_s: float) -> None:
        span = next((span for span in _SPANS_S if age_s <= span), _SPANS_S[-1])
        if span != self._span_s:
            self._span_s = span
            self._rate.setXRange(-span, 0, padding=0)

    def _name_turns(self, seen: Seen) -> None:
        """The name of a setting where its turn began, if there is room for it."""
        began = np.flatnonzero(np.diff(seen.turn)) + 1
        at, whose = seen.age_s[began], seen.setting[began].astype(int)
        long = np.diff(at, append=0.0) > _NAMED_S
        self._name([(float(age_s), self._points.settings[n]) for age_s, n in zip(at[long], whose[long], strict=True)])

    def _name(self, turns: list[tuple[float, Setting | None]]) -> None:
        while len(self._names) < len(turns):
            self._names.append(pyqtgraph.TextItem(color=look().muted, anchor=(0, 0)))
            self._rate.addItem(self._names[-1], ignoreBounds=True)
        for number, item in enumerate(self._names):
            item.setVisible(number < len(turns))
            if number < len(turns):
                age_s, setting = turns[number]
                words = setting.words if setting else ""
                if item.toPlainText() != words:
                    item.setText(words)
                item.setPos(age_s, self._top)


def _now(point: LivePoint) -> tuple[str, str]:
    """The present figures, in words: what is moved, and how long reads wait."""
    figures = point.figures
    rates = text("live-rates", read=figures.read_bytes_per_s, written=figures.write_bytes_per_s)
    return rates, text("live-wait", wait=figures.read_latency_s)
