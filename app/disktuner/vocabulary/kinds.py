# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of disks: name, icon, properties, and what to try first before anything was measured.

A kind is declared here and recognised by ``block/kind.py``; everything else follows from these two.
"""

from __future__ import annotations

from dataclasses import dataclass

from disktuner.vocabulary.goals import GOALS
from disktuner.vocabulary.schedulers import SCHEDULERS
from disktuner.vocabulary.tables import check_id, table

# Bytes per second in one direction, of the fastest device or bus there is.
_SATA = 600e6  # Serial ATA 3.x: 6 Gb/s with 8b/10b coding; the fastest hard disks reach 554 MB/s (Seagate Exos 2X18)
_SAS = 4.8e9  # SAS-4: 22.5 Gb/s with 128b/150b coding, two ports
_USB = 10e9  # USB4 version 2: 80 Gb/s
_EMMC = 400e6  # JEDEC eMMC 5.1: HS400
_SD = 624e6  # SD 6.0: UHS-III (SD Express cards are NVMe disks)
_NVME = 32e9  # PCI Express 6.0: 64 GT/s, four lanes

_BFQ_DOC = "the kernel's documentation of bfq"
_KERNEL_DEFAULT = "the kernel's default for such disks"
_GUIDES = "the tuning guides of Red Hat and SUSE"


@dataclass(frozen=True, slots=True)
class StartingPoint:
    """A scheduler to try first for some goals (by id; none: all), never a finding. ``reason`` is a sentence."""

    scheduler: str
    reason: str
    source: str
    goals: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.scheduler not in SCHEDULERS or not self.reason.endswith(".") or not set(self.goals) <= set(GOALS):
            raise ValueError(f"not a starting point: {self}")


@dataclass(frozen=True, slots=True)
class Kind:
    """What a disk is, as far as it matters for ordering its requests.

    ``id`` is its name in JSON and on the terminal, ``name`` that for people, ``icon`` a file of resources/icons without
    its suffix, ``known_by`` how block/kind.py recognises it (for docs/disks.md). ``ceiling_bytes_per_s`` is the most
    that such a disk can move in one direction, None if unknown. ``wears``: writing wears it out; ``rotates`` is None if
    it may or may not; ``is_remote``: another kernel also orders and caches its requests. ``starting_points`` are in
    order of preference.
    """

    id: str
    name: str
    icon: str = "disk"
    known_by: str = ""
    ceiling_bytes_per_s: float | None = None
    wears: bool = True
    rotates: bool | None = None
    is_remote: bool = False
    starting_points: tuple[StartingPoint, ...] = ()

    def __post_init__(self) -> None:
        check_id(self.id)
        check_id(self.icon)

    def starting_points_for(self, goal: str) -> tuple[StartingPoint, ...]:
        """Return what to try first for a goal, best first."""
        return tuple(candidate for candidate in self.starting_points if not candidate.goals or goal in candidate.goals)


_ROTATION = (
    "the disk's own rotation rate (ATA: udev, SCSI: page B1h), else the kernel's `rotational` (of NVMe since 6.13)"
)
_BUS = (
    "the bus; *removable* means a stick. Many bridges claim that a disk rotates: then it is uncertain, and flash if it "
    "has no write cache"
)

_NVME_NONE = StartingPoint(
    "none",
    "A fast NVMe disk orders requests itself, and a scheduler can cost up to 63 % of its throughput. Try kyber or bfq "
    "only if programs stutter while the disk is busy.",
    "measurements at ICPE 2024",
)
_HDD_BFQ = StartingPoint(
    "bfq",
    "On a hard disk, bfq lets programs start quickly during writes, but costs some throughput.",
    _BFQ_DOC,
)
_HDD_BFQ_INTERACTIVE = StartingPoint("bfq", _HDD_BFQ.reason, _BFQ_DOC, ("desktop", "media"))
_HDD_DEADLINE = StartingPoint(
    "mq-deadline",
    "A hard disk gains from sorted requests, and mq-deadline keeps database latency low.",
    _KERNEL_DEFAULT,
)
HDD_ON_NVME = StartingPoint(
    "mq-deadline",
    "A hard disk also gains from sorted requests behind NVMe, where the kernel starts without a scheduler.",
    "elevator_set_default in the kernel's block/elevator.c",
)
"""The first choice on a rotating namespace."""

_SSD_BFQ = StartingPoint(
    "bfq", "On an SSD of moderate speed, bfq keeps programs responsive while files are copied.", _BFQ_DOC
)
_SSD_BFQ_INTERACTIVE = StartingPoint("bfq", _SSD_BFQ.reason, _BFQ_DOC, ("desktop", "media"))
_SSD_DEADLINE = StartingPoint(
    "mq-deadline", "An SSD has no seeks to save; mq-deadline costs little and prefers reads.", _KERNEL_DEFAULT
)
_FLASH_BFQ = StartingPoint(
    "bfq", "Slow flash stalls for a long time while it writes; bfq holds writers back in favour of readers.", _BFQ_DOC
)
_FLASH = (_FLASH_BFQ, _SSD_DEADLINE)
_VIRTUAL_NONE = StartingPoint(
    "none", "The host already orders the requests of a virtual disk; ordering them twice seldom helps.", _GUIDES
)
_REMOTE_NONE = StartingPoint(
    "none",
    "The remote storage already orders the requests of all its users; ordering them twice seldom helps.",
    _GUIDES,
)
_ARRAY_DEADLINE = StartingPoint(
    "mq-deadline",
    "The controller orders the requests of its disks itself; a light scheduler is enough.",
    _KERNEL_DEFAULT,
)
_LOOP_NONE = StartingPoint(
    "none", "The disk below already orders the requests; ordering them twice seldom helps.", _KERNEL_DEFAULT
)

# fmt: off
NVME_SSD = Kind("nvme-ssd", "NVMe SSD", "nvme", "`device/transport` is `pcie`; of a multipath disk, that of its first "
                "path", _NVME, rotates=False, starting_points=(_NVME_NONE,))
SATA_SSD = Kind("sata-ssd", "SATA SSD", "ssd", _ROTATION, _SATA, rotates=False,
                starting_points=(_SSD_BFQ_INTERACTIVE, _SSD_DEADLINE))
SAS_SSD = Kind("sas-ssd", "SAS SSD", "ssd", _ROTATION, _SAS, rotates=False, starting_points=(_SSD_DEADLINE,))
HDD = Kind("hdd", "Hard disk", "hdd", _ROTATION, _SATA, wears=False, rotates=True,
           starting_points=(_HDD_BFQ_INTERACTIVE, _HDD_DEADLINE))
USB_FLASH = Kind("usb-flash", "USB stick", "usb", _BUS, _USB, rotates=False, starting_points=_FLASH)
USB_SSD = Kind("usb-ssd", "USB SSD", "ssd", _BUS, _USB, rotates=False, starting_points=(_SSD_BFQ, _SSD_DEADLINE))
USB_HDD = Kind("usb-hdd", "USB hard disk", "hdd", _BUS, _SATA, wears=False, rotates=True,
               starting_points=(_HDD_BFQ, _HDD_DEADLINE))
SD_CARD = Kind("sd-card", "Memory card", "card", "the card's type", _SD, rotates=False, starting_points=_FLASH)
EMMC = Kind("emmc", "Built-in flash (eMMC)", "chip", "the card's type; UFS chips count as eMMC, uncertain", _EMMC,
            rotates=False, starting_points=_FLASH)
VIRTUAL = Kind("virtual", "Virtual disk", "virtual", "virtio, Xen, Hyper-V and the names that hypervisors give their "
               "disks; null_blk, scsi_debug", _NVME, wears=False, is_remote=True,
               starting_points=(_VIRTUAL_NONE,))
LOOP = Kind("loop", "Loop device", "loop", "its name", wears=False, starting_points=(_LOOP_NONE,))
DEVICE_MAPPER = Kind("device-mapper", "Mapped device", "layers", "its name", starting_points=(_LOOP_NONE,))
RAID = Kind("raid", "RAID", "layers", "md and hardware RAID (whatever its name where the driver only makes arrays); "
            "bcache and ZFS volumes are closest to it, uncertain",
            starting_points=(_ARRAY_DEADLINE,))
ZRAM = Kind("zram", "Compressed memory", "chip", "its name", rotates=False)
NETWORK = Kind("network", "Network disk", "network", "nbd, rbd, drbd, iSCSI, Fibre Channel, NVMe over TCP, RDMA or FC",
               wears=False, is_remote=True, starting_points=(_REMOTE_NONE,))
OPTICAL = Kind("optical", "Optical drive", "optical", "its name")
UNKNOWN = Kind("unknown", "Disk", "disk", "everything else")

# fmt: on

REMOVABLE = (USB_FLASH, SD_CARD, USB_HDD)
"""Removable kinds, slow enough for much to wait in memory for them."""

KINDS: dict[str, Kind] = table(
    NVME_SSD, SATA_SSD, SAS_SSD, HDD, USB_FLASH, USB_SSD, USB_HDD, SD_CARD, EMMC, VIRTUAL, LOOP, DEVICE_MAPPER, RAID,
    ZRAM, NETWORK, OPTICAL, UNKNOWN,
)  # fmt: skip
"""Every kind by its id."""
