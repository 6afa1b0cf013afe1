# SPDX-License-Identifier: GPL-3.0-or-later
"""The background load: programs that write or read big files steadily while something else is measured."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Self

from disktuner.vocabulary.background import BackgroundLoad
from disktuner.vocabulary.messages import Message, message
from disktuner.workloads import background_reader, background_writer
from disktuner.workloads.errors import NotUnderstood
from disktuner.workloads.gate import gate, wait_until_ready
from disktuner.workloads.processes import Processes
from disktuner.workloads.source import write_file
from disktuner.workloads.spec import BadSpec, Cost, Figures, Spec
from disktuner.workloads.workload import MIB, Probe, Scratch, own_program, preferred

DECLARED_BYTES_PER_S = 512e6
"""What people meet on a disk that takes more: a fast download, an update, a copy from a SATA disk."""
LASTING = 4.0
"""For how many times the expected time the writers can go on at their speed: longer than a run is waited for."""
LEAD_BYTES = 64 * MIB
"""How much a writer at full speed has in memory before it hands it to the disk itself, where the kernel lets it."""
SOURCE_BYTES = 64 * MIB
SETTLE_S, SETTLE_BYTES = 0.5, 32 * MIB
"""What the writers need before the disk is as busy as it will be: so long, or so much on a fast disk."""
END_S = 0.1
"""What they need to end."""
MOST_READER_BYTES = 128 * MIB
"""The file of a reader: far more than a disk's own cache, and quickly written."""
READING_S = 2.0
BEGIN_S = 0.2  # until all readers read
ROOM_SHARE = 0.2
"""Which part of the free room the writers' files may take; where that is too little, they write less per second."""


