# SPDX-License-Identifier: GPL-3.0-or-later
"""What a check-up looks for: each check with its severity and source, and the kernel's rules it compares with.

The sentences of a check ``ID`` are ``check-ID`` (what is set), ``check-ID-why`` and ``check-ID-cost``, that of a rule
``rule-ID``. Where somebody mends it by hand and a command alone does not say how, ``check-ID-do`` does.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from disktuner.vocabulary import kinds
from disktuner.vocabulary.english import TEXTS
from disktuner.vocabulary.goals import GOALS, REMOVABLE
from disktuner.vocabulary.kinds import Kind
from disktuner.vocabulary.tables import check_id, table
from disktuner.vocabulary.tunables import TUNABLES
from disktuner.vocabulary.workloads import WORKLOADS, deciders

_SETTABLE = frozenset({"queue/scheduler", *(tunable.name for tunable in TUNABLES)})
_PLACES = frozenset({"disk", "device", "setting", "expected", "path"})


class Severity(StrEnum):
    """How much a finding matters: worth knowing, slows the disk, endangers data."""

    NOTE = "note"
    CAUTION = "caution"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Rule:
    """How the kernel chooses a value; ``since`` is the first version that does so, empty where all do."""

    id: str
    since: str
    source: str

    def __post_init__(self) -> None:
        check_id(self.id)


@dataclass(frozen=True, slots=True)
class Shown:
    """What shows on a disk whether a finding costs anything there: a goal, and workloads by id, what decides first."""

    goal: str
    workloads: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.goal not in GOALS or not self.workloads or not set(self.workloads) <= WORKLOADS.keys():
            raise ValueError(f"nothing shows this: {self}")
        if self.workloads[0] not in deciders(self.goal, self.workloads).workloads:
            raise ValueError(f"the first workload does not decide the goal: {self}")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that is looked at.

    ``setting`` is the attribute below the disk's folder in sysfs, empty where it is none; ``kinds`` are those of disks
    to which it applies; ``source`` says where it is known from that this is suspicious and costs what is claimed.
    ``shown`` is what to measure where a setting of the queue mends it; what endangers data is mended, not measured.
    ``seen_by`` is the workload that shows, before and after, what mending it by hand changes on this very disk; none
    for what endangers data, and for what the kernel's log or the disk's own word shows.
    ``by_hand`` are the commands that mend it, with places for ``disk``, ``device``, ``setting``, ``expected`` and
    ``path``; ``of_machine`` says that they are about all disks, which is a choice beside what is measured for this one.
    """

    id: str
    severity: Severity
    setting: str
    kinds: tuple[Kind, ...]
    source: str
    shown: Shown | None = None
    by_hand: tuple[str, ...] = ()
    of_machine: bool = False
    seen_by: str = ""

    def __post_init__(self) -> None:
        check_id(self.id)
        if not self.kinds or not self.source:
            raise ValueError(f"not a check: {self}")
        measurable = self.severity is not Severity.BAD
        if (self.shown is None and self.setting in _SETTABLE and measurable) or (self.shown and not measurable):
            raise ValueError(f"what can be set is measured unless it endangers data: {self}")
        if self.seen_by not in ("", *WORKLOADS):
            raise ValueError(f"nothing shows this: {self}")
        places = {name for step in self.by_hand for _, name, _, _ in string.Formatter().parse(step) if name is not None}
        if not places <= _PLACES:
            raise ValueError(f"not a command: {self}")


# fmt: off
RULES: Mapping[str, Rule] = table(
    Rule("read-ahead-default", "", "VM_READAHEAD_PAGES in include/linux/mm.h"),
    Rule("read-ahead-optimal", "5.10", "commit c2e4cd57cfa1; blk_apply_bdi_limits in block/blk-settings.c"),
    Rule("read-ahead-rotational", "6.17", "commit 459779d04ae8; blk_apply_bdi_limits in block/blk-settings.c"),
    Rule("rotational", "", "sd_read_block_characteristics in drivers/scsi/sd.c; SBC-4, page B1h"),
    Rule("requests", "5.0", "blk_mq_default_nr_requests in block/blk-mq.h"),
    Rule("requests-none", "5.0", "blk_mq_init_allocated_queue in block/blk-mq.c"),
    Rule("command-queue", "", "ata_dev_config_ncq in drivers/ata/libata-core.c"),
    Rule("uas", "", "uas_use_uas_driver in drivers/usb/storage/uas-detect.h"),
    Rule("throttling", "4.10", "wbt_default_latency_nsec in block/blk-wbt.c"),
    Rule("merges", "", "Documentation/ABI/stable/sysfs-block, queue/nomerges"),
    Rule("write-cache", "", "sd_read_cache_type in drivers/scsi/sd.c"),
    Rule("write-back", "", "Documentation/admin-guide/sysctl/vm.rst, dirty_ratio; mm/page-writeback.c"),
    Rule("scheduler", "5.0", "elevator_set_default in block/elevator.c"),
    Rule("scheduler-zoned", "4.16", "Documentation/block/deadline-iosched.rst; commit dd291d77cc90 of 6.10"),
    Rule("partition", "", "Documentation/ABI/stable/sysfs-block, alignment_offset"),
    Rule("discard", "", "Documentation/admin-guide/ext4.rst, discard"),
    Rule("pcie-link", "", "PCI Express base specification; drivers/pci/pci-sysfs.c"),
    Rule("sata-link", "", "Documentation/ABI/testing/sysfs-ata; ata_force_link_limits in drivers/ata/libata-core.c"),
    Rule("timeout", "", "SD_TIMEOUT in drivers/scsi/sd.h"),
    Rule("usb-link", "", "USB 3.2 specification; Documentation/ABI/testing/sysfs-bus-usb"),
)
"""The kernel's rules by id."""

