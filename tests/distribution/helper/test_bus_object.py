# SPDX-License-Identifier: GPL-3.0-or-later
"""How calls are admitted and when the helper leaves, with a fake bus, polkit and clock."""

from __future__ import annotations

import errno
import json
import os
import shutil
import socket
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest
from gi.repository import Gio, GLib
from tests.bus.conftest import SIGNATURES
from tests.unit.helper.fake import make_root
from tests.unit.helper.kernel import FakeKernel, FakeQueue
from tests.waiting import until

from disktuner_helper import audit, contract, files
from disktuner_helper.__main__ import tell_systemd
from disktuner_helper.authority import Call
from disktuner_helper.bus_object import BusObject
from disktuner_helper.errors import WriteFailed

LIMITS = contract.USUAL
ROOT, ALICE, BOB = 0, 1000, 1001
RULE = "90-disktuner-ID_SERIAL-Disk_sda_1.rules"
TOMORROW = int(Path("/proc/self").stat().st_mtime) + 86400


class Invocation:
    """Somebody's call; ``answer`` is its outcome: an error's last word, the value, or "done".

    ``reason`` is an error's text.
    """

    def __init__(self) -> None:
        self.answer: Any = None
        self.reason = ""

    def get_message(self) -> Gio.DBusMessage:
        return Gio.DBusMessage()

    def get_parameters(self) -> GLib.Variant:
        return GLib.Variant("()", ())

    def return_value(self, value: GLib.Variant | None) -> None:
        self.answer = (value.unpack()[0] if value else "") or "done"

    def return_dbus_error(self, name: str, text: str) -> None:
        self.reason = text
        self.answer = name.rpartition(".")[2]


class Bus:
    """A system bus whose polkit answers when it may: ``polkit`` is clear while it hangs.

    ``asked``: the actions that polkit was asked about, and the details of the disks.
    """

    def __init__(self) -> None:
        self.users: dict[str, int] = {}
        self.polkit = Event()
        self.polkit.set()
        self.allowed = True
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.called: Callable[..., None] = lambda *_: None
        self.changed: Callable[..., None] = lambda *_: None
        self.emitted: Callable[..., None] = lambda *_: None

    def register_object(self, _path: str, _interface: Any, called: Callable[..., None], *_: Any) -> None:
        self.called = called

    def signal_subscribe(self, *words: Any) -> None:
        self.changed = words[-1]

    def call_sync(self, *words: Any) -> GLib.Variant:
        if words[3] == "GetConnectionUnixUser":
            return GLib.Variant("(u)", (self.users[words[4].unpack()[0]],))
        _subject, action, details, _flags, _ticket = words[4].unpack()
        self.asked.append((action, details))
        self.polkit.wait()
        return GLib.Variant("((bba{ss}))", ((self.allowed, False, {}),))

    def emit_signal(self, *words: Any) -> None:
        self.emitted(*words)

    def call(self, sender: str, uid: int, method: str, *values: Any) -> Invocation:
        """Call as GDBus would."""
        self.users[sender] = uid
        invocation = Invocation()
        self.called(self, sender, "", "", method, GLib.Variant(SIGNATURES[method], values), invocation)
        return invocation

    def leave(self, sender: str) -> None:
        self.changed(None, None, None, None, None, GLib.Variant("(sss)", (sender, sender, "")))


class Life:
    """The helper's object on that bus, with a clock; ``looked_at`` is called whenever the clock is read."""

    def __init__(self, root: Path) -> None:
        self.bus, self.now = Bus(), 1000.0
        self.looked_at: Callable[[], None] = lambda: None
        self.object = BusObject(root, LIMITS, self.clock)
        self.object.serve(self.bus)

    def clock(self) -> float:
        self.looked_at()
        return self.now

    def begin(self) -> str:
        """Begin a trial of sda as Alice."""
        return str(self.alice("BeginTrial", [("sda", 1)]))

    def begin_with_bfq(self) -> str:
        trial = self.begin()
        self.alice("SetTrial", trial, "sda", "bfq", {})
        return trial

    def alice(self, method: str, *values: Any) -> Any:
        """Call as Alice; return the answer."""
        return self.answer(self.bus.call(":1.1", ALICE, method, *values))

    def state(self) -> str:
        return str(self.answer(self.bus.call(":9.9", BOB, "GetState")))

    def answer(self, call: Invocation) -> Any:
        return until(lambda: call.answer)

    def leaves_within(self, seconds: float) -> float | None:
        """Return after how many seconds the helper leaves; None if it does not."""
        left: list[float] = []
        began = self.now
        while self.now < began + seconds and not left:
            self.now += 1
            assert self.object.tick(lambda: left.append(self.now - began)) is True
        return left[0] if left else None


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeKernel:
    monkeypatch.setattr(audit, "write", lambda *_: None)
    return FakeKernel(make_root(tmp_path), monkeypatch)


