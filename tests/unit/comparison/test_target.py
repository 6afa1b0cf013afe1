# SPDX-License-Identifier: GPL-3.0-or-later
"""From what the user names to the folder to write in, and which schedulers are compared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.block.trees import Tree, sata

from disktuner.block.disk import Disk, Transport
from disktuner.block.system import System
from disktuner.comparison import target
from disktuner.comparison.tasks import choose_settings
from disktuner.vocabulary import kinds
from disktuner.vocabulary.errors import MeasurementImpossible, NoSuchThing
from disktuner.vocabulary.messages import message
from disktuner.vocabulary.settings import Setting, parse_setting

DISK = Disk(
    "sda", "8:0", 1, "Model", "", "", "", 10**12, kinds.HDD, Transport.SATA, True, True, False, "none",
    "mq-deadline", ("none", "mq-deadline"), ("bfq",), True, None,
)  # fmt: skip
PLAIN, BFQ = Setting("mq-deadline"), Setting("bfq")


def test_all_that_is_offered_or_loadable_is_compared_the_baseline_first() -> None:
    assert choose_settings([DISK], None) == (PLAIN, Setting("none"), BFQ)


def test_the_baseline_is_always_among_them() -> None:
    assert choose_settings([DISK], (BFQ,)) == (PLAIN, BFQ)


def test_only_what_all_disks_below_offer_is_compared() -> None:
    other = replace(DISK, name="sdb", schedulers=("mq-deadline", "kyber"), loadable=("bfq",))
    assert choose_settings([DISK, other], None) == (PLAIN, BFQ)


def test_settings_are_compared_as_schedulers_are() -> None:
    tuned = replace(DISK, tunables={"queue/nr_requests": 64})
    wanted = (parse_setting("bfq:slice_idle=0"), parse_setting("mq-deadline:queue/nr_requests=4"))
    assert choose_settings([tuned], wanted) == (PLAIN, *wanted)
    assert choose_settings([tuned], (PLAIN, parse_setting("mq-deadline:fifo_batch=1")))[0] == PLAIN
    with pytest.raises(NoSuchThing, match="no scheduler “kyber”"):
        choose_settings([tuned], (parse_setting("kyber:read_lat_nsec=1"),))
    with pytest.raises(NoSuchThing, match="has no queue/wbt_lat_usec"):
        choose_settings([tuned], (parse_setting("none:queue/wbt_lat_usec=0"),))


def test_what_cannot_be_tuned_is_refused_with_the_reason() -> None:
    with pytest.raises(NoSuchThing) as refused:
        choose_settings([replace(DISK, tunable=False, why_not=message("compressed-memory"))], None)
    assert refused.value.message == message("not-tunable", disk=DISK.title, why=message("compressed-memory"))


@pytest.mark.parametrize("typed", ["/dev/cciss/c0d0", "cciss/c0d0", "cciss!c0d0"])
def test_a_disk_may_have_a_slash_in_its_name(typed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(target, "places", lambda *_: ())
    Tree(tmp_path).disk("cciss!c0d0", "104:0", sata(1))
    with pytest.raises(MeasurementImpossible) as refused:
        target.find_target(typed, System(tmp_path))
    assert refused.value.message.id == "not-mounted", "it is found"


@pytest.mark.parametrize(
    ("typed", "reason"), [("/dev/cciss/c0d0", "no-such-disk"), ("no/such", "no-folder"), ("no-such", "no-such-disk")]
)
def test_what_is_neither_a_disk_nor_a_folder_is_said_to_be_missing(typed: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(NoSuchThing) as refused:
        target.find_target(typed, System(tmp_path))
    assert refused.value.message.id == reason
