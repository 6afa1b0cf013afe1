# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads samples from /proc and /sys, cheaply enough for one a second all day."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from mmap import PAGESIZE
from typing import NamedTuple

from disktuner.block.counters import Counters, parse_stat
from disktuner.block.pending import read_vmstat
from disktuner.block.sysfs import Tree, as_number, shown
from disktuner.block.waiting import KERNEL, Pressure
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner_watch.samples import Program, Sample, Stat

_SERVICES = "sys/fs/cgroup/system.slice"
_COUNTED = re.compile(r"(rbytes|wbytes)=(\d+)")


class Process(NamedTuple):
    """A process or service, and what it and its ended children have read from disks and written for them."""

    name: str
    parent: str
    is_held_up: bool
    read_bytes: int
    written_bytes: int


class _Disk(NamedTuple):
    """A disk's ``stat`` file, and what it says."""

    text: str
    counters: Counters
    stat: Stat


_NEW = Process("", "", False, 0, 0)


class Reader:
    """Reads below a root folder; what has not changed since the last reading is not parsed again."""

    def __init__(self, tree: Tree, uid: int) -> None:
        self._tree = tree
        self._pressure = Pressure(tree, uid)
        self._disks: dict[str, _Disk] = {}
        self._processes: Mapping[str, Process] | None = None

    def read(self, time_s: float) -> Sample:
        """Return a sample without programs. Raises ``MeasurementImpossible``."""
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
        stalled_us = self._pressure.stalled_us(what)
        if stalled_us is None:
            raise MeasurementImpossible("no-pressure")
        return stalled_us

    def _read_disks(self) -> dict[str, Stat]:
        """Leave out disks that never did anything, such as unused loop devices."""
        now: dict[str, _Disk] = {}
        for name in self._tree.names("sys/block"):
            text = self._tree.text(f"sys/block/{name}/stat")
            previous = self._disks.get(name)
            if previous is not None and previous.text == text:
                now[name] = previous
            elif text and (counters := parse_stat(text, 0.0)):
                now[name] = _Disk(text, counters, _stat(counters, previous))
        self._disks = now
        return {name: disk.stat for name, disk in now.items() if any(disk.stat)}

    def look(self) -> tuple[Program, ...]:
        """Return what this user's programs, and services if counted, did since the last look."""
        read, written, held_up = Counter[str](), Counter[str](), set[str]()
        now = dict((*self._user_programs(), *self._services()))
        before = now if self._processes is None else self._processes
        inherited = _inherited_bytes(before, now)
        for pid, process in now.items():
            # A new process has moved everything since the last look.
            _, _, _, read_before, written_before = before.get(pid, _NEW)
            read[process.name] += max(process.read_bytes - read_before - inherited[pid, "read"], 0)
            written[process.name] += max(process.written_bytes - written_before - inherited[pid, "written"], 0)
            if process.is_held_up:
                held_up.add(process.name)
        self._processes = now
        names = [name for name in read if read[name] or written[name] or name in held_up]
        return tuple(Program(name, read[name], written[name], name in held_up) for name in names)

    def _user_programs(self) -> Iterator[tuple[str, Process]]:
        for pid in self._tree.names("proc"):
            if pid.isdigit() and (process := self._process(pid)):
                yield pid, process

    def _services(self) -> Iterator[tuple[str, Process]]:
        """The system's services, if control groups count their I/O."""
        for name in self._tree.names(_SERVICES):
            if name.endswith(".service") and (text := self._tree.text(f"{_SERVICES}/{name}/io.stat")):
                moved = Counter[str]()
                for key, value in _COUNTED.findall(text):
                    moved[key] += int(value)
                yield name, Process(name.removesuffix(".service"), "", False, moved["rbytes"], moved["wbytes"])

    def _process(self, pid: str) -> Process | None:
        counted = (self._tree.text(f"proc/{pid}/io") or "").split()
        status = self._tree.text(f"proc/{pid}/stat") or ""
        name, _, rest = status.partition("(")[2].rpartition(")")
        state, parent, *_ = (*rest.split()[:2], "", "")
        if len(counted) < 12 or not state or parent == KERNEL or pid == str(os.getpid()):
            return None
        return Process(shown(name), parent, state == "D", as_number(counted[9]), as_number(counted[11]))


def _inherited_bytes(before: Mapping[str, Process], now: Mapping[str, Process]) -> Counter[tuple[str, str]]:
    """Return what the kernel added to processes for ended children, and was already counted for those."""
    inherited = Counter[tuple[str, str]]()
    for pid in before.keys() - now.keys():
        parent = before[pid].parent
        while parent in before and parent not in now:
            parent = before[parent].parent
        inherited[parent, "read"] += before[pid].read_bytes
        inherited[parent, "written"] += before[pid].written_bytes
    return inherited


def _stat(now: Counters, before: _Disk | None) -> Stat:
    busy_ms = before.stat.busy_ms + now.busy_ms_since(before.counters) if before else now.busy_ms
    moved = now.reads, now.read_bytes, now.writes, now.written_bytes
    return Stat(*moved, now.in_flight, busy_ms, now.discards, now.discard_ms, now.flushes)
