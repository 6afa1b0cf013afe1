# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks of every number whether it is true: what the kernel saw must fit what was claimed."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from disktuner.block.counters import Counters
from disktuner.block.machine import Conditions
from disktuner.results.model import Sample
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.metrics import Metric
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.tunables import BYTE_LIMIT, QUEUE_DEPTH, is_same, known
from disktuner.vocabulary.units import NOTHING
from disktuner.vocabulary.workloads import label_of
from disktuner.workloads.workload import MIB, Measurement

STEAL_SHARE = 0.05
"""From this share of the CPU on, its loss is reported. Measured on virtual machines: runs that lost 5 to 30 % deviated
up to twice as much from each other, and had the same medians."""

SHORTEST_S = 0.02
"""Two ticks of USER_HZ (100 per second, time(7)): in less, stolen and limited CPU time can't be told from none, and one
interrupt is a part of what is measured."""

SLEPT_S = 0.5
"""A suspend takes seconds; the two clocks are read some microseconds apart."""

STOPPED_S = 0.05
"""Of a run of seconds, that is less than runs vary anyway."""

CLAIM_TOLERANCE = 0.02
"""By how much a program may claim more than the disk moved: a cold file may keep 1 % of its pages (``make_cold``),
and sysbench's figures are rounded to about 1 %."""

CLAIM_SLACK_BYTES = 512 * 1024
"""What may be in memory before a run although all was made cold: a read-ahead window of 128 KiB (the kernel's default,
VM_READAHEAD_PAGES) for each of the four readers that the most crowded workload has."""

CUT_BYTES, CUT_TOLERANCE = 128 * MIB, 0.25
"""By how much a writer that is cut off may claim more. Compression and shared blocks take a factor away; a writer's end
takes away what the kernel counts as written and has not submitted yet, an extent: of ext4 up to 2,048 pages
(MAX_WRITEPAGES_EXTENT_LEN in fs/ext4/inode.c; 1 to 6 MiB were seen), of btrfs up to 128 MiB (BTRFS_MAX_EXTENT_SIZE; 61
MiB were). What our own writers write cannot be compressed, and is never the same twice."""

FOREIGN_SHARE = 0.10
"""Of a program's own data. Chosen, not measured: twice the difference between schedulers that counts as one (5 %), and
room for the metadata that a file system writes beside the data."""

FOREIGN_SLACK_BYTES = 8 * MIB
"""What a run of a few MB may move beside: ext4 commits its journal every 5 s (``commit=``) and writes back a bitmap, an
inode table and a descriptor block for every group it touched."""

FASTER_THAN_ANY = 1.05
"""The time between two readings of the counters is true to a few milliseconds of a run."""

SHIFT_FACTOR = 4 / 3
"""By so much the level that all settings share moves before it is told. A used-up burst credit means 3000 → 100 to
1000 IOPS (Amazon EBS gp2 below 334 GB), a full SLC cache or a hot NVMe disk half the speed or less."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What is true of machine, file system and disks at one moment, before or after a run.

    ``counters`` None means that a disk is gone. ``stopped_s`` is for how long programs stood still up to now, by
    name, ``asleep_s`` for how long the machine was suspended since its start: what the monotonic clock leaves out.
    ``troubles`` numbers the last error or reset of each disk in the kernel's log, 0 where there is none.
    """

    counters: Counters | None
    schedulers: Mapping[str, str | None]
    tunables: Mapping[str, Mapping[str, int | str]]
    conditions: Conditions
    read_only: bool
    asleep_s: float = 0.0
    mounted: bool = True
    stopped_s: Mapping[str, float] = field(default_factory=dict)
    troubles: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Run:
    """One run as the guard sees it.

    ``plain`` means one disk without mirrors above it, so that bytes add up.
    ``ceiling_bytes_per_s`` is the most that such disks can move in one direction, None where nobody knows;
    ``direct_works`` whether the file system really goes around the page cache when asked to. ``labels`` are what people
    call its figures. ``usual`` is what its setting's runs find of each disk's tunables, as far as that is known.
    """

    setting: Setting
    before: Observation
    after: Observation
    measurement: Measurement
    plain: bool
    ceiling_bytes_per_s: float | None = None
    direct_works: bool = True
    labels: Mapping[str, Message] = field(default_factory=dict)
    usual: Mapping[str, Mapping[str, int | str]] = field(default_factory=dict)


def assess(run: Run) -> Message | None:
    """Return why a run's numbers must not be counted, or else what disturbed it; None where nothing was found.

    ``vocabulary.reasons`` says which of the two it is. What only disturbs comes and goes whatever the scheduler: it
    makes figures vary and the intervals wide, but favours none.
    """
    checks = chain(_of_machine(run), _of_settings(run), _of_numbers(run), _of_surroundings(run))
    return next(filter(None, checks), None)


def _of_machine(run: Run) -> Iterator[Message | None]:
    """Ask whether disk, file system and programs were there all the time."""
    slept_s = run.after.asleep_s - run.before.asleep_s
    yield message("disk-gone") if None in (run.before.counters, run.after.counters) else None
    yield message("read-only") if run.after.read_only else None
    yield None if run.after.mounted else message("unmounted")  # ``umount --lazy`` waits for us: so let it go
    yield message("suspended", slept=slept_s) if slept_s > SLEPT_S else None
    for disk, last in run.after.troubles.items():
        if last > run.before.troubles.get(disk, 0):
            yield message("disk-error", disk=disk)
    yield stopped_between(run.before.stopped_s, run.after.stopped_s)


