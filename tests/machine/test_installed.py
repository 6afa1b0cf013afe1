# SPDX-License-Identifier: GPL-3.0-or-later
"""What `./dev install` puts into a machine that boots, with libraries of its own, and what `./dev uninstall` leaves."""

from __future__ import annotations

import pytest

from tests.end2end.test_install import FOR_OTHERS, OURS, PROGRAMS
from tests.machine.machine import Machine
from tests.machine.test_restart import HDD, RULES, VIRT, disk_at, scheduler_of

_NEW = "cd /usr && find * -path 'lib/python3*' -prune -o -newercc /opt/checkout/dev ! -type d -print"
"""What was changed since the checkout was unpacked, but for what Python may have compiled of its own."""


def _walk(machine: Machine) -> None:
    """Only root may change what is there, nothing runs with rights of its own, links lead nowhere else."""
    new = set(machine.out(_NEW).splitlines())
    assert new >= PROGRAMS | FOR_OTHERS
    assert [name for name in new - PROGRAMS - FOR_OTHERS if not name.startswith(f"{OURS}/")] == []
    rows = machine.out(rf"cd /usr && find {OURS} {' '.join(PROGRAMS | FOR_OTHERS)} -printf '%y\t%m\t%U:%G\t%p\t%l\n'")
    for row in rows.splitlines():
        kind, mode, owners, name, target = f"{row}\t".split("\t")[:5]
        assert kind in "dfl" and owners == "0:0", row
        assert kind == "l" or not int(mode, 8) & 0o7022, row
        assert kind != "l" or "/" not in target or target.startswith(("/usr/bin/python3", "../")), row
        assert kind != "f" or name.startswith(f"{OURS}/venv/") or (mode == "755") is (name in PROGRAMS), row


@pytest.mark.smoke
def test_all_that_was_installed_is_roots_alone(debian13: Machine) -> None:
    _walk(debian13)


def test_libraries_of_its_own_are_roots_alone(debian12: Machine) -> None:
    _walk(debian12)


def test_uninstalling_leaves_only_what_was_chosen_for_good(debian13: Machine) -> None:
    machine = debian13
    tried, chosen = disk_at(machine, HDD), disk_at(machine, VIRT)
    before = scheduler_of(machine, tried)
    machine.run(f"disktuner set {tried} bfq && disktuner set {chosen} bfq --persist")
    said = machine.out("cd /opt/checkout && ./dev uninstall")
    assert scheduler_of(machine, tried) == before and RULES in said
    assert machine.out(_NEW) == ""
    assert machine.run("ls -d /usr/local/lib/disktuner /run/disktuner /var/lib/disktuner", check=False).out == ""
    assert machine.out(f"cat {RULES}").count("# disktuner: begin") == 1
