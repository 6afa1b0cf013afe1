# SPDX-License-Identifier: GPL-3.0-or-later
"""Tunables over the values that were measured: a small graph each, what decides above, its price below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPen, QPolygonF

from disktuner.drawing.colours import mix
from disktuner.drawing.ink import Ink
from disktuner.drawing.pen import CENTRE, RIGHT, Pen
from disktuner.presentation import Graph, Graphs, Row, Scale
from disktuner.vocabulary.messages import text

_SMALL = 0.92
_WIDEST = 1.7
"""A graph is drawn at most that many times as wide as its texts need."""


@dataclass(frozen=True, slots=True)
class _Lane:
    """One of the two parts of all graphs: its scale, the gain that decides something there, and its height."""

    scale: Scale
    limit: float
    height: float

    def place(self, box: QRectF, gain: float) -> float:
        """Return how high a gain stands in a box."""
        return box.bottom() - self.scale.at(gain) * box.height()


class GraphDrawing:
    """As many graphs side by side as there is room for; all have the same scales, whose labels stand at the left.

    A ring is what the others are compared with. Values are joined where they are those of one scheduler.
    """

    def __init__(self, shown: Graphs, ink: Ink) -> None:
        self._shown, self._ink = shown, ink
        self._lanes = [_Lane(shown.up, shown.worth, ink.em * 6.8)]
        if shown.down is not None:
            self._lanes.append(_Lane(shown.down, shown.accepted, ink.em * 5.2))
        ticks = [label for lane in self._lanes for _, label in lane.scale.ticks]
        self._gutter = max(ink.width(label, _SMALL) for label in ticks) + ink.em * 0.5
        self._line = ink.em * _SMALL
        self._cell = max(ink.width(text("graph-empty"), _SMALL), ink.em * 7, *map(self._needs, shown.graphs))

    def _needs(self, graph: Graph) -> float:
        """How wide the texts of a graph are."""
        ink = self._ink
        feet = (ink.width(line, _SMALL) + ink.em * 0.5 for value in graph.values for line in value.lines)
        heads = (ink.width(line, _SMALL, bold=True) for line in graph.lines)
        return max(*heads, len(graph.values) * max(feet))

    @property
    def least_width(self) -> float:
        """Room for one graph."""
        return self._gutter + self._cell

    def height(self, width: float) -> float:
        """Return how high all lines of graphs are."""
        lines = self._lines(width)
        return sum(map(self._line_height, lines)) + self._ink.em * 1.2 * (len(lines) - 1)

    def _across(self, width: float) -> int:
        """How many graphs stand side by side."""
        gap = self._ink.em * 0.8
        room = int((width - self._gutter + gap) / (self._cell + gap))
        return max(1, min(room, len(self._shown.graphs)))

    def _lines(self, width: float) -> list[Sequence[Graph]]:
        graphs, across = self._shown.graphs, self._across(width)
        return [graphs[at : at + across] for at in range(0, len(graphs), across)]

    def _head(self, line: Sequence[Graph]) -> float:
        return max(len(graph.lines) for graph in line) * self._line + self._ink.em * 0.25

    def _line_height(self, line: Sequence[Graph]) -> float:
        foot = max(len(value.lines) for graph in line for value in graph.values) * self._line
        lanes = sum(lane.height + self._ink.em * 0.5 for lane in self._lanes)
        return self._head(line) + lanes + foot

    def draw(self, pen: Pen, box: QRectF) -> None:
        """Draw line by line, from the top of a box on."""
        gap, top = self._ink.em * 0.8, box.top()
        room = (box.width() - self._gutter + gap) / self._across(box.width()) - gap
        wide = min(room, self._cell * _WIDEST)
        for line in self._lines(box.width()):
            head = self._head(line)
            for place, graph in enumerate(line):
                left = box.left() + self._gutter + place * (wide + gap)
                self._draw_name(pen, graph, QRectF(left, top, wide, head))
                self._draw_graph(pen, graph, QRectF(left, top + head, wide, 0), is_first=place == 0)
            top += self._line_height(line) + self._ink.em * 1.2

    def _draw_name(self, pen: Pen, graph: Graph, box: QRectF) -> None:
        """The scheduler, and below it its tunables; all end right above the graph."""
        top = box.bottom() - self._ink.em * 0.25 - self._line * len(graph.lines)
        for number, name in enumerate(graph.lines):
            line = QRectF(box.left(), top + number * self._line, box.width(), self._line)
            pen.write(line, name, self._ink.text if number else self._ink.muted, _SMALL, bold=number > 0)

    def _draw_graph(self, pen: Pen, graph: Graph, box: QRectF, *, is_first: bool) -> None:
        top = box.top()
        for number, lane in enumerate(self._lanes):
            part = QRectF(box.left(), top, box.width(), lane.height)
            pen.fill(part, mix(self._ink.ground, self._ink.text, 0.04))
            if number and not graph.prices():
                pen.write(part, text("graph-empty"), self._ink.muted, _SMALL, align=CENTRE)
            else:
                self._draw_lines(pen, lane, part)
                rows = [value.price if number else value.up for value in graph.values]
                self._draw_rows(pen, graph, rows, lane, part)
            if is_first:
                self._draw_labels(pen, lane, part)
            top += lane.height + self._ink.em * 0.5
        self._draw_values(pen, graph, QRectF(box.left(), top, box.width(), 0))

    def _draw_lines(self, pen: Pen, lane: _Lane, box: QRectF) -> None:
        """Lines of the ticks, that of the limit dashed."""
        ink = self._ink
        for gain, _ in lane.scale.ticks:
            line = QLineF(box.left(), y := lane.place(box, gain), box.right(), y)
            if gain == lane.limit:
                pen.rule(line, ink.good, 1.4, Qt.PenStyle.DashLine)
            else:
                pen.rule(line, ink.muted if gain == 1 else ink.line, 1.2 if gain == 1 else 1.0)

    def _draw_labels(self, pen: Pen, lane: _Lane, box: QRectF) -> None:
        ink, high = self._ink, self._line
        for gain, label in lane.scale.labels(lane.limit, high / box.height()).items():
            line = QRectF(
                box.left() - self._gutter, lane.place(box, gain) - high / 2, self._gutter - ink.em * 0.4, high
            )
            pen.write(line, label, ink.good if gain == lane.limit else ink.muted, _SMALL, align=RIGHT)

    def _draw_rows(self, pen: Pen, graph: Graph, rows: Sequence[Row | None], lane: _Lane, box: QRectF) -> None:
        known = list[tuple[Row, QPointF, bool]]()
        for number, (row, value) in enumerate(zip(rows, graph.values, strict=True)):
            if row is not None and row.gain is not None:
                x = box.left() + graph.at(number) * box.width()
                known.append((row, QPointF(x, lane.place(box, row.gain)), value.is_plain))
        pen.painter.setPen(QPen(self._ink.drawn(self._ink.text, 0.35), 1.2))
        pen.painter.setBrush(Qt.BrushStyle.NoBrush)
        pen.painter.drawPolyline(QPolygonF([at for _, at, is_plain in known if not (is_plain and graph.first)]))
        for row, at, is_plain in known:
            self._draw_point(pen, row, at, lane, box, is_plain=is_plain)

    def _draw_point(self, pen: Pen, row: Row, at: QPointF, lane: _Lane, box: QRectF, *, is_plain: bool) -> None:
        ink, colour = self._ink, self._ink.of(row.scheduler)
        radius = ink.em * 0.28
        if row.gain_low is not None and row.gain_high is not None:
            low, high = (lane.place(box, end) for end in (row.gain_low, row.gain_high))
            pen.rule(QLineF(at.x(), low, at.x(), high), ink.drawn(colour, 0.5), ink.em * 0.25)
        pen.dots([at], ink.text if is_plain else colour, radius)
        if is_plain:
            pen.dots([at], ink.ground, radius * 0.65)

    def _draw_values(self, pen: Pen, graph: Graph, box: QRectF) -> None:
        wide = box.width() / len(graph.values)
        for number, value in enumerate(graph.values):
            left = box.left() + graph.at(number) * box.width() - wide / 2
            for line, shown in enumerate(value.lines):
                place = QRectF(left, box.top() + line * self._line, wide, self._line)
                colour = self._ink.muted if value.is_plain else self._ink.text
                pen.write(place, shown, colour, _SMALL, align=CENTRE)
