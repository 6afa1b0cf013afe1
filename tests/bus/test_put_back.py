# SPDX-License-Identifier: GPL-3.0-or-later
"""All that a disk had is back: the whole queue/ and iosched/ folders, whatever was switched and set meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from disktuner_helper.tunables import known
from tests.bus.conftest import Caller, helper_pid, until
from tests.conftest import LoopDisk, Sudo

SCHEDULERS = ("none", "mq-deadline", "kyber", "bfq")
WBT = "queue/wbt_lat_usec"


def whole(disk: LoopDisk) -> dict[str, str]:
    """Every file of queue/ and of the folders in it."""
    return {str(file.relative_to(disk.queue)): text(file) for file in disk.queue.rglob("*") if file.is_file()}


def text(file: Path) -> str:
    try:
        return file.read_text()
    except OSError as error:
        return type(error).__name__


def write(sudo: Sudo, disk: LoopDisk, name: str, value: object) -> str:
    """Write as root; returns what the file then says."""
    file = disk.queue / name.removeprefix("queue/")
    sudo("sh", "-c", f"printf %s {value} >{file}")
    return file.read_text().strip()


def another(limits: range, value: int) -> int:
    """A value that the kernel takes, and that is not this one."""
    return (value + 1) % 2 if len(limits) <= 3 else value // 2 + 1 if value > 4 else value + 3


def others(limits: range, value: int) -> int:
    """A third one, where there are as many."""
    return (value + 2) % len(limits) if len(limits) <= 3 else value // 3 + 20


def existing(disk: LoopDisk, names: dict[str, range]) -> dict[str, range]:
    return {name: limits for name, limits in names.items() if (disk.queue / name.removeprefix("queue/")).exists()}


def tune_all(sudo: Sudo, disk: LoopDisk, *, wbt: bool) -> None:
    """Set each tunable that may be set to something other than what the kernel gave."""
    for name, limits in existing(disk, known(disk.scheduler)).items():
        if wbt or name != WBT:
            value = int((disk.queue / name.removeprefix("queue/")).read_text())
            assert write(sudo, disk, name, another(limits, value)) != str(value), name


def in_a_trial(helper: Caller, disk: LoopDisk, before: dict[str, str]) -> None:
    first = disk.scheduler
    trial = helper.call("BeginTrial", [(disk.name, disk.diskseq)])
    for name in SCHEDULERS:
        helper.call("SetTrialScheduler", trial, disk.name, name)
        helper.call("SetTrialScheduler", trial, disk.name, first)
        assert whole(disk) == before, f"the baseline after {name}"
    for name in SCHEDULERS:
        helper.call("SetTrialScheduler", trial, disk.name, name)
    helper.call("EndTrial", trial)


def in_a_trial_that_dies(helper: Caller, disk: LoopDisk, sudo: Sudo, left_on: str) -> None:
    trial = helper.call("BeginTrial", [(disk.name, disk.diskseq)])
    for name in (*SCHEDULERS, left_on):
        helper.call("SetTrialScheduler", trial, disk.name, name)
    pid = helper_pid(sudo)
    sudo("kill", "-9", str(pid))
    assert until(lambda: helper_pid(sudo) != pid)
    assert helper.state()["trials"] == []


def by_hand(helper: Caller, disk: LoopDisk, *, wbt: bool) -> None:
    for name in (*SCHEDULERS[1:], disk.scheduler):
        helper.call("SetScheduler", disk.name, disk.diskseq, name)
        for tunable, limits in existing(disk, known(name)).items():
            value = others(limits, int((disk.queue / tunable.removeprefix("queue/")).read_text()))
            if (wbt or tunable != WBT) and tunable != "queue/nr_requests":
                helper.call("SetTunables", disk.name, disk.diskseq, {tunable: str(value)})
        helper.call("SetTunables", disk.name, disk.diskseq, {"queue/nr_requests": "50"})
    helper.call("Revert", disk.name)


@pytest.mark.parametrize("wbt", ["default", "manual"])
@pytest.mark.parametrize("first", SCHEDULERS)
def test_every_file_of_the_queue_is_as_it_was(first: str, wbt: str, helper: Caller, disk: LoopDisk, sudo: Sudo) -> None:
    write(sudo, disk, "scheduler", first)
    tune_all(sudo, disk, wbt=wbt == "manual")
    before = whole(disk)
    in_a_trial(helper, disk, before)
    assert whole(disk) == before, "after a trial"
    by_hand(helper, disk, wbt=wbt == "manual")
    assert whole(disk) == before, "after Revert"
    for left_on in SCHEDULERS:
        in_a_trial_that_dies(helper, disk, sudo, left_on)
        assert whole(disk) == before, f"after kill -9 on {left_on}"
    assert switched_off_by_bfq(sudo, disk) == (wbt == "default")


def switched_off_by_bfq(sudo: Sudo, disk: LoopDisk) -> bool:
    """Whether wbt is as the kernel had it: off while bfq is there, and on again afterwards."""
    write(sudo, disk, "scheduler", "none")
    value = (disk.queue / "wbt_lat_usec").read_text()
    write(sudo, disk, "scheduler", "bfq")
    off = (disk.queue / "wbt_lat_usec").read_text() == "0\n"
    write(sudo, disk, "scheduler", "none")
    assert (disk.queue / "wbt_lat_usec").read_text() == value != "0\n"
    return off
