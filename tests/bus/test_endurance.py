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
        assert time.monotonic() - began < 1
        with pytest.raises(Refusal, match="AccessDenied"):
            helper.answer()
        assert time.monotonic() - began < 8
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


def test_ten_thousand_calls_leave_memory_flat(helper: Caller, disk: LoopDisk, sudo: Sudo) -> None:
    names = ("bfq", "none")
    for turn in range(2000):
        helper.call("SetScheduler", disk.name, disk.diskseq, names[turn % 2])
    before = resident_kb(helper_pid(sudo))
    for turn in range(10_000):
        if turn % 50 == 0:
            helper.call("SetScheduler", disk.name, disk.diskseq, names[turn // 50 % 2])
        elif turn % 2:
            helper.call("Revert", disk.name)
        else:
            with suppress(Refusal):
                helper.call("EndTrial", "x")
    assert resident_kb(helper_pid(sudo)) - before < 1024


def test_it_goes_when_idle_but_not_during_a_trial(caller: Make, helper: Caller, disk: LoopDisk, sudo: Sudo) -> None:
    owner = caller()
    trial = owner.call("BeginTrial", [(disk.name, disk.diskseq)])
    pid = helper_pid(sudo)
    time.sleep(33)
    assert helper_pid(sudo) == pid, "it left during a trial"
    owner.call("EndTrial", trial)
    assert until(lambda: not Path(f"/proc/{pid}").exists(), 40), "it did not leave"


def reload_bus() -> None:
    bus = "org.freedesktop.DBus"
    subprocess.run(
        ["sudo", "-n", "gdbus", "call", "--system", "-d", bus, "-o", "/", "-m", f"{bus}.ReloadConfig"],
        check=True,
        capture_output=True,
    )
