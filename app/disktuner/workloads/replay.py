# SPDX-License-Identifier: GPL-3.0-or-later
"""Replays the recorded start of a program: cold, on scratch files of the same sizes, beside writers or readers."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from disktuner.vocabulary.beside import NOTHING_BESIDE, Beside
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.workloads import WorkloadFacts
from disktuner.workloads import pattern_reader
from disktuner.workloads.beside import Background, amount_for, prepare_beside
from disktuner.workloads.cold import make_cold
from disktuner.workloads.patterns import Pattern
from disktuner.workloads.source import write_extents
from disktuner.workloads.starts import Start, estimate, parse_start
from disktuner.workloads.under_load import FAST_BESIDE, FAST_WAIT, SLOW_BESIDE, SLOW_WAIT
from disktuner.workloads.workload import MIB, Measurement, Probe, Processes, Scratch, Size, Workload, own_program
from disktuner.workloads.writers import Gate, wait_until_ready

OWN = "own-program"
MOST_STARTS = 8
AROUND_S = 0.1
"""What starting the reader and making the files cold takes."""
AROUND_BYTES = MIB
"""So much on both sides of what is read is written: more than the kernel reads ahead as a rule. The rest of a scratch
file is a hole, which takes no room and no time."""
AHEAD_BYTES = 128 * 1024
"""What the kernel reads around a place by default (VM_READAHEAD_PAGES). Only announcements rest on this."""
LEFT_SHARE = 0.5
"""Which part of the free room the scratch files may take."""

Extent = tuple[int, int]
"""The first byte of a range of a file, and the first behind it."""


@dataclass(frozen=True, slots=True)
class Part:
    """What a start reads, or its beginning: how often that waits for the disk, and what its scratch files hold."""

    pattern: Pattern
    waits: int
    prepared_bytes: int

    @staticmethod
    def of(pattern: Pattern) -> Part:
        """Return what has to be known of a pattern for its size."""
        prepared = sum(end - begin for extents in extents_of(pattern) for begin, end in extents)
        return Part(pattern, sum(waits(pattern)), prepared)

    def has_room(self, probe: Probe) -> bool:
        """Whether its scratch files leave enough to what writes beside them."""
        return self.prepared_bytes <= LEFT_SHARE * probe.free_bytes

    def start_s(self, probe: Probe, beside: Beside) -> float:
        """Return how long a cold start takes on a disk as probed, about, in seconds."""
        read_s = probe.random_read_s
        if beside.writers or beside.readers:
            least, most = (SLOW_WAIT, SLOW_BESIDE) if probe.seeks_slowly else (FAST_WAIT, FAST_BESIDE)
            read_s *= min(most * least, max(least, probe.beside_read_s / probe.random_read_s))
        return self.pattern.think_s + self.waits * (read_s + AHEAD_BYTES / probe.read_bytes_per_s)


class Replay(Workload):
    """``scale`` is the number of starts, each cold, ``extra`` the MiB of each file that is beside them.

    Attributes: ``pattern`` is what a start reads.
    """

    pattern: Pattern

    def __init__(
        self, pattern: Pattern, beside: Beside = NOTHING_BESIDE, id_: str = OWN, facts: WorkloadFacts | None = None
    ) -> None:
        self.id = id_
        self.pattern = pattern
        self._beside = beside
        self._facts = facts

    @property
    def facts(self) -> WorkloadFacts:
        """What is declared, or what it was given: a program of the user's has its own names."""
        return self._facts or super().facts

    def starts(self, size: Size) -> tuple[Pattern, int]:
        """Return what a start of this size reads, and how many starts a run has."""
        return self.pattern, size.scale

    def size(self, probe: Probe, seconds: float) -> Size:
        """As many starts as fit into that time, at least one. Raises ``MeasurementImpossible`` where room lacks."""
        part = Part.of(self.pattern)
        start_s = part.start_s(probe, self._beside) + AROUND_S
        starts = max(1, min(MOST_STARTS, int(seconds / start_s)))
        # The writers go on while the files of the next start are made cold.
        return self.sized(part, probe, starts, starts * start_s - AROUND_S)

    def sized(self, part: Part, probe: Probe, scale: int, beside_s: float) -> Size:
        """Return the size of a run of a part, beside which something goes on for so long.

        Raises ``MeasurementImpossible`` where room lacks.
        """
        if not part.has_room(probe):
            raise MeasurementImpossible("pattern-needs-room", needed=part.prepared_bytes, free=probe.free_bytes)
        amount = amount_for(self._beside, probe, beside_s)
        prepared = part.prepared_bytes + amount.bytes_prepared
        expected_s = beside_s + AROUND_S + amount.around_s
        kept, source = prepared + amount.bytes_written, amount.bytes_source
        return Size(scale, amount.bytes_written, prepared, expected_s, kept, source, amount.mib, amount.settle_s)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        """Write the files that a start reads, in the order in which it reads them, and what is read beside it."""
        folder = scratch.folder / self.id
        folder.mkdir(0o700)
        pattern, _ = self.starts(size)
        every = extents_of(pattern)
        for number in in_order(pattern):
            path, extents = folder / _file(number), every[number]
            size_bytes = pattern.files[number].size_bytes
            try:
                write_extents(path, size_bytes, extents, scratch.seed, processes.check)
            except OSError as error:
                if error.errno != errno.EFBIG:
                    raise
                raise MeasurementImpossible("pattern-file-too-large", size=size_bytes) from error
        prepare_beside(self._beside, size, replace(scratch, folder=folder), processes.check)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Make the files cold, start what is beside, start the program so many times, end what is beside."""
        scratch = replace(scratch, folder=scratch.folder / self.id)
        background = Background(self._beside, size, scratch, processes)
        pattern, starts = self.starts(size)
        made: list[Start] = []
        for number in range(starts):
            for each in in_order(pattern):
                processes.check()
                make_cold(scratch.folder / _file(each))
            made.append(_start(pattern, scratch, size, processes, None if number else background))
        carried = background.finish()
        found = estimate(made, waits(pattern), carried.through_s)
        return Measurement(
            {"wall_s": found.wall_s, **carried.values},
            sum(start.wall_s for start in made),
            carried.read_bytes + starts * distinct_bytes(pattern),
            carried.written_bytes,
            direct=bool(self._beside.readers),
            remark=found.remark(carried.written_bytes),
        )


def _start(
    pattern: Pattern, scratch: Scratch, size: Size, processes: Processes, background: Background | None
) -> Start:
    """Replay one start and return how it says that went; what is beside it begins just before it reads."""
    script = Path(pattern_reader.__file__)
    with Gate() as gate:
        reads = _listed(pattern)
        try:
            argv = own_program(script, reads)
            pid = processes.start(argv, scratch.folder, stdin=gate.fd, fds=(reads,))
        finally:
            os.close(reads)
        wait_until_ready(processes, pid)
        if background:
            background.start()
    start, _ = parse_start(script, processes.wait(pid, size.timeout_s).out)
    return start


def _listed(pattern: Pattern) -> int:
    """Return an open file in memory with what ``pattern_reader`` is to read; the caller closes it."""
    fd = os.memfd_create("disktuner-reads", os.MFD_CLOEXEC)
    lines = [
        (_file(read.file), read.offset, read.length, round(1e6 * read.think_s), read.access.value)
        for read in pattern.reads
    ]
    with open(fd, "w", encoding="ascii", closefd=False) as file:
        json.dump(lines, file)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def in_order(pattern: Pattern) -> tuple[int, ...]:
    """Return the numbers of the files that are read, in the order of their first reads."""
    return tuple(dict.fromkeys(read.file for read in pattern.reads))


def extents_of(pattern: Pattern) -> tuple[tuple[Extent, ...], ...]:
    """Return for each file the ranges of it that must hold data: what is read, and what may be read ahead of it."""
    return _ranges(pattern, AROUND_BYTES)


def distinct_bytes(pattern: Pattern) -> int:
    """Return how much of the files a start reads, what is read twice counted once."""
    return sum(end - begin for extents in _ranges(pattern, 0) for begin, end in extents)


def _ranges(pattern: Pattern, around: int) -> tuple[tuple[Extent, ...], ...]:
    """Return for each file what is read and so much around it, in order and apart."""
    wanted: list[list[Extent]] = [[] for _ in pattern.files]
    for read in pattern.reads:
        most = pattern.files[read.file].size_bytes
        wanted[read.file].append((max(0, read.offset - around), min(most, read.end + around)))
    return tuple(tuple(_joined(sorted(extents))) for extents in wanted)


def _joined(extents: Sequence[Extent]) -> Iterator[Extent]:
    """Go through sorted ranges with those made one that touch."""
    at: Extent | None = None
    for begin, end in extents:
        if at and begin <= at[1]:
            at = at[0], max(at[1], end)
        else:
            if at:
                yield at
            at = begin, end
    if at:
        yield at


def waits(pattern: Pattern) -> tuple[int, ...]:
    """Return how many times each read of a cold start waits for the disk, about: what was read ahead is there."""
    known: set[tuple[int, int]] = set()
    found = []
    for read in pattern.reads:
        begin = read.offset // AHEAD_BYTES
        blocks = {(read.file, block) for block in range(begin, (read.end - 1) // AHEAD_BYTES + 1)}
        found.append(len(blocks - known))
        known |= blocks
    return tuple(found)


def _file(number: int) -> str:
    return f"start-{number}.in"
