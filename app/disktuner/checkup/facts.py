# SPDX-License-Identifier: GPL-3.0-or-later
"""What a check-up reads about a disk beyond what ``list`` shows, without any rights."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum

from disktuner.block.counters import SECTOR_BYTES
from disktuner.block.disk import Disk, Transport
from disktuner.block.kernel_log import card_recoveries, uas_resets
from disktuner.block.kind import host_driver, rotation_rate
from disktuner.block.links import Links, has_error_control, links_of
from disktuner.block.machine import kernel_version
from disktuner.block.sysfs import Folder, Tree, as_number, lines_of
from disktuner.block.udev import udev_properties
from disktuner.block.writers import Writer
from disktuner.checkup.health import Health
from disktuner.checkup.write_back import WriteBack, read_write_back
from disktuner.vocabulary import kinds

_TEST_DISK = re.compile(r"/pseudo_\d+/|/nullb\d+$")
_UNITS = tuple(
    f"{place}/systemd/{kind}" for place in ("etc", "run") for kind in ("system.control", "system", "transient")
)
_WEIGHT = re.compile(r"(?:Startup)?IOWeight\s*=\s*(\d{1,5})")
_NOT_CHECKED = frozenset(kind.id for kind in (kinds.LOOP, kinds.ZRAM, kinds.OPTICAL, kinds.UNKNOWN))


class Cache(StrEnum):
    """How a disk writes: into its cache first, or through to the medium."""

    BACK = "write back"
    THROUGH = "write through"


_CACHES = {
    "write back": Cache.BACK,
    "write back, no read (daft)": Cache.BACK,
    "write through": Cache.THROUGH,
    "none": Cache.THROUGH,
}
"""By what the kernel prints in queue/write_cache, and sd_cache_types in drivers/scsi/sd.c."""


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition; ``offset_bytes`` is how far before the edge of a physical block it begins; 0 if aligned."""

    name: str
    size_bytes: int
    offset_bytes: int


@dataclass(frozen=True, slots=True)
class Weight:
    """A unit's line that gives it a share of the disks (systemd.resource-control(5)); ``place`` is FILE:LINE."""

    value: int
    place: str


@dataclass(frozen=True, slots=True)
class Kernel:
    """The running kernel; ``version`` decides which rules it has, ``iocost`` is its configuration for sharing disks.

    ``weight`` is the first share of the disks that somebody gave a unit; None without one.
    """

    version: tuple[int, int]
    command_line: str
    iocost: str = ""
    weight: Weight | None = None

    @property
    def short(self) -> str:
        """``6.17``."""
        return f"{self.version[0]}.{self.version[1]}"


@dataclass(frozen=True, slots=True)
class Facts:
    """A disk and all facts that the checks use.

    ``base`` is the disk that does the work: the one below in a stack, else the disk itself. ``hardware_queues`` and
    ``tags`` (the depth of one) are 0 if the kernel does not show them; ``queue_depth`` is the disk's own.
    ``write_cache`` is what the kernel assumes, ``cache_type`` what the SCSI disk reports. ``ata_cache`` says whether
    udev knows of a write cache (None: unknown), ``ata_cache_on`` whether it is on. ``life_used`` is a share of 1.
    ``controller`` is the SCSI host's driver. ``set_back_by`` is the line that overrides a permanent choice made with
    Disktuner, if any; ``depth_set_by`` the line that set ``queue_depth``, if any. ``write_back`` is None if the kernel
    does not say how much may wait. ``card_recoveries`` and ``uas_resets`` are counted in the kernel log, 0 if it cannot
    be read. ``card_class`` is an SD card's application performance class. The kernel gives up a command after
    ``timeout_s``; ``gives_up_in_time`` says whether the disk can be told to give up earlier (error recovery control),
    None if unknown. ``is_in_array``: other disks hold the same data.
    """

    disk: Disk
    base: Disk
    kernel: Kernel
    path: str
    rate_rpm: int | None = None
    optimal_io_bytes: int = 0
    max_sectors_kb: int = 0
    logical_block: int = 512
    physical_block: int = 512
    hardware_queues: int = 0
    tags: int = 0
    queue_depth: int = 0
    controller: str = ""
    write_cache: Cache | None = None
    cache_type: Cache | None = None
    ata_cache: bool | None = None
    ata_cache_on: bool | None = None
    partitions: tuple[Partition, ...] = ()
    links: Links = field(default_factory=Links)
    life_used: float = 0.0
    health: Health = field(default_factory=Health)
    set_back_by: Writer | None = None
    depth_set_by: Writer | None = None
    write_back: WriteBack | None = None
    card_recoveries: int = 0
    card_class: int = 0
    uas_resets: int = 0
    timeout_s: int = 0
    gives_up_in_time: bool | None = None
    is_in_array: bool = False

    def tunable(self, name: str) -> int | None:
        """Return a tunable's value; None if the disk lacks it, or if it is not a number."""
        value = self.disk.tunables.get(name)
        return value if isinstance(value, int) else None


