# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines of which there is no recording, built as their kernels show them, with what must be said of each disk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from tests.unit.block.trees import MQ, NONE, PCI, Tree, sata, usb

NVME = "pci0000:00/0000:00:1d.0/0000:03:00.0/nvme/nvme0"
Expected = Mapping[str, tuple[str, str, bool, str | None, tuple[str, ...]]]
"""By disk: kind, transport, certain, scheduler, paths of mounts."""


def laptop_luks(tree: Tree) -> Expected:
    tree.kernel("6.12.5")
    tree.disk("nvme0n1", "259:0", NVME, NONE, files={"device/model": "WD_BLACK SN770", "device/transport": "pcie"})
    tree.partition("nvme0n1", "nvme0n1p3", "259:3")
    tree.disk(
        "dm-0",
        "253:0",
        "virtual",
        None,
        slaves=("nvme0n1p3",),
        files={"dm/name": "luks-home", "dm/uuid": "CRYPT-LUKS2-x"},
    )
    tree.mount("0:33", "/home", "btrfs", "/dev/mapper/luks-home", "rw,subvol=/home")
    tree.write("sys/fs/btrfs/11-22/devices/dm-0/size", "1")
    return {
        "nvme0n1": ("nvme-ssd", "nvme", True, "none", ("/home",)),
        "dm-0": ("device-mapper", "none", True, None, ("/home",)),
    }


def sata_pair(tree: Tree) -> Expected:
    tree.kernel("6.1.0-18-amd64")
    ata = {"device/vendor": "ATA"}
    tree.disk(
        "sda", "8:0", sata(1), MQ, 0, {**ata, "device/model": "CT500MX500SSD1"}, {"ID_ATA_ROTATION_RATE_RPM": "0"}
    )
    tree.disk(
        "sdb", "8:16", sata(2), MQ, 1, {**ata, "device/model": "ST4000DM004-2CV1"}, {"ID_ATA_ROTATION_RATE_RPM": "5425"}
    )
    tree.partition("sdb", "sdb1", "8:17")
    tree.mount("8:17", "/srv/my data".replace(" ", "\\040"), "ext4", "/dev/sdb1")
    return {
        "sda": ("sata-ssd", "sata", True, "mq-deadline", ()),
        "sdb": ("hdd", "sata", True, "mq-deadline", ("/srv/my data",)),
    }


def rotation_contradicted(tree: Tree) -> Expected:
    tree.kernel("6.1.0")
    tree.disk(
        "sda",
        "8:0",
        sata(1),
        MQ,
        0,
        {"device/vendor": "ATA", "device/model": "WDC WD40EZRZ"},
        {"ID_ATA_ROTATION_RATE_RPM": "5400"},
    )
    return {"sda": ("hdd", "sata", False, "mq-deadline", ())}


def usb_disks(tree: Tree) -> Expected:
    tree.kernel("6.9.1")
    page = bytes([0, 0xB1, 0, 0x3C, 0, 1]) + bytes(58)
    tree.disk("sda", "8:0", usb(6), MQ, 1, {"removable": "1", "device/vendor": "SanDisk", "device/model": "Ultra Fit"})
    tree.disk(
        "sdb", "8:16", usb(7), MQ, 0, {"device/vendor": "Samsung", "device/model": "PSSD T7", "device/vpd_pgb1": page}
    )
    tree.disk("sdc", "8:32", usb(8), MQ, 1, {"device/vendor": "JMicron", "device/model": "Generic"})
    tree.disk(
        "sdd",
        "8:48",
        usb(9),
        MQ,
        1,
        {"device/vendor": "WD", "device/model": "Elements 25A3"},
        {"ID_ATA_ROTATION_RATE_RPM": "5400"},
    )
    tree.disk("sde", "8:64", usb(10), MQ, 1, {"device/vendor": "Kingston", "device/model": "XS2000 SSD"})
    tree.partition("sda", "sda1", "8:1")
    tree.mount("8:1", "/media/stick", "vfat", "/dev/sda1")
    return {
        "sda": ("usb-flash", "usb", True, "mq-deadline", ("/media/stick",)),
        "sdb": ("usb-ssd", "usb", True, "mq-deadline", ()),
        "sdc": ("usb-hdd", "usb", False, "mq-deadline", ()),
        "sdd": ("usb-hdd", "usb", True, "mq-deadline", ()),
        "sde": ("usb-ssd", "usb", False, "mq-deadline", ()),
    }