@pytest.fixture
def sda(kernel: FakeKernel) -> FakeQueue:
    return kernel.add("sda")


@pytest.fixture
def sdb(kernel: FakeKernel) -> FakeQueue:
    return kernel.add("sdb", 16)


@pytest.fixture
def life(sda: FakeQueue, tmp_path: Path) -> Iterator[Life]:
    life_made = Life(tmp_path)
    yield life_made
    life_made.bus.polkit.set()
    life_made.now += LIMITS.trial_s + 1
    until(lambda: life_made.leaves_within(100))


def test_it_leaves_when_nobody_needs_it(life: Life) -> None:
    assert life.leaves_within(100) == LIMITS.idle_s
    life.alice("GetState")
    assert life.leaves_within(100) == LIMITS.idle_s


def test_it_stays_for_a_trial_until_that_has_not_been_used_for_too_long(life: Life, sda: FakeQueue) -> None:
    before, trial = sda.whole, life.begin()
    assert life.leaves_within(LIMITS.trial_s - 1) is None
    life.alice("KeepAlive", trial)  # as the app does in a pause
    for scheduler in ("bfq", "kyber"):
        assert life.leaves_within(LIMITS.trial_s - 1) is None
        life.alice("SetTrial", trial, "sda", scheduler, {})
        assert sda.scheduler == scheduler
    assert life.leaves_within(LIMITS.trial_s - 1) is None and sda.scheduler == "kyber"
    life.alice("GetState")  # which only looks
    life.now += 2
    life.object.tick(lambda: None)
    until(lambda: '"trials": []' in life.state())
    assert sda.whole == before
    until(lambda: life.leaves_within(LIMITS.idle_s + 1))


def test_root_may_end_anybodys_trial_but_do_nothing_else_in_it(life: Life, sda: FakeQueue) -> None:
    before, trial = sda.whole, life.begin_with_bfq()
    for method, *others in (("SetTrial", "sda", "none", {}), ("KeepAlive",)):
        assert life.answer(life.bus.call(":5.5", ROOT, method, trial, *others)) == "NoSuchTrial"
    assert life.answer(life.bus.call(":9.9", BOB, "EndTrial", trial)) == "NoSuchTrial"
    assert sda.scheduler == "bfq"
    assert life.answer(life.bus.call(":5.5", ROOT, "EndTrial", trial)) == "done" and sda.whole == before


def test_a_trial_waits_for_its_end_as_long_as_somebodys_switch_hangs_in_the_kernel(life: Life, sda: FakeQueue) -> None:
    life.begin()
    with life.object.service.lock:
        assert life.leaves_within(2 * LIMITS.trial_s) is None
        assert '"trials": [{' in life.state()
        life.bus.allowed = False
        refused = life.bus.call(":9.9", BOB, "Revert", [])
        assert life.answer(refused) == "AccessDenied", "nor do refusals wait"
    life.object.tick(lambda: None)
    until(lambda: life.leaves_within(LIMITS.idle_s + 1))


def test_it_stays_for_a_call(life: Life) -> None:
    life.bus.polkit.clear()
    call = life.bus.call(":1.1", ALICE, "Revert", [])
    assert life.leaves_within(LIMITS.prompt_s) is None
    life.bus.polkit.set()
    life.answer(call)
    until(lambda: life.leaves_within(LIMITS.idle_s + 1))


def test_where_the_bus_closes_all_trials_end_and_nothing_is_said_before(
    life: Life, sda: FakeQueue, sdb: FakeQueue
) -> None:
    before, answers_seen = (sda.whole, sdb.whole), list[tuple[str, ...]]()

    def closed(*words: Any) -> None:
        answers_seen.append((words[3], sda.scheduler, sdb.scheduler))
        raise GLib.Error("The connection is closed")

    for uid, disk in ((ALICE, ("sda", 1)), (BOB, ("sdb", 17))):
        trial = life.answer(life.bus.call(f":1.{uid}", uid, "BeginTrial", [disk]))
        life.answer(life.bus.call(f":1.{uid}", uid, "SetTrial", trial, disk[0], "bfq", {}))
    life.bus.emitted = closed
    life.object.service.end(lambda _: True, "helper stopped")
    assert (sda.whole, sdb.whole) == before
    assert sorted(answers_seen) == [("Changed", "none", "none")] * 2 + [("TrialEnded", "none", "none")] * 2


