# SPDX-License-Identifier: GPL-3.0-or-later
"""Trials in daily use, on the real bus with the real polkit: who may change what, and nobody else."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.bus.conftest import Caller, Refusal, answer_with, helper_pid, named, stop_helper, text_agent, tomorrow
from tests.bus.test_audit import LINE, Log, log
from tests.bus.test_methods import refusal
from tests.conftest import LoopDisk, Sudo
from tests.end2end.comparing import values

__all__ = ["log"]
RIGHTS = Path("/var/lib/disktuner/field-trials.json")
PAIR = [("bfq", {"iosched/slice_idle": "0"}), ("kyber", {})]
Make = Callable[..., Caller]


def begin(user: Caller, disk: LoopDisk, **other: Any) -> str:
    return str(user.call("BeginFieldTrial", named(disk), PAIR, tomorrow(), **other))


def rights(sudo: Sudo) -> str:
    return sudo("cat", RIGHTS)


def test_who_was_allowed_once_changes_it_until_it_ends_and_all_is_as_it_was(
    caller: Make, helper: Caller, known_disk: LoopDisk, sudo: Sudo, log: Log
) -> None:
    before, user = values(known_disk), caller("dt-ask")
    agent = text_agent(user.pid)
    user.send("BeginFieldTrial", named(known_disk), PAIR, tomorrow(), interactive=True)
    prompt = answer_with(agent, "admin-pw", "AUTHENTICATION COMPLETE")
    trial = user.answer()
    agent.close(force=True)
    assert "bfq iosched slice_idle 0, kyber" in " ".join(prompt.split()) and "$(" not in prompt
    assert sudo("stat", "-c", "%a %U", RIGHTS.parent).split() == ["700", "root"]
    assert values(known_disk) == before
    user.call("SetFieldTrial", trial, 0)
    assert (known_disk.scheduler, (known_disk.queue / "iosched/slice_idle").read_text()) == ("bfq", "0\n")
    user.leave()
    stop_helper(sudo, "-KILL")
    assert known_disk.scheduler == "bfq", "neither its leaving nor the helper's ends it"
    again = caller("dt-ask")  # as after a restart: somebody else on the bus, and another helper
    again.call("SetFieldTrial", trial, 1)
    assert known_disk.scheduler == "kyber"
    (trial_shown,) = helper.state()["field_trials"]
    assert (trial_shown["disk"], [setting["scheduler"] for setting in trial_shown["settings"]]) == (
        known_disk.name,
        ["bfq", "kyber"],
    )
    again.call("EndFieldTrial", trial)
    assert values(known_disk) == before and helper.state()["field_trials"] == []
    actions = {match["action"] for line in log() if (match := LINE.fullmatch(line))}
    assert {"BeginFieldTrial", "SetFieldTrial", "EndFieldTrial", "field-trial-ended"} <= actions


def test_nobody_else_and_nothing_else(
    caller: Make, helper: Caller, known_disk: LoopDisk, loop_disk: Callable[..., LoopDisk], sudo: Sudo, log: Log
) -> None:
    trial, strangers = begin(helper, known_disk), (caller("dt-other"), caller("dt-ask"))
    helper.call("SetFieldTrial", trial, 0)
    before, rights_before, other = values(known_disk), rights(sudo), loop_disk(size_mb=16, fs=None)
    for stranger in strangers:
        for method, arguments in (("SetFieldTrial", (trial, 1)), ("EndFieldTrial", (trial,))):
            assert refusal(stranger, method, *arguments).startswith("NoSuchTrial")
        assert refusal(stranger, "BeginFieldTrial", named(known_disk), PAIR, 2**63).startswith("AccessDenied")
    until = tomorrow()
    for method, arguments, error in (
        ("SetFieldTrial", (trial, 2), "NoSuchScheduler"),
        ("SetFieldTrial", ("0" * 32, 1), "NoSuchTrial"),
        ("BeginFieldTrial", (named(known_disk), PAIR, until), "Busy"),
        ("BeginFieldTrial", ([(other.name, other.diskseq + 1)], PAIR, until), "StaleDisk"),
        ("BeginFieldTrial", (named(other), PAIR, until), "NotUnique"),
        ("BeginFieldTrial", (named(known_disk, other), PAIR, until), "NoSuchDisk"),
        ("BeginFieldTrial", (named(other), [*PAIR, ("none", {})], until), "InvalidTunable"),
        ("BeginFieldTrial", (named(other), PAIR * 5_000, until), "InvalidTunable"),
        ("BeginFieldTrial", (named(other), [("x" * 100_000, {}), ("bfq", {})], until), "NoSuchScheduler"),
        ("BeginFieldTrial", (named(other), PAIR, until + 40 * 86400), "InvalidTunable"),
        ("Set", (named(known_disk), "none", {}, False), "Busy"),
    ):
        assert refusal(helper, method, *arguments).startswith(error), (method, error)
    assert (values(known_disk), rights(sudo)) == (before, rights_before)
    refusals = [
        match for line in log() if (match := LINE.fullmatch(line)) and match["outcome"] == "failed: NoSuchTrial"
    ]
    assert {match["action"] for match in refusals} == {"SetFieldTrial", "EndFieldTrial"} and len(refusals) == 5
    helper.call("Revert", named(known_disk))
    assert known_disk.scheduler == "none" and helper.state()["field_trials"] == []


def test_whoever_sets_while_it_ends_leaves_the_disk_as_it_was(
    helper: Caller, caller: Make, known_disk: LoopDisk
) -> None:
    before, strangers = values(known_disk), [caller() for _ in range(3)]
    for _ in range(10):
        trial = begin(helper, known_disk)
        for which, user in enumerate(strangers):
            user.send("SetFieldTrial", trial, which % 2)
        helper.call("EndFieldTrial", trial)
        for user in strangers:
            with suppress(Refusal):  # NoSuchTrial: it came too late
                user.answer()
        assert values(known_disk) == before and helper.state()["field_trials"] == []


def test_another_disk_that_takes_the_name_or_the_place_is_not_touched(
    helper: Caller, known_disk: LoopDisk, sudo: Sudo
) -> None:
    trial = begin(helper, known_disk)
    database = f"/run/udev/data/b{(known_disk.queue.parent / 'dev').read_text().strip()}"
    record = sudo("cat", database)
    for strange in ("E:ID_SERIAL=Another_Disk\n", "E:ID_PATH=pci-1\n", ""):
        sudo("tee", database, stdin=strange)
        assert refusal(helper, "SetFieldTrial", trial, 0).startswith("NoSuchDisk")
        assert known_disk.scheduler == "none"
    sudo("tee", database, stdin=record)
    helper.call("SetFieldTrial", trial, 0)
    helper.call("EndFieldTrial", trial)


@pytest.mark.parametrize("forged", [{"until": 4_000_000_000}, {"value": "*"}, {"uid": "0"}, None])
def test_a_forged_state_is_no_right(
    forged: dict[str, Any] | None, helper: Caller, known_disk: LoopDisk, sudo: Sudo
) -> None:
    trial = begin(helper, known_disk)
    helper.call("SetFieldTrial", trial, 0)
    before, ours = values(known_disk), json.loads(rights(sudo))
    sudo("tee", RIGHTS, stdin="{" if forged is None else json.dumps({trial: {**ours[trial], **forged}}))
    stop_helper(sudo)
    assert refusal(helper, "SetFieldTrial", trial, 1).startswith("NoSuchTrial")
    assert values(known_disk) == before and helper.state()["field_trials"] == []
    assert not list(Path("/run/disktuner/hold").glob("*")), "a rule of the disk's acts again"
    helper.call("Revert", named(known_disk))
    assert known_disk.scheduler == "none"
    sudo("rm", "-rf", RIGHTS.parent)


def test_after_its_date_it_is_over_and_the_next_helper_gives_back_what_the_disk_had(
    helper: Caller, known_disk: LoopDisk, sudo: Sudo
) -> None:
    trial = begin(helper, known_disk)
    helper.call("SetFieldTrial", trial, 0)
    ours = json.loads(rights(sudo))[trial]
    stop_helper(sudo)
    sudo("tee", RIGHTS, stdin=json.dumps({trial: {**ours, "since": 1_700_000_000, "until": 1_700_086_400}}))
    assert refusal(helper, "SetFieldTrial", trial, 1).startswith("NoSuchTrial")
    assert helper_pid(sudo) and known_disk.scheduler == "none" and sudo("ls", RIGHTS.parent) == ""


def test_one_that_begins_later_by_a_clock_that_was_set_back_is_dropped_at_the_start(
    helper: Caller, known_disk: LoopDisk, sudo: Sudo
) -> None:
    before, trial = values(known_disk), begin(helper, known_disk)
    helper.call("SetFieldTrial", trial, 0)
    ours = json.loads(rights(sudo))[trial]
    stop_helper(sudo)
    sudo("tee", RIGHTS, stdin=json.dumps({trial: {**ours, "since": tomorrow(), "until": tomorrow() + 86_400}}))
    assert refusal(helper, "SetFieldTrial", trial, 1).startswith("NoSuchTrial")
    assert values(known_disk) == before and helper.state()["field_trials"] == []
    helper.set(known_disk, "bfq")
    helper.call("Revert", named(known_disk))


def test_what_the_kernel_would_not_take_is_no_setting_for_a_week(
    helper: Caller, known_disk: LoopDisk, sudo: Sudo
) -> None:
    """As Set would refuse it; and the disk is restored."""
    sudo("tee", known_disk.queue / "nr_requests", stdin="64")
    before = values(known_disk)
    for wrong, error in (
        (("none bqf", {}), "NoSuchScheduler"),
        (("bqf", {}), "NoSuchScheduler: "),
        (("none", {"queue/nr_requests": "65536"}), "InvalidTunable"),
    ):
        for pair in ([wrong, PAIR[1]], [PAIR[0], wrong]):
            refused = refusal(helper, "BeginFieldTrial", named(known_disk), pair, tomorrow())
            assert refused.startswith(error), refused
            assert values(known_disk) == before and helper.state()["field_trials"] == []
    helper.call("EndFieldTrial", begin(helper, known_disk))
    assert values(known_disk) == before and not list(Path("/run/disktuner/hold").glob("*"))


def test_a_measurement_goes_first(helper: Caller, known_disk: LoopDisk) -> None:
    trial = begin(helper, known_disk)
    helper.call("SetFieldTrial", trial, 0)
    measuring = helper.begin(known_disk)
    helper.set_trial(measuring, known_disk, "none")
    for method, arguments in (("SetFieldTrial", (trial, 1)), ("EndFieldTrial", (trial,))):
        assert refusal(helper, method, *arguments).startswith("Busy")
    helper.call("EndTrial", measuring)
    assert known_disk.scheduler == "bfq"
    helper.call("EndFieldTrial", trial)
    assert known_disk.scheduler == "none"
