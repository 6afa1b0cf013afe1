# SPDX-License-Identifier: GPL-3.0-or-later
"""A hostile caller: thousands of malformed and mutated messages change nothing and hinder nobody."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.bus.conftest import Caller, helper_pid
from tests.conftest import LoopDisk, Sudo

HOSTILE = Path(__file__).with_name("hostile.py")
WRITTEN = Path(__file__).with_name("written.py")
WARM_UP = 2_000
# Not the helper's: sudo's notes of these tests, and the machine's own udev.
NOISE = re.compile(r"^/run/(sudo|udev)(/| )|^/run \\d")


def resident_kb(pid: int) -> int:
    """The memory that a process has now."""
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.partition("VmRSS:")[2].split()[0])


def fingerprint(sudo: Sudo, disk: LoopDisk) -> list[str]:
    """All that a helper could be talked into changing.

    Of its own disk and of the machine's first disk, every file in queue/. Of /etc and the other folders that lie
    under an overlay here, what the overlay holds: other programs of the machine change what is below. All of /run.
    """
    folders = [disk.queue, *sorted(Path("/sys/block").glob("[shv]d?/queue"))]
    queues = [sudo("grep", "-r", "-s", "", folder) for folder in folders]
    overlays = re.findall(r"upperdir=([^ ,]+)", Path("/proc/self/mountinfo").read_text())
    assert any(place.endswith("/etc/upper") for place in overlays)
    found = sudo("find", *overlays, "/run", "/usr/local", "-xdev", "-printf", "%p %s %m %U %T@ %l\\n").splitlines()
    return queues + sorted(line for line in found if not NOISE.match(line))


class Watch:
    """Every file that a process writes to from now on, wherever it lies: the kernel tells, see written.py."""

    def __init__(self, pid: int) -> None:
        command = ["sudo", "-n", "/usr/bin/python3", str(WRITTEN), str(pid)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        assert self._process.stdout
        assert {"/", "/etc", "/run", "/sys"} <= set(self._process.stdout.readline().split())

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def written(self) -> list[str]:
        """Since the last time."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write("\n")
        return list(json.loads(self._process.stdout.readline()))


class Patience:
    """Measures how long the helper lets a caller wait.

    What the machine did not let the taking-part processes run (the scheduler counts it) is taken off: with two
    cores and other work on them, that is the machine's queue and not the helper's.
    """

    def __init__(self, caller: Caller, *pids: int) -> None:
        self._caller = caller
        self._pids = (caller.pid, os.getpid(), *pids)
        self.waits: list[float] = []

    def ask(self) -> None:
        """One harmless question."""
        began, held_up = time.monotonic(), self._held_up()
        self._caller.state()
        self.waits.append(time.monotonic() - began - (self._held_up() - held_up))

    def _held_up(self) -> float:
        """Seconds for which the processes (their main threads) were ready and did not run."""
        texts = (Path(f"/proc/{pid}/schedstat").read_text() for pid in self._pids)
        return sum(int(text.split()[1]) for text in texts) / 1e9


def bus_pid() -> int:
    found = subprocess.run(["pgrep", "-x", "dbus-daemon"], capture_output=True, text=True, check=True).stdout.split()
    return int(found[0])


HOW_MANY = [
    ("dt-other", 2_000),
    ("allowed", 1_000),
    *(pytest.param(user, count, marks=pytest.mark.long) for user, count in (("dt-other", 20_000), ("allowed", 6_000))),
]


@pytest.mark.parametrize(("user", "messages"), HOW_MANY)
def test_thousands_of_hostile_messages(
    user: str, messages: int, caller: Callable[..., Caller], helper: Caller, disk: LoopDisk, sudo: Sudo
) -> None:
    helper.call("SetScheduler", disk.name, disk.diskseq, "kyber")
    helper.call("Revert", disk.name)
    trial = helper.call("BeginTrial", [(disk.name, disk.diskseq)])
    pid, before = helper_pid(sudo), fingerprint(sudo, disk)
    attack(user, disk, trial, WARM_UP).communicate(timeout=100)
    memory = resident_kb(pid)
    patience = Patience(helper, pid, bus_pid())
    for _ in range(200):
        patience.ask()
        time.sleep(0.01)
    before_attack = max(patience.waits)
    with Watch(pid) as watch:
        report, asked = ask_during(attack(user, disk, trial, messages), patience)
        assert (report["sent"], report["accepted"]) == (messages, 0)
        assert helper_pid(sudo) == pid, "the helper died"
        assert resident_kb(pid) - memory < 5 * 1024
        # Both sides wait for the same helper: how often it answers us does not depend on how fast the machine is.
        assert asked > messages / 50, "too few questions to tell"
        # On a machine that is busy with other things somebody waits without an attack, too.
        assert max(patience.waits) < 0.1 + before_attack, "a hostile caller kept others waiting"
        assert fingerprint(sudo, disk) == before
        assert watch.written() == [], "the helper wrote to a file"
        helper.call("SetTrialScheduler", trial, disk.name, "bfq")
        assert watch.written() == [str((disk.queue / "scheduler").resolve())], "the watch sees nothing"
    helper.call("EndTrial", trial)


def ask_during(attacker: subprocess.Popen[str], patience: Patience) -> tuple[dict[str, Any], int]:
    """Ask without a pause until the attacker has ended; its report, and how often was asked."""
    asked = 0
    with attacker:
        while attacker.poll() is None:
            patience.ask()
            asked += 1
        assert attacker.stdout
        return json.load(attacker.stdout), asked


def attack(user: str, disk: LoopDisk, trial: str, count: int) -> subprocess.Popen[str]:
    prefix = [] if user == "allowed" else ["sudo", "-n", "-u", user, "--"]
    command = [*prefix, "/usr/bin/python3", str(HOSTILE), disk.name, str(disk.diskseq), trial, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
