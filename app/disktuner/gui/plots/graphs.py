# SPDX-License-Identifier: GPL-3.0-or-later
"""Tunables over the values that were measured: a small graph each, what decides above, its price below."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from disktuner.gui.colours import mix
from disktuner.gui.plots.marks import draw_marker, setting_colour
from disktuner.gui.plots.picture import Picture
from disktuner.gui.style import SMALL, look
from disktuner.gui.widgets.layout import plain
from disktuner.presentation import Graph, Graphs, Row, Scale
from disktuner.vocabulary.messages import text

_CENTRED = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
_WIDEST = 1.7
"""A graph is drawn at most that many times as wide as its texts need."""


@dataclass(frozen=True, slots=True)
class _Lane:
    """One of the two parts of all graphs: its scale, the gain that decides something there, and its height."""

    scale: Scale
    limit: float
    height: float


@dataclass(frozen=True, slots=True)
class _Sizes:
    """What the texts of all graphs need, in pixels."""

    gutter: int
    cell: int
    line: int


class GraphsChart(Picture):
    """As many graphs side by side as there is room for; all have the same scales, whose labels stand at the left.

    A ring is what the others are compared with. Values are joined where they are those of one scheduler.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: Graphs | None = None
        self._measured: tuple[str, _Sizes] | None = None
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_graphs(self, shown: Graphs) -> None:
        """Show these."""
        self._shown, self._measured = shown, None
        self.tell(text("picture-of-tunables"), shown.spoken)
        self.setToolTip(plain("\n".join(dict.fromkeys(graph.trade for graph in shown.graphs if graph.trade))))
        self.updateGeometry()
        self.update()

    @property
    def shown(self) -> Graphs | None:
        """What is shown."""
        return self._shown

    @property
    def _graphs(self) -> Sequence[Graph]:
        return self._shown.graphs if self._shown else ()

    def _lanes(self) -> list[_Lane]:
        shown, now = self._shown, look()
        if shown is None:
            return []
        lanes = [_Lane(shown.up, shown.worth, now.wide * 3.4)]
        if shown.down is not None:
            lanes.append(_Lane(shown.down, shown.accepted, now.wide * 2.6))
        return lanes

    def sizeHint(self) -> QSize:
        """As high as its graphs."""
        width = look().wide * 14
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        """Room for one graph."""
        sizes = self._sizes
        width = sizes.gutter + sizes.cell
        return QSize(width, self.heightForWidth(width))

    def hasHeightForWidth(self) -> bool:
        """Where it is narrow, graphs stand below each other."""
        return True

    def heightForWidth(self, width: int) -> int:
        """All lines of graphs."""
        lines = self._lines(self._across(width))
        return math.ceil(sum(map(self._height, lines)) + look().large * (len(lines) - 1)) if lines else 0

    def _lines(self, across: int) -> list[Sequence[Graph]]:
        """Those that stand side by side."""
        return [self._graphs[at : at + across] for at in range(0, len(self._graphs), across)]

    def _height(self, line: Sequence[Graph]) -> float:
        lanes = self._lanes()
        return self._head(line) + sum(lane.height for lane in lanes) + look().small * len(lanes) + self._foot(line)

    def _head(self, line: Sequence[Graph]) -> int:
        return max(len(graph.lines) for graph in line) * self._sizes.line + look().tight

    def _foot(self, line: Sequence[Graph]) -> int:
        return max(len(value.lines) for graph in line for value in graph.values) * self._sizes.line

    def _across(self, width: int) -> int:
        """How many graphs stand side by side."""
        sizes = self._sizes
        room = (width - sizes.gutter + look().medium) // (sizes.cell + look().medium)
        return max(1, min(room, len(self._graphs)))

    def _small(self, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * SMALL)
        font.setWeight(weight)
        return font

    @property
    def _sizes(self) -> _Sizes:
        """Measured once for a font, see ``IntervalChart``."""
        key = self.font().key()
        if self._measured is None or self._measured[0] != key:
            self._measured = (key, self._measure())
        return self._measured[1]

    def _measure(self) -> _Sizes:
        now, small = look(), QFontMetrics(self._small())
        bold = QFontMetrics(self._small(QFont.Weight.DemiBold))
        ticks = [small.horizontalAdvance(label) for lane in self._lanes() for _, label in lane.scale.ticks]
        heads = [bold.horizontalAdvance(each) for graph in self._graphs for each in graph.lines]
        feet = [
            len(graph.values) * (small.horizontalAdvance(each) + now.small)
            for graph in self._graphs
            for value in graph.values
            for each in value.lines
        ]
        return _Sizes(
            gutter=max(ticks, default=0) + now.small,
            cell=max([*heads, *feet, small.horizontalAdvance(text("graph-empty")) + now.small, now.wide * 4]),
            line=small.height(),
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        """Line by line: the labels of the scales, then the graphs."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        sizes, now, across = self._sizes, look(), self._across(self.width())
        room = (self.width() - sizes.gutter + now.medium) / across - now.medium
        wide = min(room, sizes.cell * _WIDEST)
        top = 0.0
        for line in self._lines(across):
            head = self._head(line)
            for place, graph in enumerate(line):
                left = sizes.gutter + place * (wide + now.medium)
                self._draw_name(painter, graph, QRectF(left, top, wide, head))
                self._draw_graph(painter, graph, QRectF(left, top + head, wide, 0), labelled=place == 0)
            top += self._height(line) + now.large
        painter.end()
        super().paintEvent(event)

    def _draw_graph(self, painter: QPainter, graph: Graph, cell: QRectF, *, labelled: bool) -> None:
        now, top = look(), cell.top()
        for number, lane in enumerate(self._lanes()):
            box = QRectF(cell.left(), top, cell.width(), lane.height)
            there = not number or graph.prices()
            self._draw_scale(painter, lane, box, labelled=labelled, lined=there)
            if there:
                rows = [value.price if number else value.up for value in graph.values]
                self._draw_rows(painter, graph, rows, lane, box)
            else:
                painter.setPen(now.muted)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text("graph-empty"))
            top += lane.height + now.small
        self._draw_values(painter, graph, QRectF(cell.left(), top, cell.width(), 0))

    def _draw_name(self, painter: QPainter, graph: Graph, cell: QRectF) -> None:
        """The scheduler, and below it its tunables; all end right above the graph."""
        now = look()
        line = self._sizes.line
        top = cell.bottom() - now.tight - line * len(graph.lines)
        for number, name in enumerate(graph.lines):
            painter.setFont(self._small(QFont.Weight.DemiBold) if number else self._small())
            painter.setPen(now.text if number else now.muted)
            painter.drawText(
                QRectF(cell.left(), top + number * line, cell.width(), line), Qt.AlignmentFlag.AlignLeft, name
            )

    def _draw_scale(self, painter: QPainter, lane: _Lane, box: QRectF, *, labelled: bool, lined: bool) -> None:
        """Lines of the ticks, that of the limit dashed; labels only at the left of all graphs, where they have room."""
        now, height = look(), QFontMetrics(self._small()).height()
        painter.setFont(self._small())
        painter.fillRect(box, mix(now.card, now.text, 0.03))
        labels = lane.scale.labels(lane.limit, height / box.height()) if labelled else {}
        for gain, label in lane.scale.ticks:
            y = self._place(lane, box, gain)
            if lined:
                painter.setPen(_line_pen(gain, lane.limit))
                painter.drawLine(QLineF(box.left(), y, box.right(), y))
            low = min(max(y - height / 2, box.top() - now.tight), box.bottom() + now.tight - height)
            if gain in labels:
                painter.setPen(now.good if gain == lane.limit else now.muted)
                painter.drawText(QRectF(0, low, self._sizes.gutter - now.small, height), _RIGHT, label)

    def _place(self, lane: _Lane, box: QRectF, gain: float) -> float:
        return box.bottom() - lane.scale.at(gain) * box.height()

    def _draw_rows(self, painter: QPainter, graph: Graph, rows: Sequence[Row | None], lane: _Lane, box: QRectF) -> None:
        now, known = look(), list[tuple[Row, QPointF, bool]]()
        for number, (row, value) in enumerate(zip(rows, graph.values, strict=True)):
            x = box.left() + graph.at(number) * box.width()
            if row is not None and row.gain is not None:
                known.append((row, QPointF(x, self._place(lane, box, row.gain)), value.is_plain))
        own = [at for row, at, is_plain in known if not (is_plain and graph.first)]
        painter.setPen(QPen(now.drawn(now.text, 0.35), 1.2))
        painter.drawPolyline(QPolygonF(own))
        for row, at, is_plain in known:
            self._draw_point(painter, row, at, lane, box, is_plain=is_plain)

    def _draw_point(
        self, painter: QPainter, row: Row, at: QPointF, lane: _Lane, box: QRectF, *, is_plain: bool
    ) -> None:
        now, colour = look(), setting_colour(row.setting)
        radius = now.small * 0.6
        if row.gain_low is not None and row.gain_high is not None:
            painter.setPen(QPen(now.drawn(colour, 0.5), now.tight * 1.1, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
            ends = (self._place(lane, box, end) for end in (row.gain_low, row.gain_high))
            painter.drawLine(QLineF(*(QPointF(at.x(), end) for end in ends)))
        if is_plain:
            painter.setPen(QPen(now.text, 1.6))
            painter.setBrush(now.card)
            painter.drawEllipse(at, radius, radius)
            painter.setBrush(Qt.BrushStyle.NoBrush)
        else:
            draw_marker(painter, row.setting, at, radius)

    def _draw_values(self, painter: QPainter, graph: Graph, box: QRectF) -> None:
        now, height = look(), QFontMetrics(self._small()).height()
        painter.setFont(self._small())
        wide = box.width() / len(graph.values)
        for number, value in enumerate(graph.values):
            painter.setPen(now.muted if value.is_plain else now.text)
            left = box.left() + graph.at(number) * box.width() - wide / 2
            for line, shown in enumerate(value.lines):
                painter.drawText(QRectF(left, box.top() + line * height, wide, height), _CENTRED, shown)


def _line_pen(gain: float, limit: float) -> QPen:
    now = look()
    if gain == limit:
        return QPen(now.drawn(now.good, 0.7), 1.4, Qt.PenStyle.DashLine)
    colour: QColor = now.muted if gain == 1 else now.border
    return QPen(colour, 1.2 if gain == 1 else 1)
