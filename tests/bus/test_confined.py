# SPDX-License-Identifier: GPL-3.0-or-later
"""The helper does all its work under its unit's restrictions, which confine.py applies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.bus.conftest import UNIT, Caller, Udevd, helper_pid, named, own_rules
from tests.bus.test_udev import looked_at
from tests.conftest import LoopDisk, Sudo
from tests.waiting import until


def status(pid: int, name: str) -> str:
    text = Path(f"/proc/{pid}/status").read_text()
    return text.partition(f"{name}:")[2].split()[0]


def test_everything_works_confined(
    confined: None, caller: Callable[..., Caller], udevd: Udevd, loop_disk: Callable[..., LoopDisk], sudo: Sudo
) -> None:
    sudo("systemd-analyze", "security", "--offline=true", "--threshold=15", UNIT)
    user, disk = caller(), udevd.disk
    user.state()
    pid = helper_pid(sudo)
    assert (int(status(pid, "CapEff"), 16), int(status(pid, "CapBnd"), 16)) == (0, 0)
    assert (status(pid, "NoNewPrivs"), status(pid, "Seccomp")) == ("1", "2")
    mounts = (line.split() for line in Path(f"/proc/{pid}/mountinfo").read_text().splitlines())
    options = {mount[4]: mount[5].split(",") for mount in mounts}
    places = {"/dev", "/proc", "/sys/devices", "/etc/udev/rules.d", "/run/disktuner", "/var/lib/disktuner"}
    assert {place for place, mode in options.items() if "rw" in mode} == places
    for name in ("mq-deadline", "kyber", "bfq", "none"):
        user.set(disk, name)
        assert disk.scheduler == name
    user.set(disk, disk.scheduler, {"queue/nomerges": "1"})
    user.call("Revert", named(disk))
    trial = user.begin(disk)
    user.set_trial(trial, disk, "bfq")
    user.set_trial(trial, disk, "kyber", {"iosched/read_lat_nsec": "1000000"})
    assert (disk.queue / "iosched/read_lat_nsec").read_text() == "1000000\n"
    user.call("EndTrial", trial)
    assert disk.scheduler == "none"
    before = looked_at(disk)
    rule = user.set(disk, "bfq", {"iosched/low_latency": "0"}, persist=True)
    assert looked_at(disk) > before, "udev was told"
    assert [rule[disk.name]] == [file.read_text() for file in own_rules()]
    sudo("tee", disk.queue / "scheduler", stdin="none")
    udevd.trigger("change", disk)
    assert disk.scheduler == "bfq"
    assert user.state()["persistent"][0]["disks"] == [disk.name]
    user.call("Forget", named(disk))
    user.call("Revert", [])
    user.call("Forget", [])
    begun = user.begin(disk)
    user.set_trial(begun, disk, "kyber")
    user.leave()
    until(lambda: disk.scheduler == "none")
    assert helper_pid(sudo) == pid
