# SPDX-License-Identifier: GPL-3.0-or-later
"""The pattern of a program's start: which ranges of which files it reads in which order, as results keep it.

A pattern holds sizes, places and times, never names or contents.
"""

from __future__ import annotations

import base64
import gzip
import zlib
from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from disktuner.vocabulary.errors import MeasurementImpossible

LARGEST_BYTES = 2**24
"""Of a pattern, unpacked. A start of LibreOffice takes 0.1 MB."""
MOST_READS = 200_000
MOST_LENGTH_BYTES = 2**20
"""Of one read: a longer one is several, which the kernel makes of it, too."""
AHEAD_BYTES = 128 * 1024
"""What the kernel reads around a place by default (VM_READAHEAD_PAGES). Only announcements rest on this."""


class Access(StrEnum):
    """How a range is read."""

    READ = "read"
    """With read(2), so that the kernel reads ahead when ranges follow each other."""

    TOUCHED = "touched"
    """Through a mapping: the kernel reads around the place."""

    LOOKED_UP = "looked-up"
    """By the file system itself, for folders and inodes: just this, nothing ahead."""


class Read(msgspec.Struct, frozen=True, array_like=True):
    """A range of a file that is read, so long after the read before it was answered (``think_us``: microseconds)."""

    file: Annotated[int, Meta(ge=0)]
    offset: Annotated[int, Meta(ge=0)]
    length: Annotated[int, Meta(ge=1, le=MOST_LENGTH_BYTES)]
    think_us: Annotated[int, Meta(ge=0, le=600_000_000)] = 0
    access: Access = Access.READ

    @property
    def end(self) -> int:
        """The first byte behind the range."""
        return self.offset + self.length


class Pattern(msgspec.Struct, frozen=True):
    """What a start reads, one range after the other: a start waits for one before it knows the next.

    ``files`` are the sizes of the files in bytes, as they were when it was recorded. Raises ``ValueError`` for reads of
    what is in no file, or of more than any start reads.
    """

    files: Annotated[tuple[Annotated[int, Meta(ge=1, le=2**44)], ...], Meta(max_length=20_000)]
    reads: Annotated[tuple[Read, ...], Meta(min_length=1, max_length=MOST_READS)]

    def __post_init__(self) -> None:
        for read in self.reads:
            if read.file >= len(self.files) or read.end > self.files[read.file]:
                raise ValueError(f"this is in no file: {read}")
        if sum(read.length for read in self.reads) > 2**37:
            raise ValueError("no start reads so much")

    @property
    def think_s(self) -> float:
        """How long a start takes where no disk has to be waited for, in seconds."""
        return sum(read.think_us for read in self.reads) / 1e6

    @property
    def waits(self) -> int:
        """How many times a cold start waits for the disk, about: what was read ahead is there."""
        blocks = set[tuple[int, int]]()
        for read in self.reads:
            first, last = read.offset // AHEAD_BYTES, (read.end - 1) // AHEAD_BYTES
            blocks.update((read.file, block) for block in range(first, last + 1))
        return len(blocks)

    def beginning(self, reads: int) -> Pattern:
        """Return the first reads of a start."""
        return msgspec.structs.replace(self, reads=self.reads[:reads])

    def extents(self, around: int = 0) -> dict[int, list[tuple[int, int]]]:
        """Return for each file, in the order of first reads, what is read of it and around that, as ranges apart."""
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


def encode_pattern(pattern: Pattern) -> str:
    """Return a pattern as a result holds it: base64 of compressed JSON."""
    data = msgspec.json.encode(pattern)
    return base64.b64encode(gzip.compress(data, mtime=0)).decode("ascii")


def decode_pattern(text: str) -> Pattern:
    """Read what ``encode_pattern`` wrote. Raises ``MeasurementImpossible`` for what no recording made."""
    try:
        data = zlib.decompressobj(wbits=31).decompress(base64.b64decode(text, validate=True), LARGEST_BYTES)
        return msgspec.json.decode(data, type=Pattern)
    except (ValueError, RecursionError, zlib.error, msgspec.MsgspecError) as error:
        raise MeasurementImpossible("bad-pattern") from error
