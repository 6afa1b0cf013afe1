# SPDX-License-Identifier: GPL-3.0-or-later
"""The tunables: range, unit, default and a plain sentence on the trade-off of each (schedulers.toml)."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from disktuner.vocabulary import units
from disktuner.vocabulary.messages import language, text
from disktuner.vocabulary.schedulers import DECLARED, SCHEDULERS

# The running kernel's timer ticks per second: what CLOCK_MONOTONIC_COARSE (linux/time.h) counts in.
_HZ = round(1 / time.clock_getres(6))
_IN_TICKS = frozenset(DECLARED["ticks"])
_NAME = re.compile(r"(queue|bdi|iosched|device)/[a-z_]+")


def is_of_scheduler(name: str) -> bool:
    """Whether a tunable exists only while its scheduler is set."""
    return name.startswith("iosched/")


def file_of(name: str) -> str:
    """Return the path of a tunable below the disk's folder in sysfs."""
    return f"queue/{name}" if is_of_scheduler(name) else name


def name_of(file: str) -> str:
    """Return the tunable's name for a path below the disk's folder in sysfs."""
    return file.replace("queue/iosched/", "iosched/")


@dataclass(frozen=True, slots=True)
class Tunable:
    """One tunable.

    ``scheduler`` is None for tunables of the disk; ``unit`` is what ``unit_text`` shows, or nothing; ``default`` is
    what the running kernel sets when the scheduler attaches, None if disk, driver or scheduler decide. Patched kernels
    may differ.
    """

    scheduler: str | None
    name: str
    low: int
    high: int
    unit: str
    default: int | None
    trade: str

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name) or is_of_scheduler(self.name) == (self.scheduler is None):
            raise ValueError(f"not a tunable's name: {self}")
        if self.scheduler not in (None, *SCHEDULERS) or not self.trade.endswith("."):
            raise ValueError(f"not a tunable: {self}")
        if self.low > self.high or (self.default is not None and not self.accepts(self.default)):
            raise ValueError(f"not a range: {self}")

    def accepts(self, value: int) -> bool:
        """Whether the value is in range."""
        return self.low <= value <= self.high


_COUNTED = ("requests", "batches", "times", "sectors", "commands")


def _declared(owner: str, name: str, row: Sequence[Any]) -> Tunable:
    low, high, unit, trade, *default = row
    usual: int | None = default[0] if default else None
    if name in _IN_TICKS and usual:  # the kernel declares it in whole ticks: of 125 ms, 124 at 250 Hz
        usual = usual * _HZ // 1000 * 1000 // _HZ
    return Tunable(None if owner == "all" else owner, name, low, high, unit, usual, trade)


TUNABLES: tuple[Tunable, ...] = tuple(
    _declared(owner, name, row) for owner, rows in DECLARED["tunables"].items() for name, row in rows.items()
)
"""Every known tunable: the helper's closed list, in the order in which it writes them."""

RATIO_LIMIT, BYTE_LIMIT, STRICT_LIMIT = "bdi/max_ratio", "bdi/max_bytes", "bdi/strict_limit"
"""Limits on what may wait in memory for a disk, as a share and in bytes, and whether they always apply."""

QUEUE_DEPTH = "device/queue_depth"
"""How many commands the disk itself may queue."""

NCQ_DEPTH = 32
"""A SATA disk's largest queue depth; SAS disks queue at least as many."""

MIB = 1024 * 1024
"""The step in which people choose the limit, since the kernel rounds it."""

WRITE_LIMIT: Mapping[str, int] = {BYTE_LIMIT: 16 * MIB, STRICT_LIMIT: 1}
"""The first limit to try on removable disks: what a USB stick writes in about a second."""

OF_THE_DISK = frozenset(
    {QUEUE_DEPTH, "queue/read_ahead_kb", "queue/rq_affinity", "queue/nomerges", RATIO_LIMIT, BYTE_LIMIT, STRICT_LIMIT}
)
"""Tunables that keep their value when the scheduler changes; others of the queue may not."""


_DRIFT = 4
"""The factor by which the memory available for waiting writes is assumed to grow or shrink."""


def as_kept(name: str, value: int, hz: int = _HZ) -> int:
    """Return what a tunable reads after being set to a value: times kept in ticks are rounded up.

    Source: msecs_to_jiffies and jiffies_to_msecs (kernel/time/time.c).
    """
    return -(-value * hz // 1000) * 1000 // hz if name in _IN_TICKS else value


def is_same(name: str, wanted: int | str | None, now: int | str | None) -> bool:
    """Whether a tunable set to ``wanted`` still is if it reads ``now``.

    The kernel keeps ``bdi/max_bytes`` as a share of the free memory, so its reading varies (bdi_get_max_bytes in
    mm/page-writeback.c). It lowers a disk's depth while its queue is full, but not to 1, which switches queueing off
    (scsi_track_queue_full in drivers/scsi/scsi.c).
    """
    if not isinstance(wanted, int) or not isinstance(now, int):
        return wanted == now
    if name == BYTE_LIMIT:
        return max(wanted, now) <= _DRIFT * min(wanted, now)
    if name == QUEUE_DEPTH and now > 1:
        return now <= wanted
    return as_kept(name, wanted) == as_kept(name, now)


def unit_text(unit: str, value: int) -> str:
    """Return a tunable's unit after a value: a word in the right number, or a symbol."""
    return text(f"unit-{unit}", count=value) if unit in _COUNTED else units.sign(unit, language().numbers)


def known(name: str, scheduler: str | None) -> Tunable | None:
    """Return a tunable under a scheduler by name; None for unknown ones."""
    return next(
        (tunable for tunable in TUNABLES if tunable.name == name and tunable.scheduler in (None, scheduler)), None
    )
