# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole comparisons with the real command on disks whose truth is known, twenty of each: for a quiet machine."""

from __future__ import annotations

import json
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import LoopDisk, Sudo
from tests.end2end.conftest import Run, disktuner
from tests.simdisk.simulated import simulated_disk, throttled

__all__ = ["disktuner"]

SEEDS = range(1, 21)
QUICK_S = 180
pytestmark = [pytest.mark.machine, pytest.mark.timeout(600)]


@dataclass(frozen=True, slots=True)
class Compared:
    """One comparison: its verdict, its result file, and what it took."""

    verdict: dict[str, Any]
    result: dict[str, Any]
    seconds: float
    said: str


def compare(
    disktuner: Run, disk: LoopDisk, out: Path, goal: str, seed: int, budget: str = "quick", *more: str
) -> Compared:
    """Compare all four schedulers, beginning with what a disk with one queue has by default."""
    began = time.monotonic()
    arguments = ("--goal", goal, "--budget", budget, "--seed", str(seed), "--out", out, "--json")
    done = disktuner("compare", disk.folder, *arguments, *more, timeout=2000)
    seconds = time.monotonic() - began
    assert done.returncode == 0, done.stderr
    if kept := os.environ.get("DISKTUNER_KEEP_RESULTS"):  # a folder for whoever wants to judge them again
        shutil.copy(out, Path(kept) / f"{goal}-{disk.folder.parent.name if disk.folder else ''}-{seed}.json")
    compared = Compared(json.loads(done.stdout)["verdict"], json.loads(out.read_text()), seconds, done.stderr)
    tell(compared, goal, seed)
    return compared


def tell(compared: Compared, goal: str, seed: int) -> None:
    """Print what was found on one line, for whoever runs these tests with ``-s``."""
    verdict = compared.verdict
    rounds = len({sample["round"] for sample in compared.result["samples"]})
    announced = next(line for line in compared.said.splitlines() if line.startswith("This writes"))
    ratios = {f"{c['metric']}/{c['scheduler']}": f"{c['ratio']:.2f} {c['outcome']}" for c in verdict["comparisons"]}
    decided = f"{verdict['decision']} {verdict['winner']}"
    print(f"\n{goal} seed {seed}: {decided} in {compared.seconds:.0f} s, {rounds} rounds")
    print(f"  {announced}\n  {verdict['why']}\n  {ratios}", flush=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_for_a_desktop_on_a_hard_disk_bfq_is_chosen(sudo: Sudo, tmp_path: Path, disktuner: Run, seed: int) -> None:
    with simulated_disk(sudo, tmp_path, 6000, "hdd") as disk:
        sudo("tee", disk.queue / "scheduler", stdin="mq-deadline")
        found = compare(disktuner, disk, tmp_path / "result.json", "desktop", seed)
    assert (found.verdict["decision"], found.verdict["winner"]) == ("switch", "bfq")
    assert found.seconds <= QUICK_S


@pytest.mark.parametrize("seed", SEEDS)
def test_for_copying_on_a_hard_disk_neither_none_nor_bfq_is_chosen(
    sudo: Sudo, tmp_path: Path, disktuner: Run, seed: int
) -> None:
    with simulated_disk(sudo, tmp_path, 6000, "hdd") as disk:
        sudo("tee", disk.queue / "scheduler", stdin="mq-deadline")
        found = compare(disktuner, disk, tmp_path / "result.json", "copying", seed)
    assert found.verdict["winner"] not in {"none", "bfq"}
    assert found.seconds <= QUICK_S


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("goal", ["desktop", "copying"])
def test_on_a_disk_without_differences_nothing_is_changed(
    sudo: Sudo, tmp_path: Path, disktuner: Run, goal: str, seed: int
) -> None:
    null = simulated_disk(sudo, tmp_path, 3000, "null", "read_us=50000", depth="64")
    with null as disk, throttled(sudo, disk, 60_000_000):
        sudo("tee", disk.queue / "scheduler", stdin="mq-deadline")
        found = compare(disktuner, disk, tmp_path / "result.json", goal, seed)
    assert found.verdict["decision"] != "switch"
