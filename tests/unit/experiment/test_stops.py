# SPDX-License-Identifier: GPL-3.0-or-later
"""A stopped or frozen process is detected by the kernel's own signs; time that merely passed is no stop."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.experiment.playing import Clock
from tests.waiting import until

from disktuner.experiment.stops import OURSELVES, Stops
from disktuner.workloads.processes import Control, Processes

LOOKING = """
import sys, threading
from disktuner.__main__ import keep_continuing_in_mind
from disktuner.experiment.stops import Stops
def look():
    sys.stdin.readline()
    with Stops() as stops:
        print(flush=True)
        for _ in sys.stdin:
            print(sum(stops.seconds().values()), flush=True)
keep_continuing_in_mind()
thread = threading.Thread(target=look)
thread.start()
thread.join()
"""
"""Looks whenever it is asked, from a thread, as a measurement does."""


class Looking:
    """A program that reports for how long it stood still."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process, self.pid = process, process.pid

    def asked(self) -> str:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write("?\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()

    def stopped_for(self, seconds: float) -> None:
        os.kill(self.pid, signal.SIGSTOP)
        until(lambda: Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T")
        subprocess.run(["sleep", str(seconds)], check=True)
        os.kill(self.pid, signal.SIGCONT)


@pytest.fixture
def looking() -> Iterator[Looking]:
    argv = [sys.executable, "-c", LOOKING]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Looking(process)
        assert process.stdin
        process.stdin.close()


def test_this_program_was_stopped_when_it_was_told_to_go_on(looking: Looking) -> None:
    looking.asked()
    assert float(looking.asked()) == 0
    looking.stopped_for(0.2)
    assert (stood_still_s := float(looking.asked())) >= 0.2
    assert float(looking.asked()) == stood_still_s, "counted once"


def test_nobody_is_stopped_who_only_waits(tmp_path: Path) -> None:
    clock = Clock()
    with Stops(clock, tmp_path) as stops:
        for _ in range(9):
            clock.now_s += 5.1  # a processor, memory, or its own code from a disk that copies
            stops.look()
        assert stops.seconds() == {}


def test_a_program_that_is_stopped_is_named_until_it_goes_on(tmp_path: Path) -> None:
    clock = Clock()
    stops = Stops(clock)
    with stops, Processes(Control(), note_stop=stops.note) as processes:
        pid = processes.start(["tail", "-f", "/dev/null"], tmp_path)

        def stood_still() -> float:
            assert not processes.ended(pid)
            clock.now_s += 0.25
            return stops.seconds().get("tail", 0.0)

        assert stood_still() == 0.0
        os.kill(pid, signal.SIGSTOP)
        until(stood_still)
        os.kill(pid, signal.SIGCONT)
        until(lambda: stood_still() == stood_still())
        assert OURSELVES not in stops.seconds()


def test_strange_names_of_mounts_and_groups_are_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "proc/self").mkdir(parents=True)
    odd = b"/run/m/caf\xe9\r\xe2\x80\xa8"
    mounts = b"/dev/sdb1 %s vfat rw 0 0\ncgroup2 /group cgroup2 rw 0 0\n" % odd
    (tmp_path / "proc/self/mounts").write_bytes(mounts)
    (tmp_path / "proc/self/cgroup").write_bytes(b"0::/" + odd[7:] + b"\n")
    events = tmp_path / "group" / os.fsdecode(odd[7:]) / "cgroup.events"
    events.parent.mkdir(parents=True)
    events.write_text("frozen 0\n")
    with Stops(root=tmp_path) as stops:
        assert not stops.seconds()
