# SPDX-License-Identifier: GPL-3.0-or-later
"""The background load: programs that write or read big files steadily while something else is measured."""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

from msgspec import Meta, structs

from disktuner.vocabulary.background import BackgroundLoad
from disktuner.vocabulary.goals import DECLARED_BYTES_PER_S
from disktuner.vocabulary.messages import Message, message
from disktuner.workloads import background
from disktuner.workloads.errors import RunFailed
from disktuner.workloads.processes import Processes
from disktuner.workloads.source import Source
from disktuner.workloads.spec import LARGEST, MOST_S, Amounts, BadSpec, Cost, Count, CountOrZero, Rate, Spec
from disktuner.workloads.workload import MIB, Measurement, Probe, Scratch, Workload, own_program, preferred

LASTING, LASTING_FIXED = 4.0, 1.5
"""For how many times the expected duration the writers' data last: longer than a run is ever waited for; the second is
for runs of fixed duration, where the writers can only be faster than the probe found."""
AROUND_S = 0.1
"""The time to prepare and cool the foreground once."""
SOURCE_BYTES = 64 * MIB
LEAD_BYTES = 64 * MIB
"""How much a writer at full speed keeps in memory before it hands data to the disk itself, if the kernel allows it."""
SETTLE_S, SETTLE_BYTES = 0.5, 32 * MIB
"""How long the writers take, or on a fast disk how much they write, until the disk is fully busy."""
END_S, BEGIN_S = 0.1, 0.2
"""The time that writers take to end, and readers to begin."""
READING_S, MOST_READER_BYTES = 2.0, 128 * MIB
"""The size of a reader's file: far more than a disk's cache, but quickly written."""
USUAL_WAITING = 0.2
"""The share of memory that may wait to be written, by the kernel's default (vm.dirty_ratio)."""
FILL_S, FILLED_BYTES_PER_S, STEADY_S = 10.0, 1e9, 0.5
"""How long a copy may take to fill that share, its usual speed, and the period over which its speed is checked."""
ROOM_SHARE, COPY_ROOM_SHARE = 0.2, 0.8
"""The share of free space for the writers' files (if that is too little, they write more slowly), and for a copy."""
STEADY_FILE, STEADY_END_S = "steady.out", 10.0
"""The file of the writer that never pauses, and how long it may take to end."""


class Load(Amounts, frozen=True):
    """How much is written and read in the background of one run.

    Each of the ``writers`` writes at most ``writer_bytes``; together they write ``rate_bytes_per_s``, infinite if only
    the disk limits them, and about ``bytes_expected``. Each of the ``readers`` reads a file of ``reader_bytes`` over
    and over, bypassing the page cache. ``settle_s`` is about how long the disk takes to become busy. Of a user's load
    command, only the bytes that it is expected to write are included.
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
        """The most that the writers of a run write, or what a command is expected to write."""
        return max(self.writers * self.writer_bytes, self.bytes_expected)

    @property
    def bytes_prepared(self) -> int:
        return self.readers * self.reader_bytes

    @property
    def around_s(self) -> float:
        """The time to start and end it."""
        return self.settle_s + (END_S if self.writers else 0.0) + (BEGIN_S if self.readers else 0.0)

    @property
    def lead_bytes(self) -> int:
        """How far each writer may run ahead of the disk."""
        return min(self.writer_bytes // 2, LEAD_BYTES) if math.isinf(self.rate_bytes_per_s) else 0

    def sized(self, share: float) -> Self:
        """Return the load for a run of ``share`` times the duration."""
        writer_bytes = self.lead_bytes + int(share * (self.writer_bytes - self.lead_bytes))
        return structs.replace(self, writer_bytes=writer_bytes, bytes_expected=int(share * self.bytes_expected))

    def prepare(self, scratch: Scratch) -> None:
        for number in range(self.readers):
            scratch.write(_reader(number), self.reader_bytes)


class LoadedSpec(Spec, frozen=True):
    """Runs with a background ``load``, and ``prepared_bytes`` of foreground files."""

    prepared_bytes: Count
    load: Load

    @property
    def cost(self) -> Cost:
        load, prepared = self.load, self.prepared_bytes + self.load.bytes_prepared
        kept, source = prepared + load.bytes_written, SOURCE_BYTES if load.writers else 0
        return Cost(load.bytes_written, prepared, kept, source, load.bytes_expected)

    def beside_steady(self) -> Self:
        """Return the same with the steady writer instead of its own; what that writes is only expected."""
        readers = Load(0, self.load.readers, 0, self.load.reader_bytes, self.load.bytes_expected, self.load.settle_s)
        return structs.replace(self, load=readers)

    def remark(self) -> Message | None:
        """Return a remark with the declared rate; None at full speed."""
        rate = self.load.rate_bytes_per_s
        return message("declared-load", rate=rate) if math.isfinite(rate) else None


def plan_load(
    kind: BackgroundLoad, probe: Probe, seconds: float, most_bytes: float = math.inf, lasting: float = LASTING
) -> Load:
    """Return the load that keeps a probed disk busy during a foreground of about ``seconds``.

    It runs at full speed if that writes no more than half of ``most_bytes``, which leaves room for twice as many runs;
    else at the declared rate or, if even that is too much, at the rate that the bytes allow.
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
    writer_bytes = int(lasting * rate * busy_s / kind.writers) + MIB + min(lead, int(room / kind.writers))
    paced = math.inf if rate >= full else rate
    return Load(kind.writers, kind.readers, writer_bytes, reader_bytes, int(rate * busy_s), settling_s(rate), paced)