_FLASH = (kinds.NVME_SSD, kinds.SATA_SSD, kinds.SAS_SSD, kinds.USB_SSD, kinds.USB_FLASH, kinds.SD_CARD, kinds.EMMC)
_ROTATING = (kinds.HDD, kinds.USB_HDD)
_DRIVES = (*_FLASH, *_ROTATING)
_SINGLE = (*_DRIVES, kinds.VIRTUAL)
_ARRAYS = (*_SINGLE, kinds.RAID, kinds.NETWORK)
_SYSFS = "Documentation/ABI/stable/sysfs-block"
_MMAP = "do_sync_mmap_readahead in mm/filemap.c: a fault reads the whole read-ahead size around it"

_SCATTERED = Shown("desktop", ("launch-office", "dd-read"))
_BESIDE_WRITES = Shown("desktop", ("launch-office", "read-latency-under-writes", "copy-contended"))
_STARVED = Shown("desktop", ("launch-office", "launch-under-reads", "read-latency-under-writes"))
_AT_ONCE = Shown("copying", ("copy-contended", "launch-office"))

_WRITE = ("echo {expected} | sudo tee /sys/block/{disk}/{setting}",)
_LESS_WAITS = ("sudo sysctl vm.dirty_bytes=268435456 vm.dirty_background_bytes=134217728",)  # as Pop!_OS does
_TRIM = ("sudo mount -o remount,nodiscard {path}", "sudo systemctl enable --now fstrim.timer")

