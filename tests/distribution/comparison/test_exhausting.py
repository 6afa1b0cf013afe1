# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparisons with the fast cache used up: what they need to know, what they refuse, and what says so afterwards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.unit.comparison.test_continuing import MOUNT
from tests.unit.comparison.test_target import DISK
from tests.unit.portraits import FAST_S, SLOW_S, STEP_BYTES, portrait

from disktuner.comparison import preparation
from disktuner.comparison.continuing import request_anew, settings_to_try
from disktuner.comparison.exhausting import exhausted_already, exhaustion_of, probe_exhausted
from disktuner.comparison.preparation import prepare
from disktuner.comparison.request import Announcement, Request, empty_result
from disktuner.comparison.target import Target
from disktuner.comparison.tasks import comparison_task, continuation_task, tuning_task
from disktuner.presentation import listed, present
from disktuner.results.codec import decode, encode
from disktuner.results.model import BadResult, Result, Sample
from disktuner.results.portrait import Portrait
from disktuner.verdict.judge import judge
from disktuner.vocabulary import kinds
from disktuner.vocabulary.errors import DisktunerError, MeasurementImpossible, NoSuchThing, UsageError
from disktuner.vocabulary.messages import message, say
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.states import DiskState
from disktuner.workloads.processes import Control
from disktuner.workloads.workload import Probe

FAST, SLOW = STEP_BYTES / FAST_S, STEP_BYTES / SLOW_S
PROBE = Probe(FAST, 2e9, 1e-4, 1 << 33, 1 << 38, 0.001, stream_bytes_per_s=FAST)
SETTINGS = (Setting("none"), Setting("bfq"))


@pytest.fixture
def target(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Target:
    """A fast disk that is looked at without being touched."""
    monkeypatch.setattr(preparation, "probe_folder", lambda *_: PROBE)
    disk = replace(DISK, kind=kinds.NVME_SSD, scheduler="none", schedulers=("none", "bfq"), why_not=None)
    return Target(tmp_path, MOUNT, (disk,))


def prepared(target: Target, known: Portrait | None, **asked: Any) -> Announcement:
    request = Request("", **{"state": DiskState.EXHAUSTED, "settings": SETTINGS, "seed": 3} | asked)
    return prepare(comparison_task(request, target), target, Control(), saves=False, portrait=known)


def test_the_end_of_the_cache_comes_from_the_portrait(target: Target) -> None:
    made = prepared(target, portrait())
    known = made.plan.exhaustion
    assert known and known.cache_bytes == pytest.approx(42e9, rel=0.05)
    assert known.slow_bytes_per_s == pytest.approx(SLOW, rel=0.01)
    assert made.plan.record.workloads == ("launch-office", "read-latency-under-writes")
    assert made.plan.bytes_written > known.most_bytes > 1.2 * known.cache_bytes
    assert made.plan.record.state is DiskState.EXHAUSTED


def test_a_read_beside_the_writer_takes_as_long_as_in_the_portrait() -> None:
    known = exhaustion_of(DISK, portrait())
    assert probe_exhausted(PROBE, known, portrait().reads).usual_beside_s == 4e-3
    assert probe_exhausted(PROBE, known).usual_beside_s == pytest.approx(4 * 2**20 / SLOW, rel=0.01)


@pytest.mark.parametrize(
    ("known", "reason"),
    [
        (None, "exhausted-without-portrait"),
        (portrait(steps_s=(FAST_S,) * 500), "exhausted-without-end"),
        (portrait(curve_reason=message("host-cache", rate=9e9, ceiling=1e9)), "exhausted-without-end"),
    ],
)
def test_without_a_known_end_it_is_refused_with_what_to_do(target: Target, known: Portrait | None, reason: str) -> None:
    with pytest.raises(NoSuchThing, match="disktuner portrait sda") as refused:
        prepared(target, known)
    assert refused.value.message.id == reason


def test_caches_of_several_disks_are_not_told_apart(target: Target) -> None:
    """What is counted at all of them together is twice as much where they mirror each other."""
    both = replace(target, disks=(*target.disks, replace(target.disk, name="sdb")))
    assert refusal(lambda: prepared(both, portrait())) == "several-caches"


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"goal": "copying"}, "exhausted-without-goal"),
        ({"goal": "own"}, "exhausted-without-goal"),
        ({"workloads": ("read-latency-under-writes", "dd-read")}, "exhausted-without-workload"),
    ],
)
def test_what_cannot_be_measured_beside_a_writer_is_refused(target: Target, asked: dict[str, Any], reason: str) -> None:
    with pytest.raises(UsageError) as refused:
        prepared(target, portrait(), **asked)
    assert refused.value.message.id == reason


