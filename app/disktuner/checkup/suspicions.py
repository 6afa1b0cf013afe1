# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks: pure functions from facts to suspicions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from disktuner.block.disk import Disk, Transport
from disktuner.block.kind import is_named_solid
from disktuner.block.queue import FEW_REQUESTS, ZONED_FREE_SINCE
from disktuner.checkup.facts import Cache, Facts
from disktuner.vocabulary import kinds
from disktuner.vocabulary.checks import CHECKS
from disktuner.vocabulary.kinds import KINDS
from disktuner.vocabulary.messages import Message, Value, message
from disktuner.vocabulary.schedulers import SCHEDULERS, Scheduler, scheduler
from disktuner.vocabulary.tunables import BYTE_LIMIT, NCQ_DEPTH, QUEUE_DEPTH, WRITE_LIMIT

USUAL_KIB = 128
FAR_KIB = 4096
"""The read-ahead that is "far above" for anything that does not rotate: scattered reads cost 32 times as much."""

FAR_ROTATING_KIB = 8192
"""The same for a hard disk, beyond the most that Linux itself sets (twice max_sectors_kb, 4096 since 6.17)."""

_ROUNDED_KIB = 127
"""A rounding error: the kernel rounds the optimal I/O size down to blocks, and read-ahead to pages of up to 64 KiB."""

_OPTIMAL_SINCE, _ROTATIONAL_SINCE = (5, 10), (6, 17)
_ROTATING_US, _SOLID_US = 75_000, 2_000
"""The default targets of writeback throttling (block/blk-wbt.c)."""
_ODD_FACTOR = 10
_MANY_REQUESTS = 1024
_FEW_REQUESTS = 16
_NCQ_OF_OLD_KERNELS = 31  # before Linux 4.19
_SMALLEST_PARTITION = 64 * 1024**2  # a boot loader's partition is hardly ever written
_DISCARDING = ("ext4", "xfs", "jfs", "btrfs", "vfat", "exfat")
_HARD_DISK_GBPS = 3.0  # the fastest single-actuator hard disks move 300 MB/s: what 3 Gb/s carry
_UAS_QUIRK = re.compile(r"(?:^|[\s,=])([0-9a-f]{4}):([0-9a-f]{4}):[a-z]*u[a-z]*", re.IGNORECASE)
_KEPT_RATES = {kinds.USB_FLASH: 10e6, kinds.SD_CARD: 10e6, kinds.USB_HDD: 100e6}
"""The sustained speed of a stick or a card of speed class 10 (SD Association), and of a hard disk, in bytes/s."""
_LONG_S = 10.0
_WITH_QUEUE = 2  # the application performance class that demands a command queue: A2
_PATIENT_S = 180  # as Linux RAID's wiki advises for disks that retry for up to two minutes
_WORN = 1.0  # the last tenth of the estimate, or beyond it


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Something that a check found.

    ``expected`` is the sensible value, if any. ``rule`` is the id of the kernel's rule, and ``kernel`` its value for
    this disk. ``values`` are those of the check's sentences. ``by`` says who did it, if the facts show that; otherwise
    the writers of the attribute are searched. ``proposed`` are the tunables, and ``scheduler`` the scheduler, to
    measure against. ``setting`` is the attribute if it differs from disk to disk.
    """

    check: str
    value: int | str
    expected: int | str | None = None
    rule: str | None = None
    kernel: int | str | None = None
    values: Mapping[str, Value] = field(default_factory=dict)
    by: Message | None = None
    proposed: Mapping[str, int] = field(default_factory=dict)
    scheduler: str | None = None
    setting: str = ""


Suspicions = Iterator[Suspicion]


def kernel_read_ahead(facts: Facts) -> tuple[int, str]:
    """Return the read-ahead in KiB that this kernel gives such a disk, and its rule.

    Source: ``blk_apply_bdi_limits`` in block/blk-settings.c: the larger of 128 KiB and twice the optimal I/O size, for
    which the largest request is substituted if a rotating disk reports none.
    """
    optimal = 2 * facts.optimal_io_bytes // 1024
    if optimal > USUAL_KIB and facts.kernel.version >= _OPTIMAL_SINCE:
        return optimal, "read-ahead-optimal"
    largest = 2 * facts.max_sectors_kb
    rotating = facts.disk.rotational and not facts.optimal_io_bytes
    if rotating and largest > USUAL_KIB and facts.kernel.version >= _ROTATIONAL_SINCE:
        return largest, "read-ahead-rotational"
    return USUAL_KIB, "read-ahead-default"


def _sensible_read_ahead(facts: Facts) -> int:
    """Return what to measure a huge or absent read-ahead against: the kernel's choice, unless that is huge itself."""
    chosen, _ = kernel_read_ahead(facts)
    return chosen if chosen <= _far(facts) else USUAL_KIB


