# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks of every number whether it is true: what the kernel saw before and after a run must fit what was claimed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from disktuner.block.counters import Counters
from disktuner.experiment.conditions import Conditions
from disktuner.workloads.workload import MIB, Measurement

STEAL_SHARE = 0.05
"""From this share of the CPU on its loss is told. Measured on virtual machines: runs that lost 5 to 30 % deviated up to
twice as much from each other, and had the same medians."""

SHORTEST_S = 0.02
"""Two ticks of USER_HZ (100 per second, time(7)): in less, stolen and limited CPU time can't be told from none."""

SLEPT_S = 0.5
"""A suspend takes seconds; the two clocks are read some microseconds apart."""

CLAIM_TOLERANCE = 0.02
"""By how much a program may claim more than the disk moved: a cold file may keep 1 % of its pages (``make_cold``),
and sysbench's figures are rounded to about 1 %."""

CLAIM_SLACK_BYTES = 512 * 1024
"""What may be in memory before a run although all was made cold: a read-ahead window of 128 KiB (the kernel's default,
VM_READAHEAD_PAGES) for each of the four readers that the most crowded workload has."""

FOREIGN_SHARE = 0.10
"""Of a program's own data. Chosen, not measured: twice the difference between schedulers that counts as one (5 %), and
room for the metadata that a file system writes beside the data."""

FOREIGN_SLACK_BYTES = 8 * MIB
"""What a run of a few MB may move beside: ext4 commits its journal every 5 s (``commit=``) and writes back a bitmap, an
inode table and a descriptor block for every group it touched."""

FASTER_THAN_ANY = 1.05
"""The time between two readings of the counters is true to a few milliseconds of a run."""


DISK_GONE = "disk gone: it vanished during the run"
UNMOUNTED = "unmounted: the folder is not where it was since this run, and nobody but this run holds its disk"
READ_ONLY = "read-only: the file system refuses to be written since this run"
ON_BATTERY = "battery: the machine ran on battery and may have slowed down to save it"


@dataclass(frozen=True, slots=True)
class Observation:
    """What the kernel says at one moment. ``counters`` None means that a disk is gone."""

    counters: Counters | None
    schedulers: Mapping[str, str | None]
    tunables: Mapping[str, Mapping[str, int | str]]
    conditions: Conditions
    read_only: bool
    asleep_s: float = 0.0
    mounted: bool = True


@dataclass(frozen=True, slots=True)
class Run:
    """One run as the guard sees it. ``plain`` means one disk without mirrors above it, so that bytes add up.

    ``ceiling_bytes_per_s`` is the most that such disks can move in one direction, None where nobody knows;
    ``direct_works`` whether the file system really goes around the page cache when asked to.
    """

    scheduler: str
    before: Observation
    after: Observation
    measurement: Measurement
    plain: bool
    ceiling_bytes_per_s: float | None = None
    direct_works: bool = True


def doubt(run: Run) -> str | None:
    """Return why this run's numbers must not be counted, or None where nothing speaks against them."""
    return _first(CHECKS, run)


def disturbance(run: Run) -> str | None:
    """Return what disturbed a run without making its numbers untrue, or None: it counts.

    It comes and goes whatever the scheduler, so it makes figures vary and the intervals wide, but favours none.
    """
    return _first(DISTURBANCES, run)


def _first(checks: tuple[Callable[[Run], str | None], ...], run: Run) -> str | None:
    return next((reason for check in checks if (reason := check(run))), None)


def _disk_gone(run: Run) -> str | None:
    return DISK_GONE if run.after.counters is None else None


def _read_only(run: Run) -> str | None:
    return READ_ONLY if run.after.read_only else None


def _unmounted(run: Run) -> str | None:
    """``umount --lazy`` waits for us: so let it go."""
    return None if run.after.mounted else UNMOUNTED


def _scheduler_changed(run: Run) -> str | None:
    for seen in (run.before, run.after):
        for disk, scheduler in seen.schedulers.items():
            if scheduler != run.scheduler:
                return f"scheduler changed: {disk} had {scheduler} instead of {run.scheduler}"
    return None


def _tunable_changed(run: Run) -> str | None:
    for disk, before in run.before.tunables.items():
        after = run.after.tunables.get(disk, {})
        names = [name for name in sorted(before.keys() | after.keys()) if before.get(name) != after.get(name)]
        if names:
            name = names[0]
            return f"tunable changed: {name} of {disk} went from {before.get(name)} to {after.get(name)}"
    return None


def _page_cache(run: Run) -> str | None:
    claimed, moved = run.measurement.read_bytes, _grown(run, "read_bytes")
    if claimed is None or claimed <= moved * (1 + CLAIM_TOLERANCE) + CLAIM_SLACK_BYTES:
        return None
    return f"page cache or compression: the program read {claimed / 1e6:.0f} MB, the disk only {moved / 1e6:.0f} MB"


def _not_written(run: Run) -> str | None:
    claimed, moved = run.measurement.written_bytes, _grown(run, "written_bytes")
    if claimed is None or claimed <= moved * (1 + CLAIM_TOLERANCE) + CLAIM_SLACK_BYTES:
        return None
    return (
        f"not written: the program wrote {claimed / 1e6:.0f} MB, the disk only {moved / 1e6:.0f} MB "
        "(compression, deduplication or a copy that shares its blocks)"
    )


