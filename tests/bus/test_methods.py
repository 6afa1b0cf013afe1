# SPDX-License-Identifier: GPL-3.0-or-later
"""Every method of the interface, for callers who may, who may not, and who are asked for a password."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pexpect
import pytest

from tests.bus.conftest import SIGNATURES, Caller, Refusal, Session, answer_with, text_agent
from tests.conftest import LoopDisk, Sudo
from tests.waiting import until

XML = Path(__file__).parents[2] / "resources/dbus-1/org.disktuner.Helper1.xml"
RULES = Path("/etc/udev/rules.d/90-disktuner.rules")
Make = Callable[..., Caller]
ASKING = ("SetScheduler", "SetTunables", "Revert", "RevertAll", "BeginTrial", "Persist", "Forget", "ForgetAll", "Undo")
OWNERS = ("SetTrialScheduler", "SetTrialSetting", "EndTrial")


def arguments(method: str, disk: LoopDisk) -> tuple[Any, ...]:
    return {
        "SetScheduler": (disk.name, disk.diskseq, "bfq"),
        "SetTunables": (disk.name, disk.diskseq, {"queue/nomerges": "1"}),
        "Revert": (disk.name,),
        "BeginTrial": ([(disk.name, disk.diskseq)],),
        "Persist": (disk.name, disk.diskseq, "bfq", {"iosched/low_latency": "0"}),
        "Forget": (disk.name,),
        "Undo": (disk.name,),
    }.get(method, ())


def settings(disk: LoopDisk) -> tuple[str, str, bool]:
    return disk.scheduler, (disk.queue / "nomerges").read_text(), RULES.exists()


def test_the_lists_here_name_every_method_of_the_interface() -> None:
    methods = {one.attrib["name"] for one in ET.parse(XML).iter("method")}
    assert methods == {*ASKING, *OWNERS, "GetState"} == SIGNATURES.keys()


@pytest.mark.parametrize("method", ASKING)
def test_who_is_allowed_is_served(method: str, helper: Caller, known_disk: LoopDisk) -> None:
    helper.call(method, *arguments(method, known_disk))


@pytest.mark.parametrize("interactive", [False, True])
@pytest.mark.parametrize("method", ASKING)
def test_who_is_not_allowed_changes_nothing(
    method: str, interactive: bool, caller: Make, helper: Caller, known_disk: LoopDisk
) -> None:
    before = settings(known_disk)
    with pytest.raises(Refusal, match="AccessDenied"):
        caller("dt-other").call(method, *arguments(method, known_disk), interactive=interactive)
    assert settings(known_disk) == before
    assert helper.state()["trials"] == []


KEPT = ("SetScheduler", "SetTunables", "Revert", "RevertAll", "BeginTrial")
"""What an active session need not be asked again for within some minutes."""


@pytest.fixture
def quick_refusal(sudo: Sudo) -> None:
    """A wrong password is told at once; usually it takes PAM 2 s."""
    sudo(
        "sed",
        "-i",
        "/pam_unix.so/s/nodelay//; /pam_unix.so/s/pam_unix.so/pam_unix.so nodelay/",
        "/etc/pam.d/common-auth",
    )


@pytest.mark.parametrize("where", ["no session", "inactive session", "active session"])
@pytest.mark.parametrize("method", ASKING)
def test_who_knows_an_administrators_password_is_served(
    method: str,
    where: str,
    caller: Make,
    helper: Caller,
    known_disk: LoopDisk,
    session: Callable[..., Session],
    quick_refusal: None,
) -> None:
    before = settings(known_disk)
    one = caller("dt-ask")
    if where != "no session":
        session(one, "dt-ask", active=where == "active session")
    agent = text_agent(one)
    one.send(method, *arguments(method, known_disk), interactive=True)
    asked = answer_with(agent, "wrong", "AUTHENTICATION FAILED")
    assert (known_disk.name in asked or "all disks" in asked) and "$(" not in asked
    with pytest.raises(Refusal, match="AccessDenied"):
        one.answer()
    assert settings(known_disk) == before
    one.send(method, *arguments(method, known_disk), interactive=True)
    answer_with(agent, "admin-pw", "AUTHENTICATION COMPLETE")
    trial = one.answer()
    if method == "BeginTrial":
        one.call("EndTrial", trial)
    if where == "active session" and method in KEPT:
        one.call(method, *arguments(method, known_disk))
    else:
        with pytest.raises(Refusal, match="AccessDenied"):
            one.call(method, *arguments(method, known_disk))
    agent.close(force=True)


def test_a_prompt_keeps_nobody_waiting_and_closes_with_its_caller(caller: Make, helper: Caller, disk: LoopDisk) -> None:
    one = caller("dt-ask")
    agent, monitor = text_agent(one), agents_monitor()
    one.send("SetScheduler", *arguments("SetScheduler", disk), interactive=True)
    agent.expect("Password: ", timeout=20)
    monitor.expect(r'member=BeginAuthentication[^\x00]*string "(\d+-[^"\s]+)"')
    assert monitor.match
    cookie = re.escape(monitor.match.group(1))
    helper.call("SetScheduler", disk.name, disk.diskseq, "kyber")
    assert disk.scheduler == "kyber"
    one.process.terminate()
    one.process.wait(10)
    # polkit tells the agent to take this very prompt away: long before the time for an answer is over.
    monitor.expect(rf'member=CancelAuthentication\s+string "{cookie}"')
    assert asking()
    # This agent does nothing else while it waits for a line. What is typed then counts for nobody, and it goes on.
    agent.sendline("admin-pw")
    assert until(lambda: not asking()), "the prompt's process is still there"
    monitor.sendcontrol("c")
    monitor.close()
    agent.close(force=True)
    assert disk.scheduler == "kyber"


def asking() -> bool:
    """Whether an agent's process that checks a password is there."""
    return (
        subprocess.run(["pgrep", "-f", "^[^ ]*/polkit-agent-helper-1 "], capture_output=True, check=False).returncode
        == 0
    )