def _far(facts: Facts) -> int:
    """Return the largest unsuspicious read-ahead in KiB."""
    return FAR_ROTATING_KIB if _rotates(facts) else FAR_KIB - 1


def _rotates(facts: Facts) -> bool:
    return facts.base.kind in (kinds.HDD, kinds.USB_HDD) and not _is_named_solid(facts.base)


def _is_named_solid(disk: Disk) -> bool:
    return is_named_solid(disk.model, disk.transport)


def _read_ahead_huge(facts: Facts) -> Suspicions:
    value = facts.tunable("queue/read_ahead_kb")
    if value is None or value <= _far(facts):
        return
    kernel, rule = kernel_read_ahead(facts)
    yield _read_ahead("read-ahead-huge", facts, value, rule, kernel)


def _read_ahead_off(facts: Facts) -> Suspicions:
    if facts.tunable("queue/read_ahead_kb") == 0:
        kernel, rule = kernel_read_ahead(facts)
        yield _read_ahead("read-ahead-off", facts, 0, rule, kernel)


def _read_ahead(check: str, facts: Facts, value: int, rule: str, kernel: int) -> Suspicion:
    expected = _sensible_read_ahead(facts)
    kernel = value if abs(value - kernel) <= _ROUNDED_KIB else kernel
    return Suspicion(check, value, expected, rule, kernel, {"value": value}, proposed={"queue/read_ahead_kb": expected})


def _flash_said_to_rotate(facts: Facts) -> Suspicions:
    """The disk's report or kind suffices as evidence; its name only if the flag does harm right now."""
    disk = facts.disk
    if not disk.rotational or not (_is_flash(facts) or (_is_named_solid(disk) and _flag_matters(facts))):
        return
    read_ahead = facts.tunable("queue/read_ahead_kb") or 0
    proposed = {"queue/read_ahead_kb": USUAL_KIB} if USUAL_KIB < read_ahead < FAR_KIB else {}
    yield Suspicion("flash-said-to-rotate", 1, 0, "rotational", 1, proposed=proposed)


def _is_flash(facts: Facts) -> bool:
    by_nature = facts.disk.kind in (kinds.NVME_SSD, kinds.SD_CARD, kinds.EMMC) and facts.disk.transport in (
        Transport.NVME, Transport.MMC)  # fmt: skip
    lies = bool(facts.rate_rpm) and _is_named_solid(facts.disk)
    return facts.rate_rpm == 0 or by_nature or lies


def _scheduler(facts: Facts) -> Scheduler:
    return scheduler(facts.disk.scheduler or "none")


def _flag_matters(facts: Facts) -> bool:
    return facts.kernel.version >= _ROTATIONAL_SINCE or _scheduler(facts).minds_rotation


def _rotation_not_told(facts: Facts) -> Suspicions:
    if facts.rate_rpm and not facts.disk.rotational and not _is_named_solid(facts.disk):
        yield Suspicion("rotation-not-told", 0, 1, "rotational", 1, {"rpm": facts.rate_rpm})


