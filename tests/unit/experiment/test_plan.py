# SPDX-License-Identifier: GPL-3.0-or-later
"""What a plan costs, on disks from an SD card to a fast NVMe."""

from __future__ import annotations

import math
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.unit.verdict.making import settings

from disktuner.experiment.plan import FEWEST_ROUNDS, MOST_GROWTH, PRICE_ROUNDS, Plan, Task, make_plan
from disktuner.experiment.probe import MOST_BYTES as PROBE_BYTES
from disktuner.experiment.probe import too_little
from disktuner.results.model import PlanRecord
from disktuner.vocabulary.goals import BUDGETS, DECLARED_BYTES_PER_S, QUICK, STANDARD, Limits
from disktuner.vocabulary.messages import say
from disktuner.vocabulary.questions import Part, Price, Question
from disktuner.workloads.catalogue import find
from disktuner.workloads.source import usable_bytes
from disktuner.workloads.workload import Probe

SD_CARD = Probe(8e6, 20e6, 0.002, 1 << 30, 8 << 30, 0.02)
HDD = Probe(110e6, 145e6, 0.009, 8 << 30, 500 << 30, 0.017)
NVME = Probe(2.9e9, 3.2e9, 70e-6, 32 << 30, 500 << 30, 60e-6)
CREEPING = Probe(4e6, 4e6, 0.05, 1 << 30, 8 << 30, 0.4)
FOUR = ("mq-deadline", "none", "kyber", "bfq")
SETTINGS = ("bfq", *(f"bfq:slice_idle={number}" for number in range(8)), "kyber:read_lat_nsec=1")


def limits_of(budget: str) -> Limits:
    return BUDGETS[budget].limits.on_disk(10**12, wears=True)


def plan(
    probe: Probe, budget: str, *workloads: str, schedulers: tuple[str, ...] = FOUR, pricing: tuple[str, ...] = ()
) -> Plan:
    limits, tunes = limits_of(budget), schedulers == SETTINGS
    runners = [find(name) for name in workloads]
    names = [f"{runner.id}.{runner.deciding}" for runner in runners]
    question = Question(
        tuple(Part(name) for name in names if name.rpartition(".")[0] not in pricing),
        tuple(Price(name, 0.2) for name in names if name.rpartition(".")[0] in pricing),
    )
    named = settings(*schedulers)
    record = PlanRecord(None, budget, named, named[0], workloads, 1, tunes=tunes, question=question)
    return make_plan(Task(record, runners, limits), Path("/x"), ("sda",), probe)


@pytest.mark.parametrize("schedulers", [FOUR, SETTINGS], ids=["schedulers", "settings"])
@pytest.mark.parametrize("probe", [SD_CARD, HDD, NVME, CREEPING], ids=["sd", "hdd", "nvme", "creeping"])
@pytest.mark.parametrize("budget", list(BUDGETS))
def test_a_plan_stays_within_time_and_bytes_and_keeps_what_prices_need(
    probe: Probe, budget: str, schedulers: tuple[str, ...]
) -> None:
    ids = ("launch-office", "copy-contended", "read-latency-under-writes")
    plan_made, limits = plan(probe, budget, *ids, schedulers=schedulers, pricing=("copy-contended",)), limits_of(budget)
    assert [planned.decides for planned in plan_made.planned] == [True, False, True]
    assert plan_made.typical_s <= plan_made.announced_s <= limits.seconds
    assert plan_made.seconds(plan_made.rounds) <= limits.seconds or plan_made.rounds == 1
    price = plan_made.planned[1]
    runs = len(plan_made.piloted) + plan_made.rounds * len(schedulers)
    deciding_s = runs * sum(planned.run_s for planned in plan_made.planned if planned.decides)
    assert plan_made.seconds(plan_made.rounds) == pytest.approx(
        plan_made.before_s + deciding_s + 2 * (1 + min(plan_made.rounds, PRICE_ROUNDS)) * price.run_s
    )
    assert plan_made.most_bytes <= limits.written_bytes and plan_made.run_s == limits.run_s
    assert plan_made.rounds >= (FEWEST_ROUNDS if schedulers == FOUR and probe is not CREEPING else 1)


def test_each_scheduler_is_piloted_once_however_many_settings_it_has() -> None:
    assert plan(HDD, "quick", "copy").piloted == settings(*FOUR)
    assert plan(HDD, "quick", "copy", schedulers=SETTINGS).piloted == settings("bfq", "kyber:read_lat_nsec=1")
    assert plan(NVME, "quick", "copy").piloted == settings(FOUR[0]), "runs are as short as they may be there"


