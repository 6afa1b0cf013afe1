# SPDX-License-Identifier: GPL-3.0-or-later
"""The HTML report: one file without scripts, styles or pictures from elsewhere, good on screen and on paper."""

from __future__ import annotations

import html as markup

from disktuner.report.figures import METHOD, SIGNS, Panel, panels, run_facts, setup_facts, value_text
from disktuner.report.picture import svg
from disktuner.report.text import columns
from disktuner.results.model import Result
from disktuner.verdict.model import Comparison, Verdict
from disktuner.verdict.priorities import priorities_told
from disktuner.vocabulary.messages import say
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


def escape(text: str) -> str:
    """Return a text as it must stand in HTML, whatever is in it."""
    return markup.escape(printable(text))


def html(result: Result, verdict: Verdict) -> str:
    """Return the report as one HTML document."""
    title = escape(verdict.why)
    pictures = "".join(
        f'<figure class="{theme}" role="img" aria-label="{title}">'
        f"{_inline(svg(result, verdict, theme, bare=True), theme)}</figure>"
        for theme in ("light", "dark")
    )
    compared = {(c.metric, c.scheduler): c for c in verdict.comparisons}
    tables = "".join(_table(panel, verdict.baseline, compared) for panel in panels(result, verdict))
    warnings = "".join(f"<li>{escape(say(warning))}</li>" for warning in result.warnings)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">'
        f"<title>{title}</title><style>{_STYLE}</style></head><body>"
        f"<h1>{title}</h1><p>{escape(' · '.join(setup_facts(result)))}</p>{pictures}"
        f"<h2>All comparisons</h2>{tables}"
        + (f"<h2>What to know</h2><ul>{warnings}</ul>" if warnings else "")
        + (f"<p>{escape(told)}</p>" if (told := priorities_told(result)) else "")
        + f'<p class="note">{escape(METHOD)}</p><p class="note">{escape(run_facts(result))}</p></body></html>\n'
    )


def _inline(svg_text: str, theme: str) -> str:
    """Return only the svg element, its ids made different from the other theme's."""
    inner = svg_text[svg_text.index("<svg") :]
    for attribute in ('id="', 'href="#', "url(#"):
        inner = inner.replace(attribute, f"{attribute}{theme}-")
    return inner


def _table(panel: Panel, baseline: str, compared: dict[tuple[str, str], Comparison]) -> str:
    head = ("scheduler", "typical", "rounds", f"ratio to {baseline}", "95 % interval", "finding")
    kinds = ("", "number", "number", "number", "number", "")
    rows = []
    for row in panel.rows:
        found = compared.get((panel.metric.name, row.scheduler))
        cells = ["", str(row.n), "1", "", "before"] if found is None else list(columns(found))
        finding = f"{SIGNS[found.outcome]} {cells[4]}" if found else cells[4]
        texts = (row.scheduler, value_text(row.typical, panel.metric.unit), *cells[1:4], finding)
        rows.append("".join(_cell("td", text, kind) for text, kind in zip(texts, kinds, strict=True)))
    heading = "".join(_cell("th", text, kind) for text, kind in zip(head, kinds, strict=True))
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    caption = escape(panel.metric.label)
    table = f"<table><caption>{caption}</caption><thead><tr>{heading}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="wide">{table}</div>'


def _cell(tag: str, text: str, kind: str) -> str:
    return f'<{tag} class="{kind}">{escape(text)}</{tag}>' if kind else f"<{tag}>{escape(text)}</{tag}>"
