# SPDX-License-Identifier: GPL-3.0-or-later
"""Tuning from the question to the answer: both stages or the second alone, on a real queue that is left as it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from disktuner.results.codec import load
from tests.conftest import LoopDisk
from tests.end2end.conftest import Run
from tests.end2end.test_settings import values

QUICK = ("--goal", "copying", "--workloads", "dd-read", "--budget", "quick", "--seed", "7")


def test_schedulers_are_compared_and_then_settings_with_the_best_of_them(
    loop_disk: Callable[..., LoopDisk], disktuner: Run, tmp_path: Path
) -> None:
    disk, out = loop_disk(size_mb=1024), tmp_path / "tuned.json"
    before = values(disk)

    done = disktuner("tune", disk.folder or "", *QUICK, "--out", out, "--json", timeout=400)

    assert done.returncode == 0, done.stderr
    assert values(disk) == before
    told = json.loads(done.stdout)
    plain, found = load(Path(told["plain"]["file"])), load(out)
    expected = (
        told["plain"]["verdict"]["winner"] if told["plain"]["verdict"]["decision"] == "switch" else disk.scheduler
    )
    assert found.plan.tunes and not plain.plan.tunes
    assert found.plan.baseline == found.plan.schedulers[0] == expected == told["verdict"]["baseline"]
    assert 1 <= len(found.plan.schedulers) - 1 <= 4
    assert all(":" in name for name in found.plan.schedulers[1:])
    assert found.extra["after"] == plain.id
    reasons = [sample.reason.id for sample in found.samples if sample.reason]
    assert not {"scheduler-changed", "tunable-changed"} & set(reasons), "each ran with its own tunables"
    assert f"Settings beside {expected}: " in done.stderr
    assert "First the schedulers are compared" in done.stderr

    again = disktuner("verdict", out, "--json")
    assert json.loads(again.stdout) == told["verdict"], "it is judged again from its samples"


def test_the_winner_of_a_kept_result_is_tuned_and_the_result_measured_on(
    loop_disk: Callable[..., LoopDisk], disktuner: Run, tmp_path: Path
) -> None:
    disk, first, out = loop_disk(size_mb=1024), tmp_path / "first.json", tmp_path / "tuned.json"
    before = values(disk)
    compared = disktuner("compare", disk.folder or "", *QUICK, "--schedulers", "bfq", "--out", first, timeout=300)
    assert compared.returncode == 0, compared.stderr

    done = disktuner("tune", "--after", first, "--budget", "quick", "--workloads", "dd-read", "--out", out, timeout=300)

    assert done.returncode == 0, done.stderr
    assert values(disk) == before
    found = load(out)
    assert found.plan.goal == "copying", "that of the result"
    assert found.extra["after"] == load(first).id
    on = disktuner("compare", "--continue", out, timeout=300)
    assert on.returncode in {0, 5}, on.stderr
    assert on.returncode == 0 or "hardly change the answer" in on.stderr
    assert values(disk) == before


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ((), 2, "Name a folder or a disk, or a result whose winner is tuned"),
        (("--after", "no-such-result"), 2, "no-such-result"),
        (("/tmp", "--goal", "gaming"), 2, "invalid choice"),
    ],
)
def test_what_cannot_be_tuned_is_refused(disktuner: Run, arguments: tuple[str, ...], code: int, says: str) -> None:
    done = disktuner("tune", *arguments)
    assert done.returncode == code, done.stderr
    assert says in done.stderr
