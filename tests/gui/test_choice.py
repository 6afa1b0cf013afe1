# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk's current setting, named with its chosen tunables, on its card and in sentences."""

from __future__ import annotations

from typing import Any

import pytest

from disktuner.block.disk import PersistentChoice, UntilRestart
from disktuner.helper_client.calls import FieldTrial, HelperState, Wish
from disktuner.standing import Choice, choices, chosen_text, going_back_text, in_use, names_in_use, now_uses
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import parse_setting
from tests.gui.stand_ins import disk

IDLE = {"iosched/slice_idle": 0, "iosched/slice_idle_us": 0, "iosched/low_latency": 1}
KEPT = PersistentChoice("bfq", {"iosched/slice_idle": "0"})
LIMITED = {"bdi/max_ratio": 0, "bdi/max_bytes": 16_774_470, "bdi/strict_limit": 1}
FREE = {"bdi/max_ratio": 100, "bdi/max_bytes": 4_416_348_160, "bdi/strict_limit": 0}
READ_AHEAD, DEPTH = "queue/read_ahead_kb", "device/queue_depth"
HELD = UntilRestart("bfq", "2026-11-21T02:00:00Z")


def of(tunables: dict[str, Any], **changes: Any) -> Any:
    return disk(scheduler="bfq", tunables=tunables, **changes)


@pytest.mark.parametrize(
    ("tunables", "changes", "choice", "name"),
    [
        (IDLE, {}, Choice(), "bfq"),  # nobody chose anything: a kernel may have defaults of its own
        (IDLE, {"until_restart": HELD}, Choice("mq-deadline"), "bfq:slice_idle=0"),
        (IDLE, {"persistent": KEPT}, Choice(), "bfq:slice_idle=0"),
        ({"iosched/slice_idle": 8}, {"persistent": KEPT}, Choice(), "bfq"),
        ({"iosched/slice_idle_us": 500}, {"until_restart": HELD}, Choice("mq-deadline"), "bfq:slice_idle_us=500"),
        ({"iosched/timeout_sync": 200}, {}, Choice("bfq", None, {"iosched/timeout_sync": 200}), "bfq"),
        ({READ_AHEAD: 16}, {}, Choice("none", None, {READ_AHEAD: 128}), f"bfq:{READ_AHEAD}=16"),
        ({"queue/nr_requests": 256}, {}, Choice("none", None, {"queue/nr_requests": 1023}), "bfq"),
        ({"queue/nr_requests": 16}, {}, Choice("bfq", None, {"queue/nr_requests": 64}), "bfq:queue/nr_requests=16"),
        ({READ_AHEAD: "odd", "iosched/of_a_patch": 3}, {"until_restart": HELD}, Choice("none"), "bfq"),
        (LIMITED, {}, Choice("bfq", None, FREE), "bfq:bdi/max_bytes=16777216,bdi/strict_limit=1"),
        ({**FREE, "bdi/max_bytes": 4_100_000_000}, {}, Choice("bfq", None, FREE), "bfq"),
        ({DEPTH: 17}, {}, Choice("bfq", None, {DEPTH: 32}), "bfq"),  # the kernel's own doing: the disk's queue was full
        ({DEPTH: 1}, {}, Choice("bfq", None, {DEPTH: 32}), f"bfq:{DEPTH}=1"),
        ({DEPTH: 32}, {}, Choice("bfq", None, {DEPTH: 1}), f"bfq:{DEPTH}=32"),
        ({DEPTH: 17}, {"persistent": PersistentChoice("bfq", {DEPTH: "32"})}, Choice(), f"bfq:{DEPTH}=32"),
        ({"queue/async_depth": 12}, {}, Choice("bfq", None, {"queue/async_depth": 48}), "bfq"),
    ],
)
def test_what_is_in_use_is_named_with_what_was_chosen(
    tunables: dict[str, Any], changes: dict[str, Any], choice: Choice, name: str
) -> None:
    assert in_use(of(tunables, **changes), choice).name == name


def test_several_disks_are_named_each() -> None:
    choice, other = of(IDLE, persistent=KEPT), disk("sdb", scheduler="none")
    assert names_in_use((choice, choice)) == "bfq:slice_idle=0"
    assert names_in_use((choice, other)) == "bfq, slice_idle 0 (sda), none (sdb)"


def test_a_choice_holds_only_with_its_tunables() -> None:
    assert chosen_text(of(IDLE, persistent=KEPT), Choice("mq-deadline", "bfq")) == text("chosen-for-good")
    changed = of({"iosched/slice_idle": 8}, persistent=KEPT)
    assert chosen_text(changed, Choice("mq-deadline", "bfq")) == (
        "you chose “bfq, slice_idle 0”, but it has been changed since"
    )
    tried = of({"iosched/slice_idle": 8}, persistent=KEPT, until_restart=HELD)
    assert chosen_text(tried, Choice("mq-deadline", "bfq")) == (
        "your choice, until the next restart; then “bfq, slice_idle 0” again"
    )


def test_what_a_choice_is_for_is_said() -> None:
    by_port = PersistentChoice("bfq", {}, "ID_PATH")
    assert chosen_text(of({}, persistent=by_port), Choice(chosen="bfq")).endswith("any disk plugged in here")
    assert chosen_text(of({}, until_restart=HELD), Choice()) == "your choice, until the next restart"
    assert chosen_text(of({}), Choice()) == ""


def test_what_was_there_before_a_disk_was_unplugged_is_not_gone_back_to() -> None:
    then = Choice("mq-deadline", "bfq", FREE, diskseq=4)
    assert then.of(disk(diskseq=4)) == then and then.of(disk(diskseq=0)) == then
    again = then.of(disk(diskseq=5, scheduler="bfq", tunables=LIMITED))
    assert again.is_ours and again.before is None and not Choice("none", diskseq=4).of(disk(diskseq=5)).is_ours
    assert going_back_text(disk(), again) == text("going-back-rule-only", scheduler="bfq")


def test_what_is_kept_with_other_tunables_comes_back() -> None:
    idle = parse_setting("bfq:slice_idle=0")
    plain, kept_disk = of({}, persistent=PersistentChoice("bfq", {})), of(IDLE, persistent=KEPT)
    sentence = now_uses((plain,), idle)
    assert sentence.endswith("until the next restart; then your permanent choice, bfq, applies again.")
    assert now_uses((kept_disk,), idle).endswith("until the next restart.")


def test_going_back_from_a_rule_alone_names_what_is_kept() -> None:
    """With its tunables, even if another program had the last word."""
    for kept_disk in (of(IDLE, persistent=KEPT), disk(scheduler="none", persistent=KEPT)):
        sentence = going_back_text(kept_disk, Choice(None, "bfq"))
        assert (
            sentence == "Removes the permanent choice of “bfq, slice_idle 0”. Nothing changes until the next restart."
        )


def test_a_disk_that_is_tried_in_daily_use_says_so_and_undo_ends_it() -> None:
    field_trial = FieldTrial("t", 1000, (Wish("none", {}), Wish("bfq", {"iosched/slice_idle": 0})), 0, 1, ("sda",))
    (choice,) = choices(HelperState((), (), (), None, (field_trial,)), is_paused=False).values()
    assert choice.is_ours and going_back_text(disk(), choice) == text("going-back-from-daily-use")
    sentence = chosen_text(disk(), choice)
    assert sentence.startswith("Tried in daily use until 19") and sentence.endswith(": none; bfq, slice_idle 0")
