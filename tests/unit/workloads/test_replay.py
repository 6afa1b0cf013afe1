# SPDX-License-Identifier: GPL-3.0-or-later
"""Patterns are replayed on real files: cold, in order, with their pauses, during real writes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from disktuner.vocabulary.background import NO_LOAD, WRITES, BackgroundLoad
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.workloads.catalogue import find
from disktuner.workloads.patterns import Access, Pattern, Read
from disktuner.workloads.processes import Processes
from disktuner.workloads.source import Source
from disktuner.workloads.spec import BadSpec
from disktuner.workloads.starts import LEAST_READS, Launch, Replay
from disktuner.workloads.workload import MIB, Probe, Scratch

DISK = Probe(200e6, 400e6, 0.0002, 8 << 30, 50 << 30)
PATTERN = Pattern(
    (50 * MIB, 4096, 300_000, 7),
    (
        Read(2, 0, 300_000, 50_000),
        Read(0, 20 * MIB, 1, 50_000, Access.TOUCHED),
        Read(1, 0, 4096, 0, Access.LOOKED_UP),
        Read(0, 20 * MIB + 4096, 8192),
    ),
)


@pytest.fixture
def scratch(processes: Processes) -> Iterator[Scratch]:
    """On a disk, as files in memory cannot be made cold."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder, Source(64 * MIB, 1) as source:
        yield Scratch(Path(folder), 5, source, processes)


@pytest.mark.parametrize("load", [NO_LOAD, WRITES], ids=lambda load: load.id)
def test_a_start_is_replayed(scratch: Scratch, load: BackgroundLoad) -> None:
    replay = Replay(PATTERN, load)
    spec = replay.plan(DISK, 0.5)
    replay.prepare(scratch, spec)
    measurement = replay.run(scratch, spec)
    assert measurement.values["wall_s"] >= PATTERN.think_s
    assert measurement.wall_s >= 0.5, "one start is too short to tell"
    assert ("write_bytes_per_s" in measurement.values) == (load is WRITES)
    assert measurement.values.keys() <= {metric.name for metric in replay.facts.metrics}
    assert measurement.read_bytes and measurement.read_bytes >= 2 * PATTERN.size_bytes()


def test_what_the_kernel_reads_around_a_start_is_not_taken_for_another_programs(scratch: Scratch) -> None:
    replay = Replay(PATTERN)
    spec = replay.plan(DISK, 0.5)
    replay.prepare(scratch, spec)
    measurement = replay.run(scratch, spec)
    starts = round(measurement.wall_s / measurement.values["wall_s"])
    assert measurement.read_bytes and measurement.read_bytes > starts * (PATTERN.size_bytes() + 32 * 1024)


def test_starts_that_take_too_long_are_ended_and_take_that_long_at_least(scratch: Scratch) -> None:
    replay = Replay(PATTERN)
    spec = replay.plan(DISK, 0.5)
    replay.prepare(scratch, spec)
    measurement = replay.run(scratch, spec, 0.15)
    assert measurement.cut_short and measurement.wall_s > 0.15


def test_too_little_room_is_said() -> None:
    with pytest.raises(MeasurementImpossible, match="at most half of the free"):
        Replay(PATTERN).plan(replace(DISK, free_bytes=3 * MIB), 1.0)


def test_the_start_that_comes_with_the_product_is_shortened_where_the_disk_is_slow() -> None:
    launch = find("launch-office")
    assert isinstance(launch, Launch)
    fast = launch.plan(replace(DISK, random_read_s=0.00005, write_bytes_per_s=20e6), 10.0)
    slow = launch.plan(replace(DISK, random_read_s=0.01, read_bytes_per_s=100e6), 6.0)
    assert fast.reads == len(launch.pattern.reads)
    assert LEAST_READS <= slow.reads < fast.reads
    assert LEAST_READS <= slow.sized(0.3).reads < slow.reads
    with pytest.raises(BadSpec):
        launch.spec_from(fast.as_json() | {"reads": fast.reads + 1})
    assert launch.spec_from(slow.as_json() | {"prepared_bytes": 1}) == slow
