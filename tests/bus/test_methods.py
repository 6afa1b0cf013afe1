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

from disktuner.helper_client import calls, errors
from disktuner.helper_client.calls import Call
from disktuner.helper_client.client import HelperClient
from disktuner.vocabulary.errors import DisktunerError
from tests.bus.conftest import (
    RULES,
    SIGNATURES,
    Caller,
    Refusal,
    answer_with,
    helper_pid,
    named,
    own_rules,
    text_agent,
    tomorrow,
)
from tests.bus.test_hostile import Watch
from tests.conftest import LoopDisk, Sudo
from tests.end2end.comparing import values
from tests.waiting import until

XML = Path(__file__).parents[2] / "resources/dbus-1/org.disktuner.Helper1.xml"
POLICY = XML.with_suffix(".conf")
Make = Callable[..., Caller]
ASKING = {
    "Set": ("bfq", {"queue/nomerges": "1"}, False),
    "Insist": ("bfq", {"queue/nomerges": "1"}),
    "Revert": (),
    "BeginTrial": (),
    "Set for good": ("bfq", {"iosched/low_latency": "0"}, True),
    "Forget": (),
    "Undo": (),
    "BeginFieldTrial": ([("bfq", {"iosched/slice_idle": "0"}), ("kyber", {})], tomorrow()),
}
"""What asks polkit, and its arguments behind the disks."""
OWNERS = ("SetTrial", "KeepAlive", "KeepTrial", "EndTrial")
FIELD = ("SetFieldTrial", "EndFieldTrial")


def asking(method: str, disk: LoopDisk) -> tuple[Any, ...]:
    """Return a method's name and arguments."""
    return (method.removesuffix(" for good"), named(disk), *ASKING[method])


def settings(disk: LoopDisk) -> tuple[str, str, bool]:
    return disk.scheduler, (disk.queue / "nomerges").read_text(), bool(own_rules())


def refusal(user: Caller, method: str, *arguments: Any, interactive: bool = False) -> str:
    """Return the error's name and text."""
    with pytest.raises(Refusal) as refused:
        user.call(method, *arguments, interactive=interactive)
    return f"{refused.value}: {refused.value.__cause__}"


def test_the_lists_here_name_every_method_of_the_interface() -> None:
    methods = {method.attrib["name"] for method in ET.parse(XML).iter("method")}
    assert methods == ASKING.keys() - {"Set for good"} | {*OWNERS, *FIELD, "GetState"} == SIGNATURES.keys()


def test_who_is_allowed_is_served_and_who_is_not_changes_nothing(
    caller: Make, helper: Caller, known_disk: LoopDisk
) -> None:
    before, other = settings(known_disk), caller("dt-other")
    for method in ASKING:
        for interactive in (False, True):
            refused = refusal(other, *asking(method, known_disk), interactive=interactive)
            assert refused.startswith("AccessDenied") and settings(known_disk) == before, method
    assert helper.state()["trials"] == []
    for method in ASKING:
        trial = helper.call(*asking(method, known_disk))
        if method in ("BeginTrial", "BeginFieldTrial"):
            helper.call(method.replace("Begin", "End"), trial)


def test_polkit_asks_for_an_administrator_and_keeps_that_only_in_the_active_session_and_not_for_good() -> None:
    """tests/machine/test_polkit.py has logind's real sessions."""
    keep, ask = "auth_admin_keep", "auth_admin"
    for action, active in (("set-runtime", keep), ("trial", keep), ("persist", ask), ("field-trial", ask)):
        command = ["pkaction", "--verbose", "--action-id", f"org.disktuner.{action}"]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        words = dict(zip(output.split()[:-1], output.split()[1:], strict=True))
        assert [words[who] for who in ("any:", "inactive:", "active:")] == ["auth_admin", "auth_admin", active]


