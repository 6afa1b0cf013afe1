# SPDX-License-Identifier: GPL-3.0-or-later
"""kill -9 at many moments, also in the middle of trials: after the next start nothing is left, and all is restored."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from disktuner.results.codec import load
from disktuner.workloads.catalogue import catalogue
from tests.conftest import LoopDisk, Sudo
from tests.end2end.comparing import BRIEF, WHAT, begun, left_in, processes_in, values
from tests.end2end.conftest import COMMAND, Run
from tests.waiting import until

SCHEDULERS = "mq-deadline,kyber,bfq"
MOST_READS = 2000
"""It is killed when it has called read(2) so often at most since its first file or its first switch."""


class Killer:
    """Kills one start after the other, each at another moment after it began to work in the folder."""

    def __init__(self, disk: LoopDisk, disktuner: Run, moments: random.Random) -> None:
        self.disk, self.folder, self.disktuner, self.moments = disk, disk.folder, disktuner, moments
        self.counts: Counter[str] = Counter()

    def kill(self, workload: str, compares: bool) -> None:
        """Start, kill, and check everything that must not be left."""
        before, files = values(self.disk), set(self.folder.rglob("*"))
        time_for_all = {**os.environ, "BRIEF_S": "90"}
        with subprocess.Popen(self._argv(workload, compares), env=time_for_all) as process:
            until(lambda: process.poll() is not None or left_in(self.folder))
            if compares and self.moments.random() < 0.6:
                until(lambda: process.poll() is not None or values(self.disk) != before)
            assert process.poll() is None, f"{workload} ended too early"
            last = reads_of(process) + self.moments.randrange(MOST_READS if compares else MOST_READS // 3)
            until(lambda: process.poll() is not None or reads_of(process) >= last)
            self.counts["with another scheduler set"] += values(self.disk) != before
            self.counts["kills"] += process.poll() is None
            process.kill()
        self.counts["with files left behind"] += any(self.folder.glob(".disktuner-*/*"))
        until(lambda: not processes_in(self.folder))
        until(lambda: values(self.disk) == before)
        completed = self.disktuner("bench", self.folder, "--workload", "dd-read", "--rounds", "1", "--seconds", "0.1")
        assert completed.returncode in {0, 5}, completed.stderr
        left = [path for path in self.folder.rglob("*") if path not in files and not is_unlocked(path)]
        assert left == []
        for path in set(left_in(self.folder)) - files:
            path.rmdir()

    def _argv(self, workload: str, compares: bool) -> list[str | Path]:
        if compares:
            which = ("--goal", "desktop", "--workloads", workload, "--schedulers", SCHEDULERS, "--seed", "1")
            return [sys.executable, BRIEF, "compare", self.folder, *which]
        return [COMMAND, "bench", self.folder, "--workload", workload, "--rounds", "20", "--seconds", "0.5"]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_a_killed_comparison_keeps_what_it_measured_and_the_disk_gets_its_values_back(
    seed: int, loop_disk: Callable[..., LoopDisk], disktuner: Run, tmp_path: Path
) -> None:
    disk = loop_disk(size_mb=2048)
    before = values(disk)
    with begun(disk, *WHAT, "--schedulers", "mq-deadline,bfq", home=tmp_path) as process:
        moment = reads_of(process) + random.Random(seed).randrange(800)
        until(lambda: reads_of(process) >= moment)
        partial = [load(path).samples for path in tmp_path.glob("disktuner/[!.]*.json*")]
        process.kill()
    until(lambda: values(disk) == before)
    for journal in tmp_path.glob("disktuner/[!.]*.json*"):
        final = load(journal).samples
        assert all(final[: len(samples)] == samples for samples in partial) and all(sample.valid for sample in final)
        output = disktuner("verdict", journal).stdout
        assert "Interrupted in round" in output and f"compare --continue {journal}" in " ".join(output.split())
        partial = []
    assert partial == [], "what was taken is gone"


def reads_of(process: subprocess.Popen[Any]) -> int:
    """Return how often a process has called read(2); infinite if it is just ending, when the file is root's."""
    try:
        return int(Path(f"/proc/{process.pid}/io").read_text().split()[5])
    except PermissionError:
        return sys.maxsize


def is_unlocked(path: Path) -> bool:
    """Whether it is a scratch folder without its lock: it may be under construction, so it stays for half a minute."""
    return path.name.startswith(".disktuner-") and path.is_dir() and not any(path.iterdir())


@pytest.mark.parametrize(
    ("seed", "kills"),
    [
        pytest.param(5, 5, marks=[pytest.mark.long, pytest.mark.timeout(300)]),
        *(pytest.param(seed, 99, marks=[pytest.mark.machine, pytest.mark.timeout(1200)]) for seed in range(64, 68)),
    ],
)
def test_kills_leave_nothing(
    seed: int, kills: int, loop_disk: Callable[..., LoopDisk], sudo: Sudo, disktuner: Run
) -> None:
    """Three of four in comparisons."""
    disk = loop_disk(size_mb=2048)
    sudo("tee", disk.queue / "scheduler", stdin="mq-deadline")
    killer = Killer(disk, disktuner, random.Random(seed))
    available = (workload for workload in catalogue() if not workload.unavailable() and not workload.is_elsewhere)
    ids = [workload.id for workload in available if workload.id != "raw-read"]  # no udisks knows it
    chosen = killer.moments.sample(ids, min(kills, len(ids)))
    for number, workload in enumerate(chosen):
        killer.kill(workload, compares=number % 4 != 3)
    assert killer.counts["kills"] == len(chosen)
    assert killer.counts["with files left behind"] >= len(chosen) // 2
    assert killer.counts["with another scheduler set"] >= len(chosen) // 5
