# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture for the forum: one image with the answer, every comparison with its interval, set-up and
method.

A PNG carries the result in its metadata, so that Disktuner opens the picture again (``results.codec.load``).
"""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import Any, Literal

from disktuner.report.drawing import Sheet, shortened, text_width, wrapped
from disktuner.report.figures import METHOD, SIGNS, Panel, Row, gain_text, panels, run_facts, setup_facts, value_text
from disktuner.report.figures import direction as direction_of
from disktuner.report.palette import DARK, LIGHT
from disktuner.report.privacy import anonymous
from disktuner.results.codec import encode
from disktuner.results.embedding import embed
from disktuner.results.model import Result
from disktuner.results.store import write_atomically
from disktuner.verdict.model import Decision, Outcome, Verdict
from disktuner.vocabulary.printable import printable
from disktuner.vocabulary.schedulers import scheduler

WIDTH, MARGIN = 760.0, 32.0
ROW, HEAD, FOOT, GAP = 25.0, 46.0, 34.0, 12.0
MOST_PANELS, MOST_ROWS = 8, 12
_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.33, 0.5, 0.67, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 5, 10, 20, 50, 100)
ThemeName = Literal["light", "dark"]
Columns = tuple[float, float, float]


def save(result: Result, verdict: Verdict, path: Path, theme: ThemeName = "light", personal: bool = False) -> Path:
    """Write the picture as PNG (twice the usual size, with the result in it) or SVG, by the suffix of
    ``path``.

    Serial, host, user and paths are left out unless ``personal``. Raises ``NotSaved``.
    """
    shown = result if personal else anonymous(result)
    if path.suffix.lower() == ".svg":
        return write_atomically(path, svg(shown, verdict, theme).encode("utf-8"))
    return write_atomically(path, png(shown, verdict, theme))


def png(result: Result, verdict: Verdict, theme: ThemeName = "light") -> bytes:
    """Return the picture as PNG, 1520 pixels wide, with the result embedded as it is given."""
    buffer = io.BytesIO()
    _draw(result, verdict, theme).figure.savefig(buffer, format="png", dpi=144, metadata={"Software": "Disktuner"})
    return embed(buffer.getvalue(), encode(result))


def svg(result: Result, verdict: Verdict, theme: ThemeName = "light", *, bare: bool = False) -> str:
    """Return the picture as SVG; letters are outlines, so it needs no font. ``bare`` leaves out all but the graphs."""
    from matplotlib import rc_context  # noqa: PLC0415 - half a second, only when drawn

    buffer = io.StringIO()
    figure = (_bare if bare else _draw)(result, verdict, theme).figure
    with rc_context({"svg.hashsalt": "disktuner", "svg.fonttype": "path"}):
        figure.savefig(
            buffer, format="svg", metadata={"Date": None, "Creator": "Disktuner", "Title": printable(verdict.why)}
        )
    return buffer.getvalue()


def _draw(result: Result, verdict: Verdict, theme_name: ThemeName) -> Sheet:
    theme = DARK if theme_name == "dark" else LIGHT
    shown = panels(result, verdict)[:MOST_PANELS]
    inner = WIDTH - 2 * MARGIN
    headline = wrapped(verdict.why, 17, inner, "bold", most=5)
    facts = wrapped(" · ".join(setup_facts(result)), 10, inner, most=3)
    method = wrapped(METHOD, 8.5, inner)
    top = MARGIN + 22 + len(headline) * 17 * 1.45 + len(facts) * 14.5 + 12
    sheet = Sheet(WIDTH, top + _panels_height(shown) + len(method) * 12.4 + 46, theme)
    sheet.text(MARGIN, MARGIN + 4, _kicker(verdict), 9.5, color=theme.accent, weight="bold")
    y = sheet.lines(MARGIN, MARGIN + 29, headline, 17, weight="bold")
    sheet.lines(MARGIN, y - 2, facts, 10, color=theme.muted)
    y = _draw_panels(sheet, shown, top, verdict.baseline)
    y = sheet.lines(MARGIN, y + 12, method, 8.5, color=theme.muted)
    hidden = len(panels(result, verdict)) - len(shown)
    more = f" · {hidden} more figures in the full report" if hidden > 0 else ""
    sheet.text(MARGIN, y + 5, run_facts(result) + more, 8.5, color=theme.muted)
    return sheet


def _bare(result: Result, verdict: Verdict, theme_name: ThemeName) -> Sheet:
    """Only the panels, all of them, for a page that says the rest in words."""
    shown = panels(result, verdict)
    sheet = Sheet(WIDTH, _panels_height(shown) + 1, DARK if theme_name == "dark" else LIGHT)
    _draw_panels(sheet, shown, 0, verdict.baseline)
    return sheet


def _panels_height(shown: tuple[Panel, ...]) -> float:
    return sum(_panel_height(panel) + GAP for panel in shown)


def _draw_panels(sheet: Sheet, shown: tuple[Panel, ...], y: float, baseline: str) -> float:
    """Draw them below each other and return the place below the last."""
    columns = _columns(shown, baseline)
    for panel in shown:
        _draw_panel(sheet, panel, y, _panel_height(panel), baseline=baseline, columns=columns)
        y += _panel_height(panel) + GAP
    return y


def _kicker(verdict: Verdict) -> str:
    if verdict.decision is Decision.SWITCH:
        return f"SWITCH FROM {verdict.baseline} TO {verdict.winner}"
    return f"KEEP {verdict.baseline}" if verdict.decision is Decision.KEEP else "NOT DECIDED YET"


def _panel_height(panel: Panel) -> float:
    return HEAD + ROW * min(len(panel.rows), MOST_ROWS) + FOOT


def _draw_panel(sheet: Sheet, panel: Panel, y: float, height: float, *, baseline: str, columns: Columns) -> None:
    """A card: what was measured, then a row per scheduler with its value, interval and outcome."""
    theme, rows = sheet.theme, panel.rows[:MOST_ROWS]
    sheet.box(MARGIN - 12, y, WIDTH - 2 * MARGIN + 24, height, colour=theme.panel)
    which = direction_of(panel.metric)
    label = shortened(panel.metric.label, 11.5, WIDTH - 2 * MARGIN - text_width(which, 9) - 20, "bold")
    sheet.text(MARGIN, y + 24, label, 11.5, weight="bold")
    sheet.text(WIDTH - MARGIN, y + 24, which, 9, color=theme.muted, ha="right")
    left, middle, right = columns
    plot_x = MARGIN + left + middle + 30
    plot_width = WIDTH - MARGIN - right - 18 - plot_x
    for at, row in enumerate(rows):
        line = y + HEAD + ROW * (at + 0.5) + 3.5
        name = shortened(row.scheduler, 10.5, left, "bold")
        sheet.text(MARGIN + 16, line, name, 10.5, weight="bold")
        value = shortened(value_text(row.typical, panel.metric.unit), 9.5, middle)
        sheet.text(MARGIN + 16 + left + middle, line, value, 9.5, ha="right")
        sheet.text(WIDTH - MARGIN - right, line, _verdict_text(row, baseline), 9.5, color=_tone(sheet, row))
    _draw_marks(sheet, rows, y, MARGIN + 4)
    if any(row.gain is not None for row in rows):
        _draw_intervals(sheet, rows, (plot_x, y + HEAD, plot_width, ROW * len(rows)), baseline)


def _columns(shown: tuple[Panel, ...], baseline: str) -> Columns:
    """Return the widths of names and values (at most a quarter of the sheet each) and findings, alike in all panels."""
    rows = [(panel, row) for panel in shown for row in panel.rows[:MOST_ROWS]]
    names = max((text_width(row.scheduler, 10.5, "bold") for _, row in rows), default=0.0)
    values = max((text_width(value_text(row.typical, panel.metric.unit), 9.5) for panel, row in rows), default=0.0)
    findings = max((text_width(_verdict_text(row, baseline), 9.5) for _, row in rows), default=0.0)
    return min(names, WIDTH / 4), min(values, WIDTH / 4) + 14, findings


def _verdict_text(row: Row, baseline: str) -> str:
    if row.outcome is None:
        return "before" if row.scheduler == baseline else ""
    return f"{SIGNS[row.outcome]} {row.outcome.value}  {gain_text(row)}"


def _tone(sheet: Sheet, row: Row) -> str:
    strong = row.outcome in (Outcome.BETTER, Outcome.WORSE)
    return sheet.theme.text if strong else sheet.theme.muted


def _draw_marks(sheet: Sheet, rows: tuple[Row, ...], y: float, x: float) -> None:
    """The sign of each scheduler beside its name: the legend."""
    axes = sheet.axes(x - 8, y + HEAD, 16, ROW * len(rows))
    axes.set_xlim(-1, 1)
    axes.set_ylim(len(rows), 0)
    axes.axis("off")
    for at, row in enumerate(rows):
        mark = scheduler(row.scheduler).mark
        axes.plot([0], [at + 0.5], mark.shape, color=mark.colour(sheet.theme.dark), markersize=7)


def _draw_intervals(
    sheet: Sheet, rows: tuple[Row, ...], place: tuple[float, float, float, float], baseline: str
) -> None:
    theme = sheet.theme
    axes = sheet.axes(*place)
    low, high = _range(rows)
    axes.set_xlim(math.log(low), math.log(high))
    axes.set_ylim(len(rows), 0)
    axes.set_yticks([])
    axes.axvspan(math.log(0.95), math.log(1.05), color=theme.band, linewidth=0, zorder=0)
    axes.axvline(0, color=theme.muted, linewidth=1, zorder=1)
    _ticks(axes, low, high, place[2], sheet)
    for at, row in enumerate(rows):
        _draw_row(axes, at + 0.5, row, (low, high), theme.dark)
    middle = place[0] + place[2] * -math.log(low) / math.log(high / low)
    end = place[1] + place[3]
    text = shortened(f"times better than {baseline} →", 8, place[2])
    wide = text_width(text, 8) / 2
    centre = min(max(middle, place[0] + wide), place[0] + place[2] - wide)
    sheet.text(centre, end + 25, text, 8, color=theme.muted, ha="center")


def _draw_row(axes: Any, y: float, row: Row, ends: tuple[float, float], dark: bool) -> None:
    """Interval as a bar (open towards what lies outside), typical ratio as the scheduler's sign, rounds as dots."""
    if row.gain is None:
        return
    mark = scheduler(row.scheduler).mark
    colour = mark.colour(dark)
    inside = [math.log(dot) for dot in row.dots if ends[0] <= dot <= ends[1]]
    axes.plot(inside, [y + 0.27] * len(inside), ".", color=colour, alpha=0.55, markersize=3, zorder=2)
    if row.gain_low is not None and row.gain_high is not None:
        span = [math.log(min(max(end, ends[0]), ends[1])) for end in (row.gain_low, row.gain_high)]
        axes.plot(span, [y, y], color=colour, linewidth=5, alpha=0.4, solid_capstyle="butt", zorder=3)
    typical = math.log(min(max(row.gain, ends[0]), ends[1]))
    axes.plot([typical], [y], mark.shape, color=colour, markersize=7, zorder=4, clip_on=False)


