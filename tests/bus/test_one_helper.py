# SPDX-License-Identifier: GPL-3.0-or-later
"""There is one helper on a computer: a second one touches nothing."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from tests.bus.conftest import CHECKOUT, PROGRAM, Caller, helper_pid
from tests.conftest import LoopDisk, Sudo

LOCK = Path("/run/disktuner/lock")
ASK = "gdbus call --system -d org.disktuner.Helper1 -o /org/disktuner/Helper1 -m org.disktuner.Helper1.GetState"


def test_a_second_helper_says_so_and_ends(helper: Caller, disk: LoopDisk, sudo: Sudo) -> None:
    """Started by hand, and by another private system of the same checkout: two `./dev run` at once."""
    trial = helper.begin(disk)
    helper.set_trial(trial, disk, "bfq")
    pid = helper_pid(sudo)
    second = subprocess.run(["sudo", "-n", PROGRAM], capture_output=True, text=True, check=False)
    assert second.returncode == 1 and "another one is at work on this computer" in second.stderr
    assert second.stderr.count("\n") == 1, "a sentence, no traceback"
    other = another_system(f"{ASK}; echo ended")
    assert (other.returncode, other.stdout) == (0, "ended\n"), other.stderr
    assert "Error.Spawn" in other.stderr and "left a trial open" not in other.stderr
    assert (helper_pid(sudo), disk.scheduler) == (pid, "bfq")
    helper.set_trial(trial, disk, "kyber")
    helper.call("EndTrial", trial)
    assert disk.scheduler == "none"
    mode = LOCK.stat()
    assert (mode.st_uid, mode.st_mode & 0o7777) == (0, 0o600), "others could keep the helper from starting"


def another_system(command: str) -> subprocess.CompletedProcess[str]:
    namespaces = ["--mount", "--pid", "--fork", "--kill-child=TERM", "--mount-proc", "--propagation", "private"]
    with tempfile.TemporaryDirectory() as folder:
        system = [str(CHECKOUT / "packaging/private-system"), "run", folder, str(CHECKOUT), "/", "", "dt-other"]
        words = ["sudo", "-n", "unshare", *namespaces, *system, "sh", "-c", command]
        return subprocess.run(words, capture_output=True, text=True, check=False)
