# SPDX-License-Identifier: GPL-3.0-or-later
"""The helper's log: who asked for what, also where it was refused, and what the next helper put back."""

from __future__ import annotations

import os
import pwd
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.bus.conftest import Caller, Refusal, helper_pid
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
    """The helper's lines since the test began. It writes to stderr where no system log listens."""
    helper.state()
    place = sudo("readlink", f"/proc/{helper_pid(sudo)}/fd/2").strip()
    covered = Path("/dev/log").exists()
    if covered:
        sudo("mount", "--bind", "/dev/null", "/dev/log")
    before = len(sudo("cat", place))
    yield lambda: [line for line in sudo("cat", place)[before:].splitlines() if line.startswith("disktuner-helper")]
    if covered:
        sudo("umount", "/dev/log")


def uid(user: str) -> str:
    return str(pwd.getpwnam(user).pw_uid)


def last(log: Log) -> dict[str, str]:
    match = LINE.fullmatch(log()[-1])
    assert match, log()[-1]
    return match.groupdict()


def refused(one: Caller, method: str, *arguments: Any) -> None:
    with pytest.raises(Refusal):
        one.call(method, *arguments)


def test_a_refused_call_says_what_it_asked_for(
    caller: Callable[[str], Caller], helper: Caller, disk: LoopDisk, log: Log
) -> None:
    other, name, seq = caller("dt-other"), disk.name, disk.diskseq
    asked = {
        "SetScheduler": ((name, seq, "bfq"), f"{name} {seq} bfq"),
        "SetTunables": ((name, seq, {"queue/nomerges": "1"}), f"{name} {seq} queue nomerges : 1"),
        "BeginTrial": (([(name, seq)],), f"{name} {seq}"),
        "Persist": ((name, seq, "kyber", {"queue/rq_affinity": "2"}), f"{name} {seq} kyber queue rq_affinity : 2"),
    }
    for method, (arguments, said) in asked.items():
        refused(other, method, *arguments)
        line = {"uid": uid("dt-other"), "action": method, "disk": name, "change": f"asked for {said}"}
        assert last(log) == {**line, "outcome": "refused"}


def test_a_trials_setting_says_what_it_changed(helper: Caller, disk: LoopDisk, log: Log) -> None:
    trial = helper.call("BeginTrial", [(disk.name, disk.diskseq)])
    helper.call("SetTrialSetting", trial, disk.name, "bfq", {"iosched/slice_idle": "0", "queue/nomerges": "1"})
    said = {"uid": str(os.getuid()), "action": "SetTrialSetting", "disk": disk.name}
    change = "none -> bfq queue/nomerges: 0 -> 1 iosched/slice_idle: None -> 0"
    assert last(log) == {**said, "change": change, "outcome": "allowed"}
    refused(helper, "SetTrialSetting", trial, disk.name, "bfq", {"iosched/slice_idle": "0 <b>"})
    assert last(log) == {
        **said,
        "change": f"asked for {trial} {disk.name} bfq iosched slice_idle : 0 b",
        "outcome": "failed: InvalidTunable",
    }
    helper.call("EndTrial", trial)


def test_a_failed_call_says_so_in_harmless_characters(helper: Caller, disk: LoopDisk, log: Log) -> None:
    name, seq = disk.name, disk.diskseq
    refused(helper, "SetScheduler", name, seq, "cfq")
    assert (last(log)["change"], last(log)["outcome"]) == (f"asked for {name} {seq} cfq", "failed: NoSuchScheduler")
    refused(helper, "SetScheduler", name, seq, 'bfq" outcome="allowed"\n<0>kernel: \x1b[2J')
    assert last(log)["change"] == f"asked for {name} {seq} bfq outcome allowed n 0 kernel: u001b 2J"
    refused(helper, "SetTunables", name, seq, {f"queue/{number:0100}": "1" for number in range(20)})
    assert len(last(log)["change"]) <= 522
    refused(helper, "SetTunables", name, seq, {"x" * 100_000: "1"})
    assert len(log()) == 3, "what is too big gets no further than the door"


def test_what_the_next_helper_put_back_is_told(helper: Caller, disk: LoopDisk, sudo: Sudo, log: Log) -> None:
    sudo("sh", "-c", f"echo mq-deadline >{disk.queue}/scheduler")
    trial = helper.call("BeginTrial", [(disk.name, disk.diskseq)])
    helper.call("SetTrialScheduler", trial, disk.name, "bfq")
    pid = helper_pid(sudo)
    sudo("kill", "-9", str(pid))
    assert until(lambda: helper_pid(sudo) != pid)
    assert helper.state()["trials"] == []
    what = {"disk": disk.name, "change": f"helper died: {disk.name}=mq-deadline", "outcome": "restored"}
    assert last(log) == {"uid": str(os.getuid()), "action": "trial-ended", **what}


def test_who_ends_a_trial_hears_what_could_not_be_put_back(
    helper: Caller, disk: LoopDisk, sudo: Sudo, log: Log
) -> None:
    trial = helper.call("BeginTrial", [(disk.name, disk.diskseq)])
    helper.call("SetTrialScheduler", trial, disk.name, "bfq")
    sudo("losetup", "--detach", disk.device)  # what is attached there next is another disk: it has another diskseq
    with pytest.raises(Refusal, match="WriteFailed") as refusal:
        helper.call("EndTrial", trial)
    assert f"not-put-back disks={disk.name}" in str(refusal.value.__cause__)
    ended = [line for line in log() if 'action="trial-ended"' in line]
    assert len(ended) == 1 and f'outcome="not restored: {disk.name}"' in ended[0]
    assert helper.state()["trials"] == []
