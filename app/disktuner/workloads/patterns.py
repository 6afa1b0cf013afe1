# SPDX-License-Identifier: GPL-3.0-or-later
"""The pattern of a program's start: which ranges of which files it reads in which order, as results keep it.

A pattern holds sizes, places and times, never names or contents.
"""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from dataclasses import dataclass, replace
from enum import StrEnum

from disktuner.vocabulary.errors import MeasurementImpossible

LARGEST_BYTES = 2**24
"""Of a pattern, unpacked. A start of LibreOffice takes 0.1 MB."""
MOST_FILES = 20_000
MOST_READS = 200_000
MOST_SIZE_BYTES = 2**44
MOST_LENGTH_BYTES = 2**20
"""Of one read: a longer one is several, which the kernel makes of it, too."""
MOST_TOTAL_BYTES = 2**37
MOST_THINK_S = 600.0
AHEAD_BYTES = 128 * 1024
"""What the kernel reads around a place by default (VM_READAHEAD_PAGES). Only announcements rest on this."""


class BadPattern(MeasurementImpossible):
    """This is no pattern, a damaged one, or one that no recording can have made."""

    def __init__(self) -> None:
        super().__init__("bad-pattern")


class Access(StrEnum):
    """How a range is read."""

    READ = "read"
    """With read(2), so that the kernel reads ahead when ranges follow each other."""

    TOUCHED = "touched"
    """Through a mapping: the kernel reads around the place."""

    LOOKED_UP = "looked-up"
    """By the file system itself, for folders and inodes: just this, nothing ahead."""


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
    """What a start reads, one range after the other: a start waits for one before it knows the next.

    ``files`` are the sizes of the files in bytes, as they were when it was recorded. Raises ``ValueError`` or
    ``TypeError`` for what no recording can have made.
    """

    files: tuple[int, ...]
    reads: tuple[Read, ...]

    def __post_init__(self) -> None:
        _check(len(self.files), 1, MOST_FILES)
        _check(len(self.reads), 1, MOST_READS)
        for size_bytes in self.files:
            _check(size_bytes, 1, MOST_SIZE_BYTES)
        for read in self.reads:
            _check(read.file, 0, len(self.files) - 1)
            _check(read.offset, 0, self.files[read.file])
            _check(read.length, 1, min(MOST_LENGTH_BYTES, self.files[read.file] - read.offset))
            if not 0 <= read.think_s <= MOST_THINK_S:
                raise ValueError(f"nobody waits for so long: {read}")
        _check(sum(read.length for read in self.reads), 1, MOST_TOTAL_BYTES)

    @property
    def think_s(self) -> float:
        """How long a start takes where no disk has to be waited for, in seconds."""
        return sum(read.think_s for read in self.reads)

    @property
    def waits(self) -> int:
        """How many times a cold start waits for the disk, about: what was read ahead is there."""
        return len(
            {
                (read.file, block)
                for read in self.reads
                for block in range(read.offset // AHEAD_BYTES, (read.end - 1) // AHEAD_BYTES + 1)
            }
        )

    @property
    def rows(self) -> list[tuple[int, int, int, int, str]]:
        """The reads as plain figures: file, offset, length, think time in microseconds, access."""
        return [(each.file, each.offset, each.length, round(1e6 * each.think_s), each.access) for each in self.reads]

    def beginning(self, reads: int) -> Pattern:
        """Return the first reads of a start."""
        return replace(self, reads=self.reads[:reads])

    def extents(self, around: int = 0) -> dict[int, list[tuple[int, int]]]:
        """Return for each file what is read of it and so much around that, as ranges in order and apart.

        The files are in the order of their first reads.
        """
        wanted: dict[int, list[tuple[int, int]]] = {}
        for read in self.reads:
            most = self.files[read.file]
            wanted.setdefault(read.file, []).append((max(0, read.offset - around), min(most, read.end + around)))
        return {file: _joined(sorted(extents)) for file, extents in wanted.items()}

    def size_bytes(self, around: int = 0) -> int:
        """Return how much that is, what is read twice counted once."""
        return sum(end - begin for extents in self.extents(around).values() for begin, end in extents)


def _joined(extents: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return sorted ranges with those made one that touch."""
    found = extents[:1]
    for begin, end in extents[1:]:
        if begin <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((begin, end))
    return found


def _check(number: object, least: int, most: int) -> None:
    if type(number) is not int or not least <= number <= most:
        raise ValueError(f"{number} is no whole number from {least} to {most}")


def encode_pattern(pattern: Pattern) -> str:
    """Return a pattern as a result holds it: base64 of compressed JSON."""
    data = json.dumps({"files": pattern.files, "reads": pattern.rows}, separators=(",", ":")).encode("ascii")
    return base64.b64encode(gzip.compress(data, mtime=0)).decode("ascii")


def decode_pattern(text: str) -> Pattern:
    """Read what ``encode_pattern`` wrote. Raises ``BadPattern`` for all else: a result may come from anybody."""
    try:
        data = zlib.decompressobj(wbits=31).decompress(base64.b64decode(text, validate=True), LARGEST_BYTES)
        found = json.loads(data)
        rows = ((file, at, length, us / 1e6, Access(access)) for file, at, length, us, access in found["reads"])
        return Pattern(tuple(found["files"]), tuple(Read(*row) for row in rows))
    except (ValueError, TypeError, LookupError, RecursionError, OverflowError, zlib.error) as error:
        raise BadPattern from error
