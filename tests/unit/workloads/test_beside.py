# SPDX-License-Identifier: GPL-3.0-or-later
"""What runs beside a program of one's own: as declared, until it is told to end, and nothing is left of it."""

from __future__ import annotations

import pytest
from tests.unit.workloads.conftest import programs_in
from tests.waiting import until

from disktuner.experiment.processes import UserProcesses
from disktuner.vocabulary.beside import BESIDE, Beside
from disktuner.workloads.beside import MOST_READER_MIB, Background, amount_for, prepare_beside, reader_mib
from disktuner.workloads.workload import MIB, Probe, Scratch, Size
from disktuner.workloads.writers import read_so_far

PROBE = Probe(100 * MIB, 150 * MIB, 0.008, 4 << 30, 50 << 30)
MIB_EACH, READER = 8, "background_reader"


def size() -> Size:
    return Size(1, 0, 0, 1.0, extra=MIB_EACH, settle_s=0.05)


@pytest.mark.parametrize("beside", BESIDE.values(), ids=lambda beside: beside.id)
def test_what_runs_beside_is_as_declared(beside: Beside, scratch: Scratch, processes: UserProcesses) -> None:
    prepare_beside(beside, size(), scratch, processes.check)
    background = Background(beside, size(), scratch, processes)
    background.start()
    until(lambda: all(read_so_far(pid) for pid in programs_in(scratch.folder, READER)))
    carried = background.finish()
    metrics = {"write_bytes_per_s"} if beside.writers else set()
    metrics |= {"read_bytes_per_s"} if beside.readers else set()
    assert set(carried.values) == metrics
    assert (carried.written_bytes > 0) == bool(beside.writers)
    assert (carried.read_bytes > 0) == bool(beside.readers)
    assert carried.written_bytes <= beside.writers * MIB_EACH * MIB


@pytest.mark.parametrize("beside", BESIDE.values(), ids=lambda beside: beside.id)
def test_the_amount_says_what_is_written_and_kept(beside: Beside) -> None:
    amount = amount_for(beside, PROBE, 3.0)
    assert amount.bytes_written == beside.writers * amount.mib * MIB
    assert amount.bytes_prepared == beside.readers * reader_mib(amount.mib) * MIB
    assert reader_mib(amount.mib) <= MOST_READER_MIB
    if beside.writers:
        assert amount.bytes_written >= 3.0 * PROBE.write_bytes_per_s  # enough for as long as that takes
