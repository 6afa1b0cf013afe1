# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine whose /home lies on a second disk: what is done to a disk is done to the one that is named."""

from __future__ import annotations

import json
from pathlib import Path

from tests.machine import slow_disk
from tests.machine.machine import Machine
from tests.machine.people import Person, let_tune
from tests.machine.test_restart import RULES, disk_at, scheduler_of
from tests.machine.test_window import WINDOW, fetch, seen

_ROOT = "/dev/disk/by-id/virtio-root"


def _machine_with_home(machine: Machine) -> tuple[str, str]:
    """Anna's home on the slow disk; returns the names of the disks of / and of /home."""
    home = slow_disk.add(machine, "root", "/home")
    machine.run("install -d -o anna -g anna /home/anna /home/anna/pictures")
    return disk_at(machine, _ROOT), home


def test_the_window_measures_and_keeps_for_the_disk_below_the_folder(debian13: Machine, pictures: Path) -> None:
    """Anna begins at the card of the disk of / and chooses her home: from there on it is about the disk of /home."""
    machine = debian13
    root, home = _machine_with_home(machine)
    before = scheduler_of(machine, root)
    anna = Person(machine, "anna")
    anna.log_in(1)
    done = anna.type(f"{WINDOW} switch {root} /home/anna /home/anna/pictures", "carl-pw", timeout_s=300)
    assert done.code == 0, done.output
    fetch(machine, pictures, "second-disk", "where", "result", "keep", "switch")
    told = seen(machine)
    assert "/var/tmp" in told["offered"] and not any(place.startswith("/home") for place in told["offered"])
    assert f"({home})" in told["title"] and f"({root})" not in told["title"]
    assert slow_disk.told_rightly(machine, told["decision"], told["winner"]), told
    assert (told["measured"], told["chip"]) == ([home], "bfq")
    assert f"({home})" in told["said"]
    assert (scheduler_of(machine, root), scheduler_of(machine, home)) == (before, "bfq")
    assert machine.out(f"grep -c '^# disktuner: begin' {RULES}") == "1" and f"({home})" in machine.out(f"cat {RULES}")


def test_the_disk_of_the_system_is_measured_on_itself(debian13: Machine) -> None:
    """Named by its disk, though there is more room, and a home, on the other one."""
    machine = debian13
    let_tune(machine, "anna")
    root, home = _machine_with_home(machine)
    before = [scheduler_of(machine, disk) for disk in (root, home)]
    compare = f"runuser -u anna -- disktuner compare {root} --goal copying --workloads dd-write --schedulers bfq --json"
    told = machine.json(compare, timeout_s=300)
    result = json.loads(machine.agent.read(told["file"]))
    assert (result["disk"]["name"], result["filesystem"]["path"]) == (root, "/")
    assert [scheduler_of(machine, disk) for disk in (root, home)] == before
    assert not machine.out("find /var/tmp /tmp /home -maxdepth 2 -name '.disktuner-*'")
