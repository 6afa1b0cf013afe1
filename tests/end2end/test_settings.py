# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings as competitors: a scheduler with tunables is measured, chosen and taken back as a scheduler is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from disktuner.results.codec import load
from tests.conftest import LoopDisk
from tests.end2end.conftest import Run

QUICK = ("--goal", "copying", "--workloads", "dd-read", "--seed", "7")
UNUSUAL, SMALL = "bfq:slice_idle=0,timeout_sync=1000", "mq-deadline:queue/nr_requests=16,fifo_batch=1"


def values(disk: LoopDisk) -> dict[str, str]:
    """Everything that can be read below queue/."""
    found = {}
    for path in sorted(disk.queue.rglob("*")):
        if path.is_file():
            try:
                found[str(path.relative_to(disk.queue))] = path.read_text()
            except OSError:  # an attribute that this disk does not have
                continue
    return found


def test_settings_compete_and_the_disk_is_left_as_it_was(
    loop_disk: Callable[..., LoopDisk], disktuner: Run, tmp_path: Path
) -> None:
    disk, out = loop_disk(size_mb=1024), tmp_path / "result.json"
    before = values(disk)

    done = disktuner("compare", disk.folder or "", "--settings", UNUSUAL, SMALL, *QUICK, "--out", out)

    assert done.returncode == 0, done.stderr
    assert values(disk) == before
    assert "bfq, slice_idle 0, timeout_sync 1000" in done.stdout
    assert "mq-deadline, nr_requests 16, fifo_batch 1" in done.stderr, "the plan names them"
    found = load(out)
    assert found.plan.schedulers == (disk.scheduler, UNUSUAL, SMALL)
    assert {sample.scheduler for sample in found.samples} == set(found.plan.schedulers)
    reasons = [sample.reason.id for sample in found.samples if sample.reason]
    assert not {"scheduler-changed", "tunable-changed"} & set(reasons), "each ran with its own tunables"


def test_a_setting_is_set_and_taken_back(loop_disk: Callable[..., LoopDisk], disktuner: Run) -> None:
    disk = loop_disk(size_mb=64, fs=None)
    before = values(disk)
    assert disktuner("set", disk.name, UNUSUAL).returncode == 0
    assert disk.scheduler == "bfq"
    assert (disk.queue / "iosched/slice_idle").read_text() == "0\n"
    assert disktuner("revert", disk.name).returncode == 0
    assert values(disk) == before


def test_a_setting_is_kept_and_forgotten(known: Callable[[], LoopDisk], disktuner: Run) -> None:
    disk = known()
    before = values(disk)
    done = disktuner("set", disk.name, SMALL, "--persist")
    assert done.returncode == 0, done.stderr
    assert (disk.queue / "nr_requests").read_text() == "16\n"
    state = json.loads(disktuner("list", "--json").stdout)["disks"]
    kept = next(each["persistent"] for each in state if each["name"] == disk.name)
    assert kept["scheduler"] == "mq-deadline"
    assert kept["tunables"] == {"queue/nr_requests": 16, "iosched/fifo_batch": 1}
    assert disktuner("forget", disk.name).returncode == 0
    assert disktuner("revert", disk.name).returncode == 0
    assert values(disk) == before


@pytest.mark.parametrize(
    ("settings", "code", "says"),
    [
        (("bfq:slice_idle",), 2, "is not a setting"),
        (("bfq:slice_idle=0,slice_idle=1",), 2, "twice"),
        (("bfq:fifo_batch=1",), 2, "has no tunable fifo_batch"),
        (("bfq:low_latency=2",), 2, "from 0 to 1"),
        (("no-such:slice_idle=0",), 2, "has no tunable"),
        (("no-such",), 4, "has no scheduler"),
        (("none:queue/nomerges=3",), 2, "from 0 to 2"),
    ],
)
def test_what_cannot_compete_is_refused_before_anything_changes(
    loop_disk: Callable[..., LoopDisk], disktuner: Run, settings: tuple[str, ...], code: int, says: str
) -> None:
    disk = loop_disk(size_mb=512)
    before = values(disk)
    done = disktuner("compare", disk.folder or "", "--settings", *settings, *QUICK)
    assert (done.returncode, values(disk)) == (code, before), done.stderr
    assert says in done.stderr
    both = disktuner("compare", disk.folder or "", "--settings", "bfq", "--schedulers", "bfq")
    assert both.returncode == 2
