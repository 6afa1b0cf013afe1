# SPDX-License-Identifier: GPL-3.0-or-later
"""The Debian packages in a booted computer: upgraded, downgraded, removed during a trial and with choices in force."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.machine.conftest import CHECKOUT
from tests.machine.machine import Machine
from tests.machine.test_restart import HDD, RULES, VIRT, disk_at, scheduler_of
from tests.packages.test_packages import NEWER

_FOLDER = "/root/packages"
_PACKAGES = f"{_FOLDER}/*.deb"
_TRIAL = "/usr/bin/python3 /opt/checkout/tests/packages/trial.py"
_PROCESS = "systemctl show --property MainPID --value disktuner-helper"


@pytest.fixture
def packages(tmp_path: Path) -> list[Path]:
    """Disktuner's packages for Debian 13, which need no tools of that release."""
    for step in (("sources", "trixie", tmp_path), ("build", tmp_path)):
        subprocess.run([CHECKOUT / "packaging/package", *step], check=True, capture_output=True)
    return list(tmp_path.glob("*.deb"))


def test_packages_come_and_go_around_a_trial(debian13: Machine, packages: list[Path]) -> None:
    machine = debian13
    machine.run(f"mkdir {_FOLDER}")
    for package in packages:
        machine.agent.write(f"{_FOLDER}/{package.name}", package.read_bytes())
    machine.run("cd /opt/checkout && ./dev uninstall")
    tried, chosen, until_restart = (disk_at(machine, link) for link in (HDD, VIRT, "/dev/disk/by-label/machine"))
    before = {disk: scheduler_of(machine, disk) for disk in (tried, chosen, until_restart)}
    machine.run(f"dpkg -i {_PACKAGES}")
    assert machine.run("systemctl is-active disktuner-helper", check=False).code
    assert machine.out("systemctl is-enabled disktuner-helper || true") == "static"
    assert {disk: scheduler_of(machine, disk) for disk in before} == before
    machine.run(f"disktuner set {chosen} bfq --persist && disktuner set {until_restart} kyber")

    machine.begin(f"(echo kyber; exec tail -f /dev/null) | {_TRIAL} {tried}")
    machine.until(f"grep -q '\\[kyber\\]' /sys/block/{tried}/queue/scheduler")
    process = machine.out(_PROCESS)
    machine.run("set -e" + NEWER.format(packages=_PACKAGES))
    for change in ("dpkg -i /newer/*.deb", f"dpkg -i {_PACKAGES}", f"dpkg -i {_PACKAGES}"):
        machine.run(change)
        assert machine.out(_PROCESS) == process
        assert [scheduler_of(machine, disk) for disk in (tried, chosen, until_restart)] == ["kyber", "bfq", "kyber"]
        assert machine.out("systemctl show --property NeedDaemonReload --value disktuner-helper") == "no"
    machine.run("pkill -f '[t]rial.py'", check=False)
    machine.until(f"grep -q '\\[{before[tried]}\\]' /sys/block/{tried}/queue/scheduler")

    machine.begin(f"(echo kyber; exec tail -f /dev/null) | {_TRIAL} {tried}")
    machine.until(f"grep -q '\\[kyber\\]' /sys/block/{tried}/queue/scheduler")
    machine.run("dpkg --remove disktuner disktuner-fleet disktuner-helper")
    assert scheduler_of(machine, tried) == before[tried]
    assert scheduler_of(machine, until_restart) == before[until_restart]
    machine.restart()
    assert scheduler_of(machine, disk_at(machine, VIRT)) == "bfq"
    machine.run("dpkg --purge disktuner disktuner-fleet disktuner-helper")
    left = f"ls -d {RULES} /run/disktuner /var/lib/disktuner /usr/lib/disktuner 2>/dev/null || true"
    assert machine.out(left) == ""
