# SPDX-License-Identifier: GPL-3.0-or-later
"""Background writers: real dd processes that write a fixed amount at no more than a fixed pace.

Each block of 16 MiB goes through the page cache and is on the disk before the next (``oflag=dsync``): so the disk's
queue is as deep as in a real writeback, and yet no more than one block per writer waits in memory.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from disktuner.workloads import feeder
from disktuner.workloads.programs import parse_dd
from disktuner.workloads.workload import MIB, Processes, Scratch

MOST_BYTES_PER_S = 256 * MIB
BURST_BYTES = 32 * MIB
BLOCK_MIB = 16
SOURCE_BYTES = 64 * MIB


@dataclass(frozen=True, slots=True)
class Load:
    """How much all writers together write, and how many there are.

    A disk slower than ``MOST_BYTES_PER_S`` is kept busy all the time; a faster one gets bursts, so that a run lasts
    long enough to be measured without wearing the disk.
    """

    writers: int
    mib_each: int

    @property
    def total_bytes(self) -> int:
        """What all of them write in one run."""
        return self.writers * self.mib_each * MIB

    @property
    def period_s(self) -> float:
        """Seconds from the start of a writer's burst to that of its next."""
        return self.writers * BURST_BYTES / MOST_BYTES_PER_S


def load_for(write_bytes_per_s: float, seconds: float, writers: int) -> Load:
    """Return a load that keeps this disk busy for about ``seconds``."""
    total = min(write_bytes_per_s, MOST_BYTES_PER_S) * seconds
    return Load(writers, max(1, int(total / writers / MIB / BLOCK_MIB)) * BLOCK_MIB)


@dataclass(frozen=True, slots=True)
class Written:
    """What the writers say they did."""

    size_bytes: int
    bytes_per_s: float


class Writers:
    """The writers of one run: start, do the other thing, then ``finish``. The files are overwritten in each run."""

    def __init__(self, load: Load, scratch: Scratch, processes: Processes) -> None:
        self._load = load
        self._scratch = scratch
        self._processes = processes
        self._pids: list[int] = []

    def start(self) -> None:
        """Start all of them."""
        for number in range(self._load.writers):
            self._pids.append(self._start(number))

    def finish(self, timeout_s: float) -> Written:
        """Wait until all have written everything and it is on the disk."""
        copied = [parse_dd(self._processes.wait(pid, timeout_s).err) for pid in self._pids]
        total = sum(one.size_bytes for one in copied)
        return Written(total, total / max(one.seconds for one in copied))

    def _start(self, number: int) -> int:
        readable, writable = os.pipe2(os.O_CLOEXEC)
        data = self._scratch.source.open()
        try:
            self._processes.start(self._feeder(number), self._scratch.folder, stdin=data, stdout=writable)
            return self._processes.start(self._dd(number), self._scratch.folder, stdin=readable)
        finally:
            for fd in (readable, writable, data):
                os.close(fd)

    def _feeder(self, number: int) -> list[str]:
        offset = (self._scratch.seed + number * SOURCE_BYTES // self._load.writers) % SOURCE_BYTES
        total = self._load.mib_each * MIB
        numbers = [str(total), str(BURST_BYTES), f"{self._load.period_s:.4f}", str(offset)]
        return [sys.executable, "-I", "-S", str(Path(feeder.__file__)), *numbers]

    def _dd(self, number: int) -> list[str]:
        target, block = f"of=writer-{number}.out", f"bs={BLOCK_MIB}M"
        count = f"count={max(1, self._load.mib_each // BLOCK_MIB)}"
        return ["dd", target, block, count, "iflag=fullblock", "oflag=dsync", "conv=notrunc"]
