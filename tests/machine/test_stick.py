# SPDX-License-Identifier: GPL-3.0-or-later
"""A newcomer's whole way with a slow stick, in the window: measured, limited, unplugged, plugged in again, undone."""

from __future__ import annotations

import json
from pathlib import Path

from tests.machine.devices import SLOW_BOX, SLOW_STICK
from tests.machine.machine import Machine
from tests.machine.people import Person
from tests.machine.test_restart import RULES, disk_at, limits_of, scheduler_of
from tests.machine.test_window import PICTURES, fetch

WINDOW = "PYTHONPATH=/usr/local/lib/disktuner/app:/opt/checkout python3 -P -m tests.machine.guest.stick"
STICK = "/dev/disk/by-id/usb-Sandy_Slow_USB0003-0:0"
FOLDER = "/media/stick"
LONG_S = 3600
_NO_OTHERS = "for each in /sys/block/sd*/device/delete; do echo 1 >$each; done; udevadm settle"
"""A newcomer's computer has fewer disks, and each that the window shows takes time from an emulated processor."""
_AT_ONCE = "nodiscard,lazy_itable_init=0,lazy_journal_init=0"
SEEN = ("plugged", "where", "answer", "keep", "written", "safe", "gone", "again", "back")


def test_a_stick_is_limited_unplugged_plugged_in_and_set_back(debian13: Machine, anna: Person, tmp_path: Path) -> None:
    """At 12 MB/s, on which a copy seems done long before it is safe.

    What is undone after plugging in again holds until the stick is unplugged.
    """
    machine = debian13
    machine.run(_NO_OTHERS)
    _plug(machine)
    machine.run(f"mkfs.ext4 -q -F -E {_AT_ONCE} {STICK} && mkdir -p {FOLDER} && install -d -o anna {PICTURES}")
    machine.run(f"mount {STICK} {FOLDER} && chown anna {FOLDER}")
    disk = disk_at(machine, STICK)
    before = scheduler_of(machine, disk), limits_of(machine, disk)[1]
    window = f"{WINDOW} {disk} USB0003 {PICTURES}; code=$?; touch {PICTURES}/over; exit $code"
    begun = anna.begin(window, "carl-pw", LONG_S)
    assert _is_seen(machine, "written"), anna.typed(begun).output
    assert limits_of(machine, disk)[1] == 1 and "bdi/strict_limit" in machine.out(f"cat {RULES}")
    machine.run(f"umount {FOLDER}")
    assert _is_seen(machine, "safe"), anna.typed(begun).output
    machine.unplug_stick(SLOW_BOX, SLOW_STICK)
    assert _is_seen(machine, "gone"), anna.typed(begun).output
    _plug(machine)
    outcome = anna.typed(begun, LONG_S)
    fetch(machine, tmp_path, SEEN)
    assert outcome.code == 0, outcome.output
    document = json.loads(machine.agent.read(f"{PICTURES}/seen.json"))
    assert (document["decision"] == "switch" and "bdi/max_bytes" in document["winner"]) or not machine.emulator.kvm, (
        document
    )
    assert document["chip"] == document["again"], document
    assert "USB0003" not in machine.run(f"cat {RULES}", check=False).out
    machine.unplug_stick(SLOW_BOX, SLOW_STICK)
    machine.until(f"! test -e {STICK}")
    _plug(machine)
    disk = disk_at(machine, STICK)
    assert (scheduler_of(machine, disk), limits_of(machine, disk)[1]) == before


def _plug(machine: Machine) -> None:
    machine.plug_stick(SLOW_BOX, SLOW_STICK)
    machine.until(f"test -e {STICK} && udevadm settle")


def _is_seen(machine: Machine, picture: str) -> bool:
    """Wait until the window has shown something; fail if it ends first."""
    waits = f"until test -e {PICTURES}/{picture}.png -o -e {PICTURES}/over; do sleep 2; done"
    machine.agent.wait(machine.begin(waits), LONG_S)
    return not machine.run(f"test -e {PICTURES}/{picture}.png", check=False).code
