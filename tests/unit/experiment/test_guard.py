# SPDX-License-Identifier: GPL-3.0-or-later
"""The guard's conditions, each with figures that must and must not trigger it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from disktuner.block.counters import parse_stat
from disktuner.block.machine import Conditions, Hot
from disktuner.experiment.guard import GuardedRun, Observation, assess
from disktuner.experiment.sampler import cpu_cost
from disktuner.vocabulary.messages import say
from disktuner.vocabulary.reasons import REASONS
from disktuner.vocabulary.settings import Setting, setting_of
from disktuner.workloads.workload import MIB, Measurement

DIRECT = Measurement({"wall_s": 1.0}, 2.0, 0, 0, direct=True)


def observation(read_mib: float = 0, written_mib: float = 0) -> Observation:
    """What the kernel reports when the disk has moved that much; all that it counts has counted up since boot."""
    sectors = (int((700 + read_mib) * 2048), int((900 + written_mib) * 2048))
    counters = parse_stat(f"1 0 {sectors[0]} 0 1 0 {sectors[1]} 0 0 0 0", 2.0 if read_mib or written_mib else 1.0)
    tunables = {"sda": {"queue/nr_requests": 64}}
    conditions = Conditions(1000, cpu_heat_events=8)
    return Observation(counters, {"sda": "bfq"}, tunables, conditions, False, asleep_s=3600, stopped_s={"dd": 40.0})


def run(
    after: Observation, read: int | None = 0, written: int | None = 0, wall_s: float = 2.0, value: float = 1.0
) -> GuardedRun:
    measurement = Measurement({"wall_s": value}, wall_s, read, written)
    after = replace(after, conditions=replace(after.conditions, cpu_total=2000))
    return GuardedRun(Setting("bfq"), observation(), after, measurement, plain=True)


def seen(**conditions: Any) -> Observation:
    """Return an observation under these conditions."""
    return replace(observation(), conditions=Conditions(**conditions))


DISTURBING = {"other-io", "on-battery", "disk-hot", "cpu-hot", "too-short"}
"""What makes figures vary, whatever the scheduler."""


def test_a_setting_is_its_scheduler_with_these_tunables() -> None:
    tuned = {"sda": {"queue/nr_requests": 64, "iosched/slice_idle": 0}}
    right = replace(observation(), tunables=tuned)
    tuned_run = replace(run(right), before=right, setting=setting_of("bfq:slice_idle=0"))
    assert assess(tuned_run) is None
    other = assess(replace(tuned_run, setting=setting_of("bfq:slice_idle=8")))
    assert other is not None and say(other) == "iosched/slice_idle of sda was changed while measuring, from 8 to 0."
    missing = assess(replace(tuned_run, setting=setting_of("bfq:queue/wbt_lat_usec=0")))
    assert missing is not None and missing.id == "tunable-changed"
    changed = assess(replace(tuned_run, setting=setting_of("kyber:queue/nr_requests=64")))
    assert changed is not None and changed.id == "scheduler-changed"


@pytest.mark.parametrize(("before", "after", "is_reported"), [(0, 1, True), (3, 4, True), (3, 3, False), (3, 0, False)])
def test_a_run_beside_an_error_or_a_reset_of_the_disk_does_not_count(
    before: int, after: int, is_reported: bool
) -> None:
    """The kernel's log is a ring: fewer lines are fine."""
    seen_after = replace(observation(), troubles={"sda": after, "sdb": 0})
    reason = assess(replace(run(seen_after), before=replace(observation(), troubles={"sda": before, "sdb": 0})))
    assert (reason is not None and reason.id == "disk-error" and "sda" in say(reason)) == is_reported
    assert REASONS["disk-error"].invalid


def test_a_limit_that_follows_the_free_memory_has_not_changed_and_one_that_was_lifted_has() -> None:
    def limited(max_bytes: int) -> Observation:
        return replace(observation(), tunables={"sda": {"bdi/max_bytes": max_bytes, "bdi/strict_limit": 1}})

    wanted = setting_of("bfq:bdi/max_bytes=16777216,bdi/strict_limit=1")
    changed = replace(run(limited(15_000_000)), before=limited(16_774_470), setting=wanted)
    assert assess(changed) is None
    assert assess(replace(changed, after=limited(1), setting=Setting("bfq"))) is None, "nobody asked for a limit"
    lifted = assess(replace(changed, after=limited(4_416_348_160)))
    assert lifted is not None and lifted.id == "tunable-changed"


def test_what_a_scheduler_learned_is_no_tunable_that_changed() -> None:
    def learned(base: int, target: int) -> Observation:
        learned_values = {"iosched/lat_model_read": f"base : {base} ns", "iosched/lat_target_read": target}
        return replace(observation(), schedulers={"sda": "adios"}, tunables={"sda": learned_values})

    learned_run = replace(run(learned(900, 2)), before=learned(0, 2), setting=Setting("adios"))
    assert assess(learned_run) is None
    changed = assess(replace(learned_run, after=learned(900, 3)))
    assert changed is not None and changed.id == "tunable-changed"