def test_disks_go_back_where_no_thread_can_start(life: Life, sda: FakeQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    before = sda.whole
    life.begin_with_bfq()

    def refuse(_: Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Thread, "start", refuse)
    assert life.answer(life.bus.call(":1.2", BOB, "Revert", [])) == "WriteFailed"
    life.bus.leave(":1.1")
    until(lambda: '"trials": []' in life.state())
    assert sda.whole == before


def test_a_trial_that_could_not_end_is_ended_again_and_told_once(
    life: Life, sda: FakeQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, outcomes = sda.whole, list[str]()
    life.begin_with_bfq()
    monkeypatch.setattr(audit, "decision", lambda _, outcome: outcomes.append(outcome))

    real = files.replace

    def full(file: Path, content: bytes) -> None:
        if file.name == "snapshots.json":
            raise WriteFailed("file-not-written")
        real(file, content)

    with monkeypatch.context() as no_room:
        no_room.setattr(files, "replace", full)
        sda.refuse["scheduler"] = errno.EIO
        life.bus.leave(":1.1")
        until(lambda: outcomes)
        for _ in range(3):
            assert life.leaves_within(3) is None, "it stays as long as a disk is not what it was"
        with life.object.service.lock:
            assert outcomes == ["not restored: sda"]
            sda.refuse.clear()
        until(lambda: life.leaves_within(1) or len(outcomes) > 1)
    until(lambda: life.leaves_within(LIMITS.idle_s + 1))
    assert sda.whole == before and outcomes == ["not restored: sda", "restored"]


def test_a_trial_in_daily_use_ends_at_its_date_while_the_helper_runs(
    life: Life, sda: FakeQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = life.answer(ask(life, "BeginFieldTrial", ("sda", 1)))
    life.alice("SetFieldTrial", begun, 0)
    assert sda.scheduler == "bfq" and life.leaves_within(2) is None
    monkeypatch.setattr(life.object.service.field, "_clock", lambda: TOMORROW + 86400)
    life.now += 1
    life.object.tick(lambda: None)
    until(lambda: '"field_trials": []' in life.state())
    assert sda.scheduler == "none"
    assert life.answer(ask(life, "Set", ("sda", 1))) == "done", "others are not Busy"


def test_strangers_who_come_and_go_while_a_switch_waits_cost_nothing(
    life: Life, sda: FakeQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A trial in daily use is over: one request is enough to end it once that is possible again."""
    life.answer(ask(life, "BeginFieldTrial", ("sda", 1)))
    life.begin()
    monkeypatch.setattr(life.object.service.field, "_clock", lambda: TOMORROW + 86400)
    real, ended = life.object.service.end, list[str]()
    monkeypatch.setattr(life.object.service, "end", lambda *words: (ended.append(words[1]), real(*words)))
    with life.object.service.lock:
        for number in range(1000):
            life.bus.leave(f":7.{number}")
    life.bus.leave(":1.1")  # who is ended after all of them
    until(lambda: '"trials": []' in life.state())
    assert '"field_trials": []' in life.state() and len(ended) <= 3


@pytest.mark.parametrize("method", ["Set", "Set for good"])
def test_a_disk_that_goes_while_it_is_changed_is_said_to_be_the_trouble(
    method: str, life: Life, sda: FakeQueue, sdb: FakeQueue, tmp_path: Path
) -> None:
    """And the other disk is restored."""
    before = sda.whole

    def vanish(*_: str) -> None:
        sdb.read = refuse  # type: ignore[method-assign]
        refuse()

    def refuse(*_: str) -> str:
        raise OSError(errno.ENODEV, "gone")

    sdb.write = vanish  # type: ignore[method-assign]
    assert life.answer(ask(life, method, ("sda", 1), ("sdb", 17))) == "WriteFailed" and sda.whole == before
    assert [path.name for path in (tmp_path / "run/disktuner").rglob("*") if path.is_file()] == ["snapshots.json"]
    shutil.rmtree(sdb.folder)
    assert life.answer(ask(life, "Revert")) == "done"
    assert not [path for path in (tmp_path / "run/disktuner").rglob("*") if path.is_file()]


def test_it_tells_systemds_watchdog_that_it_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    assert tell_systemd("WATCHDOG=1"), "nobody listens"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(f"\0disktuner-test-{os.getpid()}")
        monkeypatch.setenv("NOTIFY_SOCKET", f"@disktuner-test-{os.getpid()}")
        assert tell_systemd("WATCHDOG=1"), "again and again"
        assert systemd.recv(100) == b"WATCHDOG=1"


def test_who_left_before_polkit_answered_gets_no_trial(life: Life) -> None:
    life.bus.polkit.clear()
    call = life.bus.call(":1.1", ALICE, "BeginTrial", [("sda", 1)])
    other = life.bus.call(":1.2", BOB, "Revert", [])
    life.bus.leave(":1.1")
    life.bus.polkit.set()
    assert (life.answer(call), life.answer(other)) == ("AccessDenied", "done")


@pytest.mark.parametrize("method", ["Set", "SetTrial", "KeepTrial"])
def test_who_leaves_before_it_is_his_turn_changes_nothing(method: str, life: Life, sda: FakeQueue) -> None:
    """Alice was authorised, but other changes come first."""
    before, trial = sda.whole, "" if method == "Set" else life.begin_with_bfq()
    with life.object.service.lock:
        calls: dict[str, tuple[Any, ...]] = {
            "Set": ([("sda", 1)], "kyber", {}, False),
            "SetTrial": (trial, "sda", "kyber", {}),
            "KeepTrial": (trial, False),
        }
        call = life.bus.call(":1.1", ALICE, method, *calls[method])
        life.bus.leave(":1.1")
    assert life.answer(call) in ("AccessDenied", *(["NoSuchTrial"] if trial else []))
    until(lambda: '"trials": []' in life.state())
    assert sda.whole == before and '"snapshots": []' in life.state()


def test_who_leaves_while_a_trial_begins_has_none(life: Life, sda: FakeQueue, tmp_path: Path) -> None:
    """She leaves after polkit's answer, while the trial's time limit is being set."""
    life.looked_at = lambda: life.bus.leave(":1.1")
    life.answer(ask(life, "BeginTrial", ("sda", 1)))
    life.looked_at = lambda: None
    until(lambda: '"trials": []' in life.state())
    assert not list((tmp_path / "run/disktuner/hold").iterdir())


@pytest.mark.parametrize("turn", [False, True])
def test_calls_that_wait_are_bounded_and_hinder_nobody(turn: bool, life: Life) -> None:
    """Per connection, per user and in total, whether they wait for polkit or for their turn (a switch may wait for its
    disk).

    More calls are refused at once, and reading takes no place.
    """
    callers = [(f":{user}.{number}", user) for user in range(1, 7) for number in range(5) for _ in range(5)]
    with life.object.service.lock if turn else nullcontext():
        if not turn:
            life.bus.polkit.clear()
        calls = [life.bus.call(*caller, "Revert", []) for caller in callers]
        until(lambda: sum(call.answer == "Busy" for call in calls) >= len(calls) - contract.MAX_CALLS)
        assert "disktuner.state/1" in life.state()
        life.bus.allowed = turn
        life.bus.polkit.set()
    answers = [life.answer(call) for call in calls]
    let_in = [caller for caller, answer in zip(callers, answers, strict=True) if answer != "Busy"]
    assert {*answers} == {"Busy", "done" if turn else "AccessDenied"} and 0 < len(let_in) <= contract.MAX_CALLS
    assert max(Counter(let_in).values()) <= contract.MAX_CALLS_PER_CALLER
    assert max(Counter(user for _, user in let_in).values()) <= contract.MAX_CALLS_PER_UID
    life.bus.allowed = True
    until(lambda: life.answer(life.bus.call(*callers[0], "Revert", [])) == "done")  # there is room again


ASKING: dict[str, tuple[str, tuple[Any, ...]]] = {
    "Set": ("set-runtime", ("bfq", {}, False)),
    "Insist": ("set-runtime", ("bfq", {})),
    "Revert": ("set-runtime", ()),
    "BeginTrial": ("trial", ()),
    "Set for good": ("persist", ("bfq", {}, True)),
    "Forget": ("persist", ()),
    "Undo": ("persist", ()),
    "BeginFieldTrial": ("field-trial", ([("bfq", {}), ("kyber", {})], TOMORROW)),
}


def ask(life: Life, method: str, *disks: tuple[str, int]) -> Invocation:
    _, values = ASKING[method]
    return life.bus.call(":1.1", ALICE, method.removesuffix(" for good"), list(disks), *values)


@pytest.mark.parametrize("method", ASKING)
def test_polkit_is_asked_for_the_methods_own_action_and_told_of_all_disks(
    method: str, life: Life, sda: FakeQueue, sdb: FakeQueue, tmp_path: Path
) -> None:
    """An administrator's rule may look at the disks: none that would be changed is left out."""
    (tmp_path / "run/udev/data/b8:16").write_text("E:ID_MODEL=Big_Disk\nE:ID_SERIAL=x\nE:ID_SERIAL_SHORT=S-1\n")
    life.bus.allowed = False
    assert life.answer(ask(life, method, ("sdb", 17), ("gone", 0), ("../sda", 1))) == "AccessDenied"
    action, details = life.bus.asked[-1]
    assert action == f"org.disktuner.{ASKING[method][0]}"
    details.pop("trial.settings", None), details.pop("trial.until", None)
    assert details == {
        "disk.title": "Big Disk (sdb)", "disk.names": "sdb gone ?",
        "disk.model": "Big Disk", "disk.serial": "S-1", "disk.device": "/dev/sdb",
    }  # fmt: skip
    life.answer(ask(life, method))
    assert {value for name, value in life.bus.asked[-1][1].items() if "disk" in name} == {"all disks", "all"}
    life.bus.allowed = True
    before, disks = sda.whole, [(f"sd{number}", 0) for number in range(contract.MAX_DISKS)]
    for many in ([*disks, ("sda", 1)], [("sda", 1), ("sda", 1)]):
        assert life.answer(ask(life, method, *many)) == "Busy"
    assert sda.whole == before


@pytest.mark.parametrize("method", ASKING)
def test_a_name_that_is_another_disks_when_polkit_answers_changes_nothing(
    method: str, life: Life, sda: FakeQueue
) -> None:
    life.bus.polkit.clear()
    call, before = ask(life, method, ("sda", 1)), sda.whole
    until(lambda: life.bus.asked)
    (sda.folder / "diskseq").write_text("2\n")
    life.bus.polkit.set()
    assert life.answer(call) == "StaleDisk" and sda.whole == before


@pytest.mark.parametrize("method", ASKING)
def test_only_who_insists_changes_a_disk_whose_queue_may_hang_and_everybody_may_go_back(
    method: str, life: Life, sda: FakeQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sda.whole
    monkeypatch.setattr("time.sleep", lambda _: None)
    monkeypatch.setattr("os.uname", lambda: SimpleNamespace(release="6.12.57-amd64"))
    sda.texts["zoned"] = "host-managed"
    (sda.folder / "stat").write_text("5 0 40 1 7 0 56 1 0 1 1\n")
    is_back = method in ("Revert", "Forget", "Undo")
    if is_back:
        assert life.answer(ask(life, "Insist", ("sda", 1))) == "done" and sda.scheduler == "bfq"
    answer = life.answer(ask(life, method, ("sda", 1)))
    assert answer == ("done" if is_back or method == "Insist" else "NotTunable")
    assert (sda.whole == before) == (method not in ("Insist", "Forget"))


def test_what_could_not_be_put_back_is_remembered_until_revert_brings_it_back(
    life: Life, sda: FakeQueue, sdb: FakeQueue
) -> None:
    before = sda.whole
    life.answer(ask(life, "Set", ("sdb", 17)))
    trial = life.begin_with_bfq()
    sda.refuse["scheduler"] = errno.EIO
    assert life.alice("EndTrial", trial) == "WriteFailed"
    assert life.answer(ask(life, "Revert")) == "WriteFailed"
    assert (sda.scheduler, sdb.scheduler) == ("bfq", "none"), "it keeps no other from it"
    sda.refuse.clear()
    assert life.answer(ask(life, "Revert")) == "done" and sda.whole == before
    assert '"snapshots": []' in life.state()


def test_only_disks_that_are_named_go_back(life: Life, sda: FakeQueue, sdb: FakeQueue, tmp_path: Path) -> None:
    before = sda.whole
    assert life.answer(ask(life, "Set", ("sda", 1), ("sdb", 17))) == "done"
    assert life.answer(ask(life, "Revert", ("sda", 1))) == "done"
    assert (sda.whole, sdb.scheduler) == (before, "bfq")
    assert [path.name for path in tmp_path.rglob("*-until-restart")] == ["8:16-17-until-restart"]


def test_undo_forgets_nothing_while_a_trial_has_the_disk(life: Life, sda: FakeQueue, tmp_path: Path) -> None:
    life.answer(ask(life, "Set for good", ("sda", 1)))
    life.begin()
    assert life.answer(ask(life, "Undo", ("sda", 1))) == "Busy" and list(tmp_path.rglob("*.rules"))


def test_all_disks_that_a_trial_could_not_put_back_are_named(life: Life, sda: FakeQueue, sdb: FakeQueue) -> None:
    disks = [("sda", 1), ("sdb", 17)]
    trial = life.alice("BeginTrial", disks)
    for (name, _), queue in zip(disks, (sda, sdb), strict=True):
        life.alice("SetTrial", trial, name, "bfq", {})
        queue.refuse["scheduler"] = errno.EIO
    ending = life.bus.call(":1.1", ALICE, "EndTrial", trial)
    assert (life.answer(ending), ending.reason) == ("WriteFailed", "not-put-back disks=sda,sdb")
    sda.refuse.clear(), sdb.refuse.clear()


def test_the_state_names_the_disks_of_what_was_chosen_and_what_it_cannot_read(
    life: Life, sda: FakeQueue, sdb: FakeQueue, tmp_path: Path
) -> None:
    life.answer(ask(life, "Set for good", ("sda", 1)))
    state = json.loads(life.state())
    assert state["format"] == "disktuner.state/1" and state["problem"] is None
    assert [rule["disks"] for rule in state["persistent"]] == [["sda"]] and not state["field_trials"]
    next(tmp_path.rglob("*.rules")).write_text("somebody else's\n")
    assert RULE in json.loads(life.state())["problem"]


def test_the_end_of_a_trial_in_daily_use_is_logged_with_its_disk(
    life: Life, sda: FakeQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends: list[tuple[str, str]] = []

    def decide(call: Call, outcome: str) -> None:
        if call.method == "field-trial-ended":
            ends.append((call.disk, outcome))

    monkeypatch.setattr(audit, "decision", decide)
    trial = life.answer(ask(life, "BeginFieldTrial", ("sda", 1)))
    life.alice("SetFieldTrial", trial, 0)
    sda.refuse["scheduler"] = errno.EIO
    assert life.alice("EndFieldTrial", trial) == "WriteFailed"
    sda.refuse.clear()
    trial = life.answer(ask(life, "BeginFieldTrial", ("sda", 1)))
    assert life.alice("EndFieldTrial", trial) == "done"
    assert ends == [("sda", "not restored: sda"), ("sda", "restored")]


@pytest.mark.parametrize("named", [False, True])
def test_revert_says_so_where_a_disk_in_daily_use_does_not_go_back(named: bool, life: Life, sda: FakeQueue) -> None:
    before, disks = sda.whole, [("sda", 1)] if named else []
    trial = life.answer(ask(life, "BeginFieldTrial", ("sda", 1)))
    life.alice("SetFieldTrial", trial, 0)
    sda.refuse["scheduler"] = errno.EIO
    for _ in range(2):
        assert life.answer(ask(life, "Revert", *disks)) == "WriteFailed" and sda.scheduler == "bfq"
    sda.refuse.clear()
    assert life.answer(ask(life, "Revert", *disks)) == "done" and sda.whole == before


def test_a_disk_that_is_gone_keeps_its_choice_where_it_cannot_be_undone(
    life: Life, sda: FakeQueue, tmp_path: Path
) -> None:
    """Undo checks everything before it changes anything."""
    life.answer(ask(life, "Set for good", ("sda", 1)))
    (rules,) = tmp_path.rglob("*.rules")
    assert life.answer(ask(life, "Revert", ("sda", 1))) == "done"
    content = rules.read_bytes()
    shutil.rmtree(sda.folder)
    assert life.answer(ask(life, "Undo", ("sda", 0))) == "NoSuchDisk" and rules.read_bytes() == content
    assert life.answer(ask(life, "Forget", ("sda", 0))) == "done" and not rules.exists()


def test_what_is_too_much_to_read_is_not_printed(life: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    """A message of megabytes would be even longer as text; only 512 characters are logged."""
    lines, arguments = list[str](), GLib.Variant("(s)", ("x" * 5000,))
    giant = SimpleNamespace(get_size=arguments.get_size, print_=pytest.fail)
    monkeypatch.setattr(Invocation, "get_parameters", lambda _: giant)
    monkeypatch.setattr(audit, "write", lambda text, _=0: lines.append(text))
    assert life.answer(ask(life, "Set", ("gone", 0))) == "NoSuchDisk"
    assert f'asked for {arguments.get_size()} bytes"' in lines[-1]


def plug_another(kernel: FakeKernel, sda: FakeQueue) -> FakeQueue:
    """The disk is pulled out, and the next gets its name and number."""
    kernel.pull_out(sda)
    another = kernel.add("sda")
    (another.folder / "diskseq").write_text("2\n")
    commands_of(another)
    return another


def commands_of(disk: FakeQueue) -> Path:
    """How many commands it gets at a time, as a SATA disk has it."""
    depth = disk.folder / "device/queue_depth"
    depth.parent.mkdir()
    depth.write_text("32\n")
    return depth


@pytest.mark.parametrize("meanwhile", [False, True], ids=["between two calls", "while it is switched"])
def test_a_disk_that_is_pulled_out_while_its_depth_is_tried_leaves_the_next_of_its_name_alone(
    meanwhile: bool, life: Life, kernel: FakeKernel, sda: FakeQueue
) -> None:
    depth, trial, switch = commands_of(sda), life.begin(), sda.switch
    tried = (trial, "sda", "bfq", {"device/queue_depth": "1"})
    others = list[FakeQueue]()

    def pull(scheduler: str) -> None:
        if not others:
            others.append(plug_another(kernel, sda))
        switch(scheduler)

    if meanwhile:
        sda.switch = pull  # type: ignore[method-assign]
    answer = life.alice("SetTrial", *tried)
    assert answer == ("NotTunable" if meanwhile else "done")
    if not meanwhile:
        assert depth.read_text() == "1"
        others.append(plug_another(kernel, sda))
    (another,) = others
    before = another.whole
    assert life.alice("SetTrial", *tried) == "StaleDisk"
    assert life.alice("EndTrial", trial) == "WriteFailed", "its owner is told"
    assert '"trials": []' in life.state()
    assert another.whole == before and (another.folder / "device/queue_depth").read_text() == "32\n"


@pytest.mark.parametrize("persist", [False, True])
def test_keeping_asks_for_what_choosing_asks_for_and_only_its_owner(persist: bool, life: Life, sda: FakeQueue) -> None:
    trial = life.begin_with_bfq()
    count = len(life.bus.asked)
    assert life.answer(life.bus.call(":1.2", ALICE, "KeepTrial", trial, persist)) == "NoSuchTrial"
    assert len(life.bus.asked) == count, "nobody is asked about what is another's"
    life.bus.allowed = False
    assert life.alice("KeepTrial", trial, persist) == "AccessDenied"
    action, details = life.bus.asked[-1]
    assert (action.rpartition(".")[2], details["disk.names"]) == ("persist" if persist else "set-runtime", "sda")
    assert sda.scheduler == "bfq" and '"trials": [{' in life.state()


def it_ends(life: Life, sda: FakeQueue) -> str:
    life.object.service.end(lambda _: True, "time limit")
    return "NoSuchTrial"


def its_owner_leaves(life: Life, sda: FakeQueue) -> str:
    life.bus.leave(":1.1")
    until(lambda: '"trials": []' in life.state())
    return "AccessDenied"


def the_disk_is_another(life: Life, sda: FakeQueue) -> str:
    (sda.folder / "diskseq").write_text("2\n")
    return "StaleDisk"


def the_disk_is_gone(life: Life, sda: FakeQueue) -> str:
    sda.folder.rename(sda.folder.with_name("was-sda"))
    return "NoSuchDisk"


@pytest.mark.parametrize("persist", [False, True])
@pytest.mark.parametrize("event", [it_ends, its_owner_leaves, the_disk_is_another, the_disk_is_gone])
def test_what_happens_while_somebody_is_asked_whether_to_keep(
    event: Callable[[Life, FakeQueue], str], persist: bool, life: Life, sda: FakeQueue, tmp_path: Path
) -> None:
    """Then nothing is chosen; if the trial has ended, the disk is restored."""
    trial = life.begin_with_bfq()
    life.bus.polkit.clear()
    count = len(life.bus.asked)
    call = life.bus.call(":1.1", ALICE, "KeepTrial", trial, persist)
    until(lambda: len(life.bus.asked) > count)
    error = event(life, sda)
    life.bus.polkit.set()
    assert life.answer(call) == error
    if event in (it_ends, its_owner_leaves):
        assert sda.scheduler == "none"
    if event is the_disk_is_gone:
        sda.folder.with_name("was-sda").rename(sda.folder)
    files_before = sorted(path.name for path in (tmp_path / "run/disktuner").rglob("*") if path.is_file())
    assert files_before in ([], ["8:0-1", "trials.json"]) and not list(tmp_path.rglob("*.rules"))


@pytest.mark.parametrize("lack", [RULE, "8:0-1-until-restart", "snapshots.json", "trials.json"])
@pytest.mark.parametrize("persist", [False, True])
def test_what_cannot_be_kept_goes_on_as_it_was(
    persist: bool, lack: str, life: Life, sda: FakeQueue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, other = sda.whole, life.bus.call(":1.2", BOB, "Revert", [])
    life.answer(other)
    trial, real, removed = life.begin_with_bfq(), files.replace, files.remove

    def refuse(file: Path, *content: bytes) -> None:
        if file.name == lack:
            raise WriteFailed("file-not-written")
        real(file, *content) if content else removed(file)

    during = sda.whole
    with monkeypatch.context() as patch:
        patch.setattr(files, "replace", refuse)
        patch.setattr(files, "remove", refuse)
        answer = life.alice("KeepTrial", trial, persist)
    is_used = lack != RULE or persist
    assert (answer == "WriteFailed") == is_used and sda.whole == during
    if is_used:
        files_before = sorted(path.name for path in (tmp_path / "run/disktuner").rglob("*") if path.is_file())
        assert not list(tmp_path.rglob("*.rules")) and files_before in (
            ["8:0-1", "trials.json"], ["8:0-1", "snapshots.json", "trials.json"])  # fmt: skip
        assert life.alice("EndTrial", trial) == "done" and sda.whole == before


def without_rules(root: Path, _: FakeQueue) -> None:
    (root / "etc/udev/rules.d").rename(root / "aside")


def without_obedience(_: Path, disk: FakeQueue) -> None:
    disk.refuse["scheduler"] = errno.EIO


@pytest.mark.parametrize("trouble", [without_rules, without_obedience])
@pytest.mark.parametrize("method", ["Set", "Set for good"])
def test_what_fails_on_one_disk_is_done_on_none(
    method: str, trouble: Callable[[Path, FakeQueue], None], life: Life, sda: FakeQueue, sdb: FakeQueue, tmp_path: Path
) -> None:
    disks, before = [("sda", 1), ("sdb", 17)], (sda.whole, sdb.whole)
    trouble(tmp_path, sdb)
    succeeds = method == "Set" and trouble is without_rules
    assert life.answer(ask(life, method, *disks)) == ("done" if succeeds else "WriteFailed")
    files_before = [path.name for path in (tmp_path / "run/disktuner").rglob("*") if path.is_file()]
    if succeeds:
        assert (sda.scheduler, sdb.scheduler) == ("bfq", "bfq")
        assert sorted(files_before) == ["8:0-1-until-restart", "8:16-17-until-restart", "snapshots.json"]
    else:
        assert ((sda.whole, sdb.whole), files_before) == (before, []) and not list(tmp_path.rglob("*.rules"))


def test_what_a_disk_had_stays_known_where_a_failed_choice_left_a_strange_schedulers_number_changed(
    life: Life, sda: FakeQueue
) -> None:
    sda.tunables["stranger"] = {"lat_target_read": 2}
    sda.switch("stranger")
    sda.values["iosched/lat_target_read"] = 7
    before = sda.whole
    for refused, remembered in (({}, []), ({"iosched/lat_target_read": errno.EIO}, [7])):
        sda.refuse = {"nomerges": errno.EIO, **refused}
        wish = ([("sda", 1)], "bfq", {"queue/nomerges": "2"}, False)
        assert life.alice("Set", *wish) == "WriteFailed"
        state = json.loads(life.state())
        assert [held["tunables"]["iosched/lat_target_read"] for held in state["snapshots"]] == remembered
    sda.refuse = {}
    assert life.alice("Revert", []) == "done" and sda.whole == before
