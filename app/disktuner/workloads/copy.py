# SPDX-License-Identifier: GPL-3.0-or-later
"""The workloads ``copy`` and ``copy-contended``: ``cp`` of a big file, alone and beside others, until on the disk."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from disktuner.workloads.cold import make_cold
from disktuner.workloads.source import write_file
from disktuner.workloads.workload import MIB, SHORT_S, Measurement, Probe, Processes, Scratch, Size, Workload

LEAST_MIB = 2
MOST_MIB = 700  # the size of the original's file
MOST_TOTAL_MIB = 1400
FASTEST_TOTAL_MIB = 8192  # where all copies would be done too soon


@dataclass(frozen=True, slots=True)
class _Pair:
    source: Path
    target: Path


def pairs(scratch: Scratch, name: str, count: int) -> list[_Pair]:
    """The files of ``count`` copies."""
    return [
        _Pair(scratch.folder / f"{name}-{number}.in", scratch.folder / f"{name}-{number}.out")
        for number in range(count)
    ]


class NotWaitedFor(Exception):
    """Copies took longer than they are waited for. Attributes: ``took_s`` is how long, at least."""

    def __init__(self, took_s: float) -> None:
        super().__init__(took_s)
        self.took_s = took_s


def run_copies(every: list[_Pair], scratch: Scratch, processes: Processes, size: Size) -> list[float]:
    """Copy all at the same time, each with its own cp and then sync(1); return when each was on the disk, in seconds.

    ``--reflink=never`` because a copy that shares its blocks moves nothing; the guard would notice it. Raises
    ``NotWaitedFor``; then the copies are asked to end, and nothing of them waits to be written any more.
    """
    timeout_s = size.timeout_s
    for pair in every:
        pair.target.unlink(missing_ok=True)
        make_cold(pair.source)
    began = time.monotonic()
    copying = {
        processes.start(["cp", "--reflink=never", pair.source.name, pair.target.name], scratch.folder): pair
        for pair in every
    }
    syncing: list[int] = []
    ended: list[float] = []
    while copying or syncing:
        for pid in [pid for pid in copying if processes.ended(pid)]:
            pair = copying.pop(pid)
            processes.wait(pid, timeout_s)
            syncing.append(processes.start(["sync", pair.target.name], scratch.folder))
        for pid in [pid for pid in syncing if processes.ended(pid)]:
            syncing.remove(pid)
            processes.wait(pid, timeout_s)
            ended.append(time.monotonic() - began)
        processes.pause(0.002)
        if (took_s := time.monotonic() - began) > size.patience_s:
            for pid in (*copying, *syncing):
                processes.end(pid)
            for pair in every:
                _discard(pair.target)
            raise NotWaitedFor(took_s)
    for pair in every:
        pair.target.unlink()
    return ended


def _discard(path: Path) -> None:
    """Take a file away with what was not written of it yet, so that the next run does not meet it."""
    with contextlib.suppress(FileNotFoundError):
        os.truncate(path, 0)
        path.unlink()


def jain_index(times_s: Sequence[float]) -> float:
    """Return how fairly equal amounts of work were served in these times: 1 where all got the same throughput.

    It is (Σx)² ÷ (n Σx²) with x the throughput of each, here 1 ÷ its time; 1/n where one got everything. Source:
    R. Jain, D. Chiu, W. Hawe, A Quantitative Measure of Fairness and Discrimination for Resource Allocation in Shared
    Computer Systems, DEC-TR-301, 1984.
    """
    speeds = [1 / each for each in times_s]
    return sum(speeds) ** 2 / (len(speeds) * sum(speed**2 for speed in speeds))


class Copy(Workload):
    """``scale`` is the file's size in MiB, at most 700 as in the original unless that is copied too soon."""

    id = "copy"
    copies = 1
    copied = 1

    def size(self, probe: Probe, seconds: float) -> Size:
        """As much as all copies together read and write in that time."""
        speed = self._share(probe) / (1 / probe.read_bytes_per_s + 1 / probe.write_bytes_per_s)
        each = speed / self.copied / MIB
        most = max(min(MOST_MIB, MOST_TOTAL_MIB // self.copied), min(each * SHORT_S, FASTEST_TOTAL_MIB // self.copied))
        mib = max(LEAST_MIB, int(min(most, each * seconds)))
        there, moved = mib * MIB * self.copies, mib * MIB * self.copied
        return Size(mib, moved, there, moved / speed + 0.3, bytes_kept=2 * there)

    def _share(self, probe: Probe) -> float:
        """How much of its speed a disk keeps when it goes to and fro between the copies (measured at 7200 rpm)."""
        return 0.7 if self.copies > 1 and probe.seeks_slowly else 1.0

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        """Write the files to be copied."""
        for pair in pairs(scratch, self.id, self.copies):
            write_file(pair.source, size.scale * MIB, scratch.seed, processes.check)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Copy."""
        every = pairs(scratch, self.id, self.copies)
        try:
            ended = run_copies(every, scratch, processes, size)
        except NotWaitedFor as slow:
            return _at_least(slow)
        moved = size.scale * MIB
        return Measurement({"wall_s": ended[0]}, ended[0], moved, moved)


class CopyContended(Copy):
    """Two copies at once and then four: ``scale`` is the size of each file in MiB."""

    id = "copy-contended"
    copies = 4
    copied = 6

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Copy two of the files, then all four."""
        every = pairs(scratch, self.id, self.copies)
        try:
            two, four = (run_copies(every[:count], scratch, processes, size) for count in (2, 4))
        except NotWaitedFor as slow:  # four copies take longer than two of them
            return _at_least(slow)
        moved = size.scale * MIB * self.copied
        values = {
            "wall_s": max(four),
            "jain_index": jain_index(four),
            "beside_one_wall_s": max(two),
            "beside_one_jain_index": jain_index(two),
        }
        return Measurement(values, max(two) + max(four), moved, moved)


def _at_least(slow: NotWaitedFor) -> Measurement:
    return Measurement({"wall_s": slow.took_s}, slow.took_s, cut_short=True)


RUNNERS = (Copy(), CopyContended())