def kernel_requests(facts: Facts) -> tuple[int, str] | None:
    """Return the ``nr_requests`` that the kernel gives such a disk, and its rule; None if unknown.

    Source: ``blk_mq_default_nr_requests`` in block/blk-mq.h: twice the smaller of the hardware's depth and 128.
    """
    if not facts.tags:
        return None
    if facts.disk.scheduler in (None, "none"):
        return facts.tags, "requests-none"
    return 2 * min(facts.tags, 128), "requests"


def _few_requests(facts: Facts) -> Suspicions:
    value, usual = facts.tunable("queue/nr_requests"), kernel_requests(facts)
    if value is not None and usual is not None and value < min(_FEW_REQUESTS, usual[0] // 2):
        yield _requests("few-requests", facts, value, *usual)


def _many_requests(facts: Facts) -> Suspicions:
    value, usual = facts.tunable("queue/nr_requests"), kernel_requests(facts)
    if value is not None and usual is not None and value >= max(_MANY_REQUESTS, 4 * usual[0]):
        yield _requests("many-requests", facts, value, *usual)


def _requests(check: str, facts: Facts, value: int, usual: int, rule: str) -> Suspicion:
    values = {"count": value, "depth": facts.tags}
    return Suspicion(check, value, usual, rule, usual, values, proposed={"queue/nr_requests": usual})


def _no_command_queue(facts: Facts) -> Suspicions:
    """Only on AHCI, as disks on other controllers may have no command queue."""
    if facts.controller != "ahci" or facts.queue_depth != 1 or facts.depth_set_by or _is_chosen(facts):
        return
    option = _forced(facts, "noncq")
    by = message("set-by-command-line", option=option) if option else message("set-by-quirk")
    proposed = {QUEUE_DEPTH: NCQ_DEPTH} if not option and facts.disk.queue_limit >= NCQ_DEPTH else {}
    yield Suspicion("no-command-queue", 1, NCQ_DEPTH, "command-queue", NCQ_DEPTH, by=by, proposed=proposed)


def _command_queue_limited(facts: Facts) -> Suspicions:
    """Such a line may be a cure for a disk that starves scattered reads: it should only be measured."""
    depth, disk = facts.queue_depth, facts.disk
    if facts.depth_set_by is None or facts.depth_set_by.ours or not 0 < depth < _NCQ_OF_OLD_KERNELS:
        return
    takes_more = disk.queue_limit >= NCQ_DEPTH or disk.transport in (Transport.SATA, Transport.SAS)
    proposed = {QUEUE_DEPTH: NCQ_DEPTH} if takes_more else {}
    yield Suspicion("command-queue-limited", depth, NCQ_DEPTH if takes_more else None, "command-queue", NCQ_DEPTH,
                    {"count": depth}, proposed=proposed)  # fmt: skip


def _forced(facts: Facts, *values: str) -> str | None:
    """Return the kernel's option that forces one of these values on the disk's port; None without one.

    A value without a port is for that of the one before, or for all (``ata_parse_force_param`` in
    drivers/ata/libata-core.c).
    """
    port = re.search(r"/ata(\d+)/", facts.path)
    for option, value in _options(facts, "libata.force"):
        of_port = ""
        for part in value.lower().split(","):
            before, _, wanted = part.rpartition(":")
            of_port = before.partition(".")[0] or of_port
            if wanted.strip() in values and (not of_port or (port and of_port == port[1])):
                return option
    return None


def _options(facts: Facts, name: str) -> Iterator[tuple[str, str]]:
    """Yield the words of the kernel command line that set an option, and its value; ``-`` and ``_`` are the same."""
    for word in facts.kernel.command_line.split():
        option, sign, value = word.partition("=")
        if sign and option.replace("_", "-") == name:
            yield word, value


def _uas_off(facts: Facts) -> Suspicions:
    usb = facts.links.usb
    if usb is None or usb.driver != "usb-storage":
        return
    for option, value in _options(facts, "usb-storage.quirks"):
        if (usb.vendor.lower(), usb.product.lower()) in _without_uas(value):
            by = message("set-by-command-line", option=option)
            yield Suspicion("uas-off", usb.driver, "uas", "uas", by=by)
            return


def _without_uas(quirks: str) -> set[tuple[str, str]]:
    return {(vendor.lower(), product.lower()) for vendor, product in _UAS_QUIRK.findall(quirks)}


def kernel_throttling(facts: Facts) -> int:
    """Return the default latency target of writeback throttling in µs (block/blk-wbt.c)."""
    return _ROTATING_US if facts.disk.rotational else _SOLID_US


def _throttling_off(facts: Facts) -> Suspicions:
    """Not with bfq, out-of-tree schedulers that limit writes themselves, or the cost model of control groups."""
    if facts.tunable("queue/wbt_lat_usec") != 0 or _scheduler(facts).limits_writes or _shares(facts):
        return
    yield _throttling("throttling-off", facts, 0)


def _shares(facts: Facts) -> bool:
    """Whether ``io.cost`` is on for the disk (Documentation/admin-guide/cgroup-v2.rst)."""
    lines = (line.split() for line in facts.kernel.iocost.splitlines())
    return any(words[:1] == [facts.disk.devno] and "enable=1" in words for words in lines)


def _throttling_odd(facts: Facts) -> Suspicions:
    """The kernel chooses once, before a rule may change the rotational flag: if that is in doubt, both are usual."""
    value, usual = facts.tunable("queue/wbt_lat_usec"), {kernel_throttling(facts)}
    is_by_flag_alone = facts.disk.kind == kinds.HDD and facts.disk.transport == Transport.NVME
    if is_by_flag_alone or any(_flash_said_to_rotate(facts)) or any(_rotation_not_told(facts)):
        usual = {_ROTATING_US, _SOLID_US}
    if value and value > 0 and not any(usual_us / _ODD_FACTOR <= value <= usual_us * _ODD_FACTOR for usual_us in usual):
        yield _throttling("throttling-odd", facts, value)


def _throttling(check: str, facts: Facts, value: int) -> Suspicion:
    usual = kernel_throttling(facts)
    values, proposed = {"value": value}, {"queue/wbt_lat_usec": usual}
    return Suspicion(check, value, usual, "throttling", usual, values, proposed=proposed)


def _merges_off(facts: Facts) -> Suspicions:
    if value := facts.tunable("queue/nomerges"):
        yield Suspicion("merges-off", value, 0, "merges", 0, {"value": value}, proposed={"queue/nomerges": 0})


def _write_cache_off(facts: Facts) -> Suspicions:
    """Only if the disk has a cache: SSDs with capacitors and many RAID controllers report none."""
    if facts.ata_cache and facts.ata_cache_on is False:
        yield _cache("write-cache-off", Cache.THROUGH, Cache.BACK, Cache.THROUGH)


def _write_cache_denied(facts: Facts) -> Suspicions:
    if facts.write_cache is Cache.THROUGH and facts.cache_type is Cache.BACK:
        yield _cache("write-cache-denied", Cache.THROUGH, Cache.BACK, Cache.BACK)


def _write_cache_claimed(facts: Facts) -> Suspicions:
    if facts.write_cache is Cache.BACK and facts.cache_type is Cache.THROUGH:
        yield _cache("write-cache-claimed", Cache.BACK, Cache.THROUGH, Cache.THROUGH)


def _cache(check: str, value: Cache, expected: Cache, kernel: Cache) -> Suspicion:
    return Suspicion(check, value.value, expected.value, "write-cache", kernel.value)


def _set_back(facts: Facts) -> Suspicions:
    """Also reports a choice that holds now but not after the next start, when nobody would notice."""
    writer, chosen = facts.set_back_by, facts.disk.persistent
    if writer is None or chosen is None:
        return
    name = writer.attribute
    now: Mapping[str, int | str] = {"queue/scheduler": facts.disk.scheduler or "", **facts.disk.tunables}
    value, expected = now.get(name, ""), {"queue/scheduler": chosen.scheduler, **chosen.tunables}[name]
    when = message("set-back-now", value=value) if value != expected else message("set-back-at-start")
    values: dict[str, Value] = {"setting": name, "chosen": expected, "when": when, "place": writer.place,
                                "other": writer.value}  # fmt: skip
    by = message("set-by-line" if writer.writes else "set-by-line-perhaps", place=writer.place, who=writer.who)
    yield Suspicion("set-back", value, expected, values=values, by=by, setting=name)


def _much_unwritten(facts: Facts) -> Suspicions:
    """For disks that people unplug: they wait for them, or lose data."""
    write_back, rate = facts.write_back, _KEPT_RATES.get(facts.disk.kind)
    if write_back is None or rate is None or write_back.may_wait_bytes < rate * _LONG_S:
        return
    waiting, can_limit = write_back.may_wait_bytes, WRITE_LIMIT.keys() <= facts.disk.tunables.keys()
    values: dict[str, Value] = {"waiting": waiting, "limit": write_back.limit, "value": write_back.value, "rate": rate,
                                "needed": waiting / rate}  # fmt: skip
    by = message("set-by-line", place=write_back.place, who=write_back.who) if write_back.place else None
    if by is None and not write_back.is_usual:
        by = message("set-by-hand")
    yield Suspicion("much-unwritten", waiting, WRITE_LIMIT[BYTE_LIMIT] if can_limit else None, "write-back", waiting,
                    values, by=by, proposed=WRITE_LIMIT if can_limit else {})  # fmt: skip


def _weight_ignored(facts: Facts) -> Suspicions:
    """Only bfq honours weights, or else the cost model of control groups if enabled."""
    disk, weight = facts.disk, facts.kernel.weight
    if weight is None or disk.scheduler not in SCHEDULERS or disk.scheduler == "bfq" or _shares(facts):
        return
    obeys = "bfq" if "bfq" in (*disk.schedulers, *disk.loadable) else None
    values: dict[str, Value] = {"value": weight.value, "scheduler": disk.scheduler}
    by = message("set-by-line", place=weight.place, who="systemd")
    yield Suspicion("weight-ignored", weight.value, obeys, values=values, by=by, scheduler=obeys,
                    setting="queue/scheduler")  # fmt: skip


def _no_scheduler(facts: Facts) -> Suspicions:
    """Not if hardly any request can wait, or if it was chosen with Disktuner and may have been measured."""
    disk = facts.disk
    few = (facts.tunable("queue/nr_requests") or 0) <= FEW_REQUESTS
    is_nvme = disk.transport is Transport.NVME  # NVMe has a queue for each processor, whatever the medium
    if disk.scheduler != "none" or not (facts.hardware_queues == 1 or is_nvme) or few or _is_chosen(facts):
        return
    certain = _rotates(facts) and disk.rotational and disk.kind_certain and disk.zoned == "none"
    if certain and "mq-deadline" in (*disk.schedulers, *disk.loadable):
        usual = "none" if is_nvme else "mq-deadline"
        yield Suspicion("no-scheduler", "none", "mq-deadline", "scheduler", usual, scheduler="mq-deadline")


def _is_chosen(facts: Facts) -> bool:
    disk = facts.disk
    wanted = disk.until_restart or disk.persistent
    return wanted is not None and wanted.scheduler == disk.scheduler


def _partition_misaligned(facts: Facts) -> Suspicions:
    wrong = [
        partition
        for partition in facts.partitions
        if partition.offset_bytes > 0 and partition.size_bytes >= _SMALLEST_PARTITION
    ]
    if not wrong:
        return
    values: dict[str, Value] = {
        "partitions": tuple(partition.name for partition in wrong),
        "physical": facts.physical_block,
        "logical": facts.logical_block,
    }
    by = message("set-by-partitioning")
    yield Suspicion("partition-misaligned", wrong[0].offset_bytes, 0, "partition", values=values, by=by)


def _zoned_unordered(facts: Facts) -> Suspicions:
    disk = facts.disk
    if disk.zoned != "host-managed" or facts.kernel.version >= ZONED_FREE_SINCE or facts.kernel.version == (0, 0):
        return
    if disk.scheduler not in (None, "mq-deadline"):
        values = {"value": disk.scheduler}
        yield Suspicion("zoned-unordered", disk.scheduler, "mq-deadline", "scheduler-zoned", "mq-deadline", values,
                        scheduler="mq-deadline")  # fmt: skip


def _discard_at_once(facts: Facts) -> Suspicions:
    for mount in facts.disk.mounts:
        if mount.fstype in _DISCARDING and "discard" in mount.options:
            yield Suspicion("discard-at-once", "discard", "nodiscard", "discard", values={"path": mount.path})
            return  # one per disk: bind mounts and subvolumes repeat it


def _pcie_link_slow(facts: Facts) -> Suspicions:
    link = facts.links.pcie
    if link is None or link.share >= 1:
        return
    values: dict[str, Value] = {"speed": link.speed, "lanes": link.lanes, "best_speed": link.best_speed,
                                "best_lanes": link.best_lanes, "share": link.share}  # fmt: skip
    now, best = f"{link.speed:g} GT/s x{link.lanes}", f"{link.best_speed:g} GT/s x{link.best_lanes}"
    yield Suspicion("pcie-link-slow", now, best, "pcie-link", values=values, by=message("set-by-link"))


def _sata_link_slow(facts: Facts) -> Suspicions:
    """3 Gb/s for each actuator is enough for a hard disk."""
    link, hard_disk = facts.links.sata, _HARD_DISK_GBPS * facts.disk.actuators
    if link is None or link.speed >= link.best or (_rotates(facts) and link.speed >= hard_disk):
        return
    option = _forced(facts, f"{link.speed:.1f}gbps", f"{link.speed:.1f}")
    if option:
        by = message("set-by-command-line", option=option)
    else:
        by = message("set-by-lowering", speed=link.speed) if link.is_lowered else message("set-by-link")
    values: dict[str, Value] = _speeds(link.speed, link.best)
    yield Suspicion("sata-link-slow", f"{link.speed:g} Gb/s", f"{link.best:g} Gb/s", "sata-link", values=values, by=by)


def _usb_link_slow(facts: Facts) -> Suspicions:
    link = facts.links.usb
    if link is None or link.speed >= link.best:
        return
    values: dict[str, Value] = _speeds(link.speed, link.best)
    by = message("set-by-link")
    yield Suspicion("usb-link-slow", f"{link.speed:g} Mb/s", f"{link.best:g} Mb/s", "usb-link", values=values, by=by)


def _speeds(speed: float, best: float) -> dict[str, Value]:
    return {"speed": speed, "best_speed": best, "share": speed / best}


def _card_queue_stuck(facts: Facts) -> Suspicions:
    if facts.card_recoveries:
        values: dict[str, Value] = {"count": facts.card_recoveries}
        yield Suspicion("card-queue-stuck", facts.card_recoveries, values=values, by=message("set-by-disk"))


def _card_queue_unused(facts: Facts) -> Suspicions:
    """A card's own queue has 32 places at most; without it the kernel uses 64."""
    if facts.card_class >= _WITH_QUEUE and facts.tags > NCQ_DEPTH:
        by = message("set-by-kernel", version=facts.kernel.short)
        yield Suspicion("card-queue-unused", f"A{facts.card_class}", by=by)


def _uas_resets(facts: Facts) -> Suspicions:
    if facts.uas_resets:
        usb = facts.links.usb
        ids = f"{usb.vendor}:{usb.product}" if usb and re.fullmatch(r"[0-9a-fA-F]{4}", usb.vendor) else "VVVV:PPPP"
        values: dict[str, Value] = {"count": facts.uas_resets, "ids": ids}
        yield Suspicion("uas-resets", facts.uas_resets, values=values, by=message("set-by-disk"))


def _retries_outlast(facts: Facts) -> Suspicions:
    """A disk that cannot be told to give up may retry for minutes, during which the kernel drops it."""
    if facts.is_in_array and facts.gives_up_in_time is False and 0 < facts.timeout_s < _PATIENT_S:
        kernel, values = 30, {"seconds": facts.timeout_s}
        yield Suspicion("retries-outlast-timeout", facts.timeout_s, _PATIENT_S, "timeout", kernel, values)


def _media_errors(facts: Facts) -> Suspicions:
    if bad := facts.health.bad_sectors:
        yield Suspicion("media-errors", bad, 0, values={"count": bad}, by=message("set-by-disk"))


def _disk_failing(facts: Facts) -> Suspicions:
    if warnings := facts.health.warnings:
        values: dict[str, Value] = {"warnings": warnings}
        yield Suspicion("disk-failing", ", ".join(warnings), values=values, by=message("set-by-disk"))


def _worn_out(facts: Facts) -> Suspicions:
    if facts.life_used >= _WORN:
        used = facts.life_used
        yield Suspicion("worn-out", f"{used:g}", values={"used": used}, by=message("set-by-wear"))


_LOOKS: Mapping[str, Callable[[Facts], Suspicions]] = {
    "read-ahead-huge": _read_ahead_huge,
    "read-ahead-off": _read_ahead_off,
    "flash-said-to-rotate": _flash_said_to_rotate,
    "rotation-not-told": _rotation_not_told,
    "few-requests": _few_requests,
    "many-requests": _many_requests,
    "no-command-queue": _no_command_queue,
    "command-queue-limited": _command_queue_limited,
    "uas-off": _uas_off,
    "throttling-off": _throttling_off,
    "throttling-odd": _throttling_odd,
    "merges-off": _merges_off,
    "write-cache-off": _write_cache_off,
    "write-cache-denied": _write_cache_denied,
    "write-cache-claimed": _write_cache_claimed,
    "set-back": _set_back,
    "much-unwritten": _much_unwritten,
    "weight-ignored": _weight_ignored,
    "no-scheduler": _no_scheduler,
    "partition-misaligned": _partition_misaligned,
    "zoned-unordered": _zoned_unordered,
    "discard-at-once": _discard_at_once,
    "pcie-link-slow": _pcie_link_slow,
    "sata-link-slow": _sata_link_slow,
    "usb-link-slow": _usb_link_slow,
    "card-queue-stuck": _card_queue_stuck,
    "card-queue-unused": _card_queue_unused,
    "uas-resets": _uas_resets,
    "retries-outlast-timeout": _retries_outlast,
    "media-errors": _media_errors,
    "disk-failing": _disk_failing,
    "worn-out": _worn_out,
}
if _LOOKS.keys() != CHECKS.keys():
    raise ValueError(f"checks without a look, or looks without a check: {sorted(_LOOKS.keys() ^ CHECKS.keys())}")


_OF_KIND = {
    kind.id: tuple(_LOOKS[check.id] for check in CHECKS.values() if kind in check.kinds) for kind in KINDS.values()
}


def suspicions(facts: Facts) -> Suspicions:
    """Yield all that is suspicious about a disk, in the order of the table of checks."""
    for look in _OF_KIND.get(facts.disk.kind.id, ()):
        yield from look(facts)