def affordable_s(probe: Probe, most_bytes: float) -> float:
    """Return for how many seconds ``most_bytes`` last, at full speed or at the declared rate."""
    full = probe.busy_bytes_per_s
    return most_bytes / min(full, DECLARED_BYTES_PER_S) - settling_s(full) - END_S


def settling_s(bytes_per_s: float) -> float:
    """Return how long writers at that speed take until the disk is busy."""
    return min(SETTLE_S, SETTLE_BYTES / bytes_per_s + 0.05)


class CopyLoad(Load, frozen=True):
    """A writer that leaves writeback to the kernel, as cp does, so that as much as allowed waits in memory."""

    @property
    def lead_bytes(self) -> int:
        return self.writer_bytes

    def sized(self, share: float) -> Self:  # noqa: ARG002 - a shorter run must fill as much memory first
        return self


def plan_copy(probe: Probe, seconds: float) -> CopyLoad:
    """Return a copy that lasts for ``seconds`` after it has filled the memory that may wait for the disk."""
    rate, waiting = probe.busy_bytes_per_s, USUAL_WAITING * probe.memory_bytes
    settle_s = min(FILL_S, waiting / FILLED_BYTES_PER_S + STEADY_S)
    wanted = waiting + rate * (settle_s + LASTING * seconds + END_S)
    most = int(min(wanted, COPY_ROOM_SHARE * probe.free_bytes))
    return CopyLoad(1, 0, most, 0, min(most, int(rate * (settle_s + seconds))), settle_s)


