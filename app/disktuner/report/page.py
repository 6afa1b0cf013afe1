# SPDX-License-Identifier: GPL-3.0-or-later
"""A result as an HTML report."""

from __future__ import annotations

from disktuner.presentation import Panel, Presented
from disktuner.report.drawing import ThemeName
from disktuner.report.picture import svg
from disktuner.report.sheet import document, escaped
from disktuner.report.tables import NUMBERS, cells, heads
from disktuner.vocabulary.messages import text

_STYLE = """
figure { margin: 1rem 0 2rem; } figure svg { width: 100%; height: auto; border-radius: 8px; }
.dark { display: none; }
@media (prefers-color-scheme: dark) { .dark { display: block; } .light { display: none; } }
th:first-child, td:first-child { padding-left: 0; width: 25%; }
td.number, td:last-child { white-space: nowrap; }
@media print { .light { display: block; } .dark { display: none; } }
"""
_THEMES: tuple[ThemeName, ...] = ("light", "dark")


def html(presented: Presented) -> str:
    """Return the report as one HTML document."""
    title = escaped(presented.why)
    pictures = "".join(_figure(presented, theme, title) for theme in _THEMES)
    tables = "".join(_table(panel, presented.verdict.baseline.name) for panel in presented.panels)
    cautions = "".join(f"<li>{escaped(caution)}</li>" for caution in presented.cautions)
    body = (
        f"<h1>{escaped(presented.title)}</h1>{_answer(presented)}"
        f'<p class="note">{escaped(" · ".join(presented.setup))}</p>{pictures}'
        f"<h2>{escaped(text('all-comparisons'))}</h2>{tables}"
        + (f"<h2>{escaped(text('what-to-know'))}</h2><ul>{cautions}</ul>" if cautions else "")
        + (f"<p>{escaped(presented.priorities)}</p>" if presented.priorities else "")
        + f'<p class="note">{escaped(presented.method)}</p>'
        f'<p class="note">{escaped(" · ".join(presented.run))}</p>'
    )
    return document(presented.title, _STYLE, body)


def _answer(presented: Presented) -> str:
    """Return the sentences of the answer, as a list where they are one."""
    points = "".join(f"<li>{escaped(each)}</li>" for each in presented.reasons)
    return f"<ul>{points}</ul>" if points else f"<p>{escaped(presented.why)}</p>"


def _figure(presented: Presented, theme: ThemeName, title: str) -> str:
    """Return a theme's picture as an svg element, its ids made different from the other theme's."""
    whole = svg(presented, theme, bare=True)
    inner = whole[whole.index("<svg") :]
    for attribute in ('id="', 'href="#', "url(#"):
        inner = inner.replace(attribute, f"{attribute}{theme}-")
    return f'<figure class="{theme}" role="img" aria-label="{title}">{inner}</figure>'


def _table(panel: Panel, baseline: str) -> str:
    heading = _line("th", heads(baseline))
    body = "".join(_line("td", cells(row)) for row in panel.rows)
    caption = escaped(f"{panel.label} ({panel.direction})")
    table = f"<table><caption>{caption}</caption><thead>{heading}</thead><tbody>{body}</tbody></table>"
    return f'<div class="wide">{table}</div>'


def _line(tag: str, texts: tuple[str, ...]) -> str:
    line = "".join(
        f'<{tag} class="number">{escaped(shown)}</{tag}>' if at in NUMBERS else f"<{tag}>{escaped(shown)}</{tag}>"
        for at, shown in enumerate(texts)
    )
    return f"<tr>{line}</tr>"
