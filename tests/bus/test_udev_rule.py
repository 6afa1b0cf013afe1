# SPDX-License-Identifier: GPL-3.0-or-later
"""A real udevd does what the helper writes for good: at every start, not while measuring, no more once forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bus.conftest import RULES, Caller, Udevd
from tests.conftest import LoopDisk, Sudo
from tests.waiting import until

TUNABLES = {"iosched/low_latency": "0", "queue/nr_requests": "32"}


@pytest.fixture
def chosen(udevd: Udevd, helper: Caller, sudo: Sudo) -> LoopDisk:
    """A disk with bfq for good, which somebody has since given another scheduler."""
    disk = udevd.disk
    helper.call("Persist", disk.name, disk.diskseq, "bfq", TUNABLES)
    sudo("udevadm", "settle", "--timeout=10")
    assert settings(disk) == ("bfq", "0", "32")
    change(sudo, disk)
    return disk


def change(sudo: Sudo, disk: LoopDisk) -> None:
    """What a rule has to overcome: another scheduler, and another value of what both schedulers have."""
    sudo("tee", disk.queue / "scheduler", stdin="mq-deadline")
    sudo("tee", disk.queue / "nr_requests", stdin="64")
    assert settings(disk) == ("mq-deadline", "", "64")


def settings(disk: LoopDisk) -> tuple[str, str, str]:
    low_latency = disk.queue / "iosched/low_latency"
    text = low_latency.read_text().strip() if low_latency.exists() else ""
    return disk.scheduler, text, (disk.queue / "nr_requests").read_text().strip()


def looked_at(disk: LoopDisk) -> int:
    """When udev last wrote down what it knows of a disk, which it does for each event."""
    devno = (disk.queue.parent / "dev").read_text().strip()
    return Path(f"/run/udev/data/b{devno}").stat().st_mtime_ns


def written_to(sudo: Sudo, disk: LoopDisk) -> bool:
    """Write to the disk; whether udev looked at it then. (While it works on an event it watches nothing.)"""
    sudo("udevadm", "settle", "--timeout=30")
    before = looked_at(disk)
    sudo("tee", disk.device, stdin="written")
    woken = until(lambda: looked_at(disk) > before)
    sudo("udevadm", "settle", "--timeout=30")
    return woken


@pytest.mark.parametrize("action", ["add", "change"])
def test_the_choice_is_made_again_tunables_last(action: str, udevd: Udevd, chosen: LoopDisk) -> None:
    udevd.trigger(action, chosen)
    assert settings(chosen) == ("bfq", "0", "32")


def test_udev_follows_a_new_choice_at_once(udevd: Udevd, helper: Caller, sudo: Sudo) -> None:
    disk = udevd.disk
    for scheduler in ("bfq", "kyber"):
        helper.call("Persist", disk.name, disk.diskseq, scheduler, {})
        sudo("tee", disk.queue / "scheduler", stdin="none")
        udevd.trigger("change", disk)
        assert disk.scheduler == scheduler


def test_another_disk_and_another_action_are_left_alone(udevd: Udevd, chosen: LoopDisk, sudo: Sudo) -> None:
    change(sudo, udevd.other)
    udevd.trigger("change", udevd.other)
    udevd.trigger("move", chosen)
    assert settings(udevd.other) == settings(chosen) == ("mq-deadline", "", "64")


@pytest.mark.parametrize("action", ["add", "change"])
def test_a_trial_holds_the_rule_back_until_it_ends(action: str, udevd: Udevd, chosen: LoopDisk, helper: Caller) -> None:
    trial = helper.call("BeginTrial", [(chosen.name, chosen.diskseq)])
    helper.call("SetTrialScheduler", trial, chosen.name, "kyber")
    udevd.trigger(action, chosen)
    assert chosen.scheduler == "kyber"
    helper.call("EndTrial", trial)
    assert settings(chosen) == ("mq-deadline", "", "64")
    udevd.trigger(action, chosen)
    assert settings(chosen) == ("bfq", "0", "32")


def test_a_trial_of_another_disk_holds_nothing_back(udevd: Udevd, chosen: LoopDisk, helper: Caller) -> None:
    trial = helper.call("BeginTrial", [(udevd.other.name, udevd.other.diskseq)])
    udevd.trigger("change", chosen)
    assert settings(chosen) == ("bfq", "0", "32")
    helper.call("EndTrial", trial)


def test_a_later_choice_until_the_next_restart_holds_the_rule_back(
    udevd: Udevd, chosen: LoopDisk, helper: Caller, sudo: Sudo
) -> None:
    helper.call("SetScheduler", chosen.name, chosen.diskseq, "kyber")
    assert written_to(sudo, chosen)
    udevd.trigger("change", chosen)
    assert chosen.scheduler == "kyber"
    for _ in range(5):
        # Persist answers when udev is done: the rule does not run between a switch right after it and its read-back.
        helper.call("Persist", chosen.name, chosen.diskseq, "mq-deadline", {})
        helper.call("SetScheduler", chosen.name, chosen.diskseq, "none")
    helper.call("Revert", chosen.name)
    udevd.trigger("change", chosen)
    assert chosen.scheduler == "mq-deadline", "what was chosen for good is back"


def test_an_unfinished_line_above_does_not_swallow_the_rule(udevd: Udevd, helper: Caller, sudo: Sudo) -> None:
    disk = udevd.disk
    sudo("tee", RULES / "90-disktuner.rules", stdin='KERNEL=="none-such", ENV{NONE}="1" \\\n')
    helper.call("Persist", disk.name, disk.diskseq, "kyber", {})
    sudo("tee", disk.queue / "scheduler", stdin="none")
    udevd.trigger("change", disk)
    assert disk.scheduler == "kyber"
    sudo("rm", RULES / "90-disktuner.rules")


def test_writing_to_the_disk_wakes_the_rule_but_not_in_a_trial(
    udevd: Udevd, chosen: LoopDisk, helper: Caller, sudo: Sudo
) -> None:
    trial = helper.call("BeginTrial", [(chosen.name, chosen.diskseq)])
    assert written_to(sudo, chosen)
    assert chosen.scheduler == "mq-deadline"
    helper.call("EndTrial", trial)
    assert written_to(sudo, chosen)
    assert settings(chosen) == ("bfq", "0", "32")


def test_forgetting_leaves_no_trace(udevd: Udevd, chosen: LoopDisk, helper: Caller, sudo: Sudo) -> None:
    helper.call("Forget", chosen.name)
    for action in ("change", "add"):
        udevd.trigger(action, chosen)
        assert settings(chosen) == ("mq-deadline", "", "64")
    assert list(RULES.iterdir()) == []
    assert "persistent" not in sudo("find", "/var/lib/disktuner", "/run/disktuner")
    assert helper.state()["persistent"] == []
