# SPDX-License-Identifier: GPL-3.0-or-later
"""Background writers: real dd processes that write, at no more than a fixed pace, for as long as something else runs.

dd hands every MiB to the disk at once and does not wait for it (``oflag=nocache``: fadvise(DONTNEED) begins an
asynchronous writeback). So the disk's queue is as full as when the kernel writes back the files of a big copy, and yet
hardly more than the queue waits in memory. Blocks that dd waits for, with dsync or O_DIRECT, are something else: a
scheduler takes them for the program's own urgent work.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from disktuner.workloads import feeder
from disktuner.workloads.dd import parse_dd
from disktuner.workloads.workload import MIB, Processes, Scratch, own_program

MOST_BYTES_PER_S = 128 * MIB  # of one writer
BURST_BYTES = 32 * MIB
SOURCE_BYTES = 64 * MIB
SETTLE_S = 0.5
END_S = 0.3
"""What the writers need to begin, and to have all on the disk when they were asked to end."""


@dataclass(frozen=True, slots=True)
class Load:
    """How many writers there are, and how much each of them writes at most.

    A disk slower than ``MOST_BYTES_PER_S`` for each is kept busy all the time; a faster one gets bursts, so that a run
    lasts long enough to be measured without wearing the disk.
    """

    writers: int
    mib_each: int

    @property
    def total_bytes(self) -> int:
        """What all of them write in one run at most."""
        return self.writers * self.mib_each * MIB

    @property
    def period_s(self) -> float:
        """Seconds from the start of a writer's burst to that of its next."""
        return BURST_BYTES / MOST_BYTES_PER_S


def load_for(write_bytes_per_s: float, seconds: float, writers: int) -> Load:
    """Return a load that keeps this disk busy for about ``seconds``."""
    total = min(write_bytes_per_s, writers * MOST_BYTES_PER_S) * seconds
    return Load(writers, max(1, round(total / writers / MIB)))


@dataclass(frozen=True, slots=True)
class Written:
    """What the writers did: ``size_bytes`` in the whole run, at the speed ``bytes_per_s`` beside the other thing."""

    size_bytes: int
    bytes_per_s: float


class Writers:
    """The writers of one run: ``start``, do the other thing, then ``finish``. Each run overwrites the same files."""

    def __init__(self, load: Load, scratch: Scratch, processes: Processes) -> None:
        self._load = load
        self._scratch = scratch
        self._processes = processes
        self._feeders: list[int] = []
        self._pids: list[int] = []
        self._began = 0.0
        self._had = 0

    def start(self) -> None:
        """Start all of them, and return when they keep the disk busy."""
        for number in range(self._load.writers):
            self._start(number)
        self._processes.pause(SETTLE_S)
        self._began, self._had = time.monotonic(), self._so_far()

    def finish(self, timeout_s: float) -> Written:
        """Take their speed since ``start``, end them, and return when all they wrote is on the disk.

        Held back altogether they count as having written half a block: a speed of zero has no ratio.
        """
        beside = max(self._so_far() - self._had, MIB // 2) / (time.monotonic() - self._began)
        for pid in self._feeders:
            self._processes.end(pid)
        copied = [parse_dd(self._processes.wait(pid, timeout_s).err) for pid in self._pids]
        return Written(sum(one.size_bytes for one in copied), beside)

    def _so_far(self) -> int:
        """What they handed to the kernel until now (proc_pid_io(5)): all they may, where they are done already."""
        done = self._load.mib_each * MIB
        return sum(done if self._processes.ended(pid) else _handed_over(pid, done) for pid in self._pids)

    def _start(self, number: int) -> None:
        readable, writable = os.pipe2(os.O_CLOEXEC)
        data = self._scratch.source.open()
        folder, processes = self._scratch.folder, self._processes
        try:
            self._feeders.append(processes.start(self._feeder(number), folder, stdin=data, stdout=writable))
            self._pids.append(processes.start(self._dd(number), folder, stdin=readable))
        finally:
            for fd in (readable, writable, data):
                os.close(fd)

    def _feeder(self, number: int) -> list[str]:
        offset = (self._scratch.seed + number * SOURCE_BYTES // self._load.writers) % SOURCE_BYTES
        total = self._load.mib_each * MIB
        return own_program(Path(feeder.__file__), total, BURST_BYTES, f"{self._load.period_s:.4f}", offset)

    def _dd(self, number: int) -> list[str]:
        target, count = f"of=writer-{number}.out", f"count={self._load.mib_each}"
        return ["dd", target, "bs=1M", count, "iflag=fullblock", "oflag=nocache", "conv=notrunc,fdatasync"]


def _handed_over(pid: int, done: int) -> int:
    """What this process wrote until now, or ``done`` where it just ends: from then on the file is root's."""
    try:
        lines = Path(f"/proc/{pid}/io").read_text(encoding="ascii").splitlines()
    except PermissionError:
        return done
    return next(int(line.split()[1]) for line in lines if line.startswith("wchar:"))
