# SPDX-License-Identifier: GPL-3.0-or-later
"""There is one helper per computer: a second one changes nothing."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from tests.bus.conftest import PROGRAM, Caller, another_system, helper_pid
from tests.conftest import LoopDisk, Sudo

PUT_BACK = Path(__file__).parents[2] / "packaging/put-back"
LOCK = Path("/run/disktuner/lock")
ASK = "gdbus call --system -d org.disktuner.Helper1 -o /org/disktuner/Helper1 -m org.disktuner.Helper1.GetState"


def test_a_second_helper_says_so_and_ends(helper: Caller, disk: LoopDisk, sudo: Sudo) -> None:
    """Started by hand, and by another private system of the same checkout: two `./dev run` at once."""
    trial = helper.begin(disk)
    helper.set_trial(trial, disk, "bfq")
    pid = helper_pid(sudo)
    second = subprocess.run(["sudo", "-n", PROGRAM], capture_output=True, text=True, check=False)
    assert second.returncode == os.EX_TEMPFAIL and "another one is at work on this computer" in second.stderr
    assert second.stderr.count("\n") == 1, "a sentence, no traceback"
    with tempfile.TemporaryDirectory() as folder:
        words = [*another_system(folder), "sh", "-c", f"{ASK}; echo ended"]
        other = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (other.returncode, other.stdout) == (0, "ended\n"), other.stderr
    assert "Error.Spawn" in other.stderr and "left a trial open" not in other.stderr
    assert (helper_pid(sudo), disk.scheduler) == (pid, "bfq")
    helper.set_trial(trial, disk, "kyber")
    helper.call("EndTrial", trial)
    assert disk.scheduler == "none"
    mode = LOCK.stat()
    assert (mode.st_uid, mode.st_mode & 0o7777) == (0, 0o600), "others could keep the helper from starting"


def test_removing_the_program_leaves_the_state_of_a_helper_at_work_elsewhere(
    helper: Caller, disk: LoopDisk, sudo: Sudo
) -> None:
    """Of another private system, or started between its end and the removal: nothing is remembered yet."""
    assert helper.state()["trials"] == []
    sudo("unshare", "--mount", "sh", "-c", f"mount -t tmpfs none /run/dbus && {PUT_BACK}")
    trial = helper.begin(disk)
    helper.set_trial(trial, disk, "bfq")
    helper.call("EndTrial", trial)
    assert disk.scheduler == "none" and LOCK.exists()
    sudo(PUT_BACK)
    assert not LOCK.parent.exists(), "it was told to stop, which ends it"