def _range(rows: tuple[Row, ...]) -> tuple[float, float]:
    """Return the ends of the scale: all typical ratios and their intervals, but no more than a hundredfold."""
    seen = [x for row in rows for x in (row.gain, row.gain_low, row.gain_high) if x is not None]
    typical = [row.gain for row in rows if row.gain is not None and row.gain > 0] or [1.0]
    low = max(min([*seen, 0.8]), min([*typical, 1.0]) / 3, 0.001)
    high = min(max([*seen, 1.25]), max([*typical, 1.0]) * 3, 1000.0)
    room = (high / low) ** 0.05
    return low / room, high * room


def _ticks(axes: Any, low: float, high: float, width: float, sheet: Sheet) -> None:
    """Label as many round ratios as have room, always with 1."""
    chosen: list[float] = [1.0]
    scale = width / math.log(high / low)
    for tick in sorted(_TICKS, key=lambda t: abs(math.log(t))):
        if low <= tick <= high and all(abs(math.log(tick / other)) * scale > 34 for other in chosen):
            chosen.append(tick)
    chosen.sort()
    axes.set_xticks([math.log(tick) for tick in chosen])
    axes.set_xticklabels([f"{tick:g}×" for tick in chosen])
    axes.tick_params(
        axis="x", length=0, pad=3, labelsize=8, labelcolor=sheet.theme.muted, labelfontfamily="DejaVu Sans"
    )
    for tick in chosen:
        axes.axvline(math.log(tick), color=sheet.theme.line, linewidth=0.5, zorder=0.5)
