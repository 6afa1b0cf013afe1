# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks whether every number is true: claims must agree with what the kernel counted."""

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
"""The share of CPU time whose loss is reported. On virtual machines, runs that lost 5 to 30 % varied up to twice as
much, with the same medians."""

SHORTEST_S = 0.02
"""Two ticks of USER_HZ (100 per second, time(7)): in less, stolen and limited CPU time cannot be told from none, and a
single interrupt counts."""

SLEPT_S = 0.5
"""A suspend takes seconds; the two clocks are read some microseconds apart."""

STOPPED_S = 0.05
"""In a run of seconds, less than runs vary anyway."""

CLAIM_TOLERANCE = 0.02
"""By how much a program's claim may exceed what the disk moved: a cold file may keep 1 % of its pages (``make_cold``),
and sysbench rounds its figures to about 1 %."""

CLAIM_SLACK_BYTES = 512 * 1024
"""What may be in memory before a cold run: a read-ahead window of 128 KiB (the kernel's default, VM_READAHEAD_PAGES)
for each of four readers, the most that any workload has."""

CUT_BYTES, CUT_TOLERANCE = 128 * MIB, 0.25
"""By how much the claim of a writer that was cut off may exceed it. Compression and shared blocks cost a factor; ending
a writer drops an extent that the kernel counted as written but had not submitted: on ext4 up to 2,048 pages
(MAX_WRITEPAGES_EXTENT_LEN in fs/ext4/inode.c; 1 to 6 MiB were seen), on btrfs up to 128 MiB (BTRFS_MAX_EXTENT_SIZE; 61
MiB were seen). Our own writers' data are incompressible and never repeat."""

FOREIGN_SHARE = 0.10
"""Relative to a program's own data. Chosen, not measured: twice the least difference that counts (5 %), and room for
the file system's metadata."""

FOREIGN_SLACK_BYTES = 8 * MIB
"""What a run of a few MB may move besides its data: ext4 commits its journal every 5 s (``commit=``) and writes back a
bitmap, an inode table and a descriptor block for every group it touched."""

FASTER_THAN_ANY = 1.05
"""A tolerance, as the time between two readings of the counters is off by a few milliseconds."""

SHIFT_FACTOR = 4 / 3
"""The shift of all settings' common level that is reported. A used-up burst credit means 3000 → 100 to 1000 IOPS
(Amazon EBS gp2 below 334 GB), a full SLC cache or a hot NVMe disk half the speed or less."""


@dataclass(frozen=True, slots=True)
class Observation:
    """The state of machine, file system and disks before or after a run.

    ``counters`` is None if a disk is gone. ``stopped_s`` is for how long programs have been stopped so far, by name;
    ``asleep_s`` for how long the machine was suspended since boot, which the monotonic clock omits. ``troubles`` has
    the number of each disk's last error or reset in the kernel log, 0 if none.
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
class GuardedRun:
    """One run as the guard sees it.

    ``plain``: one disk without mirrors above it, so that bytes add up. ``ceiling_bytes_per_s`` is the most that such
    disks can move in one direction, None if unknown. ``direct_works``: the file system honours O_DIRECT. ``labels`` are
    the names of its figures. ``usual`` are the known values of each disk's tunables under this setting.
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


def assess(run: GuardedRun) -> Message | None:
    """Return why a run's numbers must not be counted, or else what disturbed it; None if nothing did.

    ``vocabulary.reasons`` says which of the two it is. Disturbances come and go whatever the scheduler: they widen the
    intervals, but favour none.
    """
    checks = chain(_of_machine(run), _of_settings(run), _of_numbers(run), _of_surroundings(run))
    return next(filter(None, checks), None)


