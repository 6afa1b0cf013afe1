# SPDX-License-Identifier: GPL-3.0-or-later
"""Aligned columns for terminals, by what characters really take; and sizes as people write them."""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Sequence

from disktuner.vocabulary.printable import printable

_GAP = "  "
UNKNOWN_WIDTH = 100


def terminal_width() -> int:
    """The columns of the terminal; where there is none or it does not say, a usual width."""
    return max(shutil.get_terminal_size((UNKNOWN_WIDTH, 24)).columns, 40)


def table(head: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> str:
    """Rows aligned to the left; the last column alone is shortened to keep each row on one line."""
    rows = [tuple(map(printable, row)) for row in rows]
    columns = list(zip(head, *rows, strict=True))
    widths = [max(map(shown_width, column)) for column in columns]
    last = max(width - sum(widths[:-1]) - len(_GAP) * (len(widths) - 1), shown_width(head[-1]), 12)
    lines = []
    for row in (head, *rows):
        cells = [cell + " " * (wide - shown_width(cell)) for cell, wide in zip(row, widths, strict=True)]
        lines.append(_GAP.join([*cells[:-1], shortened(row[-1], last)]).rstrip())
    return "\n".join(lines)


def shown_width(text: str) -> int:
    """How many columns a text takes: wide East Asian characters two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text
    )


def shortened(text: str, width: int) -> str:
    """The text, or as much of it as fits with an ellipsis."""
    if shown_width(text) <= width:
        return text
    text = text[: 4 * width]  # letters with more than three marks each may be cut early
    while text and shown_width(text) > width - 1:
        text = text[:-1]
    return text.rstrip() + "…"


def size_text(size_bytes: int) -> str:
    """A size as it is printed on disks: ``500 GB``; ``-`` for none."""
    if size_bytes <= 0:
        return "-"
    value = float(size_bytes)
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if value < 999.5:
            return f"{value:.0f} {unit}" if value >= 9.95 or unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} PB"
