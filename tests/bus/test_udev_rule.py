# SPDX-License-Identifier: GPL-3.0-or-later
"""A real udevd does what the helper writes for good: at every start, not while measuring, no more once forgotten."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.bus.conftest import Caller, until
from tests.conftest import LoopDisk, Sudo

RULES = Path("/etc/udev/rules.d")
TUNABLES = {"iosched/low_latency": "0", "queue/nr_requests": "32"}

# udevd in namespaces of its own: /dev holds but the given disks, and what it broadcasts stays in its network.
# The kernel tells it about all devices of the machine; there are no rules for others than the given disks.
# (Its processes are numbered as the helper's are: it obeys only callers whose number it can see.)
# Each line of input is an action and a disk to trigger. It ends with its input.
UDEVD = r"""
for folder in /usr/local/lib/udev/rules.d /usr/lib/udev/rules.d; do
    if [ -d $folder ]; then mount -t tmpfs disktuner $folder; fi
done
mkdir /run/udev/dev
mount -t tmpfs disktuner /run/udev/dev
for node in null "$@"; do
    touch /run/udev/dev/$node
    mount --bind /dev/$node /run/udev/dev/$node
done
mount --move /run/udev/dev /dev
/usr/lib/systemd/systemd-udevd </dev/null >/run/udev/log 2>&1 &
udevd=$!
trap 'kill $udevd; wait $udevd' EXIT
until udevadm control --ping --timeout=5 2>/dev/null; do kill -0 $udevd; sleep 0.02; done
echo ready
while read -r action disk; do
    timeout 10 udevadm trigger --settle --action=$action /sys/block/$disk
    echo done
done
"""


class Udevd:
    """A running udevd with two disks that have a serial number: ``disk``, and an ``other`` one."""

    def __init__(self, disk: LoopDisk, other: LoopDisk) -> None:
        self.disk, self.other = disk, other
        namespaces = ["--mount", "--net", "--fork", "--kill-child", "--propagation=private"]
        script = ["sh", "-euc", UDEVD, "udevd", disk.name, other.name]
        self._process = subprocess.Popen(
            ["sudo", "-n", "--", "unshare", *namespaces, *script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        assert self._answer() == "ready"

    def trigger(self, action: str, disk: LoopDisk) -> None:
        """Let the rules run for a disk, and wait until they have."""
        assert self._process.stdin
        self._process.stdin.write(f"{action} {disk.name}\n")
        assert self._answer() == "done"

    def end(self) -> int:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.stdout.close()
        return self._process.wait(20)

    def _answer(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline().strip()


@pytest.fixture
def udevd(loop_disk: Callable[..., LoopDisk], sudo: Sudo) -> Iterator[Udevd]:
    """The helper and udevd share an empty rule folder and udev's database; nobody else sees them."""
    disks = [loop_disk(size_mb=64, fs=None) for _ in range(2)]
    names = "|".join(one.name for one in disks)
    identity = f'SUBSYSTEM=="block", KERNEL=="{names}", ENV{{ID_SERIAL}}="Disktuner_%k", OPTIONS+="watch"\n'
    with ExitStack() as afterwards:
        for place in ("/run/udev", str(RULES)):
            sudo("mount", "-t", "tmpfs", "-o", "mode=755", "disktuner", place)
            afterwards.callback(sudo, "umount", place)
        sudo("mkdir", "/run/udev/rules.d")
        sudo("tee", "/run/udev/rules.d/60-identity.rules", stdin=identity)
        running = Udevd(*disks)
        for disk in disks:
            running.trigger("add", disk)
        yield running
        assert running.end() == 0
        said = sudo("cat", "/run/udev/log")
        assert ".rules" not in said and "ctrl" not in said


@pytest.fixture
def chosen(udevd: Udevd, helper: Caller, sudo: Sudo) -> LoopDisk:
    """A disk with bfq for good, which somebody has since given another scheduler."""
    disk = udevd.disk
    helper.call("Persist", disk.name, disk.diskseq, "bfq", TUNABLES)
    sudo("udevadm", "settle", "--timeout=10")
    assert settings(disk) == ("bfq", "0", "32")
    change(sudo, disk)
    return disk


