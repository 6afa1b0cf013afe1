# SPDX-License-Identifier: GPL-3.0-or-later
"""Disks that lie or are connected badly are found as real kernels show them; one is measured, mended, and stays so."""

from __future__ import annotations

import struct
from typing import Any

from tests.machine.machine import Device, Machine

_SCSI = "scsi-hd,bus=scsi0.0,vendor=ACME"
TURNS = Device("turns", f"{_SCSI},scsi-id=11,product=TURNS,serial=TURNS01,rotation_rate=7200", 64)
FLASH = Device("flash", f"{_SCSI},scsi-id=12,product=STILL,serial=STILL01,rotation_rate=1", 64)
HUGE = Device(
    "huge", f"{_SCSI},scsi-id=13,product=HUGE,serial=HUGE001,wwn=0x5000c50012345613,opt_io_size=33553920", 1024
)
# No multiple of its physical blocks: the kernel does not believe it.
BOGUS = Device("bogus", f"{_SCSI},scsi-id=14,product=BOGUS,physical_block_size=4096,opt_io_size=33553920", 256)
HUB = Device("hub", "usb-hub,bus=usb0.0,port=4,id=hub")  # of USB 1.1: 12 Mb/s for what is behind it
SLOW = Device("slow", "usb-storage,bus=usb0.0,port=4.1,serial=SLOW001", 64)
FLAGS = b"""# somebody's
ACTION=="add|change", ENV{ID_MODEL}=="TURNS", ATTR{queue/rotational}="0"
ACTION=="add|change", ENV{ID_MODEL}=="STILL", ATTR{queue/rotational}="1"
"""


def _named(machine: Machine, model: str) -> str:
    """The kernel's name of the disk that calls itself so."""
    find = f"disk=$(grep -l {model} /sys/block/sd*/device/model) && udevadm settle && basename ${{disk%/device/model}}"
    return machine.until(find)


def _partition(machine: Machine, disk: str) -> None:
    """One partition from sector 63 on, as partitioning programs made them until 2009."""
    entry = struct.pack("<8BII", 0, 0, 0, 0, 0x83, 0, 0, 0, 63, 400_000)
    table = bytes(446) + entry + bytes(48) + b"\x55\xaa"
    machine.agent.write("/tmp/table", table)
    machine.run(f"dd if=/tmp/table of=/dev/{disk} conv=fsync && blockdev --rereadpt /dev/{disk} && udevadm settle")
    machine.until(f"test -e /sys/block/{disk}/{disk}1")


def _findings(machine: Machine, disk: str) -> dict[str, dict[str, Any]]:
    (checked,) = machine.json(f"disktuner check {disk} --json")["disks"]
    return {found["id"]: found for found in checked["findings"]}


def _plugged(machine: Machine, device: Device, model: str) -> tuple[str, dict[str, dict[str, Any]]]:
    machine.plug(device)
    disk = _named(machine, model)
    return disk, _findings(machine, disk)


def test_what_lies_or_is_connected_badly_is_found_with_who_did_it(debian13: Machine) -> None:
    machine = debian13
    machine.agent.write("/etc/udev/rules.d/90-flags.rules", FLAGS)
    machine.run("udevadm control --reload")
    for device, model, check, line in (
        (TURNS, "TURNS", "rotation-not-told", 2),
        (FLASH, "STILL", "flash-said-to-rotate", 3),
    ):
        _, found = _plugged(machine, device, model)
        assert set(found) == {check} and f"/etc/udev/rules.d/90-flags.rules:{line}" in found[check]["set_by"]
    machine.run("rm /etc/udev/rules.d/90-flags.rules")

    _, found = _plugged(machine, HUGE, "HUGE")
    assert set(found) == {"read-ahead-huge"}
    told = found["read-ahead-huge"]
    assert told["value"] > 60_000 and told["rule"]["id"] == "read-ahead-optimal" and told["expected"] == 128

    disk, found = _plugged(machine, BOGUS, "BOGUS")
    assert not found
    _partition(machine, disk)
    assert set(_findings(machine, disk)) == {"partition-misaligned"}

    machine.plug(HUB)
    machine.plug(SLOW)
    slow = machine.until("basename $(readlink -e /dev/disk/by-id/usb-QEMU_QEMU_HARDDISK_SLOW001-0:0)")
    assert machine.out(f"cat $(readlink -e /sys/block/{slow}/device/../../../../speed)") == "12"
    found = _findings(machine, slow)
    assert set(found) == {"usb-link-slow"} and found["usb-link-slow"]["value"] == "12 Mb/s"
