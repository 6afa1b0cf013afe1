# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded starts of programs, replayed cold on scratch files of the same sizes: the product's own and the user's.

``launch-office`` and ``launch-under-reads`` replay the start of an office program, which need not be installed: its
pattern, without names, is in this folder. ``./dev bench replays`` recorded it and compares it with real starts.
"""

from __future__ import annotations

import math
import os
import statistics
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import msgspec

from disktuner.results.definition import Definition
from disktuner.vocabulary.background import BOTH, NO_LOAD, WRITES, BackgroundLoad
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.messages import Message, message
from disktuner.workloads import pattern_reader
from disktuner.workloads.cold import make_cold
from disktuner.workloads.command_load import LoadRun, OwnWithBackgroundLoad
from disktuner.workloads.errors import Aborted
from disktuner.workloads.load import AROUND_S, Background, Load, LoadedSpec, WithBackgroundLoad, affordable_s, plan_load
from disktuner.workloads.patterns import AHEAD_BYTES, Pattern, decode_pattern, encode_pattern
from disktuner.workloads.programs import find_program
from disktuner.workloads.recording import record
from disktuner.workloads.source import write_file
from disktuner.workloads.spec import SHORTEST_S, BadSpec, Count, Seconds
from disktuner.workloads.workload import MIB, Measurement, Probe, Scratch, own_program, preferred

AROUND_BYTES = MIB
"""The margin written on both sides of what is read: more than the kernel usually reads ahead. The rest of a scratch
file is a hole, which takes no room and no time."""
LEAST_READS = 16


class StartSpec(LoadedSpec, frozen=True):
    """The program is started cold until the starts took ``duration_s``; a start is the first ``reads``."""

    WORK: ClassVar = {"duration_s": SHORTEST_S}

    duration_s: Seconds
    reads: Count


class BeginningSpec(StartSpec, frozen=True):
    """On a slow disk, where a start would take minutes, a run replays only its beginning."""

    WORK: ClassVar = {"duration_s": SHORTEST_S, "reads": LEAST_READS}


@dataclass(frozen=True, slots=True)
class Part:
    """A start, or its beginning: its time without the disk, how often it waits for it, the bytes to prepare."""

    reads: int
    think_s: float
    waits: int
    prepared_bytes: int

    @classmethod
    def of(cls, pattern: Pattern, reads: int) -> Part:
        part = pattern.beginning(reads)
        return cls(reads, part.think_s, part.waits, part.size_bytes(AROUND_BYTES))

    def has_room(self, probe: Probe) -> bool:
        """Whether its scratch files leave half of the free space to background writers."""
        return self.prepared_bytes <= probe.free_bytes / 2

    def start_s(self, probe: Probe, kind: BackgroundLoad) -> float:
        """Return about how many seconds a cold start takes on a probed disk."""
        read_s = probe.random_read_s * (1.0 if kind == NO_LOAD else probe.wait_beside)
        return self.think_s + self.waits * (read_s + AHEAD_BYTES / probe.read_bytes_per_s)


class Replay(WithBackgroundLoad):
    """The start of a program."""

    id = "own-program"
    spec_type: type[StartSpec] = StartSpec

    def __init__(self, pattern: Pattern | None, load: BackgroundLoad = NO_LOAD) -> None:
        self._pattern, self._kind = pattern, load

    @cached_property
    def pattern(self) -> Pattern:
        assert self._pattern, "what a start reads is only known when it was recorded"
        return self._pattern

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The parts that a run may replay, the longest first."""
        return (Part.of(self.pattern, len(self.pattern.reads)),)

    def plan(self, probe: Probe, seconds: float, most_bytes: float = math.inf) -> StartSpec:
        """As much as fits ``seconds`` and the free space, repeated until long enough. Raises like ``part``."""
        around_s = AROUND_S + self.planned_load(probe, seconds, math.inf).around_s
        # Two starts that are each too short take as long as one of twice the shortest.
        part = self.part(probe, max(2 * SHORTEST_S, min(seconds - around_s, affordable_s(probe, most_bytes))))
        start_s = part.start_s(probe, self._kind)
        beside_s = math.ceil(SHORTEST_S / start_s) * (start_s + AROUND_S)
        load = self.planned_load(probe, beside_s, most_bytes)
        return self.spec_type(beside_s + load.around_s, part.prepared_bytes, load, SHORTEST_S, part.reads)

    def part(self, probe: Probe, most_s: float) -> Part:
        """Return the longest part with room that takes ``most_s``. Raises ``MeasurementImpossible`` without room."""
        with_room = [part for part in self.parts if part.has_room(probe)]
        if not with_room:
            least = self.parts[-1].prepared_bytes
            raise MeasurementImpossible("pattern-needs-room", needed=least, free=probe.free_bytes)
        return next((part for part in with_room if part.start_s(probe, self._kind) <= most_s), with_room[-1])

    def planned_load(self, probe: Probe, seconds: float, most_bytes: float) -> Load:
        """Return the load for a foreground of about ``seconds`` (``plan_load``)."""
        return plan_load(self._kind, probe, seconds, most_bytes)

    def spec_from(self, fields: object) -> StartSpec:
        """Parse a result's spec. Raises ``BadSpec`` if this pattern has no such start."""
        spec = self.spec_type.from_json(fields)
        if spec.reads > len(self.pattern.reads):
            raise BadSpec(f"this program has no such start: {spec}")
        return msgspec.structs.replace(spec, prepared_bytes=Part.of(self.pattern, spec.reads).prepared_bytes)

    def workdir(self, scratch: Scratch) -> Scratch:
        """Return a scratch folder for this workload alone."""
        return replace(scratch, folder=scratch.folder / self.id)

    def prepare(self, scratch: Scratch, spec: StartSpec) -> None:
        """Write the files that a start reads, in its order, and those that the load reads."""
        here = self.workdir(scratch)
        write_start(here, self.pattern.beginning(spec.reads))
        spec.load.prepare(here)

    def run_foreground(self, scratch: Scratch, spec: StartSpec, load: Background, abort_after_s: float) -> Measurement:
        """Replay cold starts for ``duration_s``; their mean counts."""
        pattern, took_s, read, aborted = self.pattern.beginning(spec.reads), list[float](), 0, False
        try:
            while sum(took_s) < spec.duration_s:
                make_start_cold(scratch, pattern)
                seconds, moved = start(pattern, scratch, None if took_s else load, abort_after_s - sum(took_s))
                took_s.append(seconds)
                read += max(moved, pattern.size_bytes())
        except Aborted as slow:
            took_s.append(slow.took_s)
            aborted = True
        wall_s = statistics.fmean(took_s)
        return Measurement({"wall_s": wall_s}, sum(took_s), None if aborted else read, cut_short=aborted)


