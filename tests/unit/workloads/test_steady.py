# SPDX-License-Identifier: GPL-3.0-or-later
"""A writer that never pauses: within its file, for longer than any run, and what runs beside it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace

import pytest
from msgspec import structs
from tests.unit.workloads.conftest import programs_in
from tests.unit.workloads.test_load import HDD
from tests.waiting import until

from disktuner.vocabulary.goals import GOALS
from disktuner.vocabulary.states import BESIDE_A_WRITER, GOALS_EXHAUSTED, workloads_exhausted
from disktuner.workloads.catalogue import catalogue
from disktuner.workloads.errors import RunFailed
from disktuner.workloads.load import STEADY_FILE, BesideSteady, LoadedSpec, SteadyWriter
from disktuner.workloads.processes import Control, Processes
from disktuner.workloads.starts import StartSpec
from disktuner.workloads.workload import MIB, Scratch

SIZE = 8 * MIB


@pytest.fixture
def writer(scratch: Scratch) -> Iterator[SteadyWriter]:
    with Processes(Control()) as apart:
        yield SteadyWriter(scratch.folder, SIZE, scratch.source, apart)


def test_it_writes_its_file_over_and_over_until_it_is_stopped(writer: SteadyWriter, scratch: Scratch) -> None:
    writer.start()
    until(lambda: writer.bytes_written > 3 * SIZE)
    (pid,) = programs_in(scratch.folder, STEADY_FILE)
    first = (scratch.folder / STEADY_FILE).read_bytes()
    assert len(first) == SIZE
    writer.start()
    writer.check()
    assert programs_in(scratch.folder, STEADY_FILE) == [pid]
    scratch.processes.end_all()
    seen = writer.bytes_written
    until(lambda: writer.bytes_written > seen + SIZE)
    assert (scratch.folder / STEADY_FILE).read_bytes() != first
    writer.stop()
    assert not programs_in(scratch.folder, STEADY_FILE) and writer.bytes_written == 0
    writer.start()
    until(lambda: writer.bytes_written > 0)


def test_one_that_somebody_ends_is_missed(writer: SteadyWriter, scratch: Scratch) -> None:
    for by, said in ((signal.SIGTERM, "stopped from outside Disktuner"), (signal.SIGKILL, "failed with status 137")):
        writer.start()
        until(lambda: writer.bytes_written > 0)
        os.kill(programs_in(scratch.folder, STEADY_FILE)[0], by)
        until(lambda: not programs_in(scratch.folder, STEADY_FILE))
        with pytest.raises(RunFailed, match=said):
            until(writer.check)


def test_runs_beside_it_have_its_speed_and_claim_nothing(writer: SteadyWriter, scratch: Scratch) -> None:
    spec = catalogue_spec("launch-under-reads").beside_steady()
    assert (spec.load.writers, spec.load.readers, spec.remark()) == (0, 4, None)
    load = BesideSteady(structs.replace(spec.load, readers=0), scratch, lambda: writer.bytes_written)
    writer.start()
    load.start()
    seen = writer.bytes_written
    until(lambda: writer.bytes_written > seen + SIZE)
    carried = load.finish(30)
    assert carried.written_bytes is None and carried.values["write_bytes_per_s"] > SIZE / carried.wall_s / 2
    assert programs_in(scratch.folder, STEADY_FILE)


def catalogue_spec(id_: str) -> LoadedSpec:
    workload = next(workload for workload in catalogue() if workload.id == id_)
    spec = workload.plan(HDD, 1.5)
    assert isinstance(spec, LoadedSpec)
    return spec


def test_what_is_measured_beside_a_writer_is_what_brings_one() -> None:
    specs = {workload.id: workload.plan(HDD, 1.5) for workload in catalogue() if not workload.is_elsewhere}
    assert {id_ for id_, spec in specs.items() if isinstance(spec, LoadedSpec) and spec.load.writers} == BESIDE_A_WRITER
    assert GOALS_EXHAUSTED == ("desktop", "media", "server")
    for goal in GOALS:
        assert set(workloads_exhausted(goal)) <= BESIDE_A_WRITER


def test_a_start_is_as_long_as_reads_take_where_that_is_known() -> None:
    workload = next(workload for workload in catalogue() if workload.id == "launch-office")
    specs = [workload.plan(replace(HDD, random_read_s=1e-4, usual_beside_s=wait_s), 1.5) for wait_s in (0.0, 0.3)]
    assert all(isinstance(spec, StartSpec) for spec in specs)
    assert specs[0].reads > 10 * specs[1].reads and specs[1].expected_s > 2  # type: ignore[attr-defined]