def change(sudo: Sudo, disk: LoopDisk) -> None:
    """What a rule has to overcome: another scheduler, and another value of what both schedulers have."""
    sudo("tee", disk.queue / "scheduler", stdin="mq-deadline")
    sudo("tee", disk.queue / "nr_requests", stdin="64")
    assert settings(disk) == ("mq-deadline", "", "64")


def settings(disk: LoopDisk) -> tuple[str, str, str]:
    low_latency = disk.queue / "iosched/low_latency"
    text = low_latency.read_text().strip() if low_latency.exists() else ""
    return disk.scheduler, text, (disk.queue / "nr_requests").read_text().strip()


def events() -> int:
    """How many events the kernel has sent."""
    return int(Path("/sys/kernel/uevent_seqnum").read_text())


@pytest.mark.parametrize("action", ["add", "change"])
def test_the_choice_is_made_again_tunables_last(action: str, udevd: Udevd, chosen: LoopDisk) -> None:
    udevd.trigger(action, chosen)
    assert settings(chosen) == ("bfq", "0", "32")


def test_udev_follows_a_new_choice_at_once(udevd: Udevd, helper: Caller, sudo: Sudo) -> None:
    disk = udevd.disk
    for scheduler in ("bfq", "kyber"):
        helper.call("Persist", disk.name, disk.diskseq, scheduler, {})
        sudo("tee", disk.queue / "scheduler", stdin="none")
        udevd.trigger("change", disk)
        assert disk.scheduler == scheduler


def test_another_disk_and_another_action_are_left_alone(udevd: Udevd, chosen: LoopDisk, sudo: Sudo) -> None:
    change(sudo, udevd.other)
    udevd.trigger("change", udevd.other)
    udevd.trigger("move", chosen)
    assert settings(udevd.other) == settings(chosen) == ("mq-deadline", "", "64")


@pytest.mark.parametrize("action", ["add", "change"])
def test_a_trial_holds_the_rule_back_until_it_ends(action: str, udevd: Udevd, chosen: LoopDisk, helper: Caller) -> None:
    trial = helper.call("BeginTrial", [(chosen.name, chosen.diskseq)])
    helper.call("SetTrialScheduler", trial, chosen.name, "kyber")
    udevd.trigger(action, chosen)
    assert chosen.scheduler == "kyber"
    helper.call("EndTrial", trial)
    assert settings(chosen) == ("mq-deadline", "", "64")
    udevd.trigger(action, chosen)
    assert settings(chosen) == ("bfq", "0", "32")


def test_a_trial_of_another_disk_holds_nothing_back(udevd: Udevd, chosen: LoopDisk, helper: Caller) -> None:
    trial = helper.call("BeginTrial", [(udevd.other.name, udevd.other.diskseq)])
    udevd.trigger("change", chosen)
    assert settings(chosen) == ("bfq", "0", "32")
    helper.call("EndTrial", trial)


def test_writing_to_the_disk_wakes_the_rule_but_not_in_a_trial(
    udevd: Udevd, chosen: LoopDisk, helper: Caller, sudo: Sudo
) -> None:
    trial = helper.call("BeginTrial", [(chosen.name, chosen.diskseq)])
    before = events()
    sudo("tee", chosen.device, stdin="written")
    assert until(lambda: events() > before)
    sudo("udevadm", "settle", "--timeout=10")
    assert chosen.scheduler == "mq-deadline"
    helper.call("EndTrial", trial)
    sudo("tee", chosen.device, stdin="written")
    assert until(lambda: settings(chosen) == ("bfq", "0", "32"))


def test_forgetting_leaves_no_trace(udevd: Udevd, chosen: LoopDisk, helper: Caller, sudo: Sudo) -> None:
    helper.call("Forget", chosen.name)
    for action in ("change", "add"):
        udevd.trigger(action, chosen)
        assert settings(chosen) == ("mq-deadline", "", "64")
    assert list(RULES.iterdir()) == []
    assert "persistent" not in sudo("find", "/var/lib/disktuner", "/run/disktuner")
    assert helper.state()["persistent"] == []
