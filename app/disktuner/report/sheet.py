# SPDX-License-Identifier: GPL-3.0-or-later
"""What all pages share: a self-contained HTML file without scripts, for screen and paper."""

from __future__ import annotations

import html as markup

from disktuner.vocabulary.messages import language
from disktuner.vocabulary.printable import printable

_STYLE = """
:root { color-scheme: light dark; --text: #1b1f24; --muted: #5a636e; --ground: #fff; --line: #c9ced6; }
@media (prefers-color-scheme: dark) {
  :root { --text: #eef1f5; --muted: #a3adba; --ground: #16191e; --line: #444c57; }
}
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem; font: 1rem/1.5 system-ui, sans-serif;
  color: var(--text); background: var(--ground); }
h1 { font-size: 1.6rem; line-height: 1.3; margin: 0 0 .5rem; } h2 { font-size: 1.2rem; break-after: avoid; }
table { border-collapse: collapse; width: 100%; margin: 0 0 1.5rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: left; overflow-wrap: break-word; }
.number { text-align: right; }
.wide { overflow-x: auto; }
p.note { color: var(--muted); }
@page { margin: 15mm; }
@media print {
  :root { --text: #000; --muted: #444; --ground: #fff; --line: #aaa; }
  body { padding: 0; max-width: none; font-size: 10pt; line-height: 1.4; }
  .wide, figure { break-inside: avoid; }
}
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def escaped(shown: str) -> str:
    """Return any text escaped for HTML."""
    return markup.escape(printable(shown))


def document(title: str, style: str, body: str) -> str:
    """Return a whole page; ``style`` is this page's additional CSS, ``body`` is HTML."""
    return (
        f'<!DOCTYPE html>\n<html lang="{language().tag}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">'
        f"<title>{escaped(title)}</title><style>{_STYLE}{style}</style></head><body>{body}</body></html>\n"
    )
