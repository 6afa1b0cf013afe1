# SPDX-License-Identifier: GPL-3.0-or-later
"""Replays the recorded start of a program: cold, on scratch files of the same sizes, beside writers or readers."""

from __future__ import annotations

import errno
import json
import math
import os
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from disktuner.vocabulary.background import NO_LOAD, BackgroundLoad
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.workloads import pattern_reader
from disktuner.workloads.cold import make_cold
from disktuner.workloads.deadline import Aborted, Deadline
from disktuner.workloads.errors import NotUnderstood
from disktuner.workloads.gate import held
from disktuner.workloads.load import Background, LoadedSpec, plan_load
from disktuner.workloads.patterns import Pattern
from disktuner.workloads.processes import Processes
from disktuner.workloads.source import write_extents
from disktuner.workloads.spec import BadSpec
from disktuner.workloads.workload import MIB, Measurement, Probe, Scratch, Workload, own_program

LEAST_S = 0.5
"""How long the starts of a run take together at least: many short runs tell more than a few long ones."""
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

    def start_s(self, probe: Probe, kind: BackgroundLoad) -> float:
        """Return how long a cold start takes on a disk as probed, about, in seconds."""
        read_s = probe.random_read_s * (probe.wait_beside if kind.writers or kind.readers else 1.0)
        return self.pattern.think_s + self.waits * (read_s + AHEAD_BYTES / probe.read_bytes_per_s)


@dataclass(frozen=True, slots=True)
class StartSpec(LoadedSpec):
    """The program is started until that took ``duration_s``, each time cold; a start is the first ``reads``."""

    WORK: ClassVar = {"duration_s": LEAST_S}

    duration_s: float
    reads: int


class Replay(Workload):
    """The start of a program, which nobody knows (None) until it was recorded."""

    id = "own-program"
    spec_type: type[StartSpec] = StartSpec

    def __init__(self, pattern: Pattern | None, load: BackgroundLoad = NO_LOAD) -> None:
        self._pattern = pattern
        self._kind = load

    @property
    def pattern(self) -> Pattern:
        """What a start reads. Raises ``ValueError`` where that is not known."""
        if self._pattern is None:
            raise ValueError("what a start reads is only known when it was recorded")
        return self._pattern

    def plan(self, probe: Probe, _seconds: float, most_bytes: float = math.inf, /) -> StartSpec:
        """One start, or more until they are enough. Raises ``MeasurementImpossible`` where room lacks."""
        return self._planned(Part.of(self.pattern), probe, most_bytes)

    def _planned(self, part: Part, probe: Probe, most_bytes: float) -> StartSpec:
        if not part.has_room(probe):
            raise MeasurementImpossible("pattern-needs-room", needed=part.prepared_bytes, free=probe.free_bytes)
        start_s = part.start_s(probe, self._kind)
        beside_s = math.ceil(LEAST_S / start_s) * (start_s + AROUND_S)
        load = plan_load(self._kind, probe, beside_s, most_bytes)
        return self.spec_type(beside_s + load.around_s, part.prepared_bytes, load, LEAST_S, len(part.pattern.reads))

    def spec_from(self, found: object) -> StartSpec:
        """Read what a result keeps. Raises ``BadSpec`` where this pattern has no such start."""
        spec = self.spec_type.from_json(found)
        if spec.reads > len(self.pattern.reads):
            raise BadSpec(f"this program has no such start: {spec}")
        return replace(spec, prepared_bytes=Part.of(beginning(self.pattern, spec.reads)).prepared_bytes)

    def prepare(self, scratch: Scratch, spec: StartSpec, processes: Processes) -> None:
        """Write the files that a start reads, in the order in which it reads them, and what is read beside it."""
        folder = scratch.folder / self.id
        folder.mkdir(0o700)
        pattern = beginning(self.pattern, spec.reads)
        every = extents_of(pattern)
        for number in in_order(pattern):
            path, extents = folder / _file(number), every[number]
            size_bytes = pattern.files[number]
            try:
                write_extents(path, size_bytes, extents, scratch.seed, processes.check)
            except OSError as error:
                if error.errno != errno.EFBIG:
                    raise
                raise MeasurementImpossible("pattern-file-too-large", size=size_bytes) from error
        spec.load.prepare(replace(scratch, folder=folder), processes.check)

    def run(
        self, scratch: Scratch, spec: StartSpec, processes: Processes, abort_after_s: float = math.inf
    ) -> Measurement:
        """Start the program until it was measured for long enough, each time cold, beside the load; the mean counts."""
        scratch = replace(scratch, folder=scratch.folder / self.id)
        background = Background(spec.load, scratch, processes)
        pattern, took_s, aborted = beginning(self.pattern, spec.reads), list[float](), False
        try:
            while sum(took_s) < spec.duration_s:
                for each in in_order(pattern):
                    processes.check()
                    make_cold(scratch.folder / _file(each))
                left_s = abort_after_s - sum(took_s)
                took_s.append(_start(pattern, scratch, processes, None if took_s else background, left_s))
        except Aborted as slow:
            took_s.append(slow.took_s)
            aborted = True
        carried = background.finish(spec.timeout_s)
        values = {"wall_s": statistics.fmean(took_s), **carried.values}
        declared = {metric.name for metric in self.facts.metrics}
        return Measurement(
            {name: value for name, value in values.items() if name in declared},
            sum(took_s),
            None if aborted else carried.read_bytes + len(took_s) * distinct_bytes(pattern),
            carried.written_bytes,
            direct=bool(spec.load.readers),
            cut_short=aborted,
        )


def beginning(pattern: Pattern, reads: int) -> Pattern:
    """Return the first reads of a start."""
    return replace(pattern, reads=pattern.reads[:reads])


def _start(
    pattern: Pattern, scratch: Scratch, processes: Processes, background: Background | None, abort_after_s: float
) -> float:
    """Replay one start and return how long it took; what is beside it begins just before it reads.

    Raises ``Aborted``.
    """
    reads = _listed(pattern)
    script = Path(pattern_reader.__file__)
    try:
        with held(processes, own_program(script, reads), scratch.folder, fds=(reads,)) as pid:
            if background:
                background.start()
    finally:
        os.close(reads)
    Deadline(processes, abort_after_s).until_ended(pid)
    text = processes.wait(pid, math.inf).out
    try:
        return float(json.loads(text.splitlines()[-1])["wall_s"])
    except (IndexError, ValueError, KeyError, TypeError) as error:
        raise NotUnderstood(script.name, text) from error


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
        most = pattern.files[read.file]
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
