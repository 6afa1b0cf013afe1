# SPDX-License-Identifier: GPL-3.0-or-later
"""The pattern of a program's start: which files and ranges it reads in which order, in a small file that can be shared.

A pattern holds sizes, places and times, never contents; the files' names only where they were asked for.
"""

from __future__ import annotations

import gzip
import itertools
import json
import zlib
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from disktuner.opening import NoRegularFile, read_regular
from disktuner.results.model import BadResult
from disktuner.results.reading import Fields, as_text, bad, list_at, parse
from disktuner.results.store import write_atomically
from disktuner.vocabulary.errors import MeasurementImpossible, UsageError
from disktuner.vocabulary.messages import Value, message

FORMAT = "disktuner.pattern/1"
LARGEST_FILE_BYTES = 2**24
"""Of a pattern, unpacked. A start of LibreOffice takes 0.1 MB."""
LARGEST_PLAIN_BYTES = 2**14
"""What is longer is compressed."""
MOST_FILES = 20_000
MOST_READS = 200_000
MOST_SIZE_BYTES = 2**44
MOST_LENGTH_BYTES = 2**20
"""Of one read: a longer one is several, which the kernel makes of it, too."""
MOST_TOTAL_BYTES = 2**37
MOST_THINK_S = 600.0
_GZIP = b"\x1f\x8b"
_MICROSECONDS = 1e6


class BadPattern(MeasurementImpossible):
    """The file is no pattern, a damaged one, or one that no recording can have made."""


class NoSuchPattern(UsageError):
    """There is no such file, or it cannot be read."""


class Access(StrEnum):
    """How a range is read."""

    READ = "read"
    """With read(2), so that the kernel reads ahead when ranges follow each other."""

    TOUCHED = "touched"
    """Through a mapping: the kernel reads around the place."""

    LOOKED_UP = "looked-up"
    """By the file system itself, for folders and inodes: just this, nothing ahead."""


@dataclass(frozen=True, slots=True)
class PatternFile:
    """One file that a start reads: its size when it was recorded and, only where that was asked for, its name."""

    size_bytes: int
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Read:
    """A range of a file that is read, ``think_s`` after the read before it was answered."""

    file: int
    offset: int
    length: int
    think_s: float = 0.0
    access: Access = Access.READ

    @property
    def end(self) -> int:
        """The first byte behind the range."""
        return self.offset + self.length


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a start reads, one range after the other: a start waits for one before it knows the next."""

    files: tuple[PatternFile, ...]
    reads: tuple[Read, ...]

    def __post_init__(self) -> None:
        if not self.reads or len(self.reads) > MOST_READS or len(self.files) > MOST_FILES:
            raise _wrong("pattern-count", files=MOST_FILES, reads=MOST_READS)
        for number, file in enumerate(self.files):
            _within(file.size_bytes, 1, MOST_SIZE_BYTES, f"files[{number}]")
        for number, read in enumerate(self.reads):
            place = f"reads[{number}]"
            _within(read.file, 0, len(self.files) - 1, place)
            _within(read.offset, 0, self.files[read.file].size_bytes, place)
            _within(read.length, 1, min(MOST_LENGTH_BYTES, self.files[read.file].size_bytes - read.offset), place)
            _within(read.think_s, 0, MOST_THINK_S, place)
        _within(self.read_bytes, 1, MOST_TOTAL_BYTES, "reads")

    @property
    def read_bytes(self) -> int:
        """How much it reads, what is read twice counted twice."""
        return sum(read.length for read in self.reads)

    @property
    def think_s(self) -> float:
        """How long a start takes where no disk has to be waited for, in seconds."""
        return sum(read.think_s for read in self.reads)

    def nameless(self) -> Pattern:
        """Return the same without the files' names."""
        return replace(self, files=tuple(PatternFile(file.size_bytes) for file in self.files))


def save_pattern(pattern: Pattern, path: Path, *, with_names: bool = False) -> Path:
    """Write a pattern as a whole or not at all, without its files' names unless asked for. Raises ``NotSaved``."""
    data = encode_pattern(pattern if with_names else pattern.nameless())
    return write_atomically(path, data)


