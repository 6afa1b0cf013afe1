# SPDX-License-Identifier: GPL-3.0-or-later
"""A panel as a chart: schedulers against what the disk had before, as marks with intervals on one scale of gains."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from disktuner.gui.colours import mix
from disktuner.gui.plots.marks import draw_marker, setting_colour
from disktuner.gui.plots.picture import Picture
from disktuner.gui.style import BAND, SMALL, look
from disktuner.gui.widgets.layout import plain
from disktuner.presentation import Panel, Row
from disktuner.verdict.model import Outcome
from disktuner.vocabulary.messages import text

_MANY = 1
"""A scheduler with more tunables than that has a name that is long."""
_TONES = {Outcome.BETTER: "good", Outcome.WORSE: "bad", None: "muted"}
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight


@dataclass(frozen=True, slots=True)
class _Columns:
    """How wide the texts of rows are, in pixels; findings in separate lines and with interval and finding in one."""

    name: int
    wide_name: int
    value: int
    finding: int
    wide_finding: int

    @classmethod
    def of(cls, rows: Sequence[Row], bold: QFont, small: QFont) -> _Columns:
        names, texts = QFontMetrics(bold), QFontMetrics(small)

        def widest(metrics: QFontMetrics, shown: Iterable[str]) -> int:
            return max(map(metrics.horizontalAdvance, {*shown}), default=0)

        return cls(
            widest(names, (line for row in rows for line in _name(row, wide=False))),
            widest(names, (row.name for row in rows)),
            widest(texts, (row.value for row in rows)),
            widest(texts, (line for row in rows for line in _finding(row, wide=False))),
            widest(texts, (line for row in rows for line in _finding(row, wide=True))),
        )


class IntervalChart(Picture):
    """A row per scheduler: mark and name, typical value, interval, and the finding in words, never only in colour.

    The same geometry as in saved pictures: further right is better. Where the room is narrow, the value stands below
    the name and each part of the finding in a line of its own.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._panel: Panel | None = None
        self._aligned: Sequence[Row] = ()
        self._measured: tuple[str, _Columns] | None = None
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_panel(self, panel: Panel, beside: Sequence[Panel] = ()) -> None:
        """Show this one, its columns as wide as in the charts of others beside it."""
        self._panel = panel
        self._aligned = [row for each in (panel, *beside) for row in each.rows]
        self._measured = None
        spoken = [row.spoken for row in panel.rows]
        name = text("picture-of-metric", metric=panel.label, direction=panel.direction)
        self.tell(name, "; ".join(spoken))
        self.setToolTip(plain("\n".join(spoken)))
        self.updateGeometry()
        self.update()

    @property
    def panel(self) -> Panel | None:
        """What is shown."""
        return self._panel

    @property
    def _rows(self) -> Sequence[Row]:
        return self._panel.rows if self._panel else ()

    @property
    def _has_scale(self) -> bool:
        return any(row.gain is not None for row in self._rows)

    def sizeHint(self) -> QSize:
        """As high as its rows."""
        width = max(look().wide * 14, self._widths(wide=True))
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        """Wide enough for names, some scale and the findings."""
        width = self._widths(wide=False)
        return QSize(width, self.heightForWidth(width))

    def hasHeightForWidth(self) -> bool:
        """Narrow rows are higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """All rows, and the scale below them."""
        axis = 2 * QFontMetrics(self._small()).height() + look().small if self._has_scale else 0
        return self._row_height(wide=self._is_wide(width)) * len(self._rows) + axis

    def _is_wide(self, width: int) -> bool:
        return width >= self._widths(wide=True)

    def _widths(self, *, wide: bool) -> int:
        return math.ceil(self._left(wide=wide) + self._right(wide=wide)) + round(look().wide * (7 if wide else 3.5))

    def _row_height(self, *, wide: bool) -> int:
        lines = 2
        if not wide:
            lines = max(
                [2, *(max(len(_finding(row, wide=False)), len(_name(row, wide=False)) + 1) for row in self._rows)]
            )
        return lines * QFontMetrics(self._small()).height() + look().medium

    def _bold(self) -> QFont:
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold)
        return font

    def _small(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * SMALL)
        return font

    def _left(self, *, wide: bool) -> float:
        """Marks, names and values."""
        known = self._columns
        width = known.wide_name + look().medium + known.value if wide else max(known.name, known.value)
        return look().large + width + look().medium

    def _right(self, *, wide: bool) -> float:
        """Findings."""
        return (self._columns.wide_finding if wide else self._columns.finding) + look().large + look().tight

    @property
    def _columns(self) -> _Columns:
        """Measured once for a font: a page asks for it hundreds of times while it is laid out."""
        key = self.font().key()
        if self._measured is None or self._measured[0] != key:
            self._measured = (key, _Columns.of(self._aligned, self._bold(), self._small()))
        return self._measured[1]

    def paintEvent(self, event: QPaintEvent) -> None:
        """The scale with the band of no practical difference, then the rows."""
        if self._panel is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        wide = self._is_wide(self.width())
        height, left = self._row_height(wide=wide), self._left(wide=wide)
        box = QRectF(left, 0, self.width() - left - self._right(wide=wide), height * len(self._rows))
        if self._has_scale:
            self._draw_scale(painter, box, self._panel)
        for number, row in enumerate(self._rows):
            middle = (number + 0.5) * height
            self._draw_texts(painter, row, QRectF(0, number * height, self.width(), height), wide=wide)
            self._draw_interval(painter, row, middle, box)
        painter.end()
        super().paintEvent(event)

    def _place(self, gain: float, box: QRectF) -> float:
        assert self._panel is not None
        return box.left() + self._panel.scale.at(gain) * box.width()

    def _draw_scale(self, painter: QPainter, box: QRectF, panel: Panel) -> None:
        now = look()
        left, right = (self._place(end, box) for end in panel.scale.band)
        painter.fillRect(QRectF(left, box.top(), right - left, box.height()), mix(now.card, now.text, BAND))
        painter.setFont(self._small())
        metrics, taken = painter.fontMetrics(), list[tuple[float, float]]()
        for gain, shown in sorted(panel.scale.ticks, key=lambda tick: abs(math.log(tick[0]))):
            x, half = self._place(gain, box), metrics.horizontalAdvance(shown) / 2
            painter.setPen(QPen(now.muted, 1.4) if gain == 1 else QPen(now.border, 1))
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
            if all(x + half < low or x - half > high for low, high in taken):
                taken.append((x - half - now.small, x + half + now.small))
                painter.setPen(now.muted)
                painter.drawText(QPointF(x - half, box.bottom() + metrics.ascent() + 2), shown)
        half = metrics.horizontalAdvance(panel.axis) / 2
        x = min(max(self._place(1, box), half), self.width() - half)
        painter.setPen(now.muted)
        painter.drawText(QPointF(x - half, box.bottom() + metrics.height() + metrics.ascent() + 4), panel.axis)

    def _draw_texts(self, painter: QPainter, row: Row, line: QRectF, *, wide: bool) -> None:
        now, middle = look(), line.center().y()
        draw_marker(painter, row.setting, QPointF(now.small, middle), now.small * 0.62)
        name, lines = line.adjusted(now.large, 0, 0, 0), _name(row, wide=wide)
        step = QFontMetrics(self._small()).height() / 2
        painter.setFont(self._bold())
        painter.setPen(now.text)
        for number, shown in enumerate(lines):
            up = 0.0 if wide else (len(lines) - 2 * number) * step
            painter.drawText(name.translated(0, -up), _LEFT, shown)
        painter.setFont(self._small())
        painter.setPen(now.muted)
        if wide:
            value = QRectF(0, line.top(), self._left(wide=True) - now.medium, line.height())
            painter.drawText(value, _RIGHT, row.value)
        else:
            painter.drawText(name.translated(0, len(lines) * step), _LEFT, row.value)
        self._draw_finding(painter, row, line, wide=wide)

    def _draw_finding(self, painter: QPainter, row: Row, line: QRectF, *, wide: bool) -> None:
        """The difference, and below it how sure that is."""
        now, lines = look(), _finding(row, wide=wide)
        height = painter.fontMetrics().height()
        left, top = self.width() - self._right(wide=wide) + now.large, line.center().y() - height * len(lines) / 2
        tone: QColor = getattr(now, _TONES.get(row.outcome, "text"))
        for number, shown in enumerate(lines):
            painter.setPen(now.muted if number else tone)
            painter.drawText(QRectF(left, top + number * height, self.width() - left, height), _LEFT, shown)

    def _draw_interval(self, painter: QPainter, row: Row, middle: float, box: QRectF) -> None:
        """Interval as a bar, typical gain as the scheduler's mark, rounds as dots."""
        if row.gain is None or self._panel is None:
            return
        now, colour = look(), setting_colour(row.setting)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(now.drawn(colour, 0.55))
        for dot in filter(self._panel.scale.holds, row.dots):
            painter.drawEllipse(QPointF(self._place(dot, box), middle + now.tight * 2), 1.8, 1.8)
        if row.gain_low is not None and row.gain_high is not None:
            painter.setPen(QPen(now.drawn(colour, 0.5), now.tight * 1.3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
            left, right = self._place(row.gain_low, box), self._place(row.gain_high, box)
            painter.drawLine(QPointF(left, middle), QPointF(right, middle))
        draw_marker(painter, row.setting, QPointF(self._place(row.gain, box), middle), now.small * 0.62)


def _name(row: Row, *, wide: bool) -> list[str]:
    """A name in lines: where it is narrow, one of several tunables in two."""
    first, _, rest = row.name.rpartition(", ")
    return [f"{first},", rest] if not wide and row.name.count(", ") > _MANY else [row.name]


def _finding(row: Row, *, wide: bool) -> list[str]:
    """The lines beside a row."""
    sure = [row.interval, row.finding]
    return [each for each in (row.difference, *([" · ".join(filter(None, sure))] if wide else sure)) if each]
