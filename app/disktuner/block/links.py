# SPDX-License-Identifier: GPL-3.0-or-later
"""The speed of a disk's link (PCIe, SATA, USB), and the speeds that disk and port support."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from disktuner.block.disk import Transport
from disktuner.block.sysfs import Tree, as_number

_PCI = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
_ATA = re.compile(r"/ata(\d+)/host(\d+)/target\d+:0:0/")
_USB = re.compile(r"(.*/usb\d+/(?:[^/:]+/)*?(\d+-[\d.]+))/(\2:\d+\.\d+)/")
_SPEED = re.compile(r"(\d+(?:\.\d+)?) G(?:T/s|bps)")
_AHCI_GBPS = {1: 1.5, 2: 3.0, 3: 6.0}
_SUPERSPEED = bytes([0x10, 0x03])  # a device capability descriptor, of SuperSpeed (USB 3.2, tables 9-14 and 9-16)
_HIGH_SPEED, _SUPER_SPEED = 480.0, 5000.0


@dataclass(frozen=True, slots=True)
class PcieLink:
    """Speeds in GT/s per lane, and lanes: now, and the most that both ends support."""

    speed: float
    lanes: int
    best_speed: float
    best_lanes: int

    @property
    def share(self) -> float:
        """The present share of the best throughput."""
        return self.speed * self.lanes / (self.best_speed * self.best_lanes)


@dataclass(frozen=True, slots=True)
class SataLink:
    """Speeds in Gb/s: now, allowed by the kernel, supported by disk and port; None if unknown."""

    speed: float
    allowed: float | None
    disk: float | None
    port: float | None

    @property
    def best(self) -> float:
        """The most that both ends support; the present speed if one is unknown."""
        if self.disk is None:
            return self.speed
        if self.port is not None:
            return min(self.disk, self.port)
        return self.disk if self.is_lowered else self.speed

    @property
    def is_lowered(self) -> bool:
        """Whether the kernel allows less than the disk supports."""
        return self.allowed is not None and self.disk is not None and self.allowed < self.disk


@dataclass(frozen=True, slots=True)
class UsbLink:
    """Speeds in Mb/s, now and the most that the disk supports; ``driver`` is ``uas`` or ``usb-storage``."""

    speed: float
    best: float
    driver: str
    vendor: str
    product: str


def pcie_link(tree: Tree, path: str) -> PcieLink | None:
    """Return the link of a disk that is itself a PCIe device; None if an end cannot be read, as in virtual machines.

    ``path`` is the link in ``/sys/block``.
    """
    functions = [match.span() for match in _PCI.finditer(path)]
    if len(functions) < 2:
        return None
    folder = "sys/" + path.removeprefix("../")
    shift = len(folder) - len(path)
    ends = [folder[: end + shift] for _, end in functions[-2:]]
    speed, lanes = pcie_now(tree, ends[1])
    speeds = [_speed(tree, f"{end}/max_link_speed") for end in ends]
    widths = [_lanes(tree, f"{end}/max_link_width") for end in ends]
    if not (speed and lanes and all(speeds) and all(widths)):
        return None
    return PcieLink(speed, lanes, min(speeds), min(widths))


def pcie_now(tree: Tree, function: str) -> tuple[float, int]:
    """Return a PCIe function's present speed in GT/s and lanes, 0 if unknown."""
    return _speed(tree, f"{function}/current_link_speed"), _lanes(tree, f"{function}/current_link_width")


def _speed(tree: Tree, path: str) -> float:
    """Parse ``8.0 GT/s PCIe`` or ``6.0 Gbps``; 0 for the ``Unknown`` of a sleeping device."""
    match = _SPEED.match(tree.text(path) or "")
    return float(match[1]) if match else 0.0


def _lanes(tree: Tree, path: str) -> int:
    """Return the lanes, up to 32; 0 for the 255 of a sleeping device."""
    lanes = as_number(tree.text(path))
    return lanes if 0 < lanes <= 32 else 0


def sata_link(tree: Tree, path: str) -> SataLink | None:
    """Return the link of a SATA disk with its own port; None if it cannot be read."""
    match = _ATA.search(path)
    if match is None:
        return None
    link = f"sys/class/ata_link/link{match[1]}"
    speed = _speed(tree, f"{link}/sata_spd")
    if not speed:
        return None
    disk = _best_gbps(_identify(tree, path))
    caps = tree.text(f"sys/class/scsi_host/host{match[2]}/ahci_host_caps")
    return SataLink(speed, _speed(tree, f"{link}/sata_spd_limit") or None, disk, _of_ahci(caps))


