# SPDX-License-Identifier: GPL-3.0-or-later
"""Somebody without rights sends too much: others are answered, and the helper stays below its unit's MemoryMax.

How much of it the helper bears for how long: `./dev bench bench_flood`.
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

FLOOD = str(Path(__file__).parents[1] / "bench/flood.py")
# Kinds of flood.py, over how many connections, and how many messages each sends.
FLOODS = [("silent", 40, 300), ("ending", 40, 30), ("disks", 4, 2), ("more-disks", 4, 1), ("many-small", 4, 50)]


def test_a_flood_neither_fills_the_memory_nor_keeps_others_from_an_answer(
    confined: None, caller: Callable[..., Caller], disk: LoopDisk, sudo: Sudo
) -> None:
    owner, other = caller(), caller("dt-ask")
    trial = owner.call("BeginTrial", [(disk.name, disk.diskseq)])
    owner.call("SetTrialScheduler", trial, disk.name, "bfq")
    pid = helper_pid(sudo)
    for kind, connections, each in FLOODS:
        report = flood(kind, connections, each, other)
        assert report["sent"] == connections * each and report["lost"] == 0
        assert report["answered"] == (0 if kind in {"silent", "more-disks"} else report["sent"])
        assert (helper_pid(sudo), disk.scheduler) == (pid, "bfq")
        assert Group().peak_bytes < Group().limit_bytes / 2
    owner.call("EndTrial", trial)


def flood(kind: str, connections: int, each: int, other: Caller) -> dict[str, int]:
    """dt-other's, and what became of it. Somebody else is answered meanwhile."""
    command = ["sudo", "-n", "-u", "dt-other", "--", "/usr/bin/python3", FLOOD, kind, str(connections), str(each)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, bufsize=1) as flooding:
        assert flooding.stdin and flooding.stdout and flooding.stdout.readline() == "ready\n"
        flooding.stdin.write("begin\n")
        while flooding.poll() is None:
            other.state()
        return dict(json.load(flooding.stdout))


def test_a_call_that_is_too_big_is_refused(helper: Caller, disk: LoopDisk) -> None:
    """Also one of somebody who may do all; GLib would need many seconds to make bigger ones here."""
    for method, arguments in {
        "BeginTrial": ([("x", 0)] * 30_000,),
        "Persist": (disk.name, disk.diskseq, "x" * 5_000_000, {}),
    }.items():
        with pytest.raises(Refusal, match="InvalidArgs"):
            helper.call(method, *arguments)
