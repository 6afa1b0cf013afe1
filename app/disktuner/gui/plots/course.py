# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole course of a measurement: throughput and latency of all its runs, to pan and zoom.

A million points are too many to draw: each pixel's column shows the lowest and the highest of its points, so that no
peak is lost, and only what is in view is looked at.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from disktuner.gui.plots.curves import Axis, Chart, Curve, CurveChart
from disktuner.gui.plots.marks import Legend
from disktuner.gui.plots.picture import Picture
from disktuner.gui.style import SMALL, look
from disktuner.gui.widgets.layout import column, label, with_margin
from disktuner.gui.widgets.minute import round_up
from disktuner.results.model import Result, SeriesRecord
from disktuner.vocabulary import units
from disktuner.vocabulary.messages import language, text
from disktuner.vocabulary.settings import Setting

_COLUMNS = 600
_STEP = 0.25
"""How far a key moves, as a share of what is in view."""
_GAP_S = 0.2
"""Between two runs, which did not follow each other directly."""


@dataclass(frozen=True, slots=True)
class Course:
    """All live points in the order of the runs; ``who`` is each point's place in ``settings``.

    ``latency`` is that of reads, the decimal logarithm of seconds, NaN where none was completed.
    """

    times_s: NDArray[np.float64]
    bytes_per_s: NDArray[np.float32]
    latency: NDArray[np.float32]
    who: NDArray[np.int32]
    settings: tuple[Setting, ...]

    @classmethod
    def of(cls, result: Result) -> Course:
        """The live points of a result that has some."""
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
    ends = np.cumsum([0.0, *(float(each[-1]) + _GAP_S for each in times)])
    return [each.astype(np.float64) + start for each, start in zip(times, ends, strict=False)]


def _float(column: object) -> NDArray[np.float32]:
    return np.frombuffer(column, dtype=np.float32)  # type: ignore[call-overload, no-any-return]


def _columns(run: SeriesRecord, names: tuple[str, ...]) -> list[NDArray[np.float32]]:
    found = [_float(run.figures[name]) for name in names if name in run.figures]
    return found or [np.full(len(run.times_s), np.nan, dtype=np.float32)]


def _sum(run: SeriesRecord, *names: str) -> NDArray[np.float32]:
    return np.asarray(np.sum(_columns(run, names), axis=0), dtype=np.float32)


