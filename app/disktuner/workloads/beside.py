# SPDX-License-Identifier: GPL-3.0-or-later
"""What runs beside a program of the user's own: the writers and readers of the built-in launches, until it is done.

Writers write at full speed as beside ``launch-under-writes``, with a bound; readers read files of their own around the
page cache, over and over.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from disktuner.vocabulary.beside import Beside
from disktuner.vocabulary.messages import Message, message
from disktuner.workloads import background_reader
from disktuner.workloads.errors import NotUnderstood
from disktuner.workloads.source import write_file
from disktuner.workloads.workload import MIB, Probe, Processes, Scratch, Size, own_program, preferred
from disktuner.workloads.writers import (
    END_S,
    SOURCE_BYTES,
    Gate,
    Load,
    Writers,
    load_for,
    read_so_far,
    settle_s,
    wait_until_ready,
)

MOST_READER_MIB = 128
"""The file of a reader: far more than a disk's own cache, and quickly written."""
READING_S = 2.0
MOST_WAIT = 1.4
"""For how many times the expected time the writers can go on, should a scheduler be that slow."""
ROOM_SHARE = 0.4
"""Which part of the free room the writers' files may take; where that is too little, they are done too early."""
BEGIN_S = 0.2  # until all readers read


@dataclass(frozen=True, slots=True)
class Amount:
    """How much is beside one run: ``mib`` is the size of each writer's and, as far as it goes, each reader's file.

    ``settle_s`` is what the writers need until the disk is busy, ``around_s`` what all of it takes before and after.
    """

    beside: Beside
    mib: int
    settle_s: float
    around_s: float

    @property
    def bytes_written(self) -> int:
        """What the writers of a run write at most."""
        return self.beside.writers * self.mib * MIB

    @property
    def bytes_prepared(self) -> int:
        """What the readers' files take."""
        return self.beside.readers * reader_mib(self.mib) * MIB

    @property
    def bytes_source(self) -> int:
        """The random data in memory that the writers write from."""
        return SOURCE_BYTES if self.beside.writers else 0


def amount_for(beside: Beside, probe: Probe, seconds: float) -> Amount:
    """Return what keeps a disk as probed busy while something else runs for about so many seconds."""
    if beside.writers:
        speed = probe.busy_bytes_per_s
        settle = settle_s(speed, beside.writers, math.inf)
        load = load_for(speed, settle + MOST_WAIT * seconds, beside.writers, math.inf)
        most = max(1, int(ROOM_SHARE * probe.free_bytes / beside.writers / MIB))
        return Amount(beside, min(load.mib_each, most), settle, settle + min(END_S, settle) + _reading_s(beside))
    mib = max(1, preferred(READING_S * probe.read_bytes_per_s / MIB / beside.readers)) if beside.readers else 0
    return Amount(beside, min(mib, MOST_READER_MIB), 0.0, _reading_s(beside))


def reader_mib(mib: int) -> int:
    """Return the size of each reader's file where each writer writes so much."""
    return min(mib, MOST_READER_MIB)


def prepare_beside(beside: Beside, size: Size, scratch: Scratch, check: Callable[[], None]) -> None:
    """Write the files that are read beside; ``size.extra`` is the amount's ``mib``."""
    for number in range(beside.readers):
        write_file(scratch.folder / _file(number), reader_mib(size.extra) * MIB, scratch.seed, check)


@dataclass(frozen=True, slots=True)
class Carried:
    """What was carried beside a run: bytes in all, and the metrics of what ran beside.

    ``through_s`` is when the writers had written all they may, by the monotonic clock, where that was before the other
    thing was done; else None.
    """

    written_bytes: int = 0
    read_bytes: int = 0
    values: Mapping[str, float] = field(default_factory=dict)
    through_s: float | None = None

    @property
    def remark(self) -> Message | None:
        """What is wrong with a run beside which that was carried."""
        return message("own-load-ended", written=self.written_bytes) if self.through_s is not None else None


class Background:
    """What runs beside one run: ``start``, do the other thing, then ``finish``.

    ``size.extra`` is the MiB of each file and ``size.settle_s`` the settling time, as ``amount_for`` says.
    """

    def __init__(self, beside: Beside, size: Size, scratch: Scratch, processes: Processes) -> None:
        self._beside, self._size = beside, size
        self._scratch, self._processes = scratch, processes
        load = Load(beside.writers, size.extra, size.settle_s, math.inf)
        self._writers = Writers(load, scratch, processes) if beside.writers else None
        self._readers: list[int] = []
        self._began, self._had = 0.0, 0

    def start(self) -> None:
        """Start all of it; return when the disk is busy."""
        if self._beside.readers:
            with Gate() as gate:
                self._readers = [self._read(number, gate) for number in range(self._beside.readers)]
                for pid in self._readers:
                    wait_until_ready(self._processes, pid)
            self._processes.pause(BEGIN_S)
        if self._writers:
            self._writers.start()
        self._began, self._had = time.monotonic(), self._read_so_far()

    def finish(self) -> Carried:
        """Take its speeds since ``start``, end it, and return when all that was written is on the disk."""
        values: dict[str, float] = {}
        done_s = time.monotonic()
        if self._readers:
            beside = max(self._read_so_far() - self._had, MIB // 2) / (time.monotonic() - self._began)
            values["read_bytes_per_s"] = beside
        written = self._writers.finish(self._size.timeout_s) if self._writers else None
        if written:
            values["write_bytes_per_s"] = written.bytes_per_s
        for pid in self._readers:
            self._processes.end(pid)
        read = sum(_read_bytes(self._processes.wait(pid, self._size.timeout_s).out) for pid in self._readers)
        if not written:
            return Carried(0, read, values)
        through_s = written.through_s if written.through_s is not None and written.through_s < done_s else None
        return Carried(written.size_bytes, read, values, through_s)

    def _read(self, number: int, gate: Gate) -> int:
        argv = own_program(Path(background_reader.__file__), _file(number))
        return self._processes.start(argv, self._scratch.folder, stdin=gate.fd)

    def _read_so_far(self) -> int:
        return sum(map(read_so_far, self._readers))


def _file(number: int) -> str:
    return f"reader-{number}.in"


def _reading_s(beside: Beside) -> float:
    return BEGIN_S if beside.readers else 0.0


def _read_bytes(text: str) -> int:
    """Read how much a reader read, which it prints at its end. Raises ``NotUnderstood``."""
    words = text.split()
    if not words or not words[-1].isdecimal():
        raise NotUnderstood(Path(background_reader.__file__).name, text)
    return int(words[-1])