@pytest.mark.parametrize("method", ["Set", "BeginTrial", "Undo", "BeginFieldTrial"])
def test_who_knows_an_administrators_password_is_served(
    method: str, caller: Make, helper: Caller, known_disk: LoopDisk
) -> None:
    before, user, wanted = settings(known_disk), caller("dt-ask"), asking(method, known_disk)
    assert "nobody-to-ask" in refusal(user, *wanted, interactive=True)
    agent = text_agent(user.pid)
    user.send(*wanted, interactive=True)
    prompt = answer_with(agent, "wrong", "AUTHENTICATION FAILED")
    assert known_disk.name in prompt and "$(" not in prompt
    with pytest.raises(Refusal, match="AccessDenied") as refused:
        user.answer()
    assert "not-agreed" in str(refused.value.__cause__) and settings(known_disk) == before
    user.send(*wanted, interactive=True)
    answer_with(agent, "admin-pw", "AUTHENTICATION COMPLETE")
    user.answer()
    assert refusal(user, *wanted).startswith("AccessDenied"), "outside of sessions it is asked each time"
    agent.close(force=True)


def test_a_prompt_keeps_nobody_waiting_and_closes_with_its_caller(caller: Make, helper: Caller, disk: LoopDisk) -> None:
    user = caller("dt-ask")
    agent, monitor = text_agent(user.pid), agents_monitor()
    user.send(*asking("Set", disk), interactive=True)
    agent.expect("Password: ")
    monitor.expect(r'member=BeginAuthentication[^\x00]*string "(\d+-[^"\s]+)"')
    assert monitor.match
    cookie = re.escape(monitor.match.group(1))
    helper.set(disk, "kyber")
    assert disk.scheduler == "kyber"
    user.process.terminate()
    user.process.wait()
    monitor.expect(rf'member=CancelAuthentication\s+string "{cookie}"')  # polkit has the agent take this prompt away
    assert prompts()
    # This agent does nothing else while it waits for a line. What is typed then counts for nobody, and it goes on.
    agent.sendline("admin-pw")
    until(lambda: not prompts())
    monitor.sendcontrol("c")
    monitor.close()
    agent.close(force=True)
    assert disk.scheduler == "kyber"


def prompts() -> bool:
    """Whether an agent's process is checking a password."""
    command = ["pgrep", "-f", "^[^ ]*/polkit-agent-helper-1 "]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def agents_monitor() -> pexpect.spawn[str]:
    """Shows what polkit tells the agents that ask for passwords."""
    rule = "interface='org.freedesktop.PolicyKit1.AuthenticationAgent'"
    monitor = pexpect.spawn("sudo", ["-n", "dbus-monitor", "--system", rule], encoding="utf-8", timeout=None)
    monitor.expect("member=NameLost")
    return monitor


def test_a_trial_obeys_only_who_began_it(caller: Make, helper: Caller, disk: LoopDisk) -> None:
    trial = helper.begin(disk)
    wanted = {"SetTrial": (trial, disk.name, "bfq", {"iosched/slice_idle": "0"}), "EndTrial": (trial,)}
    wanted |= {"KeepAlive": (trial,), "KeepTrial": (trial, False)}
    strangers = (caller(), caller("dt-other"))
    for method, left in zip(OWNERS, ("bfq", "bfq", "bfq", "none"), strict=True):
        if method == "EndTrial":
            helper.call("Revert", named(disk))
            wanted["EndTrial"] = (helper.begin(disk),)
        before = disk.scheduler
        for stranger in strangers:
            assert refusal(stranger, method, *wanted[method]).startswith("NoSuchTrial")
        assert disk.scheduler == before
        helper.call(method, *wanted[method])
        assert disk.scheduler == left


