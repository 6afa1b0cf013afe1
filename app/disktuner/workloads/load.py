# SPDX-License-Identifier: GPL-3.0-or-later
"""The background load: programs that write or read big files steadily while something else is measured."""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

from msgspec import Meta, structs

from disktuner.vocabulary.background import BackgroundLoad
from disktuner.vocabulary.goals import DECLARED_BYTES_PER_S
from disktuner.vocabulary.messages import Message, message
from disktuner.workloads import background
from disktuner.workloads.spec import MOST_S, BadSpec, Cost, Count, CountOrZero, Figures, Rate, Spec
from disktuner.workloads.workload import MIB, Measurement, Probe, Scratch, Workload, own_program, preferred

LASTING, LASTING_FIXED = 4.0, 1.5
"""For how many times the expected time the writers can go on at their speed: longer than a run is waited for, and where
a run takes a fixed time, so that the writers may only be faster than the look at the disk found."""
AROUND_S = 0.1
"""What getting it ready and cold takes, each time."""
SOURCE_BYTES = 64 * MIB
LEAD_BYTES = 64 * MIB
"""How much a writer at full speed has in memory before it hands it to the disk itself, where the kernel lets it."""
SETTLE_S, SETTLE_BYTES = 0.5, 32 * MIB
"""What the writers need before the disk is as busy as it will be: so long, or so much on a fast disk."""
END_S, BEGIN_S = 0.1, 0.2
"""What the writers need to end, and the readers until all of them read."""
READING_S, MOST_READER_BYTES = 2.0, 128 * MIB
"""The file of a reader: far more than a disk's own cache, and quickly written."""
USUAL_WAITING = 0.2
"""Which part of the memory may wait to be written, unless the kernel was told otherwise (vm.dirty_ratio)."""
FILL_S, FILLED_BYTES_PER_S, STEADY_S = 10.0, 1e9, 0.5
"""For how long a copy may fill that, at which speed it usually does, and over what time its speed is looked at."""
ROOM_SHARE, COPY_ROOM_SHARE = 0.2, 0.8
"""Which part of the free room the writers' files may take (else they write less per second), and a copy."""


