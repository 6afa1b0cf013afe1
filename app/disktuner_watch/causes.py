# SPDX-License-Identifier: GPL-3.0-or-later
"""Why programs stood still: a pure function of the samples, the first rule of a table that applies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from disktuner_watch.samples import Program, Sample, Stat, added_up, memory_share, stalled_within_s

SILENT_S = 5.0
"""A disk that completes nothing for this long is not answering. A saturated disk completes something every second,
flash collecting garbage pauses for a second or two, and the kernel resets a disk after 30 s."""
BUSY = 0.8
"""A disk is saturated if it has requests for this share of the time; its counters lag by a request or two."""
SHORT_OF_MEMORY = 0.1
"""All programs wait for memory for this share of the time only if it is reclaimed faster than it is freed."""
SWAPS_BYTES_PER_S = 2e5
"""Fifty pages a second, each fetched while a program stands still: a hard disk cannot do more."""
MUCH_WAITS_BYTES = 32_000_000
"""Smaller amounts wait in memory for the system disk all the time."""
FEW_READS_PER_S = 1.0
"""Nobody waits for a disk with fewer: starting a program or opening a file reads."""
ENOUGH_S = 10.0
"""A shorter record in which nothing happened says nothing about the time before it."""
AT_REST = 0.1
"""Below this share of the time, waiting for I/O, or the work of a disk, is negligible."""
PART = 0.2
"""Programs that moved less than this share of what the first one moved are not named."""
_UPON_OTHERS = ("loop", "dm-", "md", "zram", "nbd", "bcache")


class FreezeReason(StrEnum):
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
    TOO_SHORT = "too-short"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Cause:
    """The reason, with the disk (by kernel name) and the programs responsible, if any.

    ``bytes_per_s`` is how fast the disk wrote or read meanwhile, ``size_bytes`` what waited in memory or was swapped,
    ``seconds`` how long the disk did not answer.
    """

    reason: FreezeReason
    disk: str = ""
    who: tuple[str, ...] = ()
    bytes_per_s: float = 0.0
    size_bytes: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Work:
    """What a disk did during the incident; ``trims``: it was busy with a discard while it was silent."""

    name: str
    reads_per_s: float
    read_bytes_per_s: float
    written_bytes_per_s: float
    busy: float
    silent_s: float
    trims: bool = False

    @property
    def mostly_writes(self) -> bool:
        """Whether at least as much was written as read."""
        return self.written_bytes_per_s >= self.read_bytes_per_s


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the rules look at.

    ``system_disks`` hold the system and the user's files; ``held_up``: one program was held up in half of the looks.
    ``programs`` is what moved meanwhile, ``earlier`` in the minutes before. ``gone`` is a system disk that left.
    """

    seconds: float
    stalled: float
    memory: float
    swapped_bytes: int
    waiting_bytes: int
    disks: tuple[Work, ...]
    system_disks: frozenset[str]
    held_up: bool
    programs: tuple[Program, ...]
    earlier: tuple[Program, ...]
    gone: str = ""

    @property
    def silent(self) -> Work | None:
        """The disk that was silent longest, None if all answered."""
        return max(self._first(lambda disk: disk.silent_s >= SILENT_S), key=lambda disk: disk.silent_s, default=None)

    @property
    def full(self) -> Work | None:
        """The busiest of the saturated disks, None if there are none."""
        return max(self._first(lambda disk: disk.busy >= BUSY), key=lambda disk: disk.busy, default=None)

    def _first(self, fits: Callable[[Work], bool]) -> Sequence[Work]:
        """Return the disks that fit; those made of others only if no physical disk fits."""
        fitting = [disk for disk in self.disks if fits(disk)]
        return [disk for disk in fitting if not lies_on_another(disk.name)] or fitting

    def who(self, moved: Callable[[Program], int], disk_bytes: float) -> tuple[str, ...]:
        """Return the programs that moved most; if they moved too little for what the disk did, those of before."""
        for programs in (self.programs, self.earlier):
            largest = max(map(moved, programs), default=0)
            if largest >= PART * disk_bytes > 0:
                return tuple(
                    program.name
                    for program in sorted(programs, key=moved, reverse=True)[:2]
                    if moved(program) >= PART * largest
                )
        return ()


def lies_on_another(name: str) -> bool:
    """Whether a disk is made of others that do its work."""
    return name.startswith(_UPON_OTHERS)


def evidence(
    samples: Sequence[Sample],
    begun_s: float,
    ended_s: float,
    system_disks: Collection[str],
    earlier: Sequence[Program] = (),
) -> Evidence:
    """Gather the evidence on a period; ``earlier`` is what programs moved before the first sample."""
    within = [sample for sample in samples if begun_s <= sample.time_s <= ended_s]
    first, last = within[0], within[-1]
    seconds = max(last.time_s - first.time_s, 1e-9)
    waiting_bytes = max(sample.waiting_bytes for sample in within)
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
        frozenset(system_disks),
        _is_held_up([sample.programs for sample in within if sample.programs is not None]),
        added_up(program for sample in within[1:] for program in sample.programs or ()),
        _before([sample for sample in samples if sample.time_s <= begun_s], earlier, waiting_bytes),
        next((name for name in system_disks if name in first.disks and name not in samples[-1].disks), ""),
    )


