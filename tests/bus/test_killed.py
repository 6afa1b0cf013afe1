# SPDX-License-Identifier: GPL-3.0-or-later
"""kill -9 of the helper at every system call that matters: the rule file stays whole, disks get back what they had."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bus.conftest import Caller, Refusal, helper_pid, until
from tests.conftest import LoopDisk, Sudo

RULES = Path("/etc/udev/rules.d/90-disktuner.rules")
CALLS = "openat,write,fsync,rename,renameat,unlink,unlinkat,mkdir,fchmod,close"


class Killer:
    """strace, which kills the helper when it enters its nth system call of those that touch files."""

    def __init__(self, pid: int, count: int) -> None:
        words = ["-qq", "-o", "/dev/null", "-p", str(pid), "-e", f"trace={CALLS}"]
        inject = ["-e", f"inject={CALLS}:signal=KILL:when={count}"]
        self.process = subprocess.Popen(["sudo", "-n", "strace", *words, *inject], stderr=subprocess.DEVNULL)
        assert until(lambda: "TracerPid:\t0\n" not in Path(f"/proc/{pid}/status").read_text()), "strace did not attach"

    def stop(self, sudo: Sudo, pid: int) -> bool:
        """Whether it has killed."""
        killed = not Path(f"/proc/{pid}").exists()
        if not killed:
            sudo("pkill", "-P", str(self.process.pid), "-x", "strace")
        self.process.wait(10)
        return killed


def killed_at(count: int, helper: Caller, sudo: Sudo, work: Callable[[], object]) -> bool:
    helper.state()
    pid = helper_pid(sudo)
    killer = Killer(pid, count)
    try:
        work()
    except Refusal as refusal:
        assert str(refusal) == "NoReply"
        until(lambda: not Path(f"/proc/{pid}").exists())
    return killer.stop(sudo, pid)


def test_persist_leaves_the_old_or_the_new_file(helper: Caller, known_disk: LoopDisk, sudo: Sudo) -> None:
    disk, killed = known_disk, 0
    rule = {"kyber": "", "bfq": ""}
    for name in rule:
        helper.call("Persist", disk.name, disk.diskseq, name, {})
    for count in range(1, 60):
        name = "kyber" if helper.state()["persistent"][0]["scheduler"] == "bfq" else "bfq"
        old = RULES.read_text()
        dead = killed_at(count, helper, sudo, lambda: helper.call("Persist", disk.name, disk.diskseq, name, {}))  # noqa: B023
        killed += dead
        state = helper.state()
        assert len(state["persistent"]) == 1 and state["unreadable"] == []
        assert RULES.read_text() == old or state["persistent"][0]["scheduler"] == name
        assert RULES.stat().st_mode & 0o7777 == 0o644
    assert killed >= 25


@pytest.mark.parametrize("start", [1, 2])
def test_a_trial_is_undone_by_the_next_helper(start: int, helper: Caller, disk: LoopDisk, sudo: Sudo) -> None:
    killed = 0
    sudo("tee", disk.queue / "nr_requests", stdin="64")

    def trial() -> None:
        number = helper.call("BeginTrial", [(disk.name, disk.diskseq)])
        helper.call("SetTrialScheduler", number, disk.name, "bfq")
        helper.call("EndTrial", number)

    for count in range(start, 80, 2):
        killed += killed_at(count, helper, sudo, trial)
        assert helper.state()["trials"] == []
        assert (disk.scheduler, (disk.queue / "nr_requests").read_text()) == ("none", "64\n"), count
        assert not list(Path("/run/disktuner/hold").glob("*"))
    assert killed >= 15


def test_revert_can_be_repeated(helper: Caller, disk: LoopDisk, sudo: Sudo) -> None:
    killed = 0
    for count in range(1, 30, 3):
        helper.call("SetScheduler", disk.name, disk.diskseq, "bfq")
        killed += killed_at(count, helper, sudo, lambda: helper.call("Revert", disk.name))
        helper.call("Revert", disk.name)
        assert disk.scheduler == "none"
        assert helper.state()["snapshots"] == []
    assert killed >= 5