CHECKS: Mapping[str, Check] = table(
    Check("read-ahead-huge", Severity.CAUTION, "queue/read_ahead_kb", (*_SINGLE, kinds.DEVICE_MAPPER), _MMAP,
          _SCATTERED, _WRITE),
    Check("read-ahead-off", Severity.CAUTION, "queue/read_ahead_kb", (*_ARRAYS, kinds.DEVICE_MAPPER), _SYSFS,
          Shown("copying", ("dd-read",)), _WRITE),
    Check("flash-said-to-rotate", Severity.CAUTION, "queue/rotational",
          (kinds.NVME_SSD, kinds.SATA_SSD, kinds.SAS_SSD, kinds.USB_SSD, kinds.SD_CARD, kinds.EMMC, *_ROTATING,
           kinds.VIRTUAL), "blk_apply_bdi_limits in block/blk-settings.c; block/blk-wbt.c; block/bfq-iosched.c",
          _SCATTERED, _WRITE, seen_by="launch-office"),
    Check("rotation-not-told", Severity.NOTE, "queue/rotational", (*_ROTATING, kinds.VIRTUAL),
          "block/blk-wbt.c; block/bfq-iosched.c", by_hand=_WRITE, seen_by="launch-office"),
    Check("few-requests", Severity.CAUTION, "queue/nr_requests", _SINGLE, _SYSFS, _AT_ONCE, _WRITE),
    Check("many-requests", Severity.NOTE, "queue/nr_requests", _SINGLE, _SYSFS, _BESIDE_WRITES, _WRITE),
    Check("no-command-queue", Severity.CAUTION, "device/queue_depth", (kinds.HDD, kinds.SATA_SSD),
          "Serial ATA 3.x, native command queuing; drivers/ata/libata-sata.c", _SCATTERED, _WRITE,
          seen_by="sysbench-rndrd"),
    Check("command-queue-limited", Severity.NOTE, "device/queue_depth", (kinds.HDD, kinds.SATA_SSD, kinds.SAS_SSD),
          "issues 10253 and 15270 of OpenZFS; sdev_store_queue_depth in drivers/scsi/scsi_sysfs.c", _STARVED),
    Check("uas-off", Severity.NOTE, "", (kinds.USB_SSD, kinds.USB_HDD),
          "Documentation/admin-guide/kernel-parameters.txt, usb-storage.quirks; USB Attached SCSI",
          seen_by="sysbench-rndrd"),
    Check("throttling-off", Severity.NOTE, "queue/wbt_lat_usec", _SINGLE, "block/blk-wbt.c", _BESIDE_WRITES, _WRITE),
    Check("throttling-odd", Severity.NOTE, "queue/wbt_lat_usec", _SINGLE, "block/blk-wbt.c", _BESIDE_WRITES, _WRITE),
    Check("merges-off", Severity.CAUTION, "queue/nomerges", _SINGLE, _SYSFS,
          Shown("desktop", ("unpack", "dd-write")), _WRITE),
    Check("write-cache-off", Severity.CAUTION, "queue/write_cache", (kinds.HDD, kinds.SATA_SSD),
          "ATA/ATAPI command set, SET FEATURES 02h; hdparm(8), -W", by_hand=("sudo hdparm -W 1 {device}",),
          seen_by="commit-log"),
    Check("write-cache-denied", Severity.BAD, "queue/write_cache", _SINGLE,
          "Documentation/block/writeback_cache_control.rst", by_hand=_WRITE),
    Check("write-cache-claimed", Severity.NOTE, "queue/write_cache", _SINGLE,
          "Documentation/block/writeback_cache_control.rst; commit 43c9835b144c of 6.6 forbids it", by_hand=_WRITE,
          seen_by="commit-log"),
    Check("set-back", Severity.CAUTION, "", (*_ARRAYS, kinds.DEVICE_MAPPER),
          "udev(7): rules go by the names of their files; TuneD, TLP and start scripts act after all rules"),
    Check("much-unwritten", Severity.NOTE, "bdi/max_bytes", kinds.REMOVABLE,
          "Documentation/admin-guide/sysctl/vm.rst; Documentation/ABI/testing/sysfs-class-bdi",
          Shown(REMOVABLE.id, ("copy-then-unplug",)), _LESS_WAITS, of_machine=True),
    Check("weight-ignored", Severity.NOTE, "", _ARRAYS, "Documentation/admin-guide/cgroup-v2.rst, IO; "
          "Documentation/block/bfq-iosched.rst; systemd.resource-control(5), IOWeight=", _BESIDE_WRITES),
    Check("no-scheduler", Severity.CAUTION, "queue/scheduler", _ROTATING, "elevator_set_default in block/elevator.c",
          _BESIDE_WRITES, _WRITE),
    Check("partition-misaligned", Severity.CAUTION, "alignment_offset", _SINGLE, f"{_SYSFS}, alignment_offset",
          seen_by="sysbench-rndwr"),
    Check("zoned-unordered", Severity.BAD, "queue/scheduler", _SINGLE, "Documentation/block/deadline-iosched.rst",
          by_hand=_WRITE),
    Check("discard-at-once", Severity.NOTE, "", (kinds.SATA_SSD, kinds.USB_SSD, kinds.SD_CARD, kinds.EMMC),
          "fstrim(8); mount(8), discard of ext4", by_hand=_TRIM, seen_by="small-files"),
    Check("pcie-link-slow", Severity.CAUTION, "", (kinds.NVME_SSD,), "drivers/pci/pci-sysfs.c", seen_by="dd-read"),
    Check("sata-link-slow", Severity.CAUTION, "", (kinds.HDD, kinds.SATA_SSD), "Documentation/ABI/testing/sysfs-ata",
          seen_by="dd-read"),
    Check("usb-link-slow", Severity.CAUTION, "", (kinds.USB_SSD, kinds.USB_HDD, kinds.USB_FLASH, kinds.VIRTUAL),
          "USB 3.2 specification", seen_by="dd-read"),
    Check("card-queue-stuck", Severity.CAUTION, "", (kinds.SD_CARD, kinds.EMMC),
          "mmc_blk_cqe_recovery in drivers/mmc/core/block.c; raspberrypi/linux, overlays/README: sd_cqe"),
    Check("card-queue-unused", Severity.NOTE, "", (kinds.SD_CARD,),
          "SD physical layer specification 6.0, application performance class; drivers/mmc/core/queue.c",
          seen_by="sysbench-rndrd"),
    Check("uas-resets", Severity.CAUTION, "", (kinds.USB_SSD, kinds.USB_HDD, kinds.USB_FLASH),
          "drivers/usb/storage/uas.c; Documentation/admin-guide/kernel-parameters.txt, usb-storage.quirks"),
    Check("retries-outlast-timeout", Severity.CAUTION, "device/timeout", (kinds.HDD,),
          "raid.wiki.kernel.org, Timeout Mismatch; ACS-4, SCT error recovery control", by_hand=_WRITE),
    Check("media-errors", Severity.CAUTION, "", _DRIVES, "udisks: Drive.Ata, SmartNumBadSectors"),
    Check("disk-failing", Severity.BAD, "", _DRIVES,
          "udisks: Drive.Ata, SmartFailing; NVMe.Controller, SmartCriticalWarning"),
    Check("worn-out", Severity.CAUTION, "device/life_time", (kinds.EMMC,),
          "JEDEC eMMC 5.1, DEVICE_LIFE_TIME_EST; commit 46bc5c408e4e of 4.11", seen_by="dd-write"),
)
"""All checks by id, in the order in which they are told."""
# fmt: on

_said = {f"check-{check}{part}" for check in CHECKS for part in ("", "-why", "-cost")} | {
    f"rule-{rule}" for rule in RULES
}
if missing := _said - TEXTS.keys():
    raise ValueError(f"checks without a sentence: {sorted(missing)}")
