# SPDX-License-Identifier: GPL-3.0-or-later
"""kill -9 of the helper at its system calls that touch files: the rule file stays whole, and disks are restored.

At every third call, beginning with one that the commit chooses; at all of them with ``--all``.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.bus.conftest import RULES, Caller, Refusal, helper_pid, known_to_udev, named, own_rules, tomorrow
from tests.conftest import LoopDisk, Sudo
from tests.waiting import until

LIMITS = {"bdi/max_bytes": "16777216", "bdi/strict_limit": "1"}
# Not write: GDBus's threads write, too. Before it comes a look at what was opened (is it a terminal?), after it fsync
# or the next openat.
CALLS = "openat,ioctl,fsync,rename,renameat,unlink,unlinkat,mkdir,fchmod"
COMMIT = os.environ.get("DISKTUNER_COMMIT") or "0"
ALL = range(1, 2000)  # some calls look at each disk of the computer: more disks are more steps
STEPS = pytest.mark.parametrize("steps", [ALL[int(COMMIT, 16) % 3 :: 3], pytest.param(ALL, marks=pytest.mark.long)])
Work = Callable[[], object]


class Killer:
    """strace, which kills the helper when one of its threads enters its nth system call that touches files.

    Each call runs in its own thread, so n counts from the beginning of the call.
    """

    def __init__(self, pid: int, count: int) -> None:
        words = ["-qq", "-f", "-o", "/dev/null", "-p", str(pid), "-e", f"trace={CALLS}"]
        inject = ["-e", f"inject={CALLS}:signal=KILL:when={count}"]
        self.process = subprocess.Popen(["sudo", "-n", "strace", *words, *inject], stderr=subprocess.DEVNULL)
        until(lambda: all(map(_is_traced, Path(f"/proc/{pid}/task").iterdir())))

    def stop(self, sudo: Sudo, pid: int) -> bool:
        """Stop it; return whether it has killed the helper."""
        if not _is_dead(pid):
            with suppress(AssertionError):  # a call after its answer may have killed it just now: strace ends with it
                sudo("pkill", "-P", str(self.process.pid), "-x", "strace")
        self.process.wait()
        return _is_dead(pid)


def _is_traced(task: Path) -> bool:
    try:
        return "TracerPid:\t0\n" not in (task / "status").read_text()
    except OSError:  # the thread of an earlier call has ended
        return True


def _is_dead(pid: int) -> bool:
    """Whether a process has ended, even if nobody has waited for it yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def kill_in(count: int, helper: Caller, sudo: Sudo, work: Work) -> bool:
    """Kill the helper at the nth system call of some work; return whether there were that many."""
    helper.state()
    pid = helper_pid(sudo)
    killer = Killer(pid, count)
    try:
        work()
    except Refusal as refusal:
        assert str(refusal) == "NoReply"
        until(lambda: _is_dead(pid))
    return killer.stop(sudo, pid)


def kill_at(steps: range, prepare: Callable[[], Work], check: Callable[[], None], helper: Caller, sudo: Sudo) -> int:
    """Kill the helper at those system calls of some work, until there are no more; return the first number beyond.

    ``prepare`` returns the work; ``check`` is called after each death, with the next helper running.
    """
    for count in steps:
        if not kill_in(count, helper, sudo, prepare()):
            return count
        helper.state()
        check()
    raise AssertionError("the work has no end")


@STEPS
def test_the_rule_file_is_the_old_or_the_new_one(
    steps: range, helper: Caller, known_disk: LoopDisk, sudo: Sudo
) -> None:
    disk, texts = known_disk, {}

    def persist(name: str) -> None:
        helper.set(disk, name, {}, persist=True)

    for name in ("kyber", "bfq"):
        persist(name)
        texts[name] = rule()

    def the_other() -> Work:
        name = "kyber" if helper.state()["persistent"][0]["scheduler"] == "bfq" else "bfq"
        return lambda: persist(name)

    def old_or_new() -> None:
        (chosen,) = helper.state()["persistent"]
        (file,) = own_rules()
        assert rule() == texts[chosen["scheduler"]] and file.stat().st_mode & 0o7777 == 0o644
        assert {*RULES.glob("*disktuner*")} - {file, file.with_name(f".{file.name}.new")} == set()

    assert kill_at(steps, the_other, old_or_new, helper, sudo) > 25

    def forget() -> Work:
        persist("bfq")
        return lambda: helper.call("Forget", named(disk))

    def whole_or_gone() -> None:
        state = helper.state()
        assert (len(state["persistent"]), state["problem"]) == (len(own_rules()), None)
        assert not own_rules() or rule() == texts["bfq"]

    assert kill_at(steps, forget, whole_or_gone, helper, sudo) > 8


