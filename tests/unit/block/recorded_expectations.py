# SPDX-License-Identifier: GPL-3.0-or-later
"""What must be reported for each recorded machine, derived from how it was built, not from the output."""

from __future__ import annotations

from collections.abc import Mapping

from tests.unit.block.recorded import Expected

MQ = "mq-deadline"
ROOT = ("virtual", "virtio", True, MQ)
DVD = ("optical", "sata", True, MQ)
DM = ("device-mapper", "none", True, None)
SAS = ("hdd", "sas", True, MQ)

HDD = ("hdd", "sata", True, MQ)
VIRTUAL_SCSI = ("virtual", "virtio", True, MQ)

EXPECTED: Mapping[str, Expected] = {
    "bcache-zoned": Expected(
        {
            "vda": ROOT,
            "sda": HDD,
            "sdb": ("sata-ssd", "sata", True, MQ),
            "bcache0": ("raid", "none", False, None),
            "nullb0": ("virtual", "none", True, "none"),
            "sdc": ("virtual", "scsi", True, MQ),
        },
        {"/": ("vda",), "/srv": ("sda", "sdb")},
    ),
    "btrfs-overlay": Expected(
        {"vda": ROOT, "sda": HDD, "sdb": HDD, "sdc": HDD, "loop0": ("loop", "loop", True, "none")},
        {"/srv": ("sda", "sdb", "sdc"), "/mnt/x": ("sda", "sdb", "sdc"), "/opt": (), "/media": ("loop0",)},
    ),
    "cloud": Expected(
        {"vda": ROOT, "vdb": ROOT, "sda": VIRTUAL_SCSI, "sdb": VIRTUAL_SCSI}, {"/": ("vda",), "/var/lib/x": ("vdb",)}
    ),
    "desktop": Expected(
        {
            "sda": HDD,
            "sdb": ("sata-ssd", "sata", False, MQ),
            "sdc": ("sata-ssd", "sata", True, MQ),
            "sdd": HDD,
            "sr0": DVD,
        },
        {"/": ("sdc",), "/srv/data": ("sdd",), "/mnt/data/x": ("sdd",), "/home": ("sdd",)},
    ),
    "dm-multipath": Expected(
        {"vda": ROOT, "sda": VIRTUAL_SCSI, "sdb": VIRTUAL_SCSI, "dm-0": ("device-mapper", "none", True, MQ)},
        {"/": ("vda",), "/srv": ("dm-0",)},
    ),
    "fabrics": Expected(
        {
            "vda": ROOT,
            "sr0": DVD,
            "nvme0n1": ("network", "nvme", True, None),
            "nbd0": ("network", "none", True, MQ),
            "sda": ("network", "scsi", True, MQ),
        },
        {"/srv": ("nvme0c0n1",)},
    ),
    "laptop": Expected(
        {
            "nvme0n1": ("nvme-ssd", "nvme", True, MQ),
            "nvme1n1": ("nvme-ssd", "nvme", True, MQ),
            "dm-0": DM,
            "dm-1": DM,
            "dm-2": DM,
            "zram0": ("zram", "none", True, None),
            "sr0": DVD,
        },
        {"/": ("nvme0n1",), "/home": ("nvme1n1",), "/srv": ("nvme1n1",), "/boot/efi": ("nvme1n1",)},
    ),
    "nvme-multipath": Expected(
        {
            "vda": ROOT,
            "sr0": DVD,
            "nvme0n1": ("nvme-ssd", "nvme", True, None),
            "nvme2n1": ("nvme-ssd", "nvme", True, MQ),
        },
        {"/srv": ("nvme0c0n1", "nvme0c1n1")},
    ),
    "raid-card": Expected(
        {
            "vda": ROOT,
            "sda": ("virtual", "scsi", True, MQ),
            "sdb": ("raid", "scsi", True, MQ),
            "sdc": ("hdd", "scsi", True, MQ),
        },
        {"/": ("vda",)},
    ),
    "sas-server": Expected(
        {
            "sda": ("sata-ssd", "sata", True, MQ),
            **dict.fromkeys(("sdb", "sdc", "sdd", "sde", "sdf"), SAS),
            "sdg": ("sas-ssd", "sas", True, MQ),
            **dict.fromkeys(("md0", "md1"), ("raid", "none", True, None)),
            **{f"dm-{number}": DM for number in range(14)},
        },
        {
            "/": ("sda",),
            "/srv/data": ("sdd", "sde", "sdf"),
            "/srv/home": ("sdg", "sdb", "sdc"),
            "/opt": ("sdb", "sdc", "sdd", "sde", "sdf"),
        },
    ),
    "sd-card": Expected(
        {"vda": ROOT, "sr0": DVD, "mmcblk0": ("sd-card", "mmc", True, MQ)},
        {"/srv": ("mmcblk0",), "/srv/boot": ("mmcblk0",)},
    ),
    "ufs": Expected({"vda": ROOT, "sr0": DVD, "sda": ("virtual", "scsi", True, MQ)}, {"/": ("vda",)}),
    "usb": Expected(
        {
            "vda": ROOT,
            "sda": ("usb-ssd", "usb", True, MQ),
            "sdb": ("usb-hdd", "usb", True, MQ),
            "sdc": ("usb-flash", "usb", True, MQ),
            "sdd": ("usb-ssd", "usb", False, MQ),
            "sde": ("virtual", "usb", True, MQ),
        },
        {"/media": ("sdc",)},
    ),
}
