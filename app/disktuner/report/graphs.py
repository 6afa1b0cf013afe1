# SPDX-License-Identifier: GPL-3.0-or-later
"""Tunables over their values in a picture: the geometry of the window's graphs, several side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from disktuner.presentation import Graph, Graphs, Row, Scale
from disktuner.report.drawing import MARGIN, WIDTH, Canvas, shortened, text_width, wrapped
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting

ACROSS, BETWEEN, MOST = 5, 12.0, 15
"""How many graphs stand side by side, how far apart, and how many there are at most."""
TITLE, TEXT, WORDS, SMALL, LINE = 11.5, 9.0, 8.5, 8.0, 12.0
UP, DOWN, LANE_GAP, LINE_GAP = 78.0, 60.0, 8.0, 14.0
_LABEL = 0.17
"""The share of a scale's height that a label needs."""
_INNER = WIDTH - 2 * MARGIN


@dataclass(frozen=True, slots=True)
class _Lane:
    """What decides, or its price: the rows of a graph's values on a scale; ``limit`` is drawn dashed."""

    scale: Scale
    limit: float
    rows: tuple[Row | None, ...]
    joined: int
    plain: Setting | None


def graphs_height(shown: Graphs) -> float:
    """Return how high the card of all graphs is."""
    lines = _lines(shown)
    words = len(_legend(shown)) * LINE + 30
    return words + sum(_line_height(shown, line) for line in lines) + LINE_GAP * (len(lines) - 1) + 14


def draw_graphs(canvas: Canvas, shown: Graphs, y: float) -> None:
    """Draw them below a place."""
    theme = canvas.theme
    canvas.box(MARGIN - 12, y, WIDTH - 2 * MARGIN + 24, graphs_height(shown), colour=theme.panel)
    canvas.text(MARGIN, y + 24, text("graphs"), TITLE, weight="bold")
    y = canvas.lines(MARGIN, y + 40, _legend(shown), WORDS, color=theme.muted)
    y -= 4
    gutter = _gutter(shown)
    width = (_INNER - gutter + BETWEEN) / ACROSS - BETWEEN
    for line in _lines(shown):
        head = _head(line)
        for place, graph in enumerate(line):
            left = MARGIN + gutter + place * (width + BETWEEN)
            _draw_name(canvas, graph, left, y + head - 6, width)
            _draw_lanes(canvas, shown, graph, (left, y + head, width), labelled=place == 0)
        y += _line_height(shown, line) + LINE_GAP


def _lines(shown: Graphs) -> list[Sequence[Graph]]:
    graphs = shown.graphs[:MOST]
    return [graphs[at : at + ACROSS] for at in range(0, len(graphs), ACROSS)]


def _legend(shown: Graphs) -> list[str]:
    names = " · ".join(each for each in (shown.up_name, shown.price_name) if each)
    return [*wrapped(shown.legend, WORDS, _INNER - 8), *wrapped(names, WORDS, _INNER - 8)]


def _gutter(shown: Graphs) -> float:
    labels = [label for scale in (shown.up, shown.down) if scale for _, label in scale.ticks]
    return max(text_width(label, SMALL) for label in labels) + 10


def _head(line: Sequence[Graph]) -> float:
    return max(len(graph.lines) for graph in line) * LINE + 4


def _line_height(shown: Graphs, line: Sequence[Graph]) -> float:
    feet = max(len(value.lines) for graph in line for value in graph.values) * LINE
    return _head(line) + UP + (LANE_GAP + DOWN if shown.down else 0) + feet


def _draw_name(canvas: Canvas, graph: Graph, x: float, y: float, width: float) -> None:
    """The scheduler, and below it its tunables, ending right above the graph."""
    for number, name in enumerate(reversed(graph.lines)):
        of_scheduler = number == len(graph.lines) - 1
        weight, colour = ("normal", canvas.theme.muted) if of_scheduler else ("bold", canvas.theme.text)
        canvas.text(x, y - number * LINE, shortened(name, TEXT, width, weight), TEXT, weight=weight, color=colour)


