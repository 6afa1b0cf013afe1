# SPDX-License-Identifier: GPL-3.0-or-later
"""The same seed gives the same order of runs and the same places on the disk; another seed gives others."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from disktuner.experiment.events import Event, RunStarted
from disktuner.experiment.processes import Control, UserProcesses
from disktuner.workloads.catalogue import find
from disktuner.workloads.source import Source
from disktuner.workloads.workload import Measurement, Probe, Processes, Scratch
from tests.conftest import LoopDisk, Sudo
from tests.end2end.guarded import SMALL, Doing, Switched, measure

ENOUGH = 20
OFFSET = re.compile(r"pread64\(\d+, .*, (\d+)\) += \d|aio_offset=(\d+)")


class Traced(UserProcesses):
    """Runs each program under strace, and knows where its reads went."""

    folder: Path

    def start(
        self,
        argv: Sequence[str],
        cwd: Path,
        stdin: int | None = None,
        stdout: int | None = None,
        fds: tuple[int, ...] = (),
    ) -> int:
        number = len(list(self.folder.iterdir()))
        trace = [
            "strace",
            "-f",
            "-s",
            "1",
            "-v",
            "-e",
            "trace=pread64,io_submit",
            "-o",
            str(self.folder / f"{number:03}"),
        ]
        return super().start([*trace, *argv], cwd, stdin, stdout, fds)

    def offsets(self) -> list[list[int]]:
        """Per program that read scattered places: where, in order."""
        found = []
        for path in sorted(self.folder.iterdir()):
            places = [int(first or second) for first, second in OFFSET.findall(path.read_text(errors="replace"))]
            if len(set(places)) >= ENOUGH:
                found.append(places)
        return found


def places(workload_id: str, folder: Path, seed: int) -> list[int]:
    """Where a workload's first program with scattered reads went: with several threads the kernel mixes the order."""
    workload = find(workload_id)
    size = workload.size(Probe(40e6, 40e6, 0.001, 1 << 32, 1 << 32), 1.5)
    (folder / "files").mkdir(parents=True)
    (folder / "traces").mkdir()
    control = Control()
    try:
        with Source(size.bytes_source, 1) as source, Traced(control) as processes:
            processes.folder = folder / "traces"
            workload.prepare(Scratch(folder / "files", 1, source), size, processes)
            workload.run(Scratch(folder / "files", seed, source), size, processes)
            return processes.offsets()[0]
    finally:
        control.close()


@pytest.mark.parametrize("workload", ["launch-under-writes", "sysbench-rndrd", "read-latency-under-writes"])
def test_the_same_seed_reads_the_same_places(workload: str, loop_disk: Callable[..., LoopDisk]) -> None:
    folder = loop_disk(size_mb=1024).folder
    assert folder
    first, again, other = (places(workload, folder / name, seed) for name, seed in (("a", 7), ("b", 7), ("c", 8)))
    count = min(len(first), len(again), len(other))
    assert count >= ENOUGH
    assert first[:count] == again[:count]
    assert first[:count] != other[:count]


def test_the_same_seed_runs_in_the_same_order(loop_disk: Callable[..., LoopDisk], sudo: Sudo) -> None:
    disk = loop_disk(size_mb=128)
    seeds: list[list[int]] = []

    def rest(folder: Path, processes: Processes) -> Measurement:
        processes.pause(0.03)
        return Measurement({"wall_s": 0.1}, 0.1, 0, 0)

    def orders(seed: int) -> list[tuple[int, str]]:
        found: list[tuple[int, str]] = []

        def hear(event: Event) -> None:
            if isinstance(event, RunStarted):
                found.append((event.round, event.scheduler))

        schedulers = ("none", "mq-deadline", "kyber", "bfq")
        workload = Doing(rest)
        measure(disk, workload, SMALL, hear, 4, schedulers, switch=Switched(disk, sudo), seed=seed, repeats=0)
        seeds.append(workload.seeds)
        assert len(set(workload.seeds)) == 5, "one for the warm-up and one per round, the same for all schedulers"
        return found

    first, again, other = orders(3), orders(3), orders(4)
    assert len(first) == 16
    assert first == again
    assert first != other
    assert seeds[0] == seeds[1] != seeds[2]
