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


def test_a_late_look_is_a_stop_of_this_program_and_a_busy_computer_is_none() -> None:
    clock = Clock()
    stops = Stops(clock)
    for _ in range(9):
        clock.now_s += 0.25  # late by what a busy computer takes
        stops.look()
    assert stops.seconds() == {}
    clock.now_s += 5.1
    assert stops.seconds() == pytest.approx({OURSELVES: 5.0})
    assert stops.seconds() == pytest.approx({OURSELVES: 5.0}), "counted once"


def test_it_looks_by_itself() -> None:
    clock = Clock()
    with Stops(clock) as stops:
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
