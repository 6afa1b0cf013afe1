# SPDX-License-Identifier: GPL-3.0-or-later
"""A comparison keeps to its budget's time on a disk that turns out slower than it looked."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

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
    assert "time-is-up" in [warning.code for warning in found.result.warnings]
