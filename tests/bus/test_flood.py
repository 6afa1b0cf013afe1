# SPDX-License-Identifier: GPL-3.0-or-later
"""Somebody without rights sends too much: what the helper bears is answered, of what is too much it dies and restores.

How much is too much: `./dev bench bench_flood`.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.bus.conftest import Caller, Refusal, helper_pid
from tests.conftest import LoopDisk, Sudo
from tests.waiting import until

FLOOD = str(Path(__file__).parents[1] / "bench/flood.py")


@contextmanager
def flood(kind: str, connections: int, each: int) -> Iterator[subprocess.Popen[str]]:
    """dt-other's, which goes on until it has sent so many messages and has their answers, or is ended."""
    command = ["sudo", "-n", "-u", "dt-other", "--", "/usr/bin/python3", FLOOD, kind, str(connections), str(each)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, bufsize=1) as flooding:
        assert flooding.stdin and flooding.stdout and flooding.stdout.readline() == "ready\n"
        flooding.stdin.write("begin\n")
        yield flooding


@pytest.fixture
def trying(confined: None, caller: Callable[..., Caller], disk: LoopDisk) -> tuple[Caller, str]:
    """Somebody in whose trial the disk has another scheduler."""
    owner = caller()
    trial = owner.begin(disk)
    owner.set_trial(trial, disk, "bfq")
    return owner, trial


def test_a_flood_is_answered_and_so_is_who_asks_meanwhile(
    trying: tuple[Caller, str], caller: Callable[..., Caller], disk: LoopDisk, sudo: Sudo
) -> None:
    (owner, trial), other, pid = trying, caller("dt-ask"), helper_pid(sudo)
    with flood("ending", 40, 30) as flooding:
        other.state()
        assert flooding.stdout and json.load(flooding.stdout) == {"sent": 1200, "answered": 1200, "lost": 0}
    assert (helper_pid(sudo), disk.scheduler) == (pid, "bfq")
    owner.call("EndTrial", trial)


@pytest.mark.usefixtures("trying")
def test_a_helper_that_a_flood_kills_gives_back_what_it_changed(
    caller: Callable[..., Caller], disk: LoopDisk, sudo: Sudo
) -> None:
    """At the unit's MemoryMax. systemd starts the next one within 5 s: see tests/machine."""
    other, pid = caller("dt-ask"), helper_pid(sudo)
    with flood("more-disks", 4, 1000) as flooding:
        until(lambda: not Path(f"/proc/{pid}").exists())
        flooding.terminate()
    until(lambda: answers(other))
    assert other.state()["trials"] == [] and disk.scheduler == "none"


def answers(caller: Caller) -> bool:
    """Whether the helper does: one that had just been started may have died of the same flood."""
    try:
        return bool(caller.state())
    except Refusal:
        return False
