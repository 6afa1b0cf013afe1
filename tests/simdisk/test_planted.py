# SPDX-License-Identifier: GPL-3.0-or-later
"""Tuning where a setting is known to gain, and where it is what the disk has already."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Sudo
from tests.end2end.conftest import Run, disktuner
from tests.simdisk.planted import GOAL, LITTLE_KB, MUCH_KB, WORKLOAD, Truth, drawn, planted

__all__ = ["disktuner"]


def test_the_best_and_what_is_near_it_are_right_and_a_gain_that_is_none_is_wrong() -> None:
    known = Truth({"bfq:slice_idle=0": 1.5, "bfq:low_latency=0": 1.4, "bfq:timeout_sync=40": 1.2, "kyber": 0.9})
    assert known.is_right("switch", "bfq:slice_idle=0") and known.is_right("switch", "bfq:low_latency=0")
    assert not known.is_right("switch", "bfq:timeout_sync=40") and not known.is_wrong("switch", "bfq:timeout_sync=40")
    assert known.is_wrong("switch", "kyber") and known.is_wrong("keep", None)
    assert not known.is_right("undecided", None) and not known.is_wrong("undecided", None)
    near = Truth({"bfq:slice_idle=0": 1.1})
    assert near.is_right("keep", None) and near.is_right("switch", "bfq:slice_idle=0")
    assert Truth({"bfq:slice_idle=0": 1.0}).is_right("keep", None)


@pytest.mark.machine
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("reads_ahead_kb", [LITTLE_KB, MUCH_KB])
def test_reading_far_ahead_is_found_where_the_disk_does_not_yet(
    sudo: Sudo, tmp_path: Path, disktuner: Run, reads_ahead_kb: int
) -> None:
    with planted(sudo, tmp_path, drawn(0), reads_ahead_kb) as disk:
        arguments = ("--goal", GOAL, "--workloads", WORKLOAD, "--budget", "quick", "--seed", "1", "--json")
        done = disktuner("tune", disk.folder, *arguments, timeout=1400)
        assert disk.scheduler == "mq-deadline"
        assert (disk.queue / "read_ahead_kb").read_text().strip() == str(reads_ahead_kb)
    assert done.returncode == 0, done.stderr
    verdict = json.loads(done.stdout)["verdict"]
    if reads_ahead_kb == LITTLE_KB:
        assert verdict["decision"] == "switch" and "read_ahead_kb=4096" in verdict["winner"], verdict["why"]
    else:
        assert verdict["decision"] != "switch" or "read_ahead_kb" not in verdict["winner"], verdict["why"]