def write_start(scratch: Scratch, pattern: Pattern) -> None:
    """Make the folder, and write the files that a start reads, in its order."""
    scratch.folder.mkdir(0o700)
    for file, extents in pattern.extents(AROUND_BYTES).items():
        path = scratch.folder / pattern_reader.name_of(file)
        write_file(path, pattern.files[file], scratch.seed, scratch.processes.check, extents)


def make_start_cold(scratch: Scratch, pattern: Pattern) -> None:
    """Drop all files of a start from memory."""
    for file in pattern.extents():
        scratch.processes.check()
        make_cold(scratch.folder / pattern_reader.name_of(file))


def start(pattern: Pattern, scratch: Scratch, load: Background | None, abort_after_s: float) -> tuple[float, int]:
    """Replay one start; return its seconds and the bytes read. The load starts just before. Raises ``Aborted``."""
    processes, script = scratch.processes, Path(pattern_reader.__file__)
    reads = os.memfd_create("disktuner-reads", os.MFD_CLOEXEC)
    with os.fdopen(reads, "r+b", buffering=0) as rows:
        rows.write(msgspec.json.encode(pattern.reads))
        rows.seek(0)
        with processes.held([own_program(script, reads)], scratch.folder, (reads,)) as (pid,):
            if load:
                load.start()
    moved, seconds = processes.wait(pid, math.inf, abort_after_s).out.split()[-2:]
    return float(seconds), int(moved)


class Launch(Replay):
    """A start that comes with the product; as much of its beginning as fits is replayed."""

    spec_type = BeginningSpec

    def __init__(self, id_: str, load: BackgroundLoad) -> None:
        super().__init__(None, load)
        self.id = id_

    @cached_property
    def pattern(self) -> Pattern:
        """The recorded start, loaded on first use."""
        return decode_pattern(Path(__file__).with_name("launch-office.pattern").read_text(encoding="ascii"))

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        counts = [len(self.pattern.reads)]
        while counts[-1] > LEAST_READS:
            counts.append(max(LEAST_READS, preferred(counts[-1] - 1)))
        return tuple(Part.of(self.pattern, count) for count in counts)


class OwnStart(OwnWithBackgroundLoad, Replay):
    """The start of the user's own program (``definition``), which is only started to record it."""

    def __init__(self, definition: Definition, tried_load: LoadRun | None = None) -> None:
        OwnWithBackgroundLoad.__init__(self, definition, tried_load)
        Replay.__init__(self, decode_pattern(definition.pattern) if definition.pattern else None, definition.load)

    @property
    def notes(self) -> tuple[Message, ...]:
        read, count = self.pattern.size_bytes(), len(self.pattern.extents())
        return (message("own-recorded", program=self.definition.title, read=read, count=count), *super().notes)

    def tried(self, scratch: Scratch) -> OwnStart:
        """Record its start, unless known, and try its load. Raises ``NoSuchThing`` or ``RunFailed``."""
        definition = self.definition
        if not definition.pattern:
            program = find_program(definition.program or "")
            pattern = record(program.command, scratch.processes, stays=program.stays)
            definition = replace(definition, pattern=encode_pattern(pattern))
        return OwnStart(definition, self.try_load(scratch))


RUNNERS = (Launch("launch-office", WRITES), Launch("launch-under-reads", BOTH))