def is_checked(disk: Disk, path: str) -> bool:
    """Whether a disk is checked: those that people keep data on.

    Of stacks, only those over a single disk, whose read-ahead their file system uses; an array's suits its stripes. The
    kernel's test disks, which are in memory, are left out.
    """
    return (
        disk.kind.id not in _NOT_CHECKED
        and disk.size_bytes > 0
        and (disk.kind is not kinds.DEVICE_MAPPER or len(disk.below) == 1)
        and not _TEST_DISK.search(path)
    )


def read_kernel(tree: Tree) -> Kernel:
    """Return what is known about the kernel; an unreadable version counts as 0.0, without newer rules."""
    version = kernel_version(tree.text("proc/sys/kernel/osrelease"))
    iocost = tree.text("sys/fs/cgroup/io.cost.qos") or ""
    return Kernel(version, tree.text("proc/cmdline") or "", iocost, next(_weights(tree), None))


def _weights(tree: Tree) -> Iterator[Weight]:
    """Yield the weights other than the default 100 that were set on this machine, not by packages."""
    for folder in _UNITS:
        for name in tree.names(folder):
            drop_ins = (
                [f"{name}/{drop_in}" for drop_in in tree.names(f"{folder}/{name}")] if name.endswith(".d") else [name]
            )
            for path in drop_ins:
                for number, line in lines_of(tree, f"{folder}/{path}"):
                    match = _WEIGHT.fullmatch(line)
                    if match and match[1] != "100":
                        yield Weight(int(match[1]), f"/{folder}/{path}:{number}")


def read_facts(
    tree: Tree, disk: Disk, base: Disk, path: str, kernel: Kernel, *, log: Callable[[], str] = str
) -> Facts | None:
    """Return the facts of a disk; None if it is gone. ``path`` is the link in ``/sys/block``.

    ``log`` returns the kernel log, and is only called for disks that need it.
    """
    folder = tree.folder(f"sys/block/{disk.name}")
    if folder is None:
        return None
    with folder:
        facts = Facts(
            disk=disk,
            base=base,
            kernel=kernel,
            path=path,
            optimal_io_bytes=folder.number("queue/optimal_io_size"),
            max_sectors_kb=folder.number("queue/max_sectors_kb"),
        )
        return facts if disk.kind is kinds.DEVICE_MAPPER else _with_hardware(tree, folder, facts, log)


