# SPDX-License-Identifier: GPL-3.0-or-later
"""How much may wait in memory for a disk is set, kept for good, and back to the millionth whatever ends a trial."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from disktuner.block.system import System
from disktuner.vocabulary.tunables import is_same
from tests.bus.conftest import Caller, Refusal, Udevd, named
from tests.bus.test_put_back import ENDS
from tests.conftest import LoopDisk, Sudo
from tests.waiting import until

MIB = 1024 * 1024
LIMIT = {"bdi/max_bytes": str(16 * MIB), "bdi/strict_limit": "1"}
FIRST = ("14318", "0")


def kept(disk: LoopDisk) -> tuple[str, str]:
    """What the kernel keeps: the share, and whether it always holds."""
    share, strict = (
        (disk.queue.parent / "bdi" / name).read_text().strip() for name in ("max_ratio_fine", "strict_limit")
    )
    return share, strict


def is_limited(disk: LoopDisk, mib: int = 16) -> bool:
    now = System().tunables(disk.name)
    return is_same("bdi/max_bytes", now["bdi/max_bytes"], mib * MIB) and now["bdi/strict_limit"] == 1


def give(sudo: Sudo, disk: LoopDisk, share: str, strict: str) -> None:
    sudo("tee", disk.queue.parent / "bdi/max_ratio_fine", stdin=share)
    sudo("tee", disk.queue.parent / "bdi/strict_limit", stdin=strict)


@pytest.fixture
def limited(disk: LoopDisk, sudo: Sudo) -> Iterator[LoopDisk]:
    """A disk with an odd limit. A loop device keeps its limit for the next file that is attached to it."""
    give(sudo, disk, *FIRST)
    yield disk
    give(sudo, disk, "1000000", "0")


@pytest.mark.parametrize("what", ENDS)
def test_the_limit_is_back_whatever_ends_the_trial(
    what: str, helper: Caller, caller: Callable[[], Caller], limited: LoopDisk, sudo: Sudo
) -> None:
    owner = caller()
    trial = owner.begin(limited)
    for scheduler, wish in (("none", LIMIT), ("bfq", {}), ("none", {"bdi/max_ratio": "7"}), ("bfq", LIMIT)):
        owner.set_trial(trial, limited, scheduler, wish)
        assert (kept(limited) == FIRST) is not bool(wish)
    assert is_limited(limited)
    ENDS[what](owner, sudo)
    until(lambda: helper.state()["trials"] == [])
    assert kept(limited) == FIRST


def test_revert_and_a_refused_wish_leave_what_was_there(helper: Caller, limited: LoopDisk) -> None:
    beyond = str(512 * 1024 * MIB)
    for wish in (
        {"bdi/max_bytes": beyond},
        {"bdi/strict_limit": "1", "bdi/max_ratio": "0"},
        LIMIT | {"bdi/max_ratio": "5"},
    ):
        with pytest.raises(Refusal, match="InvalidTunable"):
            helper.set(limited, "none", wish)
        assert kept(limited) == FIRST and helper.state()["snapshots"] == []
    for wish in (LIMIT, {"bdi/max_bytes": str(64 * MIB)}):
        helper.set(limited, "bfq", wish)
        assert is_limited(limited, int(wish["bdi/max_bytes"]) // MIB)
    helper.call("Revert", named(limited))
    assert kept(limited) == FIRST


def test_udev_sets_the_limit_at_every_start_and_it_is_known_for_ours(udevd: Udevd, helper: Caller, sudo: Sudo) -> None:
    disk = udevd.disk
    try:
        helper.set(disk, "none", LIMIT, persist=True)
        for action in ("add", "change"):
            give(sudo, disk, "1000000", "0")
            udevd.trigger(action, disk)
            assert is_limited(disk)
        found = System().disk(disk.name)
        assert found.persistent and found.persistent.tunables == {"bdi/max_bytes": 16 * MIB, "bdi/strict_limit": 1}
        helper.call("Forget", named(disk))
        give(sudo, disk, "1000000", "0")
        udevd.trigger("add", disk)
        assert kept(disk) == ("1000000", "0")
    finally:
        give(sudo, disk, "1000000", "0")
