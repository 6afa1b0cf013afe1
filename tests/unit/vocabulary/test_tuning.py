# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings to try: each valid and with a reason, and some for every goal."""

from __future__ import annotations

from dataclasses import replace

import pytest

from disktuner.vocabulary.goals import GOALS
from disktuner.vocabulary.kinds import KINDS, RAID, REMOVABLE, SATA_SSD, USB_FLASH, VIRTUAL, Kind
from disktuner.vocabulary.settings import Setting, parse_setting, setting
from disktuner.vocabulary.tuning import Candidate, candidate_of, candidates_for

IDLE = Candidate("bfq", {"iosched/slice_idle": 0}, ("copying",), None, "Because.", "somewhere")


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("rotates", [True, False])
@pytest.mark.parametrize("kind", [SATA_SSD, USB_FLASH], ids=lambda kind: kind.id)
def test_every_goal_has_a_short_list_on_every_disk(goal: str, rotates: bool, kind: Kind) -> None:
    candidates = candidates_for(goal, rotates, kind, Setting("bfq"))
    assert (2 if goal == "removable" else 4) <= len(candidates) <= 13
    names = [candidate.beside(Setting("bfq")).name for candidate in candidates]
    assert len(set(names)) == len(names), "no setting stands twice for one goal and disk"
    assert all(parse_setting(name).name == name for name in names)


def test_settings_of_the_winner_come_first() -> None:
    for plain in ("bfq", "mq-deadline", "kyber", "none"):
        fitting = [
            candidate.scheduler in {None, plain}
            for candidate in candidates_for("desktop", False, SATA_SSD, Setting(plain))
        ]
        assert fitting == sorted(fitting, reverse=True)


def test_what_the_winner_sets_itself_stays_set() -> None:
    winner = parse_setting("bfq:low_latency=0")
    assert IDLE.beside(winner).name == "bfq:low_latency=0,slice_idle=0"
    ahead = replace(IDLE, scheduler=None, tunables={"queue/read_ahead_kb": 16})
    assert ahead.beside(winner).name == "bfq:queue/read_ahead_kb=16,low_latency=0"
    assert IDLE.beside(parse_setting("none:queue/nomerges=2")).name == "bfq:slice_idle=0"


def test_the_reason_of_a_setting_is_that_of_its_goal_and_disk() -> None:
    plain, idle = Setting("bfq"), setting("bfq", {"iosched/slice_idle": 0})
    flash, rotating = (candidate_of("server", rotates, RAID, plain, idle) for rotates in (False, True))
    assert flash is not None and rotating is not None and flash.reason != rotating.reason
    assert candidate_of("desktop", True, RAID, plain, idle) is None
    assert candidate_of("desktop", True, SATA_SSD, plain, idle) is not None, "the disk knows better than the flag"
    assert candidate_of("no-goal", False, SATA_SSD, plain, idle) is None


def test_a_virtual_disk_is_tried_as_either_whatever_its_driver_says() -> None:
    """virtio-blk says that it rotates, Xen that it does not: neither has asked the disk."""
    says, denies = (candidates_for("desktop", rotates, VIRTUAL, Setting("none")) for rotates in (True, False))
    assert says == denies and {check.rotates for check in says} == {None, True, False}


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.id)
def test_what_may_wait_in_memory_is_tried_first_on_what_is_unplugged_and_nowhere_else(kind: Kind) -> None:
    candidates = candidates_for("desktop", False, kind, Setting("none"))
    names = [candidate.beside(Setting("none")).name for candidate in candidates]
    assert (names[0] == "none:bdi/max_bytes=16777216,bdi/strict_limit=1") == (kind in REMOVABLE)
    assert any("bdi/" in name for name in names) == (kind in REMOVABLE)


def test_what_is_copied_to_for_unplugging_has_a_limit_from_the_start_whatever_its_kind() -> None:
    for kind in (USB_FLASH, SATA_SSD):
        candidates = candidates_for("removable", False, kind, Setting("none"))
        assert [(candidate.tunables["bdi/max_bytes"] >> 20, candidate.from_start) for candidate in candidates] == [
            (16, True),
            (64, False),
        ]


def test_a_program_of_ones_own_is_tuned_with_what_everyday_use_tries() -> None:
    assert candidates_for("own", True, SATA_SSD, Setting("bfq")) == candidates_for(
        "desktop", True, SATA_SSD, Setting("bfq")
    )