@pytest.mark.parametrize("probe", [SD_CARD, HDD, NVME], ids=["sd", "hdd", "nvme"])
@pytest.mark.parametrize("budget", list(BUDGETS))
def test_no_budget_writes_more_than_it_says(probe: Probe, budget: str) -> None:
    plan_made = plan(probe, budget, "copy-contended", "copy", "dd-write", "launch-office")
    prepared = sum(planned.spec.cost.bytes_prepared for planned in plan_made.planned) + PROBE_BYTES
    assert plan_made.bytes_written <= limits_of(budget).written_bytes + prepared


def test_runs_are_as_large_as_enough_rounds_and_the_price_of_one_candidate_may_write() -> None:
    """The price is piloted for the baseline and the candidate, what decides on a fast disk for the baseline."""
    plan_made = plan(NVME, "quick", "dd-write", "copy", pricing=("copy",))
    runs = 1 + len(FOUR) * FEWEST_ROUNDS + 2 * (1 + PRICE_ROUNDS)
    most = limits_of("quick").written_bytes / runs
    assert all(0.75 * most < planned.spec.cost.bytes_expected <= most for planned in plan_made.planned)


@pytest.mark.parametrize("probe", [SD_CARD, HDD, NVME], ids=["sd", "hdd", "nvme"])
def test_more_rounds_than_planned_may_be_written_where_runs_are_quick_but_no_more_than_a_disk_takes(
    probe: Probe,
) -> None:
    plan_made = plan(probe, "quick", "launch-office", "read-latency-under-writes")
    planned = plan_made.bytes_of_rounds(plan_made.rounds)
    assert planned <= plan_made.most_bytes or plan_made.most_bytes == limits_of("quick").written_bytes
    assert plan_made.most_bytes <= max(planned, MOST_GROWTH * min(planned, 180 * probe.busy_bytes_per_s))
    bench = make_plan(
        Task(plan_made.record, [find("dd-write")], Limits(math.inf, 3, 4.0, 1)), Path("/x"), ("sda",), probe
    )
    assert bench.most_bytes == bench.bytes_of_rounds(3)


@pytest.mark.parametrize("probe", [SD_CARD, HDD, NVME], ids=["sd", "hdd", "nvme"])
@pytest.mark.parametrize("rounds", [1, 3])
def test_a_bench_may_write_what_all_its_rounds_write_however_slow_they_are(probe: Probe, rounds: int) -> None:
    record = plan(probe, "quick", "launch-office").record
    bench = make_plan(
        Task(record, [find("launch-office")], Limits(math.inf, rounds, 5.0, 1)), Path("/x"), ("sda",), probe
    )
    runs = bench.runs_of(rounds, decides=True) + 1
    assert bench.most_bytes >= runs * bench.bytes_of(bench.planned[0]) > runs * bench.bytes_expected(bench.planned[0])


def test_bytes_follow_the_size_of_what_wears_and_never_exceed_what_people_write_in_that_time() -> None:
    assert QUICK.limits.on_disk(8 * 10**9, wears=True).written_bytes == 2e9
    assert STANDARD.limits.on_disk(8 * 10**9, wears=True).written_bytes == 4e9
    assert QUICK.limits.on_disk(10**12, wears=True).written_bytes == 90 * DECLARED_BYTES_PER_S
    assert QUICK.limits.on_disk(8 * 10**9, wears=False).written_bytes == 90 * DECLARED_BYTES_PER_S
    assert math.isinf(Limits(math.inf, 1, 1.0, 1).on_disk(8 * 10**9, wears=True).written_bytes), "nobody compares"


@pytest.mark.parametrize(
    ("used", "available", "usable"), [(0, 1000, 900), (800, 200, 100), (900, 100, 0), (950, 50, 0)]
)
def test_a_file_system_is_never_filled_beyond_90_percent(
    used: int, available: int, usable: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    room = SimpleNamespace(f_blocks=used + available, f_bfree=available, f_bavail=available, f_frsize=1)
    monkeypatch.setattr(os, "statvfs", lambda _: room)
    assert usable_bytes(tmp_path) == usable


def test_too_little_room_is_said_with_numbers(tmp_path: Path) -> None:
    assert too_little(tmp_path, 0) is None
    sentence = too_little(tmp_path, shutil.disk_usage(tmp_path).free + 1)
    assert sentence is not None and sentence.id == "too-little-room"
    assert str(tmp_path) in say(sentence) and " needed" in say(sentence)
