# SPDX-License-Identifier: GPL-3.0-or-later
"""Every workload for real on a loop disk, through the command; and what bench refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from disktuner.results.codec import decode
from disktuner.results.model import Result
from disktuner.vocabulary.metrics import is_cost
from disktuner.vocabulary.workloads import metrics_of
from disktuner.workloads.catalogue import catalogue
from tests.conftest import LoopDisk
from tests.end2end.conftest import Run


def moved(disk: LoopDisk) -> int:
    """Bytes written to a disk up to now."""
    return int(Path(f"/sys/block/{disk.name}/stat").read_text().split()[6]) * 512


def announced_bytes(said: str) -> float:
    """The most that a measurement said it would write."""
    announced = re.search(r"writes at most ([0-9.,]+) ([kMG]?)B", said)
    assert announced, said
    return float(announced[1].replace(",", "")) * 1000.0 ** " kMG".index(announced[2] or " ")


def histograms(result: Result) -> list[list[list[float]]]:
    """The full latency distributions of all runs; there must be some."""
    found = [bins for run in result.extra["histograms"].values() for bins in run.values()]
    assert found
    return found


# raw-read needs udisks and its leave: tests/bus/test_raw_read.py.
@pytest.mark.parametrize("workload", [each.id for each in catalogue() if each.id != "raw-read"])
def test_a_workload_runs_and_stays_within_what_it_announced(
    workload: str, loop_disk: Callable[..., LoopDisk], disktuner: Run
) -> None:
    disk = loop_disk(size_mb=2048)
    assert disk.folder
    before, there = moved(disk), set(disk.folder.rglob("*"))

    done = disktuner(
        "bench", disk.folder, "--workload", workload, "--rounds", "1", "--seconds", "0.3", "--seed", "7", "--json"
    )

    result = decode(done.stdout) if done.returncode == 0 else None
    # A busy test machine may take the CPU away from every run; then the reason is said and nothing is left.
    assert result or done.returncode == 5, done.stderr
    if result:
        names = {sample.metric for sample in result.samples}
        (known,) = [each for each in catalogue() if each.id == workload]
        missing = set(metrics_of(known.facts)) - names
        assert names <= set(metrics_of(known.facts))
        assert all(is_cost(name) for name in missing)  # a short run may be over before a CPU time is counted
        assert all(sample.value > 0 for sample in result.samples if sample.valid)
        assert result.series
        if any("p99" in name or "p95" in name for name in names):
            assert all(sum(count for _, count in bins) for bins in histograms(result))  # however few
        assert result.plan.seed == 7
    assert moved(disk) - before <= announced_bytes(done.stderr) + 0.05e9
    assert set(disk.folder.rglob("*")) == there


def test_root_is_refused_with_what_to_do(disktuner: Run, tmp_path: Path) -> None:
    done = disktuner("bench", tmp_path, "--workload", "dd-write", user="root")
    assert done.returncode == 5
    assert "ordinary user" in done.stderr


def test_an_unknown_workload_exits_with_4_and_names_those_there_are(disktuner: Run, tmp_path: Path) -> None:
    done = disktuner("bench", tmp_path, "--workload", "nonsense")
    assert done.returncode == 4
    assert "launch-under-writes" in done.stderr


def test_an_unknown_target_exits_with_4(disktuner: Run) -> None:
    assert disktuner("bench", "no-such-disk", "--workload", "dd-read").returncode == 4


def test_a_disk_is_measured_in_its_writable_file_system(loop_disk: Callable[..., LoopDisk], disktuner: Run) -> None:
    disk = loop_disk(size_mb=1024)
    done = disktuner("bench", disk.name, "--workload", "dd-read", "--rounds", "1", "--seconds", "0.3")
    assert done.returncode == 0, done.stderr
    assert f"below {disk.folder}" in done.stderr


def test_too_little_room_is_refused(loop_disk: Callable[..., LoopDisk], disktuner: Run) -> None:
    disk = loop_disk(size_mb=48)
    done = disktuner("bench", disk.folder or "", "--workload", "dd-read")
    assert done.returncode == 5
    assert "too little room" in done.stderr
    assert disk.folder
    assert [path.name for path in disk.folder.iterdir()] in ([], ["lost+found"])


def test_workloads_are_listed_with_all_that_they_are(disktuner: Run) -> None:
    done = disktuner("workloads", "--json")
    listed = {each["id"]: each for each in json.loads(done.stdout)["workloads"]}
    assert set(listed) == {each.id for each in catalogue()}
    launch = listed["launch-under-writes"]
    assert launch["deciding"] in launch["metrics"]
    assert "desktop" in launch["goals"]
    lines = disktuner("workloads").stdout.splitlines()
    assert [line.split()[0] for line in lines[1 : len(listed) + 1]] == list(listed)
