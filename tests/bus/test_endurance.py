# SPDX-License-Identifier: GPL-3.0-or-later
"""What the helper does when polkit does not answer, when limits are reached, and over thousands of calls."""

from __future__ import annotations

import getpass
import json
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from disktuner_helper.contract import MAX_CALLS, MAX_CALLS_PER_CALLER, MAX_CALLS_PER_UID
from tests.bus.conftest import Caller, Refusal, helper_pid
from tests.bus.test_hostile import Patience, bus_pid, resident_kb
from tests.conftest import LoopDisk, Sudo
from tests.waiting import until

Make = Callable[..., Caller]
WARM_UP, BATCHES, BATCH = 2, 10, 1000


def polkit_pid() -> int:
    return int(subprocess.run(["pgrep", "-x", "polkitd"], capture_output=True, text=True, check=True).stdout.split()[0])


@pytest.fixture
def hang(helper: Caller, sudo: Sudo) -> Iterator[Callable[[], None]]:
    """From then on polkitd does not answer, until the test is over."""
    helper.call("RevertAll")
    stopped = str(polkit_pid())
    yield lambda: sudo("kill", "-STOP", stopped)
    sudo("kill", "-CONT", stopped)


@pytest.mark.long
def test_a_hanging_polkit_means_no_and_hinders_nobody(
    helper: Caller, caller: Make, disk: LoopDisk, hang: Callable[[], None], sudo: Sudo
) -> None:
    """Who needs polkit's word is refused after 25 s; who needs none is served meanwhile."""
    other, owner = caller(), caller()
    patience = Patience(other, helper_pid(sudo), bus_pid())
    trial = owner.call("BeginTrial", [(disk.name, disk.diskseq)])
    for _ in range(100):
        patience.ask()
    before = max(patience.waits)
    hang()
    helper.send("SetScheduler", disk.name, disk.diskseq, "bfq", interactive=True)
    began = time.monotonic()
    while time.monotonic() - began < 20:
        patience.ask()
        time.sleep(0.02)
    for scheduler in ("kyber", "mq-deadline"):
        owner.call("SetTrialScheduler", trial, disk.name, scheduler)
        assert disk.scheduler == scheduler
    owner.call("EndTrial", trial)
    with pytest.raises(Refusal, match="AccessDenied"):
        helper.answer()
    # As in the hostile test: a busy machine makes somebody wait without a hanging polkit, too.
    assert max(patience.waits) < 0.1 + before, "one person's question keeps others waiting"
    assert 24.5 < helper.seconds < 27, "it was refused for another reason, or late"
    assert disk.scheduler == "none"


