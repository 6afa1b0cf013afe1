# SPDX-License-Identifier: GPL-3.0-or-later
"""What udisks knows of disks' health, and a machine without it."""

from __future__ import annotations

from disktuner.checkup.health import Health, health_of

DRIVES = "/org/freedesktop/UDisks2/drives"
NAME = "org.freedesktop.UDisks2"


def block(device: str, drive: str) -> dict[str, dict[str, object]]:
    return {f"{NAME}.Block": {"Device": [*device.encode(), 0], "Drive": f"{DRIVES}/{drive}"}}


def test_the_health_of_each_disk_by_its_name() -> None:
    objects = {
        "/block/sda": block("/dev/sda", "hdd"),
        "/block/sdb": block("/dev/sdb", "old"),
        "/block/sdc": block("/dev/sdc", "asleep"),
        "/block/nvme0n1": block("/dev/nvme0n1", "nvme"),
        "/block/loop0": {f"{NAME}.Block": {"Device": [*b"/dev/loop0", 0], "Drive": "/"}},
        f"{DRIVES}/hdd": {f"{NAME}.Drive.Ata": {"SmartEnabled": True, "SmartFailing": True, "SmartNumBadSectors": 8}},
        f"{DRIVES}/old": {f"{NAME}.Drive.Ata": {"SmartEnabled": True, "SmartNumBadSectors": -1}},
        f"{DRIVES}/asleep": {f"{NAME}.Drive.Ata": {"SmartEnabled": False, "SmartNumBadSectors": 5}},
        f"{DRIVES}/nvme": {f"{NAME}.NVMe.Controller": {"SmartCriticalWarning": ["temperature", "spare"]}},
    }
    assert health_of(objects) == {
        "sda": Health(8, ("SMART",)),
        "sdb": Health(),
        "sdc": Health(),
        "nvme0n1": Health(0, ("spare",)),
    }
