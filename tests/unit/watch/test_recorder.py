# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes an incident and what does not, and whether its cause is named, on machines with known truth."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from itertools import repeat

import pytest
from tests.unit.watch.planted import (
    MB,
    PLANTS,
    QUIET,
    Machine,
    Second,
    beside_a_sleeper,
    copies,
    half_hour_busy,
    half_hour_quiet,
    stands_still,
    write_back,
    writes,
)

from disktuner_watch.causes import FreezeReason
from disktuner_watch.samples import Program

TIMES = 20
Surroundings = Callable[[Iterable[Second]], Iterator[Second]]
FULL = {"vda": (0.2, 30.0, 1.0, 9)}


@pytest.mark.parametrize(
    ("reason", "surroundings"),
    [
        *((reason, iter) for reason in PLANTS),
        *((reason, beside_a_sleeper) for reason in PLANTS if reason != FreezeReason.UNKNOWN),
    ],
)
def test_a_planted_cause_is_named(reason: FreezeReason, surroundings: Surroundings) -> None:
    named = []
    for seed in range(TIMES):
        machine, draw = Machine(), random.Random(seed)
        machine.play(surroundings(repeat(QUIET, draw.randint(5, 90))))
        machine.play(surroundings(PLANTS[reason](draw, "vda")))
        machine.play(surroundings(repeat(QUIET, 70)))
        assert len(machine.kept) == 1, seed
        named.append(machine.kept[0].cause.reason)
    assert named == [reason] * TIMES


@pytest.mark.parametrize("surroundings", [iter, beside_a_sleeper])
@pytest.mark.parametrize("half_hour", [half_hour_quiet, half_hour_busy])
def test_nothing_is_kept_of_half_an_hour_without_a_freeze(half_hour: object, surroundings: Surroundings) -> None:
    for seed in range(TIMES):
        machine = Machine()
        machine.play(surroundings(half_hour(random.Random(seed))))  # type: ignore[operator]
        machine.recorder.close()
        assert machine.kept == [], seed


def test_a_network_folder_that_hangs_beside_a_sleeper_is_told_by_programs_alone() -> None:
    for seed in range(TIMES):
        machine, lasts = Machine(), random.Random(seed).randint(10, 60)
        machine.play(beside_a_sleeper(repeat(QUIET, 60 + seed)))
        machine.play(beside_a_sleeper(repeat(Second(1.0, 0, {}, 5, 0, (stands_still(),)), lasts)))
        machine.play(beside_a_sleeper(repeat(QUIET, 70)))
        assert [incident.cause.reason for incident in machine.kept] == [FreezeReason.UNKNOWN], (seed, lasts)


def test_a_program_that_sleeps_in_io_uring_makes_nobody_look_more_often() -> None:
    machine = Machine()
    machine.play(beside_a_sleeper(repeat(QUIET, 600)))
    assert machine.kept == [] and machine.looks <= 125
    incident = machine.recorder.keep_now()
    assert incident.cause.reason == FreezeReason.NOT_DISK and incident.stalled_s == 0


def test_an_incident_says_how_long_who_and_which_disk() -> None:
    machine = Machine()
    machine.play(repeat(QUIET, 100))
    machine.play(repeat(Second(0.8, 0, FULL, 200, 0, (copies("dd", 0, 30), stands_still())), 6))
    machine.play(repeat(QUIET, 70))
    (incident,) = machine.kept
    assert incident.started == "2026-11-27T14:01:40+00:00" and incident.id == "20261127-140140"
    assert incident.stalled_s == pytest.approx(4.8)
    cause = incident.cause
    assert (cause.disk, cause.who, cause.size_bytes) == ("vda", ("dd",), 200 * MB)
    assert cause.bytes_per_s == pytest.approx(30 * MB, rel=0.01)
    assert incident.disks["vda"].scheduler == "mq-deadline"
    assert set(incident.samples[-1].disks) == {"vda"}, "the other one did nothing"
    times = [sample.time_s - incident.begun_s for sample in incident.samples]
    assert times[0] == -60 and times[-1] == 60


def test_who_wrote_before_is_named_where_nobody_writes_now() -> None:
    machine = Machine()
    machine.play(write_back(random.Random(1)))
    machine.play(repeat(QUIET, 60))
    assert machine.kept[0].cause.who == ("rsync",)


def test_the_disk_of_system_and_home_is_never_another_one() -> None:
    machine = Machine()
    machine.play(repeat(QUIET, 10))
    machine.play(repeat(Second(0.9, 0, {"vda": (0, 30, 1.0, 9)}, 900, 0, (copies("dd", 0, 30), stands_still())), 6))
    machine.recorder.close()
    assert machine.kept[0].cause.reason == FreezeReason.WRITES


def test_what_is_over_within_two_seconds_is_no_incident() -> None:
    machine = Machine()
    machine.play(repeat(QUIET, 10))
    machine.play(repeat(Second(0.8, 0, FULL, 200, 0, (copies("dd", 0, 30), stands_still())), 1))
    machine.play(repeat(QUIET, 70))
    assert machine.kept == []


def test_a_copy_that_is_all_that_waits_is_none() -> None:
    machine = Machine()
    machine.play(repeat(Second(0.95, 0, FULL, 200, 0, (copies("cp", 30, 30), copies("dd", 5, 5))), 60))
    machine.play(repeat(Second(0.95, 0, FULL, 200, 0, (Program("tracker", 300_000, 0, held_up=True),)), 60))
    machine.recorder.close()
    assert machine.kept == []


