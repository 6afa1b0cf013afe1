# SPDX-License-Identifier: GPL-3.0-or-later
"""Patterns are replayed on real files: cold, in their order, with their pauses, beside real writers."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from disktuner.experiment.processes import UserProcesses
from disktuner.vocabulary.beside import NOTHING_BESIDE, WRITES_BESIDE
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.workloads.catalogue import find
from disktuner.workloads.launches import LEAST_READS, Launch
from disktuner.workloads.patterns import Access, Pattern, PatternFile, Read
from disktuner.workloads.replay import Replay, distinct_bytes
from disktuner.workloads.source import Source
from disktuner.workloads.workload import MIB, Probe, Scratch

DISK = Probe(200e6, 400e6, 0.0002, 8 << 30, 50 << 30)
MIB_OF_LASTING_WRITERS = 8192
"""More than any disk takes while a start lasts; they are ended with it."""
PATTERN = Pattern(
    (PatternFile(50 * MIB), PatternFile(4096), PatternFile(300_000), PatternFile(7)),
    (
        Read(2, 0, 300_000, 0.05),
        Read(0, 20 * MIB, 1, 0.05, Access.TOUCHED),
        Read(1, 0, 4096, 0.0, Access.LOOKED_UP),
        Read(0, 20 * MIB + 4096, 8192, 0.0),
    ),
)


@pytest.fixture
def scratch() -> Iterator[Scratch]:
    """On a disk: what lies in memory cannot be made cold."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder, Source(64 * MIB, 1) as source:
        yield Scratch(Path(folder), 5, source)


@pytest.mark.parametrize("beside", [NOTHING_BESIDE, WRITES_BESIDE], ids=lambda each: each.id)
def test_a_start_is_replayed(scratch: Scratch, processes: UserProcesses, beside: object) -> None:
    replay = Replay(PATTERN, beside)  # type: ignore[arg-type]
    size = replace(replay.size(DISK, 0.5), scale=2)
    if beside is WRITES_BESIDE:
        size = replace(size, extra=MIB_OF_LASTING_WRITERS)
    replay.prepare(scratch, size, processes)
    found = replay.run(scratch, size, processes)
    assert found.values["wall_s"] >= sum(read.think_s for read in PATTERN.reads)
    assert found.wall_s == pytest.approx(2 * found.values["wall_s"])
    assert ("write_bytes_per_s" in found.values) == (beside is WRITES_BESIDE)
    assert found.values.keys() <= {metric.name for metric in replay.facts.metrics}
    assert found.read_bytes and found.read_bytes >= 2 * distinct_bytes(PATTERN)


def test_too_little_room_is_said() -> None:
    with pytest.raises(MeasurementImpossible, match="are free; at most half of that"):
        Replay(PATTERN).size(replace(DISK, free_bytes=3 * MIB), 1.0)


@pytest.mark.parametrize("id_", ["launch-office", "launch-window"])
def test_starts_that_come_with_the_product_are_nameless_and_shortened_where_the_disk_is_slow(id_: str) -> None:
    launch = find(id_)
    assert isinstance(launch, Launch)
    assert not any(file.name for file in launch.pattern.files)
    fast = launch.size(replace(DISK, random_read_s=0.00005, write_bytes_per_s=20e6), 10.0)
    slow = launch.size(replace(DISK, random_read_s=0.01, read_bytes_per_s=100e6), 6.0)
    assert fast.scale == len(launch.pattern.reads)
    assert LEAST_READS <= slow.scale < fast.scale
    assert launch.starts(slow)[0].reads == launch.pattern.reads[: slow.scale]
