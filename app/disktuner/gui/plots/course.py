# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole course of a measurement: throughput and latency of all its runs, to pan and zoom.

A million points are too many to draw: each column of pixels shows its lowest and highest point, so that no peak is
lost, and only the visible part is processed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

import numpy as np
import pyqtgraph
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QGraphicsItem, QVBoxLayout, QWidget

from disktuner.gui.plots.marks import Legend, setting_colour
from disktuner.gui.plots.picture import Picture
from disktuner.gui.style import SMALL, look
from disktuner.results.model import Result, SeriesRecord
from disktuner.vocabulary import units
from disktuner.vocabulary.messages import language, text
from disktuner.vocabulary.settings import Setting

_COLUMNS = 600
_STEP = 0.25
"""How far a key moves, as a share of the visible part."""
_GAP_S = 0.2
"""The gap between two runs, which did not follow each other directly."""


@dataclass(frozen=True, slots=True)
class Course:
    """All live points in the order of the runs; ``who`` is the index of each point's setting in ``settings``.

    ``latency`` is that of reads, as the decimal logarithm of seconds, NaN if none was completed.
    """

    times_s: NDArray[np.float64]
    bytes_per_s: NDArray[np.float32]
    latency: NDArray[np.float32]
    who: NDArray[np.int32]
    settings: tuple[Setting, ...]

    @classmethod
    def of(cls, result: Result) -> Course:
        """Return the live points of a result that has some."""
        runs = [run for run in sorted(result.series, key=lambda run: run.order) if len(run.times_s)]
        settings = tuple(dict.fromkeys((*result.plan.settings, *(run.setting for run in runs))))
        places = {setting: place for place, setting in enumerate(settings)}
        lengths = [len(run.times_s) for run in runs]
        latency = np.concatenate([_sum(run, "read_latency_s") for run in runs])
        latency[latency <= 0] = np.nan
        return cls(
            times_s=np.concatenate(_in_a_row([_float(run.times_s) for run in runs])),
            bytes_per_s=np.concatenate([_sum(run, "read_bytes_per_s", "write_bytes_per_s") for run in runs]),
            latency=np.log10(latency),
            who=np.repeat([places[run.setting] for run in runs], lengths).astype(np.int32),
            settings=settings,
        )


def _in_a_row(times: list[NDArray[np.float32]]) -> list[NDArray[np.float64]]:
    ends = np.cumsum([0.0, *(float(run_times[-1]) + _GAP_S for run_times in times)])
    return [run_times.astype(np.float64) + start for run_times, start in zip(times, ends, strict=False)]


def _float(column: object) -> NDArray[np.float32]:
    return np.frombuffer(column, dtype=np.float32)  # type: ignore[call-overload, no-any-return]


def _columns(run: SeriesRecord, names: tuple[str, ...]) -> list[NDArray[np.float32]]:
    columns = [_float(run.figures[name]) for name in names if name in run.figures]
    return columns or [np.full(len(run.times_s), np.nan, dtype=np.float32)]


def _sum(run: SeriesRecord, *names: str) -> NDArray[np.float32]:
    return np.asarray(np.sum(_columns(run, names), axis=0), dtype=np.float32)


