# SPDX-License-Identifier: GPL-3.0-or-later
"""Listing many disks costs linearly, and no more than ``lsblk``: ratios within one run only."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from tests.bench.bench_block import LSBLK, OURS, cpu_s
from tests.unit.block.trees import virtual

from disktuner.block.system import System


def listing_s(folder: Path) -> float:
    """The best CPU time of three: interruptions only ever add."""
    best = float("inf")
    for _ in range(3):
        before = time.process_time()
        System(folder).disks()
        best = min(best, time.process_time() - before)
    return best


def test_cost_grows_linearly(tmp_path: Path) -> None:
    virtual(150, tmp_path / "few")
    virtual(1500, tmp_path / "many")
    assert listing_s(tmp_path / "many") < 10 * listing_s(tmp_path / "few") * 1.6


def test_not_slower_than_lsblk(tmp_path: Path) -> None:
    virtual(250, tmp_path)
    subprocess.run([*LSBLK, str(tmp_path)], check=True, stdout=subprocess.DEVNULL)
    assert cpu_s(OURS, tmp_path) <= cpu_s(LSBLK, tmp_path)
