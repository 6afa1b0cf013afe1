# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine whose /home lies on a second disk: what is done to a disk is done to the one that is named."""

from __future__ import annotations

import json

from tests.machine import slow_disk
from tests.machine.machine import Machine
from tests.machine.people import let_tune
from tests.machine.test_restart import disk_at, scheduler_of

_ROOT = "/dev/disk/by-id/virtio-root"


def _machine_with_home(machine: Machine) -> tuple[str, str]:
    """Anna's home on the slow disk; returns the names of the disks of / and of /home."""
    home = slow_disk.add(machine, "root", "/home")
    machine.run("install -d -o anna -g anna /home/anna /home/anna/pictures")
    return disk_at(machine, _ROOT), home


def test_the_disk_of_the_system_is_measured_on_itself(debian13: Machine) -> None:
    """Named by its disk, though there is more room, and a home, on the other one."""
    machine = debian13
    let_tune(machine, "anna")
    root, home = _machine_with_home(machine)
    before = [scheduler_of(machine, disk) for disk in (root, home)]
    compare = f"runuser -u anna -- disktuner compare {root} --goal copying --workloads dd-write --schedulers bfq --json"
    told = machine.json(compare)
    result = json.loads(machine.agent.read(told["file"]))
    assert (result["disk"]["name"], result["filesystem"]["path"]) == (root, "/")
    assert [scheduler_of(machine, disk) for disk in (root, home)] == before
    assert not machine.out("find /var/tmp /tmp /home -maxdepth 2 -name '.disktuner-*'")
