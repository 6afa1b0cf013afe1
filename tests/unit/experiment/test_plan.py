# SPDX-License-Identifier: GPL-3.0-or-later
"""What a plan costs, on disks from an SD card to a fast NVMe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from disktuner.experiment.plan import FEWEST_ROUNDS, PRICE_ROUNDS, Plan, make_plan
from disktuner.experiment.probe import MOST_BYTES as PROBE_BYTES
from disktuner.experiment.probe import too_little
from disktuner.vocabulary.goals import BUDGETS
from disktuner.vocabulary.messages import say
from disktuner.workloads.catalogue import find
from disktuner.workloads.room import Room, room
from disktuner.workloads.workload import Probe

SD_CARD = Probe(8e6, 20e6, 0.002, 1 << 30, 8 << 30, 0.02)
HDD = Probe(110e6, 145e6, 0.009, 8 << 30, 500 << 30, 0.017)
NVME = Probe(2.9e9, 3.2e9, 70e-6, 32 << 30, 500 << 30, 60e-6)
CREEPING = Probe(4e6, 4e6, 0.05, 1 << 30, 8 << 30, 0.4)
FOUR = ("mq-deadline", "none", "kyber", "bfq")


def plan(probe: Probe, budget: str, *workloads: str, schedulers: tuple[str, ...] = FOUR, **more: Any) -> Plan:
    found, limits = [find(each) for each in workloads], BUDGETS[budget].limits
    return make_plan(
        folder=Path("/x"), disks=("sda",), schedulers=schedulers, baseline=schedulers[0], workloads=found,
        probe=probe, limits=limits, seed=1, **more,
    )  # fmt: skip


@pytest.mark.parametrize("probe", [SD_CARD, HDD, NVME], ids=["sd", "hdd", "nvme"])
@pytest.mark.parametrize("budget", list(BUDGETS))
def test_what_only_prices_leaves_more_rounds_to_what_decides(probe: Probe, budget: str) -> None:
    ids = ("launch-office", "copy-contended", "read-latency-under-writes")
    alike, made = plan(probe, budget, *ids), plan(probe, budget, *ids, pricing=("copy-contended",))
    assert made.rounds >= max(FEWEST_ROUNDS, alike.rounds)
    assert [each.decides for each in made.planned] == [True, False, True]
    assert [made.rounds_of(each) for each in made.planned] == [made.rounds, PRICE_ROUNDS, made.rounds]
    assert made.seconds(probe.write_bytes_per_s) <= BUDGETS[budget].limits.seconds
    assert made.least_s(probe.write_bytes_per_s) <= made.find_s < made.announced_s
    assert made.bytes_of_runs <= BUDGETS[budget].limits.written_bytes
    assert made.bytes_spare or made.bytes_of_runs + made.bytes_of_round > BUDGETS[budget].limits.written_bytes


@pytest.mark.parametrize("probe", [SD_CARD, HDD, NVME], ids=["sd", "hdd", "nvme"])
@pytest.mark.parametrize("budget", list(BUDGETS))
def test_no_budget_writes_more_than_it_says(probe: Probe, budget: str) -> None:
    made = plan(probe, budget, "copy-contended", "copy", "dd-write", "launch-office")
    prepared = sum(each.spec.cost.bytes_prepared for each in made.planned) + PROBE_BYTES
    assert made.bytes_written <= BUDGETS[budget].limits.written_bytes + prepared


@pytest.mark.parametrize(
    ("used", "available", "usable"), [(0, 1000, 900), (800, 200, 100), (900, 100, 0), (950, 50, 0)]
)
def test_a_file_system_is_never_filled_beyond_90_percent(used: int, available: int, usable: int) -> None:
    assert Room(used, available).usable_bytes == usable


def test_too_little_room_is_said_with_numbers(tmp_path: Path) -> None:
    assert too_little(tmp_path, 0) is None
    said = too_little(tmp_path, room(tmp_path).available_bytes + 1)
    assert said is not None and said.id == "too-little-room"
    assert str(tmp_path) in say(said) and "are needed" in say(said)


SETTINGS = ("bfq", *(f"bfq:slice_idle={number}" for number in range(8)))


@pytest.mark.parametrize("probe", [SD_CARD, HDD, NVME, CREEPING], ids=["sd", "hdd", "nvme", "creeping"])
@pytest.mark.parametrize("budget", ["standard", "thorough"])
def test_a_tuning_stays_within_its_budget_and_has_many_rounds_for_those_who_stay(probe: Probe, budget: str) -> None:
    ids = ("launch-office", "copy-contended", "read-latency-under-writes")
    made = plan(probe, budget, *ids, schedulers=SETTINGS, pricing=("copy-contended",), tunes=True)
    writes = probe.write_bytes_per_s
    assert made.seconds(writes) <= BUDGETS[budget].limits.seconds
    assert made.least_s(writes) < made.seconds(writes)
    assert made.bytes_of_runs <= BUDGETS[budget].limits.written_bytes
    assert probe in {CREEPING, NVME} or made.rounds >= 12
