# SPDX-License-Identifier: GPL-3.0-or-later
"""Tuning after a comparison: which settings are offered, what is recorded, and one trial for both stages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.unit.comparison.test_continuing import MOUNT, PROBE
from tests.unit.comparison.test_target import DISK

from disktuner.block.disk import Transport
from disktuner.comparison import preparation
from disktuner.comparison.preparation import prepare
from disktuner.comparison.request import Request, empty_result
from disktuner.comparison.target import Target
from disktuner.comparison.tasks import (
    available,
    comparison_task,
    continuation_task,
    plain_winner,
    settings_for,
    settings_left,
    tuning_task,
)
from disktuner.results.codec import decode, encode
from disktuner.results.definition import Definition
from disktuner.results.model import Result, Sample
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Verdict
from disktuner.verdict.outcomes import Decision
from disktuner.vocabulary import kinds
from disktuner.vocabulary.kinds import Kind
from disktuner.vocabulary.messages import say
from disktuner.vocabulary.settings import Setting, setting_of
from disktuner.workloads.processes import Control

TUNABLES = {
    "queue/nr_requests": 256,
    "queue/read_ahead_kb": 128,
    "queue/wbt_lat_usec": 75_000,
    "iosched/fifo_batch": 16,
    "iosched/read_expire": 500,
    "iosched/writes_starved": 2,
}
TUNED = replace(DISK, tunables=TUNABLES)
BFQ = Setting("bfq")
READ_AHEAD, BATCH = setting_of("bfq:queue/read_ahead_kb=16"), setting_of("mq-deadline:fifo_batch=1")


@pytest.fixture
def target(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Target:
    """A disk that is looked at without being touched."""
    monkeypatch.setattr(preparation, "probe_folder", lambda *_: PROBE)
    return Target(tmp_path, MOUNT, (TUNED,))


@pytest.fixture
def before(target: Target) -> Result:
    """A result that bfq has won."""
    request = Request("", "copying", "quick", (BFQ,), ("copy",), 7)
    empty = empty_result(prepare(comparison_task(request, target), target, Control(), saves=False))
    times = {"mq-deadline": 2.0, "bfq": 1.0}
    samples = tuple(
        Sample("copy.wall_s", Setting(name), number, 2 * number + at, value * (1 + number / 1000))
        for number in range(8)
        for at, (name, value) in enumerate(times.items())
    )
    return decode(encode(replace(empty, samples=samples, finished=True)))


def test_the_winner_of_a_switch_is_tuned_and_else_what_the_disk_had(before: Result) -> None:
    assert plain_winner(judge(before)) == BFQ
    for decision in (Decision.KEEP, Decision.UNDECIDED, Decision.TRADE_OFF):
        assert plain_winner(Verdict(decision, BFQ, Setting("none"), 1.1)) == Setting("none")


def test_only_what_would_change_the_disk_is_tried() -> None:
    settings = settings_for("desktop", [TUNED], Setting("bfq"))
    assert {READ_AHEAD, BATCH} <= set(settings)
    assert not any(setting.scheduler == "kyber" for setting in settings), "this disk does not offer it"
    already = replace(TUNED, tunables={**TUNABLES, "queue/read_ahead_kb": 16, "iosched/fifo_batch": 1})
    left = settings_for("desktop", [already], Setting("bfq"))
    assert set(settings) - set(left) == {READ_AHEAD, BATCH}


@pytest.mark.parametrize(("via", "runs"), [((), True), (("dm-0", "bcache0"), False), (("bcache12",), False)])
def test_priorities_are_not_measured_through_bcache(target: Target, via: tuple[str, ...], runs: bool) -> None:
    through = replace(target, mount=replace(MOUNT, via=via))
    workloads, left_out = available(None, ["priorities", "copy"], through)
    assert ("priorities" in left_out) == (not runs) or "fio" in say(left_out["priorities"])
    assert {workload.id for workload in workloads} >= {"copy"}


@pytest.mark.parametrize(
    ("kind", "transport", "depth", "limit", "tried"),
    [
        (kinds.HDD, Transport.SATA, 32, 32, {1}),
        (kinds.HDD, Transport.SATA, 1, 32, {32}),
        (kinds.HDD, Transport.SATA, 1, 0, set()),
        (kinds.HDD, Transport.SATA, 31, 31, {1}),
        (kinds.HDD, Transport.SAS, 254, 0, {1}),
        (kinds.HDD, Transport.SAS, 1, 0, {32}),
        (kinds.HDD, Transport.SATA, None, 32, set()),
        (kinds.SATA_SSD, Transport.SATA, 32, 32, set()),
        (kinds.VIRTUAL, Transport.VIRTIO, 128, 0, set()),
    ],
)
def test_the_depth_of_a_hard_disks_own_queue_competes(
    kind: Kind, transport: Transport, depth: int | None, limit: int, tried: set[int]
) -> None:
    tunables = TUNABLES if depth is None else {**TUNABLES, "device/queue_depth": depth}
    disk = replace(TUNED, kind=kind, transport=transport, tunables=tunables, queue_limit=limit)
    for goal in ("desktop", "copying", "database", "server"):
        settings = settings_for(goal, [disk], Setting("bfq"))
        depths = [
            setting.values["device/queue_depth"] for setting in settings if "device/queue_depth" in setting.values
        ]
        assert set(depths) == tried and {
            setting.scheduler for setting in settings if setting.values.keys() & {"device/queue_depth"}
        } <= {"bfq"}


def test_the_plan_is_of_the_winner_and_as_many_settings_as_the_budget_has_room_for(
    target: Target, before: Result
) -> None:
    for budget, most in (("quick", 4), ("standard", 8)):
        request = Request("", "copying", budget, workloads=("copy",), seed=7)
        plan = prepare(tuning_task(request, before, BFQ, target), target, Control(), saves=False).plan
        assert plan.record.tunes and plan.record.baseline == plan.settings[0] == BFQ
        assert len(plan.settings) <= 1 + most


def test_a_limit_competes_from_the_start_for_a_stick_and_nothing_is_tried_twice(target: Target) -> None:
    limits = {"bdi/max_bytes": 4 << 30, "bdi/strict_limit": 0}
    disk = replace(TUNED, tunables={**TUNABLES, **limits})
    request, target = Request("", "removable", seed=7), replace(target, disks=(disk,))
    prepared = prepare(comparison_task(request, target), target, Control(), saves=False)
    plain, *rest = prepared.plan.settings
    limited, more = (setting_of(f"mq-deadline:bdi/max_bytes={mib << 20},bdi/strict_limit=1") for mib in (16, 64))
    assert [setting for setting in rest if setting.tunables] == [limited]
    assert {setting.scheduler for setting in rest} >= {"none", "bfq"} and plain == prepared.plan.record.baseline
    assert prepared.plan.piloted == (plain,), "runs are long"
    before = empty_result(prepared)
    assert settings_left("removable", before, [disk], plain) == (more,)
    assert len(settings_left("removable", before, [disk], BFQ)) == 2, "another scheduler won"


def test_a_program_of_ones_own_is_tuned_as_it_was_compared(target: Target, before: Result) -> None:
    definition = Definition(command="true", folder="/")
    command_result = replace(before, own=definition, plan=replace(before.plan, goal="own"))
    request = Request("", "own", seed=7)
    plan = prepare(tuning_task(request, command_result, BFQ, target), target, Control(), saves=False).plan
    assert plan.definition == definition and READ_AHEAD in plan.settings


def test_a_result_says_that_it_tunes_and_goes_on_as_such(target: Target, before: Result) -> None:
    request = Request("", "copying", workloads=("copy",), seed=7)
    prepared = prepare(tuning_task(request, before, BFQ, target), target, Control(), saves=False)
    empty = replace(empty_result(prepared), finished=True)
    again = decode(encode(empty))
    assert again.plan == empty.plan and again.plan.tunes
    assert '"tunes"' not in encode(before), "others are written as ever"
    going_on = prepare(continuation_task(Request(""), again, target), target, Control(), saves=False)
    assert going_on.plan.record.tunes and going_on.plan.record.baseline == BFQ
    assert empty_result(going_on).plan.tunes
