# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands' output streams, which let only printable text through."""

from __future__ import annotations

import codecs
import io
import json
import locale
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from typing import Any, TextIO

from disktuner.vocabulary.errors import DisktunerError
from disktuner.vocabulary.printable import printable

_PLAIN = str.maketrans("▁▂▃▄▅▆▇✔±━█▉▊▋▌▍▎▏░⚠→×µ–…“”„·•", '_..-==#*~=#####   .!>xu-."""-*')
"""Replacements of the same width for characters that the locale lacks."""


def is_utf8() -> bool:
    """Whether the locale has all characters."""
    return codecs.lookup(locale.getencoding()).name == "utf-8"


def in_locale(text: str) -> str:
    """Return the text in the locale's characters, ASCII if it has no others."""
    if is_utf8():
        return text
    encoding = locale.getencoding()
    return text.translate(_PLAIN).encode(encoding, "replace").decode(encoding)


class NotPrinted(DisktunerError):
    """The output could not be written: its disk is full, or gone."""

    exit_code = 5


class Printable(io.TextIOBase):
    """A stream that lets only printable text through; raises ``NotPrinted`` for what cannot be written.

    Attributes: ``behind``, the stream itself, for what draws on a terminal and escapes texts on its own.
    """

    def __init__(self, stream: TextIO) -> None:
        self.behind = stream

    def write(self, text: str) -> int:
        """Write a text, escaping whatever a terminal would obey."""
        with _not_printed():
            self.behind.write(in_locale(printable(text)))
        return len(text)

    def flush(self) -> None:
        """Flush the underlying stream."""
        with _not_printed():
            self.behind.flush()

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return self.behind.isatty()

    def close(self) -> None:
        """Leave the stream open: it is not ours."""

    def fileno(self) -> int:
        """The file descriptor below it."""
        return self.behind.fileno()


class Remarks(Printable):
    """A stream for remarks: those that cannot be written are left out, as they are worth no measurement."""

    def write(self, text: str) -> int:
        """Write a text, if that can be done."""
        with suppress(NotPrinted):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        """Flush the underlying stream, if that can be done."""
        with suppress(NotPrinted):
            super().flush()


@contextmanager
def _not_printed() -> Iterator[None]:
    """Raise ``NotPrinted`` for the errors of a disk; a closed pipe is the end that its reader wanted."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise NotPrinted("not-printed", why=error.strerror or str(error)) from error


def open_closed_streams() -> None:
    """Put /dev/null where a standard stream was closed (``>&-``), or a file opened later would become that stream.

    Nothing can be read from it, remarks are lost, and writing results to it fails, as to any stream that cannot take
    them.
    """
    for name, flags, mode in (("stdin", os.O_RDONLY, "r"), ("stdout", os.O_RDONLY, "w"), ("stderr", os.O_WRONLY, "w")):
        if getattr(sys, name) is None:
            number = os.open(os.devnull, flags)  # the lowest one that is free: the stream's own
            os.set_inheritable(number, True)
            setattr(sys, name, os.fdopen(number, mode))


@contextmanager
def printable_only() -> Iterator[None]:
    """Let only printable text through on stdout and stderr."""
    with redirect_stdout(Printable(sys.stdout)), redirect_stderr(Remarks(sys.stderr)):
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
