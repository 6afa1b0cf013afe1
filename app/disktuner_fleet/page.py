# SPDX-License-Identifier: GPL-3.0-or-later
"""The HTML page on many machines' results: an answer per disk model, all machines, and what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from disktuner import __version__
from disktuner.presentation import Row
from disktuner.presentation.scale import Scale
from disktuner.report.sheet import document, escaped
from disktuner.verdict.effects import ratio_of
from disktuner.vocabulary.messages import cleaned, say, text
from disktuner_fleet.gathering import LeftOut
from disktuner_fleet.presented import Forest, OnForest, PresentedGroup, present_group
from disktuner_fleet.summary import Summary

_STYLE = """
h2 { margin: 2.5rem 0 .25rem; padding-top: 1rem; border-top: 1px solid var(--line); }
h2 + p.note { margin: 0 0 .5rem; } p.answer { font-weight: 600; font-size: 1.1rem; margin: 0 0 .5rem; }
a { color: inherit; } ul { padding-left: 1.2rem; }
th:first-child, td:first-child { padding-left: 0; }
th.machines { text-align: right; } td.short { white-space: nowrap; } th[colspan] { padding-top: 1rem; }
@media (max-width: 40rem) { body { padding: 1rem; } table { font-size: .875rem; } th, td { padding: .3rem .4rem; }
  td.short { white-space: normal; } }
figure { margin: 1rem 0 1.5rem; } figcaption { font-size: .9rem; color: var(--muted); }
figcaption b { display: block; color: var(--text); }
svg.forest { display: block; width: 100%; overflow: hidden; font-size: 13px; margin: .5rem 0; }
.forest text { fill: var(--muted); } .forest .all { fill: var(--text); font-weight: 600; }
.forest .tick { stroke: var(--line); } .forest .none { stroke: var(--muted); }
.forest .worth { stroke: var(--muted); stroke-dasharray: 4 3; }
.mark { color: var(--light); } .mark line { stroke: currentColor; } .mark circle, .mark path { fill: currentColor; }
.mark .odd { stroke-dasharray: 3 3; opacity: .8; }
.mark circle.odd { fill: var(--ground); stroke: currentColor; stroke-dasharray: none; opacity: 1; }
@media (prefers-color-scheme: dark) { .mark { color: var(--dark); } }
@media print { .mark { color: var(--light); } }
"""
_NAMES, _ROOM = 24, 9
"""Percentages of the width: for names at the left, and for half a tick label at the right."""
_HIGH, _LOW, _FOOT = 24, 5, 30
"""Pixel heights of a line with a name, of one without, and of the labels below."""
_APART = 0.38
"""The share of the scale that a tick label needs on a phone."""
_HIDDEN = "…"


def machines_page(summary: Summary, personal: bool = False) -> str:
    """Return the summary of many machines' results as one HTML document.

    Files, whose names may identify machines or people, are named only if ``personal``.
    """
    groups = [present_group(group, personal) for group in summary.groups]
    title = text("machines-title")
    facts = (
        text("files-read", count=summary.files),
        text("verdicts-drawn", count=len(groups)),
        text("files-left-out", count=len(summary.left_out)),
        text("of-version", version=__version__),
    )
    body = (
        f'<h1>{escaped(title)}</h1><p class="note">{escaped(" · ".join(facts))}</p>{_overview(groups)}'
        f"{''.join(_section(number, group) for number, group in enumerate(groups, start=1))}"
        f"{_left_out(summary.left_out, personal)}"
        f"<h2>{escaped(text('how-computed'))}</h2>"
        + "".join(f"<p>{escaped(text(f'machines-method-{part}'))}</p>" for part in ("pooled", "odd", "choice"))
    )
    return document(title, _STYLE, body)


def _overview(groups: Sequence[PresentedGroup]) -> str:
    if not groups:
        return f"<p>{escaped(text('machines-none'))}</p>"
    names = ("column-model", "column-advice", "column-estimate", "column-measured-on", "column-goal-of-it")
    heads = "".join(f"<th>{escaped(text(name))}</th>" for name in names)
    rows = "".join(
        f'<tr><td><a href="#g{number}">{escaped(group.model)}</a></td><td>{escaped(group.answer)}</td>'
        f'<td class="short">{escaped(group.difference)}</td><td>{escaped(" · ".join(group.facts))}</td>'
        f"<td>{escaped(group.goal)}</td></tr>"
        for number, group in enumerate(groups, start=1)
    )
    table = f'<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
    return f'{table}<p class="note">{escaped(text("forest-legend"))}</p>'


def _section(number: int, group: PresentedGroup) -> str:
    facts = " · ".join((group.goal, *group.facts))
    sentences = "".join(f"<li>{escaped(sentence)}</li>" for sentence in (*group.why, *group.remarks))
    return (
        f'<section><h2 id="g{number}">{escaped(group.model)}</h2><p class="note">{escaped(facts)}</p>'
        f'<p class="answer">{escaped(group.answer)}</p><ul>{sentences}</ul>'
        f"{_figure(group.forest) if group.forest else ''}{_table(group)}</section>"
    )


def _table(group: PresentedGroup) -> str:
    names = ("column-scheduler", "column-machines", "column-estimate", "column-interval", "column-finding")
    heads = "".join(f'<th class="{name.partition("-")[2]}">{escaped(text(name))}</th>' for name in names)
    labels = dict.fromkeys(label for label, _ in group.rows)
    rows = "".join(_of_figure(label, [row for name, row in group.rows if name == label]) for label in labels)
    return f'<div class="wide"><table><thead><tr>{heads}</tr></thead>{rows}</table></div>'


def _of_figure(label: str, rows: Sequence[Row]) -> str:
    lines = "".join(
        f'<tr><td>{escaped(row.name)}</td><td class="number">{row.n}</td>'
        f'<td class="short">{escaped(row.difference)}</td><td>{escaped(row.interval)}</td>'
        f"<td>{escaped(row.finding)}</td></tr>"
        for row in rows
    )
    return f'<tbody><tr><th colspan="5" scope="rowgroup">{escaped(label)}</th></tr>{lines}</tbody>'


def _left_out(files: Sequence[LeftOut], personal: bool) -> str:
    """Return each left-out file with its reason; unless ``personal``, only the reasons with their counts."""
    if not files:
        return ""
    if personal:
        lines = [text("left-out-file", file=file.file, why=file.why) for file in files]
    else:
        reasons = Counter(say(cleaned(file.why, lambda _: _HIDDEN)) for file in files)
        lines = [text("left-out-reason", count=count, why=why) for why, count in reasons.most_common()]
    items = "".join(f"<li>{escaped(line)}</li>" for line in lines)
    return f"<h2>{escaped(text('what-was-left-out'))}</h2><ul>{items}</ul>"


def _figure(forest: Forest) -> str:
    """Return a group's machines as SVG as wide as the page: horizontal positions scale, letters do not."""
    mark = forest.setting.mark
    heights = [_HIGH if line.name else _LOW for line in forest.lines]
    total = sum(heights)
    tops = [sum(heights[:at]) + height / 2 for at, height in enumerate(heights)]
    names = "".join(map(_name, forest.lines, tops))
    drawn = "".join(map("".join, (_line(forest, line, y) for line, y in zip(forest.lines, tops, strict=True))))
    colours = f"--light: {mark.light}; --dark: {mark.dark}"
    return (
        f"<figure><figcaption><b>{escaped(forest.title)}</b>{escaped(forest.remark)}</figcaption>"
        f'<svg class="forest" height="{total + _FOOT}" role="img" aria-label="{escaped(forest.title)}">'
        f'<svg width="{_NAMES - 2}%">{names}</svg>{"".join(_ticks(forest, total))}'
        f'<g class="mark" style="{colours}">{drawn}</g></svg></figure>'
    )


