# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables and lines for people: colours on a terminal, plain text elsewhere, and never anything but printable text."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TextIO

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from disktuner.cli.streams import Printable, in_locale
from disktuner.vocabulary.printable import printable

SHORTEST = 8
"""What is cut off keeps so many columns."""
WIDE = 110
"""The columns of a terminal that has room for what not everybody needs."""
GAP, LEAST_GAP = 8, 3
"""Between two things on one line."""
UNLIMITED = 100_000
"""The columns of what is no terminal: nothing is wrapped or cut there."""


class Screen(Console):
    """A stream that commands draw on.

    Attributes: ``stream``; ``moves``, whether lines can be drawn anew (a terminal that is not dumb). Rich's own
    conveniences (markup, emoji, highlighting) are off: names come from strangers.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stdout
        terminal = self.stream.isatty()
        self.moves = terminal and os.environ.get("TERM", "dumb") not in ("dumb", "unknown")
        colours = self.moves and not os.environ.get("NO_COLOR")
        super().__init__(
            file=self.stream.behind if isinstance(self.stream, Printable) else self.stream,
            force_terminal=self.moves,
            color_system="auto" if colours else None,
            width=None if terminal else UNLIMITED,
            markup=False,
            emoji=False,
            highlight=False,
        )

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Let nothing out but printable text and rich's own control sequences."""
        for segment in super().render(renderable, options):
            harmless = segment.control or segment.text.isprintable()
            text = segment.text if harmless else printable(segment.text)
            yield segment if segment.control else segment._replace(text=in_locale(text))

    def show(self, *shown: RenderableType) -> None:
        """Print texts and tables below each other; where it is no terminal, without blanks at the ends of lines."""
        for each in shown:
            if self.moves:
                self.print(Text(printable(each)) if isinstance(each, str) else each)
            elif isinstance(each, str):
                print(printable(each), file=self.stream, flush=True)
            else:
                with self.capture() as captured:
                    self.print(each)
                lines = captured.get().removesuffix("\n").split("\n")
                print("\n".join(map(str.rstrip, lines)), file=self.stream, flush=True)

    def show_indented(self, line: str) -> None:
        """Print a line whose continuations begin as far to the right as itself."""
        self.show(Padding(cell(line.strip()), (0, 0, 0, len(line) - len(line.lstrip())), expand=False))

    def show_last(self, *lines: str) -> None:
        """Print what to do next: beside each other where they fit, else below, and never broken."""
        room = self.width - sum(map(cell_len, lines))
        fits = len(lines) > 1 and room >= LEAST_GAP * (len(lines) - 1)
        for line in [(" " * min(room, GAP)).join(lines)] if fits else lines:
            self.show_unbroken(cell(line))

    def show_unbroken(self, line: Text) -> None:
        """Print a line that is to be copied: only the terminal itself breaks it."""
        if self.moves:
            self.print(line, soft_wrap=True)
        else:
            self.show(line.plain)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, ``least`` characters wide; what a narrow terminal does with it: ``wraps`` or ``cut``.

    ``is_path``: what is cut off is the beginning.
    """

    heading: str
    style: str = ""
    right: bool = False
    wraps: bool = False
    cut: bool = False
    is_path: bool = False
    least: int = 0


def table(
    columns: Sequence[Column], rows: Iterable[Sequence[str | Text]], width: int = UNLIMITED, *, headed: bool = True
) -> Table:
    """Return rows below headings, aligned by what characters really take; where some are cut, on a screen so wide.

    Without headings columns that are empty are left out.
    """
    lines = [[each if isinstance(each, Text) else cell(each) for each in row] for row in rows]
    if not headed:
        filled = [any(column) for column in zip(*lines, strict=True)]
        columns, lines = list(compress(columns, filled)), [list(compress(line, filled)) for line in lines]
    heads = [cell(column.heading if headed else "") for column in columns]
    widths = [max(each.cell_len for each in column) for column in zip(heads, *lines, strict=True)]
    room = width - sum(wide + 2 for wide, column in zip(widths, columns, strict=True) if not column.cut)
    cuts = _shared(room, [wide for wide, column in zip(widths, columns, strict=True) if column.cut])
    most = [next(cuts) if column.cut else None for column in columns]
    drawn = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", show_header=headed)
    for head, column, wide in zip(heads, columns, most, strict=True):
        drawn.add_column(
            head,
            style=column.style,
            min_width=column.least,
            max_width=wide,
            justify="right" if column.right else "left",
            no_wrap=not column.wraps,
            overflow="fold" if column.wraps else "ellipsis",
        )
    for line in lines:
        drawn.add_row(*(_end(each, wide) if column.is_path and wide else each
                        for each, column, wide in zip(line, columns, most, strict=True)))  # fmt: skip
    return drawn


def _end(path: Text, width: int) -> Text:
    """Return as much of a path's end as there is room for."""
    words = path.plain
    while cell_len(words) > width:
        words = f"…{words[2:]}"
    return Text(words, path.style)


def _shared(room: int, widths: Sequence[int]) -> Iterator[int]:
    """Yield how wide each column may be, the room shared by those that want more than their part."""
    left = list(widths)
    for wide in widths:
        share = max(SHORTEST, (room - 2 * len(left)) // len(left))
        others = sum(min(each, share) for each in left[1:])
        given = max(SHORTEST, min(wide, room - 2 * len(left) - others))
        room, left = room - given - 2, left[1:]
        yield given


def cell(words: str, style: str = "") -> Text:
    """Return the text of one cell, on one line, printable before anything measures its width."""
    return Text(printable(words.replace("\n", " ")), style)