def agents_monitor() -> pexpect.spawn[str]:
    """Shows what polkit tells the agents that ask for passwords."""
    rule = "interface='org.freedesktop.PolicyKit1.AuthenticationAgent'"
    monitor = pexpect.spawn("sudo", ["-n", "dbus-monitor", "--system", rule], encoding="utf-8", timeout=20)
    monitor.expect("member=NameLost")
    return monitor


@pytest.mark.parametrize("method", OWNERS)
def test_a_trial_obeys_only_who_began_it(method: str, caller: Make, helper: Caller, disk: LoopDisk) -> None:
    trial = helper.call("BeginTrial", [(disk.name, disk.diskseq)])
    rest: tuple[Any, ...] = () if method == "EndTrial" else (disk.name, "bfq")
    if method == "SetTrialSetting":
        rest = (*rest, {"iosched/slice_idle": "0"})
    for stranger in (caller(), caller("dt-other")):
        with pytest.raises(Refusal, match="NoSuchTrial"):
            stranger.call(method, trial, *rest)
    assert disk.scheduler == "none"
    helper.call(method, trial, *rest)
    assert disk.scheduler == ("bfq" if rest else "none")
    if rest:
        helper.call("EndTrial", trial)
    assert disk.scheduler == "none"


def test_everybody_may_read_the_state_and_version(caller: Make, helper: Caller) -> None:
    assert caller("dt-other").state()["format"] == "disktuner.state/1"
    get = properties("Get", "org.disktuner.Helper1", "Version")
    assert get.returncode == 0 and "0.1.0" in get.stdout


def test_nobody_may_set_a_property_or_take_the_name(helper: Caller) -> None:
    refused = properties("Set", "org.disktuner.Helper1", "Version", "<'x'>")
    assert "AccessDenied" in refused.stderr
    owning = ["-d", "org.freedesktop.DBus", "-o", "/org/freedesktop/DBus", "-m"]
    taken = gdbus(*owning, "org.freedesktop.DBus.RequestName", "org.disktuner.Helper1", "7")
    assert "AccessDenied" in taken.stderr


def test_revert_goes_back_to_the_very_first_state(helper: Caller, disk: LoopDisk, sudo: Sudo) -> None:
    sudo("tee", disk.queue / "scheduler", stdin="mq-deadline")
    sudo("tee", disk.queue / "nr_requests", stdin="64")
    sudo("tee", disk.queue / "iosched/read_expire", stdin="100")
    wbt = (disk.queue / "wbt_lat_usec").read_text()
    for name in ("bfq", "kyber", "none", "bfq"):
        helper.call("SetScheduler", disk.name, disk.diskseq, name)
    helper.call("SetTunables", disk.name, disk.diskseq, {"iosched/low_latency": "0", "queue/nr_requests": "32"})
    assert (disk.queue / "iosched/low_latency").read_text() == "0\n"
    helper.call("Revert", disk.name)
    found = [(disk.queue / name).read_text() for name in ("nr_requests", "iosched/read_expire", "wbt_lat_usec")]
    assert (disk.scheduler, found) == ("mq-deadline", ["64\n", "100\n", wbt])