def load_pattern(path: Path) -> Pattern:
    """Read a pattern, whoever wrote it. Raises ``NoSuchPattern`` or ``BadPattern``."""
    try:
        data = read_regular(path, LARGEST_FILE_BYTES)
    except NoRegularFile as error:
        raise NoSuchPattern("no-regular-file", file=str(path)) from error
    except OSError as error:
        raise NoSuchPattern("pattern-not-readable", file=str(path), why=error.strerror or str(error)) from error
    return decode_pattern(data)


def encode_pattern(pattern: Pattern) -> bytes:
    """Return a pattern as a file holds it: JSON, compressed unless it is short. Times are in microseconds."""
    document = {
        "format": FORMAT,
        "files": [
            {"size_bytes": file.size_bytes} | ({"name": file.name} if file.name is not None else {})
            for file in pattern.files
        ],
        "reads": [
            [read.file, read.offset, read.length, round(read.think_s * _MICROSECONDS), read.access.value]
            for read in pattern.reads
        ],
    }
    data = json.dumps(document, separators=(",", ":")).encode("ascii")
    return data if len(data) <= LARGEST_PLAIN_BYTES else gzip.compress(data, mtime=0)


def decode_pattern(data: bytes) -> Pattern:
    """Read what ``encode_pattern`` wrote. Raises ``BadPattern`` for all else."""
    try:
        return _pattern(Fields.of(parse(as_text(_unpacked(data))), "pattern"))
    except BadResult as error:
        raise BadPattern("bad-pattern", wrong=error.message.values.get("wrong") or error.message) from error
    except UnicodeDecodeError as error:
        raise _wrong("pattern-no-text") from error


def _unpacked(data: bytes) -> bytes:
    """Return the text, of which no more is unpacked than a pattern may have."""
    if data.startswith(_GZIP):
        try:
            data = zlib.decompressobj(wbits=31).decompress(data, LARGEST_FILE_BYTES + 1)
        except zlib.error as error:
            raise _wrong("pattern-no-text") from error
    if len(data) > LARGEST_FILE_BYTES:
        raise _wrong("pattern-too-large", most=LARGEST_FILE_BYTES)
    return data


def _pattern(fields: Fields) -> Pattern:
    if fields.take("format") != FORMAT:
        raise _wrong("pattern-format", known=FORMAT)
    files = tuple(
        _file(Fields.of(each, f"files[{number}]"))
        for number, each in enumerate(list_at(fields.take("files"), "files", MOST_FILES))
    )
    reads = tuple(
        _read(list_at(each, f"reads[{number}]", 5), f"reads[{number}]")
        for number, each in enumerate(list_at(fields.take("reads"), "reads", MOST_READS))
    )
    return Pattern(files, reads)


def _file(fields: Fields) -> PatternFile:
    return PatternFile(_whole(fields.take("size_bytes"), fields.where("size_bytes")), fields.optional_name("name"))


def _read(values: list[Any], place: str) -> Read:
    if len(values) != 5:
        raise _wrong("must-be-read", place=place)
    file, offset, length, think_us = (_whole(value, place) for value in itertools.islice(values, 4))
    return Read(file, offset, length, think_us / _MICROSECONDS, _access(values[4], place))


def _whole(value: object, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_SIZE_BYTES:
        raise bad("must-be-position", place, most=MOST_SIZE_BYTES)
    return value


def _access(value: object, place: str) -> Access:
    try:
        return Access(str(value))
    except ValueError as error:
        raise _wrong("must-be-one-of", place=place, known=tuple(each.value for each in Access)) from error


def _within(value: float, least: float, most: float, place: str) -> None:
    if not least <= value <= most:
        raise _wrong("must-be-within", place=place, least=least, most=most)


def _wrong(id_: str, **values: Value) -> BadPattern:
    return BadPattern("bad-pattern", wrong=message(id_, **values))
