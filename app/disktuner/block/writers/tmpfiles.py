# SPDX-License-Identifier: GPL-3.0-or-later
"""What lines of tmpfiles.d(5) write into a disk's queue, as ``parse_line`` in src/tmpfiles/tmpfiles.c reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from disktuner.block.sysfs import lines_of
from disktuner.block.writers.texts import attribute_of, of_queue
from disktuner.block.writers.writer import Standing, Subject, Writer, alternatives

_WORD = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\\.|[^\s"'\\])+"""
_LINE = re.compile(rf"(?P<type>w\S*|f\S*\+\S*)\s+(?P<path>{_WORD})(?:\s+{_WORD}){{4}}\s+(?P<value>.*)")
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|[0-7]{3}|.)")
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "s": " ", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


def tmpfiles_writers(subject: Subject, files: Iterable[str], standing: Standing) -> Iterator[Writer]:
    """Yield what the files set; of several lines for one path only the first counts, unless all append.

    Unlike the path, the value has no quotes: they would be written, too.
    """
    first: dict[tuple[str, str], tuple[Writer, bool]] = {}
    for file in files:
        for number, line in lines_of(subject.tree, file):
            if (fields := _LINE.fullmatch(line)) is None:
                continue
            path, letter = re.sub(r"[\"']", "", _unescaped(fields["path"])), fields["type"][:1]
            appends = letter == "w" and "+" in fields["type"]
            for disk, name in filter(None, map(of_queue, alternatives(path))):
                if subject.is_called(disk):
                    value = _unescaped(fields["value"]).strip().replace("%%", "%")
                    writer = Writer("tmpfiles.d", file, number, attribute_of(name), value).stands(standing)
                    before, all_append = first.setdefault((letter, path), (writer, appends))
                    counts = before.place == writer.place or (appends and all_append)
                    yield writer if counts else writer.beaten_by(before)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda match: _character(match[1]), text)


def _character(escape: str) -> str:
    if len(escape) == 3:
        return chr(int(escape[1:], 16) if escape[0] == "x" else int(escape, 8))
    return _LETTERS.get(escape, escape)
