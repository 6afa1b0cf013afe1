# SPDX-License-Identifier: GPL-3.0-or-later
"""All that a disk had is back: the whole queue/ and iosched/ folders, whatever was switched and set meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from disktuner_helper.queue import known
from tests.bus.conftest import Caller, helper_pid
from tests.conftest import LoopDisk, Sudo
from tests.waiting import until

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


def wish(disk: LoopDisk, name: str) -> str:
    """Another value than it has."""
    value = int((disk.queue / name.removeprefix("queue/")).read_text())
    return str(another(known(disk.scheduler)[name], value))


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
    """All tunables are set but wbt_lat_usec, which the kernel would not take back as its own."""
    trial = helper.call("BeginTrial", [(disk.name, disk.diskseq)])
    for name in (*SCHEDULERS, left_on):
        helper.call("SetTrialScheduler", trial, disk.name, name)
        given = whole(disk)
        wishes = {tunable: wish(disk, tunable) for tunable in existing(disk, known(name)) if tunable != WBT}
        helper.call("SetTrialSetting", trial, disk.name, name, wishes)
        assert all(whole(disk)[one.removeprefix("queue/")] != given[one.removeprefix("queue/")] for one in wishes)
    kill_helper(helper, sudo)


def kill_helper(helper: Caller, sudo: Sudo) -> None:
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


@pytest.mark.parametrize("wbt", ["default", "manual", "off"])
@pytest.mark.parametrize("first", SCHEDULERS)
def test_every_file_of_the_queue_is_as_it_was(first: str, wbt: str, helper: Caller, disk: LoopDisk, sudo: Sudo) -> None:
    write(sudo, disk, "scheduler", first)
    tune_all(sudo, disk, wbt=wbt == "manual")
    if wbt == "off":
        write(sudo, disk, WBT, 0)
    before = whole(disk)
    in_a_trial(helper, disk, before)
    assert whole(disk) == before, "after a trial"
    by_hand(helper, disk, wbt=wbt != "default")
    assert whole(disk) == before, "after Revert"
    left_on = SCHEDULERS[SCHEDULERS.index(first) - 1]
    in_a_trial_that_dies(helper, disk, sudo, left_on)
    assert whole(disk) == before, f"after kill -9 on {left_on}"
    assert is_the_kernels(sudo, disk) == (wbt == "default")


def is_the_kernels(sudo: Sudo, disk: LoopDisk) -> bool:
    """Whether bfq still switches wbt off, and on again when it leaves; not so where somebody wrote a number."""
    found = []
    for name in ("none", "bfq", "none"):
        write(sudo, disk, "scheduler", name)
        found.append((disk.queue / "wbt_lat_usec").read_text())
    assert found[0] == found[2]
    return found[1] == "0\n" != found[0]


def test_wbt_can_be_set_while_bfq_has_it_off_and_goes_back_by_number(
    helper: Caller, disk: LoopDisk, sudo: Sudo
) -> None:
    """No kernel makes a written number its own again, not by -1 either (see test_fake_kernel.py): none is written
    but where a caller wants it."""
    before = whole(disk)
    number = (disk.queue / "wbt_lat_usec").read_text().strip()
    helper.call("SetScheduler", disk.name, disk.diskseq, "bfq")
    for value in (number, "5000"):
        helper.call("SetTunables", disk.name, disk.diskseq, {WBT: value})
        assert (disk.queue / "wbt_lat_usec").read_text() == f"{value}\n"
    helper.call("Revert", disk.name)
    assert whole(disk) == before
    assert not is_the_kernels(sudo, disk)
