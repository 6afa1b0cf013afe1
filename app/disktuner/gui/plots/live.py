# SPDX-License-Identifier: GPL-3.0-or-later
"""The live graphs of a measurement: throughput above, time per request below, in the scheduler's colour."""

from __future__ import annotations

from collections import deque

import numpy as np
import pyqtgraph
from PySide6.QtCore import QTimer
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QVBoxLayout, QWidget

from disktuner.experiment.events import LivePoint
from disktuner.gui.plots.axes import latency_axes, rate_axes, with_next
from disktuner.gui.plots.colours import scheduler_colour
from disktuner.gui.style import look, mix

_SPANS_S = (10.0, 20.0, 40.0, 60.0)
"""How far back the graph shows: wider in steps as it fills, because each change draws the axes anew."""
_POINTS = 1800
_MARKS = 24
_MARKS_A_TURN = 3
_DRAW_MS = 100
_NAMED_S = 7.0
"""How long a scheduler must have its turn for its name to fit beside its mark."""
_DENSE_S = 2.5
_STRONG, _FAINT = 0.4, 0.14
"""Marks fade where turns are shorter than this on average, so that the curve stays in front of them."""
_LATENCY_RANGE = (-5.0, 0.5)
"""10 µs to 3 s, as powers of ten."""


class LivePlot(QWidget):
    """The last minute. Points may come at any rate; it draws ten times a second and only when something came."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._points: deque[LivePoint] = deque(maxlen=_POINTS)
        self._curves: dict[tuple[str, str], pyqtgraph.PlotDataItem] = {}
        self._marks: list[tuple[pyqtgraph.InfiniteLine, pyqtgraph.InfiniteLine]] = []
        self._top, self._span_s = 0.0, _SPANS_S[0]
        self._rate = rate_axes(self)
        self._latency: pyqtgraph.PlotWidget | None = None
        self._rate.setXRange(-self._span_s, 0, padding=0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(look().small)
        layout.addWidget(self._rate, 1)
        QTimer.singleShot(0, self, self._add_latency)
        self._timer = QTimer(self, interval=_DRAW_MS, singleShot=True)
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
        self._points.append(point)
        if not self._timer.isActive() and self.isVisible():
            self._timer.start()

    @property
    def schedulers(self) -> tuple[str, ...]:
        """Those that have been drawn."""
        return tuple(dict.fromkeys(name for _, name in self._curves))

    def _draw(self) -> None:
        if self._latency is None:
            return
        points = list(self._points)
        times = np.array([point.time_s for point in points]) - points[-1].time_s
        rates = np.array([point.read_bytes_per_s + point.write_bytes_per_s for point in points])
        waits = np.array([_wait(point) for point in points])
        names = np.array([point.scheduler for point in points])
        for name in dict.fromkeys(names.tolist()):
            mine = with_next(names == name)
            self._curve("rate", name).setData(times, np.where(mine, rates, np.nan), connect="finite")
            self._curve("wait", name).setData(times, np.where(mine, waits, np.nan), connect="finite")
        self._fit(float(rates.max(initial=0.0)))
        self._reach_back(-float(times[0]))
        self._mark(points, times)

    def _curve(self, what: str, name: str) -> pyqtgraph.PlotDataItem:
        key = (what, name)
        if key not in self._curves:
            plot = self._rate if what == "rate" else self._latency
            assert plot is not None
            self._curves[key] = plot.plot(pen=pyqtgraph.mkPen(scheduler_colour(name), width=1))
        return self._curves[key]

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

    def _mark(self, points: list[LivePoint], times: np.ndarray) -> None:
        changes = [
            (float(times[number]), points[number].scheduler)
            for number in range(1, len(points))
            if _turn(points[number]) != _turn(points[number - 1])
        ][-_MARKS:]
        assert self._latency is not None
        for _ in range(min(len(changes) - len(self._marks), _MARKS_A_TURN)):
            self._marks.append((self._line(self._rate, named=True), self._line(self._latency, named=False)))
        changes = changes[-len(self._marks) :] if self._marks else []
        pens = _mark_pens(changes)
        for number, pair in enumerate(self._marks):
            for line in pair:
                line.setVisible(number < len(changes))
                if number < len(changes):
                    line.setPos(changes[number][0])
                    line.setPen(pens[changes[number][1]])
            if number < len(changes):
                after = changes[number + 1][0] if number + 1 < len(changes) else 0.0
                pair[0].label.setFormat(changes[number][1] if after - changes[number][0] > _NAMED_S else "")

    def _line(self, plot: pyqtgraph.PlotWidget, *, named: bool) -> pyqtgraph.InfiniteLine:
        options = {"position": 0.94, "color": look().muted, "anchors": [(0, 0.5), (0, 0.5)]} if named else None
        line = pyqtgraph.InfiniteLine(angle=90, label="" if named else None, labelOpts=options)
        plot.addItem(line, ignoreBounds=True)
        return line


def _mark_pens(changes: list[tuple[float, str]]) -> dict[str, QPen]:
    """A pen per scheduler; ``changes`` are times before now in seconds (so negative) and who had the turn then."""
    a_turn_s = -changes[0][0] / len(changes) if changes else 0.0
    strength = _FAINT + (_STRONG - _FAINT) * min(1.0, a_turn_s / _NAMED_S if a_turn_s > _DENSE_S else 0.0)
    names = {name for _, name in changes}
    return {name: pyqtgraph.mkPen(mix(look().card, scheduler_colour(name), strength), width=1) for name in names}


def _turn(point: LivePoint) -> tuple[int, str]:
    """Whose run it belongs to; before the first run it is nobody's."""
    return point.order, point.scheduler


def _wait(point: LivePoint) -> float:
    waits = [wait for wait in (point.read_latency_s, point.write_latency_s) if wait]
    return max(waits) if waits else float("nan")