def test_errors_have_their_names(helper: Caller, disk: LoopDisk) -> None:
    cases: list[tuple[str, tuple[Any, ...], str]] = [
        ("SetScheduler", ("sdzz", 1, "bfq"), "NoSuchDisk"),
        ("SetScheduler", ("../vda", 1, "bfq"), "NoSuchDisk"),
        ("SetScheduler", (disk.name, disk.diskseq + 1, "bfq"), "StaleDisk"),
        ("SetScheduler", (disk.name, disk.diskseq, "cfq"), "NoSuchScheduler"),
        ("SetScheduler", (disk.name, disk.diskseq, "bfq\n"), "NoSuchScheduler"),
        ("SetTunables", (disk.name, disk.diskseq, {"queue/nomerges": "3"}), "InvalidTunable"),
        ("SetTunables", (disk.name, disk.diskseq, {"queue/../ro": "1"}), "InvalidTunable"),
        ("SetTunables", (disk.name, disk.diskseq, {"iosched/low_latency": "1"}), "InvalidTunable"),
        ("Persist", (disk.name, disk.diskseq, "bfq", {}), "NotUnique"),
        ("Revert", ("sdzz",), "NoSuchDisk"),
        ("Forget", ("sdzz",), "NoSuchDisk"),
        ("Undo", ("sdzz",), "NoSuchDisk"),
        ("BeginTrial", ([("sdzz", 1)],), "NoSuchDisk"),
        ("BeginTrial", ([],), "NoSuchDisk"),
        ("BeginTrial", ([(disk.name, disk.diskseq)] * 2,), "Busy"),
        ("SetTrialScheduler", ("0" * 32, disk.name, "bfq"), "NoSuchTrial"),
        ("SetTrialSetting", ("0" * 32, disk.name, "bfq", {"queue/nomerges": "3"}), "NoSuchTrial"),
        ("EndTrial", ("0" * 32,), "NoSuchTrial"),
    ]
    for method, given, name in cases:
        with pytest.raises(Refusal, match=f"^{name}$"):
            helper.call(method, *given)
    assert disk.scheduler == "none"


def test_a_trial_holds_its_disk_until_its_owner_is_gone(caller: Make, helper: Caller, disk: LoopDisk) -> None:
    owner = caller()
    trial = owner.call("BeginTrial", [(disk.name, disk.diskseq)])
    owner.call("SetTrialScheduler", trial, disk.name, "bfq")
    for method in ("SetScheduler", "SetTunables", "Revert", "RevertAll", "BeginTrial"):
        if method != "RevertAll":
            with pytest.raises(Refusal, match="Busy"):
                helper.call(method, *arguments(method, disk))
    assert helper.state()["trials"][0]["disks"][0]["disk"] == disk.name
    flag = Path("/run/disktuner/hold", f"{(disk.queue.parent / 'dev').read_text().strip()}-{disk.diskseq}")
    assert flag.exists()
    owner.process.kill()
    owner.process.wait(10)
    # Within 2 s is the promise, measured from the owner's death; a loaded machine with two cores gets 4 s.
    assert until(lambda: disk.scheduler == "none" and not flag.exists())


def test_persist_writes_sets_and_forgets(helper: Caller, known_disk: LoopDisk) -> None:
    rule = helper.call("Persist", *arguments("Persist", known_disk))
    assert rule in RULES.read_text()
    assert known_disk.scheduler == "bfq"
    chosen = helper.state()["persistent"][0]
    assert (chosen["disks"], chosen["scheduler"], chosen["tunables"]) == (
        [known_disk.name],
        "bfq",
        {"iosched/low_latency": 0},
    )
    helper.call("Forget", known_disk.name)
    assert not RULES.exists()
    assert known_disk.scheduler == "bfq"


def test_undo_forgets_and_puts_back_at_once(helper: Caller, known_disk: LoopDisk) -> None:
    before = settings(known_disk)
    helper.call("Persist", *arguments("Persist", known_disk))
    assert known_disk.scheduler == "bfq"
    assert RULES.exists()
    helper.call("Undo", known_disk.name)
    assert settings(known_disk) == before
    assert helper.state()["persistent"] == helper.state()["snapshots"] == []
    helper.call("Undo", known_disk.name)


def gdbus(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["gdbus", "call", "--system", *words], capture_output=True, text=True, check=False)


def properties(method: str, *words: str) -> subprocess.CompletedProcess[str]:
    target = ["-d", "org.disktuner.Helper1", "-o", "/org/disktuner/Helper1"]
    return gdbus(*target, "-m", f"org.freedesktop.DBus.Properties.{method}", *words)
