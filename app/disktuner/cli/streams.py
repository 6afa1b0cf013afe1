# SPDX-License-Identifier: GPL-3.0-or-later
"""What the commands print: only printable text gets out, whatever is printed."""

from __future__ import annotations

import codecs
import io
import json
import locale
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, TextIO

from disktuner.vocabulary.printable import printable

_PLAIN = str.maketrans("▁▂▃▄▅▆▇✔±━█▉▊▋▌▍▎▏░⚠→×µ–…“”„·•", '_..-==#*~=#####   .!>xu-."""-*')
"""Signs that take as much room where the locale has no others."""


def is_utf8() -> bool:
    """Whether the locale has all signs."""
    return codecs.lookup(locale.getencoding()).name == "utf-8"


def in_locale(text: str) -> str:
    """Return the text in the signs that the locale has, ASCII where that is all."""
    if is_utf8():
        return text
    encoding = locale.getencoding()
    return text.translate(_PLAIN).encode(encoding, "replace").decode(encoding)


class Printable(io.TextIOBase):
    """A stream through which nothing but printable text goes.

    Attributes: ``behind``, the stream itself, for what draws on a terminal and escapes texts on its own.
    """

    def __init__(self, stream: TextIO) -> None:
        self.behind = stream

    def write(self, text: str) -> int:
        """Write a text with everything that a terminal would obey written out."""
        self.behind.write(in_locale(printable(text)))
        return len(text)

    def flush(self) -> None:
        """Pass on what is held back."""
        self.behind.flush()

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return self.behind.isatty()

    def close(self) -> None:
        """Leave the stream open: it is not ours."""

    def fileno(self) -> int:
        """The file descriptor below it."""
        return self.behind.fileno()


@contextmanager
def printable_only() -> Iterator[None]:
    """Let through only what is printable, on both streams."""
    with redirect_stdout(Printable(sys.stdout)), redirect_stderr(Printable(sys.stderr)):
        yield


def complain(sentence: str) -> None:
    """Print what went wrong on stderr, under the program's name."""
    print(f"disktuner: {sentence}", file=sys.stderr)


def remark(*sentences: str) -> None:
    """Print whole sentences on stderr, a line each: stdout is for results."""
    for sentence in sentences:
        print(sentence, file=sys.stderr, flush=True)


def print_json(document: Any) -> None:
    """Print the one JSON document of a command."""
    print(json.dumps(document, ensure_ascii=not is_utf8(), allow_nan=False, indent=2))
