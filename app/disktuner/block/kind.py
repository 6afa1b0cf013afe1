# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk's kind and how it is attached, and whether the sources agree."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from disktuner.block.disk import Transport
from disktuner.block.machine import is_since
from disktuner.block.sysfs import Tree, as_number
from disktuner.vocabulary import kinds
from disktuner.vocabulary.kinds import Kind
from disktuner.vocabulary.messages import Message, message


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the judgement rests on. ``path`` is the device's place in ``/sys/devices``.

    ``rate_rpm`` is the rotation that the disk reports: None if it reports nothing, 0 for "does not rotate".
    ``has_write_cache`` is what it reports about its cache, None if unknown. ``is_ata``: it takes ATA commands, also
    behind a SAS controller. ``release`` is the kernel's.
    """

    name: str
    path: str
    rotational: bool
    removable: bool
    model: str
    vendor: str
    rate_rpm: int | None = None
    card_type: str = ""
    nvme_transport: str = ""
    host_driver: str = ""
    has_write_cache: bool | None = None
    release: str | None = None
    is_ata: bool = False


@dataclass(frozen=True, slots=True)
class Judgement:
    """Kind and transport; ``doubt`` says why they are uncertain, if they are."""

    kind: Kind
    transport: Transport
    doubt: Message | None = None


_BY_NAME = {
    r"loop\d+": Judgement(kinds.LOOP, Transport.LOOP),
    r"dm-\d+": Judgement(kinds.DEVICE_MAPPER, Transport.NONE),
    r"md\w+": Judgement(kinds.RAID, Transport.NONE),
    r"zram\d+": Judgement(kinds.ZRAM, Transport.NONE),
    r"nbd\d+|rbd\d+|drbd\d+": Judgement(kinds.NETWORK, Transport.NONE),
    r"vd[a-z]+": Judgement(kinds.VIRTUAL, Transport.VIRTIO),
    r"xvd[a-z]+\d*": Judgement(kinds.VIRTUAL, Transport.XEN),  # xvda1 may be a disk of its own
    r"nullb\d+|ublkb\d+": Judgement(kinds.VIRTUAL, Transport.NONE),
    r"cciss!.*|ida!.*": Judgement(kinds.RAID, Transport.SCSI),
    r"pmem\d+.*|ram\d+|fd\d+|mtdblock\d+|dasd[a-z]+": Judgement(kinds.UNKNOWN, Transport.UNKNOWN),
    r"bcache\d+": Judgement(kinds.RAID, Transport.NONE, message("doubt-cached-disk")),
    r"zd\d+": Judgement(kinds.RAID, Transport.NONE, message("doubt-zfs-volume")),
}
_HYPERVISOR_VENDORS = ("QEMU", "VMware", "VBOX", "Msft", "Google", "XENSRC", "Nutanix", "Red Hat", "BHYVE")
_HYPERVISOR_MODELS = re.compile(
    r"QEMU|VBOX|VMware|Virtual NVMe|Amazon Elastic Block Store|nvme_card-pd|PersistentDisk|BHYVE|"
    r"Virtual (disk|Disk|I/O)|MSFT NVMe Accelerator",
)
_RAID_DRIVERS = frozenset(
    {
        "megaraid_sas",
        "megaraid",
        "hpsa",
        "smartpqi",
        "aacraid",
        "mpi3mr",
        "mpt3sas",
        "mptsas",
    }
)
_RAID_ONLY_DRIVERS = frozenset({"arcmsr", "3w-xxxx", "3w-9xxx", "3w-sas", "hptiop", "stex", "mvumi", "ips", "gdth"})
"""Controllers whose disks are all arrays, or behind the controller's cache, with names chosen by people."""

_RAID_MAKERS = ("Areca", "Adaptec", "AMCC", "3ware", "LSI", "AVAGO", "BROADCOM", "Promise", "HPT", "Microsemi")
"""Vendors of arrays that make no disks themselves."""

_NVME_ROTATES_SINCE = (6, 13)  # reported by the namespace (NVME_NS_ROTATIONAL); before, only a person can have set it
_RAID_MODELS = re.compile(
    r"PERC|RAID|LOGICAL VOLUME|Logical Volume|Logical Drive|\bMR\d|ServeRAID|Virtual Drive|\bVD\b|Volume"
)
_SSD_MODEL = re.compile(r"SSD|Solid State|Flash", re.IGNORECASE)
_NVME_MODEL = re.compile(r"NVMe", re.IGNORECASE)


def rotation_rate(udev: Mapping[str, str], characteristics: bytes) -> int | None:
    """Return the reported revolutions per minute: ATA's from udev, SCSI's from the block device characteristics.

    SBC-4, page B1h: bytes 4 and 5; 0 is "not reported", 1 is "does not rotate".
    """
    known = udev.get("ID_ATA_ROTATION_RATE_RPM")
    if known is not None and known.isdecimal():
        return as_number(known)
    if len(characteristics) >= 6 and characteristics[1] == 0xB1:
        rate = int.from_bytes(characteristics[4:6], "big")
        return {0: None, 1: 0}.get(rate, rate if 1024 < rate < 0xFFFF else None)
    return None


def host_driver(tree: Tree, path: str) -> str:
    """Return the driver of a disk's SCSI host; ``path`` is the link in ``/sys/block``."""
    match = re.search(r"/host(\d+)/", path)
    return (tree.text(f"sys/class/scsi_host/host{match[1]}/proc_name") or "") if match else ""


