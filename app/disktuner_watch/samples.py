# SPDX-License-Identifier: GPL-3.0-or-later
"""What the recorder counts once a second, as values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple


class Stat(NamedTuple):
    """What a disk has done since it appeared (``/sys/block/X/stat``), and its requests in flight now.

    ``busy_ms`` leaves out idle time that the kernel counts as busy (``Counters.busy_ms_since``).
    ``discard_ms`` is the total time of discards (TRIM); kernels before 4.18 count none, before 5.5 no flushes.
    """

    reads: int
    read_bytes: int
    writes: int
    written_bytes: int
    in_flight: int
    busy_ms: int
    discards: int = 0
    discard_ms: int = 0
    flushes: int = 0

    @property
    def completed(self) -> int:
        """Requests answered."""
        return self.reads + self.writes + self.discards + self.flushes


class Program(NamedTuple):
    """What the processes with a name moved since the last look; ``held_up``: one is uninterruptible now (``D``)."""

    name: str
    read_bytes: int
    written_bytes: int
    held_up: bool = False


@dataclass(frozen=True, slots=True)
class Sample:
    """One reading at a time of the monotonic clock.

    ``stalled_us`` and ``memory_us`` grow while all programs at once wait for I/O, or for memory (the totals of "full"
    in Documentation/accounting/psi.rst). ``waiting_bytes`` are dirty or being written now; ``swapped_bytes`` went to
    and from swap since boot. ``programs`` is None if they were not looked at.
    """

    time_s: float
    stalled_us: int
    memory_us: int
    waiting_bytes: int
    swapped_bytes: int
    disks: Mapping[str, Stat]
    programs: tuple[Program, ...] | None = None


def stalled_s(before: Sample, after: Sample) -> float:
    """Return for how long between two successive samples all programs waited for a disk or for memory."""
    return max(_io_s(before, after), memory_s(before, after))


def stalled_share(before: Sample, after: Sample) -> float:
    """Return the share of the time between two successive samples in which that was so, 0 to 1."""
    return min(stalled_s(before, after) / max(after.time_s - before.time_s, 1e-9), 1.0)


def stalled_within_s(samples: Sequence[Sample]) -> float:
    """Return for how long all programs waited, from the first to the last sample."""
    return sum(stalled_s(before, after) for before, after in pairwise(samples))


def memory_s(before: Sample, after: Sample) -> float:
    """Return for how long between two samples all programs waited for memory."""
    return max(after.memory_us - before.memory_us, 0) / 1e6


def memory_share(before: Sample, after: Sample) -> float:
    """Return the share of the time between two samples in which all programs waited for memory, 0 to 1."""
    return min(memory_s(before, after) / max(after.time_s - before.time_s, 1e-9), 1.0)


def pressure_s(before: Sample, after: Sample) -> float:
    """Return for how long between two samples all programs waited for I/O, according to the kernel."""
    return max(after.stalled_us - before.stalled_us, 0) / 1e6


def busy_s(before: Sample, after: Sample) -> float:
    """Return an upper bound on how long any disk had requests between two samples."""
    known = after.disks.keys() & before.disks.keys()
    return sum(max(after.disks[name].busy_ms - before.disks[name].busy_ms, 0) for name in known) / 1000


def _io_s(before: Sample, after: Sample) -> float:
    """Return for how long all programs waited for I/O, confirmed by a busy disk or a program in D state.

    For a network folder, only a program confirms it. Without either, a program sleeps in io_uring (``block.waiting``).
    """
    waited_s = pressure_s(before, after)
    is_seen = any(program.held_up for program in after.programs or ())
    return waited_s if is_seen else min(waited_s, busy_s(before, after))


def added_up(programs: Iterable[Program]) -> tuple[Program, ...]:
    """Return what programs moved in several looks together, the busiest first."""
    read, written, held_up = Counter[str](), Counter[str](), set[str]()
    for program in programs:
        read[program.name] += program.read_bytes
        written[program.name] += program.written_bytes
        held_up.update([program.name] if program.held_up else ())
    names = sorted(read, key=lambda name: (-read[name] - written[name], name))
    return tuple(Program(name, read[name], written[name], name in held_up) for name in names)
