# SPDX-License-Identifier: GPL-3.0-or-later
"""The live figures against the kernel's counters for the same work: nothing is lost between two points."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from disktuner.block.system import System
from disktuner.experiment.events import LivePoint
from disktuner.experiment.sampler import Sampler
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting
from tests.conftest import LoopDisk, Sudo
from tests.end2end.conftest import COMMAND, Run
from tests.waiting import until

COUNTED: Mapping[str, tuple[int, float, str]] = {
    "reads_per_s": (0, 1, ""),
    "read_merges_per_s": (1, 1, ""),
    "read_bytes_per_s": (2, 512, ""),
    "read_latency_s": (3, 0.001, "reads_per_s"),
    "writes_per_s": (4, 1, ""),
    "write_merges_per_s": (5, 1, ""),
    "write_bytes_per_s": (6, 512, ""),
    "write_latency_s": (7, 0.001, "writes_per_s"),
}
"""By figure the kernel's counter in /sys/block/X/stat (Documentation/block/stat.rst), how much one is, and per what."""
BUSY = 9
"""The counter of the time with requests. The kernel may count too much: what went before while the disk was idle."""
LOAD = (
    "fio --thread --directory=. --size=2m --bs=4k --direct=1 --overwrite=1 --ioengine=libaio --iodepth=8"
    " --fallocate=none --name=scattered --rw=randrw --randseed=1"
    " --name=merged --rw=write --iodepth_batch=8 --iodepth_batch_complete_min=8"
)
"""Scattered reads and writes, and writes in a row that are merged."""
LINES = 50
"""In so many of a fifth of a second each all that was done before has been counted."""
Part = tuple[float, Mapping[str, Any]]


def counters(name: str) -> list[int]:
    return [int(word) for word in Path(f"/sys/block/{name}/stat").read_text().split()]


def work(disk: LoopDisk) -> None:
    subprocess.run(LOAD.split(), cwd=disk.folder, check=True, capture_output=True)
    subprocess.run(["sync", "--file-system", "."], cwd=disk.folder, check=True)


def differences(name: str, before: list[int], parts: Iterable[Part]) -> dict[str, tuple[float, float]]:
    """Return the sums over all intervals (seconds, figures) that differ from the kernel's counts since then."""
    now, intervals = counters(name), list(parts)

    def counted(at: int, unit: float) -> float:
        return (now[at] - before[at]) * unit

    differing = {}
    for figure, (at, unit, per) in COUNTED.items():
        total = sum(seconds * (figures[per] if per else 1) * (figures[figure] or 0.0) for seconds, figures in intervals)
        if total != pytest.approx(counted(at, unit), rel=1e-3, abs=2 * unit):
            differing[figure] = total, counted(at, unit)
    busy_s = sum(seconds * figures["utilisation"] for seconds, figures in intervals)
    if busy_s > counted(BUSY, 0.001) + 0.002:
        differing["utilisation"] = busy_s, counted(BUSY, 0.001)
    return differing


@pytest.fixture
def disk(loop_disk: Callable[..., LoopDisk], sudo: Sudo) -> LoopDisk:
    loop = loop_disk(size_mb=128)
    sudo("tee", loop.queue / "scheduler", stdin="mq-deadline")  # merges need one
    work(loop)  # makes its files
    return loop


def test_the_graph_is_what_the_kernel_counted(disk: LoopDisk) -> None:
    points: list[LivePoint] = []
    sampler = Sampler(System(), [disk.name], points.append)
    before, began = counters(disk.name), System().counters(disk.name)
    assert began
    sampler.begin(0, Setting("mq-deadline"))
    for _ in range(3):
        work(disk)
        sampler.tick()
    ends = [began.time_s, *(point.time_s for point in points)]
    parts = [(end - start, asdict(point.figures)) for start, end, point in zip(ends, ends[1:], points, strict=False)]
    assert len(points) == 3
    assert differences(disk.name, before, parts) == {}
    now = counters(disk.name)
    assert all(now[at] > before[at] for at in (0, 4, 5)), "it read, it wrote, and writes were merged"


def test_the_command_says_what_the_kernel_counted(disk: LoopDisk) -> None:
    command = [COMMAND, "monitor", disk.name, "--interval", "0.2", "--json"]
    lines: list[dict[str, Any]] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watching:
        stream = watching.stdout
        assert stream
        before = counters(disk.name)

        def quiet() -> bool:
            """Starting with an interval without requests, everything falls into one of the intervals."""
            nonlocal before
            before = counters(disk.name)
            figures = json.loads(stream.readline())[disk.name]
            return not (figures["reads_per_s"] or figures["writes_per_s"]) and counters(disk.name) == before

        until(quiet)
        work(disk)

        differing: list[dict[str, tuple[float, float]]] = []
        for _ in range(LINES):
            lines.append(json.loads(stream.readline())[disk.name])
            parts = [(line["elapsed_s"], line) for line in lines]
            # The first may have been written before it was quiet, and read later.
            differing = [differences(disk.name, before, parts[first:]) for first in range(len(parts))]
            if not all(differing):
                break
        assert not all(differing), differing
        watching.send_signal(signal.SIGINT)
        assert watching.wait() == 0
    assert any(line["cpu_s_per_gib"] for line in lines)
    assert all(0 <= line["programs_waiting"] <= 1 for line in lines)


def test_its_table_has_a_line_per_disk(loop_disk: Callable[..., LoopDisk], disktuner: Run) -> None:
    name = loop_disk(size_mb=64, fs=None).name
    completed = disktuner("monitor", name, "--all", "--interval", "0.1", "--count", "2")
    lines = completed.stdout.splitlines()
    assert [line.split()[0] for line in lines if line] == ["DISK", name, "DISK", name]
    assert text("head-cpu-per-gib") in lines[0]