class CoursePlot(Picture):
    """Throughput above, the latency of reads below, over a common time axis; drag to pan, wheel to zoom, or by keys."""

    def __init__(self, result: Result) -> None:
        super().__init__()
        self.course = Course.of(result)
        self.tell(text("picture-course"), "; ".join((*_typical(self.course), text("picture-course-keys"))))
        legend = Legend(self.course.settings)
        numbers = language().numbers
        self.rate = _axes(text("throughput"), self, lambda value: units.rate(value, numbers))
        self.latency = _axes(text("latency"), self, lambda value: units.time(10**value, numbers))
        self.latency.setXLink(self.rate)
        self._curves = [self._make_curves(plot) for plot in (self.rate, self.latency)]
        self._limit()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2, 2, 2, 2)  # the frame of the focus
        layout.setSpacing(look().small)
        for part in (legend, self.rate, self.latency):
            layout.addWidget(part)
        self.setMinimumHeight(look().wide * 12)
        self.setToolTip(text("picture-course-keys"))
        self.rate.sigXRangeChanged.connect(self._draw)
        self._draw()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The keys do what dragging and the wheel do."""
        first, last = self.rate.getViewBox().viewRange()[0]
        match event.key():
            case Qt.Key.Key_Left | Qt.Key.Key_Right:
                step = (last - first) * (_STEP if event.key() == Qt.Key.Key_Right else -_STEP)
                end = float(self.course.times_s[-1])
                step = max(-first, min(step, end - last))
                self.rate.setXRange(first + step, last + step, padding=0)
            case Qt.Key.Key_Plus | Qt.Key.Key_Minus:
                half = (last - first) / (4 if event.key() == Qt.Key.Key_Plus else 1)
                middle = (first + last) / 2
                self.rate.setXRange(middle - half, middle + half, padding=0)
            case Qt.Key.Key_Home:
                self.rate.setXRange(0, float(self.course.times_s[-1]), padding=0)
            case _:
                super().keyPressEvent(event)

    def _make_curves(self, plot: pyqtgraph.PlotWidget) -> list[pyqtgraph.PlotCurveItem]:
        curves = []
        for setting in self.course.settings:
            curve = pyqtgraph.PlotCurveItem(pen=pyqtgraph.mkPen(setting_colour(setting), width=1), connect="finite")
            plot.addItem(curve)
            curves.append(curve)
        return curves

    def _limit(self) -> None:
        """Limit panning and zooming to the measured time; heights are fixed, so that stretches can be compared."""
        end = float(self.course.times_s[-1]) or 1.0
        highest = float(np.nanmax(self.course.bytes_per_s, initial=1.0))
        waits = self.course.latency[np.isfinite(self.course.latency)]
        low, high = (float(waits.min()), float(waits.max())) if len(waits) else (-4.0, 0.0)
        for plot in (self.rate, self.latency):
            plot.setMouseEnabled(x=True, y=False)
            plot.getViewBox().setLimits(xMin=0, xMax=end, minXRange=min(end, 0.5))
            plot.setXRange(0, end, padding=0)
        self.rate.setYRange(0, highest * 1.05, padding=0)
        self.latency.setYRange(low - 0.2, high + 0.2, padding=0)

    def _draw(self, *_: object) -> None:
        """Draw the visible part; called whenever that changes."""
        first, last = self.rate.getViewBox().viewRange()[0]
        begin, end = np.searchsorted(self.course.times_s, (first, last))
        in_view = slice(max(int(begin) - 1, 0), min(int(end) + 1, len(self.course.times_s)))
        edges = _edges(in_view.start, in_view.stop)
        who = np.repeat(self.course.who[edges[:-1]], 2)
        times = np.repeat(self.course.times_s[edges[:-1]], 2)
        for curves, column in zip(self._curves, (self.course.bytes_per_s, self.course.latency), strict=True):
            values = _extremes(column, edges)
            for place, curve in enumerate(curves):
                curve.setData(times, np.where(_with_next(who == place), values, np.nan))


def _typical(course: Course) -> list[str]:
    """Return the medians of each setting's points in words."""
    sentences = []
    for place, setting in enumerate(course.settings):
        rates, waits = (_known_values(column[course.who == place]) for column in (course.bytes_per_s, course.latency))
        if not len(rates):
            continue
        rate = float(np.median(rates))
        if len(waits):
            sentences.append(
                text("course-of", scheduler=setting.name, rate=rate, latency=float(10 ** np.median(waits)))
            )
        else:
            sentences.append(text("course-of-idle", scheduler=setting.name, rate=rate))
    return sentences


def _known_values(values: NDArray[np.float32]) -> NDArray[np.float32]:
    return values[np.isfinite(values)]


def _edges(begin: int, end: int) -> NDArray[np.intp]:
    """Return where each column's points begin, and where the last column's end."""
    return np.unique(np.linspace(begin, end, min(end - begin, _COLUMNS) + 1).astype(np.intp))


def _extremes(values: NDArray[np.float32], edges: NDArray[np.intp]) -> NDArray[np.float32]:
    """Return each column's lowest and highest value in turn; NaN only if a column has nothing else."""
    within = values[edges[0] : edges[-1]]
    starts = edges[:-1] - edges[0]
    extremes = np.empty(2 * len(starts), dtype=np.float32)
    extremes[0::2] = np.fmin.reduceat(within, starts)
    extremes[1::2] = np.fmax.reduceat(within, starts)
    return extremes


def _with_next(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Extend each stretch to the first point of the next, so that the line has no gap."""
    wider = mask.copy()
    wider[1:] |= mask[:-1]
    return wider


def _axes(name: str, parent: QWidget, formatter: Callable[[float], str]) -> pyqtgraph.PlotWidget:
    now = look()
    plot = pyqtgraph.PlotWidget(parent, background=now.card)
    font = now.ink(QApplication.font()).letters(SMALL)
    for side in ("left", "bottom"):
        axis = plot.getAxis(side)
        axis.setPen(now.border)
        axis.setTextPen(now.muted)
        axis.setTickFont(font)
        axis.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        axis.enableAutoSIPrefix(False)
    plot.getAxis("left").setWidth(now.wide * 3)
    plot.getAxis("left").tickStrings = lambda values, _scale, _step: [formatter(value) for value in values]
    plot.getAxis("bottom").tickStrings = _seconds_ticks
    plot.getAxis("bottom").setStyle(maxTextLevel=0)
    plot.setTitle(escape(name), color=now.text.name(), size=f"{font.pointSizeF():.0f}pt")
    plot.setMouseEnabled(x=False, y=False)
    plot.hideButtons()
    plot.setMenuEnabled(False)
    plot.setAccessibleName(name)
    for widget in (plot, plot.viewport()):
        widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    plot.setMinimumHeight(now.wide * 4)
    return plot


def _seconds_ticks(values: list[float], _scale: float, spacing: float) -> list[str]:
    digits, numbers = 0 if spacing >= 1 else 1 if spacing >= 0.1 else 2, language().numbers
    return [f"{numbers.signed(f'{value:.{digits}f}')} {units.sign('s', numbers)}" for value in values]