def _x(forest: Forest, gain: float) -> float:
    return _NAMES + (100 - _NAMES - _ROOM) * forest.scale.at(gain)


def _name(line: OnForest, y: float) -> str:
    if not line.name:
        return ""
    kind = "all" if line.is_all else "one"
    return f'<text class="{kind}" y="{y + 4:g}">{escaped(line.name)}</text>'


def _ticks(forest: Forest, total: float) -> Iterator[str]:
    labels = _labels(forest.scale, forest.worth)
    for gain, _ in forest.scale.ticks:
        x, kind = _x(forest, gain), "none" if gain == 1 else "worth" if gain == forest.worth else "tick"
        yield f'<line class="{kind}" x1="{x:.2f}%" x2="{x:.2f}%" y1="0" y2="{total + 4:g}"/>'
        if gain in labels:
            place = f'x="{x:.2f}%" y="{total + 20:g}" text-anchor="middle"'
            yield f"<text {place}>{escaped(labels[gain])}</text>"


def _labels(scale: Scale, limit: float) -> dict[float, str]:
    """Return the ticks whose labels have room; those of no difference and of the limit come first."""
    labels: dict[float, str] = {}
    for gain, label in sorted(scale.ticks, key=lambda tick: (tick[0] != 1, tick[0] != limit)):
        if all(abs(scale.at(gain) - scale.at(other)) >= _APART for other in labels):
            labels[gain] = label
    return labels


def _line(forest: Forest, line: OnForest, y: float) -> Iterator[str]:
    estimate = line.estimate
    low, at, high = (_x(forest, ratio_of(log)) for log in (estimate.low, estimate.gain, estimate.high))
    odd = ' class="odd"' if line.is_odd else ""
    width = 9 if line.is_all else 2 if line.name else 1
    opacity = ' opacity=".55"' if line.is_all else ""
    yield f'<line{odd} x1="{low:.2f}%" x2="{high:.2f}%" y1="{y:g}" y2="{y:g}" stroke-width="{width}"{opacity}/>'
    radius = 6 if line.is_all else 4 if line.name else 2
    yield f'<circle{odd} cx="{at:.2f}%" cy="{y:g}" r="{radius}"/>'
