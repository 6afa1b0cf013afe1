# SPDX-License-Identifier: GPL-3.0-or-later
"""Why programs stood still, as a pure function of the samples: the first of a table of rules that fits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from disktuner.watch.samples import Program, Sample, Stat, added_up, memory_share, stalled_within_s

SILENT_S = 5.0
"""A disk that completes nothing for so long does not answer: one that is full completes something every second, flash
that tidies up pauses for a second or two, and the kernel resets a disk after 30 s."""
BUSY = 0.8
"""The share of the time in which a disk that holds others up has requests; its counters lag by a request or two."""
SHORT_OF_MEMORY = 0.1
"""All programs wait for memory in a tenth of the time only where it is taken away faster than it is given back."""
SWAPS_BYTES_PER_S = 2e5
"""Fifty pages a second, each fetched while a program stands still, are all that a hard disk can."""
MUCH_WAITS_BYTES = 32_000_000
"""Less waits in memory for the disk of the system all the time."""
FEW_READS_PER_S = 1.0
"""A disk with fewer is not what somebody waits for: who starts a program or opens a file reads."""
AT_REST = 0.1
"""Below this share of the time, hardly anybody waited for I/O, or a disk had hardly anything to do."""
PART = 0.2
"""Who moved less than this part of what the first did is not named."""
_UPON_OTHERS = ("loop", "dm-", "md", "zram", "nbd", "bcache")


class Reason(StrEnum):
    """What held programs up."""

    SILENT = "silent"
    TRIM = "trim"
    GONE = "gone"
    SWAPPING = "swapping"
    MEMORY = "memory"
    WRITE_BACK = "write-back"
    WRITES = "writes"
    READS = "reads"
    NOT_DISK = "not-disk"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Cause:
    """The reason, with the disk (by kernel name) and the programs that it comes from, where it has any.

    ``bytes_per_s`` is what the disk wrote or read meanwhile, ``size_bytes`` what waited in memory or was swapped;
    ``seconds`` is for how long a disk did not answer.
    """

    reason: Reason
    disk: str = ""
    who: tuple[str, ...] = ()
    bytes_per_s: float = 0.0
    size_bytes: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Work:
    """What a disk did in the time that is looked at; ``trims``: it was busy with a discard while it was silent."""

    name: str
    reads_per_s: float
    read_bytes_per_s: float
    written_bytes_per_s: float
    busy: float
    silent_s: float
    trims: bool = False

    @property
    def mostly_writes(self) -> bool:
        """Whether more was written than read."""
        return self.written_bytes_per_s >= self.read_bytes_per_s


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that the rules look at.

    ``own`` are the disks that hold the system and the user's files; ``held_up``: a program was found so in half of the
    looks. ``programs`` is what moved meanwhile, and ``earlier`` in the minutes before. ``gone`` is one of ``own``
    that left.
    """

    seconds: float
    stalled: float
    memory: float
    swapped_bytes: int
    waiting_bytes: int
    disks: tuple[Work, ...]
    own: frozenset[str]
    held_up: bool
    programs: tuple[Program, ...]
    earlier: tuple[Program, ...]
    gone: str = ""

    @property
    def silent(self) -> Work | None:
        """The disk that did not answer for longest."""
        return max(self._first(lambda each: each.silent_s >= SILENT_S), key=lambda each: each.silent_s, default=None)

    @property
    def full(self) -> Work | None:
        """The busiest disk, where one is full."""
        return max(self._first(lambda each: each.busy >= BUSY), key=lambda each: each.busy, default=None)

    def _first(self, fits: Callable[[Work], bool]) -> Sequence[Work]:
        """Return those that fit; a disk that lies on another only where no other one does."""
        found = [each for each in self.disks if fits(each)]
        return [each for each in found if not lies_on_another(each.name)] or found

    def who(self, moved: Callable[[Program], int], disk_bytes: float) -> tuple[str, ...]:
        """Return who moved most of it; meanwhile, or before where that is too little for what the disk did."""
        for programs in (self.programs, self.earlier):
            most = max(map(moved, programs), default=0)
            if most >= PART * disk_bytes > 0:
                return tuple(
                    each.name for each in sorted(programs, key=moved, reverse=True)[:2] if moved(each) >= PART * most
                )
        return ()


def lies_on_another(name: str) -> bool:
    """Whether a disk is made of others, which do the work."""
    return name.startswith(_UPON_OTHERS)


def evidence(
    samples: Sequence[Sample], begun_s: float, ended_s: float, own: Collection[str], earlier: Sequence[Program] = ()
) -> Evidence:
    """Gather it from the samples around a time; ``earlier`` is what programs moved before the first of them."""
    within = [each for each in samples if begun_s <= each.time_s <= ended_s]
    first, last = within[0], within[-1]
    seconds = max(last.time_s - first.time_s, 1e-9)
    waiting_bytes = max(each.waiting_bytes for each in within)
    return Evidence(
        seconds,
        min(stalled_within_s(within) / seconds, 1.0),
        memory_share(first, last),
        max(last.swapped_bytes - first.swapped_bytes, 0),
        waiting_bytes,
        tuple(
            _work(name, within, samples[-1].disks.get(name, stat))
            for name, stat in last.disks.items()
            if name in first.disks
        ),
        frozenset(own),
        _is_held_up([each.programs for each in within if each.programs is not None]),
        added_up(each for sample in within[1:] for each in sample.programs or ()),
        _before([each for each in samples if each.time_s <= begun_s], earlier, waiting_bytes),
        next((name for name in own if name in first.disks and name not in samples[-1].disks), ""),
    )


