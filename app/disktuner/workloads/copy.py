# SPDX-License-Identifier: GPL-3.0-or-later
"""The workloads ``copy`` and ``copy-contended``: ``cp`` of a big file, alone and beside others, until on the disk."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from disktuner.vocabulary.goals import RUN_S
from disktuner.workloads.cold import make_cold
from disktuner.workloads.errors import Aborted
from disktuner.workloads.processes import LOOK_S, Deadline
from disktuner.workloads.source import discard, write_file
from disktuner.workloads.spec import Cost, Count, Spec
from disktuner.workloads.workload import MIB, SHORT_S, Measurement, Probe, Scratch, Workload

LEAST_MIB = 2
MOST_MIB = 700  # the size of the original's file
MOST_TOTAL_MIB = 1400
FASTEST_TOTAL_MIB = 8192  # where all copies would be done too soon
LONGER = 10 / 3  # than other runs: a copy begins unlike it goes on (docs/runs.md)


class CopySpec(Spec, frozen=True):
    """There are ``files`` of ``file_bytes`` each; a run makes ``copies`` of them in all. Both are the workload's.

    Of two and then four at once, the four take about two thirds of the time.
    """

    WORK: ClassVar = {"file_bytes": LEAST_MIB * MIB}
    ESTIMATES: ClassVar = frozenset({"expected_s", "files", "copies"})
    MAY_LAST_S: ClassVar = LONGER * RUN_S
    MUST_LAST_S: ClassVar = 2 * RUN_S

    file_bytes: Count
    files: Count
    copies: Count

    @property
    def cost(self) -> Cost:
        """The files, and their copies."""
        there = self.files * self.file_bytes
        return Cost(self.copies * self.file_bytes, there, 2 * there)


def run_copies(sources: Sequence[Path], scratch: Scratch, timeout_s: float, most_s: float) -> list[float]:
    """Copy all at the same time, each with its own cp and then sync(1); return when each was on the disk, in seconds.

    ``--reflink=never`` because a copy that shares its blocks moves nothing; the guard would notice it. Raises
    ``Aborted``; then nothing of the copies waits to be written any more.
    """
    processes, folder = scratch.processes, scratch.folder
    targets = [source.with_suffix(".out") for source in sources]
    for source, target in zip(sources, targets, strict=True):
        target.unlink(missing_ok=True)
        make_cold(source)
    deadline, ended = Deadline(processes, most_s), list[float]()
    names = [(source.name, target.name) for source, target in zip(sources, targets, strict=True)]
    syncs = {processes.start(["cp", "--reflink=never", *pair], folder): ["sync", pair[1]] for pair in names}
    try:
        while syncs:
            for pid in [pid for pid in syncs if processes.ended(pid)]:
                processes.wait(pid, timeout_s)
                if sync := syncs.pop(pid):
                    syncs[processes.start(sync, folder)] = []
                else:
                    ended.append(deadline.spent_s)
            deadline.check()
            processes.pause(LOOK_S)
    except Aborted:
        for pid in syncs:
            processes.end(pid)
        raise
    finally:
        for target in targets:
            discard(target)
    return ended


def jain_index(times_s: Sequence[float]) -> float:
    """Return how fairly equal amounts of work were served in these times: 1 where all got the same throughput.

    It is (Σx)² ÷ (n Σx²) with x the throughput of each, here 1 ÷ its time; 1/n where one got everything. Source:
    R. Jain, D. Chiu, W. Hawe, A Quantitative Measure of Fairness and Discrimination for Resource Allocation in Shared
    Computer Systems, DEC-TR-301, 1984.
    """
    speeds = [1 / each for each in times_s]
    return sum(speeds) ** 2 / (len(speeds) * sum(speed**2 for speed in speeds))


class Copy(Workload):
    """At most 700 MiB as in the original, unless that is copied too soon."""

    id = "copy"
    spec_type = CopySpec
    at_once: tuple[int, ...] = (1,)

    def plan(self, probe: Probe, seconds: float, *_: float) -> CopySpec:
        """As much as all copies together read and write in that time."""
        files, copies = max(self.at_once), sum(self.at_once)
        # A disk loses of its speed when it goes to and fro between the copies (measured at 7200 rpm).
        kept = 0.7 if files > 1 and probe.seeks_slowly else 1.0
        speed = kept / (1 / probe.read_bytes_per_s + 1 / probe.write_bytes_per_s)
        each = speed / copies / MIB
        most = max(min(MOST_MIB, MOST_TOTAL_MIB // copies), min(each * SHORT_S, FASTEST_TOTAL_MIB // copies))
        mib = max(LEAST_MIB, int(min(most, each * LONGER * seconds)))
        return CopySpec(mib * MIB * copies / speed + 0.3, mib * MIB, files, copies)

    def sources(self, scratch: Scratch) -> list[Path]:
        """Return the files to be copied."""
        return [self.file(scratch, f"{number}.in") for number in range(max(self.at_once))]

    def prepare(self, scratch: Scratch, spec: CopySpec) -> None:
        """Write the files to be copied."""
        for source in self.sources(scratch):
            scratch.write(source.name, spec.file_bytes)

    def run(self, scratch: Scratch, spec: CopySpec, abort_after_s: float = math.inf) -> Measurement:
        """Copy, after what was prepared for longer runs, or cut for a shorter pilot, got this one's size."""
        sources, times = self.sources(scratch), dict[int, list[float]]()
        for source in sources:
            if (there := source.stat().st_size) != (size := spec.file_bytes):
                write_file(source, size, scratch.seed, scratch.processes.check, [(there, size)])
        try:
            for count in self.at_once:
                times[count] = run_copies(sources[:count], scratch, spec.timeout_s, abort_after_s)
        except Aborted as slow:
            return Measurement({"wall_s": slow.took_s}, slow.took_s, cut_short=True)
        moved = spec.file_bytes * sum(self.at_once)
        return Measurement(self.values(times), sum(max(each) for each in times.values()), moved, moved)

    def values(self, times: Mapping[int, Sequence[float]]) -> dict[str, float]:
        """Return the figures of so many copies at once."""
        return {"wall_s": max(times[1])}


class CopyContended(Copy):
    """Two copies at once and then four, which takes longer."""

    id = "copy-contended"
    at_once = (2, 4)

    def values(self, times: Mapping[int, Sequence[float]]) -> dict[str, float]:
        """How long both took, and how fairly they shared."""
        return {
            "wall_s": max(times[4]),
            "jain_index": jain_index(times[4]),
            "beside_one_wall_s": max(times[2]),
            "beside_one_jain_index": jain_index(times[2]),
        }


RUNNERS = (Copy(), CopyContended())
