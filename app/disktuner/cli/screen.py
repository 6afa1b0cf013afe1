# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables and lines for people: colours on a terminal, plain text elsewhere, and only printable text."""

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
"""The least width of a column that is cut."""
WIDE = 110
"""The width of a terminal with room for optional details."""
GAP, LEAST_GAP = 8, 3
"""The gap between two items on a line."""
UNLIMITED = 100_000
"""The width of other streams than terminals, on which nothing is wrapped or cut."""


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
        """Output only printable text and rich's control sequences."""
        for segment in super().render(renderable, options):
            harmless = segment.control or segment.text.isprintable()
            text = segment.text if harmless else printable(segment.text)
            yield segment if segment.control else segment._replace(text=in_locale(text))

    def show(self, *shown: RenderableType) -> None:
        """Print texts and tables below each other; without trailing blanks if it is no terminal."""
        for line in shown:
            if self.moves:
                self.print(Text(printable(line)) if isinstance(line, str) else line)
            elif isinstance(line, str):
                print(printable(line), file=self.stream, flush=True)
            else:
                with self.capture() as captured:
                    self.print(line)
                lines = captured.get().removesuffix("\n").split("\n")
                print("\n".join(map(str.rstrip, lines)), file=self.stream, flush=True)

    def show_indented(self, line: str) -> None:
        """Print a line whose continuations have the same indentation."""
        self.show(Padding(cell(line.strip()), (0, 0, 0, len(line) - len(line.lstrip())), expand=False))

    def show_last(self, *lines: str) -> None:
        """Print the next steps on one line if they fit, else on several, never broken."""
        room = self.width - sum(map(cell_len, lines))
        fits = len(lines) > 1 and room >= LEAST_GAP * (len(lines) - 1)
        for line in [(" " * min(room, GAP)).join(lines)] if fits else lines:
            self.show_unbroken(cell(line))

    def show_unbroken(self, line: Text) -> None:
        """Print a line to copy, which only the terminal itself breaks."""
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
    lines = [[value if isinstance(value, Text) else cell(value) for value in row] for row in rows]
    if not headed:
        filled = [any(column) for column in zip(*lines, strict=True)]
        columns, lines = list(compress(columns, filled)), [list(compress(line, filled)) for line in lines]
    heads = [cell(column.heading if headed else "") for column in columns]
    widths = [max(value.cell_len for value in column) for column in zip(heads, *lines, strict=True)]
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
        drawn.add_row(*(_end(value, wide) if column.is_path and wide else value
                        for value, column, wide in zip(line, columns, most, strict=True)))  # fmt: skip
    return drawn


def _end(path: Text, width: int) -> Text:
    """Return as much of a path's end as there is room for."""
    words = path.plain
    while cell_len(words) > width:
        words = f"…{words[2:]}"
    return Text(words, path.style)


def _shared(room: int, widths: Sequence[int]) -> Iterator[int]:
    """Yield the width of each column; those that want more than their share divide what others leave."""
    left = list(widths)
    for wide in widths:
        share = max(SHORTEST, (room - 2 * len(left)) // len(left))
        others = sum(min(width, share) for width in left[1:])
        given = max(SHORTEST, min(wide, room - 2 * len(left) - others))
        room, left = room - given - 2, left[1:]
        yield given


def cell(words: str, style: str = "") -> Text:
    """Return the text of a cell on one line, made printable before its width is measured."""
    return Text(printable(words.replace("\n", " ")), style)
