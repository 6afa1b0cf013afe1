# SPDX-License-Identifier: GPL-3.0-or-later
"""The helper does all its work under the restrictions of its unit: see confine.py, which takes them from the unit."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bus.conftest import CONFINE, PLACE, Caller, Udevd, answer_with, helper_pid, stop_helper, text_agent
from tests.conftest import LoopDisk, Sudo
from tests.waiting import until

FORBIDDEN = {
    "write elsewhere": "open('/etc/passwd', 'a')",
    "make a file elsewhere": "open('/usr/made', 'w')",
    "write a setting of the kernel's": "open('/proc/sys/kernel/domainname', 'w')",
    "see homes": "os.listdir('/root')",
    "open a disk": "open('/dev/loop-control')",
    "use the network": "socket.socket(socket.AF_INET)",
    "use another way to the kernel": "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
    "have writable code": "mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)",
    "make namespaces": "libc(libc_.unshare(0x00020000))",
    "become another user": "os.setuid(1)",
    "change an owner": "os.chown('/run/disktuner', 1, 1)",
    "make a setuid file": "os.chmod('/run/disktuner', 0o4755)",
    "mount": "libc(libc_.mount(b'none', b'/tmp', b'tmpfs', 0, None))",
    "take priority": "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))",
    "debug": "libc(libc_.ptrace(0, 0, 0, 0))",
    "set the clock": "time.clock_settime(time.CLOCK_REALTIME, 0)",
}
ATTEMPT = """
import ctypes, mmap, os, socket, time
libc_ = ctypes.CDLL(None, use_errno=True)
def libc(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
try:
    {}
except OSError as error:
    print("refused", error.errno)
"""


def status(pid: int, name: str) -> str:
    text = Path(f"/proc/{pid}/status").read_text()
    return text.partition(f"{name}:")[2].split()[0]


@pytest.mark.parametrize("what", FORBIDDEN)
def test_what_the_unit_forbids_is_refused(what: str, sudo: Sudo) -> None:
    attempt = ATTEMPT.format(FORBIDDEN[what])
    free = subprocess.run(["sudo", "-n", "unshare", "--mount", "--net", "--ipc", "--uts", "true"], check=False)
    assert free.returncode == 0
    said = sudo(*CONFINE, "/usr/bin/python3", "-I", "-c", attempt)
    assert said.startswith("refused"), said


def test_everything_works_confined(
    confined: None, caller: Callable[..., Caller], udevd: Udevd, loop_disk: Callable[..., LoopDisk], sudo: Sudo
) -> None:
    one, disk = caller(), udevd.disk
    one.state()
    pid = helper_pid(sudo)
    assert (int(status(pid, "CapEff"), 16), int(status(pid, "CapBnd"), 16)) == (0, 0)
    assert (status(pid, "NoNewPrivs"), status(pid, "Seccomp")) == ("1", "2")
    for name in ("mq-deadline", "kyber", "bfq", "none"):
        one.call("SetScheduler", disk.name, disk.diskseq, name)
        assert disk.scheduler == name
    one.call("SetTunables", disk.name, disk.diskseq, {"queue/nomerges": "1"})
    one.call("Revert", disk.name)
    trial = one.call("BeginTrial", [(disk.name, disk.diskseq)])
    one.call("SetTrialScheduler", trial, disk.name, "bfq")
    one.call("SetTrialSetting", trial, disk.name, "kyber", {"iosched/read_lat_nsec": "1000000"})
    assert (disk.queue / "iosched/read_lat_nsec").read_text() == "1000000\n"
    one.call("EndTrial", trial)
    assert disk.scheduler == "none"
    rule = one.call("Persist", disk.name, disk.diskseq, "bfq", {"iosched/low_latency": "0"})
    assert rule in Path("/etc/udev/rules.d/90-disktuner.rules").read_text()
    sudo("tee", disk.queue / "scheduler", stdin="none")
    udevd.trigger("change", disk)
    assert disk.scheduler == "bfq"
    assert one.state()["persistent"][0]["disks"] == [disk.name]
    one.call("Forget", disk.name)
    one.call("RevertAll")
    one.call("ForgetAll")
    begun = one.call("BeginTrial", [(disk.name, disk.diskseq)])
    one.call("SetTrialScheduler", begun, disk.name, "kyber")
    one.leave()
    assert until(lambda: disk.scheduler == "none")
    assert helper_pid(sudo) == pid


def test_a_confined_helper_asks_for_a_password(
    confined: None, helper: Caller, caller: Callable[..., Caller], disk: LoopDisk
) -> None:
    one = caller("dt-ask")
    agent = text_agent(one)
    one.send("SetScheduler", disk.name, disk.diskseq, "bfq", interactive=True)
    answer_with(agent, "admin-pw", "AUTHENTICATION COMPLETE")
    one.answer()
    agent.close(force=True)
    assert disk.scheduler == "bfq"


def test_a_confined_helper_killed_in_a_trial_restores_when_started_again(
    confined: None, caller: Callable[..., Caller], disk: LoopDisk, sudo: Sudo
) -> None:
    """By the call that comes at once, while it is being started again without any: there must not be two."""
    one = caller()
    for _ in range(4):
        trial = one.call("BeginTrial", [(disk.name, disk.diskseq)])
        one.call("SetTrialScheduler", trial, disk.name, "bfq")
        stop_helper(sudo, "-KILL")
        one.state()
        assert disk.scheduler == "none"


LISTED = """
import sys
from pathlib import Path
sys.path.insert(0, {place!r})
from disktuner_helper import queue
queue.known = lambda scheduler: {{}}  # as if nobody had ever heard of it
with queue.Queue(Path("/"), {disk!r}) as opened:
    print(*opened.setting.tunables)
"""


def test_a_confined_helper_remembers_what_an_unknown_scheduler_has(
    confined: None, helper: Caller, disk: LoopDisk, sudo: Sudo
) -> None:
    helper.call("SetScheduler", disk.name, disk.diskseq, "bfq")
    said = sudo(*CONFINE, "/usr/bin/python3", "-I", "-c", LISTED.format(place=PLACE, disk=disk.name))
    assert set(said.split()) == {f"iosched/{file.name}" for file in (disk.queue / "iosched").iterdir()}
