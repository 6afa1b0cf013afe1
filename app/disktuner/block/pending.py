# SPDX-License-Identifier: GPL-3.0-or-later
"""How much still waits in memory to be written to each disk, how long that takes, and how sure this is.

Without rights the kernel shows what waits for all disks together, what was written of that, and what each disk has
written. That bounds what waits for one disk, closely if nothing else writes.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from mmap import PAGESIZE

from disktuner.block.counters import Counters
from disktuner.block.sysfs import Tree, as_number
from disktuner.vocabulary.messages import Message, message

QUIET_S = 2.0
"""A disk is quiet after this time without writes and requests in flight, which is longer than the kernel takes to add
up the processors' counters (``vm.stat_interval``, 1 s)."""
RATE_S = 10.0
"""The period for a disk's speed, as flash stalls for seconds."""
LITTLE_BYTES = 16_000_000
"""An amount that any disk writes quickly; nearly always, something waits for the system's disk."""
OTHERS = 0.2
"""The share of a figure that may be another disk's for it to be called about right."""


class Sureness(StrEnum):
    """How reliable a figure is: nothing waits for any disk, about right, a bound, or a guess."""

    NOTHING = "nothing"
    ABOUT = "about"
    AT_MOST = "at-most"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class PageCache:
    """What waits in memory now, dirty or being written, and what was dirtied and written since boot.

    ``writing_bytes`` are the part being written; a long request counts until its last piece is written. After
    ``settle_s`` the kernel has begun to write whatever is dirty (infinite if told not to).
    """

    waiting_bytes: int
    writing_bytes: int
    dirtied_bytes: int
    written_bytes: int
    settle_s: float


@dataclass(frozen=True, slots=True)
class Pending:
    """What waits for one disk, and the ``seconds`` until it is written; None while the disk writes nothing.

    ``bytes`` that are UNKNOWN wait for all disks together. ``quiet``: the disk is idle.
    """

    bytes: int
    seconds: float | None
    sureness: Sureness
    quiet: bool

    def is_safe(self, mounted: bool) -> bool:
        """Whether everything is on the disk.

        Unmounting (``sync_filesystem``) and closing a disk (``sync_blockdev``) write everything: afterwards, data can
        only wait for a program that has the whole disk open.
        """
        return self.sureness == Sureness.NOTHING or (self.quiet and not mounted and self.sureness == Sureness.AT_MOST)

    def sentence(self, mounted: bool) -> Message:
        """Return a sentence for a disk that can be unplugged; a mounted one must be unmounted first."""
        if self.is_safe(mounted):
            return message("pending-unmount" if mounted else "pending-safe")
        if self.sureness == Sureness.UNKNOWN:
            return message("pending-unknown", size=self.bytes)
        if self.quiet:
            return message("pending-little", size=self.bytes)
        if self.seconds is None:
            return message(f"pending-{self.sureness}", size=self.bytes)
        return message(f"pending-{self.sureness}-time", size=self.bytes, left=self.seconds)


@dataclass(frozen=True, slots=True)
class _Reading:
    time_s: float
    cache: PageCache
    written: Mapping[str, int]


@dataclass(slots=True)
class _Bound:
    """The most that can wait for a disk; ``active_s`` is when it was last seen active, ``began_s`` since when."""

    bytes: int
    active_s: float
    began_s: float


