# SPDX-License-Identifier: GPL-3.0-or-later
"""Tuning from the question to the answer: both stages, on a real queue that is left as it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from disktuner.results.codec import encode, load
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.tuning import CANDIDATES
from tests.conftest import LoopDisk
from tests.end2end.conftest import Run
from tests.end2end.test_settings import values

RECORDED = Path(__file__).parents[1] / "data/results/format-2.json"
QUICK = ("--goal", "copying", "--workloads", "dd-read", "--budget", "quick", "--seed", "7")


@pytest.mark.long
@pytest.mark.timeout(600)
def test_schedulers_are_compared_and_then_settings_with_the_best_of_them(
    loop_disk: Callable[..., LoopDisk], disktuner: Run, tmp_path: Path
) -> None:
    disk, out = loop_disk(size_mb=4096), tmp_path / "tuned.json"
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
    on = disktuner("compare", "--continue", out, timeout=300)
    assert on.returncode == 0 or "hardly change the answer" in on.stderr, on.stderr
    assert values(disk) == before


def test_every_setting_that_is_tried_can_be_set_and_taken_back(
    loop_disk: Callable[..., LoopDisk], disktuner: Run
) -> None:
    disk = loop_disk(size_mb=64, fs=None)
    before = values(disk)
    there = {f"queue/{path.name}" for path in disk.queue.iterdir()}
    names = [each.beside(Setting("bfq")) for each in CANDIDATES]
    tried = [each for each in names if all(name in there for name in each.values if name.startswith("queue/"))]
    assert len(tried) > 10
    for each in tried:
        done = disktuner("set", disk.name, each.name)
        assert done.returncode == 0, (each.name, done.stderr)
        for name, value in each.tunables:
            found = (disk.queue / name.removeprefix("queue/")).read_text().strip()
            assert found == str(value), each.name
    assert disktuner("revert", disk.name).returncode == 0
    assert values(disk) == before


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ((), 2, "Name a folder or a disk, or a result whose winner is tuned"),
        (("--after", "no-such-result"), 2, "no-such-result"),
        (("/tmp", "--goal", "gaming"), 2, "invalid choice"),
    ],
)
def test_what_cannot_be_tuned_is_refused(
    disktuner: Run, arguments: tuple[str | Path, ...], code: int, says: str
) -> None:
    done = disktuner("tune", *arguments)
    assert done.returncode == code, done.stderr
    assert says in done.stderr


def test_a_result_of_a_disk_that_is_not_here_cannot_be_tuned(disktuner: Run, tmp_path: Path) -> None:
    """Whatever the computer's own disks are called, none has this name."""
    result, file = load(RECORDED), tmp_path / "elsewhere.json"
    file.write_text(encode(replace(result, disk={**result.disk, "name": "no-such-disk"})))
    done = disktuner("tune", "--after", file)
    assert done.returncode == 4, done.stderr
    assert "no-such-disk" in done.stderr