def _best_gbps(words: Sequence[int]) -> float | None:
    """Word 76 of IDENTIFY DEVICE (ACS-4): bits 1 to 3 are 1.5, 3 and 6 Gb/s."""
    return next((speed for bit, speed in ((3, 6.0), (2, 3.0), (1, 1.5)) if _sata(words) >> bit & 1), None)


def native_queue(tree: Tree, path: str) -> int:
    """Return how many commands a SATA disk with its own port queues, 0 if unknown.

    Words 76 and 75 of IDENTIFY DEVICE (ACS-4): bit 8 is native command queuing, bits 0 to 4 the depth less one.
    """
    words = _identify(tree, path)
    return (words[75] & 0x1F) + 1 if _sata(words) >> 8 & 1 else 0


def has_error_control(tree: Tree, path: str) -> bool | None:
    """Return whether a SATA disk with its own port can be told how long to retry; None if unknown.

    Word 206 of IDENTIFY DEVICE (ACS-4): bit 0 is SCT command transport, bit 3 its error recovery control.
    """
    words = _identify(tree, path)
    return words[206] & 0b1001 == 0b1001 if len(words) > 206 else None


def _identify(tree: Tree, path: str) -> list[int]:
    """Return the words of IDENTIFY DEVICE; empty if they cannot be read."""
    match = _ATA.search(path)
    words = (tree.text(f"sys/class/ata_device/dev{match[1]}.0/id") or "").split() if match else []
    return [int(word, 16) for word in words] if all(re.fullmatch(r"[0-9a-f]{4}", word) for word in words) else []


def _sata(words: Sequence[int]) -> int:
    """Return word 76, a SATA disk's capabilities; 0 if not reported."""
    return words[76] if len(words) > 76 and words[76] != 0xFFFF else 0


def _of_ahci(text: str | None) -> float | None:
    """Return the supported interface speed, bits 20 to 23 of the capabilities (AHCI 1.3.1, 3.1.1)."""
    if text is None or not re.fullmatch(r"[0-9a-f]{1,8}", text):
        return None
    return _AHCI_GBPS.get(int(text, 16) >> 20 & 0xF)


def usb_link(tree: Tree, path: str) -> UsbLink | None:
    """Return a disk's USB link; None if it cannot be read.

    A USB 3 disk reports version 2.10 while it runs at 480 Mb/s (USB 3.2), but so may a USB 2 disk with link power
    management; the descriptors that newer kernels show (``bos_descriptors``) decide.
    """
    match = _USB.search(path)
    if match is None:
        return None
    device = "sys/" + match[1].removeprefix("../")
    speed = _number(tree.text(f"{device}/speed"))
    version = _number(tree.text(f"{device}/version"))
    if not speed:
        return None
    driver = (tree.link(f"{device}/{match[3]}/driver") or "").rpartition("/")[2]
    names = (tree.text(f"{device}/{name}") or "" for name in ("idVendor", "idProduct"))
    return UsbLink(speed, _best_mbps(tree, device, speed, version), driver, *names)


def _best_mbps(tree: Tree, device: str, speed: float, version: float) -> float:
    if speed > _HIGH_SPEED or version < 2:
        return speed
    shown = tree.octets(f"{device}/bos_descriptors")
    superspeed = version >= 2.1 and (shown is None or _has_superspeed(shown))
    return _SUPER_SPEED if superspeed else _HIGH_SPEED


def _has_superspeed(descriptors: bytes) -> bool:
    """Whether the binary object store has a SuperSpeed descriptor (length, type, capability type)."""
    at = 0
    while at + 2 < len(descriptors) and descriptors[at] >= 3:
        if descriptors[at + 1 : at + 3] == _SUPERSPEED:
            return True
        at += descriptors[at]
    return False


def _number(text: str | None) -> float:
    return float(text) if text and re.fullmatch(r"\d{1,6}(?:\.\d{1,3})?", text) else 0.0


@dataclass(frozen=True, slots=True)
class Links:
    """The links of one disk, each None if missing or unreadable."""

    pcie: PcieLink | None = None
    sata: SataLink | None = None
    usb: UsbLink | None = None


def links_of(tree: Tree, path: str, transport: Transport) -> Links:
    """Return what is known about a disk's links; ``path`` is the link in ``/sys/block``."""
    if transport is Transport.NVME:
        return Links(pcie=pcie_link(tree, path))
    if transport is Transport.SATA:
        return Links(sata=sata_link(tree, path))
    return Links(usb=usb_link(tree, path) if "/usb" in path else None)
