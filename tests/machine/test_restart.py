# SPDX-License-Identifier: GPL-3.0-or-later
"""What is chosen for good holds after a real restart, follows its disk, and tells who overrode it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.machine.devices import CONTROLLERS, DISKS, SATA_HDD, USB, USB_BOX
from tests.machine.machine import Machine

HDD = "/dev/disk/by-id/wwn-0x5000c50012345601"
VIRT = "/dev/disk/by-id/virtio-VIRT0001"
STICK = "/dev/disk/by-id/usb-Sandy_Stick_USB0001-0:0"
RULES = "/etc/udev/rules.d/90-disktuner.rules"


def disk_at(machine: Machine, link: str) -> str:
    return machine.until(f"basename $(readlink -e {link})")


def scheduler_of(machine: Machine, disk: str) -> str:
    return machine.out(f"cat /sys/block/{disk}/queue/scheduler").partition("[")[2].partition("]")[0]


def status(machine: Machine, disk: str) -> dict[str, Any]:
    """What ``disktuner status`` tells of a disk."""
    told: list[dict[str, Any]] = machine.json("disktuner status --json")["disks"]
    return next(one for one in told if one["name"] == disk)


@pytest.mark.smoke
def test_a_choice_holds_after_a_restart_and_follows_its_disk(debian13: Machine) -> None:
    """bfq, whose module is not loaded, for a disk known by its serial number and one known by its WWN; a third is
    forgotten. At the next start the disks are attached in another order and have other names."""
    machine = debian13
    assert machine.run("grep -q ^bfq /proc/modules", check=False).code
    by_wwn, by_serial, forgotten = (disk_at(machine, link) for link in (HDD, VIRT, STICK))
    default = scheduler_of(machine, by_wwn)
    for disk in (by_wwn, by_serial, forgotten):
        machine.run(f"disktuner set {disk} bfq --persist --tunable iosched/low_latency=0")
        assert scheduler_of(machine, disk) == "bfq"
    machine.run(f"disktuner forget {forgotten}")
    rules = machine.out(f"cat {RULES}")
    assert 'ENV{ID_WWN}=="0x5000c50012345601"' in rules and 'ENV{ID_SERIAL}=="VIRT0001"' in rules
    machine.restart(devices=_other_order())
    swapped_wwn, swapped_serial = disk_at(machine, HDD), disk_at(machine, VIRT)
    assert swapped_serial != by_serial
    told = {one["name"]: one for one in machine.json("disktuner status --json")["disks"]}
    for disk in (swapped_wwn, swapped_serial):
        assert scheduler_of(machine, disk) == "bfq"
        found = told.pop(disk)
        assert found["holds"] is True and found["chosen"] == found["actual"] == "bfq" and found["verdict"] == "holds"
        assert found["chosen_tunables"] == found["actual_tunables"] == {"iosched/low_latency": 0}
    others = [one for one in told.values() if one["holds"] is None]
    assert len(others) > 5 and {one["actual"] for one in others} == {default}


def _other_order() -> list[Any]:
    """A machine whose virtio disks are found in another order, with one more at the front of the SCSI disks."""
    slow = [device for device in DISKS if device.options.startswith("virtio-blk")]
    rest = [device for device in DISKS if device not in slow and device is not SATA_HDD]
    return [*CONTROLLERS, *reversed(slow), *rest, SATA_HDD]


def test_a_stick_that_is_pulled_and_put_back_gets_its_scheduler_again(debian13: Machine) -> None:
    machine = debian13
    stick = disk_at(machine, STICK)
    machine.run(f"disktuner set {stick} bfq --persist")
    machine.unplug_stick(USB_BOX, USB)
    machine.until(f"! test -e {STICK}")
    machine.plug_stick(USB_BOX, USB)
    stick = disk_at(machine, STICK)
    machine.until(f"grep -q '\\[bfq\\]' /sys/block/{stick}/queue/scheduler")
    assert status(machine, stick)["holds"] is True


def test_status_names_who_overrides(debian13: Machine) -> None:
    """A competing rule, by file and line, after a restart; then tuned in its place."""
    machine = debian13
    disk = disk_at(machine, HDD)
    machine.run(f"disktuner set {disk} bfq --persist")
    rule = 'ACTION=="add|change", KERNEL=="sd[a-z]", ATTR{queue/scheduler}="none"'
    machine.agent.write("/etc/udev/rules.d/99-fast.rules", f"# faster!\n\n{rule}\n".encode())
    machine.restart()
    told = status(machine, disk_at(machine, HDD))
    assert (told["actual"], told["holds"], told["overridden_by"]) == (
        "none",
        False,
        "/etc/udev/rules.d/99-fast.rules:3",
    )
    assert "99-fast.rules:3" in machine.out("disktuner status")

    machine.run(
        "rm /etc/udev/rules.d/99-fast.rules && systemctl unmask tuned && "
        "mkdir -p /etc/tuned/profiles/mine /etc/tuned/mine"
    )
    profile = b"[main]\nsummary=Mine\n\n[disk]\nelevator=kyber\n"
    for place in ("/etc/tuned/profiles/mine", "/etc/tuned/mine"):  # before and since tuned 2.23
        machine.agent.write(f"{place}/tuned.conf", profile)
    machine.run("systemctl enable --now tuned && tuned-adm profile mine")
    disk = disk_at(machine, HDD)
    machine.until(f"grep -q '\\[kyber\\]' /sys/block/{disk}/queue/scheduler")
    told = status(machine, disk)
    assert told["holds"] is False and told["actual"] == "kyber"
    assert told["overridden_by"].startswith("/etc/tuned/") and told["overridden_by"].endswith("tuned.conf:5")

    said = machine.run(f"disktuner set {disk} bfq --persist").text
    assert "tuned.conf:5 (tuned) sets the scheduler to kyber at every start" in said and "tuned-adm off" in said
    assert "After a restart, TuneD sets it to kyber" in said and "every restart" not in said
    machine.run(f"disktuner set {disk} none")
    told = status(machine, disk)
    assert (told["chosen"], told["until_restart"], told["actual"], told["holds"]) == ("bfq", "none", "none", True)
    machine.restart()
    disk = disk_at(machine, HDD)
    machine.until(f"grep -q '\\[kyber\\]' /sys/block/{disk}/queue/scheduler")
    told = status(machine, disk)
    assert told["until_restart"] is None and (told["actual"], told["holds"]) == ("kyber", False)
