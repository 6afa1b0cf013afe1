# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings: one written form for equal ones, words for people, and a sentence for everything that is not one."""

from __future__ import annotations

import pytest

from disktuner.vocabulary.errors import UsageError
from disktuner.vocabulary.settings import Setting, parse_setting
from disktuner.vocabulary.tunables import as_kept


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("bfq:slice_idle=0", "bfq:slice_idle=0", "bfq, slice_idle 0"),
        ("bfq:iosched/slice_idle=0", "bfq:slice_idle=0", "bfq, slice_idle 0"),
        ("bfq:slice_idle=0,low_latency=0", "bfq:low_latency=0,slice_idle=0", "bfq, low_latency 0, slice_idle 0"),
        ("mq-deadline:fifo_batch=1,queue/nr_requests=64", "mq-deadline:queue/nr_requests=64,fifo_batch=1",
         "mq-deadline, nr_requests 64, fifo_batch 1"),
        ("my-own.sched_2", "my-own.sched_2", "my-own.sched_2"),
    ],
)  # fmt: skip
def test_a_setting_has_one_written_form_and_plain_words(text: str, name: str, words: str) -> None:
    setting = parse_setting(text)
    assert (setting.name, setting.words) == (name, words)
    assert parse_setting(setting.name) == setting


@pytest.mark.parametrize(
    ("text", "id_", "says"),
    [
        (":slice_idle=0", "not-a-setting", "is not a setting"),
        ("bfq:slice_idle=-1", "not-a-setting", "is not a setting"),
        ("bfq:slice_idle=0,", "not-a-setting", "is not a setting"),
        ("../etc:slice_idle=0", "not-a-setting", "is not a setting"),
        ("bfq:slice_idle=0,slice_idle=8", "tunable-given-twice", "sets iosched/slice_idle twice"),
        ("kyber:slice_idle=0", "no-tunable-of-that-name", "kyber has no tunable slice_idle"),
        ("bfq:nr_requests=64", "no-tunable-of-that-name", "queue/nr_requests"),
        ("bfq:queue/scheduler=1", "no-tunable-of-that-name", "that Disktuner can set"),
        ("bfq:low_latency=2", "tunable-out-of-range", "from 0 to 1"),
    ],
)
def test_what_is_no_setting_is_said_with_what_to_write_instead(text: str, id_: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as caught:
        parse_setting(text)
    assert caught.value.message.id == id_


@pytest.mark.parametrize(
    ("hz", "text", "rounded"),
    [(250, 50, 52), (250, 53, 56), (250, 100, 100), (100, 51, 60), (300, 51, 53), (1000, 51, 51)],
)
def test_a_time_that_is_kept_in_ticks_reads_as_the_kernel_rounds_it(hz: int, text: int, rounded: int) -> None:
    for name in ("read_expire", "write_expire", "prio_aging_expire", "timeout_sync"):
        assert as_kept(f"iosched/{name}", text, hz) == rounded == as_kept(f"iosched/{name}", rounded, hz)
    assert as_kept("iosched/fifo_expire_sync", text, hz) == text, "bfq keeps this one in nanoseconds"


def test_a_disk_has_a_setting_where_all_of_it_is_so() -> None:
    wanted = parse_setting("bfq:slice_idle=0")
    assert wanted.is_had_by("bfq", {"iosched/slice_idle": 0, "iosched/low_latency": 1})
    assert not wanted.is_had_by("bfq", {"iosched/slice_idle": 8})
    assert not wanted.is_had_by("bfq", {}) and not wanted.is_had_by("none", {"iosched/slice_idle": 0})
    assert parse_setting("bfq").is_had_by("bfq", {"iosched/slice_idle": 0})


def test_a_limit_is_had_though_the_kernel_reads_it_by_the_memory_that_is_free() -> None:
    wanted = parse_setting("none:bdi/max_bytes=16777216,bdi/strict_limit=1")
    assert wanted.words == "none, max_bytes 16 MiB, strict_limit 1"
    for read in (16_774_470, 9_000_000, 40_000_000):
        assert wanted.is_had_by("none", {"bdi/max_bytes": read, "bdi/strict_limit": 1})
    for read in (0, 4_416_348_160):
        assert not wanted.is_had_by("none", {"bdi/max_bytes": read, "bdi/strict_limit": 1})
    assert not wanted.is_had_by("none", {"bdi/max_bytes": 16_774_470, "bdi/strict_limit": 0})


def test_a_setting_is_drawn_in_the_colour_of_its_scheduler_and_has_a_little_more_machinery() -> None:
    plain, tuned = Setting("mq-deadline"), parse_setting("mq-deadline:fifo_batch=1")
    assert plain.simplicity < tuned.simplicity < Setting("kyber").simplicity
    assert (tuned.mark.light, tuned.mark.dark) == (plain.mark.light, plain.mark.dark)
    assert tuned.mark.shape != plain.mark.shape
