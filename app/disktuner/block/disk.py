# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk as the kernel describes it: the value that every other floor speaks of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from disktuner.block.schedulers import compiled_out

_IDENTITY = ("wwn", "serial", "vendor", "model", "size_bytes")


class Kind(StrEnum):
    """What a disk is, as far as it matters for ordering its work."""

    NVME_SSD = "nvme-ssd"
    SATA_SSD = "sata-ssd"
    SAS_SSD = "sas-ssd"
    HDD = "hdd"
    USB_FLASH = "usb-flash"
    USB_SSD = "usb-ssd"
    USB_HDD = "usb-hdd"
    SD_CARD = "sd-card"
    EMMC = "emmc"
    VIRTUAL = "virtual"
    LOOP = "loop"
    DEVICE_MAPPER = "device-mapper"
    RAID = "raid"
    ZRAM = "zram"
    NETWORK = "network"
    OPTICAL = "optical"
    UNKNOWN = "unknown"


class Transport(StrEnum):
    """How a disk is attached."""

    NVME = "nvme"
    SATA = "sata"
    SAS = "sas"
    SCSI = "scsi"
    USB = "usb"
    MMC = "mmc"
    VIRTIO = "virtio"
    XEN = "xen"
    LOOP = "loop"
    NONE = "none"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Mount:
    """A mounted file system whose data lies, wholly or partly, on a disk.

    ``via`` are the block devices between the file system and the disk, top first (``("dm-0", "sda2")``).
    """

    path: str
    fstype: str
    source: str
    via: tuple[str, ...]
    size_bytes: int
    free_bytes: int
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PersistentChoice:
    """What Disktuner's own rule sets for a disk at every start.

    ``by_port``: it knows the disk only by the port that it is plugged into, so whatever is there gets the same.
    """

    scheduler: str
    tunables: Mapping[str, str | int]
    by_port: bool = False


@dataclass(frozen=True, slots=True)
class UntilRestart:
    """What was set with Disktuner until the next restart; ``since`` is UTC, ISO 8601."""

    scheduler: str
    since: str


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A starting point before anything was measured: never a finding."""

    scheduler: str
    why: str


@dataclass(frozen=True, slots=True)
class Disk:
    """One block device with a queue of its own (a whole disk, never a partition).

    ``devno`` is empty for the hidden paths of an NVMe disk, which have no device node.
    ``scheduler`` is None where the kernel has none to choose; ``schedulers`` are those the kernel offers now,
    ``loadable`` those whose module it would load first. ``why_not`` says in one sentence why a disk is not
    ``tunable``. ``kind_doubt`` says why ``kind_certain`` is false. Tunables are named ``queue/NAME`` and
    ``iosched/NAME`` and hold integers as the kernel prints them, or its text where it is no integer. ``below``
    are the disks that a stacked device (device-mapper, md, NVMe multipath) passes its requests on to; ``alias``
    is what else it is called: a device-mapper name, or the file behind a loop disk.
    """

    name: str
    devno: str
    diskseq: int
    model: str
    vendor: str
    serial: str
    wwn: str
    size_bytes: int
    kind: Kind
    transport: Transport
    rotational: bool
    kind_certain: bool
    removable: bool
    zoned: str
    scheduler: str | None
    schedulers: tuple[str, ...]
    loadable: tuple[str, ...]
    tunable: bool
    why_not: str | None
    tunables: Mapping[str, int | str] = field(default_factory=dict)
    mounts: tuple[Mount, ...] = ()
    persistent: PersistentChoice | None = None
    suggestion: Suggestion | None = None
    kind_doubt: str | None = None
    below: tuple[str, ...] = ()
    alias: str = ""
    until_restart: UntilRestart | None = None

    @property
    def title(self) -> str:
        """The name a person knows it by: vendor and model, else its kind, always with the kernel's name."""
        known = " ".join(part for part in (self.vendor, self.model) if part)
        return f"{known or self.kind.value} ({self.name})"

    def is_same_as(self, other: Disk) -> bool:
        """Whether both describe one device: a name may have gone to another one meanwhile.

        The kernel counts what is attached (``diskseq``, since Linux 5.15); a disk that was pulled out and plugged in
        again has another number, and is known by its WWN or serial number.
        """
        if self.diskseq and self.diskseq == other.diskseq:
            return True
        known = bool(self.wwn or self.serial) or not (self.diskseq or other.diskseq)
        return known and all(getattr(self, each) == getattr(other, each) for each in _IDENTITY)

    @property
    def compiled_out(self) -> tuple[str, ...]:
        """The kernel's own schedulers that this kernel cannot give the disk: neither built in nor a module."""
        return () if self.scheduler is None else compiled_out(self.schedulers, self.loadable)
