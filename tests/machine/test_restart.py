# SPDX-License-Identifier: GPL-3.0-or-later
"""A persistent choice holds after a real restart, and follows its disk."""

from __future__ import annotations

from typing import Any

import pytest

from tests.machine.devices import CONTROLLERS, DISKS, SATA_HDD, USB, USB_BOX
from tests.machine.machine import Machine
from tests.simdisk.sata import DEPTHS

HDD = "/dev/disk/by-id/wwn-0x5000c50012345601"
VIRT = "/dev/disk/by-id/virtio-VIRT0001"
STICK = "/dev/disk/by-id/usb-Sandy_Stick_USB0001-0:0"
RULES = "/etc/udev/rules.d/90-disktuner-*.rules"
LIMIT_BYTES = 16 << 20


def disk_at(machine: Machine, link: str) -> str:
    return machine.until(f"basename $(readlink -e {link})")


def scheduler_of(machine: Machine, disk: str) -> str:
    return machine.out(f"cat /sys/block/{disk}/queue/scheduler").partition("[")[2].partition("]")[0]


def status(machine: Machine, disk: str) -> dict[str, Any]:
    """Return what ``disktuner status`` reports about a disk."""
    entries: list[dict[str, Any]] = machine.json("disktuner status --json")["disks"]
    return next(entry for entry in entries if entry["name"] == disk)


@pytest.mark.smoke
def test_a_choice_holds_after_a_restart_and_follows_its_disk(debian13: Machine) -> None:
    """bfq, whose module is not loaded, for a disk known by its serial number and one known by its WWN; a third is
    forgotten.

    At the next start the disks are attached in another order and have other names.
    """
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
    machine.restart(devices=other_order())
    swapped_wwn, swapped_serial = disk_at(machine, HDD), disk_at(machine, VIRT)
    assert swapped_serial != by_serial
    entries = {entry["name"]: entry for entry in machine.json("disktuner status --json")["disks"]}
    for disk in (swapped_wwn, swapped_serial):
        assert scheduler_of(machine, disk) == "bfq"
        changed = entries.pop(disk)
        assert changed["holds"] is True and changed["verdict"] == "in effect"
        assert changed["chosen"] == changed["actual"] == "bfq"
        assert changed["chosen_tunables"] == changed["actual_tunables"] == {"iosched/low_latency": 0}
    entries_left = [entry for entry in entries.values() if entry["holds"] is None]
    assert len(entries_left) > 5 and {entry["actual"] for entry in entries_left} == {default}


def test_a_limit_of_what_waits_follows_its_stick(debian13: Machine) -> None:
    """It is there when the stick is plugged in again, after a restart, and no longer once forgotten."""
    machine = debian13
    limits = f"--tunable bdi/max_bytes={LIMIT_BYTES} --tunable bdi/strict_limit=1"
    machine.run(f"disktuner set {disk_at(machine, STICK)} mq-deadline --persist {limits}")
    _is_limited(machine)
    _replug_stick(machine)
    _is_limited(machine)
    machine.restart()
    _is_limited(machine)
    machine.run(f"disktuner forget {disk_at(machine, STICK)}")
    _replug_stick(machine)
    assert limits_of(machine, disk_at(machine, STICK))[1] == 0


def test_how_many_commands_a_hard_disk_gets_is_put_back_and_follows_it(debian13: Machine) -> None:
    """After a restart, and when the disk is found again, if chosen persistently; else it goes with the disk."""
    machine, option = debian13, "--tunable device/queue_depth=1"
    usual = depth_of(machine)
    assert usual > 1
    machine.run(f"disktuner set {disk_at(machine, HDD)} mq-deadline {option}")
    assert depth_of(machine) == 1
    machine.run(f"disktuner revert {disk_at(machine, HDD)}")
    assert depth_of(machine) == usual
    machine.run(f"disktuner set {disk_at(machine, HDD)} mq-deadline {option}")
    _replug_disk(machine)
    assert depth_of(machine) == usual
    machine.run(f"disktuner set {disk_at(machine, HDD)} mq-deadline --persist {option}")
    machine.restart()
    assert depth_of(machine) == 1 and status(machine, disk_at(machine, HDD))["holds"] is True
    _replug_disk(machine)
    assert depth_of(machine) == 1


def test_the_depth_of_a_sata_disk_takes_what_that_of_a_simulated_one_does(debian13: Machine) -> None:
    file = f"/sys/block/{disk_at(debian13, HDD)}/device/queue_depth"
    for text, expected in DEPTHS.items():
        before = depth_of(debian13)
        refused = debian13.run(f"printf '%s\\n' '{text}' | tee {file}", check=False)
        assert (refused.code != 0) == (expected is None) and (expected or "Invalid argument" in refused.text), text
        assert depth_of(debian13) == (expected or before), text


def depth_of(machine: Machine) -> int:
    return int(machine.out(f"cat /sys/block/{disk_at(machine, HDD)}/device/queue_depth"))


def _replug_disk(machine: Machine) -> None:
    machine.run(f"echo 1 >/sys/block/{disk_at(machine, HDD)}/device/delete")
    machine.until(f"! test -e {HDD}")
    machine.run("for host in /sys/class/scsi_host/*/scan; do echo '- - -' >$host; done")
    machine.until(f"test -e {HDD} && udevadm settle")


def _replug_stick(machine: Machine) -> None:
    machine.unplug_stick(USB_BOX, USB)
    machine.until(f"! test -e {STICK}")
    machine.plug_stick(USB_BOX, USB)
    machine.until(f"test -e {STICK} && udevadm settle")


def limits_of(machine: Machine, disk: str) -> tuple[int, int]:
    """Return how many bytes may wait for a disk, and whether that always holds."""
    most, strict = machine.out(f"cd /sys/block/{disk}/bdi && cat max_bytes strict_limit").split()
    return int(most), int(strict)


def _is_limited(machine: Machine) -> None:
    """The kernel keeps the limit as a share of the free memory, so it reads a little more or less each time."""
    disk = disk_at(machine, STICK)
    most, strict = limits_of(machine, disk)
    assert LIMIT_BYTES / 4 <= most <= LIMIT_BYTES * 4 and strict == 1
    assert status(machine, disk)["holds"] is True


def other_order() -> list[Any]:
    """A machine whose virtio disks are found in another order, with one more before the SCSI disks."""
    slow = [device for device in DISKS if device.options.startswith("virtio-blk")]
    rest = [device for device in DISKS if device not in slow and device is not SATA_HDD]
    return [*CONTROLLERS, *reversed(slow), *rest, SATA_HDD]
