# SPDX-License-Identifier: GPL-3.0-or-later
"""What to try first: from kind, hardware, virtualisation and goal, with a reason and its source, never a finding."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.block.test_ceiling import disk

from disktuner.block.disk import Disk
from disktuner.block.queue import suggest
from disktuner.vocabulary import kinds
from disktuner.vocabulary.kinds import Kind
from disktuner.vocabulary.messages import say


def on_kyber(kind: Kind) -> Disk:
    return replace(disk(kind), scheduler="kyber", schedulers=("none", "mq-deadline", "kyber", "bfq"))


@pytest.mark.parametrize(
    ("kind", "goal", "scheduler"),
    [
        (kinds.NVME_SSD, "desktop", "none"),
        (kinds.HDD, "desktop", "bfq"),
        (kinds.HDD, "database", "mq-deadline"),
        (kinds.SATA_SSD, "desktop", "bfq"),
        (kinds.SATA_SSD, "server", "mq-deadline"),
        (kinds.SD_CARD, "desktop", "bfq"),
        (kinds.VIRTUAL, "desktop", "none"),
        (kinds.RAID, "database", "mq-deadline"),
        (kinds.OPTICAL, "desktop", "kyber"),
    ],
)
def test_each_kind_and_goal(kind: Kind, goal: str, scheduler: str) -> None:
    first = suggest(on_kyber(kind), goal)
    assert first is not None
    assert first.scheduler == scheduler
    assert first.why.id == ("suggestion-none" if scheduler == "kyber" else "suggestion")


def test_only_what_the_disk_can_have_is_suggested() -> None:
    poor = replace(on_kyber(kinds.HDD), scheduler="none", schedulers=("none", "mq-deadline"))
    first = suggest(poor, "desktop")
    assert first is not None
    assert first.scheduler == "mq-deadline"
    assert suggest(replace(poor, tunable=False), "desktop") is None


def test_a_disk_that_takes_one_request_at_a_time_is_left_alone() -> None:
    first = suggest(replace(on_kyber(kinds.USB_FLASH), tunables={"queue/nr_requests": 2}), "desktop")
    assert first is not None
    assert (first.scheduler, first.why.id) == ("kyber", "suggestion-few-requests")
    assert "nr_requests" in say(first.why)