@pytest.mark.parametrize(
    ("judged", "reason", "words"),
    [
        (run(replace(observation(), counters=None)), "disk-gone", "disconnected"),
        (run(replace(observation(), schedulers={"sda": "none"})), "scheduler-changed", "“none” instead of bfq"),
        (
            run(replace(observation(), tunables={"sda": {"queue/nr_requests": 4}})),
            "tunable-changed",
            "queue/nr_requests of sda",
        ),
        (run(replace(observation(), tunables={})), "tunable-changed", "queue/nr_requests of sda"),
        (replace(run(observation()), usual={"sda": {"queue/nr_requests": 32}}), "tunable-changed", "from 32 to 64"),
        (run(observation(10), 100 * MIB), "page-cache", "10.5 MB"),
        (run(observation(0, 10), 0, 100 * MIB), "not-written", "105 MB"),
        (run(observation(150, 0), 100 * MIB), "other-io", "52.4 MB"),
        (run(replace(observation(), read_only=True)), "read-only", "read-only"),
        (run(replace(observation(), mounted=False)), "unmounted", "unmounted"),
        (run(seen(on_battery=True)), "on-battery", "battery"),
        (run(seen(hot=(Hot("sda", 84.0, 82.0),))), "disk-hot", "sda is at 84 °C"),
        (run(seen(cpu_heat_events=11)), "cpu-hot", "throttled 3 times"),
        (run(seen(cpu_heat_events=9)), "cpu-hot", "throttled"),
        (replace(run(observation(700)), ceiling_bytes_per_s=600e6), "host-cache", "734 MB/s"),
        (replace(run(observation()), measurement=DIRECT, direct_works=False), "o-direct-ignored", "O_DIRECT"),
        (run(replace(observation(), asleep_s=3661.0)), "suspended", "slept for 61 s"),
        (run(replace(observation(), stopped_s={"dd": 43.0})), "stopped", "dd was suspended for 3 s"),
        (run(observation(), wall_s=0.001), "too-short", "1 ms"),
        (run(observation(), value=0.0), "impossible-value", "0.0"),
        (run(observation(), value=float("inf")), "impossible-value", "inf"),
    ],
)
def test_what_does_not_fit_is_marked_with_its_reason(judged: GuardedRun, reason: str, words: str) -> None:
    assessment = assess(judged)
    assert assessment is not None and assessment.id == reason
    assert REASONS[assessment.id].invalid == (reason not in DISTURBING)
    assert say(assessment).endswith(".") and words in say(assessment)


@pytest.mark.parametrize(
    ("claimed", "moved", "writers", "is_true"),
    [
        (140_701_696, 134_303_744, 1, True),  # pages that ext4 had marked clean and not submitted
        (121_634_816, 118_566_912, 1, True),
        (140_701_696, 134_303_744, 0, False),  # nothing was cut off
        (68_000_000, 3_600_000, 1, True),  # an extent of btrfs
        (1_000_000_000, 400_000_000, 1, False),  # compression takes a factor
        (400_000_000, 0, 2, False),
    ],
)
def test_a_writer_that_is_cut_off_may_lack_an_extent_and_no_factor(
    claimed: int, moved: int, writers: int, is_true: bool
) -> None:
    measured = Measurement({"wall_s": 1.0}, 2.0, None, claimed, cut_writers=writers)
    assessment = assess(replace(run(observation(0, moved / MIB)), measurement=measured))
    assert (assessment and assessment.id) == (None if is_true else "not-written")


def test_what_a_run_read_and_wrote_itself_is_nobody_elses() -> None:
    assert assess(run(observation(100, 100), 100 * MIB, 100 * MIB)) is None


def test_a_disk_that_logs_its_first_error_is_named() -> None:
    said = assess(run(replace(observation(), troubles={"sda": 1})))
    assert said is not None and said.id == "disk-error"


def test_a_run_that_was_not_waited_for_counts_with_what_it_took_at_least() -> None:
    assessment = assess(replace(run(observation()), measurement=Measurement({"wall_s": 9.0}, 9.0, cut_short=True)))
    assert assessment is not None and assessment.id == "cut-short" and "after 9 s" in say(assessment)
    assert not REASONS[assessment.id].invalid and not REASONS[assessment.id].is_said


@pytest.mark.parametrize(
    ("judged", "reason"),
    [
        (run(seen(cpu_steal=60)), "The hypervisor took 6 % of the CPU during the run."),
        (run(seen(throttled_us=500_000)), "A CPU limit held the programs back for 500 ms during the run."),
        (run(seen(cpu_steal=50, throttled_us=100_000)), None),
    ],
)
def test_a_lack_of_cpu_time_makes_a_run_vary_and_not_untrue(judged: GuardedRun, reason: str | None) -> None:
    disturbed = assess(judged)
    assert (disturbed and say(disturbed)) == reason
    assert disturbed is None or not REASONS[disturbed.id].invalid


@pytest.mark.parametrize(
    ("requests", "mib", "figures"),
    [(99, 15.9, set()), (99, 16, {"cpu_s_per_gib"}), (100, 0.4, {"cpu_s_per_1000"}), (0, 0, set())],
)
def test_a_disk_that_hardly_moved_has_no_cpu_cost(requests: int, mib: float, figures: set[str]) -> None:
    none, some = (parse_stat(f"{n} 0 {int(m * 2048)} 0 0 0 0 0 0 0 0", 1.0) for n, m in ((0, 0), (requests, mib)))
    before = replace(observation(), counters=none, conditions=Conditions())
    after = replace(observation(), counters=some, conditions=Conditions(1800, 500))
    assert cpu_cost(before, after).keys() == figures
