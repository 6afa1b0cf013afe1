# SPDX-License-Identifier: GPL-3.0-or-later
"""The pattern of a program's start, as results keep it: which ranges of which files it reads, in order.

A pattern holds sizes, offsets and times, never names or contents.
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
"""The largest unpacked pattern. A start of LibreOffice takes 0.1 MB."""
MOST_READS = 200_000
MOST_LENGTH_BYTES = 2**20
"""The longest read; longer ones are split, as the kernel does."""
AHEAD_BYTES = 128 * 1024
"""How much the kernel reads around a touched place by default (VM_READAHEAD_PAGES). Used for estimates only."""


class Access(StrEnum):
    """How a range is read."""

    READ = "read"
    """With read(2): the kernel reads ahead when ranges are consecutive."""

    TOUCHED = "touched"
    """Through a mapping: the kernel reads around the touched place."""

    LOOKED_UP = "looked-up"
    """By the file system itself, for folders and inodes: without read-ahead."""


class Read(msgspec.Struct, frozen=True, array_like=True):
    """A range of a file, read ``think_us`` microseconds after the previous read was answered."""

    file: Annotated[int, Meta(ge=0)]
    offset: Annotated[int, Meta(ge=0)]
    length: Annotated[int, Meta(ge=1, le=MOST_LENGTH_BYTES)]
    think_us: Annotated[int, Meta(ge=0, le=600_000_000)] = 0
    access: Access = Access.READ

    @property
    def end(self) -> int:
        """The first byte after the range."""
        return self.offset + self.length


class Pattern(msgspec.Struct, frozen=True):
    """The reads of a start in sequence: a start waits for one read before it knows the next.

    ``files`` are the file sizes in bytes when it was recorded. Raises ``ValueError`` for reads outside of a file, or of
    more than any start reads.
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
        """How long a start takes without waiting for a disk, in seconds."""
        return sum(read.think_us for read in self.reads) / 1e6

    @property
    def waits(self) -> int:
        """About how often a cold start waits for the disk: blocks that were read ahead need no wait."""
        blocks = set[tuple[int, int]]()
        for read in self.reads:
            first, last = read.offset // AHEAD_BYTES, (read.end - 1) // AHEAD_BYTES
            blocks.update((read.file, block) for block in range(first, last + 1))
        return len(blocks)

    def beginning(self, reads: int) -> Pattern:
        """Return the first reads of a start."""
        return msgspec.structs.replace(self, reads=self.reads[:reads])

    def extents(self, margin_bytes: int = 0) -> dict[int, list[tuple[int, int]]]:
        """Return the disjoint ranges read, with margins, by file in the order of first reads."""
        wanted: dict[int, list[tuple[int, int]]] = {}
        for read in self.reads:
            most = self.files[read.file]
            wanted.setdefault(read.file, []).append(
                (max(0, read.offset - margin_bytes), min(most, read.end + margin_bytes))
            )
        return {file: _joined(sorted(extents)) for file, extents in wanted.items()}

    def size_bytes(self, margin_bytes: int = 0) -> int:
        """Return the total size of ``extents``."""
        return sum(end - begin for extents in self.extents(margin_bytes).values() for begin, end in extents)


def _joined(extents: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merge sorted ranges that touch or overlap."""
    joined = extents[:1]
    for begin, end in extents[1:]:
        if begin <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        else:
            joined.append((begin, end))
    return joined


def encode_pattern(pattern: Pattern) -> str:
    """Return a pattern as a result keeps it: base64 of compressed JSON."""
    data = msgspec.json.encode(pattern)
    return base64.b64encode(gzip.compress(data, mtime=0)).decode("ascii")


def decode_pattern(text: str) -> Pattern:
    """Decode what ``encode_pattern`` returned. Raises ``MeasurementImpossible`` for anything else."""
    try:
        data = zlib.decompressobj(wbits=31).decompress(base64.b64decode(text, validate=True), LARGEST_BYTES)
        return msgspec.json.decode(data, type=Pattern)
    except (ValueError, RecursionError, zlib.error, msgspec.MsgspecError) as error:
        raise MeasurementImpossible("bad-pattern") from error
