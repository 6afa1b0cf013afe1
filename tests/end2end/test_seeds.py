# SPDX-License-Identifier: GPL-3.0-or-later
"""The same seed gives the same places on the disk; another seed gives others."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from disktuner.workloads.catalogue import find
from disktuner.workloads.processes import Control, Processes
from disktuner.workloads.source import Source
from disktuner.workloads.workload import Probe, Scratch
from tests.conftest import LoopDisk
from tests.waiting import until

ENOUGH = 20
BLOCK_BYTES = 4096
OFFSET = re.compile(r"pread64\(\d+, .*, (\d+)\) += \d|aio_offset=(\d+)")


class Traced(Processes):
    """Runs each program under strace, and knows where it read."""

    folder: Path

    def start(
        self,
        argv: Sequence[str],
        cwd: Path,
        stdin: int | None = None,
        fds: tuple[int, ...] = (),
        **how: Any,
    ) -> int:
        to = self.folder / f"{len(list(self.folder.iterdir())):03}"
        trace = ["strace", "-f", "-s", "1", "-v", "-e", "trace=pread64,io_submit", "-o", str(to)]
        return super().start([*trace, *argv], cwd, stdin, fds, **how)

    def offsets(self) -> list[list[int]]:
        """Return per program with scattered reads where it read, in order; background loads read no whole blocks."""
        verdicts = []
        for path in sorted(self.folder.iterdir()):
            read = (int(first or second) for first, second in OFFSET.findall(path.read_text(errors="replace")))
            places = [place for place in read if not place % BLOCK_BYTES]
            if len(set(places)) >= ENOUGH:
                verdicts.append(places)
        return verdicts


def places(workload_id: str, folder: Path, seed: int) -> list[int]:
    """Return where a workload's first such program read; with several threads the kernel mixes the order."""
    workload = find(workload_id)
    spec = workload.plan(Probe(40e6, 40e6, 0.001, 1 << 32, 1 << 32), 1.5)
    (folder / "files").mkdir(parents=True)
    (folder / "traces").mkdir()
    with Source(spec.cost.bytes_source, 1) as source, Traced(Control()) as processes:
        processes.folder = folder / "traces"
        workload.prepare(Scratch(folder / "files", 1, source, processes), spec)

        def offsets() -> list[list[int]]:
            """A run lasts so long, but the computer may stand still for most of that: then there is another."""
            workload.run(Scratch(folder / "files", seed, source, processes), spec)
            return processes.offsets()

        return until(offsets)[0]


@pytest.mark.parametrize(
    "workload",
    [
        "read-latency-under-writes",
        pytest.param("sysbench-rndrd", marks=pytest.mark.long),
    ],
)
def test_the_same_seed_reads_the_same_places(workload: str, loop_disk: Callable[..., LoopDisk]) -> None:
    folder = loop_disk(size_mb=4096).folder
    first, again, other = (places(workload, folder / name, seed) for name, seed in (("a", 7), ("b", 7), ("c", 8)))
    count = min(len(first), len(again), len(other))
    assert count >= ENOUGH
    assert first[:count] == again[:count]
    assert first[:count] != other[:count]