def _with_hardware(tree: Tree, folder: Folder, facts: Facts, log: Callable[[], str]) -> Facts:
    disk, path = facts.disk, _path_of_hardware(tree, facts)
    udev = udev_properties(tree, disk.devno)
    scsi = disk.name.startswith("sd")
    physical = folder.number("queue/physical_block_size", 512)
    logical = folder.number("queue/logical_block_size", 512)
    return replace(
        facts,
        rate_rpm=rotation_rate(udev, folder.octets("device/vpd_pgb1") if scsi else b""),
        logical_block=logical,
        physical_block=physical,
        hardware_queues=len(folder.names("mq")),
        tags=folder.number("mq/0/nr_tags"),
        queue_depth=folder.number("device/queue_depth") if scsi else 0,
        controller=host_driver(tree, path) if scsi else "",
        write_cache=_CACHES.get(folder.text("queue/write_cache") or ""),
        cache_type=_cache_type(folder) if scsi else None,
        ata_cache=_flag(udev.get("ID_ATA_WRITE_CACHE")),
        ata_cache_on=_flag(udev.get("ID_ATA_WRITE_CACHE_ENABLED")),
        partitions=tuple(_partitions(folder, disk.name, physical)) if physical > logical else (),
        links=links_of(tree, path, disk.transport),
        write_back=read_write_back(tree, disk) if disk.kind in kinds.REMOVABLE else None,
        life_used=_life_used(folder) if disk.name.startswith("mmcblk") else 0.0,
        card_recoveries=card_recoveries(log(), path) if disk.name.startswith("mmcblk") else 0,
        card_class=_card_class(folder) if disk.name.startswith("mmcblk") else 0,
        uas_resets=uas_resets(log(), path) if disk.transport is Transport.USB else 0,
        timeout_s=folder.number("device/timeout") if scsi else 0,
        gives_up_in_time=has_error_control(tree, path) if scsi else None,
        is_in_array=_is_in_array(folder, disk),
    )


def _card_class(folder: Folder) -> int:
    """APP_PERF_CLASS, bits 335 to 328 of the SD status (SD physical layer specification): 1 is A1, 2 is A2."""
    status = folder.text("device/ssr") or ""
    return int(status[44:46], 16) if re.fullmatch(r"[0-9a-f]{128}", status) else 0


def _is_in_array(folder: Folder, disk: Disk) -> bool:
    """Whether a disk or one of its partitions belongs to an md array or a ZFS pool."""
    places = ["holders", *(f"{name}/holders" for name in folder.names(".") if name.startswith(disk.name))]
    holders = (name for place in places for name in folder.names(place))
    return any(name.startswith("md") for name in holders) or any(mount.fstype == "zfs" for mount in disk.mounts)


def _path_of_hardware(tree: Tree, facts: Facts) -> str:
    """Return where the hardware is attached; the first path of an NVMe disk with several."""
    if facts.base is facts.disk:
        return facts.path
    return tree.link(f"sys/block/{facts.base.name}") or ""


def _flag(text: str | None) -> bool | None:
    return None if text is None else text == "1"


def _cache_type(folder: Folder) -> Cache | None:
    names = folder.names("device/scsi_disk")
    return _CACHES.get(folder.text(f"device/scsi_disk/{names[0]}/cache_type") or "") if names else None


def _partitions(folder: Folder, disk: str, physical: int) -> Iterator[Partition]:
    """Yield all partitions of a disk with larger physical than logical blocks.

    ``alignment_offset`` is relative to the smallest sensible request, which may be several physical blocks
    (bdev_alignment_offset in include/linux/blkdev.h).
    """
    for name in folder.names("."):
        if name.startswith(disk) and folder.has(f"{name}/partition"):
            size = folder.number(f"{name}/size") * SECTOR_BYTES
            yield Partition(name, size, max(folder.number(f"{name}/alignment_offset"), 0) % physical)


def _life_used(folder: Folder) -> float:
    """Return the larger of both estimates, which are in tenths; 0x0b is "exceeded" (JEDEC eMMC 5.1)."""
    words = (folder.text("device/life_time") or "").split()
    known = [as_number(str(int(word, 16))) for word in words if re.fullmatch(r"0x[0-9a-f]{2}", word)]
    return min(max((value for value in known if value <= 0x0B), default=0) / 10, 1.0)
