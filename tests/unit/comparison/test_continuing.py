# SPDX-License-Identifier: GPL-3.0-or-later
"""Continuing a result keeps its sizes and order, or is refused before anything is done."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs
from tests.unit.comparison.test_target import DISK

from disktuner.block.disk import Mount
from disktuner.comparison import preparation
from disktuner.comparison.preparation import prepare
from disktuner.comparison.request import Request, empty_result
from disktuner.comparison.target import Target
from disktuner.comparison.tasks import comparison_task, continuation_task
from disktuner.results.codec import decode, encode
from disktuner.results.model import Result, Sample
from disktuner.vocabulary.errors import DisktunerError, MeasurementImpossible
from disktuner.vocabulary.questions import Question
from disktuner.vocabulary.settings import Setting
from disktuner.workloads.processes import Control
from disktuner.workloads.workload import Probe

MOUNT = Mount("/", "ext4", "/dev/sda", (), 10**12, 10**11)
PROBE = Probe(100e6, 100e6, 0.008, 1 << 32, 1 << 34, 0.01, 0.05)
WORKLOADS = ("copy", "dd-write")


@pytest.fixture
def target(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Target:
    """A disk that is looked at without being touched."""
    monkeypatch.setattr(preparation, "probe_folder", lambda *_: PROBE)
    disk = replace(DISK, scheduler="none", schedulers=("none", "bfq", "kyber"), why_not=None)
    return Target(tmp_path, MOUNT, (disk,))


@pytest.fixture
def before(target: Target) -> Result:
    """A small result of that disk, as read from its file."""
    request = Request("", "copying", "quick", (Setting("bfq"), Setting("kyber")), WORKLOADS, 7)
    empty = empty_result(prepare(comparison_task(request, target), target, Control(), saves=False))
    samples = tuple(Sample("copy.wall_s", setting, 0, order, 2.0) for order, setting in enumerate(empty.plan.settings))
    return decode(encode(replace(empty, samples=samples)))


def go_on(before: Result, target: Target, budget: str = "quick") -> Result:
    """Continue the result, and return it as it is before its first new run."""
    return empty_result(
        prepare(continuation_task(Request("", budget=budget), before, target), target, Control(), saves=False)
    )


def test_it_goes_on_with_its_sizes_schedulers_and_seed(target: Target, before: Result) -> None:
    prepared = prepare(continuation_task(Request(""), before, target), target, Control(), saves=False)
    for planned in prepared.plan.planned:
        spec = planned.workload.spec_from(before.sizes[planned.workload.id])
        assert planned.spec == structs.replace(spec, expected_s=planned.spec.expected_s)
    assert (prepared.plan.settings, prepared.plan.record.baseline, prepared.plan.record.seed) == (
        before.plan.settings,
        Setting("none"),
        7,
    )
    assert prepared.plan.piloted == (Setting("none"),) and prepared.plan.run_s == math.inf, "the pilot changes no size"
    whole = empty_result(prepared)
    assert whole.samples == before.samples and whole.id != before.id
    assert whole.finished, "only its journal is not, until all of it is measured"
    assert whole.continues == before.id
    assert whole.plan.rounds == 1 + prepared.plan.rounds


def test_so_many_rounds_as_probably_settle_it_are_all_that_is_planned(target: Target, before: Result) -> None:
    """A button that says 20 seconds does not lead to a plan of three minutes."""
    tasks = (continuation_task(Request("", rounds=rounds), before, target) for rounds in (2, None, 10_000))
    few, *all_ = (prepare(task, target, Control(), saves=False).plan for task in tasks)
    assert few.most_rounds == few.rounds == 2 and few.announced_s == few.seconds(2)
    assert all_[0] == all_[1] and few.announced_s < all_[0].announced_s


def test_another_scheduler_of_the_disk_by_now_changes_neither_baseline_nor_order(
    target: Target, before: Result
) -> None:
    changed = replace(target, disks=(replace(target.disk, scheduler="kyber"),))
    assert go_on(before, changed).plan.settings == before.plan.settings


def test_what_is_written_again_is_announced_where_it_lies_on_the_disk(target: Target, before: Result) -> None:
    task = continuation_task(Request(""), before, target)
    plans = [prepare(task, target, Control(), saves=saves).plan for saves in (False, True)]
    assert plans[1].bytes_before >= len(encode(before)) > plans[0].bytes_before == 0
    assert plans[1].bytes_written > plans[0].bytes_written + plans[1].bytes_before


def sized(**figures: Any) -> Callable[[Result], Result]:
    """Change the size of the copies."""

    def change(result: Result) -> Result:
        return replace(result, sizes={**result.sizes, "copy": result.sizes["copy"] | figures})

    return change


def planned(**values: Any) -> Callable[[Result], Result]:
    """Change the plan."""
    return lambda result: replace(result, plan=replace(result.plan, **values))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda result: replace(result, disk=dict(result.disk) | {"serial": "another"}), "result-of-another-disk"),
        (
            lambda result: replace(result, filesystem=replace(result.filesystem, fstype="btrfs")),
            "result-of-another-disk",
        ),
        (planned(workloads=()), "continues-nothing"),
        (planned(settings=(Setting("none"),)), "continues-nothing"),
        (lambda result: replace(result, sizes={}), "continues-nothing"),
        (lambda result: replace(result, disks=("sda", "sdb")), "continues-nothing"),
        (sized(file_bytes=True), "continues-nothing"),
        (sized(file_bytes=2**64), "continues-nothing"),
        (sized(expected_s=1e19), "continues-nothing"),
        (sized(scale=1), "continues-nothing"),
        (planned(question=Question(())), "nothing-decides"),
        (sized(file_bytes=10**12), "continues-too-much"),
        (lambda result: replace(result, samples=(replace(result.samples[0], round=10**6),)), "continues-too-much"),
    ],
)
def test_what_cannot_be_continued_is_refused(
    target: Target, before: Result, change: Callable[[Result], Result], reason: str
) -> None:
    with pytest.raises(MeasurementImpossible) as refused:
        go_on(change(before), target)
    assert refused.value.message.id == reason


def test_a_result_of_one_disk_is_not_continued_on_several(target: Target, before: Result) -> None:
    """A disk added to the file system since would be measured, too."""
    with pytest.raises(MeasurementImpossible) as refused:
        go_on(before, replace(target, disks=(target.disk, replace(target.disk, name="sdb"))))
    assert refused.value.message.id == "continues-nothing"


def test_schedulers_that_the_disk_does_not_offer_any_more_are_named(target: Target, before: Result) -> None:
    with pytest.raises(DisktunerError, match="kyber"):
        go_on(before, replace(target, disks=(replace(target.disk, schedulers=("none", "bfq"), loadable=()),)))
