# SPDX-License-Identifier: GPL-3.0-or-later
"""Whoever is stopped is noticed: this program by looks that come late, the programs it runs by the kernel."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from tests.unit.experiment.playing import Clock
from tests.waiting import until

from disktuner.experiment.stops import OURSELVES, Stops
from disktuner.workloads.processes import Control, Processes


def test_a_late_look_is_a_stop_of_this_program_and_a_busy_computer_is_none(tmp_path: Path) -> None:
    clock = Clock()
    stops = Stops(clock, tmp_path)
    for _ in range(9):
        clock.now_s += 0.25  # late by what a busy computer takes
        stops.look()
    assert stops.seconds() == {}
    clock.now_s += 5.1
    assert stops.seconds() == pytest.approx({OURSELVES: 5.0})
    assert stops.seconds() == pytest.approx({OURSELVES: 5.0}), "counted once"


@pytest.mark.parametrize(
    ("file", "before", "after"),
    [
        ("proc/self/task/7/schedstat", "2000000 3000000 9", "1002000000 4003000000 9"),
        (
            "proc/pressure/memory",
            "some avg10=0.00 total=7\nfull total=0",
            "some avg10=9.00 total=5000007\nfull total=0",
        ),
    ],
)
def test_who_waits_for_a_processor_or_for_memory_is_not_stopped(
    file: str, before: str, after: str, tmp_path: Path
) -> None:
    clock, counter = Clock(), tmp_path / file
    counter.parent.mkdir(parents=True)
    counter.write_text(before)
    stops = Stops(clock, tmp_path)
    counter.write_text(after)
    clock.now_s += 5.1
    assert stops.seconds() == {}
    counter.unlink()  # a thread that ended takes its figures with it
    clock.now_s += 2.1
    assert stops.seconds() == pytest.approx({OURSELVES: 2.0})


def test_it_looks_by_itself(tmp_path: Path) -> None:
    clock = Clock()
    with Stops(clock, tmp_path) as stops:
        clock.now_s += 60.0
        until(lambda: stops.seconds().get(OURSELVES, 0.0) > 59)


def test_a_program_that_is_stopped_is_named_until_it_goes_on(tmp_path: Path) -> None:
    clock = Clock()
    stops = Stops(clock)
    with Processes(Control(), note_stop=stops.note) as processes:
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