@pytest.mark.parametrize("persist", [False, True])
def test_what_is_kept_is_chosen_without_another_switch(persist: bool, helper: Caller, known_disk: LoopDisk) -> None:
    """Reverting restores what the disk had before the trial."""
    before, trial = values(known_disk), helper.begin(known_disk)
    assert refusal(helper, "KeepTrial", trial, persist).startswith("NoSuchScheduler")
    helper.set_trial(trial, known_disk, "kyber")
    helper.set_trial(trial, known_disk, "bfq", {"iosched/low_latency": "0"})
    tried = values(known_disk)
    with Watch(helper_pid(helper)) as watch:
        rules = helper.call("KeepTrial", trial, persist)
        assert not [file for file in watch.written() if file.startswith("/sys")]
    state = helper.state()
    assert values(known_disk) == tried and state["trials"] == [] and len(state["persistent"]) == len(rules) == persist
    assert rules == ({known_disk.name: own_rules()[0].read_text()} if persist else {})
    flags = [flag.name.partition("-")[2].partition("-")[2] for flag in Path("/run/disktuner/hold").iterdir()]
    assert flags == ([] if persist else ["until-restart"])
    for method in OWNERS:
        wanted = {"SetTrial": (trial, known_disk.name, "none", {}), "KeepTrial": (trial, persist)}
        assert refusal(helper, method, *wanted.get(method, (trial,))).startswith("NoSuchTrial")
    helper.call("Undo" if persist else "Revert", named(known_disk))
    assert values(known_disk) == before and not own_rules()


@pytest.mark.parametrize("persist", [False, True])
def test_who_does_not_get_leave_to_keep_it_goes_on_with_the_trial(
    persist: bool, caller: Make, helper: Caller, known_disk: LoopDisk
) -> None:
    before, user = values(known_disk), caller("dt-ask")
    agent = text_agent(user.pid)
    user.send("BeginTrial", named(known_disk), interactive=True)
    answer_with(agent, "admin-pw", "AUTHENTICATION COMPLETE")
    trial = user.answer()
    user.set_trial(trial, known_disk, "bfq")
    assert refusal(user, "KeepTrial", trial, persist).startswith("AccessDenied")
    user.send("KeepTrial", trial, persist, interactive=True)
    assert known_disk.name in answer_with(agent, "wrong", "AUTHENTICATION FAILED")
    with pytest.raises(Refusal, match="AccessDenied"):
        user.answer()
    state = helper.state()
    assert (len(state["trials"]), state["snapshots"], state["persistent"]) == (1, [], [])
    user.set_trial(trial, known_disk, "kyber")
    user.send("KeepTrial", trial, persist, interactive=True)
    answer_with(agent, "admin-pw", "AUTHENTICATION COMPLETE")
    user.answer()
    agent.close(force=True)
    user.leave()
    assert known_disk.scheduler == "kyber" and helper.state()["trials"] == []
    helper.call("Undo", named(known_disk))
    assert values(known_disk) == before


def test_what_cannot_be_kept_goes_on_as_a_trial(
    helper: Caller, loop_disk: Callable[..., LoopDisk], known_disk: LoopDisk, sudo: Sudo, tmp_path: Path
) -> None:
    """A disk without an identity for a rule, one on trial in daily use, and one that was replaced."""
    disk = loop_disk(size_mb=16, fs=None)
    before, trial = values(disk), helper.begin(disk)
    helper.set_trial(trial, disk, "bfq", {"queue/nomerges": "1"})
    tried = values(disk)
    assert refusal(helper, "KeepTrial", trial, True).startswith("NotUnique") and values(disk) == tried
    fielded = helper.call(*asking("BeginFieldTrial", known_disk))
    measuring = helper.begin(known_disk)
    helper.set_trial(measuring, known_disk, "kyber")
    for persist in (False, True):
        assert refusal(helper, "KeepTrial", measuring, persist).startswith("Busy") and known_disk.scheduler == "kyber"
    helper.call("EndTrial", measuring)
    helper.call("EndFieldTrial", fielded)
    state = helper.state()
    assert (len(state["trials"]), state["snapshots"], state["persistent"]) == (1, [], []) and values(disk) == tried
    helper.call("EndTrial", trial)
    assert values(disk) == before
    image = tmp_path / "another.img"
    image.write_bytes(bytes(1 << 20))
    replaced = helper.begin(disk)
    helper.set_trial(replaced, disk, "bfq")
    number = disk.diskseq
    sudo("losetup", "--detach", disk.device)
    sudo("losetup", disk.device, image)
    assert disk.diskseq != number
    for persist in (False, True):
        assert refusal(helper, "KeepTrial", replaced, persist).startswith("StaleDisk")
    assert refusal(helper, "EndTrial", replaced).startswith("WriteFailed: ") and helper.state()["trials"] == []


