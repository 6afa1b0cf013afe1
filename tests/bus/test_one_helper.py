# SPDX-License-Identifier: GPL-3.0-or-later
"""There is one helper on a computer, and it comes back: a second one touches nothing, a killed one restores."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bus.conftest import CHECKOUT, PROGRAM, Caller, helper_pid, stop_helper
from tests.conftest import LoopDisk, Sudo

LOCK = Path("/run/disktuner/lock")
ASK = "gdbus call --system -d org.disktuner.Helper1 -o /org/disktuner/Helper1 -m org.disktuner.Helper1.GetState"


@pytest.fixture
def owner(helper: Caller, caller: Callable[..., Caller], disk: LoopDisk) -> tuple[Caller, str]:
    """Who has a trial with the disk on bfq, and the trial."""
    one = caller()
    trial = one.begin(disk)
    one.set_trial(trial, disk, "bfq")
    return one, trial


def test_a_second_helper_says_so_and_ends(owner: tuple[Caller, str], disk: LoopDisk, sudo: Sudo) -> None:
    """Started by hand, and by another private system of the same checkout: two `./dev run` at once."""
    pid = helper_pid(sudo)
    second = subprocess.run(["sudo", "-n", PROGRAM], capture_output=True, text=True, check=False)
    assert second.returncode == 1 and "another one is at work on this computer" in second.stderr
    assert second.stderr.count("\n") == 1, "a sentence, no traceback"
    other = another_system(f"{ASK}; echo ended")
    assert (other.returncode, other.stdout) == (0, "ended\n"), other.stderr
    assert "Error.Spawn" in other.stderr and "left a trial open" not in other.stderr
    one, trial = owner
    assert (helper_pid(sudo), disk.scheduler) == (pid, "bfq")
    one.set_trial(trial, disk, "kyber")
    one.call("EndTrial", trial)
    assert disk.scheduler == "none"
    mode = LOCK.stat()
    assert (mode.st_uid, mode.st_mode & 0o7777) == (0, 0o600), "others could keep the helper from starting"


def another_system(command: str) -> subprocess.CompletedProcess[str]:
    namespaces = ["--mount", "--pid", "--fork", "--kill-child=TERM", "--mount-proc", "--propagation", "private"]
    with tempfile.TemporaryDirectory() as folder:
        system = [str(CHECKOUT / "packaging/private-system"), "run", folder, str(CHECKOUT), "/", "", "dt-other"]
        words = ["sudo", "-n", "unshare", *namespaces, *system, "sh", "-c", command]
        return subprocess.run(words, capture_output=True, text=True, check=False)


def test_a_killed_helper_is_started_by_the_next_call_and_restores_first(
    confined: None, caller: Callable[..., Caller], disk: LoopDisk, sudo: Sudo
) -> None:
    """Where there is no systemd, which does not wait for a call: see tests/machine."""
    for _ in range(4):
        owner = caller()
        trial = owner.begin(disk)
        owner.set_trial(trial, disk, "bfq")
        stop_helper(sudo, "-KILL")
        assert owner.state()["trials"] == [] and disk.scheduler == "none"
