# SPDX-License-Identifier: GPL-3.0-or-later
"""A hostile caller: thousands of malformed and mutated messages change nothing and disturb nobody."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bus.conftest import Caller, helper_pid, named
from tests.conftest import LoopDisk, Sudo

HOSTILE = Path(__file__).with_name("hostile.py")
WRITTEN = Path(__file__).with_name("written.py")
# Not the helper's: sudo's notes of these tests, and the machine's own udev.
NOISE = re.compile(r"^/run/(sudo|udev)(/| )|^/run \\d")


def fingerprint(sudo: Sudo, disk: LoopDisk) -> list[str]:
    """Return everything that a helper could be talked into changing.

    For its own disk, every file in queue/; others may be measuring the machine's disks, so ``Watch`` covers those. For
    /etc and the other overlaid folders, the overlay's content, as other programs may change the layers below. All of
    /run.
    """
    queues = [sudo("grep", "-r", "-s", "", disk.queue)]
    overlays = re.findall(r"upperdir=([^ ,]+)", Path("/proc/self/mountinfo").read_text())
    assert any(place.endswith("/etc/upper") for place in overlays)
    files = sudo("find", *overlays, "/run", "/usr/local", "-xdev", "-printf", "%p %s %m %U %T@ %l\\n").splitlines()
    return queues + sorted(line for line in files if not NOISE.match(line))


class Watch:
    """Every file that a process writes to from now on, anywhere, as reported by the kernel (see written.py)."""

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
        """Return the files written to since the last call."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write("\n")
        return list(json.loads(self._process.stdout.readline()))


HOW_MANY = [
    ("dt-other", 1_500),
    ("", 1_000),
    *(pytest.param(user, count, marks=pytest.mark.long) for user, count in (("dt-other", 20_000), ("", 6_000))),
]


@pytest.mark.parametrize(("user", "messages"), HOW_MANY)
def test_thousands_of_hostile_messages_change_nothing_and_keep_nobody_waiting(
    user: str, messages: int, caller: Callable[..., Caller], helper: Caller, disk: LoopDisk, sudo: Sudo
) -> None:
    helper.set(disk, "kyber")
    helper.call("Revert", named(disk))
    trial = helper.begin(disk)
    pid, before, bystander = helper_pid(sudo), fingerprint(sudo, disk), caller("dt-ask")
    with Watch(pid) as watch:
        assert attack(user, disk, trial, messages, bystander) == 0
        assert helper_pid(sudo) == pid, "the helper died"
        assert fingerprint(sudo, disk) == before
        assert watch.written() == [], "the helper wrote to a file"
        helper.set_trial(trial, disk, "bfq")
        assert watch.written() == [str((disk.queue / "scheduler").resolve())], "the watch sees nothing"
    helper.call("EndTrial", trial)


def attack(user: str, disk: LoopDisk, trial: str, count: int, bystander: Caller) -> int:
    """Return how many messages were accepted. Between any two batches somebody else is answered."""
    prefix = ["sudo", "-n", "-u", user, "--"] if user else []
    command = [*prefix, "/usr/bin/python3", str(HOSTILE), disk.name, str(disk.diskseq), trial, str(count)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, bufsize=1) as attacker:
        assert attacker.stdin and attacker.stdout
        while (line := attacker.stdout.readline()) == "sent\n":
            bystander.state()
            attacker.stdin.write("answer\n")
    return int(json.loads(line)["accepted"])
