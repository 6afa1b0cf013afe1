# SPDX-License-Identifier: GPL-3.0-or-later
"""The HTML report: one file without scripts, styles or pictures from elsewhere, good on screen and on paper."""

from __future__ import annotations

import html as markup

from disktuner.presentation import Panel, Presented
from disktuner.report.drawing import ThemeName
from disktuner.report.picture import svg
from disktuner.report.tables import NUMBERS, cells, heads
from disktuner.vocabulary.messages import language, text
from disktuner.vocabulary.printable import printable

_STYLE = """
:root { color-scheme: light dark; --text: #1b1f24; --muted: #5a636e; --ground: #fff; --line: #c9ced6; }
@media (prefers-color-scheme: dark) {
  :root { --text: #eef1f5; --muted: #a3adba; --ground: #16191e; --line: #444c57; }
}
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem; font: 1rem/1.5 system-ui, sans-serif;
  color: var(--text); background: var(--ground); }
h1 { font-size: 1.6rem; line-height: 1.3; margin: 0 0 .5rem; } h2 { font-size: 1.2rem; break-after: avoid; }
figure { margin: 1rem 0 2rem; } figure svg { width: 100%; height: auto; border-radius: 8px; }
.dark { display: none; }
@media (prefers-color-scheme: dark) { .dark { display: block; } .light { display: none; } }
table { border-collapse: collapse; width: 100%; margin: 0 0 1.5rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .5rem 0; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: left; overflow-wrap: break-word; }
th:first-child, td:first-child { padding-left: 0; width: 25%; }
.number { text-align: right; }
td.number, td:last-child { white-space: nowrap; }
.wide { overflow-x: auto; }
p.note { color: var(--muted); }
@page { margin: 15mm; }
@media print {
  :root { --text: #000; --muted: #444; --ground: #fff; --line: #aaa; }
  body { padding: 0; max-width: none; font-size: 10pt; line-height: 1.4; }
  .light { display: block; } .dark { display: none; }
  .wide, figure { break-inside: avoid; }
}
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_THEMES: tuple[ThemeName, ...] = ("light", "dark")


def html(presented: Presented) -> str:
    """Return the report as one HTML document."""
    title = _escaped(presented.why)
    pictures = "".join(_figure(presented, theme, title) for theme in _THEMES)
    tables = "".join(_table(panel, presented.verdict.baseline) for panel in presented.panels)
    cautions = "".join(f"<li>{_escaped(caution)}</li>" for caution in presented.cautions)
    return (
        f'<!DOCTYPE html>\n<html lang="{language().tag}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">'
        f"<title>{_escaped(presented.title)}</title><style>{_STYLE}</style></head><body>"
        f"<h1>{_escaped(presented.title)}</h1>{_answer(presented)}"
        f'<p class="note">{_escaped(" · ".join(presented.setup))}</p>{pictures}'
        f"<h2>{_escaped(text('all-comparisons'))}</h2>{tables}"
        + (f"<h2>{_escaped(text('what-to-know'))}</h2><ul>{cautions}</ul>" if cautions else "")
        + (f"<p>{_escaped(presented.priorities)}</p>" if presented.priorities else "")
        + f'<p class="note">{_escaped(presented.method)}</p>'
        f'<p class="note">{_escaped(" · ".join(presented.run))}</p></body></html>\n'
    )


def _answer(presented: Presented) -> str:
    """Return the sentences of the answer, as a list where they are one."""
    points = "".join(f"<li>{_escaped(each)}</li>" for each in presented.reasons)
    return f"<ul>{points}</ul>" if points else f"<p>{_escaped(presented.why)}</p>"


def _escaped(shown: str) -> str:
    """Return a text as it must stand in HTML, whatever is in it."""
    return markup.escape(printable(shown))


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
    caption = _escaped(f"{panel.label} ({panel.direction})")
    table = f"<table><caption>{caption}</caption><thead>{heading}</thead><tbody>{body}</tbody></table>"
    return f'<div class="wide">{table}</div>'


def _line(tag: str, texts: tuple[str, ...]) -> str:
    line = "".join(
        f'<{tag} class="number">{_escaped(shown)}</{tag}>' if at in NUMBERS else f"<{tag}>{_escaped(shown)}</{tag}>"
        for at, shown in enumerate(texts)
    )
    return f"<tr>{line}</tr>"