class Background:
    """The background of one run: ``start``, run the foreground, then ``finish``."""

    def __init__(self, load: Load, scratch: Scratch) -> None:
        self._load, self._scratch = load, scratch
        self._readers = self._writers = tuple[int, ...]()
        self._began, self._had = 0.0, (0, 0)
        self._lasted_s, self._moved = 0.0, (0, 0)

    def start(self) -> None:
        """Start all programs at once, and return when the disk is busy."""
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
        """Wait until the disk is fully busy."""
        load, processes = self._load, self._scratch.processes
        settled_s, enough = time.monotonic() + SETTLE_S, load.writers * load.lead_bytes + SETTLE_BYTES
        while self._writers and self._so_far()[0] < enough and time.monotonic() < settled_s:
            processes.pause(0.002)

    @property
    def has_ended(self) -> bool:
        """Whether a part of it has ended by itself, which only a failure makes it do."""
        return any(map(self._scratch.processes.ended, (*self._writers, *self._readers)))

    def stop(self) -> None:
        """Ask the programs to end: the foreground is over. May be called again."""
        if self._lasted_s:
            return
        self._lasted_s = time.monotonic() - self._began
        written, read = (now - had for now, had in zip(self._so_far(), self._had, strict=True))
        self._moved = written, read
        for pid in (*self._writers, *self._readers):
            self._scratch.processes.end(pid)

    def finish(self, timeout_s: float) -> Measurement:
        """End it; return its speeds until ``stop``, and the total bytes moved."""
        self.stop()
        lasted_s, processes = self._lasted_s, self._scratch.processes
        # A load that moved nothing counts as half a block: a speed of zero has no ratio.
        speeds = [max(moved_bytes, MIB // 2) / lasted_s for moved_bytes in self._moved]
        values = {"write_bytes_per_s": speeds[0]} if self._writers else {}
        values |= {"read_bytes_per_s": speeds[1]} if self._readers else {}
        written, read = (
            sum(int(processes.wait(pid, timeout_s).out.split()[-1]) for pid in pids)
            for pids in (self._writers, self._readers)
        )
        return Measurement(values, lasted_s, read, written, cut_writers=len(self._writers))

    def _so_far(self) -> tuple[int, int]:
        """Return the bytes given to the kernel to write, and those read from disks."""
        written = sum(counter(pid, "wchar") for pid in self._writers)
        return written, sum(counter(pid, "read_bytes") for pid in self._readers)


class Copying(Background):
    """A copy, counted from when the kernel throttles it because as much as allowed waits in memory."""

    def _settle(self) -> None:
        until_s = time.monotonic() + FILL_S
        while time.monotonic() < until_s:
            before = self._so_far()[0]
            self._scratch.processes.pause(STEADY_S)
            if self._so_far()[0] - before < SETTLE_BYTES:
                return


class BesideSteady(Background):
    """The readers of a load, beside a writer that began before all runs and goes on after them."""

    def __init__(self, load: Load, scratch: Scratch, steady_bytes: Callable[[], int]) -> None:
        super().__init__(load, scratch)
        self._steady_bytes = steady_bytes

    def finish(self, timeout_s: float) -> Measurement:
        """End the readers; what the writer's data became is not known before it ends, so no bytes are claimed."""
        reading = super().finish(timeout_s)
        speed = max(self._moved[0], MIB // 2) / self._lasted_s
        return replace(reading, values={**reading.values, "write_bytes_per_s": speed}, written_bytes=None)

    def _so_far(self) -> tuple[int, int]:
        return self._steady_bytes(), super()._so_far()[1]


class SteadyWriter:
    """Writes a file of ``size_bytes`` in a scratch folder over and over, as a big copy does.

    ``processes`` are its own: all others end with each run. ``source`` has at least ``SOURCE_BYTES``.
    """

    def __init__(self, folder: Path, size_bytes: int, source: Source, processes: Processes) -> None:
        self._folder, self._size_bytes = folder, size_bytes - size_bytes % MIB
        self._source, self._processes = source, processes
        self._pid, self._offset = 0, 0

    @property
    def bytes_written(self) -> int:
        """What it has given to the kernel since it began."""
        return counter(self._pid, "wchar") if self._pid else 0

    def start(self) -> None:
        """Start it unless it goes on; what it writes is different each time. Raises ``RunFailed`` if it failed."""
        if self._pid:
            return
        self._offset = (self._offset + 1) % (SOURCE_BYTES - MIB)
        with self._source.opened() as data:
            figures = (LARGEST, math.inf, min(LEAD_BYTES, self._size_bytes // 2), self._offset, data, self._size_bytes)
            argv = own_program(Path(background.__file__), STEADY_FILE, *figures)
            with self._processes.held([argv], self._folder, (data,)) as (self._pid,):
                pass

    def check(self) -> None:
        """Raise ``RunFailed`` if it has ended by itself."""
        if self._pid and self._processes.ended(self._pid):
            pid, self._pid = self._pid, 0
            self._processes.wait(pid, STEADY_END_S)
            raise RunFailed("steady-writer-ended")

    def stop(self) -> None:
        """End it at once."""
        self._pid = 0
        self._processes.end_all()


class WithBackgroundLoad(Workload):
    """A foreground measured with a background load, which starts when the foreground is ready and ends after it."""

    def workdir(self, scratch: Scratch) -> Scratch:
        """Return the scratch folder of the foreground's files, and usually of the load's."""
        return scratch

    def prepare(self, scratch: Scratch, spec: Any) -> None:
        """Write the foreground's file, if it has one, and those that the load reads."""
        if spec.prepared_bytes:
            scratch.write(self.file(scratch).name, spec.prepared_bytes)
        spec.load.prepare(scratch)

    def run(self, scratch: Scratch, spec: LoadedSpec, abort_after_s: float = math.inf) -> Measurement:
        """Run the foreground with the load, whose speeds are included if declared as metrics."""
        load = self.background(scratch, spec)
        foreground = self.run_foreground(self.workdir(scratch), spec, load, abort_after_s)
        background_run = load.finish(spec.timeout_s)
        declared = {metric.name for metric in self.facts.metrics}
        values = {name: value for name, value in background_run.values.items() if name in declared}
        return replace(
            foreground,
            values={**foreground.values, **values},
            read_bytes=None
            if foreground.read_bytes is None
            else foreground.read_bytes + (background_run.read_bytes or 0),
            written_bytes=background_run.written_bytes,
            cut_writers=background_run.cut_writers,
            direct=foreground.direct or spec.load.readers > 0,
            remark=foreground.remark or background_run.remark,
        )

    def background(self, scratch: Scratch, spec: LoadedSpec) -> Background:
        if scratch.steady_bytes:
            return BesideSteady(spec.load, self.workdir(scratch), scratch.steady_bytes)
        return Background(spec.load, self.workdir(scratch))

    @abstractmethod
    def run_foreground(self, scratch: Scratch, spec: Any, load: Background, abort_after_s: float) -> Measurement:
        """Make cold, start the load, run once; return the measurement of the foreground alone."""


def _reader(number: int) -> str:
    return f"reader-{number}.in"


def counter(pid: int, name: str) -> int:
    """Return a process's counter (proc_pid_io(5)); 0 if it is just ending, when the file becomes root's."""
    try:
        lines = Path(f"/proc/{pid}/io").read_text(encoding="ascii").splitlines()
    except (PermissionError, FileNotFoundError, ProcessLookupError):
        return 0
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))
