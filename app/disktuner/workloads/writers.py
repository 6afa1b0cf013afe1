# SPDX-License-Identifier: GPL-3.0-or-later
"""Background writers: programs that write as fast as the disk takes it, or at a fixed pace, while something else runs.

Each hands every MiB to the disk at once and does not wait for it, so the disk's queue is as full as when the kernel
writes back the files of a big copy, and yet hardly more than the queue waits in memory. Blocks that a program waits
for, with dsync or O_DIRECT, are something else: a scheduler takes them for the program's own urgent work.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from disktuner.workloads import background_writer
from disktuner.workloads.errors import NotUnderstood
from disktuner.workloads.workload import MIB, Processes, Scratch, own_program

MOST_BYTES_PER_S = 128 * MIB
"""The pace of one writer beside what takes long: a faster disk gets bursts, and is not worn more than a slower one."""
BURST_S = 0.25
SOURCE_BYTES = 64 * MIB
SETTLE_S = 0.5
SETTLE_BYTES = 64 * MIB
"""What the writers need before the disk is as busy as it will be: so long, or so much on a fast disk."""
END_S = 0.3
"""What they need to have all on the disk when they were asked to end."""
READY_S = 60.0


@dataclass(frozen=True, slots=True)
class Load:
    """How many writers there are, how much each of them writes at most, and at what pace."""

    writers: int
    mib_each: int
    settle_s: float = SETTLE_S
    pace_bytes_per_s: float = MOST_BYTES_PER_S

    @property
    def total_bytes(self) -> int:
        """What all of them write in one run at most."""
        return self.writers * self.mib_each * MIB

    @property
    def burst_bytes(self) -> int:
        """How much one writes at a time: all it may, where it has no pace."""
        most = self.mib_each * MIB
        return most if math.isinf(self.pace_bytes_per_s) else round(self.pace_bytes_per_s * BURST_S)


def settle_s(write_bytes_per_s: float, writers: int, pace_bytes_per_s: float = MOST_BYTES_PER_S) -> float:
    """Return how long so many writers need until the disk is busy."""
    return min(SETTLE_S, SETTLE_BYTES / min(write_bytes_per_s, writers * pace_bytes_per_s))


def load_for(
    write_bytes_per_s: float, seconds: float, writers: int, pace_bytes_per_s: float = MOST_BYTES_PER_S
) -> Load:
    """Return a load that keeps this disk busy for about ``seconds``."""
    total = min(write_bytes_per_s, writers * pace_bytes_per_s) * seconds
    settle = settle_s(write_bytes_per_s, writers, pace_bytes_per_s)
    return Load(writers, max(1, round(total / writers / MIB)), settle, pace_bytes_per_s)


@dataclass(frozen=True, slots=True)
class Written:
    """What the writers did: ``size_bytes`` in the whole run, at the speed ``bytes_per_s`` beside the other thing.

    ``through_s`` is when all of them had written all they may, by the monotonic clock; None where they were ended.
    """

    size_bytes: int
    bytes_per_s: float
    through_s: float | None = None


class Gate:
    """Holds programs back that were started within its context: their standard input ``fd`` ends with that."""

    def __init__(self) -> None:
        self.fd, self._held = os.pipe2(os.O_CLOEXEC)

    def __enter__(self) -> Gate:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._held)
        os.close(self.fd)


def wait_until_ready(processes: Processes, pid: int) -> None:
    """Return when a program behind a gate has printed that it is ready, or has ended."""
    until_s = time.monotonic() + READY_S
    while not processes.printed(pid) and not processes.ended(pid) and time.monotonic() < until_s:
        processes.pause(0.002)


class Writers:
    """The writers of one run: ``start``, do the other thing, then ``finish``. Each run overwrites the same files."""

    def __init__(self, load: Load, scratch: Scratch, processes: Processes) -> None:
        self._load = load
        self._scratch = scratch
        self._processes = processes
        self._pids: list[int] = []
        self._began = 0.0
        self._had = 0

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Start their programs; all of them begin to write after this. Afterwards they keep the disk busy."""
        with Gate() as gate:
            self._pids = [self._start(number, gate) for number in range(self._load.writers)]
            for pid in self._pids:
                wait_until_ready(self._processes, pid)
            yield
        settled_s = time.monotonic() + self._load.settle_s
        while (so_far := self._so_far()) < SETTLE_BYTES and time.monotonic() < settled_s:
            self._processes.pause(0.002)
        self._began, self._had = time.monotonic(), so_far

    def start(self) -> None:
        """Start all of them at the same time, and return when they keep the disk busy."""
        with self.waiting():
            pass

    def finish(self, timeout_s: float) -> Written:
        """Take their speed since ``start``, end them, and return when all they wrote is on the disk.

        Held back altogether they count as having written half a block: a speed of zero has no ratio.
        """
        handed_over, until_s = max(self._so_far() - self._had, MIB // 2), time.monotonic()
        for pid in self._pids:
            self._processes.end(pid)
        each = [_written(self._processes.wait(pid, timeout_s).out) for pid in self._pids]
        total = sum(size for _, size in each)
        through_s = max(ended_s for ended_s, _ in each) if total == self._load.total_bytes else None
        if through_s and self._began < through_s < until_s:
            until_s = through_s
        return Written(total, handed_over / (until_s - self._began), through_s)

    def _so_far(self) -> int:
        """What they handed to the kernel until now (proc_pid_io(5)): all they may, where they are done already."""
        done = self._load.mib_each * MIB
        return sum(done if self._processes.ended(pid) else _handed_over(pid, done) for pid in self._pids)

    def _start(self, number: int, gate: Gate) -> int:
        data = self._scratch.source.open()
        try:
            return self._processes.start(self._argv(number, data), self._scratch.folder, stdin=gate.fd, fds=(data,))
        finally:
            os.close(data)

    def _argv(self, number: int, data: int) -> list[str]:
        load, script = self._load, Path(background_writer.__file__)
        offset = (self._scratch.seed + number * SOURCE_BYTES // load.writers) % SOURCE_BYTES
        period_s = load.burst_bytes / load.pace_bytes_per_s
        size = load.mib_each * MIB
        return own_program(script, f"writer-{number}.out", size, load.burst_bytes, f"{period_s:.4f}", offset, data)


def read_so_far(pid: int) -> int:
    """Return how many bytes this process had read from disks until now (proc_pid_io(5)), 0 where it just ends."""
    return _counter(pid, "read_bytes:") or 0


def _written(text: str) -> tuple[float, int]:
    """Read when a writer ended and how much it wrote, which it prints then. Raises ``NotUnderstood``."""
    try:
        ended_s, size = text.split()[-2:]
        return float(ended_s), int(size)
    except ValueError as error:
        raise NotUnderstood(Path(background_writer.__file__).name, text) from error


def _handed_over(pid: int, done: int) -> int:
    """What this process wrote until now, or ``done`` where it just ends."""
    found = _counter(pid, "wchar:")
    return done if found is None else found


def _counter(pid: int, name: str) -> int | None:
    """Return one of a process's counters, None where it just ends: from then on the file is root's."""
    try:
        lines = Path(f"/proc/{pid}/io").read_text(encoding="ascii").splitlines()
    except PermissionError:
        return None
    return next(int(line.split()[1]) for line in lines if line.startswith(name))