def test_a_trial_holds_its_disk_until_its_owner_is_gone(caller: Make, helper: Caller, disk: LoopDisk) -> None:
    owner = caller()
    trial = owner.begin(disk)
    owner.set_trial(trial, disk, "bfq")
    for method in ("Set", "BeginTrial", "Undo"):
        assert refusal(helper, *asking(method, disk)).startswith("Busy")
    assert helper.state()["trials"][0]["disks"][0]["disk"] == disk.name
    flag = Path("/run/disktuner/hold", f"{(disk.queue.parent / 'dev').read_text().strip()}-{disk.diskseq}")
    assert flag.exists()
    owner.process.kill()
    owner.process.wait()
    until(lambda: disk.scheduler == "none" and not flag.exists())


def test_everybody_may_read_but_nobody_set_a_property_or_take_the_name(caller: Make, helper: Caller) -> None:
    assert caller("dt-other").state()["format"] == "disktuner.state/1"
    assert "checkout" in properties("Get", "org.disktuner.Helper1", "Version").stdout
    assert "AccessDenied" in properties("Set", "org.disktuner.Helper1", "Version", "<'x'>").stderr
    owning = ["-d", "org.freedesktop.DBus", "-o", "/org/freedesktop/DBus", "-m"]
    reply = gdbus(*owning, "org.freedesktop.DBus.RequestName", "org.disktuner.Helper1", "7")
    assert "AccessDenied" in reply.stderr


def test_the_bus_lets_nothing_but_calls_through_to_it() -> None:
    first, second, *allowed, last = ET.parse(POLICY).iterfind("policy[@context='default']/*")
    assert (first.tag, first.attrib) == ("deny", {"own": "org.disktuner.Helper1"})
    assert (second.tag, second.attrib) == ("deny", {"send_destination": "org.disktuner.Helper1"})
    assert {(rule.tag, rule.get("send_type")) for rule in allowed} == {("allow", "method_call")}
    assert (last.tag, last.attrib) == ("deny", {"send_destination": "org.disktuner.Helper1", "min_fds": "1"})
    assert {rule.get("send_member") for rule in allowed if "Properties" in str(rule.get("send_interface"))} == {
        "Get",
        "GetAll",
    }


def test_what_is_chosen_for_good_is_written_shown_and_taken_back(helper: Caller, known_disk: LoopDisk) -> None:
    before = settings(known_disk)
    for method in ("Forget", "Undo"):
        rules = helper.call(*asking("Set for good", known_disk))
        assert rules == {known_disk.name: "".join(file.read_text() for file in own_rules())}
        (chosen,) = helper.state()["persistent"]
        assert (chosen["disks"], chosen["scheduler"]) == ([known_disk.name], "bfq")
        assert chosen["tunables"] == {"iosched/low_latency": 0}
        helper.call(method, named(known_disk))
        assert not own_rules() and helper.state()["persistent"] == []
        assert known_disk.scheduler == ("bfq" if method == "Forget" else "none")
    assert settings(known_disk) == before and helper.state()["snapshots"] == []


def test_several_disks_are_changed_together_or_not_at_all(
    helper: Caller, known_disk: LoopDisk, loop_disk: Callable[..., LoopDisk]
) -> None:
    other = loop_disk(size_mb=16, fs=None)
    disks, before = named(known_disk, other), (settings(known_disk), settings(other))
    for wrong in (
        (disks, "bfq", {}, True),  # the other one has no identity
        ([disks[0], (other.name, other.diskseq + 1)], "bfq", {}, False),
        (disks, "cfq", {}, False),
        (disks, "none", {"queue/nr_requests": "65536"}, False),  # the kernel knows better
    ):
        with pytest.raises(Refusal):
            helper.call("Set", *wrong)
        assert (settings(known_disk), settings(other)) == before and helper.state()["snapshots"] == []
    helper.call("Set", disks, "kyber", {"queue/nomerges": "2"}, False)
    assert {settings(known_disk)[:2], settings(other)[:2]} == {("kyber", "2\n")}
    assert refusal(helper, "Revert", [disks[0], ("sdzz", 1)]).startswith("NoSuchDisk")
    assert known_disk.scheduler == "kyber"
    helper.call("Revert", disks)
    assert (settings(known_disk), settings(other)) == before


