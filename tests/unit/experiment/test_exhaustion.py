# SPDX-License-Identifier: GPL-3.0-or-later
"""A cache is used up within what was announced, is told by the writing speed, and a disk that stays fast is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.experiment.playing import TWO, Clock, Played, plan, play

from disktuner.block.counters import SECTOR_BYTES, Counters
from disktuner.experiment.events import Phase
from disktuner.experiment.exhaustion import CHECK_S, SURE_S, Exhaustion, UsedUp
from disktuner.experiment.plan import Task, make_plan
from disktuner.results.model import PlanRecord
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.goals import QUICK
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.states import REFILL_S, SETTLE_S
from disktuner.workloads.catalogue import find
from disktuner.workloads.errors import RunFailed
from disktuner.workloads.load import LoadedSpec
from disktuner.workloads.processes import Control
from disktuner.workloads.workload import Probe

KNOWN = Exhaustion(10**9, 400e6, 40e6)
BFQ = Setting("bfq")


class Disk:
    """A disk with a cache, its writer, and the pauses during which that writes."""

    def __init__(self, cache_bytes: float, *, ends_after_s: float = 1e9) -> None:
        self.now_s = self.written = 0.0
        self.cache_bytes, self.ends_after_s, self.is_writing = cache_bytes, ends_after_s, False

    def start(self) -> None:
        self.is_writing = True

    def stop(self) -> None:
        self.is_writing = False

    def check(self) -> None:
        if self.now_s > self.ends_after_s:
            raise RunFailed("steady-writer-ended")

    def pause(self, seconds: float) -> None:
        self.now_s += seconds
        if self.is_writing:
            rate = KNOWN.fast_bytes_per_s if self.written < self.cache_bytes else KNOWN.slow_bytes_per_s
            self.written += rate * seconds

    def read(self) -> Counters:
        return Counters(self.now_s, 0, 0, 0, 0, 0, 0, int(self.written) // SECTOR_BYTES, 0, 0, 0, 0)


def used_up(disk: Disk) -> UsedUp:
    return UsedUp(KNOWN, disk, disk, disk.read)  # type: ignore[arg-type]


@pytest.mark.parametrize("cache_bytes", [0, KNOWN.cache_bytes, 1.15 * KNOWN.cache_bytes])
def test_writing_ends_soon_after_the_cache(cache_bytes: float) -> None:
    disk = Disk(cache_bytes)
    used_up(disk).bring_about()
    assert disk.written < KNOWN.most_bytes and disk.now_s < KNOWN.most_s
    assert disk.now_s == pytest.approx(cache_bytes / KNOWN.fast_bytes_per_s + SURE_S, abs=0.8 * SURE_S)


def test_a_disk_that_stays_fast_is_refused_within_the_announced_bytes() -> None:
    disk = Disk(1e12)
    with pytest.raises(MeasurementImpossible, match="still writes at 400 MB/s"):
        used_up(disk).bring_about()
    assert disk.written < KNOWN.most_bytes + KNOWN.fast_bytes_per_s / 10


def test_a_disk_that_recovered_is_seen_by_its_speed() -> None:
    disk = Disk(0)
    held = used_up(disk)
    held.go_on(BFQ)
    assert held.left is None and held.look() is None
    held.rest()
    disk.cache_bytes = 1e12
    held.go_on(BFQ)
    assert held.left and held.left.id == "state-left"
    disk.cache_bytes = 0
    assert held.look() is None


def test_a_new_scheduler_sees_the_writer_also_after_a_pause() -> None:
    """Without requests it gets to know nothing: bfq would be measured as if it had just been set."""
    disk = Disk(0)
    held = used_up(disk)
    held.go_on(BFQ)
    held.rest()
    for waited_s in (SETTLE_S + CHECK_S, CHECK_S):
        written = disk.written
        held.go_on(BFQ)
        assert disk.written - written == pytest.approx(waited_s * KNOWN.slow_bytes_per_s)
    written = disk.written
    held.go_on(Setting("none"))
    assert disk.written - written == pytest.approx((REFILL_S + CHECK_S) * KNOWN.slow_bytes_per_s)


@pytest.mark.parametrize(("recovered_bytes", "has_left"), [(0, False), (50e6, False), (600e6, True)])
def test_a_cache_that_recovers_and_is_used_up_again_within_a_run_is_seen(
    recovered_bytes: float, has_left: bool
) -> None:
    disk = Disk(0)
    held = used_up(disk)
    held.go_on(BFQ)
    began = disk.read()
    disk.cache_bytes = disk.written + recovered_bytes
    for _ in range(60):
        disk.pause(0.05)
    assert held.look() is None, "used up again before the run is over"
    assert (held.look(began) is not None) == has_left
    assert held.left is None, "the next run begins in the state"


def test_a_writer_that_ended_is_no_state() -> None:
    held = used_up(Disk(0, ends_after_s=SURE_S + 1))
    held.bring_about()
    with pytest.raises(RunFailed, match="stopped from outside Disktuner"):
        for _ in range(9):
            held.look()


def test_what_it_takes_is_announced_beside_the_comparison() -> None:
    probe = Probe(40e6, 200e6, 1e-4, 1 << 33, 1 << 37, stream_bytes_per_s=40e6, usual_beside_s=0.1)
    record = PlanRecord("desktop", "quick", TWO, TWO[0], ("launch-office", "read-latency-under-writes"), 1)
    task = Task(record, [find(id_) for id_ in record.workloads], QUICK.limits.exhausted)
    rested, exhausted = (make_plan(replace(task, exhaustion=known), Path(), ("a",), probe) for known in (None, KNOWN))
    assert exhausted.announced_s == exhausted.most_s == pytest.approx(QUICK.limits.exhausted.seconds + KNOWN.most_s)
    assert exhausted.typical_bytes > KNOWN.most_bytes + rested.planned[0].spec.cost.bytes_prepared
    assert exhausted.bytes_needed > KNOWN.most_bytes
    slow_s = exhausted.most_s + 60
    assert KNOWN.most_bytes < exhausted.most_bytes < KNOWN.most_bytes + 1.5 * slow_s * KNOWN.slow_bytes_per_s
    for planned in exhausted.planned:
        assert isinstance(planned.spec, LoadedSpec) and planned.spec.load.writers == 0
        assert planned.run_s > planned.spec.expected_s + CHECK_S + (SETTLE_S + REFILL_S) / 4


def test_the_longest_time_of_few_rounds_has_room_for_using_the_cache_up_slowly() -> None:
    probe = Probe(40e6, 200e6, 1e-4, 1 << 33, 1 << 37, stream_bytes_per_s=40e6, usual_beside_s=0.1)
    record = PlanRecord("desktop", "quick", TWO, TWO[0], ("launch-office",), 1)
    task = Task(record, [find("launch-office")], replace(QUICK.limits.exhausted, rounds=1), exhaustion=KNOWN)
    made = make_plan(task, Path(), ("a",), probe)
    assert made.announced_s == pytest.approx(made.seconds(1) - KNOWN.expected_s + KNOWN.most_s)
    assert made.announced_s == pytest.approx(made.most_s)


class Held(Played):
    """A runner that notes when the cache is used up, and when it rests."""

    def exhaust(self) -> None:
        self.used.append("exhausted")
        self.written += KNOWN.most_bytes

    def rest(self) -> None:
        self.used.append("rested")


class PausedOnce(Control):
    """A control that is paused before the second run."""

    checks = 0

    @property
    def is_paused(self) -> bool:
        self.checks += 1
        return self.checks == 2


def test_the_cache_is_used_up_before_the_first_run_and_rests_in_a_pause() -> None:
    runner = Held(Clock())
    ended = play(plan(rounds=1, exhaustion=KNOWN), runner, control=PausedOnce())
    phases = [event.message.id for event in ended.events if isinstance(event, Phase)]
    assert phases == ["preparing", "exhausting", "warming-up", "measuring", "cleaning"]
    assert runner.used[:4] == ["exhausted", "none", "rested", "bfq"]
    assert ended.error is None


def test_all_workloads_of_a_round_share_a_block_of_each_scheduler() -> None:
    runner = Held(Clock())
    ended = play(plan(rounds=2, workloads=2, exhaustion=KNOWN), runner)
    blocks = [name for workload, name, _ in runner.ran if workload == "dd-write"]
    assert [name for _, name, _ in runner.ran] == [name for name in blocks for _ in range(2)]
    assert ended.error is None and ended.rounds == [0, 1]


def test_a_disk_that_writes_faster_than_its_portrait_says_stays_within_the_announced_bytes() -> None:
    plan_made = plan(rounds=99, most_bytes=KNOWN.most_bytes + 40e6, exhaustion=KNOWN)
    expected_bytes = plan_made.bytes_expected(plan_made.planned[0])
    runner = Held(Clock(), share_written=2 * expected_bytes / plan_made.planned[0].spec.cost.bytes_written)
    assert play(plan_made, runner).warnings == ["bytes-are-used-up"]
    assert plan_made.most_bytes - 2 * 2 * expected_bytes <= runner.written <= plan_made.most_bytes