def cloud_guest(tree: Tree) -> Expected:
    tree.kernel("6.8.0-1021-aws")
    tree.disk("vda", "254:0", f"{PCI}/virtio1", MQ, 1)
    tree.disk(
        "sda",
        "8:0",
        f"{PCI}/virtio2/host0/target0:0:1/0:0:1:0",
        NONE,
        1,
        {"device/vendor": "Google", "device/model": "PersistentDisk"},
    )
    tree.disk("xvda", "202:0", "vbd-51712", NONE, 0)
    tree.disk(
        "nvme0n1", "259:0", NVME, NONE, 0, {"device/model": "Amazon Elastic Block Store", "device/transport": "pcie"}
    )
    tree.mount("254:0", "/", "xfs", "/dev/vda")
    return {
        "vda": ("virtual", "virtio", True, "mq-deadline", ("/",)),
        "sda": ("virtual", "virtio", True, "none", ()),
        "xvda": ("virtual", "xen", True, "none", ()),
        "nvme0n1": ("virtual", "nvme", True, "none", ()),
    }


def hyper_v(tree: Tree) -> Expected:
    tree.kernel("6.5.0-1025-azure")
    tree.disk(
        "sda",
        "8:0",
        "LNXSYSTM:00/VMBUS:00/f8b3781a/host0/target0:0:0/0:0:0:0",
        NONE,
        1,
        {"device/vendor": "Msft", "device/model": "Virtual Disk"},
    )
    return {"sda": ("virtual", "scsi", True, "none", ())}


def hardware_raid(tree: Tree) -> Expected:
    tree.kernel("5.14.0-427.el9")
    tree.disk(
        "sda",
        "8:0",
        f"{PCI}/host0/target0:2:0/0:2:0:0",
        MQ,
        1,
        {"device/vendor": "DELL", "device/model": "PERC H730 Mini"},
    )
    tree.write("sys/class/scsi_host/host0/proc_name", "megaraid_sas")
    return {"sda": ("raid", "scsi", True, "mq-deadline", ())}


def odd_ones(tree: Tree) -> Expected:
    tree.kernel("6.6.0")
    tree.disk("sr0", "11:0", sata(3), MQ, 1, {"device/vendor": "HL-DT-ST", "device/model": "DVDRAM", "removable": "1"})
    tree.disk("zram0", "252:0", "virtual", None, 0)
    tree.disk("loop0", "7:0", "virtual", NONE, 0, size=0)
    tree.disk("loop1", "7:1", "virtual", NONE, 0, {"loop/backing_file": "/var/lib/snapd/core.snap"})
    tree.disk("bcache0", "251:0", "virtual", None, 1)
    tree.disk(
        "sda",
        "8:0",
        sata(4),
        "none [adios] mq-deadline",
        1,
        {"device/vendor": "ATA", "device/model": "HGST HSH721414AL", "queue/zoned": "host-managed"},
    )
    tree.disk("mmcblk1", "179:32", "platform/fe340000.mmc/mmc_host/mmc0/mmc0:0001", MQ, 0, {"device/type": "MMC"})
    tree.disk("sdb", "8:16", f"{PCI}/host4/rport-4:0-0/target4:0:0/4:0:0:0", MQ, 0, {"device/vendor": "NETAPP"})
    return {
        "sr0": ("optical", "sata", True, "mq-deadline", ()),
        "zram0": ("zram", "none", True, None, ()),
        "loop1": ("loop", "loop", True, "none", ()),
        "bcache0": ("raid", "none", False, None, ()),
        "sda": ("hdd", "sata", True, "adios", ()),
        "mmcblk1": ("emmc", "mmc", True, "mq-deadline", ()),
        "sdb": ("network", "scsi", True, "mq-deadline", ()),
    }


MACHINES: Mapping[str, Callable[[Tree], Expected]] = {
    function.__name__: function
    for function in (
        laptop_luks, sata_pair, rotation_contradicted, usb_disks, cloud_guest, hyper_v, hardware_raid, odd_ones
    )
}  # fmt: skip


def build(name: str, root: Path) -> Expected:
    return MACHINES[name](Tree(root))
