# SPDX-License-Identifier: GPL-3.0-or-later
"""What the program writes on a terminal: printable text, and the few control sequences that are its own."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import TextIO

from disktuner.vocabulary.printable import printable

CLEAR_LINE = "\r\033[K"
CLEAR_SCREEN = "\033[H\033[J"


class Printable(io.TextIOBase):
    """A stream through which nothing but printable text goes, whatever is printed; ``control`` goes past it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text with everything that a terminal would obey written out."""
        self._stream.write(printable(text))
        return len(text)

    def control(self, sequence: str) -> None:
        """Have the terminal obey."""
        self._stream.write(sequence)

    def flush(self) -> None:
        """Pass on what is held back."""
        self._stream.flush()

    def isatty(self) -> bool:
        """Whether somebody looks at it."""
        return self._stream.isatty()

    def close(self) -> None:
        """Leave the stream open: it is not ours."""

    def fileno(self) -> int:
        """The file descriptor below it."""
        return self._stream.fileno()


@contextmanager
def printable_only() -> Iterator[None]:
    """Let through only what is printable, on both streams."""
    with redirect_stdout(Printable(sys.stdout)), redirect_stderr(Printable(sys.stderr)):
        yield


def control(stream: object, sequence: str) -> None:
    """Send one of this module's control sequences to a stream that ``printable_only`` guards."""
    if isinstance(stream, Printable):
        stream.control(sequence)
