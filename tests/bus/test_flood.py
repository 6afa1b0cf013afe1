# SPDX-License-Identifier: GPL-3.0-or-later
"""Somebody without rights sends too much: others are answered, and the helper stays below its unit's MemoryMax.

The floods are longer, and their figures printed, in `./dev bench bench_flood`.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bus.confine import Group
from tests.bus.conftest import Caller, Refusal, helper_pid
from tests.conftest import LoopDisk, Sudo
from tests.waiting import until

Make = Callable[..., Caller]
FLOOD = str(Path(__file__).with_name("flood.py"))
PATIENCE_S = 10


class Flood:
    """A flood of dt-other's that has begun, see flood.py."""

    def __init__(self, kind: str, connections: int, seconds: float) -> None:
        become = ["sudo", "-n", "-u", "dt-other", "--"]
        command = [*become, "/usr/bin/python3", FLOOD, kind, str(connections), str(seconds)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        assert self._process.stdin and self._process.stdout
        assert self._process.stdout.readline() == "ready\n"
        self._process.stdin.write("begin\n")

    @property
    def goes_on(self) -> bool:
        return self._process.poll() is None

    def report(self) -> dict[str, int]:
        """How many messages were sent and answered, and how many connections the bus closed."""
        output, _ = self._process.communicate(timeout=60)
        return dict(json.loads(output))


@pytest.fixture
def held(confined: None, caller: Make, disk: LoopDisk) -> str:
    """A trial of somebody else's, whose disk is on bfq."""
    owner = caller()
    trial = str(owner.call("BeginTrial", [(disk.name, disk.diskseq)]))
    owner.call("SetTrialScheduler", trial, disk.name, "bfq")
    return trial


FLOODS = [("silent", 1), ("silent", 40), ("ending", 40), ("signal", 40)]


@pytest.mark.parametrize(("kind", "connections"), FLOODS)
def test_a_flood_of_calls_neither_fills_the_memory_nor_keeps_others_from_an_answer(
    kind: str, connections: int, held: str, caller: Make, disk: LoopDisk, sudo: Sudo
) -> None:
    pid, other, waits = helper_pid(sudo), caller("dt-ask"), []
    flood = Flood(kind, connections, 1.2)
    while flood.goes_on:
        other.state()
        waits.append(other.seconds)
    report = flood.report()
    assert report["sent"] > 1000 or kind != "silent", "that was no flood"
    assert report["answered"] == 0 or kind != "silent"
    assert max(waits) < PATIENCE_S
    assert (helper_pid(sudo), disk.scheduler) == (pid, "bfq")
    assert Group().peak_bytes < Group().limit_bytes / 2


@pytest.mark.parametrize("kind", ["disks", "more-disks", "tunables", "long", "many-small"])
def test_big_messages_are_not_kept(kind: str, held: str, caller: Make, disk: LoopDisk, sudo: Sudo) -> None:
    """One of 4.8 MB takes 125 MB when GDBus takes it apart, and MemoryMax is 128 MiB."""
    pid, other = helper_pid(sudo), caller("dt-ask")
    assert Flood(kind, 4, 0.8).report()["sent"] > 0
    other.state()
    assert (helper_pid(sudo), disk.scheduler) == (pid, "bfq")
    assert Group().peak_bytes < Group().limit_bytes / 2


def test_a_call_that_is_too_big_is_refused(held: str, helper: Caller, disk: LoopDisk, sudo: Sudo) -> None:
    """Also one of somebody who may do all; GLib would need many seconds to make bigger ones here."""
    pid = helper_pid(sudo)
    for method, arguments in {
        "BeginTrial": ([("x", 0)] * 30_000,),
        "SetTunables": (disk.name, disk.diskseq, {f"queue/{number}": "1" for number in range(30_000)}),
        "Persist": (disk.name, disk.diskseq, "x" * 5_000_000, {}),
    }.items():
        with pytest.raises(Refusal, match="InvalidArgs"):
            helper.call(method, *arguments)
    assert (helper_pid(sudo), disk.scheduler) == (pid, "bfq")


def test_a_killed_helper_comes_back_without_a_call_and_restores(
    confined: None, caller: Make, disk: LoopDisk, sudo: Sudo
) -> None:
    """More often than a service manager may be willing to start it again. That is where there is no systemd; with it,
    see tests/machine."""
    for _ in range(6):
        owner = caller()
        trial = owner.call("BeginTrial", [(disk.name, disk.diskseq)])
        owner.call("SetTrialScheduler", trial, disk.name, "bfq")
        kill_and_wait(sudo, disk)
        owner.leave()
    assert caller().state()["trials"] == []


def kill_and_wait(sudo: Sudo, disk: LoopDisk) -> None:
    """Within 5 s is the promise."""
    killed = helper_pid(sudo)
    sudo("kill", "-KILL", str(killed))
    assert until(lambda: disk.scheduler == "none"), "the disk was not put back"
    assert until(lambda: helper_pid(sudo) not in {0, killed}), "it restored and did not come back"
