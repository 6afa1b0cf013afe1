# SPDX-License-Identifier: GPL-3.0-or-later
"""The background load: as declared, steady as long as needed, never more than allowed, and gone afterwards."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from tests.conftest import LoopDisk
from tests.unit.workloads.conftest import programs_in

from disktuner.workloads.load import Background, Load
from disktuner.workloads.paced import LatencySpec, ReadLatencyUnderWrites
from disktuner.workloads.workload import MIB, Scratch


def test_nothing_is_written_before_small_reads_begin_or_after_they_end(
    loop_disk: Callable[..., LoopDisk], scratch: Scratch
) -> None:
    """fio takes some tenths of a second before and after them."""
    disk = loop_disk(size_mb=128)
    disk_scratch, workload, reads = replace(scratch, folder=disk.folder), ReadLatencyUnderWrites(), list[int]()

    class Noted(Background):
        def start(self) -> None:
            assert programs_in(disk_scratch.folder, "--name=job")
            self.stop()

        def stop(self) -> None:
            reads.append(int((disk.queue.parent / "stat").read_text().split()[0]))

    spec = LatencySpec(1.0, 16 * MIB, Load(), 500, 0.5)
    workload.prepare(disk_scratch, spec)
    before = int((disk.queue.parent / "stat").read_text().split()[0])
    measurement = workload.run_foreground(disk_scratch, spec, Noted(Load(), disk_scratch), math.inf)
    assert reads[0] - before < 20 and reads[1] - reads[0] > 100
    assert measurement.values["p99_s"] > 0
