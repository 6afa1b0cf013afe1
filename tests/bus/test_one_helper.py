# SPDX-License-Identifier: GPL-3.0-or-later
"""There is one helper on a computer: a second one, of another bus or started by hand, touches nothing."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.bus.conftest import CHECKOUT, PROGRAM, Caller, helper_pid, stop_helper
from tests.conftest import LoopDisk, Sudo
from tests.waiting import until

LOCK = Path("/run/disktuner/lock")
ASK = "gdbus call --system -d org.disktuner.Helper1 -o /org/disktuner/Helper1 -m org.disktuner.Helper1.GetState"


@pytest.fixture
def owner(helper: Caller, caller: Callable[..., Caller], disk: LoopDisk) -> tuple[Caller, str]:
    """Who has a trial with the disk on bfq, and the trial."""
    one = caller()
    trial = one.call("BeginTrial", [(disk.name, disk.diskseq)])
    one.call("SetTrialScheduler", trial, disk.name, "bfq")
    return one, trial


def test_a_second_helper_says_so_and_ends(owner: tuple[Caller, str], disk: LoopDisk, sudo: Sudo) -> None:
    pid = helper_pid(sudo)
    second = subprocess.run(["sudo", "-n", PROGRAM], capture_output=True, text=True, check=False, timeout=30)
    assert second.returncode == 1
    assert "another-disktuner-runs" in second.stderr
    one, trial = owner
    assert (helper_pid(sudo), disk.scheduler) == (pid, "bfq")
    one.call("SetTrialScheduler", trial, disk.name, "kyber")
    one.call("EndTrial", trial)
    assert disk.scheduler == "none"
    assert (LOCK.stat().st_uid, LOCK.stat().st_mode & 0o7777) == (0, 0o600), (
        "others could keep the helper from starting"
    )


def test_another_system_of_the_same_checkout_neither_ends_a_trial_nor_waits_for_it(
    owner: tuple[Caller, str], disk: LoopDisk
) -> None:
    """Two `./dev run` at once: the second one's helper cannot start, and the trial that it finds is none of its own."""
    namespaces = ["--mount", "--pid", "--fork", "--kill-child=TERM", "--mount-proc", "--propagation", "private"]
    with tempfile.TemporaryDirectory() as folder:
        system = [str(CHECKOUT / "packaging/private-system"), "run", folder, str(CHECKOUT), "/", "", "dt-other"]
        command = ["sudo", "-n", "unshare", *namespaces, *system, "sh", "-c", f"{ASK}; echo ended"]
        second = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (second.returncode, second.stdout) == (0, "ended\n"), second.stderr
    assert "Error.Spawn" in second.stderr and "left a trial open" not in second.stderr
    one, trial = owner
    assert disk.scheduler == "bfq"
    one.call("EndTrial", trial)


def test_the_next_helper_may_begin_when_the_first_is_gone(
    owner: tuple[Caller, str], disk: LoopDisk, sudo: Sudo
) -> None:
    stop_helper(sudo, "-KILL")
    assert until(lambda: disk.scheduler == "none")


@pytest.fixture
def dying_starts(sudo: Sudo, tmp_path: Path) -> Iterator[None]:
    """The next three helpers are killed before they serve."""
    original, left = sudo("cat", PROGRAM), tmp_path / "left"
    left.write_text("3")
    dies = f"left=$(cat {left})\nif [ $left -gt 0 ]; then echo $((left - 1)) >{left}; kill -9 $$; fi\n"
    sudo("tee", f"{PROGRAM}.real", stdin=original)
    sudo("chmod", "755", f"{PROGRAM}.real")
    sudo("tee", PROGRAM, stdin=f"#!/bin/sh\n{dies}exec {PROGRAM}.real\n")
    yield
    sudo("tee", PROGRAM, stdin=original)
    sudo("rm", f"{PROGRAM}.real")
    assert left.read_text() == "0\n"


def test_helpers_that_are_killed_before_they_serve_come_back_without_a_call(
    owner: tuple[Caller, str], disk: LoopDisk, sudo: Sudo, dying_starts: None
) -> None:
    stop_helper(sudo, "-KILL")
    assert until(lambda: disk.scheduler == "none")


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "null", "{"])
def test_a_broken_state_keeps_no_helper_from_starting(text: str, helper: Caller, disk: LoopDisk, sudo: Sudo) -> None:
    stop_helper(sudo)
    for name in ("trials", "snapshots"):
        sudo("tee", f"/run/disktuner/{name}.json", stdin=text)
    state = helper.state()
    assert (state["trials"], state["snapshots"]) == ([], [])
    helper.call("SetScheduler", disk.name, disk.diskseq, "bfq")
    assert disk.scheduler == "bfq"
