# SPDX-License-Identifier: GPL-3.0-or-later
"""Schedulers against what the disk had before, as dots with intervals on one scale."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from disktuner.gui import telling, wording
from disktuner.gui.plots.colours import draw_marker, scheduler_colour
from disktuner.gui.style import SMALL, Look, look, mix
from disktuner.verdict.model import Comparison, Outcome

_TICKS = (0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0)


@dataclass(frozen=True, slots=True)
class Bar:
    """One scheduler's row; ``dots`` are the ratios of single rounds, ``value`` the typical value as text."""

    scheduler: str
    comparison: Comparison | None
    dots: tuple[float, ...] = ()
    value: str = ""


class IntervalChart(QWidget):
    """A row per scheduler on a logarithmic scale of ratios; the baseline's row is the line at 100 %.

    The better direction is to the left or right as the figure has it; outcome stands as text, never only colour.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bars: tuple[Bar, ...] = ()
        self._baseline = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_bars(self, baseline: str, bars: tuple[Bar, ...]) -> None:
        """Show these; ``baseline`` is the scheduler that is 100 %."""
        self._baseline, self._bars = baseline, bars
        self.setAccessibleName("; ".join(_speech(bar, baseline) for bar in bars))
        self.setToolTip(wording.plain("\n".join(_speech(bar, baseline) for bar in bars)))
        self.updateGeometry()
        self.update()

    @property
    def bars(self) -> tuple[Bar, ...]:
        """What is shown."""
        return self._bars

    def sizeHint(self) -> QSize:
        """As high as its rows."""
        return QSize(look().wide * 14, self._row_height() * max(1, len(self._bars)) + self._axis_height())

    def minimumSizeHint(self) -> QSize:
        """Wide enough for names, some scale and the outcomes."""
        return QSize(self._left() + self._right() + look().wide * 4, self.sizeHint().height())

    def _row_height(self) -> int:
        return round(look().wide * 1.3)

    def _axis_height(self) -> int:
        return round(look().wide * 0.8)

    def _fonts(self) -> tuple[QFont, QFont]:
        bold, small = QFont(self.font()), QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        small.setPointSizeF(small.pointSizeF() * SMALL)
        return bold, small

    def _left(self) -> int:
        metrics = QFontMetrics(self._fonts()[0])
        return max((metrics.horizontalAdvance(bar.scheduler) for bar in self._bars), default=0) + look().large

    def _right(self) -> int:
        metrics = QFontMetrics(self._fonts()[1])
        texts = [text for bar in self._bars for text in _texts(bar)]
        return max((metrics.horizontalAdvance(text) for text in texts), default=0) + look().large

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Scale, 100 % line with its ±5 % band, then the rows."""
        if not self._bars:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        low, high = _limits(self._bars)
        rows = QRectF(
            self._left(), 0, self.width() - self._left() - self._right(), self._row_height() * len(self._bars)
        )
        self._draw_scale(painter, rows, low, high)
        for number, bar in enumerate(self._bars):
            middle = (number + 0.5) * self._row_height()
            self._draw_texts(painter, bar, middle, rows)
            self._draw_interval(painter, bar, middle, rows, (low, high))
        painter.end()

    def _draw_scale(self, painter: QPainter, rows: QRectF, low: float, high: float) -> None:
        now = look()
        left, right = _x(0.95, rows, low, high), _x(1.05, rows, low, high)
        painter.fillRect(QRectF(left, rows.top(), right - left, rows.height()), mix(now.card, now.text, 0.08))
        painter.setFont(self._fonts()[1])
        metrics = painter.fontMetrics()
        free_from = -math.inf
        for tick in sorted((t for t in _TICKS if low <= t <= high), key=lambda t: (t != 1.0, t)):
            x, text = _x(tick, rows, low, high), wording.percent(tick).replace(".0", "")
            painter.setPen(QPen(now.muted if tick == 1.0 else now.border, 1.4 if tick == 1.0 else 1))
            painter.drawLine(QPointF(x, rows.top()), QPointF(x, rows.bottom()))
            width = metrics.horizontalAdvance(text)
            near_one = abs(x - _x(1.0, rows, low, high)) < width + now.small
            if tick == 1.0 or (not near_one and x - width / 2 > free_from):
                painter.setPen(now.muted)
                painter.drawText(QPointF(x - width / 2, rows.bottom() + metrics.height() + 2), text)
                free_from = free_from if tick == 1.0 else x + width / 2 + now.small

    def _draw_texts(self, painter: QPainter, bar: Bar, middle: float, rows: QRectF) -> None:
        bold, small = self._fonts()
        now, half = look(), self._row_height() / 2
        painter.setFont(bold)
        painter.setPen(now.text)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(QRectF(0, middle - half, rows.left(), 2 * half), flags, bar.scheduler)
        painter.setFont(small)
        lines = [text for text in _texts(bar) if text]
        height = painter.fontMetrics().height()
        top = middle - height * len(lines) / 2
        for number, text in enumerate(lines):
            painter.setPen(_tone(bar, now) if number == 0 else now.muted)
            box = QRectF(rows.right() + now.medium, top + number * height, self.width() - rows.right(), height)
            painter.drawText(box, flags, text)

    def _draw_interval(
        self, painter: QPainter, bar: Bar, middle: float, rows: QRectF, limits: tuple[float, float]
    ) -> None:
        colour = scheduler_colour(bar.scheduler)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(mix(look().card, colour, 0.45))
        for dot in bar.dots:
            painter.drawEllipse(QPointF(_x(dot, rows, *limits), middle + look().tight * 1.7), 1.8, 1.8)
        found = bar.comparison
        if found is None:
            draw_marker(painter, bar.scheduler, QPointF(_x(1.0, rows, *limits), middle), look().small * 0.62)
            return
        if found.ci_low is not None and found.ci_high is not None:
            pen = QPen(colour, 3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            left, right = _x(found.ci_low, rows, *limits), _x(found.ci_high, rows, *limits)
            painter.drawLine(QPointF(left, middle), QPointF(right, middle))
        if found.ratio is not None:
            draw_marker(painter, bar.scheduler, QPointF(_x(found.ratio, rows, *limits), middle), look().small * 0.62)


def _limits(bars: tuple[Bar, ...]) -> tuple[float, float]:
    values = [1.0, 0.8, 1.25]
    for bar in bars:
        values += bar.dots
        if bar.comparison:
            found = bar.comparison
            values += [v for v in (found.ratio, found.ci_low, found.ci_high) if v is not None]
    finite = [value for value in values if 0.02 < value < 50]
    return min(finite) / 1.06, max(finite) * 1.06


def _x(ratio: float, rows: QRectF, low: float, high: float) -> float:
    ratio = min(max(ratio, low), high)
    return rows.left() + rows.width() * math.log(ratio / low) / math.log(high / low)


def _texts(bar: Bar) -> tuple[str, str]:
    if bar.comparison is None:
        return wording.HAD_BEFORE, bar.value
    ratio = wording.percent(bar.comparison.ratio) if bar.comparison.ratio is not None else "–"
    return f"{ratio} · {telling.OUTCOMES[bar.comparison.outcome]}", bar.value


def _tone(bar: Bar, now: Look) -> QColor:
    tones = {Outcome.BETTER: now.good, Outcome.WORSE: now.bad}
    return tones.get(bar.comparison.outcome, now.text) if bar.comparison else now.muted


def _speech(bar: Bar, baseline: str) -> str:
    found = bar.comparison
    if found is None:
        return wording.BASELINE_NOTE.format(baseline=bar.scheduler)
    outcome = telling.OUTCOMES[found.outcome]
    if found.ratio is None or found.ci_low is None or found.ci_high is None:
        return wording.CHART_TOO_FEW.format(scheduler=bar.scheduler, outcome=outcome)
    return wording.CHART_SPEECH.format(
        scheduler=bar.scheduler,
        ratio=wording.percent(found.ratio),
        baseline=baseline,
        low=wording.percent(found.ci_low),
        high=wording.percent(found.ci_high),
        outcome=outcome,
    )
