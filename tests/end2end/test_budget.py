# SPDX-License-Identifier: GPL-3.0-or-later
"""A comparison keeps to its budget's time, whether a disk turns out slower or faster than it looked."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from disktuner.experiment.events import Event, RunStarted
from disktuner.workloads.workload import MIB, Measurement, Processes
from tests.conftest import LoopDisk
from tests.end2end.guarded import SMALL, Doing, measure


def test_no_round_begins_that_would_not_fit_into_the_budget(loop_disk: Callable[..., LoopDisk]) -> None:
    def slow(folder: Path, processes: Processes) -> Measurement:
        began = time.monotonic()
        processes.run(["dd", "if=/dev/urandom", f"of={folder / 'out'}", "bs=1M", "count=8", "oflag=direct"], folder, 60)
        processes.pause(0.4)
        return Measurement({"wall_s": 1.0}, time.monotonic() - began, 0, 8 * MIB)

    began = time.monotonic()
    found = measure(loop_disk(size_mb=128), Doing(slow), SMALL, rounds=50, most_s=5.0)
    assert found.error is None
    assert time.monotonic() - began < 20
    rounds = {sample.round for sample in found.samples}
    assert rounds == set(range(len(rounds)))
    assert 1 <= len(rounds) < 12
    assert "time-is-up" in [warning.id for warning in found.result.warnings]


@pytest.mark.parametrize(("announced_s", "expected"), [(0.0, 3), (6.0, 5)])
def test_rounds_are_added_where_runs_take_less_than_was_announced(
    loop_disk: Callable[..., LoopDisk], announced_s: float, expected: int
) -> None:
    def quick(folder: Path, processes: Processes) -> Measurement:
        processes.run(["dd", "if=/dev/urandom", f"of={folder / 'out'}", "bs=1M", "count=4", "oflag=direct"], folder, 60)
        return Measurement({"wall_s": 1.0}, 0.1, 0, 4 * MIB)

    heard: list[Event] = []
    disk, size = loop_disk(size_mb=128), replace(SMALL, bytes_written=8 * MIB)
    found = measure(disk, Doing(quick), size, heard.append, 3, announced_s=announced_s, most_rounds=5)
    assert found.error is None
    assert {sample.round for sample in found.samples} == set(range(expected))
    assert (found.result.plan.rounds or 3) == expected
    runs = [event.runs_planned for event in heard if isinstance(event, RunStarted)]
    assert runs == [3, 3, *range(3, expected + 1)]


def test_no_round_is_added_that_might_write_more_than_was_announced(loop_disk: Callable[..., LoopDisk]) -> None:
    def all_it_may(folder: Path, processes: Processes) -> Measurement:
        processes.run(["dd", "if=/dev/urandom", f"of={folder / 'out'}", "bs=1M", "count=8", "oflag=direct"], folder, 60)
        return Measurement({"wall_s": 1.0}, 0.1, 0, 8 * MIB)

    size = replace(SMALL, bytes_written=8 * MIB)
    found = measure(
        loop_disk(size_mb=128), Doing(all_it_may), size, rounds=3, announced_s=30.0, most_rounds=9, repeats=0
    )
    assert {sample.round for sample in found.samples} == {0, 1, 2}
