# SPDX-License-Identifier: GPL-3.0-or-later
"""The workloads ``copy`` and ``copy-contended``: ``cp`` of a big file, alone or several at once, until on the disk."""

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
FASTEST_TOTAL_MIB = 8192  # on disks that would finish all copies too soon
LONGER = 10 / 3  # than other runs, as the beginning of a copy differs from the rest (docs/runs.md)


class CopySpec(Spec, frozen=True):
    """A run makes ``copies`` in all of ``files`` of ``file_bytes`` each; the workload fixes both counts.

    With four and then two copies at once, the four take about two thirds of the time.
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
        prepared = self.files * self.file_bytes
        return Cost(self.copies * self.file_bytes, prepared, 2 * prepared)


def run_copies(sources: Sequence[Path], scratch: Scratch, timeout_s: float, most_s: float) -> list[float]:
    """Copy all files at once, each with cp and then sync(1); return the seconds until each was on the disk.

    ``--reflink=never``, as a copy that shares its blocks moves nothing, which the guard would notice. Raises
    ``Aborted``, after which no data of the copies wait to be written.
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
    """Return how fairly equal amounts of work were served in these times: 1 if all got the same throughput.

    It is (Σx)² ÷ (n Σx²), with x the throughput of each, here 1 ÷ its time; 1/n if one got everything. Source:
    R. Jain, D. Chiu, W. Hawe, A Quantitative Measure of Fairness and Discrimination for Resource Allocation in Shared
    Computer Systems, DEC-TR-301, 1984.
    """
    speeds = [1 / time_s for time_s in times_s]
    return sum(speeds) ** 2 / (len(speeds) * sum(speed**2 for speed in speeds))


class Copy(Workload):
    """At most 700 MiB as in the original benchmark, unless that would be copied too soon."""

    id = "copy"
    spec_type = CopySpec
    at_once: tuple[int, ...] = (1,)

    def plan(self, probe: Probe, seconds: float, *_: float) -> CopySpec:
        files, copies = max(self.at_once), sum(self.at_once)
        # A hard disk loses speed by seeking between the copies (measured at 7200 rpm).
        kept = 0.7 if files > 1 and probe.is_rotational else 1.0
        speed = kept / (1 / probe.read_bytes_per_s + 1 / probe.write_bytes_per_s)
        mib_per_s = speed / copies / MIB
        most = max(min(MOST_MIB, MOST_TOTAL_MIB // copies), min(mib_per_s * SHORT_S, FASTEST_TOTAL_MIB // copies))
        mib = max(LEAST_MIB, int(min(most, mib_per_s * LONGER * seconds)))
        return CopySpec(mib * MIB * copies / speed + 0.3, mib * MIB, files, copies)

    def sources(self, scratch: Scratch) -> list[Path]:
        return [self.file(scratch, f"{number}.in") for number in range(max(self.at_once))]

    def prepare(self, scratch: Scratch, spec: CopySpec) -> None:
        for source in self.sources(scratch):
            scratch.write(source.name, spec.file_bytes)

    def run(self, scratch: Scratch, spec: CopySpec, abort_after_s: float = math.inf) -> Measurement:
        """Give the prepared files this run's size, and copy them.

        What decides comes first. If time is up during the rest, only the rest has no value.
        """
        sources, times = self.sources(scratch), dict[int, list[float]]()
        for source in sources:
            if (present_bytes := source.stat().st_size) != (wanted_bytes := spec.file_bytes):
                write_file(source, wanted_bytes, scratch.seed, scratch.processes.check, [(present_bytes, wanted_bytes)])
        spent_s = 0.0
        for count in self.at_once:
            try:
                times[count] = run_copies(sources[:count], scratch, spec.timeout_s, abort_after_s - spent_s)
            except Aborted as slow:
                if not times:
                    return Measurement({"wall_s": slow.took_s}, slow.took_s, cut_short=True)
                spent_s += slow.took_s
                break
            spent_s += max(times[count])
        moved = spec.file_bytes * sum(times)
        return Measurement(self.values(times), spent_s, moved, moved, partial=len(times) < len(self.at_once))

    def values(self, times: Mapping[int, Sequence[float]]) -> dict[str, float]:
        """Return the metrics from each copy's seconds, by the number of copies at once."""
        return {"wall_s": max(times[1])}


class CopyContended(Copy):
    """Four copies at once, then two."""

    id = "copy-contended"
    at_once = (4, 2)

    def values(self, times: Mapping[int, Sequence[float]]) -> dict[str, float]:
        prefixes = {4: "", 2: "beside_one_"}
        return {
            f"{prefixes[count]}{name}": value
            for count, copy_times in times.items()
            for name, value in (("wall_s", max(copy_times)), ("jain_index", jain_index(copy_times)))
        }


RUNNERS = (Copy(), CopyContended())
