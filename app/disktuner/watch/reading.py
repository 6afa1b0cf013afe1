# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a sample from /proc and /sys, cheaply enough to do it every second, all day."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from mmap import PAGESIZE
from typing import TypeAlias

from disktuner.block.counters import SECTOR_BYTES
from disktuner.block.pending import read_vmstat
from disktuner.block.sysfs import Tree, as_number, shown
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.watch.samples import Program, Sample, Stat

LOOK_AGAIN_S = 3.0
"""A process waits where it did so in a look no longer ago than this, too: looks are a second apart while it matters."""
_FULL = re.compile(r"^full .*total=(\d+)", re.MULTILINE)
_SERVICES = "sys/fs/cgroup/system.slice"
_COUNTED = re.compile(r"(rbytes|wbytes)=(\d+)")
Found: TypeAlias = tuple[str, bool, tuple[int, int]]
"""The name of a process, whether it is uninterruptible, and what it had read from disks and written for them."""
_KERNEL = "2"
"""The process whose children are the kernel's own threads (kthreadd)."""


class Reader:
    """Reads below a root folder; it remembers what it saw last, as what did not change costs nothing then.

    Pressure is that of the user's own programs where the kernel counts it apart (control groups of systemd, version 2).
    """

    def __init__(self, tree: Tree, uid: int) -> None:
        self._tree = tree
        group = f"sys/fs/cgroup/user.slice/user-{uid}.slice"
        grouped = tree.exists(f"{group}/io.pressure")
        self._pressure = f"{group}/{{}}.pressure" if grouped else "proc/pressure/{}"
        self._disks: dict[str, tuple[str, Stat]] = {}
        self._processes: dict[str, tuple[int, int]] | None = None
        self._held_up: frozenset[str] = frozenset()
        self._looked_s = float("-inf")

    def read(self, time_s: float) -> Sample:
        """Return what is counted now, but for the programs. Raises ``MeasurementImpossible``."""
        pages = read_vmstat(self._tree)
        swapped = pages.get("pswpin", 0) + pages.get("pswpout", 0)
        return Sample(
            time_s,
            self._stalled_us("io"),
            self._stalled_us("memory"),
            (pages.get("nr_dirty", 0) + pages.get("nr_writeback", 0)) * PAGESIZE,
            swapped * PAGESIZE,
            self._read_disks(),
        )

    def _stalled_us(self, what: str) -> int:
        found = _FULL.search(self._tree.text(self._pressure.format(what)) or "")
        if found is None:
            raise MeasurementImpossible("no-pressure")
        return int(found[1])

    def _read_disks(self) -> dict[str, Stat]:
        """Disks that never did anything are left out: loop devices that nobody uses."""
        now: dict[str, tuple[str, Stat]] = {}
        for name in self._tree.names("sys/block"):
            text = self._tree.text(f"sys/block/{name}/stat")
            known = self._disks.get(name)
            if known is not None and known[0] == text:
                now[name] = known
            elif text and (stat := _stat(text)):
                now[name] = (text, stat)
        self._disks = now
        return {name: stat for name, (_, stat) in now.items() if any(stat)}

    def look(self, time_s: float) -> tuple[Program, ...]:
        """Return what programs did since the last look: those of this user, and services where they are counted."""
        read, written, waits = Counter[str](), Counter[str](), set[str]()
        processes, held_up = dict[str, tuple[int, int]](), set[str]()
        asleep_before = self._held_up if time_s - self._looked_s <= LOOK_AGAIN_S else frozenset()
        for pid, (name, is_held_up, moved) in (*self._own(), *self._services()):
            processes[pid] = moved
            # What is new has moved everything since the last look; at the first look nothing is new.
            before = (self._processes or processes).get(pid, (0, 0))
            read[name] += max(moved[0] - before[0], 0)
            written[name] += max(moved[1] - before[1], 0)
            if is_held_up:
                held_up.add(pid)
                if pid in asleep_before:
                    waits.add(name)
        self._processes, self._held_up, self._looked_s = processes, frozenset(held_up), time_s
        names = [name for name in read if read[name] or written[name] or name in waits]
        return tuple(Program(name, read[name], written[name], name in waits) for name in names)

    def _own(self) -> Iterator[tuple[str, Found]]:
        for pid in self._tree.names("proc"):
            if pid.isdigit() and (found := self._process(pid)):
                yield pid, found

    def _services(self) -> Iterator[tuple[str, Found]]:
        """The system's services, where control groups count their I/O."""
        for name in self._tree.names(_SERVICES):
            if name.endswith(".service") and (text := self._tree.text(f"{_SERVICES}/{name}/io.stat")):
                moved = Counter[str]()
                for key, value in _COUNTED.findall(text):
                    moved[key] += int(value)
                yield name, (name.removesuffix(".service"), False, (moved["rbytes"], moved["wbytes"]))

    def _process(self, pid: str) -> Found | None:
        counted = (self._tree.text(f"proc/{pid}/io") or "").split()
        about = self._tree.text(f"proc/{pid}/stat") or ""
        name, _, rest = about.partition("(")[2].rpartition(")")
        state, parent, *_ = (*rest.split()[:2], "", "")
        if len(counted) < 12 or not state or parent == _KERNEL or pid == str(os.getpid()):
            return None
        return shown(name), state == "D", (as_number(counted[9]), as_number(counted[11]))


def _stat(text: str) -> Stat | None:
    words = text.split()
    if len(words) < 11:
        return None
    reads, _, read, _, writes, _, written, _, in_flight, busy_ms, _ = map(as_number, words[:11])
    return Stat(reads, read * SECTOR_BYTES, writes, written * SECTOR_BYTES, in_flight, busy_ms)