@pytest.mark.parametrize(("now", "is_said"), [(FAST, False), (0.7 * FAST, False), (SLOW, True), (2 * SLOW, True)])
def test_a_disk_that_was_not_left_alone_is_noticed_before_a_rested_comparison(
    target: Target, monkeypatch: pytest.MonkeyPatch, now: float, is_said: bool
) -> None:
    slow = replace(PROBE, write_bytes_per_s=now, stream_bytes_per_s=now)
    monkeypatch.setattr(preparation, "probe_folder", lambda *_: slow)
    made = prepared(target, portrait(), state=None, workloads=("read-latency-under-writes",))
    cautions = {caution.id: say(caution) for caution in made.cautions}
    assert ("exhausted-already" in cautions) == is_said
    assert not is_said or "1.9 GB/s when rested" in cautions["exhausted-already"]
    assert "exhausted-already" not in {caution.id for caution in prepared(target, portrait()).cautions}


def test_without_a_portrait_nothing_is_noticed() -> None:
    slow = replace(PROBE, write_bytes_per_s=SLOW, stream_bytes_per_s=SLOW)
    assert exhausted_already(DISK, slow, None) is None
    assert exhausted_already(DISK, slow, portrait(steps_s=(FAST_S,) * 500)) is None


@pytest.fixture
def result(target: Target) -> Result:
    """A result in that state, as it is read from its file."""
    empty = empty_result(prepared(target, portrait(), workloads=("read-latency-under-writes",)))
    metric = "read-latency-under-writes.slowest_tenth_s"
    values = {"none": (1.0, 1.1, 0.9, 1.05), "bfq": (0.2, 0.21, 0.19, 0.22)}
    samples = tuple(Sample(metric, setting, round_, 2 * round_ + order, values[setting.name][round_])
                    for round_ in range(4) for order, setting in enumerate(SETTINGS))  # fmt: skip
    return decode(encode(replace(empty, samples=samples, finished=True)))


def test_every_view_names_the_state(result: Result) -> None:
    assert result.plan.state is DiskState.EXHAUSTED
    shown = present(result)
    assert "fast cache used up" in shown.why and "fast cache used up" in shown.glance.parts
    assert "fast cache used up" in shown.heading.goal and "fast cache used up" in shown.run
    assert say(listed(judge(result))[0]).endswith(", with its fast cache used up")
    rested = present(replace(result, plan=replace(result.plan, state=DiskState.RESTED)))
    assert "used up" not in str(rested.why) + rested.heading.goal + str(rested.run)


def test_files_without_a_state_are_of_rested_disks_and_unknown_states_are_refused(result: Result) -> None:
    text = encode(result)
    assert decode(text.replace(',"state":"exhausted"', "")).plan.state is DiskState.RESTED
    assert '"state"' not in encode(replace(result, plan=replace(result.plan, state=DiskState.RESTED)))
    with pytest.raises(BadResult):
        decode(text.replace('"exhausted"', '"half-full"'))


def refusal(task: Any) -> str:
    with pytest.raises(DisktunerError) as refused:
        task()
    return refused.value.message.id


def test_it_goes_on_in_its_state_only(target: Target, result: Result) -> None:
    for state in (None, DiskState.EXHAUSTED):
        task = continuation_task(Request("", state=state), result, target)
        again = prepare(task, target, Control(), saves=False, portrait=portrait())
        assert again.plan.exhaustion and again.plan.record.state is DiskState.EXHAUSTED
    assert refusal(lambda: continuation_task(Request("", state=DiskState.RESTED), result, target)) == (
        "continues-another-state"
    )
    rested = replace(result, plan=replace(result.plan, state=DiskState.RESTED))
    assert refusal(lambda: continuation_task(Request("", state=DiskState.EXHAUSTED), rested, target)) == (
        "continues-another-state"
    )
    assert request_anew(result, "quick").state is DiskState.EXHAUSTED


def test_it_is_not_tuned(target: Target, result: Result) -> None:
    assert refusal(lambda: tuning_task(Request(""), result, Setting("bfq"), target)) == "tunes-exhausted"
    assert settings_to_try(result, judge(result), target.disks) == ()


def test_without_room_for_what_must_be_written_it_is_refused(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation, "too_little", lambda _, needed: message("too-little-room", needed=needed))
    made = prepared(target, portrait())
    assert made.refused and made.refused.values["needed"] == made.plan.bytes_needed
    assert isinstance(MeasurementImpossible.of(made.refused), MeasurementImpossible)