class Crowd:
    """Calls of one user, see crowd.py."""

    def __init__(self, user: str, connections: int, each: int) -> None:
        prefix = ["sudo", "-n", "-u", user, "--", "/usr/bin/python3", str(Path(__file__).with_name("crowd.py"))]
        command = [*prefix, str(connections), str(each)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        assert self.process.stdout and self.process.stdout.readline() == "ready\n"

    def begin(self) -> None:
        assert self.process.stdin
        self.process.stdin.write("begin\n")

    def answers(self) -> list[tuple[str, float]]:
        """Each call's error and the seconds it waited."""
        output, _ = self.process.communicate(timeout=60)
        return [(name, seconds) for name, seconds in json.loads(output)]


@pytest.fixture
def crowd() -> Iterator[Callable[[str, int, int], Crowd]]:
    with ExitStack() as ending:

        def gather(user: str, connections: int, each: int) -> Crowd:
            made = Crowd(user, connections, each)
            ending.enter_context(made.process)  # closes its pipes, which tells it to end
            return made

        yield gather


@pytest.mark.long
def test_waiting_calls_are_bounded(
    helper: Caller, crowd: Callable[[str, int, int], Crowd], hang: Callable[[], None], sudo: Sudo
) -> None:
    """Whoever asks too much is refused at once; those who were let in wait for polkit in vain.

    Four users stay within their own limits, and could fill all places; so the limit for all refuses them where one
    who asks for more than his share has places, too.
    """
    greedy = crowd("dt-other", 6, 9)
    modest = [crowd(user, 4, 4) for user in (getpass.getuser(), "dt-admin", "dt-ask", "root")]
    pid = helper_pid(sudo)
    hang()
    greedy.begin()
    assert until(lambda: threads(pid) > 16)
    for one in modest:
        one.begin()
    assert until(lambda: threads(pid) > 48)
    helper.state()
    asked = greedy.answers()
    his = Counter(name for name, _ in asked)
    assert his["Busy"] >= 6 * 9 - MAX_CALLS_PER_UID
    assert his["AccessDenied"] >= 6, "those who were let in must wait for polkit"
    asked += [answer for one in modest for answer in one.answers()]
    answers = Counter(name for name, _ in asked)
    assert set(answers) == {"Busy", "AccessDenied"}
    # Before his share is known, one user holds up to MAX_CALLS_PER_CALLER places for each of his connections.
    assert MAX_CALLS - (6 * MAX_CALLS_PER_CALLER - 6) <= answers["AccessDenied"] <= MAX_CALLS
    assert max(seconds for name, seconds in asked if name == "Busy") < 20, "Busy is to be said at once"
    peak = int(Path(f"/proc/{pid}/status").read_text().partition("VmHWM:")[2].split()[0])
    assert peak < 64 * 1024, "half of the unit's MemoryMax"


def threads(pid: int) -> int:
    return int(Path(f"/proc/{pid}/status").read_text().partition("Threads:")[2].split()[0])


def test_a_missing_polkit_means_no(helper: Caller, disk: LoopDisk, sudo: Sudo) -> None:
    helper.call("SetScheduler", disk.name, disk.diskseq, "kyber")
    service = "/usr/share/dbus-1/system-services/org.freedesktop.PolicyKit1.service"
    sudo("mv", service, service + ".off")
    reload_bus()
    sudo("kill", str(polkit_pid()))
    try:
        with pytest.raises(Refusal, match="AccessDenied"):
            helper.call("SetScheduler", disk.name, disk.diskseq, "bfq", interactive=True)
        assert disk.scheduler == "kyber"
        helper.state()
    finally:
        sudo("mv", service + ".off", service)
        reload_bus()
    helper.call("SetScheduler", disk.name, disk.diskseq, "bfq")


def test_trials_are_bounded_per_user(caller: Make, helper: Caller, loop_disk: Callable[..., LoopDisk]) -> None:
    disks = [loop_disk(size_mb=16, fs=None) for _ in range(5)]
    for disk in disks[:4]:
        helper.call("BeginTrial", [(disk.name, disk.diskseq)])
    with pytest.raises(Refusal, match="Busy"):
        caller().call("BeginTrial", [(disks[4].name, disks[4].diskseq)])
    with pytest.raises(Refusal, match="Busy"):
        helper.call("BeginTrial", [(f"loop{n}", 0) for n in range(33)])


@pytest.fixture
def many_allowed(helper: Caller, caller: Make, sudo: Sudo) -> Iterator[tuple[str, ...]]:
    """Four users whom polkit allows trials."""
    rule = "/usr/share/polkit-1/rules.d/05-disktuner-test.rules"
    users = ("", "root", "dt-admin", "dt-other")
    yes = 'if (action.id == "org.disktuner.trial") { return polkit.Result.YES; }'
    sudo("tee", rule, stdin=f"polkit.addRule(function(action, subject) {{ {yes} }});")
    probe = caller("dt-other")
    assert until(lambda: refusal(probe, "BeginTrial", []) == "NoSuchDisk"), "polkit did not take the rule"
    yield users
    sudo("rm", rule)
    assert until(lambda: refusal(probe, "BeginTrial", []) == "AccessDenied")


def refusal(caller: Caller, method: str, *arguments: Any) -> str:
    with pytest.raises(Refusal) as refused:
        caller.call(method, *arguments)
    return str(refused.value)


def test_sixteen_trials_at_once_and_no_more(
    many_allowed: tuple[str, ...], caller: Make, helper: Caller, loop_disk: Callable[..., LoopDisk]
) -> None:
    disks = [loop_disk(size_mb=1, fs=None) for _ in range(17)]
    owners = [caller(user) for user in many_allowed]
    schedulers = ("mq-deadline", "kyber", "bfq", "none")
    for number, disk in enumerate(disks[:16]):
        owner = owners[number // 4]
        trial = owner.call("BeginTrial", [(disk.name, disk.diskseq)])
        owner.call("SetTrialScheduler", trial, disk.name, schedulers[number % 4])
    assert [disk.scheduler for disk in disks] == [*schedulers * 4, "none"]
    assert len(helper.state()["trials"]) == 16
    assert refusal(caller("dt-ask"), "BeginTrial", [(disks[16].name, disks[16].diskseq)]) == "Busy"
    for owner in owners:
        owner.process.terminate()
        owner.process.wait(10)
    assert until(lambda: helper.state()["trials"] == [])
    assert {disk.scheduler for disk in disks} == {"none"}


@pytest.mark.long
def test_ten_thousand_calls_leave_the_memory_flat(helper: Caller, disk: LoopDisk, sudo: Sudo) -> None:
    helper.state()
    pid, sizes = helper_pid(sudo), []
    for _ in range(WARM_UP + BATCHES):
        helper.call("SetScheduler", disk.name, disk.diskseq, "kyber")
        helper.call("Revert", disk.name)
        for turn in range(BATCH):
            if turn % 10 == 0:
                helper.call("Revert", disk.name)
            elif turn % 2:
                helper.state()
            else:
                with suppress(Refusal):
                    helper.call("EndTrial", "x")
        sizes.append(resident_kb(pid))
    assert helper_pid(sudo) == pid
    assert max(sizes[WARM_UP:]) - sizes[WARM_UP - 1] <= 1024, sizes


@pytest.mark.long
def test_it_goes_when_idle_and_never_during_a_trial(helper: Caller, caller: Make, disk: LoopDisk, sudo: Sudo) -> None:
    owner = caller()
    trial = owner.call("BeginTrial", [(disk.name, disk.diskseq)])
    owner.call("SetTrialScheduler", trial, disk.name, "bfq")
    pid = helper_pid(sudo)
    time.sleep(34)
    assert (helper_pid(sudo), disk.scheduler) == (pid, "bfq"), "it left during a trial"
    owner.call("EndTrial", trial)
    began = time.monotonic()
    assert until(lambda: not Path(f"/proc/{pid}").exists()), "it did not leave"
    assert time.monotonic() - began > 25, "it left too early"


def reload_bus() -> None:
    bus = "org.freedesktop.DBus"
    subprocess.run(
        ["sudo", "-n", "gdbus", "call", "--system", "-d", bus, "-o", "/", "-m", f"{bus}.ReloadConfig"],
        check=True,
        capture_output=True,
    )
