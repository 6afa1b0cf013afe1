# SPDX-License-Identifier: GPL-3.0-or-later
"""An exported rule, and an exported profile, give all disks of a model their scheduler at every start, and no other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from disktuner.results.codec import encode
from tests.machine.machine import Machine
from tests.machine.test_mending import DISK, PROFILE
from tests.machine.test_restart import disk_at, scheduler_of
from tests.unit.verdict.making import LAUNCH, made


def _measured(machine: Machine, vendor: str, model: str) -> None:
    """A result of some other machine's disk, in /root."""
    found = made({(LAUNCH, "bfq"): 0.2})
    disk = {**found.disk, "vendor": vendor, "model": model, "transport": "scsi"}
    machine.agent.write("/root/result.json", encode(replace(found, disk=disk)).encode())


def _schedulers(machine: Machine, model: str) -> set[str | None]:
    """Those of the two disks of a model; emulated, disks may come after the system says that it has started."""
    listed = f"lsblk --nodeps --noheadings --output NAME,MODEL | grep -E ' {model} *$'"
    machine.until(f"test $({listed} | wc -l) = 2 && udevadm settle", 60)
    return {scheduler_of(machine, line.split(maxsplit=1)[0]) for line in machine.out(listed).splitlines()}


@pytest.mark.long
def test_a_rule_is_for_vendor_and_model(debian13: Machine) -> None:
    machine = debian13
    before = scheduler_of(machine, disk_at(machine, DISK))
    assert before != "bfq"
    _measured(machine, "ACME", "TWIN")
    machine.run("disktuner export /root/result.json --to /etc/udev/rules.d --as udev")
    machine.run("udevadm verify /etc/udev/rules.d/85-disktuner-acme-twin.rules")
    machine.run("udevadm control --reload && udevadm trigger --settle --action=change --subsystem-match=block")
    assert _schedulers(machine, "TWIN") == {"bfq"}
    machine.restart()
    assert _schedulers(machine, "TWIN") == {"bfq"} and scheduler_of(machine, disk_at(machine, DISK)) == before
    machine.run("rm /etc/udev/rules.d/85-disktuner-acme-twin.rules")
    _measured(machine, "OTHER", "TWIN")
    machine.run("disktuner export /root/result.json --to /etc/udev/rules.d --as udev")
    machine.restart()
    assert "bfq" not in _schedulers(machine, "TWIN"), "another maker's disks of that name"


@pytest.mark.long
def test_a_profile_includes_the_active_one(debian13: Machine) -> None:
    machine = debian13
    machine.run("mkdir -p /etc/tuned/profiles/mine")
    machine.agent.write("/etc/tuned/profiles/mine/tuned.conf", PROFILE)
    machine.run("systemctl unmask tuned && systemctl enable --now tuned && tuned-adm profile mine", timeout_s=120)
    _measured(machine, "ACME", "TWIN")
    machine.run("disktuner export /root/result.json --to /etc/tuned/profiles --as tuned")
    machine.run("tuned-adm profile disktuner-acme-twin", timeout_s=120)
    for _ in range(2):
        machine.until(f"grep -q '\\[kyber\\]' /sys/block/$(basename $(readlink -e {DISK}))/queue/scheduler", 60)
        machine.until("tuned-adm active | grep -q disktuner-acme-twin", 60)
        assert _schedulers(machine, "TWIN") == {"bfq"} and scheduler_of(machine, disk_at(machine, DISK)) == "kyber"
        machine.restart()