class CoursePlot(Picture):
    """Throughput above, the wait of reads below, over one time axis; drag to pan, wheel to zoom, or both by keys.

    Attributes: ``seen_s`` are the ends of what is in view.
    """

    def __init__(self, result: Result, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.course = Course.of(result)
        self.tell(text("picture-course"), "; ".join((*_typical(self.course), text("picture-course-keys"))))
        self.setToolTip(text("picture-course-keys"))
        self._end, self._held_px = float(self.course.times_s[-1]) or 1.0, 0.0
        self.seen_s = 0.0, self._end
        self._waits: NDArray[np.float32] = 10.0**self.course.latency
        shown, across = column(Legend(self.course.settings), gap=look().tight), Axis(0.0, self._end, (), False)
        self._charts: list[CurveChart] = []
        for name, up in (("throughput", _rates(self.course)), ("latency", _decades(self._waits))):
            chart = CurveChart(text(name), Chart("", (), across, up, ""))
            chart.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            chart.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
            self._charts.append(chart)
            chart.beside = self._charts
            shown.addLayout(column(label(text(name), SMALL, tone="muted"), chart, gap=0))
        self.setLayout(with_margin(shown, 2))  # the frame of the focus
        self._show(*self.seen_s)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """What the mouse does by dragging and its wheel."""
        (first, last), step = self.seen_s, _STEP * (self.seen_s[1] - self.seen_s[0])
        match event.key():
            case Qt.Key.Key_Left | Qt.Key.Key_Right:
                way = step if event.key() == Qt.Key.Key_Right else -step
                self._show(first + way, last + way)
            case Qt.Key.Key_Plus:
                self._show(first + step, last - step)
            case Qt.Key.Key_Minus:
                self._show(first - 2 * step, last + 2 * step)
            case Qt.Key.Key_Home:
                self._show(0.0, self._end)
            case _:
                super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """What is below the mouse stays there."""
        (first, last), factor = self.seen_s, 0.85 ** (event.angleDelta().y() / 120)
        at = first + event.position().x() / self.width() * (last - first)
        self._show(at - (at - first) * factor, at + (last - at) * factor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """From here it is dragged."""
        self._held_px = event.position().x()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """What was below the mouse stays there."""
        (first, last), x = self.seen_s, event.position().x()
        moved = (self._held_px - x) / self.width() * (last - first)
        self._held_px = x
        self._show(first + moved, last + moved)

    def _show(self, first: float, last: float) -> None:
        """Draw what is in view, within what was measured; the heights stay, so that stretches can be compared."""
        wide = min(max(last - first, 0.5), self._end)
        first = min(max(first, 0.0), self._end - wide)
        self.seen_s = first, first + wide
        begin, end = np.searchsorted(self.course.times_s, self.seen_s)
        edges = _edges(max(int(begin) - 1, 0), min(int(end) + 1, len(self.course.times_s)))
        who = np.repeat(self.course.who[edges[:-1]], 2)
        times = np.repeat(self.course.times_s[edges[:-1]], 2)
        step = round_up(wide / 6)
        marked = (at * step for at in range(math.ceil(first / step), int(self.seen_s[1] / step) + 1))
        ticks = tuple((value, _seconds(value, step)) for value in marked)
        columns = [self.course.bytes_per_s, self._waits]
        for chart, whole in zip(self._charts, columns, strict=True):
            curves = tuple(self._stretches(times, _extremes(whole, edges), who))
            chart.show_curves(curves, Axis(*self.seen_s, ticks, False))

    def _stretches(
        self, times: NDArray[np.float64], values: NDArray[np.float32], who: NDArray[np.int32]
    ) -> Iterator[Curve]:
        """Each leads on to the first point of the next, so that the line has no gap."""
        for place, setting in enumerate(self.course.settings):
            mine = who == place
            mine[1:] |= mine[:-1].copy()
            known = np.flatnonzero(mine & np.isfinite(values))
            for part in np.split(known, np.flatnonzero(np.diff(known) > 1) + 1):
                yield Curve(setting, tuple(zip(times[part].tolist(), values[part].tolist(), strict=True)), ())


def _seconds(value: float, step: float) -> str:
    digits, numbers = max(0, -math.floor(math.log10(step))), language().numbers
    return f"{numbers.signed(f'{value:.{digits}f}')} {units.sign('s', numbers)}"


def _rates(course: Course) -> Axis:
    most = round_up(float(np.nanmax(course.bytes_per_s, initial=1.0)))
    return Axis(0.0, most, tuple((rate, units.rate(rate, language().numbers)) for rate in (0.0, most / 2, most)), False)


def _decades(waits: NDArray[np.float32]) -> Axis:
    known = waits[np.isfinite(waits)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (1e-4, 1.0)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = tuple((10.0**power, units.time(10.0**power, language().numbers)) for power in powers)
    return Axis(ticks[0][0], max(ticks[-1][0], ticks[0][0] * 10), ticks, True)


def _typical(course: Course) -> list[str]:
    """The medians of each setting's points in words."""
    said = []
    for place, setting in enumerate(course.settings):
        rates, waits = (_known(column[course.who == place]) for column in (course.bytes_per_s, course.latency))
        if not len(rates):
            continue
        rate = float(np.median(rates))
        if len(waits):
            said.append(text("course-of", scheduler=setting.name, rate=rate, latency=float(10 ** np.median(waits))))
        else:
            said.append(text("course-of-idle", scheduler=setting.name, rate=rate))
    return said


def _known(values: NDArray[np.float32]) -> NDArray[np.float32]:
    return values[np.isfinite(values)]


def _edges(begin: int, end: int) -> NDArray[np.intp]:
    """Where each pixel's column of points begins, and the end of the last."""
    return np.unique(np.linspace(begin, end, min(end - begin, _COLUMNS) + 1).astype(np.intp))


def _extremes(values: NDArray[np.float32], edges: NDArray[np.intp]) -> NDArray[np.float32]:
    """The lowest and the highest value of each column in turn; NaN only where a column has nothing else."""
    within = values[edges[0] : edges[-1]]
    starts = edges[:-1] - edges[0]
    found = np.empty(2 * len(starts), dtype=np.float32)
    found[0::2] = np.fmin.reduceat(within, starts)
    found[1::2] = np.fmax.reduceat(within, starts)
    return found