class Estimator:
    """Estimates what waits for each disk, from readings in order, with or without gaps."""

    def __init__(self) -> None:
        self._readings: deque[_Reading] = deque()
        self._bounds: dict[str, _Bound] = {}

    def add(self, time_s: float, cache: PageCache, disks: Mapping[str, Counters]) -> None:
        """Add a reading at a monotonic time, with the counters of all relevant disks."""
        now = _Reading(time_s, cache, {name: counters.written_bytes for name, counters in disks.items()})
        before = self._readings[-1] if self._readings else None
        self._readings.append(now)
        while len(self._readings) > 2 and self._readings[1].time_s <= time_s - max(RATE_S, _finite(cache.settle_s)):
            self._readings.popleft()
        self._bounds = {name: self._follow(name, counters.in_flight > 0, before) for name, counters in disks.items()}

    def _follow(self, name: str, in_flight: bool, before: _Reading | None) -> _Bound:
        """Return the new bound: what waited, plus what was dirtied, minus what was written, at most everything."""
        now, bound = self._readings[-1], self._bounds.get(name)
        if before is None or bound is None or (wrote := _wrote(name, before, now)) < 0:
            return _Bound(now.cache.waiting_bytes, now.time_s, now.time_s)
        # Writes that bypassed the page cache (direct I/O, a journal) did not wait.
        left = bound.bytes + _dirtied(before, now) - min(wrote, _cached(before, now))
        began_s, active_s = bound.began_s, bound.active_s
        if wrote or in_flight:
            began_s = before.time_s if before.time_s - active_s >= QUIET_S else began_s
            active_s = now.time_s
        elif now.time_s - active_s >= now.cache.settle_s:
            left = min(left, _dirtied(self._readings[0], now))  # anything older would be being written
        return _Bound(min(max(left, 0), now.cache.waiting_bytes), active_s, began_s)

    def of(self, name: str) -> Pending | None:
        """Return what waits for a disk after the last reading; None if that did not include it."""
        bound = self._bounds.get(name)
        if bound is None:
            return None
        now, first = self._readings[-1], self._readings[0]
        quiet = now.time_s - bound.active_s >= QUIET_S
        if quiet:
            if now.cache.waiting_bytes == 0:
                return Pending(0, 0.0, Sureness.NOTHING, quiet)
            if bound.bytes <= LITTLE_BYTES:
                return Pending(bound.bytes, None, Sureness.AT_MOST, quiet)
            return Pending(now.cache.waiting_bytes, None, Sureness.UNKNOWN, quiet)
        # What was written from the page cache, but not by this disk, went to others. What the disk wrote beyond that
        # are pieces of long requests, or writes that bypassed the cache. For which disk recent data are dirty shows
        # only when they are written.
        ahead = _wrote(name, first, now) - _cached(first, now)
        others = abs(ahead) + _dirtied(first, now)
        if now.time_s - first.time_s < now.cache.settle_s:
            others += first.cache.waiting_bytes
        sureness = Sureness.ABOUT if others <= OTHERS * bound.bytes else Sureness.AT_MOST
        part = min(max(ahead, 0), now.cache.writing_bytes) if sureness == Sureness.ABOUT else 0
        left, rate = bound.bytes - part, self._rate(name, bound)
        return Pending(left, left / rate if rate else None, sureness, quiet)

    def _rate(self, name: str, bound: _Bound) -> float:
        """Return a disk's recent write speed in bytes/s, since it began writing."""
        now = self._readings[-1]
        since = max(now.time_s - RATE_S, bound.began_s)
        first = next((reading for reading in reversed(self._readings) if reading.time_s <= since), self._readings[0])
        seconds = now.time_s - first.time_s
        return _wrote(name, first, now) / seconds if seconds >= 1 else 0.0


def _dirtied(before: _Reading, now: _Reading) -> int:
    return now.cache.dirtied_bytes - before.cache.dirtied_bytes


def _cached(before: _Reading, now: _Reading) -> int:
    return now.cache.written_bytes - before.cache.written_bytes


def _wrote(name: str, before: _Reading, now: _Reading) -> int:
    return now.written[name] - before.written.get(name, now.written[name])


def _finite(seconds: float) -> float:
    return seconds if math.isfinite(seconds) else 0.0


def read_vmstat(tree: Tree) -> dict[str, int]:
    """Parse ``/proc/vmstat``: numbers of pages and events, by the kernel's names."""
    lines = (line.split() for line in (tree.text("proc/vmstat") or "").splitlines())
    return {words[0]: as_number(words[1]) for words in lines if len(words) == 2}


def read_page_cache(tree: Tree) -> PageCache | None:
    """Read what waits in memory; None if the kernel does not show it (before 2.6.37)."""
    pages = read_vmstat(tree)
    if not {"nr_dirty", "nr_writeback", "nr_dirtied", "nr_written"} <= pages.keys():
        return None
    expire, wakeup = (as_number(tree.text(f"proc/sys/vm/dirty_{name}_centisecs")) for name in ("expire", "writeback"))
    return PageCache(
        waiting_bytes=(pages["nr_dirty"] + pages["nr_writeback"]) * PAGESIZE,
        writing_bytes=pages["nr_writeback"] * PAGESIZE,
        dirtied_bytes=pages["nr_dirtied"] * PAGESIZE,
        written_bytes=pages["nr_written"] * PAGESIZE,
        settle_s=(expire + 2 * wakeup) / 100 if wakeup else math.inf,
    )
