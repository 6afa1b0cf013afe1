# SPDX-License-Identifier: GPL-3.0-or-later
"""A copy felt on another disk: which one, what is tried, what the result keeps, and when it is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.comparison.test_continuing import MOUNT, PROBE
from tests.unit.comparison.test_target import DISK

from disktuner.comparison import preparation
from disktuner.comparison import target as targets
from disktuner.comparison.preparation import prepare
from disktuner.comparison.request import Announcement, BenchRequest, Request, empty_result
from disktuner.comparison.target import MOST_MEMORY_BYTES, Target, with_felt
from disktuner.comparison.tasks import bench_task, comparison_task, continuation_task
from disktuner.presentation.heading import heading_of
from disktuner.report.exporting import anonymous
from disktuner.results.codec import decode, encode
from disktuner.results.model import Felt
from disktuner.vocabulary.errors import Answered, MeasurementImpossible
from disktuner.vocabulary.goals import FELT
from disktuner.vocabulary.settings import parse_setting
from disktuner.workloads.processes import Control

LIMITS = {"bdi/max_bytes": 400_000_000, "bdi/max_ratio": 100, "bdi/strict_limit": 0}
STICK = replace(DISK, name="sdb", scheduler="none", schedulers=("none", "bfq"), tunables=LIMITS)
SYSTEM: Any = None


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Target:
    """A stick, and the disk on which a copy to it is felt."""
    monkeypatch.setattr(preparation, "probe_folder", lambda *_: replace(PROBE, memory_bytes=MOST_MEMORY_BYTES))
    monkeypatch.setattr(preparation, "too_little", lambda *_: None)  # however full the disk of the tests is
    has_memory(monkeypatch, MOST_MEMORY_BYTES)
    return Target(tmp_path, MOUNT, (STICK,), Target(tmp_path, replace(MOUNT, path="/home"), (DISK,)))


def has_memory(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(targets, "available_bytes", lambda _: size)


def prepared(target: Target, **options: Any) -> Announcement:
    return prepare(comparison_task(Request("", FELT.id, **options), target), target, Control(), saves=False)


def test_limits_of_what_may_wait_are_tried_and_the_result_keeps_where_it_is_felt(target: Target) -> None:
    announcement = prepared(target)
    names = [setting.name for setting in announcement.plan.settings]
    assert names[0] == "none" and len(names) > 1
    assert all(name.startswith("none:bdi/max_bytes=") for name in names[1:])
    assert announcement.refused is None and [note.id for note in announcement.at_start] == [
        "felt-in",
        "felt-little-memory",
    ]
    assert (
        target.felt and announcement.plan.elsewhere == target.felt.folder and announcement.plan.folder == target.folder
    )
    result = decode(encode(empty_result(announcement)))
    assert result.plan.felt == target.felt_record == Felt("/home", "sda")
    assert result.question.deciding == ("use-elsewhere.wall_s",)
    assert [price.metric for price in result.question.prices] == ["use-elsewhere.write_bytes_per_s"]
    assert heading_of(result).goal == "Copying to a slow disk, felt on sda"
    assert anonymous(result).plan.felt == Felt("", "sda")


def test_other_settings_are_tried_where_they_are_named(target: Target) -> None:
    bfq = parse_setting("bfq")
    assert prepared(target, settings=(bfq,)).plan.settings[1:] == (bfq,)


def test_it_is_continued_where_it_was_felt(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    before = empty_result(prepared(target))
    has_memory(monkeypatch, 64 << 30)
    again = prepare(continuation_task(Request(""), before, target), target, Control(), saves=False)
    assert again.plan.record.felt == before.plan.felt and target.felt
    assert again.plan.elsewhere == target.felt.folder
    with pytest.raises(MeasurementImpossible, match="--felt"):
        continuation_task(Request(""), before, replace(target, felt=None))


def test_it_is_said_where_the_other_disk_is_not_what_is_felt(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    has_memory(monkeypatch, 16 << 30)
    assert prepared(target, settings=(parse_setting("bfq"),)).refused is None, "who names settings knows better"
    with pytest.raises(Answered, match=r"(?s)not the cause: with 17\.2 GB of free memory.*--goal desktop"):
        prepared(target)


def test_a_folder_on_the_same_disk_is_refused(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "find_target", lambda *_: replace(target, felt=None))
    with pytest.raises(MeasurementImpossible, match=r"is on .* itself"):
        with_felt(target, "/media/stick", SYSTEM)


def test_what_is_not_felt_elsewhere_is_not_measured_as_if_it_were(target: Target) -> None:
    bench_task(BenchRequest("", "use-elsewhere"), target)
    with pytest.raises(MeasurementImpossible, match="Omit --felt"):
        bench_task(BenchRequest("", "dd-write"), target)