def _is_held_up(looks: Sequence[Sequence[Program]]) -> bool:
    counts = Counter(program.name for programs in looks for program in programs if program.held_up)
    return len(looks) > 1 and max(counts.values(), default=0) >= len(looks) / 2


def _before(samples: Sequence[Sample], earlier: Sequence[Program], waiting_bytes: int) -> tuple[Program, ...]:
    """Return what programs moved before, going back until they had written as much as waits."""
    written_bytes, last = 0, list[Program]()
    for programs in (*(sample.programs or () for sample in reversed(samples)), tuple(earlier)):
        if written_bytes < max(waiting_bytes, 1):
            last += programs
            written_bytes += sum(program.written_bytes for program in programs)
    return added_up(last)


def _work(name: str, within: Sequence[Sample], afterwards: Stat) -> Work:
    """``afterwards`` is the disk's last reading, since a discard is counted only when done."""
    first, last = within[0].disks[name], within[-1].disks[name]
    seconds = max(within[-1].time_s - within[0].time_s, 1e-9)
    silent_s = _silent_s([(sample.time_s, sample.disks.get(name)) for sample in within])

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
    """Return the longest time in which requests were in flight and none completed."""
    longest = since_s = 0.0
    before: Stat | None = None
    for time_s, stat in readings:
        waits = stat is not None and stat.in_flight > 0
        if not (waits and before and stat and before.in_flight > 0 and before.completed == stat.completed):
            since_s = time_s
        longest, before = max(longest, time_s - since_s), stat
    return longest


def _silent(evidence: Evidence) -> Cause | None:
    """Unanswered requests hold up all later ones, whatever else happens; so does a long discard."""
    disk = evidence.silent
    return (
        Cause(FreezeReason.TRIM if disk.trims else FreezeReason.SILENT, disk.name, seconds=disk.silent_s)
        if disk
        else None
    )


def _gone(evidence: Evidence) -> Cause | None:
    """A system disk left: programs that need it wait for ever or get errors."""
    return Cause(FreezeReason.GONE, evidence.gone) if evidence.gone else None


def _short_of_memory(evidence: Evidence) -> Cause | None:
    """Programs short of memory reread their own pages, which is what keeps a disk busy."""
    if evidence.memory < SHORT_OF_MEMORY:
        return None
    swaps = evidence.swapped_bytes >= SWAPS_BYTES_PER_S * evidence.seconds
    return Cause(FreezeReason.SWAPPING if swaps else FreezeReason.MEMORY, size_bytes=evidence.swapped_bytes)


def _write_back(evidence: Evidence) -> Cause | None:
    """The saturated disk is not read and holds neither system nor home.

    So programs wait for memory that is full of what this disk has yet to write.
    """
    disk = evidence.full
    if disk is None or not disk.mostly_writes or disk.name in evidence.system_disks:
        return None
    if disk.reads_per_s >= FEW_READS_PER_S or evidence.waiting_bytes < MUCH_WAITS_BYTES:
        return None
    return _of_writes(FreezeReason.WRITE_BACK, disk, evidence)


def _writes(evidence: Evidence) -> Cause | None:
    """Programs wait behind the writes that saturate a disk."""
    return (
        _of_writes(FreezeReason.WRITES, evidence.full, evidence)
        if evidence.full and evidence.full.mostly_writes
        else None
    )


def _of_writes(reason: FreezeReason, disk: Work, evidence: Evidence) -> Cause:
    who = evidence.who(lambda program: program.written_bytes, disk.written_bytes_per_s * evidence.seconds)
    return Cause(reason, disk.name, who, disk.written_bytes_per_s, evidence.waiting_bytes)


def _reads(evidence: Evidence) -> Cause | None:
    """Programs wait behind the reads that saturate a disk."""
    disk = evidence.full
    if disk is None:
        return None
    who = evidence.who(lambda program: program.read_bytes, disk.read_bytes_per_s * evidence.seconds)
    return Cause(FreezeReason.READS, disk.name, who, disk.read_bytes_per_s)


def _not_disk(evidence: Evidence) -> Cause | None:
    """Hardly any program waited for I/O, whatever the disks did; unless recording had only just begun."""
    if evidence.stalled >= AT_REST or evidence.held_up:
        return None
    return Cause(FreezeReason.NOT_DISK if evidence.seconds >= ENOUGH_S else FreezeReason.TOO_SHORT)


def _unknown(_seen: Evidence) -> Cause | None:
    """Programs waited for I/O that no disk shows: for a network folder, or too briefly to be seen."""
    return Cause(FreezeReason.UNKNOWN)


RULES = (_gone, _silent, _short_of_memory, _not_disk, _write_back, _writes, _reads, _unknown)
"""The order matters: the first that applies explains what later rules would see."""


def cause_of(evidence: Evidence) -> Cause:
    """Return the cause by the first rule that applies; the last one always does."""
    return next(cause for rule in RULES if (cause := rule(evidence)))