def refused_calls(name: str, number: int) -> list[tuple[type[DisktunerError], Call[Any], str]]:
    """Calls that cannot be served, the error's class, and words of the sentence for people."""
    disk, gone, stale = [(name, number)], [("sdzz", 1)], [(name, number + 1)]
    return [
        (errors.NoSuchDisk, calls.set_disks(gone, "bfq"), "There is no disk sdzz."),
        (errors.NoSuchDisk, calls.set_disks([("../vda", 1)], "bfq"), ""),
        (errors.NoSuchDisk, calls.set_disks([], "bfq"), ""),
        *((errors.StaleDisk, call, f"{name} is now another disk.") for call in (
            calls.set_disks(stale, "bfq"), calls.revert(stale), calls.forget(stale), calls.undo(stale),
            calls.begin_trial(stale))),
        (errors.NoSuchScheduler, calls.set_disks(disk, "cfq"), f"does not offer this scheduler for {name}."),
        (errors.NoSuchScheduler, calls.set_disks(disk, "bfq\n"), ""),
        (errors.InvalidTunable, calls.set_disks(disk, "none", {"queue/nomerges": "3"}), "from 0 to 2."),
        (errors.InvalidTunable, calls.set_disks(disk, "none", {"queue/../ro": "1"}), ""),
        (errors.InvalidTunable, calls.set_disks(disk, "none", {"iosched/low_latency": "1"}), ""),
        (errors.NotUnique, calls.set_disks(disk, "bfq", persist=True), name),
        (errors.NoSuchDisk, calls.revert(gone), ""),
        (errors.NoSuchDisk, calls.forget(gone), "no permanent choice"),
        (errors.NoSuchDisk, calls.undo(gone), ""),
        (errors.NoSuchDisk, calls.begin_trial(gone), ""),
        (errors.NoSuchDisk, calls.begin_trial([]), ""),
        (errors.Busy, calls.begin_trial(disk * 2), ""),
        (errors.Busy, calls.set_disks([(f"loop{n}", 0) for n in range(33)], "bfq"), ""),
        (errors.NoSuchTrial, calls.set_trial("0" * 32, name, "bfq", {"queue/nomerges": "3"}), ""),
        (errors.NoSuchTrial, calls.end_trial("0" * 32), "has ended"),
    ]  # fmt: skip


def test_what_cannot_be_served_is_refused_with_a_sentence(helper: Caller, disk: LoopDisk, sudo: Sudo) -> None:
    with HelperClient() as client:
        for error, call, words in refused_calls(disk.name, disk.diskseq):
            assert words in sentence(client, call, error)
        with client.trial([(disk.name, disk.diskseq)]):
            busy = sentence(client, calls.set_disks([(disk.name, disk.diskseq)], "bfq"), errors.Busy)
        assert busy == f"{disk.name} is being measured. Try again when the measurement has ended."
        sudo("mkdir", "-p", RULES / "90-disktuner-x.rules")
        try:
            failed = sentence(client, calls.forget(), errors.WriteFailed)
        finally:
            sudo("rmdir", RULES / "90-disktuner-x.rules")
        assert "90-disktuner-x.rules cannot be read (Is a directory)." in failed
    assert disk.scheduler == "none"


def sentence(client: HelperClient, call: Call[Any], error: type[DisktunerError]) -> str:
    with pytest.raises(error) as caught:
        client.wait(call)
    sentence, id_ = str(caught.value), caught.value.message.id
    assert sentence.endswith(".") and "GDBus" not in sentence and "org." not in sentence, sentence
    assert id_.startswith("refused-") and id_ != "refused-otherwise", sentence
    return sentence


def gdbus(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["gdbus", "call", "--system", *words], capture_output=True, text=True, check=False)


def properties(method: str, *words: str) -> subprocess.CompletedProcess[str]:
    target = ["-d", "org.disktuner.Helper1", "-o", "/org/disktuner/Helper1"]
    return gdbus(*target, "-m", f"org.freedesktop.DBus.Properties.{method}", *words)
