# SPDX-License-Identifier: GPL-3.0-or-later
"""What to try first: from kind, hardware, virtualisation and goal, with a reason and its source, never a finding."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from disktuner.block.suggestion import GOALS, Situation, suggest, suggestion_for
from tests.unit.block.machines import build

from disktuner.block.system import System
from disktuner.results.model import Goal
from disktuner.vocabulary import kinds
from disktuner.vocabulary.kinds import Kind

ALL = ("none", "mq-deadline", "kyber", "bfq")


@pytest.mark.parametrize(
    ("kind", "goal", "scheduler"),
    [
        (kinds.NVME_SSD, "desktop", "none"),
        (kinds.NVME_SSD, "database", "none"),
        (kinds.HDD, "desktop", "bfq"),
        (kinds.HDD, "media", "bfq"),
        (kinds.HDD, "database", "mq-deadline"),
        (kinds.HDD, "copying", "mq-deadline"),
        (kinds.SATA_SSD, "desktop", "bfq"),
        (kinds.SATA_SSD, "server", "mq-deadline"),
        (kinds.SD_CARD, "desktop", "bfq"),
        (kinds.VIRTUAL, "desktop", "none"),
        (kinds.NETWORK, "server", "none"),
        (kinds.RAID, "database", "mq-deadline"),
        (kinds.LOOP, "desktop", "none"),
        (kinds.OPTICAL, "desktop", "kyber"),
    ],
)
def test_each_kind_and_goal(kind: Kind, goal: str, scheduler: str) -> None:
    said = suggest(Situation(kind, tunable=True, zoned="none", current="kyber", choices=ALL, requests=64, goal=goal))
    assert said is not None
    assert said.scheduler == scheduler
    assert "starting point" in said.why
    assert scheduler == "kyber" or "(" in said.why  # the source


def test_only_what_the_disk_can_have_is_suggested() -> None:
    situation = Situation(kinds.HDD, tunable=True, zoned="none", current="none", choices=("none", "mq-deadline"))
    said = suggest(situation)
    assert said is not None
    assert said.scheduler == "mq-deadline"
    assert suggest(replace(situation, tunable=False)) is None


def test_a_disk_that_takes_one_request_at_a_time_is_left_alone() -> None:
    said = suggest(Situation(kinds.USB_FLASH, tunable=True, zoned="none", current="kyber", choices=ALL, requests=2))
    assert said is not None
    assert said.scheduler == "kyber"
    assert "nr_requests" in said.why


def test_the_goals_are_those_of_results() -> None:
    assert set(GOALS) == set(Goal)


def test_for_another_goal(tmp_path: Path) -> None:
    build("sata_pair", tmp_path)
    disk = System(tmp_path).disk("sdb")
    assert suggestion_for(disk, "desktop") == disk.suggestion
    said = suggestion_for(disk, "database")
    assert said is not None
    assert said.scheduler == "mq-deadline"