def judge(evidence: Evidence) -> Judgement:
    """Return the kind and transport of a disk, and any doubt."""
    for pattern, judgement in _BY_NAME.items():
        if re.fullmatch(pattern, evidence.name):
            return judgement
    if evidence.name.startswith("nvme"):
        return _nvme(evidence)
    if evidence.name.startswith("mmcblk"):
        return _card(evidence)
    if evidence.name.startswith("sr"):
        return Judgement(kinds.OPTICAL, _scsi_transport(evidence.path))
    if re.fullmatch(r"sd[a-z]+|hd[a-z]+", evidence.name):
        return _scsi(evidence)
    return Judgement(kinds.UNKNOWN, Transport.UNKNOWN)


def _nvme(evidence: Evidence) -> Judgement:
    if evidence.nvme_transport in ("tcp", "rdma", "fc", "loop"):
        return Judgement(kinds.NETWORK, Transport.NVME)
    if _HYPERVISOR_MODELS.search(evidence.model):
        return Judgement(kinds.VIRTUAL, Transport.NVME)
    if not evidence.rotational:
        return Judgement(kinds.NVME_SSD, Transport.NVME)
    if not is_since(_NVME_ROTATES_SINCE, evidence.release):
        return Judgement(kinds.NVME_SSD, Transport.NVME, message("doubt-nvme-rotates"))
    if is_named_solid(evidence.model, Transport.NVME):
        return Judgement(kinds.NVME_SSD, Transport.NVME, message("doubt-model", model=evidence.model))
    return Judgement(kinds.HDD, Transport.NVME)


def _card(evidence: Evidence) -> Judgement:
    if evidence.card_type == "MMC":
        return Judgement(kinds.EMMC, Transport.MMC)
    doubt = None if evidence.card_type.startswith("SD") else message("doubt-card-type")
    return Judgement(kinds.SD_CARD, Transport.MMC, doubt)


def _scsi_transport(path: str) -> Transport:
    for mark, transport in (
        ("/usb", Transport.USB),
        ("/session", Transport.SCSI),
        ("/rport-", Transport.SCSI),
        ("/end_device-", Transport.SAS),
        ("/sas_", Transport.SAS),
        ("/ata", Transport.SATA),
        ("/virtio", Transport.VIRTIO),
        ("/vif-", Transport.XEN),
        ("/vbd-", Transport.XEN),
    ):
        if mark in path:
            return transport
    return Transport.SCSI if path else Transport.UNKNOWN


def _scsi(evidence: Evidence) -> Judgement:
    transport = _scsi_transport(evidence.path)
    if "/session" in evidence.path or "/rport-" in evidence.path:
        return Judgement(kinds.NETWORK, transport)
    if _is_virtual(evidence, transport):
        return Judgement(kinds.VIRTUAL, transport)
    if _is_array(evidence):
        return Judgement(kinds.RAID, transport)
    if transport is Transport.USB:
        return _usb(evidence)
    if transport is Transport.UNKNOWN:
        return Judgement(kinds.UNKNOWN, transport, message("doubt-attachment"))
    return _rotating_or_not(evidence, transport)


def _is_virtual(evidence: Evidence, transport: Transport) -> bool:
    if transport in (Transport.VIRTIO, Transport.XEN):
        return True
    # Hyper-V's bus; scsi_debug and the like, which keep their data in memory.
    if "/vmbus" in evidence.path.lower() or "/pseudo_" in evidence.path:
        return True
    return evidence.vendor.startswith(_HYPERVISOR_VENDORS) or bool(_HYPERVISOR_MODELS.search(evidence.model))


def _is_array(evidence: Evidence) -> bool:
    if evidence.host_driver in _RAID_ONLY_DRIVERS:
        return True
    makes_arrays = evidence.host_driver in _RAID_DRIVERS and evidence.vendor
    return bool(makes_arrays and (evidence.vendor.startswith(_RAID_MAKERS) or _RAID_MODELS.search(evidence.model)))


def _rotating_or_not(evidence: Evidence, transport: Transport) -> Judgement:
    if evidence.host_driver == "ufshcd":
        return Judgement(kinds.EMMC, transport, message("doubt-ufs"))
    solid = kinds.SATA_SSD if evidence.is_ata or transport is Transport.SATA else kinds.SAS_SSD
    rotates, doubt = _rotates(evidence)
    return Judgement(kinds.HDD if rotates else solid, transport, doubt)


def _rotates(evidence: Evidence) -> tuple[bool, Message | None]:
    """Return whether it rotates, and any doubt. The disk's own report counts more than the kernel's flag."""
    if evidence.rate_rpm is not None:
        rotates = evidence.rate_rpm > 0
        if rotates != evidence.rotational:
            doubt = message("doubt-rotates", rpm=evidence.rate_rpm) if rotates else message("doubt-does-not-rotate")
            return rotates, doubt
        return rotates, None
    if evidence.rotational and is_named_solid(evidence.model):
        return False, message("doubt-model", model=evidence.model)
    return evidence.rotational, None


def is_named_solid(model: str, transport: Transport = Transport.UNKNOWN) -> bool:
    """Whether a disk's name says that it is an SSD; on NVMe, even a hard disk's name may mention the interface."""
    says_nvme = transport is not Transport.NVME and _NVME_MODEL.search(model)
    return bool(says_nvme or _SSD_MODEL.search(model))


def _usb(evidence: Evidence) -> Judgement:
    if evidence.rate_rpm is None and evidence.removable:
        return Judgement(kinds.USB_FLASH, Transport.USB)
    rotates, doubt = _rotates(evidence)
    if rotates and evidence.rate_rpm is None and evidence.has_write_cache is False:
        return Judgement(kinds.USB_FLASH, Transport.USB, message("doubt-usb-without-cache"))
    if rotates and evidence.rate_rpm is None:
        doubt = message("doubt-usb-bridge")
    return Judgement(kinds.USB_HDD if rotates else kinds.USB_SSD, Transport.USB, doubt)
