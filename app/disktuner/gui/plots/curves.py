# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves of several schedulers: the distribution of latency, and throughput by the number of threads."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy

from disktuner.drawing.pen import Pen
from disktuner.gui.plots.marks import draw_marker, setting_colour
from disktuner.gui.plots.picture import Picture
from disktuner.gui.style import SMALL, look
from disktuner.presentation import Presented
from disktuner.results.definition import Definition
from disktuner.results.model import Result
from disktuner.vocabulary import units
from disktuner.vocabulary.messages import language, named, say, text
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.workloads import every_workload

SHARES = (0.5, 0.1, 0.01, 0.001, 0.0001)
"""Where a distribution is read off: half of the requests, one in ten, and so on."""
LEAST_PER_S = 1e-6
"""Fewer requests a second (one in eleven days) count as not measured."""

_THREADS = re.compile(r"t([1-9]\d{0,4})_(ios_per_s|bytes_per_s)")
_DECADES_S = tuple(10.0**power for power in range(-6, 4))


@dataclass(frozen=True, slots=True)
class Curve:
    """A setting's line, and those of its points that bear its mark."""

    setting: Setting
    points: tuple[tuple[float, float], ...]
    marks: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Axis:
    """From ``low`` to ``high``, with texts at some values."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    logarithmic: bool

    def place(self, value: float) -> float:
        """Return 0 at the lower end, 1 at the upper one; values beyond are clamped."""
        value = min(max(value, self.low), self.high)
        if self.high <= self.low:
            return 0.5
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True, slots=True)
class Chart:
    """What a ``CurveChart`` shows, and its heading."""

    name: str
    curves: tuple[Curve, ...]
    across: Axis
    up: Axis
    speech: str


class CurveChart(Picture):
    """A frame with tick texts, without those that would touch each other. ``what`` names the quantity of all curves."""

    def __init__(self, quantity: str, chart: Chart) -> None:
        super().__init__()
        self._curves, self._across, self._up = chart.curves, chart.across, chart.up
        self.tell(text("picture-of-curves", what=quantity, workload=chart.name), chart.speech)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def _left_margin(self) -> int:
        metrics = QFontMetrics(look().ink(self.font()).letters(SMALL))
        return max((metrics.horizontalAdvance(tick) for _, tick in self._up.ticks), default=0) + look().small

    def sizeHint(self) -> QSize:
        return QSize(look().wide * 14, look().wide * 7)

    def minimumSizeHint(self) -> QSize:
        """Room for the texts and a small curve."""
        return QSize(self._left_margin() + look().wide * 6, look().wide * 7)

    def draw(self, pen: Pen, box: QRectF) -> None:
        painter = pen.painter
        painter.setFont(pen.ink.letters(SMALL))
        line = painter.fontMetrics().height()
        right = max((painter.fontMetrics().horizontalAdvance(tick) for _, tick in self._across.ticks[-1:]), default=0)
        box = box.adjusted(self._left_margin(), line / 2 + 1, -max(right / 2, 6), -line - look().tight)
        self._draw_across(painter, box, line)
        self._draw_up(painter, box, line)
        for curve in self._curves:
            self._draw_curve(painter, box, curve)

    def _draw_across(self, painter: QPainter, box: QRectF, line: int) -> None:
        now, free_from = look(), -math.inf
        for value, tick in self._across.ticks:
            x = box.left() + self._across.place(value) * box.width()
            width = painter.fontMetrics().horizontalAdvance(tick)
            painter.setPen(QPen(now.border, 1))
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
            if x - width / 2 > free_from:
                painter.setPen(now.muted)
                place = QRectF(x - width / 2 - 1, box.bottom() + now.tight, width + 2, line)
                painter.drawText(place, Qt.AlignmentFlag.AlignCenter, tick)
                free_from = x + width / 2 + now.small

    def _draw_up(self, painter: QPainter, box: QRectF, line: int) -> None:
        now = look()
        for value, tick in self._up.ticks:
            y = box.bottom() - self._up.place(value) * box.height()
            painter.setPen(QPen(now.border, 1))
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
            painter.setPen(now.muted)
            place = QRectF(0, y - line / 2, box.left() - now.small, line)
            painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, tick)

    def _draw_curve(self, painter: QPainter, box: QRectF, curve: Curve) -> None:
        def at(x: float, y: float) -> QPointF:
            return QPointF(
                box.left() + self._across.place(x) * box.width(), box.bottom() - self._up.place(y) * box.height()
            )

        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(setting_colour(curve.setting), 1.6))
        painter.drawPolyline(QPolygonF([at(x, y) for x, y in curve.points]))
        for x, y in curve.marks:
            draw_marker(
                painter, curve.setting, at(x, y), look().small * 0.55, [other.setting for other in self._curves]
            )


def distributions(result: Result) -> tuple[Chart, ...]:
    """Return a chart per workload with histograms: the share of requests that waited longer than a time."""
    counts: dict[str, dict[Setting, dict[float, int]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(int)))
    for order, (workload, setting) in _counted_runs(result).items():
        for bins in result.histograms.get(order, {}).values():
            for upper_s, count in bins:
                if upper_s and count:
                    counts[workload][setting][upper_s] += count
    return tuple(_distribution(result, workload, of) for workload, of in counts.items())


def scaling(presented: Presented) -> tuple[Chart, ...]:
    """Return a chart per workload that was run with several numbers of threads, with the values of its panels."""
    speeds: dict[str, dict[Setting, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for panel in presented.panels:
        match = _THREADS.fullmatch(panel.metric.last)
        for row in panel.rows if match and match[2] == "ios_per_s" else ():
            if match and row.typical is not None and row.typical >= LEAST_PER_S:
                speeds[panel.metric.workload][row.setting][int(match[1])] = row.typical
    return tuple(_scaling(presented.result, workload, of) for workload, of in speeds.items())


def _counted_runs(result: Result) -> dict[int, tuple[str, Setting]]:
    """Return workload and setting of every run that counts, by its order."""
    return {s.order: (result.metrics[s.metric].workload, s.setting) for s in result.samples if s.valid}


def _distribution(result: Result, workload: str, of: Mapping[Setting, Mapping[float, int]]) -> Chart:
    curves = tuple(_slower(setting, of[setting]) for setting in _in_order(result, of))
    waits = [x for curve in curves for x, _ in curve.points]
    low, high = min(waits) / 1.2, max(waits) * 1.2
    numbers = language().numbers
    across = tuple((value, units.time(value, numbers)) for value in _DECADES_S if low <= value <= high)
    up = tuple((share, units.one_in(share, numbers)) for share in SHARES)
    speech = _speech(curves, lambda x, y: text("slower-than", number=round(1 / y), time=x))
    return Chart(
        workload_title(workload), curves, Axis(low, high, across, True), Axis(SHARES[-1], 1.0, up, True), speech
    )


def _slower(setting: Setting, bins: Mapping[float, int]) -> Curve:
    """Return the share of requests that took longer than each bin's end, down to the last one."""
    total, remaining = sum(bins.values()), sum(bins.values())
    points = [(min(bins) / 1.1, 1.0)]
    for upper_s in sorted(bins):
        remaining -= bins[upper_s]
        points.append((upper_s, max(remaining, 0.5) / total))
    marks = [next((x, share) for x, y in points if y <= share) for share in SHARES if share * total >= 1]
    return Curve(setting, tuple(points), tuple(marks))