@dataclass(frozen=True, slots=True)
class Load(Figures):
    """How much is written and read beside one run.

    Each of the ``writers`` writes at most ``writer_bytes``; all together write ``rate_bytes_per_s``, infinite where the
    disk alone holds them back, and about ``bytes_expected``. Each of the ``readers`` reads a file of ``reader_bytes``
    over and over, around the page cache. ``settle_s`` is what the disk needs about until it is busy.
    """

    MAY_BE_ZERO: ClassVar[frozenset[str]] = frozenset(
        {"writers", "readers", "writer_bytes", "reader_bytes", "bytes_expected", "settle_s"}
    )

    writers: int = 0
    readers: int = 0
    writer_bytes: int = 0
    reader_bytes: int = 0
    bytes_expected: int = 0
    settle_s: float = 0.0
    rate_bytes_per_s: float = math.inf

    def __post_init__(self) -> None:
        if self.writers + self.readers > 16:
            raise BadSpec(f"this is no background load: {self}")

    @property
    def bytes_written(self) -> int:
        """What the writers of a run write at most."""
        return self.writers * self.writer_bytes

    @property
    def bytes_prepared(self) -> int:
        """What the readers' files take."""
        return self.readers * self.reader_bytes

    @property
    def bytes_source(self) -> int:
        """The random data in memory that the writers write from."""
        return SOURCE_BYTES if self.writers else 0

    @property
    def around_s(self) -> float:
        """What starting and ending it takes."""
        return self.settle_s + (END_S if self.writers else 0.0) + (BEGIN_S if self.readers else 0.0)

    @property
    def lead_bytes(self) -> int:
        """How far each writer may be ahead of the disk."""
        return min(self.writer_bytes // 2, LEAD_BYTES) if math.isinf(self.rate_bytes_per_s) else 0

    def shortened(self, share: float) -> Self:
        """Return what lasts for that share of the time."""
        each = self.lead_bytes + int(share * (self.writer_bytes - self.lead_bytes))
        return replace(self, writer_bytes=each, bytes_expected=int(share * self.bytes_expected))

    def prepare(self, scratch: Scratch, check: Callable[[], None]) -> None:
        """Write the files that are read."""
        for number in range(self.readers):
            write_file(scratch.folder / _reader(number), self.reader_bytes, scratch.seed, check)


@dataclass(frozen=True, slots=True)
class LoadedSpec(Spec):
    """Runs beside one ``load``, with ``prepared_bytes`` of files of their own."""

    prepared_bytes: int
    load: Load

    @property
    def cost(self) -> Cost:
        """The files, and the load."""
        load, prepared = self.load, self.prepared_bytes + self.load.bytes_prepared
        kept = prepared + load.bytes_written
        return Cost(self.expected_s, load.bytes_written, prepared, kept, load.bytes_source, load.bytes_expected)

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
    reader_bytes = MIB * max(1, preferred(READING_S * probe.read_bytes_per_s / max(1, kind.readers) / MIB))
    reader_bytes = min(reader_bytes, MOST_READER_BYTES) if kind.readers else 0
    if not kind.writers:
        return Load(readers=kind.readers, reader_bytes=reader_bytes)
    full, settle_s = probe.busy_bytes_per_s, settling_s(probe.busy_bytes_per_s)
    busy_s = settle_s + seconds + END_S
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


@dataclass(frozen=True, slots=True)
class Carried:
    """What was carried beside a run: bytes in all, and the metrics of what ran beside."""

    written_bytes: int = 0
    read_bytes: int = 0
    values: Mapping[str, float] = field(default_factory=dict)


class Background:
    """What runs beside one run: ``start``, do the other thing, then ``finish``."""

    def __init__(self, load: Load, scratch: Scratch, processes: Processes) -> None:
        self._load, self._scratch, self._processes = load, scratch, processes
        self._writers: list[int] = []
        self._readers: list[int] = []
        self._began, self._had = 0.0, (0, 0)

    def start(self) -> None:
        """Start all of it at the same time, and return when the disk is busy."""
        with gate() as stdin:
            self._readers = [self._read(number, stdin) for number in range(self._load.readers)]
            self._writers = [self._write(number, stdin) for number in range(self._load.writers)]
            for pid in (*self._readers, *self._writers):
                wait_until_ready(self._processes, pid)
        if self._readers:
            self._processes.pause(BEGIN_S)
        settled_s, enough = time.monotonic() + SETTLE_S, self._load.writers * self._load.lead_bytes + SETTLE_BYTES
        while self._writers and self._so_far()[0] < enough and time.monotonic() < settled_s:
            self._processes.pause(0.002)
        self._began, self._had = time.monotonic(), self._so_far()

    def finish(self, timeout_s: float) -> Carried:
        """Take its speeds since ``start``, and end it; nothing of it waits to be written then.

        What was held back altogether counts as half a block: a speed of zero has no ratio.
        """
        lasted_s = time.monotonic() - self._began
        moved = [max(now - had, MIB // 2) / lasted_s for now, had in zip(self._so_far(), self._had, strict=True)]
        values = {"write_bytes_per_s": moved[0]} if self._writers else {}
        values |= {"read_bytes_per_s": moved[1]} if self._readers else {}
        for pid in (*self._writers, *self._readers):
            self._processes.end(pid)
        written = sum(_bytes(background_writer, self._processes.wait(pid, timeout_s).out) for pid in self._writers)
        read = sum(_bytes(background_reader, self._processes.wait(pid, timeout_s).out) for pid in self._readers)
        return Carried(written, read, values)

    def _so_far(self) -> tuple[int, int]:
        """What was handed to the kernel, and what was read from disks."""
        written = sum(counter(pid, "wchar") for pid in self._writers)
        return written, sum(counter(pid, "read_bytes") for pid in self._readers)

    def _read(self, number: int, stdin: int) -> int:
        argv = own_program(Path(background_reader.__file__), _reader(number))
        return self._processes.start(argv, self._scratch.folder, stdin=stdin)

    def _write(self, number: int, stdin: int) -> int:
        load, data = self._load, self._scratch.source.open()
        offset = (self._scratch.seed + number * SOURCE_BYTES // load.writers) % SOURCE_BYTES
        figures = (load.writer_bytes, load.rate_bytes_per_s / load.writers, load.lead_bytes, offset, data)
        argv = own_program(Path(background_writer.__file__), f"writer-{number}.out", *figures)
        try:
            return self._processes.start(argv, self._scratch.folder, stdin=stdin, fds=(data,))
        finally:
            os.close(data)


def _reader(number: int) -> str:
    return f"reader-{number}.in"


def _bytes(program: object, text: str) -> int:
    """Read how much a program moved, which it prints at its end. Raises ``NotUnderstood``."""
    words = text.split()
    if not words or not words[-1].isdecimal():
        raise NotUnderstood(Path(str(getattr(program, "__file__", ""))).name, text)
    return int(words[-1])


def counter(pid: int, name: str) -> int:
    """Return one of a process's counters (proc_pid_io(5)), 0 where it just ends: from then on the file is root's."""
    try:
        lines = Path(f"/proc/{pid}/io").read_text(encoding="ascii").splitlines()
    except (PermissionError, FileNotFoundError, ProcessLookupError):
        return 0
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))
