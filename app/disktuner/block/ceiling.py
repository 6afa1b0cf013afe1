# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast a disk of a kind can be at all: what is faster came out of somebody's memory."""

from __future__ import annotations

import re

from disktuner.block.disk import Disk, Kind, Transport
from disktuner.block.sysfs import Tree, as_number

# Bytes per second in one direction, of the fastest device or bus there is.
SATA = 600e6  # Serial ATA 3.x: 6 Gb/s with 8b/10b coding; the fastest hard disks reach 554 MB/s (Seagate Exos 2X18)
SAS = 4.8e9  # SAS-4: 22.5 Gb/s with 128b/150b coding, two ports
USB = 10e9  # USB4 version 2: 80 Gb/s
EMMC = 400e6  # JEDEC eMMC 5.1: HS400
SD = 624e6  # SD 6.0: UHS-III (SD Express cards are NVMe disks)
NVME = 32e9  # PCI Express 6.0: 64 GT/s, four lanes

_BY_KIND = {
    Kind.HDD: SATA,
    Kind.USB_HDD: SATA,
    Kind.SATA_SSD: SATA,
    Kind.SAS_SSD: SAS,
    Kind.USB_FLASH: USB,
    Kind.USB_SSD: USB,
    Kind.EMMC: EMMC,
    Kind.SD_CARD: SD,
    Kind.NVME_SSD: NVME,
    Kind.VIRTUAL: NVME,
}
# Data per bit on the wire, by the link's speed in GT/s (PCI Express Base Specification 6.0) and Mb/s (USB 2.0 to 3.2).
_PCIE_CODING = {2.5: 0.8, 5.0: 0.8, 8.0: 128 / 130, 16.0: 128 / 130, 32.0: 128 / 130, 64.0: 1.0}
_USB_CODING = {5000.0: 0.8, 10000.0: 128 / 132, 20000.0: 128 / 132}


def ceiling_bytes_per_s(tree: Tree, disk: Disk) -> float | None:
    """Return the most that a disk can move in one direction, None where its kind says nothing about that.

    Uses the link's own speed where the kernel says it: PCI Express for NVMe, the port's for USB.
    """
    most = _BY_KIND.get(disk.kind)
    if most is None or not disk.kind_certain:
        return None
    link = None
    if disk.kind is Kind.NVME_SSD:
        link = _pcie(tree, disk.name)
    elif disk.transport is Transport.USB:
        link = _usb(tree, disk.name)
    return min(most, link) if link else most


def _pcie(tree: Tree, name: str) -> float | None:
    folder = f"sys/block/{name}/device/device"
    speed = re.match(r"(\d{1,4}(?:\.\d)?) GT/s", tree.text(f"{folder}/current_link_speed") or "")
    lanes = as_number(tree.text(f"{folder}/current_link_width"))
    if not speed or lanes <= 0:
        return None
    rate = float(speed[1])
    return rate * 1e9 / 8 * lanes * _PCIE_CODING.get(rate, 1.0)


def _usb(tree: Tree, name: str) -> float | None:
    """The port's speed in Mb/s stands in the folder of the USB device, some levels above the disk's."""
    parts = (tree.link(f"sys/block/{name}") or "").split("/")
    for depth in range(len(parts), 0, -1):
        if re.fullmatch(r"\d+-[\d.]+", parts[depth - 1]):
            text = tree.text("/".join(["sys/block", *parts[:depth], "speed"])) or ""
            mbits = float(text) if re.fullmatch(r"\d{1,6}(\.\d)?", text) else 0.0
            return mbits * 1e6 / 8 * _USB_CODING.get(mbits, 1.0) or None
    return None
