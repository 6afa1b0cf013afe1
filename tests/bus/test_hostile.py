# SPDX-License-Identifier: GPL-3.0-or-later
"""A hostile caller: thousands of malformed and mutated messages change nothing and hinder nobody."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bus.conftest import Caller, helper_pid
from tests.conftest import LoopDisk, Sudo

MESSAGES = 20_000
HOSTILE = Path(__file__).with_name("hostile.py")


def resident_kb(pid: int) -> int:
    """The memory that a process has now."""
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.partition("VmRSS:")[2].split()[0])


def fingerprint(sudo: Sudo, disk: LoopDisk) -> list[str]:
    """All that a helper could be talked into changing: every writable queue file, /etc, /run and its own state."""
    names = ("nr_requests", "nomerges", "read_ahead_kb", "rq_affinity", "scheduler")
    queues = [f"{file} {file.read_text()}" for name in names for file in sorted(disk.queue.glob(name))]
    places = ("/etc", "/run/disktuner", "/run/udev", "/var/lib/disktuner", "/usr/libexec")
    return queues + sorted(sudo("find", *places, "-printf", "%p %s %m %U %T@\\n").splitlines())


@pytest.mark.parametrize("user", ["dt-other", "allowed"])
def test_twenty_thousand_hostile_messages(
    user: str, caller: Callable[..., Caller], helper: Caller, disk: LoopDisk, sudo: Sudo
) -> None:
    helper.call("SetScheduler", disk.name, disk.diskseq, "kyber")
    helper.call("Revert", disk.name)
    trial = helper.call("BeginTrial", [(disk.name, disk.diskseq)])
    pid, before = helper_pid(sudo), fingerprint(sudo, disk)
    attack(user, disk, trial, MESSAGES // 2).communicate(timeout=100)
    memory = resident_kb(pid)
    attacker = attack(user, disk, trial, MESSAGES // 2)
    slowest = 0.0
    while attacker.poll() is None:
        began = time.monotonic()
        helper.state()
        slowest = max(slowest, time.monotonic() - began)
        time.sleep(0.02)
    assert attacker.stdout
    report = json.loads(attacker.stdout.read())
    attacker.stdout.close()
    assert report["sent"] == MESSAGES // 2 and report["accepted"] == 0
    assert helper_pid(sudo) == pid, "the helper died"
    assert resident_kb(pid) - memory < 5 * 1024
    # A loaded machine with two cores adds to this; without turns for everybody it would be the attack's length.
    assert slowest < 1, "a hostile caller kept others waiting"
    assert fingerprint(sudo, disk) == before
    helper.call("EndTrial", trial)


def attack(user: str, disk: LoopDisk, trial: str, count: int) -> subprocess.Popen[str]:
    prefix = [] if user == "allowed" else ["sudo", "-n", "-u", user, "--"]
    command = [*prefix, "/usr/bin/python3", str(HOSTILE), disk.name, str(disk.diskseq), trial, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
