# SPDX-License-Identifier: GPL-3.0-or-later
"""The helper dies under its unit and systemd: the disk of somebody's trial is restored without a call."""

from __future__ import annotations

import pytest

from tests.machine.machine import Machine
from tests.machine.people import let_tune
from tests.machine.test_restart import HDD, disk_at, scheduler_of

PUT_BACK_S = 5
_ASK = "busctl call org.disktuner.Helper1 /org/disktuner/Helper1 org.disktuner.Helper1 GetState"


@pytest.mark.smoke
def test_a_dead_helper_puts_back_without_a_call(debian13: Machine) -> None:
    _dies(debian13)


def test_a_dead_helper_puts_back_without_a_call_on_debian12(debian12: Machine) -> None:
    _dies(debian12)


def _dies(machine: Machine) -> None:
    """Kill it more often in a few seconds than systemd restarts a unit by default.

    Emulated, a start of Python alone takes seconds.
    """
    kills = 7 if machine.emulator.kvm else 2
    let_tune(machine, "carl")
    disk = disk_at(machine, HDD)
    before = scheduler_of(machine, disk)
    machine.until(_ASK)
    document = machine.json(f"python3 /opt/checkout/tests/machine/guest/deaths.py {disk} {kills}")
    assert (document["limit"], document["start_limit"]) == (str(128 << 20), "0")
    for way, restarts in (("flood", 1), ("stopped", 2), ("memory", 3), ("kills", 3 + kills)):
        assert document[way]["restarts"] >= restarts, document
        assert not machine.emulator.kvm or document[way]["put_back_s"] < PUT_BACK_S, document
    assert "oom" in machine.out("journalctl -u disktuner-helper --no-pager -o cat | grep -i oom")
    assert scheduler_of(machine, disk) == before
    assert not machine.json("disktuner status --json")["disks"][0]["in_trial"]
