# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts beside writers that are through before them: what then runs alone must not make a scheduler look good."""

from __future__ import annotations

from dataclasses import replace

import pytest

from disktuner.experiment.processes import UserProcesses
from disktuner.workloads.starts import Estimate, Start, estimate
from disktuner.workloads.under_load import LaunchUnderWrites
from disktuner.workloads.workload import MIB, Probe, Scratch

PROBE = Probe(100 * MIB, 150 * MIB, 0.008, 4 << 30, 50 << 30)
PLENTY = 8192
START = Start(8.05, 100.0, (2.0, 4.0, 6.0, 8.0))
ALIKE = (1, 1, 1, 1)


@pytest.mark.parametrize(
    ("until_s", "expected"),
    [
        (None, (8.05, 1.0)),
        (108.5, (8.05, 1.0)),
        (105.0, (8.0, 0.5)),
        (99.0, (8.0, 0.25)),  # the first read outlasted the writers: all may take as long as it
    ],
)
def test_a_start_is_told_by_the_reads_beside_the_writers(until_s: float | None, expected: tuple[float, float]) -> None:
    assert estimate([START], ALIKE, until_s) == Estimate(*expected)


def test_a_launch_whose_writers_were_through_says_so(scratch: Scratch, processes: UserProcesses) -> None:
    launch = LaunchUnderWrites()
    size = launch.size(PROBE, 2.5)
    launch.prepare(scratch, size, processes)
    assert launch.run(scratch, replace(size, extra=PLENTY), processes).remark is None
    found = launch.run(scratch, replace(size, extra=1), processes)
    assert found.remark and found.remark.id == "launch-load-ended"
    assert found.remark.values["written"] == found.written_bytes == 2 * MIB