def _scaling(result: Result, workload: str, of: Mapping[Setting, Mapping[int, float]]) -> Chart:
    curves = tuple(
        Curve(setting, points := tuple((float(n), of[setting][n]) for n in sorted(of[setting])), points)
        for setting in _in_order(result, of)
    )
    counts = sorted({x for curve in curves for x, _ in curve.points})
    top = max(y for curve in curves for _, y in curve.points) * 1.08
    each_bytes = _bytes_a_request(result, workload)
    across = tuple((count, _threads(count)) for count in counts)
    up = tuple((value, _speed(value, each_bytes)) for value in _round_steps(top))
    speech = _speech(curves, lambda x, y: text("threads-at", threads=_threads(x), speed=_speed(y, each_bytes)))
    return Chart(
        workload_title(workload), curves, Axis(counts[0], counts[-1], across, True), Axis(0.0, top, up, False), speech
    )


def _threads(count: float) -> str:
    return text("threads", count=round(count))


def _speed(requests_per_s: float, each_bytes: float | None) -> str:
    """Requests a second, with the bytes a second that these are."""
    if each_bytes is None:
        return text("requests-per-s", requests=requests_per_s)
    return text("requests-per-s-and-bytes", requests=requests_per_s, bytes=requests_per_s * each_bytes)


def _speech(curves: Iterable[Curve], point_text: Callable[[float, float], str]) -> str:
    """Return all curves in words, by their marked points."""
    spoken = (
        text("curve", scheduler=c.setting.name, points=", ".join(point_text(x, y) for x, y in c.marks)) for c in curves
    )
    return "; ".join(spoken)


def _bytes_a_request(result: Result, workload: str) -> float | None:
    """Derive the request size from the bytes reported with the requests of the same run."""
    speeds: dict[tuple[int, str], dict[str, float]] = defaultdict(dict)
    for sample in result.samples:
        metric = result.metrics[sample.metric]
        match = _THREADS.fullmatch(metric.last)
        if match and sample.valid and metric.workload == workload:
            speeds[sample.order, match[1]][match[2]] = sample.value
    pairs = [pair for pair in speeds.values() if len(pair) == 2 and pair["ios_per_s"] > 0]
    return pairs[0]["bytes_per_s"] / pairs[0]["ios_per_s"] if pairs else None


def _round_steps(top: float) -> list[float]:
    """Return three to five round values up to the top."""
    step = 10.0 ** len(str(int(top)))
    while top / step < 3:
        step /= 2 if str(step)[0] in "14" else 2.5
    return [step * number for number in range(1, int(top / step) + 1)]


def _in_order(result: Result, of: Iterable[Setting]) -> list[Setting]:
    """The baseline first, then as planned."""
    order = dict.fromkeys((result.plan.baseline, *result.plan.settings, *of))
    return [setting for setting in order if setting in set(of)]


def workload_title(workload_id: str, definition: Definition | None = None) -> str:
    """Return what a workload does: the description of the user's own program, or the id of an unknown workload."""
    workloads = every_workload()
    if definition is not None:
        return say(definition.activity)
    if workload_id not in workloads:
        return workload_id
    activity = named(workloads[workload_id].activity)
    return activity[:1].upper() + activity[1:]