def _draw_lanes(
    canvas: Canvas, shown: Graphs, graph: Graph, place: tuple[float, float, float], *, labelled: bool
) -> None:
    left, top, width = place
    up = tuple(value.up for value in graph.values)
    price = tuple(value.price for value in graph.values)
    plain = next((value.setting for value in graph.values if value.is_plain), None)
    lanes = [(_Lane(shown.up, shown.worth, up, graph.first, plain), UP)]
    if shown.down is not None:
        lanes.append((_Lane(shown.down, shown.accepted, price, graph.first, plain), DOWN))
    for number, (lane, height) in enumerate(lanes):
        axes = canvas.axes(left, top, width, height)
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1)
        axes.set_xticks([])
        axes.set_facecolor(canvas.theme.band if canvas.theme.dark else canvas.theme.ground)
        there = not number or graph.prices()
        _draw_scale(canvas, axes, lane, labelled=labelled, lined=there)
        if there:
            _draw_rows(canvas, axes, graph, lane)
        else:
            canvas.text(
                left + width / 2,
                top + height / 2 + 3,
                text("graph-empty"),
                SMALL,
                color=canvas.theme.muted,
                ha="center",
            )
        top += height + LANE_GAP
    _draw_values(canvas, graph, left, top - LANE_GAP + 12, width)


def _draw_scale(canvas: Canvas, axes: Any, lane: _Lane, *, labelled: bool, lined: bool) -> None:
    """Lines of the ticks; labels at the left of all graphs."""
    theme = canvas.theme
    labels = lane.scale.labels(lane.limit, _LABEL) if labelled else {}
    axes.set_yticks([lane.scale.at(gain) for gain in labels])
    if labelled:
        axes.set_yticklabels(list(labels.values()))
        axes.tick_params(
            axis="y", length=0, pad=4, labelsize=SMALL * 0.95, labelcolor=theme.muted, labelfontfamily="DejaVu Sans"
        )
    for gain, _ in lane.scale.ticks if lined else ():
        at = lane.scale.at(gain)
        if gain == lane.limit:
            axes.axhline(at, color=theme.accent, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
        else:
            axes.axhline(
                at, color=theme.muted if gain == 1 else theme.line, linewidth=1 if gain == 1 else 0.5, zorder=1
            )


def _draw_rows(canvas: Canvas, axes: Any, graph: Graph, lane: _Lane) -> None:
    """Intervals as bars, values as their settings' marks, joined where they are one scheduler's; the ring is plain."""
    known = [(number, row) for number, row in enumerate(lane.rows) if row is not None and row.gain is not None]
    own = [(graph.at(number), lane.scale.at(row.gain or 1.0)) for number, row in known if number >= lane.joined]
    axes.plot([x for x, _ in own], [y for _, y in own], color=canvas.theme.muted, linewidth=0.8, zorder=2)
    for number, row in known:
        mark, x = row.setting.mark, graph.at(number)
        colour = mark.colour(canvas.theme.dark)
        if row.gain_low is not None and row.gain_high is not None:
            ends = [lane.scale.at(row.gain_low), lane.scale.at(row.gain_high)]
            axes.plot([x, x], ends, color=colour, linewidth=4, alpha=0.4, solid_capstyle="butt", zorder=3)
        at = lane.scale.at(row.gain or 1.0)
        if row.setting == lane.plain:
            ring = {"markerfacecolor": canvas.theme.panel, "markeredgecolor": canvas.theme.text}
            axes.plot([x], [at], "o", markersize=6, markeredgewidth=1.2, zorder=4, clip_on=False, **ring)
        else:
            axes.plot([x], [at], mark.shape, color=colour, markersize=6, zorder=4, clip_on=False)


def _draw_values(canvas: Canvas, graph: Graph, left: float, y: float, width: float) -> None:
    room = width / len(graph.values)
    for number, value in enumerate(graph.values):
        x = left + graph.at(number) * width
        colour = canvas.theme.muted if value.is_plain else canvas.theme.text
        for line, each in enumerate(value.lines):
            canvas.text(x, y + line * LINE, shortened(each, SMALL, room), SMALL, color=colour, ha="center")