def _is_held_up(looks: Sequence[Sequence[Program]]) -> bool:
    often = Counter(each.name for programs in looks for each in programs if each.held_up)
    return len(looks) > 1 and max(often.values(), default=0) >= len(looks) / 2


def _before(samples: Sequence[Sample], earlier: Sequence[Program], waiting_bytes: int) -> tuple[Program, ...]:
    """Return what programs moved last before: so far back as it takes to write what waits."""
    written_bytes, last = 0, list[Program]()
    for programs in (*(each.programs or () for each in reversed(samples)), tuple(earlier)):
        if written_bytes < max(waiting_bytes, 1):
            last += programs
            written_bytes += sum(each.written_bytes for each in programs)
    return added_up(last)


def _work(name: str, within: Sequence[Sample], afterwards: Stat) -> Work:
    """``afterwards`` is its last reading: a discard is counted when it is done."""
    first, last = within[0].disks[name], within[-1].disks[name]
    seconds = max(within[-1].time_s - within[0].time_s, 1e-9)
    silent_s = _silent_s([(each.time_s, each.disks.get(name)) for each in within])

    def per_s(before: int, after: int) -> float:
        return max(after - before, 0) / seconds

    return Work(
        name,
        per_s(first.reads, last.reads),
        per_s(first.read_bytes, last.read_bytes),
        per_s(first.written_bytes, last.written_bytes),
        min(per_s(first.busy_ms, last.busy_ms) / 1000, 1.0),
        silent_s,
        0 < silent_s <= (afterwards.discard_ms - first.discard_ms) / 1000,
    )


def _silent_s(readings: Sequence[tuple[float, Stat | None]]) -> float:
    """Return for how long, at most, requests were in flight and none was completed."""
    longest = since_s = 0.0
    before: Stat | None = None
    for time_s, stat in readings:
        waits = stat is not None and stat.in_flight > 0
        if not (waits and before and stat and before.in_flight > 0 and before.completed == stat.completed):
            since_s = time_s
        longest, before = max(longest, time_s - since_s), stat
    return longest


def _silent(seen: Evidence) -> Cause | None:
    """Requests that a disk does not answer hold up all that follow, whatever else goes on; so does a long discard."""
    disk = seen.silent
    return Cause(Reason.TRIM if disk.trims else Reason.SILENT, disk.name, seconds=disk.silent_s) if disk else None


def _gone(seen: Evidence) -> Cause | None:
    """A disk of the system or the user's left: whoever needs it waits for ever, or gets errors."""
    return Cause(Reason.GONE, seen.gone) if seen.gone else None


def _short_of_memory(seen: Evidence) -> Cause | None:
    """Programs that wait for memory read their own pages again: that is why a disk is busy."""
    if seen.memory < SHORT_OF_MEMORY:
        return None
    swaps = seen.swapped_bytes >= SWAPS_BYTES_PER_S * seen.seconds
    return Cause(Reason.SWAPPING if swaps else Reason.MEMORY, size_bytes=seen.swapped_bytes)


def _write_back(seen: Evidence) -> Cause | None:
    """Nobody reads from the disk that is full, and it holds neither system nor home.

    So who stands still waits for the memory that is full of what the disk has yet to write.
    """
    disk = seen.full
    if disk is None or not disk.mostly_writes or disk.name in seen.own:
        return None
    if disk.reads_per_s >= FEW_READS_PER_S or seen.waiting_bytes < MUCH_WAITS_BYTES:
        return None
    return _of_writes(Reason.WRITE_BACK, disk, seen)


def _writes(seen: Evidence) -> Cause | None:
    """Who stands still waits behind the writes that fill a disk."""
    return _of_writes(Reason.WRITES, seen.full, seen) if seen.full and seen.full.mostly_writes else None


def _of_writes(reason: Reason, disk: Work, seen: Evidence) -> Cause:
    who = seen.who(lambda each: each.written_bytes, disk.written_bytes_per_s * seen.seconds)
    return Cause(reason, disk.name, who, disk.written_bytes_per_s, seen.waiting_bytes)


def _reads(seen: Evidence) -> Cause | None:
    """Who stands still waits behind the reads that fill a disk."""
    disk = seen.full
    if disk is None:
        return None
    who = seen.who(lambda each: each.read_bytes, disk.read_bytes_per_s * seen.seconds)
    return Cause(Reason.READS, disk.name, who, disk.read_bytes_per_s)


def _not_disk(seen: Evidence) -> Cause | None:
    """Hardly anybody waited for I/O, whatever the disks did: who works at a disk waits for it."""
    return Cause(Reason.NOT_DISK) if seen.stalled < AT_REST and not seen.held_up else None


def _unknown(_seen: Evidence) -> Cause | None:
    """Programs waited for I/O that no disk shows: for a network folder, or too shortly to be seen."""
    return Cause(Reason.UNKNOWN)


RULES = (_gone, _silent, _short_of_memory, _not_disk, _write_back, _writes, _reads, _unknown)
"""In their order: the first that fits explains what those after it see."""


def cause_of(seen: Evidence) -> Cause:
    """Return the cause that the first fitting rule finds; the last fits always."""
    return next(cause for rule in RULES if (cause := rule(seen)))