def _of_machine(run: GuardedRun) -> Iterator[Message | None]:
    """Check that disk, file system and programs were available throughout."""
    slept_s = run.after.asleep_s - run.before.asleep_s
    yield message("disk-gone") if None in (run.before.counters, run.after.counters) else None
    yield message("read-only") if run.after.read_only else None
    yield None if run.after.mounted else message("unmounted")  # ``umount --lazy`` waits until we release it
    yield message("suspended", slept=slept_s) if slept_s > SLEPT_S else None
    for disk, last in run.after.troubles.items():
        if last > run.before.troubles.get(disk, 0):
            yield message("disk-error", disk=disk)
    yield stopped_between(run.before.stopped_s, run.after.stopped_s)


def stopped_between(before: Mapping[str, float], after: Mapping[str, float]) -> Message | None:
    """Name a program that was stopped, given each program's total stopped seconds before and after."""
    for program, seconds in after.items():
        stopped_s = seconds - before.get(program, 0.0)
        if stopped_s > STOPPED_S:
            return message("stopped", program=program, stopped=stopped_s)
    return None


def _of_settings(run: GuardedRun) -> Iterator[Message]:
    """Check that the setting was in effect, and all tunables the same as in its other runs.

    Unknown tunables are left out, as they may hold what a scheduler learns, as adios' ``lat_model_read`` does. So are a
    byte limit that was not set, which follows the free memory, and a disk's queue depth, which the kernel lowers while
    the disk's queue is full.
    """
    wanted, scheduler = run.setting.values, run.setting.scheduler
    for seen in (run.before, run.after):
        for disk, present in seen.schedulers.items():
            if present != scheduler:
                yield message("scheduler-changed", disk=disk, found=present or NOTHING, expected=scheduler)
    moving = {BYTE_LIMIT, QUEUE_DEPTH} - wanted.keys()
    for disk, before in run.before.tunables.items():
        expected = {**before, **run.usual.get(disk, {}), **wanted}
        for values in (before, run.after.tunables.get(disk, {})):
            for name in sorted((expected.keys() | values.keys()) - moving):
                was, now = expected.get(name, NOTHING), values.get(name, NOTHING)
                if not is_same(name, was, now) and known(name, scheduler):
                    yield message("tunable-changed", disk=disk, tunable=name, before=was, after=now)


def _of_numbers(run: GuardedRun) -> Iterator[Message | None]:
    """Check the claims against the kernel's counters, then what disturbed them."""
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
        own_bytes = measured.read_bytes + measured.written_bytes
        foreign_bytes = read_bytes + written_bytes - own_bytes
        if foreign_bytes > FOREIGN_SHARE * own_bytes + FOREIGN_SLACK_BYTES:
            yield message("other-io", moved=foreign_bytes)


def _beyond_moved(id_: str, claimed: int | None, moved: int, cut_writers: int = 0) -> Message | None:
    """Report that a program, or writers that were cut off, claim more than the disk moved."""
    tolerance = CUT_TOLERANCE if cut_writers else CLAIM_TOLERANCE
    if claimed is None or claimed <= moved * (1 + tolerance) + CLAIM_SLACK_BYTES + cut_writers * CUT_BYTES:
        return None
    return message(id_, claimed=claimed, moved=moved)


def _of_surroundings(run: GuardedRun) -> Iterator[Message | None]:
    """Check for conditions of the machine that make runs vary."""
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
    """Report by how much all settings came out higher or lower in the second half of a metric's rounds.

    This favours none of them, as they are compared round by round.
    """
    counted = [sample for sample in samples if sample.metric == metric.name and sample.valid]
    middle = statistics.median([sample.round for sample in counted]) if counted else 0.0
    halves: dict[Setting, tuple[list[float], list[float]]] = {}
    for sample in counted:
        halves.setdefault(sample.setting, ([], []))[sample.round > middle].append(sample.value)
    whole = [half for half in halves.values() if min(map(len, half)) >= 2]
    factors = [statistics.median(second) / statistics.median(first) for first, second in whole]
    if len(factors) < 2 or (max(factors) >= 1 / SHIFT_FACTOR and min(factors) <= SHIFT_FACTOR):
        return None
    return message("level-shifted", factor=statistics.median(factors), metric=label_of(metric))
