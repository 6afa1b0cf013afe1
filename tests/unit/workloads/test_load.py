# SPDX-License-Identifier: GPL-3.0-or-later
"""The background load: as declared, steady as long as needed, never more than allowed, and gone afterwards."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from tests.unit.workloads.conftest import programs_in
from tests.waiting import HANG_S, until

from disktuner.vocabulary.background import LOADS, WRITES, BackgroundLoad
from disktuner.vocabulary.goals import DECLARED_BYTES_PER_S
from disktuner.workloads.errors import ProgramFailed
from disktuner.workloads.load import LASTING, MOST_READER_BYTES, Background, Load, counter
from disktuner.workloads.load import plan_load as planned
from disktuner.workloads.spec import BadSpec
from disktuner.workloads.workload import MIB, Probe, Scratch

HDD = Probe(100 * MIB, 150 * MIB, 0.008, 4 << 30, 50 << 30)
NVME = replace(HDD, write_bytes_per_s=2e9, read_bytes_per_s=3e9, random_read_s=1e-4)


@pytest.mark.parametrize("kind", LOADS.values(), ids=lambda kind: kind.id)
def test_what_runs_beside_is_as_declared(kind: BackgroundLoad, scratch: Scratch) -> None:
    load = Load(kind.writers, kind.readers, 200 * MIB * bool(kind.writers), 8 * MIB * bool(kind.readers))
    load.prepare(scratch)
    background = Background(load, scratch)
    background.start()
    until(lambda: all(counter(pid, "read_bytes") for pid in programs_in(scratch.folder, "reader-")))
    carried = background.finish(HANG_S)
    metrics = {"write_bytes_per_s"} if kind.writers else set()
    metrics |= {"read_bytes_per_s"} if kind.readers else set()
    assert set(carried.values) == metrics
    assert carried.written_bytes is not None and carried.written_bytes <= load.bytes_written
    assert bool(carried.read_bytes) == bool(kind.readers)
    assert not any(path.stat().st_size for path in scratch.folder.glob("writer-*.out")), "nothing is left to write"


def test_writers_outlast_what_they_disturb_and_write_no_more_than_they_may(scratch: Scratch) -> None:
    most = 40 * MIB
    background = Background(Load(1, writer_bytes=most), scratch)
    background.start()
    path = scratch.folder / "writer-0.out"
    until(lambda: most - 2 * MIB < path.stat().st_size <= most)
    assert programs_in(scratch.folder, "writer-")
    written = background.finish(HANG_S).written_bytes
    assert written is not None and written <= most


def test_a_writer_that_may_not_write_says_so(scratch: Scratch) -> None:
    (scratch.folder / "writer-0.out").mkdir()
    background = Background(Load(1, writer_bytes=MIB), scratch)
    background.start()
    with pytest.raises(ProgramFailed, match="Is a directory"):
        background.finish(HANG_S)


def test_it_is_at_full_speed_where_the_bytes_allow_it_else_at_a_rate_that_people_meet() -> None:
    plenty, enough, little = (planned(WRITES, NVME, 1.0, bytes_) for bytes_ in (math.inf, 1e9, 1e8))
    assert math.isinf(plenty.rate_bytes_per_s) and plenty.bytes_expected >= 2e9
    assert enough.rate_bytes_per_s == DECLARED_BYTES_PER_S
    assert little.rate_bytes_per_s < DECLARED_BYTES_PER_S and little.bytes_expected <= 1e8
    assert math.isinf(planned(WRITES, HDD, 1.0, 1e9).rate_bytes_per_s)
    assert not math.isinf(planned(WRITES, HDD, 1.0, 1e8).rate_bytes_per_s)


@pytest.mark.parametrize("kind", LOADS.values(), ids=lambda kind: kind.id)
@pytest.mark.parametrize(
    "probe", [HDD, NVME, replace(HDD, free_bytes=1 << 30)], ids=["hdd", "nvme", "Not enough space"]
)
def test_it_lasts_for_several_times_as_long_as_expected_in_the_room_there_is(
    kind: BackgroundLoad, probe: Probe
) -> None:
    load = planned(kind, probe, 3.0)
    assert load.reader_bytes <= MOST_READER_BYTES and load.bytes_written <= probe.free_bytes / 2
    rate = min(load.rate_bytes_per_s, probe.write_bytes_per_s)
    assert not kind.writers or load.bytes_written >= 3.0 * LASTING * rate
    short = load.sized(0.5)
    assert short.bytes_written <= load.bytes_written and short.bytes_prepared == load.bytes_prepared


def test_a_load_is_read_back_strictly() -> None:
    load = planned(WRITES, NVME, 1.0, 1e9)
    assert Load.from_json(load.as_json()) == load
    assert Load.from_json(planned(WRITES, HDD, 1.0).as_json()) == planned(WRITES, HDD, 1.0)
    for wrong in ({"writers": 99}, {"writers": True}, {"writer_bytes": -1}, {"rate_bytes_per_s": 0}, {"more": 1}):
        with pytest.raises(BadSpec):
            Load.from_json(load.as_json() | wrong)