@STEPS
def test_of_several_disks_each_file_is_whole_and_what_holds_is_said(
    steps: range, helper: Caller, known_disk: LoopDisk, loop_disk: Callable[..., LoopDisk], sudo: Sudo
) -> None:
    with known_to_udev(loop_disk(size_mb=64, fs=None), sudo) as other:
        disks, before = named(known_disk, other), (files(known_disk), files(other))

        def persist() -> Work:
            return lambda: helper.call("Set", disks, "kyber", {"queue/nomerges": "1"}, True)

        def is_said_and_undone() -> None:
            state = helper.state()
            chosen = {f"90-disktuner-{rule['key']}-{rule['value']}.rules" for rule in state["persistent"]}
            assert state["problem"] is None and chosen == {file.name for file in own_rules()}
            helper.call("Undo", disks)
            assert (files(known_disk), files(other)) == before and not own_rules()

        assert kill_at(steps, persist, is_said_and_undone, helper, sudo) > 40
        is_said_and_undone()


@STEPS
def test_a_trial_is_undone_by_the_next_helper(steps: range, helper: Caller, disk: LoopDisk, sudo: Sudo) -> None:
    sudo("tee", disk.queue / "nr_requests", stdin="64")
    before, trial = files(disk), [(disk.name, disk.diskseq)]
    begun: list[str] = []

    def begin_now() -> None:
        begun.append(helper.call("BeginTrial", trial))

    def begin() -> Work:
        return begin_now

    def tune() -> Work:
        begin_now()
        wish = {"iosched/read_lat_nsec": "5", "queue/nomerges": "1", **LIMITS}
        return lambda: helper.set_trial(begun[-1], disk, "kyber", wish)

    def end() -> Work:
        begin_now()
        wish = {"iosched/slice_idle": "0", "queue/nomerges": "1", "queue/wbt_lat_usec": "5000", **LIMITS}
        helper.set_trial(begun[-1], disk, "bfq", wish)
        return lambda: helper.call("EndTrial", begun[-1])

    def nothing_is_left() -> None:
        assert (helper.state()["trials"], files(disk)) == ([], before)
        assert not list(Path("/run/disktuner/hold").glob("*"))

    for work in (begin, tune, end):
        assert kill_at(steps, work, nothing_is_left, helper, sudo) > 8
        with suppress(Refusal):  # the last one, which nobody killed
            helper.call("EndTrial", begun[-1])


@STEPS
@pytest.mark.parametrize("persist", [False, True])
def test_a_trial_that_is_being_kept_is_undone_or_kept(
    persist: bool, steps: range, helper: Caller, known_disk: LoopDisk, sudo: Sudo
) -> None:
    before, begun = files(known_disk), list[str]()

    def keep() -> Work:
        begun.append(helper.call("BeginTrial", named(known_disk)))
        helper.set_trial(begun[-1], known_disk, "kyber", {"queue/nomerges": "1", **LIMITS})
        return lambda: helper.call("KeepTrial", begun[-1], persist)

    def goes_back() -> None:
        state, now = helper.state(), files(known_disk)
        assert state["trials"] == [] and (now == before or "[kyber]" in now[0])
        assert len(state["persistent"]) == len(own_rules()) and state["problem"] is None
        helper.call("Undo", named(known_disk))
        assert files(known_disk) == before and not own_rules()
        assert not list(Path("/run/disktuner/hold").glob("*"))

    assert kill_at(steps, keep, goes_back, helper, sudo) > 12
    goes_back()


@STEPS
def test_a_trial_in_daily_use_can_always_be_undone(
    steps: range, helper: Caller, known_disk: LoopDisk, sudo: Sudo
) -> None:
    before, pair, begun = files(known_disk), [("bfq", {"queue/nomerges": "1"}), ("kyber", {})], list[str]()

    def begin_now() -> None:
        begun.append(helper.call("BeginFieldTrial", named(known_disk), pair, tomorrow()))

    def begin() -> Work:
        return begin_now

    def change() -> Work:
        begin_now()
        return lambda: helper.call("SetFieldTrial", begun[-1], 0)

    def end() -> Work:
        change()()
        return lambda: helper.call("EndFieldTrial", begun[-1])

    def goes_back() -> None:
        helper.call("Revert", [])
        assert (helper.state()["field_trials"], files(known_disk)) == ([], before)
        assert not list(Path("/run/disktuner/hold").glob("*"))

    def is_as_before() -> None:
        assert files(known_disk) == before, "whoever asked for it got no answer, and knows of nothing to undo"
        goes_back()

    # At its beginning both settings are tried: as many calls as ten other works have.
    beginning = range(steps.start, 2000, 10 * steps.step)
    for work, which, check in ((begin, beginning, is_as_before), (change, steps, goes_back), (end, steps, goes_back)):
        assert kill_at(which, work, check, helper, sudo) > 8
        goes_back()


def files(disk: LoopDisk) -> list[str]:
    of_queue = [f"queue/{name}" for name in ("scheduler", "nr_requests", "nomerges", "wbt_lat_usec")]
    return [(disk.queue.parent / name).read_text() for name in (*of_queue, "bdi/max_ratio_fine", "bdi/strict_limit")]


def rule() -> str:
    """Return the rule file without its time, and without the digest that depends on it."""
    (file,) = own_rules()
    return re.sub(r'"since": "\S+"|(?m:^# sha256 .*)', "", file.read_text())
