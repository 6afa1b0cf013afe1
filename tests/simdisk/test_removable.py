# SPDX-License-Identifier: GPL-3.0-or-later
"""On a simulated stick of 30 MB/s a copy finishes long before the stick; with a limit both finish together, as soon."""

from __future__ import annotations

from pathlib import Path

import pytest

from disktuner.vocabulary.tunables import WRITE_LIMIT
from disktuner.workloads.catalogue import find
from disktuner.workloads.dd import CopiedSpec
from disktuner.workloads.processes import Control, Processes
from disktuner.workloads.source import Source
from disktuner.workloads.workload import MIB, Scratch
from tests.conftest import Sudo
from tests.simdisk.simulated import simulated_disk

pytestmark = pytest.mark.long

STICK = ("rate_mb=30", "read_us=500", "write_us=500", "jump_us=500")


def test_with_a_limit_a_copy_is_done_when_the_stick_is_and_takes_no_longer(sudo: Sudo, tmp_path: Path) -> None:
    spec = CopiedSpec(4.0, 96 * MIB)
    with (
        simulated_disk(sudo, tmp_path, 600, "flash", *STICK, bounded=False) as disk,
        Source(97 * MIB, 1) as source,
        Processes(Control()) as processes,
    ):
        assert disk.folder
        scratch = Scratch(disk.folder, 1, source, processes)
        free = find("copy-then-unplug").run(scratch, spec).values
        for name, value in WRITE_LIMIT.items():
            sudo("tee", disk.queue.parent / name, stdin=str(value))
        limited = find("copy-then-unplug").run(scratch, spec).values
    assert free["gap_s"] > 5 * limited["gap_s"]
    assert limited["safe_s"] < 1.1 * free["safe_s"]
    assert limited["done_s"] > 5 * free["done_s"]