class Load(Figures, frozen=True):
    """How much is written and read beside one run.

    Each of the ``writers`` writes at most ``writer_bytes``; all together write ``rate_bytes_per_s``, infinite where the
    disk alone holds them back, and about ``bytes_expected``. Each of the ``readers`` reads a file of ``reader_bytes``
    over and over, around the page cache. ``settle_s`` is what the disk needs about until it is busy. What a command of
    the user's does beside a run is not in here, but for the bytes that it is expected to write.
    """

    ESTIMATES: ClassVar = frozenset({"bytes_expected", "settle_s"})

    writers: CountOrZero = 0
    readers: CountOrZero = 0
    writer_bytes: CountOrZero = 0
    reader_bytes: CountOrZero = 0
    bytes_expected: CountOrZero = 0
    settle_s: Annotated[float, Meta(ge=0, le=MOST_S)] = 0.0
    rate_bytes_per_s: Rate = math.inf

    def __post_init__(self) -> None:
        if self.writers + self.readers > 16:
            raise BadSpec(f"this is no background load: {self}")

    @property
    def bytes_written(self) -> int:
        """What the writers of a run write at most, or as much as a command is expected to."""
        return max(self.writers * self.writer_bytes, self.bytes_expected)

    @property
    def bytes_prepared(self) -> int:
        """What the readers' files take."""
        return self.readers * self.reader_bytes

    @property
    def around_s(self) -> float:
        """What starting and ending it takes."""
        return self.settle_s + (END_S if self.writers else 0.0) + (BEGIN_S if self.readers else 0.0)

    @property
    def lead_bytes(self) -> int:
        """How far each writer may be ahead of the disk."""
        return min(self.writer_bytes // 2, LEAD_BYTES) if math.isinf(self.rate_bytes_per_s) else 0

    def sized(self, share: float) -> Self:
        """Return what lasts for that share of the time."""
        each = self.lead_bytes + int(share * (self.writer_bytes - self.lead_bytes))
        return structs.replace(self, writer_bytes=each, bytes_expected=int(share * self.bytes_expected))

    def prepare(self, scratch: Scratch) -> None:
        """Write the files that are read."""
        for number in range(self.readers):
            scratch.write(_reader(number), self.reader_bytes)


class LoadedSpec(Spec, frozen=True):
    """Runs beside one ``load``, with ``prepared_bytes`` of files of their own."""

    prepared_bytes: Count
    load: Load

    @property
    def cost(self) -> Cost:
        """The files, and the load."""
        load, prepared = self.load, self.prepared_bytes + self.load.bytes_prepared
        kept, source = prepared + load.bytes_written, SOURCE_BYTES if load.writers else 0
        return Cost(load.bytes_written, prepared, kept, source, load.bytes_expected)

    def remark(self) -> Message | None:
        """Return at what rate is written, None where at full speed."""
        rate = self.load.rate_bytes_per_s
        return message("declared-load", rate=rate) if math.isfinite(rate) else None


def plan_load(
    kind: BackgroundLoad, probe: Probe, seconds: float, most_bytes: float = math.inf, lasting: float = LASTING
) -> Load:
    """Return what keeps a disk as probed busy beside something that takes about so many seconds.

    At full speed where no more than half of ``most_bytes`` are written then, so that there may be twice as many runs,
    else at the declared rate or, where even that is too much, at the rate that the bytes allow.
    """
    reader_mib = max(1, preferred(READING_S * probe.read_bytes_per_s / max(1, kind.readers) / MIB))
    reader_bytes = min(MIB * reader_mib, MOST_READER_BYTES) if kind.readers else 0
    if not kind.writers:
        return Load(readers=kind.readers, reader_bytes=reader_bytes)
    full = probe.busy_bytes_per_s
    busy_s = settling_s(full) + seconds + END_S
    room = ROOM_SHARE * probe.free_bytes
    allowed, roomy = most_bytes / busy_s, room / lasting / busy_s
    rate = full if full <= min(allowed / 2, roomy) else min(full, DECLARED_BYTES_PER_S, allowed, roomy)
    lead = LEAD_BYTES if rate >= full else 0
    each = int(lasting * rate * busy_s / kind.writers) + MIB + min(lead, int(room / kind.writers))
    paced = math.inf if rate >= full else rate
    return Load(kind.writers, kind.readers, each, reader_bytes, int(rate * busy_s), settling_s(rate), paced)


def affordable_s(probe: Probe, most_bytes: float) -> float:
    """Return for how long may be written beside something, at full speed or at the declared rate."""
    full = probe.busy_bytes_per_s
    return most_bytes / min(full, DECLARED_BYTES_PER_S) - settling_s(full) - END_S


def settling_s(bytes_per_s: float) -> float:
    """Return how long writers of that speed need until the disk is busy."""
    return min(SETTLE_S, SETTLE_BYTES / bytes_per_s + 0.05)


class CopyLoad(Load, frozen=True):
    """A writer that leaves it to the kernel when what it wrote goes to the disk, as cp does: as much waits as may."""

    @property
    def lead_bytes(self) -> int:
        """All of it."""
        return self.writer_bytes

    def sized(self, share: float) -> Self:  # noqa: ARG002 - a shorter run needs as much before it
        """Return the same: what may wait is to be filled anyway."""
        return self


def plan_copy(probe: Probe, seconds: float) -> CopyLoad:
    """Return a copy that holds on for so many seconds after it has filled what may wait in memory for the disk."""
    rate, waiting = probe.busy_bytes_per_s, USUAL_WAITING * probe.memory_bytes
    settle_s = min(FILL_S, waiting / FILLED_BYTES_PER_S + STEADY_S)
    wanted = waiting + rate * (settle_s + LASTING * seconds + END_S)
    most = int(min(wanted, COPY_ROOM_SHARE * probe.free_bytes))
    return CopyLoad(1, 0, most, 0, min(most, int(rate * (settle_s + seconds))), settle_s)


class Background:
    """What runs beside one run: ``start``, do the other thing, then ``finish``."""

    def __init__(self, load: Load, scratch: Scratch) -> None:
        self._load, self._scratch = load, scratch
        self._readers = self._writers = tuple[int, ...]()
        self._began, self._had = 0.0, (0, 0)
        self._lasted_s, self._moved = 0.0, (0, 0)

    def start(self) -> None:
        """Start all of it at the same time, and return when the disk is busy."""
        load, scratch, program = self._load, self._scratch, Path(background.__file__)
        figures = (load.writer_bytes, load.rate_bytes_per_s / max(1, load.writers), load.lead_bytes)
        commands = [own_program(program, _reader(number)) for number in range(load.readers)]
        with scratch.source.opened() as data:
            for number in range(load.writers):
                offset = (scratch.seed + number * SOURCE_BYTES // load.writers) % SOURCE_BYTES
                commands.append(own_program(program, f"writer-{number}.out", *figures, offset, data))
            with scratch.processes.held(commands, scratch.folder, (data,)) as pids:
                self._readers, self._writers = pids[: load.readers], pids[load.readers :]
        if self._readers:
            scratch.processes.pause(BEGIN_S)
        self._settle()
        self._began, self._had = time.monotonic(), self._so_far()

    def _settle(self) -> None:
        """Wait until the disk is as busy as it will be."""
        load, processes = self._load, self._scratch.processes
        settled_s, enough = time.monotonic() + SETTLE_S, load.writers * load.lead_bytes + SETTLE_BYTES
        while self._writers and self._so_far()[0] < enough and time.monotonic() < settled_s:
            processes.pause(0.002)

    def stop(self) -> None:
        """Ask it to end, once: nothing is measured beside it any more."""
        if self._lasted_s:
            return
        self._lasted_s = time.monotonic() - self._began
        written, read = (now - had for now, had in zip(self._so_far(), self._had, strict=True))
        self._moved = written, read
        for pid in (*self._writers, *self._readers):
            self._scratch.processes.end(pid)

    def finish(self, timeout_s: float) -> Measurement:
        """End it, with nothing left to write; return its speeds until ``stop``, and what it moved in all."""
        self.stop()
        lasted_s, processes = self._lasted_s, self._scratch.processes
        # What was held back altogether counts as half a block: a speed of zero has no ratio.
        speeds = [max(each, MIB // 2) / lasted_s for each in self._moved]
        values = {"write_bytes_per_s": speeds[0]} if self._writers else {}
        values |= {"read_bytes_per_s": speeds[1]} if self._readers else {}
        written, read = (
            sum(int(processes.wait(pid, timeout_s).out.split()[-1]) for pid in pids)
            for pids in (self._writers, self._readers)
        )
        return Measurement(values, lasted_s, read, written, cut_writers=len(self._writers))

    def _so_far(self) -> tuple[int, int]:
        """What was handed to the kernel, and what was read from disks."""
        written = sum(counter(pid, "wchar") for pid in self._writers)
        return written, sum(counter(pid, "read_bytes") for pid in self._readers)


class Copying(Background):
    """A copy; it begins to count when the kernel holds it back, because as much waits in memory as may."""

    def _settle(self) -> None:
        until_s = time.monotonic() + FILL_S
        while time.monotonic() < until_s:
            before = self._so_far()[0]
            self._scratch.processes.pause(STEADY_S)
            if self._so_far()[0] - before < SETTLE_BYTES:
                return


class Beside(Workload):
    """What is measured beside a load, which begins when that is ready, and ends after it."""

    def here(self, scratch: Scratch) -> Scratch:
        """Return where its own files lie, and as a rule those of the load."""
        return scratch

    def prepare(self, scratch: Scratch, spec: Any) -> None:
        """Write a file of its own, if it has one, and what is read beside it."""
        if spec.prepared_bytes:
            scratch.write(self.file(scratch).name, spec.prepared_bytes)
        spec.load.prepare(scratch)

    def run(self, scratch: Scratch, spec: LoadedSpec, abort_after_s: float = math.inf) -> Measurement:
        """Measure it; the load's own speeds count where they are declared."""
        load = self.background(scratch, spec)
        found = self.measured(self.here(scratch), spec, load, abort_after_s)
        beside = load.finish(spec.timeout_s)
        declared = {metric.name for metric in self.facts.metrics}
        values = {name: value for name, value in beside.values.items() if name in declared}
        return replace(
            found,
            values={**found.values, **values},
            read_bytes=None if found.read_bytes is None else found.read_bytes + (beside.read_bytes or 0),
            written_bytes=beside.written_bytes,
            cut_writers=beside.cut_writers,
            direct=found.direct or spec.load.readers > 0,
            remark=found.remark or beside.remark,
        )

    def background(self, scratch: Scratch, spec: LoadedSpec) -> Background:
        """What runs beside one run."""
        return Background(spec.load, self.here(scratch))

    @abstractmethod
    def measured(self, scratch: Scratch, spec: Any, load: Background, abort_after_s: float) -> Measurement:
        """Make cold, have the load started, run once, return what was measured without the load."""


def _reader(number: int) -> str:
    return f"reader-{number}.in"


def counter(pid: int, name: str) -> int:
    """Return one of a process's counters (proc_pid_io(5)), 0 where it just ends: from then on the file is root's."""
    try:
        lines = Path(f"/proc/{pid}/io").read_text(encoding="ascii").splitlines()
    except (PermissionError, FileNotFoundError, ProcessLookupError):
        return 0
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))
