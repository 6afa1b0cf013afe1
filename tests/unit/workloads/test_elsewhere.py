# SPDX-License-Identifier: GPL-3.0-or-later
"""What is felt on another disk during a copy: ``there`` is what is used, ``here`` what is copied."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.workloads.catalogue import find
from disktuner.workloads.elsewhere import OPEN_BYTES, ElsewhereSpec, UseElsewhere
from disktuner.workloads.processes import Processes
from disktuner.workloads.source import Source
from disktuner.workloads.starts import LEAST_READS
from disktuner.workloads.workload import MIB, Probe, Scratch

SSD = Probe(200e6, 400e6, 0.0002, 1 << 30, 50 << 30)
STICK = replace(SSD, write_bytes_per_s=8e6, free_bytes=2 << 30, elsewhere=SSD)


@pytest.fixture
def scratch(processes: Processes) -> Iterator[Scratch]:
    """On a disk, as files in memory cannot be made cold."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder, Source(64 * MIB, 1) as source:
        tested, other_folder = Path(folder, "here"), Path(folder, "there")
        tested.mkdir()
        other_folder.mkdir()
        yield Scratch(tested, 5, source, processes, elsewhere=other_folder)


def workload() -> UseElsewhere:
    workload = find("use-elsewhere")
    assert isinstance(workload, UseElsewhere)
    return workload


def short(spec: ElsewhereSpec) -> ElsewhereSpec:
    """A run that copies little and starts little."""
    return structs.replace(spec, reads=LEAST_READS, load=structs.replace(spec.load, writer_bytes=16 * MIB))


def test_what_is_used_lies_there_and_what_is_copied_here(scratch: Scratch) -> None:
    use = workload()
    spec = short(use.plan(STICK, 3.0))
    use.prepare(scratch, spec)
    assert scratch.elsewhere and not list(scratch.folder.iterdir())
    measurement = use.run(scratch, spec)
    assert [path.name for path in scratch.folder.iterdir()] == ["writer-0.out"]
    assert (scratch.elsewhere / use.id / "open").stat().st_size == OPEN_BYTES
    assert measurement.values.keys() == {metric.name for metric in use.facts.metrics}
    parts_s = measurement.values["return_s"] + 10 * measurement.values["save_s"] + measurement.values["start_s"]
    assert measurement.values["wall_s"] == pytest.approx(parts_s) and measurement.values["wall_s"] <= measurement.wall_s
    assert measurement.read_bytes is None, "what another disk reads is no claim about this one"


def test_a_run_that_takes_too_long_is_ended(scratch: Scratch) -> None:
    use = workload()
    spec = short(use.plan(STICK, 3.0))
    use.prepare(scratch, spec)
    assert use.run(scratch, spec, 1e-6).cut_short, "shorter than starting a program takes on any disk"


def test_the_copy_fills_what_may_wait_and_lasts_in_the_room_there_is() -> None:
    load = workload().plan(STICK, 3.0).load
    assert load.lead_bytes == load.writer_bytes, "when it is written is the kernel's affair"
    assert STICK.memory_bytes / 5 < load.writer_bytes <= STICK.free_bytes
    assert load.bytes_expected < load.writer_bytes / 2, "most of it never reaches the disk"
    assert load.sized(3.0) == load.sized(0.3) == load
    assert workload().plan(replace(STICK, free_bytes=100 * MIB), 3.0).load.writer_bytes <= 80 * MIB


def test_the_other_disk_has_to_be_named_and_to_have_room() -> None:
    with pytest.raises(MeasurementImpossible, match="--felt"):
        workload().plan(SSD, 3.0)
    with pytest.raises(MeasurementImpossible):
        workload().plan(replace(STICK, elsewhere=replace(SSD, free_bytes=8 * MIB)), 3.0)
