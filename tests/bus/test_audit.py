# SPDX-License-Identifier: GPL-3.0-or-later
"""The helper's log: who asked for what, even if refused, and what the next helper restored."""

from __future__ import annotations

import os
import pwd
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.bus.conftest import Caller, Refusal, helper_pid, named
from tests.conftest import LoopDisk, Sudo
from tests.waiting import until

Log = Callable[[], list[str]]
LINE = re.compile(
    r'disktuner-helper: uid="(?P<uid>\d+)" caller="[:.0-9]*" action="(?P<action>[A-Za-z-]+)" '
    r'disk="(?P<disk>[a-z0-9 ]*)" change="(?P<change>[A-Za-z0-9_.:!+= />-]{0,600})" '
    r'outcome="(?P<outcome>[A-Za-z:0-9 ]+)"'
)


@pytest.fixture
def log(helper: Caller, sudo: Sudo) -> Iterator[Log]:
    """Return the helper's lines since the test began. It writes to stderr if no system log listens."""
    helper.state()
    place = sudo("readlink", f"/proc/{helper_pid(sudo)}/fd/2").strip()
    covered = Path("/dev/log").exists()
    if covered:
        sudo("mount", "--bind", "/dev/null", "/dev/log")
    before = len(sudo("cat", place))
    yield lambda: [line for line in sudo("cat", place)[before:].splitlines() if line.startswith("disktuner-helper")]
    if covered:
        sudo("umount", "/dev/log")


def last(log: Log) -> dict[str, str]:
    match = LINE.fullmatch(log()[-1])
    assert match, log()[-1]
    return match.groupdict()


def test_each_decision_is_a_line_of_harmless_characters(
    caller: Callable[[str], Caller], helper: Caller, disk: LoopDisk, log: Log
) -> None:
    name, seq, other = disk.name, disk.diskseq, caller("dt-other")
    forged = 'bfq" outcome="allowed"\n<0>kernel: \x1b[2J'
    trial = helper.begin(disk)
    disks, idle = named(disk), {"iosched/slice_idle": "0 <b>"}
    cases: list[tuple[Caller, str, tuple[Any, ...], str, str]] = [
        (other, "Set", (disks, "bfq", {"queue/nomerges": "1"}, False),
         f"{name} {seq} bfq queue nomerges : 1 false", "refused"),
        (other, "Set", (disks, "kyber", {}, True), f"{name} {seq} kyber true", "refused"),
        (other, "BeginTrial", (disks,), f"{name} {seq}", "refused"),
        (helper, "Set", (disks, "cfq", {}, False), f"{name} {seq} cfq false", "failed: Busy"),
        (helper, "SetTrial", (trial, name, "cfq", {}), f"{trial} {name} cfq", "failed: NoSuchScheduler"),
        (helper, "SetTrial", (trial, name, "bfq", idle),
         f"{trial} {name} bfq iosched slice_idle : 0 b", "failed: InvalidTunable"),
        (helper, "Set", (disks, forged, {}, False),
         f"{name} {seq} bfq outcome allowed n 0 kernel: u001b 2J false", "failed: Busy"),
    ]  # fmt: skip
    for user, method, arguments, prompts, outcome in cases:
        with pytest.raises(Refusal):
            user.call(method, *arguments)
        line = last(log)
        assert (line["action"], line["disk"]) == (method, name)
        assert (line["change"], line["outcome"]) == (f"asked for {prompts}", outcome)
        assert line["uid"] == str(pwd.getpwnam("dt-other").pw_uid if user is other else os.getuid())
    with pytest.raises(Refusal):
        helper.set(disk, "bfq", {f"queue/{number:0100}": "1" for number in range(20)})
    assert len(last(log)["change"]) <= 522
    helper.set_trial(trial, disk, "bfq", {"iosched/slice_idle": "0", "queue/nomerges": "1"})
    changed = "none -> bfq queue/nomerges: 0 -> 1 iosched/slice_idle: None -> 0"
    assert (last(log)["change"], last(log)["outcome"]) == (changed, "allowed")
    helper.call("EndTrial", trial)


def test_what_the_next_helper_put_back_is_told(helper: Caller, disk: LoopDisk, sudo: Sudo, log: Log) -> None:
    sudo("sh", "-c", f"echo mq-deadline >{disk.queue}/scheduler")
    trial = helper.begin(disk)
    helper.set_trial(trial, disk, "bfq")
    pid = helper_pid(sudo)
    sudo("kill", "-9", str(pid))
    until(lambda: helper_pid(sudo) != pid)
    assert helper.state()["trials"] == []
    fields = {"disk": disk.name, "change": f"helper died: {disk.name}=mq-deadline", "outcome": "restored"}
    assert last(log) == {"uid": str(os.getuid()), "action": "trial-ended", **fields}


def test_who_ends_a_trial_hears_what_could_not_be_put_back(
    helper: Caller, disk: LoopDisk, sudo: Sudo, log: Log
) -> None:
    trial = helper.begin(disk)
    helper.set_trial(trial, disk, "bfq")
    sudo("losetup", "--detach", disk.device)  # what is attached there next is another disk: it has another diskseq
    with pytest.raises(Refusal, match="WriteFailed") as refusal:
        helper.call("EndTrial", trial)
    assert f"not-put-back disks={disk.name}" in str(refusal.value.__cause__)
    ended = [line for line in log() if 'action="trial-ended"' in line]
    assert len(ended) == 1 and f'outcome="not restored: {disk.name}"' in ended[0]
    assert helper.state()["trials"] == []
