# SPDX-License-Identifier: GPL-3.0-or-later
"""From what the user names to the folder that is written in, and which schedulers are compared."""

from __future__ import annotations

from dataclasses import replace

import pytest

from disktuner.block.disk import Disk, Transport
from disktuner.comparison.preparation import choose_schedulers
from disktuner.vocabulary import kinds
from disktuner.vocabulary.errors import NoSuchThing
from disktuner.vocabulary.messages import message

DISK = Disk(
    "sda", "8:0", 1, "Model", "", "", "", 10**12, kinds.HDD, Transport.SATA, True, True, False, "none",
    "mq-deadline", ("none", "mq-deadline"), ("bfq",), True, None,
)  # fmt: skip


def test_all_that_is_offered_or_loadable_is_compared_the_baseline_first() -> None:
    assert choose_schedulers([DISK], None) == (("mq-deadline", "none", "bfq"), "mq-deadline")


def test_the_baseline_is_always_among_them() -> None:
    assert choose_schedulers([DISK], ("bfq",)) == (("mq-deadline", "bfq"), "mq-deadline")


def test_only_what_all_disks_below_offer_is_compared() -> None:
    other = replace(DISK, name="sdb", schedulers=("mq-deadline", "kyber"), loadable=("bfq",))
    assert choose_schedulers([DISK, other], None)[0] == ("mq-deadline", "bfq")


def test_settings_are_compared_as_schedulers_are() -> None:
    tuned = replace(DISK, tunables={"queue/nr_requests": 64})
    wanted = ("bfq:slice_idle=0", "mq-deadline:queue/nr_requests=4")
    assert choose_schedulers([tuned], wanted) == (("mq-deadline", *wanted), "mq-deadline")
    assert choose_schedulers([tuned], ("mq-deadline", "mq-deadline:fifo_batch=1"))[1] == "mq-deadline"
    with pytest.raises(NoSuchThing, match="no scheduler “kyber”"):
        choose_schedulers([tuned], ("kyber:read_lat_nsec=1",))
    with pytest.raises(NoSuchThing, match="has no queue/wbt_lat_usec"):
        choose_schedulers([tuned], ("none:queue/wbt_lat_usec=0",))


def test_what_cannot_be_tuned_is_refused_with_the_reason() -> None:
    with pytest.raises(NoSuchThing) as refused:
        choose_schedulers([replace(DISK, tunable=False, why_not=message("compressed-memory"))], None)
    assert refused.value.message == message("not-tunable", disk=DISK.title, why=message("compressed-memory"))