def stopped_between(before: Mapping[str, float], after: Mapping[str, float]) -> Message | None:
    """Say which program stood still, given for how long each did up to two moments."""
    for program, seconds in after.items():
        stopped_s = seconds - before.get(program, 0.0)
        if stopped_s > STOPPED_S:
            return message("stopped", program=program, stopped=stopped_s)
    return None


def _of_settings(run: Run) -> Iterator[Message]:
    """Ask whether a setting's scheduler and tunables were there in a run, and all tunables the same as in its others.

    Those that nobody knows are left out: they may hold what a scheduler learns, as adios' ``lat_model_read`` does. So
    is a limit in bytes that was not asked for: it follows the free memory, and its percentage is there; and
    a disk's depth, which the kernel itself lowers while the disk's queue is full.
    """
    wanted, scheduler = run.setting.values, run.setting.scheduler
    for seen in (run.before, run.after):
        for disk, found in seen.schedulers.items():
            if found != scheduler:
                yield message("scheduler-changed", disk=disk, found=found or NOTHING, expected=scheduler)
    moving = {BYTE_LIMIT, QUEUE_DEPTH} - wanted.keys()
    for disk, before in run.before.tunables.items():
        expected = {**before, **run.usual.get(disk, {}), **wanted}
        for values in (before, run.after.tunables.get(disk, {})):
            for name in sorted((expected.keys() | values.keys()) - moving):
                was, now = expected.get(name, NOTHING), values.get(name, NOTHING)
                if not is_same(name, was, now) and known(name, scheduler):
                    yield message("tunable-changed", disk=disk, tunable=name, before=was, after=now)


def _of_numbers(run: Run) -> Iterator[Message | None]:
    """Ask whether what was claimed fits what the kernel saw, then what disturbed that."""
    measured, before, after = run.measurement, run.before.counters, run.after.counters
    if before is None or after is None:
        return
    read_bytes, written_bytes = after.read_bytes - before.read_bytes, after.written_bytes - before.written_bytes
    for name, value in measured.values.items():
        if not 0 < value < float("inf"):
            yield message("impossible-value", metric=run.labels.get(name, name), value=str(value))
    yield message("o-direct-ignored") if measured.direct and not run.direct_works else None
    yield _beyond_moved("page-cache", measured.read_bytes, read_bytes)
    yield _beyond_moved("not-written", measured.written_bytes, written_bytes, measured.cut_writers)
    seen = after.since(before)
    rate = max(seen.read_bytes_per_s, seen.write_bytes_per_s)
    if run.ceiling_bytes_per_s is not None and rate > FASTER_THAN_ANY * run.ceiling_bytes_per_s:
        yield message("host-cache", rate=rate, ceiling=run.ceiling_bytes_per_s)
    yield message("cut-short", took=measured.wall_s) if measured.cut_short else None
    yield measured.remark
    if run.plain and not measured.partial and measured.read_bytes is not None and measured.written_bytes is not None:
        own = measured.read_bytes + measured.written_bytes
        foreign = read_bytes + written_bytes - own
        yield message("other-io", moved=foreign) if foreign > FOREIGN_SHARE * own + FOREIGN_SLACK_BYTES else None


def _beyond_moved(id_: str, claimed: int | None, moved: int, cut_writers: int = 0) -> Message | None:
    """Say that a program, or writers that were cut off, claim more than the disk moved."""
    tolerance = CUT_TOLERANCE if cut_writers else CLAIM_TOLERANCE
    if claimed is None or claimed <= moved * (1 + tolerance) + CLAIM_SLACK_BYTES + cut_writers * CUT_BYTES:
        return None
    return message(id_, claimed=claimed, moved=moved)


def _of_surroundings(run: Run) -> Iterator[Message | None]:
    """Ask what the machine did meanwhile that makes runs vary."""
    before, after, wall_s = run.before.conditions, run.after.conditions, run.measurement.wall_s
    stolen, throttled_s = after.stolen_since(before), after.held_back_s_since(before)
    heat = after.cpu_heat_events - before.cpu_heat_events
    yield message("on-battery") if before.on_battery or after.on_battery else None
    for hot in (*after.hot, *before.hot):
        yield message("disk-hot", disk=hot.disk, warm=hot.celsius, limit=hot.limit_celsius)
    yield message("cpu-hot", count=heat) if heat > 0 else None
    yield message("too-short", took=wall_s) if wall_s < SHORTEST_S else None
    yield message("cpu-limited", held=throttled_s) if throttled_s > STEAL_SHARE * wall_s else None
    yield message("cpu-stolen", share=stolen) if stolen > STEAL_SHARE else None


def shift(samples: Sequence[Sample], metric: Metric) -> Message | None:
    """Say by how much all settings alike came out higher or lower in the second half of the rounds of a metric.

    That favours none of them: they are compared round by round.
    """
    found = [each for each in samples if each.metric == metric.name and each.valid]
    middle = statistics.median([each.round for each in found]) if found else 0.0
    halves: dict[Setting, tuple[list[float], list[float]]] = {}
    for each in found:
        halves.setdefault(each.setting, ([], []))[each.round > middle].append(each.value)
    whole = [half for half in halves.values() if min(map(len, half)) >= 2]
    factors = [statistics.median(second) / statistics.median(first) for first, second in whole]
    if len(factors) < 2 or (max(factors) >= 1 / SHIFT_FACTOR and min(factors) <= SHIFT_FACTOR):
        return None
    return message("level-shifted", factor=statistics.median(factors), metric=label_of(metric))
