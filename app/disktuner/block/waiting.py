# SPDX-License-Identifier: GPL-3.0-or-later
"""For how long programs stalled (Documentation/accounting/psi.rst), and how much of that was waiting for a disk.

The latter is confirmed by the disk's activity and tasks in D state: since Linux 6.5 (stable 6.1.39) a task that sleeps
in io_uring counts as waiting for I/O, even without any request to a disk (``in_iowait`` in io_uring/io_uring.c; from
6.15 a program may opt out with IORING_ENTER_NO_IOWAIT). Such a task is in S state, and no request is in flight.
"""

from __future__ import annotations

import functools
import math
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from disktuner.block.counters import Counters, parse_stat
from disktuner.block.sysfs import Tree

RESTS = 0.05
"""If all disks together had requests for less than this share of the time, they were at rest."""
DOUBTFUL = 0.1
"""Pressure is doubted if there was more than this share of it while disks were at rest."""
MEMORY_S = 60.0
"""About how long pressure at rest is remembered. Programs that sleep in io_uring do so for hours."""
NEEDS_S = 5.0
"""How long disks must have been at rest before pressure is believed at all."""
LONG = 0.5
"""A program that waits for more than this share of an interval is probably in D state at its end."""
KERNEL = "2"
"""The parent of the kernel's threads (kthreadd)."""


class Pressure:
    """The pressure on the user's own programs if the kernel counts it (systemd's cgroups v2), or else on all."""

    def __init__(self, tree: Tree, uid: int) -> None:
        group = f"sys/fs/cgroup/user.slice/user-{uid}.slice"
        grouped = tree.exists(f"{group}/io.pressure")
        self._tree, self._place = tree, f"{group}/{{}}.pressure" if grouped else "proc/pressure/{}"

    def stalled_us(self, what: str) -> int | None:
        """Return how long all stalled on ``io`` or ``memory`` at once, in microseconds; None if not counted."""
        return stalled_us(self._tree, self._place.format(what), "full")


def stalled_us(tree: Tree, path: str, whom: str) -> int | None:
    """Return a pressure file's total in microseconds, for ``some`` or all (``full``); None without such a file."""
    total = re.search(rf"^{whom} .*total=(\d+)", tree.text(path) or "", re.MULTILINE)
    return int(total[1]) if total else None


class Interval(NamedTuple):
    """What was counted between two looks, in seconds.

    ``pressure_s`` is how long programs waited according to the kernel, ``busy_s`` how long the disk had requests,
    ``answers_s`` a bound on how long reads or flushes waited, as programs do (writes may not keep anybody waiting),
    ``any_busy_s`` a bound on how long any disk had requests.
    """

    wall_s: float
    pressure_s: float
    busy_s: float
    answers_s: float
    any_busy_s: float


@dataclass(slots=True)
class Witness:
    """Confirms pressure, interval after interval. Attributes: ``is_doubtful``.

    While there is no pressure at rest, it is believed as far as the disk was busy. Otherwise it counts only if one of
    the user's tasks is in D state or, if short, while reads or flushes waited.
    """

    _rest_s: float = 0.0
    _pressure_at_rest_s: float = 0.0

    @property
    def is_doubtful(self) -> bool:
        """Whether the kernel lately counted waiting while all disks were at rest, or that is not known yet."""
        return self._rest_s < NEEDS_S or self._pressure_at_rest_s > DOUBTFUL * self._rest_s

    def confirmed_s(self, seen: Interval, held_up: Callable[[], bool]) -> float:
        """Return for how long programs waited for the disk; ``held_up`` tells whether one is in D state now."""
        self.note(seen.wall_s, seen.pressure_s, seen.any_busy_s)
        possible_s = min(seen.wall_s, seen.pressure_s, seen.busy_s)
        if not self.is_doubtful or possible_s <= 0 or held_up():
            return possible_s
        short_s = min(possible_s, seen.answers_s)
        return short_s if short_s < LONG * seen.wall_s else 0.0

    def note(self, wall_s: float, pressure_s: float, any_busy_s: float) -> None:
        """Remember the pressure if all disks were at rest."""
        if any_busy_s < RESTS * wall_s:
            kept = math.exp(-wall_s / MEMORY_S)
            self._rest_s = kept * self._rest_s + wall_s
            self._pressure_at_rest_s = kept * self._pressure_at_rest_s + pressure_s


class Shares:
    """The share of the time that any program waited for each disk, look after look (``some`` in /proc/pressure/io)."""

    def __init__(self, tree: Tree, clock: Callable[[], float] = time.monotonic) -> None:
        self._tree, self._clock, self._programs = tree, clock, Programs(tree)
        self._witnesses = defaultdict[str, Witness](Witness)
        self._before = self._read()

    def look(self, disks: Iterable[str]) -> dict[str, float | None]:
        """Return the shares since the last look (0 to 1); None if the kernel does not count pressure."""
        (time_s, waited_s, counters), now = self._before, self._read()
        self._before = now
        wall_s = now[0] - time_s
        if waited_s is None or now[1] is None or wall_s <= 0:
            return dict.fromkeys(disks)
        pressure_s = min(wall_s, max(now[1] - waited_s, 0.0))
        held_up = functools.cache(self._programs.is_any_held_up)
        return {
            disk: self._witnesses[disk].confirmed_s(interval(wall_s, pressure_s, disk, counters, now[2]), held_up)
            / wall_s
            for disk in disks
        }

    def _read(self) -> tuple[float, float | None, dict[str, Counters]]:
        waited_us = stalled_us(self._tree, "proc/pressure/io", "some")
        return self._clock(), None if waited_us is None else waited_us / 1e6, read_counters(self._tree)


def read_counters(tree: Tree) -> dict[str, Counters]:
    """Return the counters of all disks by name."""
    stats = ((disk, tree.text(f"sys/block/{disk}/stat") or "") for disk in tree.names("sys/block"))
    return {disk: counters for disk, stat in stats if (counters := parse_stat(stat, 0.0))}


def interval(
    wall_s: float, pressure_s: float, disk: str, before: Mapping[str, Counters], after: Mapping[str, Counters]
) -> Interval:
    """Return what was counted between two readings of all disks, for one of them."""

    def grown_s(name: str, counter: str) -> float:
        known = name in before and name in after
        return max(getattr(after[name], counter) - getattr(before[name], counter), 0) / 1000 if known else 0.0

    busy = {name: now.busy_ms_since(before[name]) / 1000 for name, now in after.items() if name in before}
    busy_s = busy.get(disk, 0.0)
    answers_s = min(grown_s(disk, "read_ms") + grown_s(disk, "flush_ms"), busy_s)
    return Interval(wall_s, pressure_s, busy_s, answers_s, sum(busy.values()))


class Programs:
    """This user's programs. The kernel's threads, often half of all processes, are read only once."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._kernel_threads: set[str] = set()

    def is_any_held_up(self) -> bool:
        """Whether one is in uninterruptible sleep (D), waiting for a local or network disk."""
        pids = {name for name in self._tree.names("proc") if name.isdigit()}
        self._kernel_threads &= pids
        return any(self._is_held_up(pid) for pid in pids - self._kernel_threads)

    def _is_held_up(self, pid: str) -> bool:
        """Whether a process is in D state, and the user's own: only those show their I/O (proc_pid_io(5))."""
        stat = (self._tree.text(f"proc/{pid}/stat") or "").rpartition(")")[2]
        state, parent, *_ = (*stat.split(maxsplit=2)[:2], "", "")
        if parent == KERNEL:
            self._kernel_threads.add(pid)
            return False
        return state == "D" and self._tree.text(f"proc/{pid}/io") is not None