def _other_io(run: Run) -> str | None:
    read, written = run.measurement.read_bytes, run.measurement.written_bytes
    if not run.plain or read is None or written is None:
        return None
    foreign = _grown(run, "read_bytes") - read + _grown(run, "written_bytes") - written
    if foreign <= FOREIGN_SHARE * (read + written) + FOREIGN_SLACK_BYTES:
        return None
    return f"other I/O: other processes moved {foreign / 1e6:.0f} MB on the disk during the run"


def _faster_than_any(run: Run) -> str | None:
    before, after = run.before.counters, run.after.counters
    if run.ceiling_bytes_per_s is None or before is None or after is None or after.time_s <= before.time_s:
        return None
    moved = max(_grown(run, "read_bytes"), _grown(run, "written_bytes"))
    rate = moved / (after.time_s - before.time_s)
    if rate <= FASTER_THAN_ANY * run.ceiling_bytes_per_s:
        return None
    return (
        f"host cache: {rate / 1e6:.0f} MB/s came from a disk that can move {run.ceiling_bytes_per_s / 1e6:.0f} MB/s "
        "at most, so it came out of somebody's memory"
    )


def _not_direct(run: Run) -> str | None:
    if run.direct_works or not run.measurement.direct:
        return None
    return "O_DIRECT not honoured: this file system keeps in memory what a program asked to read from the disk"


def _stolen_cpu(run: Run) -> str | None:
    stolen = run.after.conditions.stolen_since(run.before.conditions)
    if stolen <= STEAL_SHARE:
        return None
    return f"CPU stolen: the hypervisor took {stolen:.0%} of the CPU during the run"


def _limited_cpu(run: Run) -> str | None:
    throttled_s = run.after.conditions.held_back_s_since(run.before.conditions)
    if throttled_s <= STEAL_SHARE * run.measurement.wall_s:
        return None
    return f"CPU limited: the control group was held back for {throttled_s:.2f} s"


def _battery(run: Run) -> str | None:
    if not run.before.conditions.on_battery and not run.after.conditions.on_battery:
        return None
    return ON_BATTERY


def _heat(run: Run) -> str | None:
    if hot := (*run.after.conditions.hot, *run.before.conditions.hot):
        return f"heat: {hot[0]}, so it may slow itself down"
    events = run.after.conditions.cpu_heat_events - run.before.conditions.cpu_heat_events
    return f"heat: the CPU slowed itself down {events} times during the run" if events > 0 else None


def _slept(run: Run) -> str | None:
    slept_s = run.after.asleep_s - run.before.asleep_s
    return f"suspended: the machine slept for {slept_s:.0f} s during the run" if slept_s > SLEPT_S else None


def _too_short(run: Run) -> str | None:
    if run.measurement.wall_s >= SHORTEST_S:
        return None
    return f"too short: the measured part took only {run.measurement.wall_s * 1000:.1f} ms"


def _no_number(run: Run) -> str | None:
    wrong = [name for name, value in run.measurement.values.items() if not 0 < value < float("inf")]
    return f"no number: {wrong[0]} came out as {run.measurement.values[wrong[0]]}" if wrong else None


def _grown(run: Run, name: str) -> int:
    """By how much a counter of the disks grew during the run."""
    before, after = run.before.counters, run.after.counters
    if before is None or after is None:
        return 0
    return int(getattr(after, name)) - int(getattr(before, name))


CHECKS: tuple[Callable[[Run], str | None], ...] = (
    _disk_gone,
    _read_only,
    _unmounted,
    _slept,
    _scheduler_changed,
    _tunable_changed,
    _no_number,
    _not_direct,
    _page_cache,
    _not_written,
    _faster_than_any,
    _other_io,
    _battery,
    _heat,
    _too_short,
)
DISTURBANCES: tuple[Callable[[Run], str | None], ...] = (_limited_cpu, _stolen_cpu)


def cpu_times(proc: Path = Path("/proc")) -> tuple[int, int]:
    """Return all CPU time and stolen CPU time since the start, in ticks (proc_stat(5); guest time is part of user)."""
    numbers = [int(word) for word in (proc / "stat").read_text().split("\n", 1)[0].split()[1:9]]
    return sum(numbers), numbers[7] if len(numbers) > 7 else 0


def asleep_s() -> float:
    """Return for how long the machine was suspended since its start: what the monotonic clock leaves out."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)


def throttled_us(cgroup: Path = Path("/sys/fs/cgroup")) -> int:
    """Return for how long this process's control group was held back, 0 where that is not known (cgroup v2)."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
        own = next(line[3:] for line in lines if line.startswith("0::"))
        text = (cgroup / own.lstrip("/") / "cpu.stat").read_text()
        return int(next(line.split()[1] for line in text.splitlines() if line.startswith("throttled_usec")))
    except (OSError, StopIteration):
        return 0


def is_read_only(folder: Path) -> bool:
    """Whether the file system went read-only (the kernel's answer to errors), or cannot be asked any more."""
    try:
        return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
    except OSError:
        return True


def same_file_system(folder: Path, held: Path) -> bool:
    """Whether a folder's name still leads to the file system of one that is held open."""
    try:
        return folder.stat().st_dev == held.stat().st_dev
    except OSError:
        return False
