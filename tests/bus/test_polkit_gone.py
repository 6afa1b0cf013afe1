# SPDX-License-Identifier: GPL-3.0-or-later
"""The helper without polkit or the bus, and when nobody needs it, with limits of a second.

tests/unit/helper shows that they are otherwise 25, 300, 1800 and 30 seconds, and what they bound.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.bus.conftest import PROGRAM, Caller, Refusal, another_system, helper_pid, named, served, stop_helper
from tests.conftest import LoopDisk, Sudo
from tests.end2end.comparing import command_of, descendants, values
from tests.waiting import until

SERVICE = "/usr/share/dbus-1/system-services/org.freedesktop.PolicyKit1.service"


SLOW_TO_GO = """#!/bin/sh
exec strace -f -o /dev/null -e trace=exit_group -e inject=exit_group:delay_enter=500000 /usr/bin/python3 -I {real}
"""
"""What the kernel does with a process that ends takes half a second."""


def limited(text: str, **seconds: float) -> str:
    """Return the command that starts a helper with these limits."""
    limits = ", ".join(f"{name}={value}" for name, value in seconds.items())
    changed = text.replace("main())", f"main(Limits({limits})))")
    assert changed != text
    return changed.replace(
        "from disktuner_helper", "from disktuner_helper.contract import Limits\nfrom disktuner_helper", 1
    )


@pytest.fixture
def started_by(sudo: Sudo) -> Iterator[Callable[[str], None]]:
    """Replace what the bus starts as the helper, until the test is over."""
    original = sudo("cat", PROGRAM)

    def replace(text: str) -> None:
        sudo("tee", PROGRAM, stdin=text)
        stop_helper(sudo)

    yield replace
    replace(original)


@pytest.fixture
def impatient(started_by: Callable[[str], None], sudo: Sudo) -> None:
    """A helper that waits a second for polkit, and a second for work."""
    started_by(limited(sudo("cat", PROGRAM), answer_s=1, idle_s=1))


@pytest.fixture
def always_leaving(started_by: Callable[[str], None], sudo: Sudo) -> Iterator[None]:
    """A helper that leaves after a second whatever comes, slowly."""
    real = f"{PROGRAM}-real"
    sudo("tee", real, stdin=limited(sudo("cat", PROGRAM), idle_s=0))
    started_by(SLOW_TO_GO.format(real=real))
    yield
    sudo("rm", real)


def polkit_pid() -> str:
    return subprocess.run(["pgrep", "-x", "polkitd"], capture_output=True, text=True, check=True).stdout.split()[0]


@pytest.fixture
def stopped(helper: Caller, sudo: Sudo) -> Iterator[Callable[[], None]]:
    """Freeze polkitd until the test is over."""
    served(lambda: helper.call("Revert", []))
    pid = polkit_pid()
    yield lambda: sudo("kill", "-STOP", pid)
    sudo("kill", "-CONT", pid)


def test_a_polkit_that_does_not_answer_means_no_and_hinders_nobody(
    impatient: None, helper: Caller, caller: Callable[..., Caller], disk: LoopDisk, stopped: Callable[[], None]
) -> None:
    other, owner = caller(), caller()
    trial = served(lambda: owner.begin(disk))
    stopped()
    helper.send("Set", named(disk), "bfq", {}, False, interactive=True)
    for scheduler in ("kyber", "mq-deadline"):
        other.state()
        owner.set_trial(trial, disk, scheduler)
        assert disk.scheduler == scheduler
    owner.call("EndTrial", trial)
    with pytest.raises(Refusal, match="AccessDenied") as refused:
        helper.answer()
    assert "no-answer" in str(refused.value.__cause__) and disk.scheduler == "none"


def test_a_missing_polkit_means_no(helper: Caller, disk: LoopDisk, sudo: Sudo) -> None:
    helper.set(disk, "kyber")
    sudo("mv", SERVICE, f"{SERVICE}.off")
    reload_bus(sudo)
    sudo("kill", polkit_pid())
    try:
        with pytest.raises(Refusal, match="AccessDenied"):
            helper.call("Set", named(disk), "bfq", {}, False, interactive=True)
        assert disk.scheduler == "kyber"
        helper.state()
    finally:
        sudo("mv", f"{SERVICE}.off", SERVICE)
        reload_bus(sudo)
    helper.set(disk, "bfq")


def reload_bus(sudo: Sudo) -> None:
    bus = "org.freedesktop.DBus"
    sudo("gdbus", "call", "--system", "-d", bus, "-o", "/", "-m", f"{bus}.ReloadConfig")


def test_it_goes_when_nobody_needs_it_and_comes_when_it_is_called(impatient: None, helper: Caller, sudo: Sudo) -> None:
    helper.state()
    until(lambda: helper_pid(sudo) == 0)
    helper.state()


def test_whoever_calls_while_it_leaves_is_answered(
    always_leaving: None, helper: Caller, caller: Callable[..., Caller], sudo: Sudo
) -> None:
    """The next helper answers what this one does not."""
    callers, helpers = [caller() for _ in range(3)], {helper_pid(sudo)}
    while len(helpers) < 4:
        for user in callers:
            user.send("GetState")
        for user in callers:
            user.answer()
        helpers.add(helper_pid(sudo))


@pytest.mark.parametrize("times", [1, pytest.param(10, marks=pytest.mark.long)])
@pytest.mark.parametrize("signal", ["-KILL", "-TERM"])
def test_where_the_bus_is_gone_all_trials_end(
    signal: str, times: int, helper: Caller, loop_disk: Callable[..., LoopDisk], sudo: Sudo
) -> None:
    disks = [loop_disk(size_mb=16, fs=None) for _ in range(3)]
    before = [values(disk) for disk in disks]
    for _ in range(times):
        stop_helper(sudo)  # it would keep the other system's from its work
        with tempfile.TemporaryDirectory() as folder:
            owner = Caller("dt-other", another_system(folder))
            for disk, scheduler in zip(disks, ("bfq", "kyber", "mq-deadline"), strict=True):
                owner.set_trial(owner.begin(disk), disk, scheduler, {"queue/nomerges": "1"})
            (bus,) = named_so("dbus-daemon", owner)
            sudo("kill", signal, str(bus))
            until(lambda: [values(disk) for disk in disks] == before)
            until(lambda: not Path("/run/disktuner/trials.json").exists())
            owner.leave()


def test_the_next_helper_puts_back_also_where_there_is_no_bus(
    helper: Caller, caller: Callable[[], Caller], disk: LoopDisk, sudo: Sudo
) -> None:
    """systemd restarts it until there is one."""
    before, owner = values(disk), caller()
    owner.set_trial(owner.begin(disk), disk, "bfq")
    stop_helper(sudo, "-KILL")
    assert disk.scheduler == "bfq"
    nowhere = "DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nowhere"
    started = subprocess.run(["sudo", "-n", "env", nowhere, PROGRAM], capture_output=True, check=False)
    assert started.returncode == 1 and values(disk) == before


def named_so(name: str, owner: Caller) -> list[int]:
    """Return the processes of a caller's system with this name."""
    return [pid for pid in descendants(owner.process.pid) if command_of(pid).strip() == name]
