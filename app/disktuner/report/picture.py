# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture for the forum: one image with the answer, every comparison with its interval, set-up and method.

A PNG carries the result in its metadata, so that Disktuner opens the picture again (``results.codec.load``).
"""

from __future__ import annotations

import io
from typing import Any

from matplotlib import rc_context

from disktuner.presentation import Panel, Presented, Row, Scale
from disktuner.report.drawing import MARGIN, THEMES, WIDTH, Canvas, ThemeName, shortened, text_width, wrapped
from disktuner.report.graphs import draw_graphs, graphs_height
from disktuner.results.codec import encode
from disktuner.results.embedding import embed
from disktuner.verdict.model import Outcome
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.printable import printable

ROW, HEAD, FOOT, GAP = 30.0, 46.0, 34.0, 12.0
MOST_PANELS, MOST_ROWS, MOST_REASONS = 8, 12, 12
TITLE, WHY, NAME, FIGURE, SMALL = 18.0, 11.5, 10.5, 9.5, 8.0
"""Sizes of letters in points."""
BULLET, INDENT = "•  ", "    "
"""Before the first line of a sentence in a list, and before its other lines, about as wide."""

_SIGNS = {Outcome.BETTER: "▲ ", Outcome.WORSE: "▼ ", Outcome.SAME: "= ", Outcome.UNDECIDED: "? ", None: ""}
Columns = tuple[float, float, float]


def png(presented: Presented, theme: ThemeName) -> bytes:
    """Return the picture as PNG, 1520 pixels wide, with the result embedded as it is given."""
    buffer = io.BytesIO()
    whole_picture(presented, theme).figure.savefig(buffer, format="png", dpi=144, metadata={"Software": "Disktuner"})
    return embed(buffer.getvalue(), encode(presented.result))


def svg(presented: Presented, theme: ThemeName, *, bare: bool = False) -> str:
    """Return the picture as SVG; letters are outlines, so it needs no font. ``bare`` leaves out all but the graphs."""
    buffer = io.StringIO()
    canvas = (_bare if bare else whole_picture)(presented, theme)
    metadata = {"Date": None, "Creator": "Disktuner", "Title": printable(presented.why)}
    with rc_context({"svg.hashsalt": "disktuner", "svg.fonttype": "path"}):
        canvas.figure.savefig(buffer, format="svg", metadata=metadata)
    return buffer.getvalue()


def whole_picture(presented: Presented, theme: ThemeName) -> Canvas:
    """Draw the answer, its reasons and all panels."""
    shown, colours = presented.panels[:MOST_PANELS], THEMES[theme]
    inner = WIDTH - 2 * MARGIN
    title = wrapped(presented.title, TITLE, inner, "bold", most=2)
    why = _answer(presented, inner)
    facts = wrapped(" · ".join(presented.setup), 10, inner, most=3)
    method = wrapped(presented.method, 8.5, inner)
    top = MARGIN + 10 + len(title) * TITLE * 1.45 + len(why) * WHY * 1.45 + len(facts) * 14.5 + 12
    below = graphs_height(presented.graphs) + GAP if presented.graphs else 0.0
    canvas = Canvas(WIDTH, top + _height(shown) + below + len(method) * 12.4 + 46, colours)
    y = canvas.lines(MARGIN, MARGIN + 12, title, TITLE, color=colours.accent, weight="bold")
    y = canvas.lines(MARGIN, y, why, WHY)
    canvas.lines(MARGIN, y + 2, facts, 10, color=colours.muted)
    y = _draw_panels(canvas, shown, top)
    if presented.graphs:
        draw_graphs(canvas, presented.graphs, y)
    y = canvas.lines(MARGIN, y + below + 12, method, 8.5, color=colours.muted)
    hidden = len(presented.panels) - len(shown)
    run = (*presented.run, text("more-in-report", count=hidden)) if hidden else presented.run
    canvas.text(MARGIN, y + 5, " · ".join(run), 8.5, color=colours.muted)
    return canvas


def _answer(presented: Presented, inner: float) -> list[str]:
    """Return the sentences of the answer in lines, each on its own where they are a list."""
    if not presented.reasons:
        return wrapped(presented.why, WHY, inner, most=8)
    found = []
    for each in presented.reasons[:MOST_REASONS]:
        first, *rest = wrapped(each, WHY, inner - text_width(BULLET, WHY), most=3)
        found += [BULLET + first, *(INDENT + line for line in rest)]
    return found


def _bare(presented: Presented, theme: ThemeName) -> Canvas:
    """Only the graphs, all of them, for a page that says the rest in words."""
    below = graphs_height(presented.graphs) + GAP if presented.graphs else 0.0
    canvas = Canvas(WIDTH, _height(presented.panels) + below + 1, THEMES[theme])
    y = _draw_panels(canvas, presented.panels, 0)
    if presented.graphs:
        draw_graphs(canvas, presented.graphs, y)
    return canvas


def _height(shown: tuple[Panel, ...]) -> float:
    return sum(_panel_height(panel) + GAP for panel in shown)


def _panel_height(panel: Panel) -> float:
    return HEAD + ROW * min(len(panel.rows), MOST_ROWS) + FOOT


def _draw_panels(canvas: Canvas, shown: tuple[Panel, ...], y: float) -> float:
    """Draw them below each other and return the place below the last."""
    columns = _columns(shown)
    for panel in shown:
        _draw_panel(canvas, panel, y, columns)
        y += _panel_height(panel) + GAP
    return y


def _columns(shown: tuple[Panel, ...]) -> Columns:
    """Return the widths of names, values (at most a quarter of the picture each) and findings, alike in all panels."""
    rows = [row for panel in shown for row in panel.rows[:MOST_ROWS]]
    names = max((text_width(row.name, NAME, "bold") for row in rows), default=0.0)
    values = max((text_width(row.value, FIGURE) for row in rows), default=0.0)
    findings = max((max(text_width(_gain(row), FIGURE), text_width(_sure(row), SMALL)) for row in rows), default=0.0)
    return min(names, WIDTH / 4), min(values, WIDTH / 4) + 14, findings


def _gain(row: Row) -> str:
    return f"{_SIGNS[row.outcome]}{row.difference}"


def _sure(row: Row) -> str:
    return " · ".join(part for part in (row.interval, row.finding) if part)


def _draw_panel(canvas: Canvas, panel: Panel, y: float, columns: Columns) -> None:
    """A card: what was measured, then a row per setting with its value, interval and finding."""
    theme, rows = canvas.theme, panel.rows[:MOST_ROWS]
    canvas.box(MARGIN - 12, y, WIDTH - 2 * MARGIN + 24, _panel_height(panel), colour=theme.panel)
    label = shortened(panel.label, 11.5, WIDTH - 2 * MARGIN - text_width(panel.direction, 9) - 20, "bold")
    canvas.text(MARGIN, y + 24, label, 11.5, weight="bold")
    canvas.text(WIDTH - MARGIN, y + 24, panel.direction, 9, color=theme.muted, ha="right")
    names, values, findings = columns
    for at, row in enumerate(rows):
        line = y + HEAD + ROW * (at + 0.5) + 3.5
        _draw_name(canvas, row.name, MARGIN + 16, line, names)
        canvas.text(MARGIN + 16 + names + values, line, shortened(row.value, FIGURE, values), FIGURE, ha="right")
        _draw_finding(canvas, row, WIDTH - MARGIN - findings, line)
    _draw_marks(canvas, rows, y, MARGIN + 4)
    if any(row.gain is not None for row in rows):
        left = MARGIN + names + values + 30
        width = WIDTH - MARGIN - findings - 18 - left
        _draw_intervals(canvas, panel, rows, (left, y + HEAD, width, ROW * len(rows)))


def _draw_name(canvas: Canvas, name: str, x: float, line: float, width: float) -> None:
    """A name, in two lines where it is too long for one."""
    first, comma, rest = name.rpartition(", ")
    if not comma or text_width(name, NAME, "bold") <= width:
        canvas.text(x, line, shortened(name, NAME, width, "bold"), NAME, weight="bold")
        return
    for part, y in ((f"{first},", line - 5.5), (rest, line + 5.5)):
        canvas.text(x, y, shortened(part, SMALL + 0.5, width, "bold"), SMALL + 0.5, weight="bold")


def _draw_finding(canvas: Canvas, row: Row, x: float, line: float) -> None:
    """The difference, and below it how sure that is."""
    theme = canvas.theme
    tone = theme.text if row.outcome in (Outcome.BETTER, Outcome.WORSE) else theme.muted
    canvas.text(x, line - 6 if _sure(row) else line, _gain(row), FIGURE, color=tone)
    canvas.text(x, line + 6, _sure(row), SMALL, color=theme.muted)


def _draw_marks(canvas: Canvas, rows: tuple[Row, ...], y: float, x: float) -> None:
    """The sign of each setting beside its name: the legend."""
    axes = canvas.axes(x - 8, y + HEAD, 16, ROW * len(rows))
    axes.set_xlim(-1, 1)
    axes.set_ylim(len(rows), 0)
    axes.axis("off")
    for at, row in enumerate(rows):
        mark = row.setting.mark
        axes.plot([0], [at + 0.5], mark.shape, color=mark.colour(canvas.theme.dark), markersize=7)


def _draw_intervals(
    canvas: Canvas, panel: Panel, rows: tuple[Row, ...], place: tuple[float, float, float, float]
) -> None:
    theme, scale = canvas.theme, panel.scale
    axes = canvas.axes(*place)
    axes.set_xlim(0, 1)
    axes.set_ylim(len(rows), 0)
    axes.set_yticks([])
    axes.axvspan(*map(scale.at, scale.band), color=theme.band, linewidth=0, zorder=0)
    axes.axvline(scale.at(1), color=theme.muted, linewidth=1, zorder=1)
    _draw_ticks(canvas, axes, scale)
    for at, row in enumerate(rows):
        _draw_row(axes, at + 0.5, row, scale, theme.dark)
    label = shortened(panel.axis, SMALL, place[2])
    half = text_width(label, SMALL) / 2
    centre = min(max(place[0] + place[2] * scale.at(1), place[0] + half), place[0] + place[2] - half)
    canvas.text(centre, place[1] + place[3] + 25, label, SMALL, color=theme.muted, ha="center")


def _draw_ticks(canvas: Canvas, axes: Any, scale: Scale) -> None:
    places = [scale.at(gain) for gain, _ in scale.ticks]
    axes.set_xticks(places)
    axes.set_xticklabels([label for _, label in scale.ticks])
    axes.tick_params(
        axis="x", length=0, pad=3, labelsize=SMALL, labelcolor=canvas.theme.muted, labelfontfamily="DejaVu Sans"
    )
    for place in places:
        axes.axvline(place, color=canvas.theme.line, linewidth=0.5, zorder=0.5)


def _draw_row(axes: Any, y: float, row: Row, scale: Scale, dark: bool) -> None:
    """Interval as a bar (cut where it leaves the scale), typical ratio as the setting's mark, rounds as dots."""
    if row.gain is None:
        return
    mark = row.setting.mark
    colour = mark.colour(dark)
    dots = [scale.at(dot) for dot in row.dots if scale.holds(dot)]
    axes.plot(dots, [y + 0.27] * len(dots), ".", color=colour, alpha=0.55, markersize=3, zorder=2)
    if row.gain_low is not None and row.gain_high is not None:
        span = [scale.at(row.gain_low), scale.at(row.gain_high)]
        axes.plot(span, [y, y], color=colour, linewidth=5, alpha=0.4, solid_capstyle="butt", zorder=3)
    axes.plot([scale.at(row.gain)], [y], mark.shape, color=colour, markersize=7, zorder=4, clip_on=False)
