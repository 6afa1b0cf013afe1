# SPDX-License-Identifier: GPL-3.0-or-later
"""A trial in daily use of somebody who sits there: one password, on after a restart, and nothing left at the end."""

from __future__ import annotations

from tests.machine.machine import Machine
from tests.machine.people import Person
from tests.machine.test_restart import HDD, disk_at, other_order, scheduler_of, status

_ADMIN = "carl-pw"
_QUEUE = "cd /sys/block/{}/queue; grep . nr_requests nomerges read_ahead_kb wbt_lat_usec iosched/*"


def test_a_trial_goes_on_after_a_restart_and_leaves_nothing(debian13: Machine, anna: Person) -> None:
    machine, disk = debian13, disk_at(debian13, HDD)
    default, before = scheduler_of(machine, disk), machine.out(_QUEUE.format(disk))
    begin = f"disktuner try-in-daily-use {disk} --settings kyber bfq"
    assert anna.type(begin, "not-it").code == 3
    begun = anna.type(begin, _ADMIN)
    assert (begun.code, begun.prompts) == (0, 1) and "now changes between" in begun.output, begun
    _tried(machine, disk)
    machine.restart(devices=other_order())
    disk = disk_at(machine, HDD)
    assert scheduler_of(machine, disk) == default, "nothing changes by itself"
    anna.log_in()
    _tried(machine, disk)
    assert status(machine, disk)["verdict"].startswith("tried in daily use: kyber or bfq, until ")
    stopped = anna.type("disktuner try-in-daily-use --stop")
    assert (stopped.code, stopped.prompts) == (0, 0), stopped
    assert (scheduler_of(machine, disk), machine.out(_QUEUE.format(disk))) == (default, before)
    assert anna.type("systemctl --user is-enabled disktuner-field.service").output.strip() == "disabled"
    assert machine.run("test -e /var/lib/disktuner/field-trials.json", check=False).code


def _tried(machine: Machine, disk: str) -> None:
    machine.until(f"grep -E '[[](kyber|bfq)[]]' /sys/block/{disk}/queue/scheduler")
