# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a right verdict takes, beside the fixed protocol of people who measured by hand."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.conftest import LoopDisk, Sudo
from tests.end2end.conftest import Run, disktuner
from tests.simdisk.simulated import simulated_disk

__all__ = ["disktuner"]

FOUR = ("none", "mq-deadline", "kyber", "bfq")
PASSES = 5
TESTS = ("dd-write", "dd-read", "unpack", "small-files", "many-clients", "stream-under-copy")
"""What the collection of articles ran for every scheduler: dd, a tarball, Bonnie++, dbench, dd beside a film."""


def fixed_protocol_s(sudo: Sudo, disk: LoopDisk, disktuner: Run, out: Path) -> dict[str, float]:
    """Run all tests, one scheduler after the other; return the time of the runs alone, by test."""
    took_s: dict[str, float] = {}
    for scheduler in FOUR:
        sudo("tee", disk.queue / "scheduler", stdin=scheduler)
        for workload in TESTS:
            done = disktuner("bench", disk.folder, "--workload", workload, "--rounds", str(PASSES), "--out", out)
            assert done.returncode in {0, 5}, done.stderr  # a run takes its time, be its number good or not
            runs = {sample["order"]: sample["duration_s"] for sample in json.loads(out.read_text())["samples"]}
            took_s[workload] = took_s.get(workload, 0.0) + sum(runs.values())
    return took_s


@pytest.mark.machine
@pytest.mark.timeout(3600)
def test_a_right_verdict_takes_a_third_of_the_fixed_protocol_at_most(
    sudo: Sudo, tmp_path: Path, disktuner: Run
) -> None:
    out = tmp_path / "result.json"
    with simulated_disk(sudo, tmp_path, 6000, "hdd") as disk:
        theirs = fixed_protocol_s(sudo, disk, disktuner, out)
        print(f"\nfixed protocol: {sum(theirs.values()):.0f} s in runs", {name: round(s) for name, s in theirs.items()})
        sudo("tee", disk.queue / "scheduler", stdin="mq-deadline")
        began = time.monotonic()
        done = disktuner("compare", disk.folder, "--goal", "desktop", "--seed", "1", "--json", timeout=400)
        ours_s = time.monotonic() - began
    assert done.returncode == 0, done.stderr
    verdict = json.loads(done.stdout)["verdict"]
    print(f"ours: {ours_s:.0f} s in all, {verdict['decision']} {verdict['winner']}: {verdict['why']}")
    assert ours_s <= sum(theirs.values()) / 3
    assert (verdict["decision"], verdict["winner"]) == ("switch", "bfq")
