# SPDX-License-Identifier: GPL-3.0-or-later
"""The helper where polkit does not answer or is not there, and where nobody needs it: with limits of a second.

That they are 25, 300, 1800 and 30 seconds otherwise, and what they bound: tests/unit/helper.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator

import pytest

from tests.bus.conftest import PROGRAM, Caller, Refusal, helper_pid, named, stop_helper
from tests.conftest import LoopDisk, Sudo
from tests.waiting import until

SERVICE = "/usr/share/dbus-1/system-services/org.freedesktop.PolicyKit1.service"


@pytest.fixture
def impatient(sudo: Sudo) -> Iterator[None]:
    """A helper that waits a second for polkit, and a second for work."""
    original = sudo("cat", PROGRAM)
    limits = "from disktuner_helper.contract import Limits\n\nsys.exit(main(Limits(answer_s=1, idle_s=1)))"
    changed = original.replace("sys.exit(main())", limits)
    assert changed != original
    sudo("tee", PROGRAM, stdin=changed)
    stop_helper(sudo)
    yield
    sudo("tee", PROGRAM, stdin=original)
    stop_helper(sudo)


def polkit_pid() -> str:
    return subprocess.run(["pgrep", "-x", "polkitd"], capture_output=True, text=True, check=True).stdout.split()[0]


@pytest.fixture
def stopped(helper: Caller, sudo: Sudo) -> Iterator[Callable[[], None]]:
    """From then on polkitd does not answer, until the test is over."""
    helper.call("Revert", [])
    pid = polkit_pid()
    yield lambda: sudo("kill", "-STOP", pid)
    sudo("kill", "-CONT", pid)


def test_a_polkit_that_does_not_answer_means_no_and_hinders_nobody(
    impatient: None, helper: Caller, caller: Callable[..., Caller], disk: LoopDisk, stopped: Callable[[], None]
) -> None:
    other, owner = caller(), caller()
    trial = owner.begin(disk)
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
