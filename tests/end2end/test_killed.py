# SPDX-License-Identifier: GPL-3.0-or-later
"""kill -9 at random moments, also in the middle of trials: after the next start nothing is left, all is as it was."""

from __future__ import annotations

import json
import random
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from disktuner.block.system import System
from disktuner.workloads.catalogue import catalogue
from tests.conftest import LoopDisk, Sudo
from tests.end2end.conftest import COMMAND, Run
from tests.end2end.test_cancel import users_of
from tests.waiting import until

SCHEDULERS = ("mq-deadline", "kyber", "bfq")
LONGEST_S = 6.0
"""So long after its first file or after its first switch a comparison is killed at the latest."""


def comparison(folder: Path, workload: str) -> list[str]:
    argv = [str(COMMAND), "compare", str(folder), "--goal", "desktop", "--workloads", workload]
    return [*argv, "--schedulers", ",".join(SCHEDULERS), "--seed", "1"]


def benchmark(folder: Path, workload: str) -> list[str]:
    return [str(COMMAND), "bench", str(folder), "--workload", workload, "--rounds", "20", "--seconds", "0.5"]


@dataclass
class Killer:
    """Kills one start after the other, each at a random moment after it began to work in the folder."""

    disk: LoopDisk
    disktuner: Run
    moments: random.Random
    found: Counter[str] = field(default_factory=Counter)

    @property
    def folder(self) -> Path:
        assert self.disk.folder
        return self.disk.folder

    def state(self) -> tuple[str, dict[str, int | str]]:
        """The scheduler and all tunables of the disk."""
        return self.disk.scheduler, dict(System().tunables(self.disk.name))

    def kill(self, argv: list[str]) -> None:
        """Start, kill, and look at everything that must not be left."""
        before, there = self.state(), set(self.folder.rglob("*"))
        with subprocess.Popen(
            argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL
        ) as process:
            assert until(lambda: bool(list(self.folder.glob(".disktuner-*")))), argv
            if "compare" in argv and self.moments.random() < 0.6:
                assert until(lambda: self.disk.scheduler != before[0]), f"{argv} switched nothing"
            time.sleep(self.moments.uniform(0, LONGEST_S if "compare" in argv else 2.0))
            assert process.poll() is None, f"{argv} was done before it was killed"
            scheduler = self.disk.scheduler
            process.kill()
        self.note(scheduler != before[0])
        assert until(lambda: not users_of(self.folder)), users_of(self.folder)
        assert until(lambda: self.state() == before), (self.state(), before)
        self.start_again()
        left = [path for path in self.folder.rglob("*") if path not in there and not self.is_unlocked(path)]
        assert left == []
        for path in set(self.folder.glob(".disktuner-*")) - there:
            path.rmdir()

    def note(self, switched: bool) -> None:
        """Count what was under way when the kill came."""
        self.found["kills"] += 1
        self.found["with another scheduler set"] += switched
        self.found["with files left behind"] += bool(list(self.folder.glob(".disktuner-*/*")))

    def start_again(self) -> None:
        """The next start, for real and to its end."""
        done = self.disktuner("bench", self.folder, "--workload", "dd-read", "--rounds", "1", "--seconds", "0.1")
        assert done.returncode in {0, 5}, done.stderr
        self.found["next starts that measured"] += done.returncode == 0

    def is_unlocked(self, path: Path) -> bool:
        """Whether it is a scratch folder without its lock: it may just be being made, so it stays for half a minute."""
        young = path.name.startswith(".disktuner-") and path.is_dir() and not any(path.iterdir())
        self.found["killed before the lock"] += young
        return young


def set_up(loop_disk: Callable[..., LoopDisk], sudo: Sudo, disktuner: Run, seed: int) -> Killer:
    disk = loop_disk(size_mb=2048)
    sudo("tee", disk.queue / "scheduler", stdin="mq-deadline")
    return Killer(disk, disktuner, random.Random(seed))


@pytest.mark.long
@pytest.mark.timeout(180)
def test_a_killed_comparison_leaves_nothing(loop_disk: Callable[..., LoopDisk], sudo: Sudo, disktuner: Run) -> None:
    killer = set_up(loop_disk, sudo, disktuner, 5)
    ids = killer.moments.sample([each.id for each in catalogue() if not each.unavailable()], 5)
    for workload in ids[:3]:
        killer.kill(comparison(killer.folder, workload))
    for workload in ids[3:]:
        killer.kill(benchmark(killer.folder, workload))
    assert killer.found["kills"] == 5


@pytest.mark.machine
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", range(4))
def test_kills_over_all_workloads_leave_nothing(
    seed: int, loop_disk: Callable[..., LoopDisk], sudo: Sudo, disktuner: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    """With at least 16 workloads the four of them are 64 kills, 48 of them in comparisons."""
    killer = set_up(loop_disk, sudo, disktuner, 64 + seed)
    ids = [each.id for each in catalogue() if not each.unavailable()]
    start = benchmark if seed == 3 else comparison
    for workload in killer.moments.sample(ids, len(ids)):
        killer.kill(start(killer.folder, workload))
        with capsys.disabled():
            print(f"{workload}: {json.dumps(killer.found)}", flush=True)
    assert killer.found["kills"] == len(ids) >= 16
    assert killer.found["with files left behind"] >= 10
    assert killer.found["with another scheduler set"] >= (0 if start is benchmark else 2)
