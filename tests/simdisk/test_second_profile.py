# SPDX-License-Identifier: GPL-3.0-or-later
"""On a slow memory card, whose best scheduler for copies is found out by long runs of fixed size with plain cp."""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import time
from pathlib import Path

import pytest

from tests.conftest import LoopDisk, Sudo
from tests.end2end.conftest import Run, disktuner
from tests.simdisk.simulated import simulated_disk
from tests.simdisk.test_simdisk import fill

__all__ = ["disktuner"]

CARD = ("read_us=400", "write_us=300", "jump_us=8000", "rate_mb=40")
FOUR = ("none", "mq-deadline", "kyber", "bfq")
PASSES, MIB_EACH = 8, 24
WORTH = 1.05


def four_copies_s(folder: Path) -> float:
    """Copy four files at once, cold, until all are on the disk."""
    names = [f"source-{number}" for number in range(4)]
    for name in names:
        fd = os.open(folder / name, os.O_RDONLY)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)
    began = time.monotonic()
    copying = [subprocess.Popen(["cp", "--reflink=never", folder / name, folder / f"{name}.out"]) for name in names]
    assert [each.wait() for each in copying] == [0, 0, 0, 0]
    syncing = [subprocess.Popen(["sync", folder / f"{name}.out"]) for name in names]
    assert [each.wait() for each in syncing] == [0, 0, 0, 0]
    took_s = time.monotonic() - began
    for name in names:
        (folder / f"{name}.out").unlink()
    return took_s


def truth(sudo: Sudo, disk: LoopDisk) -> dict[str, float]:
    """The median time of each scheduler over all passes, the order of each pass drawn."""
    assert disk.folder
    for number in range(4):
        fill(disk.folder / f"source-{number}", MIB_EACH)
    times: dict[str, list[float]] = {scheduler: [] for scheduler in FOUR}
    order = random.Random(1)
    for _ in range(PASSES):
        for scheduler in order.sample(FOUR, len(FOUR)):
            sudo("tee", disk.queue / "scheduler", stdin=scheduler)
            times[scheduler].append(four_copies_s(disk.folder))
    for number in range(4):
        (disk.folder / f"source-{number}").unlink()
    return {scheduler: statistics.median(each) for scheduler, each in times.items()}


@pytest.mark.machine
@pytest.mark.timeout(900)
def test_the_verdict_agrees_with_long_runs_of_fixed_size(sudo: Sudo, tmp_path: Path, disktuner: Run) -> None:
    out = tmp_path / "result.json"
    with simulated_disk(sudo, tmp_path, 3000, "flash", *CARD) as disk:
        typical_s = truth(sudo, disk)
        sudo("tee", disk.queue / "scheduler", stdin="none")
        arguments = ("--goal", "copying", "--workloads", "copy-contended", "--seed", "1", "--out", out, "--json")
        done = disktuner("compare", disk.folder, *arguments, timeout=400)
    assert done.returncode == 0, done.stderr
    verdict = json.loads(done.stdout)["verdict"]
    print(f"\ntruth {typical_s}\nverdict {verdict['decision']} {verdict['winner']}: {verdict['why']}")
    ratios = {each["scheduler"]: each for each in verdict["comparisons"] if each["metric"] == "copy-contended.wall_s"}
    print({name: (each["ratio"], each["ci_low"], each["ci_high"]) for name, each in ratios.items()})
    best_s = min(typical_s.values())
    assert typical_s["none"] > WORTH * best_s  # or there is nothing to find out
    assert verdict["decision"] == "switch"
    assert typical_s[verdict["winner"]] <= WORTH * best_s
