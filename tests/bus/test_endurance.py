# SPDX-License-Identifier: GPL-3.0-or-later
"""What the helper does when polkit does not answer, when limits are reached, and over thousands of calls."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.bus.conftest import Caller, Refusal, helper_pid, until
from tests.bus.test_hostile import resident_kb
from tests.conftest import LoopDisk, Sudo

Make = Callable[..., Caller]
WARM_UP, BATCHES, BATCH = 2, 10, 1000


def polkit_pid() -> int:
    return int(subprocess.run(["pgrep", "-x", "polkitd"], capture_output=True, text=True, check=True).stdout.split()[0])


def test_a_hanging_polkit_means_no_and_hinders_nobody(caller: Make, helper: Caller, disk: LoopDisk, sudo: Sudo) -> None:
    helper.call("SetScheduler", disk.name, disk.diskseq, "kyber")
    stopped = polkit_pid()
    other = caller()
    sudo("kill", "-STOP", str(stopped))
    try:
        began = time.monotonic()
        helper.send("SetScheduler", disk.name, disk.diskseq, "bfq", interactive=True)
        other.state()
        assert time.monotonic() - began < 4, "one person's question keeps others waiting"
        with pytest.raises(Refusal, match="AccessDenied"):
            helper.answer()
        assert time.monotonic() - began < 15
    finally:
        sudo("kill", "-CONT", str(stopped))
    assert disk.scheduler == "kyber"


def test_a_missing_polkit_means_no(helper: Caller, disk: LoopDisk, sudo: Sudo) -> None:
    helper.call("SetScheduler", disk.name, disk.diskseq, "kyber")
    service = "/usr/share/dbus-1/system-services/org.freedesktop.PolicyKit1.service"
    sudo("mv", service, service + ".off")
    reload_bus()
    sudo("kill", str(polkit_pid()))
    try:
        with pytest.raises(Refusal, match="AccessDenied"):
            helper.call("SetScheduler", disk.name, disk.diskseq, "bfq", interactive=True)
        assert disk.scheduler == "kyber"
        helper.state()
    finally:
        sudo("mv", service + ".off", service)
        reload_bus()
    helper.call("SetScheduler", disk.name, disk.diskseq, "bfq")


def test_trials_are_bounded_per_user(caller: Make, helper: Caller, loop_disk: Callable[..., LoopDisk]) -> None:
    disks = [loop_disk(size_mb=16, fs=None) for _ in range(5)]
    for disk in disks[:4]:
        helper.call("BeginTrial", [(disk.name, disk.diskseq)])
    with pytest.raises(Refusal, match="Busy"):
        caller().call("BeginTrial", [(disks[4].name, disks[4].diskseq)])
    with pytest.raises(Refusal, match="Busy"):
        helper.call("BeginTrial", [(f"loop{n}", 0) for n in range(33)])


def test_ten_thousand_calls_leave_the_memory_flat(helper: Caller, disk: LoopDisk, sudo: Sudo) -> None:
    pid, sizes = helper_pid(sudo), []
    for _ in range(WARM_UP + BATCHES):
        helper.call("SetScheduler", disk.name, disk.diskseq, "kyber")
        helper.call("Revert", disk.name)
        for turn in range(BATCH):
            if turn % 10 == 0:
                helper.call("Revert", disk.name)
            elif turn % 2:
                helper.state()
            else:
                with suppress(Refusal):
                    helper.call("EndTrial", "x")
        sizes.append(resident_kb(pid))
    assert helper_pid(sudo) == pid
    assert max(sizes[WARM_UP:]) - sizes[WARM_UP - 1] <= 1024, sizes


def test_it_goes_when_idle(helper: Caller, sudo: Sudo) -> None:
    helper.state()
    pid = helper_pid(sudo)
    began = time.monotonic()
    assert until(lambda: not Path(f"/proc/{pid}").exists(), 60), "it did not leave"
    assert time.monotonic() - began > 25, "it left too early"


def reload_bus() -> None:
    bus = "org.freedesktop.DBus"
    subprocess.run(
        ["sudo", "-n", "gdbus", "call", "--system", "-d", bus, "-o", "/", "-m", f"{bus}.ReloadConfig"],
        check=True,
        capture_output=True,
    )
