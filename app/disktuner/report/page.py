# SPDX-License-Identifier: GPL-3.0-or-later
"""A result as an HTML report: the answer as on its card, then a chart and a table of every figure."""

from __future__ import annotations

from collections.abc import Callable

from disktuner.drawing.figures import bars_svg
from disktuner.drawing.ink import ThemeName
from disktuner.presentation import Panel, Presented, bars_of
from disktuner.report.sheet import document, escaped
from disktuner.report.tables import NUMBERS, cells, heads
from disktuner.vocabulary.messages import text

_STYLE = """
h2 + p { margin-top: 0; } .answer { font-size: 1.2rem; margin: 0 0 1rem; }
figure { margin: .5rem 0; } figure svg { display: block; width: 100%; height: auto; }
figure svg text { font-family: system-ui, sans-serif; }
.dark { display: none; }
@media (prefers-color-scheme: dark) { .dark { display: block; } .light { display: none; } }
h3 { font-size: 1rem; margin: 0 0 .25rem; } section { break-inside: avoid; margin: 0 0 2rem; }
table { font-size: .875rem; }
th:first-child, td:first-child { padding-left: 0; width: 25%; }
td.number, td:last-child { white-space: nowrap; }
@media print { .light { display: block; } .dark { display: none; } }
"""
_THEMES: tuple[ThemeName, ...] = ("light", "dark")


def html(presented: Presented) -> str:
    """Return the report as one HTML document."""
    figures = "".join(_section(panel, presented) for panel in presented.panels)
    cautions = "".join(f"<li>{escaped(caution)}</li>" for caution in presented.cautions)
    body = (
        f'<h1>{escaped(presented.title)}</h1><p class="answer">{escaped(presented.glance.sentence)}</p>'
        f'{_glance(presented)}<p class="note">{escaped(" · ".join(presented.setup))}</p>'
        f'<p class="note">{escaped(" · ".join(presented.run))}</p>{_reasons(presented)}'
        + (f"<h2>{escaped(text('what-to-know'))}</h2><ul>{cautions}</ul>" if cautions else "")
        + f"<h2>{escaped(text('all-figures'))}</h2>{figures}"
        + (f"<p>{escaped(presented.priorities)}</p>" if presented.priorities else "")
        + f'<p class="note">{escaped(presented.method_drawn)}</p>'
    )
    return document(presented.title, _STYLE, body)


def _glance(presented: Presented) -> str:
    """Return the chart of the answer, and the price."""
    bars, price = presented.bars, presented.glance.price
    chart = (
        ""
        if bars is None
        else f"<p>{escaped(bars.title)}</p>{_figure(lambda theme: bars_svg(bars, theme, plain=True), bars.title)}"
    )
    return chart + (f"<p><strong>{escaped(price)}</strong></p>" if price else "")


def _reasons(presented: Presented) -> str:
    points = "".join(f"<li>{escaped(reason)}</li>" for reason in presented.reasons or (presented.why,))
    return f"<h2>{escaped(text('why'))}</h2><ul>{points}</ul>"


def _section(panel: Panel, presented: Presented) -> str:
    bars = bars_of(panel, presented.about)
    chart = _figure(lambda theme: bars_svg(bars, theme), panel.label)
    return f"<section><h3>{escaped(bars.title)}</h3>{chart}{_table(panel, presented.verdict.baseline.name)}</section>"


def _figure(draw: Callable[[ThemeName], str], title: str) -> str:
    """Return a chart in both themes, of which the page shows one."""
    return "".join(
        f'<figure class="{theme}" role="img" aria-label="{escaped(title)}">{draw(theme)}</figure>' for theme in _THEMES
    )


def _table(panel: Panel, baseline: str) -> str:
    heading = _line("th", heads(baseline))
    body = "".join(_line("td", cells(row)) for row in panel.rows)
    label = escaped(f"{panel.label} ({panel.direction})")
    table = f'<table aria-label="{label}"><thead>{heading}</thead><tbody>{body}</tbody></table>'
    return f'<div class="wide">{table}</div>'


def _line(tag: str, texts: tuple[str, ...]) -> str:
    line = "".join(
        f'<{tag} class="number">{escaped(shown)}</{tag}>' if at in NUMBERS else f"<{tag}>{escaped(shown)}</{tag}>"
        for at, shown in enumerate(texts)
    )
    return f"<tr>{line}</tr>"
