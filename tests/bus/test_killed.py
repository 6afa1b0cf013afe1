# SPDX-License-Identifier: GPL-3.0-or-later
"""kill -9 of the helper at every system call that matters: the rule file stays whole, disks get back what they had."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bus.conftest import Caller, Refusal, helper_pid
from tests.conftest import LoopDisk, Sudo
from tests.waiting import until

RULES = Path("/etc/udev/rules.d/90-disktuner.rules")
NEW = ".90-disktuner.rules.new"
# Not write: GDBus's threads write, too. Before it comes a look at what was opened (is it a terminal?), after it fsync
# or the next openat.
CALLS = "openat,ioctl,fsync,rename,renameat,unlink,unlinkat,mkdir,fchmod"


class Killer:
    """strace, which kills the helper when one of its threads enters its nth system call of those that touch files.

    Each call runs in a thread of its own, so n counts from the beginning of the call.
    """

    def __init__(self, pid: int, count: int) -> None:
        words = ["-qq", "-f", "-o", "/dev/null", "-p", str(pid), "-e", f"trace={CALLS}"]
        inject = ["-e", f"inject={CALLS}:signal=KILL:when={count}"]
        self.process = subprocess.Popen(["sudo", "-n", "strace", *words, *inject], stderr=subprocess.DEVNULL)
        assert until(lambda: all(map(_is_traced, Path(f"/proc/{pid}/task").iterdir()))), "strace did not attach"

    def stop(self, sudo: Sudo, pid: int) -> bool:
        """Whether it has killed."""
        killed = not Path(f"/proc/{pid}").exists()
        if not killed:
            sudo("pkill", "-P", str(self.process.pid), "-x", "strace")
        self.process.wait(10)
        return killed


def _is_traced(task: Path) -> bool:
    return "TracerPid:\t0\n" not in (task / "status").read_text()


def kill_in(count: int, helper: Caller, sudo: Sudo, work: Callable[[], object]) -> bool:
    """Kill the helper at the nth system call of some work; whether it had that many."""
    helper.state()
    pid = helper_pid(sudo)
    killer = Killer(pid, count)
    try:
        work()
    except Refusal as refusal:
        assert str(refusal) == "NoReply"
        until(lambda: not Path(f"/proc/{pid}").exists())
    return killer.stop(sudo, pid)


def every_step(
    prepare: Callable[[], Callable[[], object]], check: Callable[[], None], helper: Caller, sudo: Sudo
) -> int:
    """Kill the helper at the first, second... system call of some work until that has no more; how many it had.

    ``prepare`` returns the work; ``check`` is asked after each death, when the next helper is there.
    """
    for count in range(1, 200):
        if not kill_in(count, helper, sudo, prepare()):
            return count - 1
        helper.state()
        check()
    raise AssertionError("the work has no end")


def test_persist_leaves_the_old_or_the_new_file(helper: Caller, known_disk: LoopDisk, sudo: Sudo) -> None:
    disk = known_disk
    texts: dict[str, str] = {}
    for name in ("kyber", "bfq"):
        helper.call("Persist", disk.name, disk.diskseq, name, {})
        texts[name] = without_time(RULES.read_text())

    def prepare() -> Callable[[], object]:
        name = "kyber" if helper.state()["persistent"][0]["scheduler"] == "bfq" else "bfq"
        return lambda: helper.call("Persist", disk.name, disk.diskseq, name, {})

    def check() -> None:
        state = helper.state()
        assert len(state["persistent"]) == 1
        assert without_time(RULES.read_text()) == texts[state["persistent"][0]["scheduler"]]
        assert RULES.stat().st_mode & 0o7777 == 0o644
        assert [one.name for one in RULES.parent.iterdir() if "disktuner" in one.name and one != RULES] in ([], [NEW])

    assert every_step(prepare, check, helper, sudo) >= 25


def test_forgetting_takes_the_file_away_or_leaves_it_whole(helper: Caller, known_disk: LoopDisk, sudo: Sudo) -> None:
    disk = known_disk
    helper.call("Persist", disk.name, disk.diskseq, "bfq", {})
    whole = without_time(RULES.read_text())

    def prepare() -> Callable[[], object]:
        helper.call("Persist", disk.name, disk.diskseq, "bfq", {})
        return lambda: helper.call("Forget", disk.name)

    def check() -> None:
        state = helper.state()
        assert (len(state["persistent"]), state["problem"]) == (int(RULES.exists()), None)
        assert without_time(RULES.read_text() if RULES.exists() else whole) == whole

    assert every_step(prepare, check, helper, sudo) >= 10


@pytest.mark.parametrize(
    "step", ["BeginTrial", "SetTrialScheduler", pytest.param("SetTrialSetting", marks=pytest.mark.long), "EndTrial"]
)
def test_a_trial_is_undone_by_the_next_helper(step: str, helper: Caller, disk: LoopDisk, sudo: Sudo) -> None:
    sudo("tee", disk.queue / "nr_requests", stdin="64")
    before = [(disk.queue / name).read_text() for name in ("nr_requests", "nomerges", "wbt_lat_usec")]
    tunables = {"iosched/slice_idle": "0", "queue/nomerges": "1", "queue/wbt_lat_usec": "5000"}

    def prepare() -> Callable[[], object]:
        trial = ""
        if step != "BeginTrial":
            trial = helper.call("BeginTrial", [(disk.name, disk.diskseq)])
        if step == "EndTrial":
            helper.call("SetTrialSetting", trial, disk.name, "bfq", tunables)
        rest: dict[str, tuple[object, ...]] = {
            "BeginTrial": ([(disk.name, disk.diskseq)],),
            "SetTrialScheduler": (trial, disk.name, "bfq"),
            "SetTrialSetting": (trial, disk.name, "kyber", {"iosched/read_lat_nsec": "5", "queue/nomerges": "1"}),
            "EndTrial": (trial,),
        }
        return lambda: helper.call(step, *rest[step])

    def check() -> None:
        assert helper.state()["trials"] == []
        found = [(disk.queue / name).read_text() for name in ("nr_requests", "nomerges", "wbt_lat_usec")]
        assert (disk.scheduler, found) == ("none", before)
        assert not list(Path("/run/disktuner/hold").glob("*"))

    assert every_step(prepare, check, helper, sudo) >= 8


def test_revert_can_be_repeated(helper: Caller, disk: LoopDisk, sudo: Sudo) -> None:
    def prepare() -> Callable[[], object]:
        helper.call("SetScheduler", disk.name, disk.diskseq, "bfq")
        return lambda: helper.call("Revert", disk.name)

    def check() -> None:
        helper.call("Revert", disk.name)
        assert (disk.scheduler, helper.state()["snapshots"]) == ("none", [])

    assert every_step(prepare, check, helper, sudo) >= 10


def without_time(text: str) -> str:
    return re.sub(r"chosen \S+", "chosen", text)
