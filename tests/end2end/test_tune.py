# SPDX-License-Identifier: GPL-3.0-or-later
"""Tuning from the question to the answer: both stages, on a real queue that is left as it was."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from disktuner.block.system import System
from disktuner.comparison.real import real_environment
from disktuner.comparison.stages import in_one_trial
from disktuner.results.codec import load
from disktuner.vocabulary.settings import setting_of
from tests.conftest import LoopDisk, Sudo
from tests.end2end.comparing import values
from tests.end2end.conftest import Run

QUICK = ("--goal", "copying", "--workloads", "dd-read", "--budget", "quick", "--seed", "7")


@pytest.mark.long
@pytest.mark.timeout(600)
def test_schedulers_are_compared_and_then_settings_with_the_best_of_them(
    loop_disk: Callable[..., LoopDisk], disktuner: Run, tmp_path: Path
) -> None:
    disk, out = loop_disk(size_mb=4096), tmp_path / "tuned.json"
    before = values(disk)

    completed = disktuner("tune", disk.folder, *QUICK, "--out", out, "--json")

    assert completed.returncode == 0, completed.stderr
    assert values(disk) == before
    document = json.loads(completed.stdout)
    plain, result = load(Path(document["plain"]["file"])), load(out)
    expected = (
        document["plain"]["verdict"]["winner"]
        if document["plain"]["verdict"]["decision"] == "switch"
        else disk.scheduler
    )
    assert result.plan.tunes and not plain.plan.tunes
    assert result.plan.baseline.name == result.plan.settings[0].name == expected == document["verdict"]["baseline"]
    assert 1 <= len(result.plan.settings) - 1 <= 4
    assert all(setting.tunables for setting in result.plan.settings[1:])
    assert result.after == plain.id
    reasons = [sample.reason.id for sample in result.samples if sample.reason]
    assert not {"scheduler-changed", "tunable-changed"} & set(reasons), "each ran with its own tunables"
    assert re.search(rf"{expected}, [a-z_]+ \d.* with “?{expected}”? on ", completed.stderr), "settings compete with it"
    assert "schedulers are compared first" in completed.stderr

    again = disktuner("verdict", out, "--json")
    judged_again = document["verdict"] | {"state": document["state"]}
    assert json.loads(again.stdout) == judged_again, "from its samples"
    on = disktuner("compare", "--continue", out)
    assert on.returncode == 0 or "hardly change the answer" in on.stderr, on.stderr
    assert values(disk) == before


def test_between_the_stages_each_disk_has_its_own_scheduler_again(
    loop_disk: Callable[..., LoopDisk], sudo: Sudo
) -> None:
    made = [loop_disk(size_mb=64, fs=None) for _ in range(2)]
    for disk, scheduler in zip(made, ("bfq", "kyber"), strict=True):
        sudo("tee", disk.queue / "scheduler", stdin=scheduler)
    disks = [System().disk(request.name) for request in made]
    with in_one_trial(real_environment()) as environment:
        for setting in ("mq-deadline:fifo_batch=1", "mq-deadline"):
            with environment.trials(disks) as switch:
                switch.set(setting_of(setting))
                assert [request.scheduler for request in made] == ["mq-deadline", "mq-deadline"]
            assert [request.scheduler for request in made] == ["bfq", "kyber"]
    assert [request.scheduler for request in made] == ["bfq", "kyber"]
