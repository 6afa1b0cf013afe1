# SPDX-License-Identifier: GPL-3.0-or-later
"""A trial in daily use, with blocks of seconds, of somebody at the machine: it survives everything, and leaves only its
result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.machine.machine import HANG_S, Machine
from tests.machine.people import Person
from tests.machine.test_restart import HDD, disk_at, other_order, scheduler_of
from tests.waiting import until

_PAIR = ("kyber", "bfq")
_COMMAND = "disktuner try-in-daily-use"
_SHORTEN = (
    "sed -i 's/^BLOCK_S = .*/BLOCK_S = 20.0/; s/^SETTLE_S = .*/SETTLE_S = 2.0/; s/^SAVE_S = .*/SAVE_S = 2.0/'"
    " $(find /usr -path '*/disktuner_watch/field/*.py')"
)
_RESULTS = "/home/anna/.local/share/disktuner"
_FIELD = "/home/anna/.local/state/disktuner/field"
_TRIAL = f"{_FIELD}/trial.json"
_WORK = "while :; do dd if=/mnt/file of=/dev/null bs=4k count=500 iflag=direct status=none; sleep 0.5; done"
_SLEEPER = "python3 /opt/checkout/tests/sleeper.py"
_SUSPEND = (
    "sleep 1; echo core >/sys/power/pm_test; echo mem >/sys/power/state; echo none >/sys/power/pm_test;"
    " echo awake >/dev/ttyS0"
)
"""All of a suspend but what firmware does, from which QEMU's does not come back; it lasts for some seconds."""
_CLOCKS = "python3 -c 'import time; print(time.clock_gettime(7), time.clock_gettime(1))'"
"""CLOCK_BOOTTIME, which also runs while the machine sleeps, and CLOCK_MONOTONIC."""
_QUEUE = "cd /sys/block/{}/queue; grep . nr_requests nomerges read_ahead_kb wbt_lat_usec iosched/*"
_FILES = (
    "cd / && find etc/udev etc/systemd run/disktuner var/lib/disktuner home/anna ! -path '*/.local*'"
    " ! -type d -exec sha256sum '{}' +"
)
"""With what they hold; systemd leaves empty folders in a home."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Anna's trial, on a disk that she works with."""

    machine: Machine
    anna: Person

    @property
    def disk(self) -> str:
        return disk_at(self.machine, HDD)

    @property
    def surroundings(self) -> set[str]:
        """Return everything that a trial changes except its result."""
        disk = self.disk
        state = self.machine.out(f"{_FILES}; {_QUEUE.format(disk)}")
        return {*state.splitlines(), scheduler_of(self.machine, disk)}

    def make_room(self) -> None:
        """Make a file system with a file to work with."""
        self.machine.run(f"mkfs.ext4 -q /dev/{self.disk} && mount /dev/{self.disk} /mnt")
        self.machine.run("head -c 4M /dev/urandom >/mnt/file && umount /mnt")

    def work(self) -> None:
        """Make Anna's desktop start a program that reads from the disk, again and again, and one that sleeps."""
        self.machine.run(f"mount /dev/{self.disk} /mnt")
        for name, command in (("work", f"sh -c '{_WORK}'"), ("sleeper", _SLEEPER)):
            assert self.anna.type(f"systemd-run --user --unit=app-{name} {command}").code == 0

    def begin(self, password: str) -> Any:
        return self.anna.type(f"{_COMMAND} {self.disk} --settings {' '.join(_PAIR)}", password)

    @property
    def kept(self) -> dict[str, Any]:
        return dict(self.machine.json(f"cat {_TRIAL}"))

    @property
    def samples(self) -> list[dict[str, Any]]:
        return list(self.machine.json(f"cat {_RESULTS}/*.json")["samples"])

    def goes_on(self) -> None:
        """Wait until two more blocks are over."""
        wanted = self.kept["block"]["order"] + 2
        self.machine.until(f"test $(grep -o '\"order\":[0-9]*' {_TRIAL} | cut -d: -f2) -ge {wanted}")

    @property
    def used_s(self) -> float:
        over = {sample["order"]: sample["duration_s"] for sample in self.samples}
        return sum(over.values()) + float(self.kept["block"]["use_s"])

    def is_suspended(self) -> None:
        """Suspend, and wait on the console until the machine is awake: the agent's answers would be lost meanwhile."""
        self.machine.begin(_SUSPEND)
        until(lambda: "awake" in (self.machine.folder / "console.log").read_text(errors="replace"), HANG_S)

    def is_gone(self) -> None:
        self.machine.until(f"! test -e {_FIELD}")
        command = "systemctl --user is-enabled disktuner-field.service"
        until(lambda: self.anna.type(command).output.strip() == "disabled", HANG_S)


def test_a_trial_goes_on_whatever_happens_and_leaves_its_result(debian13: Machine, anna: Person) -> None:
    machine, trial = debian13, Trial(debian13, anna)
    machine.run(_SHORTEN)
    trial.make_room()
    before, default = trial.surroundings, scheduler_of(machine, trial.disk)

    assert trial.begin("not-it").code == 3 and trial.surroundings == before
    began_s = _clocks(machine)[1]
    begun = trial.begin("carl-pw")
    assert (begun.code, begun.prompts) == (0, 1) and "now alternates between" in begun.output, begun
    machine.until(f'grep \'"started":"2\' {_TRIAL}')
    trial.work()
    trial.goes_on()

    trial.is_suspended()
    with_sleep_s, awake_s = _clocks(machine)
    assert with_sleep_s - awake_s > 0.5, "it slept, which the emulated clock tells in whole seconds"
    trial.goes_on()
    assert 80 <= trial.used_s < _clocks(machine)[1] - began_s, "sleep is no use"

    machine.restart(devices=other_order())
    assert scheduler_of(machine, trial.disk) == default, "nothing changes by itself"
    anna.log_in()
    trial.work()
    trial.goes_on()

    machine.run("date --set '8 days'")
    trial.is_gone()
    assert trial.surroundings == before
    _is_whole(trial.samples)
    log = machine.out("journalctl -t disktuner-helper --no-pager -o cat")
    assert all(f'action="{action}"' in log for action in ("BeginFieldTrial", "SetFieldTrial", "field-trial-ended"))


def test_stopped_at_once_it_leaves_nothing(debian13: Machine, anna: Person) -> None:
    trial = Trial(debian13, anna)
    before = trial.surroundings
    assert trial.begin("carl-pw").code == 0
    debian13.until(f"grep -E '[[](kyber|bfq)[]]' /sys/block/{trial.disk}/queue/scheduler")
    stopped = anna.type(f"{_COMMAND} --stop")
    assert (stopped.code, stopped.prompts) == (0, 0), stopped
    trial.is_gone()
    assert trial.surroundings == before


def _clocks(machine: Machine) -> tuple[float, float]:
    with_sleep, without = machine.out(_CLOCKS).split()
    return float(with_sleep), float(without)


def _is_whole(samples: list[dict[str, Any]]) -> None:
    """Check that each pair of blocks has both settings."""
    assert any((sample["reason"] or {}).get("id") == "pressure-unconfirmed" for sample in samples), (
        "as the sleeper's is"
    )
    blocks = {sample["order"]: sample["scheduler"] for sample in samples}
    assert list(blocks) == list(range(len(blocks))) and len(blocks) >= 6
    assert all({blocks[order], blocks[order + 1]} == {*_PAIR} for order in range(0, len(blocks) - 1, 2))
