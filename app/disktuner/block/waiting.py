# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of the kernel's pressure is waiting for a disk: confirmed by what the disk did, and by tasks in D state.

Since Linux 6.5 (stable 6.1.39) a task that sleeps in io_uring is counted as waiting for I/O, though nothing is asked of
any disk (``in_iowait`` in io_uring/io_uring.c; from 6.15 a program may opt out with IORING_ENTER_NO_IOWAIT). Such a
task is in S state, and no request is in flight.
"""

from __future__ import annotations

import functools
import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from disktuner.block.counters import Counters, parse_stat
from disktuner.block.pressure import stalled_us
from disktuner.block.sysfs import Tree

RESTS = 0.05
"""Where all disks together had requests for less than this share of the time, nobody can have waited for one."""
DOUBTFUL = 0.1
"""Pressure is not believed where disks at rest saw more than this share of their time of it."""
MEMORY_S = 60.0
"""So far back, about, goes what disks at rest saw. Programs that sleep in io_uring do so for hours."""
NEEDS_S = 5.0
"""Disks must have been at rest for so long before pressure is believed at all."""
LONG = 0.5
"""Who waits for more than this share of a look is found in D state at its end more often than not."""
KERNEL = "2"
"""The process whose children are the kernel's own threads (kthreadd)."""


class Interval(NamedTuple):
    """What was counted between two looks, in seconds.

    ``pressure_s`` is for how long all programs waited as the kernel has it; ``busy_s`` for how long the disk had
    requests, ``answers_s`` for how long at most a read or a flush waited, as a program does (a write may wait for
    nobody), ``any_busy_s`` for how long at most any disk had requests.
    """

    wall_s: float
    pressure_s: float
    busy_s: float
    answers_s: float
    any_busy_s: float


@dataclass(slots=True)
class Witness:
    """Confirms pressure, interval after interval. Attributes: ``is_doubtful``.

    While disks at rest see no pressure it is believed as far as the disk was busy. Otherwise it counts where one of the
    user's tasks is in D state, or, if only shortly, while reads or flushes waited.
    """

    _rest_s: float = 0.0
    _pressure_at_rest_s: float = 0.0

    @property
    def is_doubtful(self) -> bool:
        """Whether the kernel lately counted waiting while no disk had anything to do, or that is not known yet."""
        return self._rest_s < NEEDS_S or self._pressure_at_rest_s > DOUBTFUL * self._rest_s

    def confirmed_s(self, seen: Interval, held_up: Callable[[], bool]) -> float:
        """Return for how long programs waited for the disk; ``held_up`` says whether one of them is in D state now."""
        self.note(seen.wall_s, seen.pressure_s, seen.any_busy_s)
        possible_s = min(seen.wall_s, seen.pressure_s, seen.busy_s)
        if not self.is_doubtful or possible_s <= 0 or held_up():
            return possible_s
        short_s = min(possible_s, seen.answers_s)
        return short_s if short_s < LONG * seen.wall_s else 0.0

    def note(self, wall_s: float, pressure_s: float, any_busy_s: float) -> None:
        """Take in what pressure there was beside what any disk did."""
        if any_busy_s < RESTS * wall_s:
            kept = math.exp(-wall_s / MEMORY_S)
            self._rest_s = kept * self._rest_s + wall_s
            self._pressure_at_rest_s = kept * self._pressure_at_rest_s + pressure_s


class Shares:
    """Which share of the time any program waited for each disk, look after look (``some`` in /proc/pressure/io)."""

    def __init__(self, tree: Tree, clock: Callable[[], float] = time.monotonic) -> None:
        self._tree, self._clock = tree, clock
        self._witnesses = defaultdict[str, Witness](Witness)
        self._before = self._read()

    def look(self, disks: Iterable[str]) -> dict[str, float | None]:
        """Return the shares since the last look (0 to 1); None where the kernel does not count pressure."""
        (time_s, waited_s, counters), now = self._before, self._read()
        self._before = now
        wall_s = now[0] - time_s
        if waited_s is None or now[1] is None or wall_s <= 0:
            return dict.fromkeys(disks)
        pressure_s = min(wall_s, max(now[1] - waited_s, 0.0))
        held_up = functools.cache(lambda: is_anybody_held_up(self._tree))
        return {
            disk: self._witnesses[disk].confirmed_s(interval(wall_s, pressure_s, disk, counters, now[2]), held_up)
            / wall_s
            for disk in disks
        }

    def _read(self) -> tuple[float, float | None, dict[str, Counters]]:
        waited_us = stalled_us(self._tree, "proc/pressure/io", "some")
        return self._clock(), None if waited_us is None else waited_us / 1e6, read_counters(self._tree)


def read_counters(tree: Tree) -> dict[str, Counters]:
    """Return what the kernel counted of all disks, by name."""
    stats = ((disk, tree.text(f"sys/block/{disk}/stat") or "") for disk in tree.names("sys/block"))
    return {disk: counters for disk, stat in stats if (counters := parse_stat(stat, 0.0))}


def interval(
    wall_s: float, pressure_s: float, disk: str, before: Mapping[str, Counters], after: Mapping[str, Counters]
) -> Interval:
    """Return what was counted between two readings of all disks, about one of them."""

    def grown_s(name: str, counter: str) -> float:
        known = name in before and name in after
        return max(getattr(after[name], counter) - getattr(before[name], counter), 0) / 1000 if known else 0.0

    busy_s = grown_s(disk, "busy_ms")
    answers_s = min(grown_s(disk, "read_ms") + grown_s(disk, "flush_ms"), busy_s)
    return Interval(wall_s, pressure_s, busy_s, answers_s, sum(grown_s(name, "busy_ms") for name in after))


def is_anybody_held_up(tree: Tree) -> bool:
    """Say whether a program of this user's is in uninterruptible sleep (D): it waits for a disk, or for a network's."""
    return any(_is_held_up(tree, pid) for pid in tree.names("proc") if pid.isdigit())


def _is_held_up(tree: Tree, pid: str) -> bool:
    """Only of one's own programs the kernel says what they read and wrote (proc_pid_io(5))."""
    state, parent, *_ = (*(tree.text(f"proc/{pid}/stat") or "").rpartition(")")[2].split()[:2], "", "")
    return state == "D" and parent != KERNEL and tree.text(f"proc/{pid}/io") is not None
