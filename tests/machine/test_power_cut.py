# SPDX-License-Identifier: GPL-3.0-or-later
"""The power is cut at any moment: what is found afterwards is whole."""

from __future__ import annotations

import re
from itertools import product

import pytest

from tests.machine.conftest import CLEAN
from tests.machine.devices import CONTROLLERS, SATA_HDD, VIRTIO
from tests.machine.machine import Machine
from tests.machine.test_restart import HDD, RULES, VIRT, disk_at, scheduler_of

_FILE = re.compile(
    r'# \{[^\n]*"key": "(ID_WWN|ID_SERIAL)", "value": "([^\n"]+)"[^\n]*\}\n# [^\n]+\n'
    r'ACTION[^\n]+ENV\{\1\}=="\2"[^\n]+ATTR\{queue/scheduler\}="(\S+)"\n'
    r'ACTION[^\n]+ENV\{\1\}=="\2"[^\n]+ATTR\{queue/nomerges\}="1"\n'
    r"# sha256 of all above: [0-9a-f]{64}\n"
)
_KEYS = {"0x5000c50012345601": HDD, "VIRT0001": VIRT}
_KINDS = [pytest.param("persist", 1, marks=pytest.mark.smoke), *product(("persist", "trial", "revert"), (2, 3, 5, 8))]


@pytest.mark.parametrize(("kind", "changes"), _KINDS)
def test_the_power_is_cut(installed13: Machine, kind: str, changes: int) -> None:
    """During continuous changes, after so many of them.

    The disks start with a persistent choice, so that a trial and a revert have something to return to.
    """
    machine = installed13
    machine.start(CLEAN)
    try:
        disks = [disk_at(machine, HDD), disk_at(machine, VIRT)]
        default = scheduler_of(machine, disk_at(machine, "/dev/disk/by-id/virtio-root"))
        machine.run(f"disktuner set {disks[0]} bfq --persist --tunable queue/nomerges=1 && sync")
        machine.begin(f"python3 /opt/checkout/tests/machine/guest/churn.py {kind} {' '.join(disks)}")
        machine.until(f"test $(cat /run/churned) -ge {changes}")
        machine.cut_power()
        machine.start(devices=[*CONTROLLERS, SATA_HDD, VIRTIO])
        chosen = _whole_rules(machine)
        assert chosen.keys() >= {HDD} and (kind == "persist" or chosen == {HDD: "bfq"})
        for link in (HDD, VIRT):
            assert scheduler_of(machine, disk_at(machine, link)) == chosen.get(link, default)
        entries = machine.json("disktuner status --json")["disks"]
        assert {entry["name"] for entry in entries if entry["holds"]} == {disk_at(machine, link) for link in chosen}
        assert not any(entry["holds"] is False or entry["in_trial"] for entry in entries)
        machine.run(f"disktuner set {disk_at(machine, VIRT)} kyber --persist --tunable queue/nomerges=1")
        assert _whole_rules(machine)[VIRT] == "kyber"
    finally:
        machine.cut_power()


def _whole_rules(machine: Machine) -> dict[str, str]:
    """Return what the rule files say, each of which must be whole; schedulers by the disk's link."""
    text = machine.run(f"cat {RULES}").out
    assert not _FILE.sub("", text), text
    return {_KEYS[match[2]]: match[3] for match in _FILE.finditer(text)}
