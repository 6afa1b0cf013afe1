# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast a disk of a kind can be at all: what is faster came out of somebody's memory."""

from __future__ import annotations

import re

from disktuner.block.disk import Disk, Transport
from disktuner.block.sysfs import Tree, as_number
from disktuner.vocabulary import kinds

# Data per bit on the wire, by the link's speed in GT/s (PCI Express Base Specification 6.0) and Mb/s (USB 2.0 to 3.2).
_PCIE_CODING = {2.5: 0.8, 5.0: 0.8, 8.0: 128 / 130, 16.0: 128 / 130, 32.0: 128 / 130, 64.0: 1.0}
_USB_CODING = {5000.0: 0.8, 10000.0: 128 / 132, 20000.0: 128 / 132}


def ceiling_bytes_per_s(tree: Tree, disk: Disk) -> float | None:
    """Return the most that a disk can move in one direction, None where its kind says nothing about that.

    Uses the link's own speed where the kernel says it: PCI Express for NVMe, the port's for USB.
    """
    most = disk.kind.ceiling_bytes_per_s
    if most is None or not disk.kind_certain:
        return None
    link = None
    if disk.kind == kinds.NVME_SSD:
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