def test_a_program_alone_stands_still_where_memory_is_taken_away_now_and_then() -> None:
    machine, program = Machine(), (copies("firefox", 10, 0),)
    machine.play(repeat(QUIET, 10))
    machine.play([Second(0.9, memory, FULL, 5, 5, program) for _ in range(5) for memory in (0.4, 0.0)])
    machine.recorder.close()
    assert [incident.cause.reason for incident in machine.kept] == [FreezeReason.SWAPPING]


@pytest.mark.parametrize("name", ["cp", "sync"])
def test_who_waits_for_what_was_written_does_not_stand_still(name: str) -> None:
    machine = Machine()
    machine.play(repeat(Second(0.1, 0, {"sdb": (0, 9, 1.0, 30)}, 300, 0, (copies("cp", 0, 100),)), 3))
    machine.play(repeat(Second(0.98, 0, {"sdb": (0, 9, 1.0, 30)}, 300, 0, (copies(name, 0, 0),)), 30))
    machine.recorder.close()
    assert machine.kept == []


def test_programs_are_looked_at_often_only_while_somebody_is_held_up() -> None:
    copy = copies("cp", 30, 30)
    for second, most in ((QUIET, 13), (Second(0.95, 0, FULL, 200, 0, (copy,)), 32)):
        machine = Machine()
        machine.play(repeat(second, 60))
        assert machine.looks <= most
    machine.play(repeat(Second(0.95, 0, FULL, 200, 0, (copy, stands_still())), 10))
    assert machine.looks >= 15


def test_a_freeze_that_goes_on_is_kept_in_parts_and_when_the_recorder_ends() -> None:
    machine = Machine()
    machine.play(repeat(Second(0.9, 0, FULL, 200, 0, (copies("dd", 0, 30), stands_still())), 400))
    assert [incident.ended_s - incident.begun_s for incident in machine.kept] == [300]
    machine.recorder.close()
    assert len(machine.kept) == 2 and machine.kept[1].stalled_s > 85


def test_stalls_with_little_between_them_are_one() -> None:
    machine, stalled = Machine(), Second(0.9, 0, FULL, 200, 0, (copies("dd", 0, 30), stands_still()))
    for _ in range(3):
        machine.play([QUIET] * 3 + [stalled] * 4)
    machine.play(repeat(QUIET, 70))
    assert [incident.stalled_s for incident in machine.kept] == pytest.approx([10.8])


def test_whoever_asks_gets_the_last_minutes() -> None:
    machine = Machine()
    machine.play(repeat(QUIET, 200))
    incident = machine.recorder.keep_now()
    assert incident.asked and incident.cause.reason == FreezeReason.NOT_DISK
    assert incident.ended_s - incident.samples[0].time_s == 75


@pytest.mark.parametrize("recorded_s", [0, 1, 8])
def test_a_record_that_has_only_just_begun_acquits_no_disk_of_a_freeze_before_it(recorded_s: int) -> None:
    machine = Machine()
    machine.play(repeat(QUIET, recorded_s))
    assert machine.recorder.keep_now().cause.reason == FreezeReason.TOO_SHORT


@pytest.mark.parametrize("later_s", [0, 20])
def test_who_asks_during_a_freeze_or_after_it_gets_all_of_it(later_s: int) -> None:
    machine = Machine()
    machine.play(repeat(QUIET, 30))
    machine.play(list(writes(random.Random(3)))[:5])
    machine.play(repeat(QUIET, later_s))
    incident = machine.recorder.keep_now()
    assert incident.cause.reason == FreezeReason.WRITES and incident.stalled_s > 3
    machine.play(repeat(QUIET, 70))
    assert {incident.id for incident in machine.kept} == {incident.id}, (
        "the whole of it takes the place of the first part"
    )


def test_a_long_freeze_is_kept_before_it_is_over_for_the_computer_may_not_outlive_it() -> None:
    machine = Machine()
    machine.play(repeat(QUIET, 30))
    machine.play(repeat(Second(1.0, 0, {"vda": (0, 0, 1, 4)}, 5, 0, (stands_still(),)), 100))
    assert [round(incident.ended_s - incident.begun_s) for incident in machine.early] == [
        30,
        60,
        90,
    ] and machine.kept == []
    assert {incident.cause.reason for incident in machine.early} == {FreezeReason.SILENT}
    machine.play(repeat(QUIET, 70))
    assert {incident.id for incident in (*machine.early, *machine.kept)} == {machine.kept[0].id}, (
        "each takes the other's place"
    )


def test_a_disk_of_the_system_that_leaves_is_an_incident_at_once_with_what_it_was() -> None:
    machine = Machine()
    machine.play(repeat(Second(0, 0, {"vda": (1, 1, 0.1, 0), "sdb": (1, 1, 0.1, 0)}), 30))
    machine.unplug("sdb")
    machine.play(repeat(QUIET, 5))
    assert machine.kept == [], "a stick that is unplugged is none"
    machine.unplug("vda")
    machine.play(repeat(QUIET, 5))
    (incident,) = machine.kept
    assert (incident.cause.reason, incident.cause.disk) == (FreezeReason.GONE, "vda")
    assert incident.disks["vda"].model == "Model vda", "asked before it left"
