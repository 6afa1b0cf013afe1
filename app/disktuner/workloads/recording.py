# SPDX-License-Identifier: GPL-3.0-or-later
"""Records without rights what a program's start reads: it is started twice, once to be timed and once to be traced.

The first start tells how long the program computes and which files it maps. Those leave the memory, as far as nobody
else uses them, before the second one. What that reads with system calls, and which files it looks up, strace(1) tells;
what is touched of mapped files, only the processes' page tables (proc_pid_pagemap(5)). A page is there when it was
touched, or when the kernel mapped it around a touched one because it was in memory: by default, the 16 pages of a
window that is aligned in the address space (do_fault_around in mm/memory.c). So a window of which anything is there was
touched in a place that is not known; its middle stands for that. A kernel from 6.18 on maps whole folios around a
touched place; those of a file that was just read for that are small.

A start ends when the program does, or when its processes have rested for ``REST_S``: a window that was shown waits.
"""

from __future__ import annotations

import mmap
import os
import signal
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from disktuner.workloads.cold import evict
from disktuner.workloads.commands import Place, ended, supervised
from disktuner.workloads.errors import ProgramFailed, RunFailed
from disktuner.workloads.patterns import Pattern
from disktuner.workloads.processes import LOOK_S, Processes
from disktuner.workloads.supervisor import below
from disktuner.workloads.tracks import Event, Tracks, What, events, traced

REST_S = 1.5
REST_SHARE = 0.05
"""Of one processor: less than this for ``REST_S`` is rest. A blinking cursor takes less."""
LIMIT_S = 60.0
"""How long a start may take; what comes later does not belong to it."""
TRACER = "strace"
END_S = 5.0
"""How long a program may take to end when it is asked to."""
WANTING = "RDt"
"""States of a process that runs or waits for a processor, that waits for a disk, and that its tracer holds."""
_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
WINDOW = 16
"""Pages that are mapped around a touched one."""
ENTRY = 8  # bytes of pagemap for each page
_THERE = bytes(int(value >= 0x40) for value in range(256))  # bit 63 of an entry is "present", 62 "swapped"
_DELETED = " (deleted)"


@dataclass(frozen=True, slots=True)
class _Process:
    """A process of a start: whether it ``wants`` something, a processor or the disk, and what processors it used."""

    pid: int
    name: str
    parent: int
    wants: bool
    used_s: float


@dataclass(frozen=True, slots=True)
class _Look:
    """What all processes of a start did at a time of the steady clock."""

    at_s: float
    wants: bool
    used_s: float


@dataclass(frozen=True, slots=True)
class _Start:
    """When a start began on the system's clock, how long it and its processors took, whether it ended by itself."""

    began_s: float
    wall_s: float
    cpu_s: float
    ended: bool = False


def record(command: Sequence[str], processes: Processes, folder: Path = Path("/"), *, stays: bool = False) -> Pattern:
    """Start a program twice in a folder and return what its start reads.

    One that ``stays`` has a window that must be closed, so that it ends by itself only where it handed over to an
    instance that runs already. Raises ``RunFailed``.
    """
    mapped = Touched()
    timed = _started(command, processes, folder, mapped)
    if stays and timed.ended:
        raise RunFailed("start-handed-over", program=command[0])
    evict(sorted({Path(touch.path) for touch in mapped.touches}), processes.check)
    touched = Touched()
    trace = os.memfd_create("disktuner-trace", os.MFD_CLOEXEC)
    with os.fdopen(trace, encoding="utf-8", errors="surrogateescape") as log:
        start = _started(traced(f"/proc/{os.getpid()}/fd/{trace}", command), processes, folder, touched)
        log.seek(0)
        tracks = Tracks(events(log, folder), touched.touches)
    # Neither the disk nor other programs change much how long it computes.
    return tracks.pattern(start.began_s, start.wall_s, min(timed.wall_s, timed.cpu_s))


def _started(argv: Sequence[str], processes: Processes, folder: Path, touched: Touched) -> _Start:
    """Start it under the supervisor, watch it until its start is over, and end it."""
    limits = {"limit_s": LIMIT_S + END_S, "least_free_bytes": -1}
    with closing(Place(folder)) as place, supervised(processes, argv, place, folder, **limits) as (pid,):
        began_s = time.time()
    if start := _watched(pid, processes, touched, began_s):
        _end(pid, processes)
        return start
    found = ended(processes, pid, "own", argv[0], may_fail=True)
    if found.status:
        raise RunFailed("start-failed", program=argv[0], status=found.status, output=found.said)
    return _Start(began_s, found.wall_s, found.cpu_s, ended=True)


def _watched(pid: int, processes: Processes, touched: Touched, began_s: float) -> _Start | None:
    """Look at the processes until they rest: then the start was over when that began. None where all ended."""
    began, looks = time.monotonic(), deque[_Look]()
    while not processes.ended(pid):
        family = [found for each in below(pid) if (found := _process(each))]
        for each in family:
            # Neither the tracer, nor what is about to become one of the two.
            is_supervisor = each.parent == pid and _words(each.pid) == _words(pid)
            if each.name != TRACER and not is_supervisor:
                touched.look(each.pid, time.time())
        last = _Look(time.monotonic(), any(each.wants for each in family), sum(each.used_s for each in family))
        looks.append(last)
        while last.at_s - looks[1 % len(looks)].at_s > REST_S:
            looks.popleft()
        if _rests(looks):
            return _Start(began_s, max(looks[0].at_s - began, LOOK_S), looks[0].used_s)
        if last.at_s - began > LIMIT_S:
            return _Start(began_s, LIMIT_S, last.used_s)
        processes.pause(LOOK_S)
    return None


def _rests(looks: Sequence[_Look]) -> bool:
    """Whether hardly anything was done, or wanted to be done, in all of ``REST_S``: on a busy machine one must wait."""
    used_s = looks[-1].used_s - looks[0].used_s
    wanted = sum(look.wants for look in looks)
    lasted_s = looks[-1].at_s - looks[0].at_s
    return lasted_s >= REST_S and 0 <= used_s <= REST_SHARE * lasted_s + _TICK_S and wanted <= REST_SHARE * len(looks)


def _end(pid: int, processes: Processes) -> None:
    """Ask the program to end, as a session does that is closed; what is left then is killed by the supervisor."""
    for each in list(below(pid)):
        if (found := _process(each)) and found.name != TRACER:
            with suppress(OSError):
                os.kill(each, signal.SIGTERM)
    until_s = time.monotonic() + END_S
    while not processes.ended(pid) and time.monotonic() < until_s:
        processes.pause(LOOK_S)
    processes.end(pid)
    with suppress(ProgramFailed):
        processes.wait(pid, LIMIT_S + 2 * END_S)


def _process(pid: int) -> _Process | None:
    """Return what the kernel says of a process (proc_pid_stat(5)), None where it just ends."""
    with suppress(OSError):
        begin, _, end = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")
        words = end.split()
        used_s = (int(words[11]) + int(words[12])) * _TICK_S
        return _Process(pid, begin.partition("(")[2], int(words[1]), words[0] in WANTING, used_s)
    return None


def _words(pid: int) -> bytes:
    """Return a process's command line, empty where it just ends."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


class Touched:
    """What some processes have touched so far (``touches``): of each window, once, the middle of its pages there."""

    def __init__(self) -> None:
        self._known: dict[str, set[int]] = {}
        self.touches: list[Event] = []

    def look(self, pid: int, at_s: float) -> None:
        """Look at a process; one that ends meanwhile, or belongs to another user, has nothing more to show."""
        with suppress(OSError, ValueError):
            mapped = list(parse_maps(Path(f"/proc/{pid}/maps").read_bytes()))
            with Path(f"/proc/{pid}/pagemap").open("rb", buffering=0) as pagemap:
                for path, page, file_page, count in mapped:
                    entries = os.pread(pagemap.fileno(), count * ENTRY, page * ENTRY)
                    there = entries[ENTRY - 1 :: ENTRY].translate(_THERE)
                    for begin, end in windows(there, page):
                        self._add(path, range(file_page + begin, file_page + end), at_s)

    def _add(self, path: str, pages: range, at_s: float) -> None:
        known = self._known.setdefault(path, set())
        if not known.issuperset(pages):
            known.update(pages)
            self.touches.append(Event(at_s, What.TOUCHES, path, pages[len(pages) // 2] * mmap.PAGESIZE))


def windows(there: bytes, first: int) -> Iterator[tuple[int, int]]:
    """Go through the windows with a page that is ``there`` (a byte each, from page ``first`` on): first, and behind."""
    at = there.find(1)
    while at >= 0:
        end = ((first + at) // WINDOW + 1) * WINDOW - first
        yield at, there.rfind(1, at, end) + 1
        at = there.find(1, end)


def parse_maps(text: bytes) -> Iterator[tuple[str, int, int, int]]:
    """Go through mapped files (proc_pid_maps(5)): path, first page in the address space and in the file, how many."""
    for line in text.splitlines():
        words = line.split(maxsplit=5)
        if len(words) == 6 and words[5].startswith(b"/") and words[4] != b"0":
            page, last = (int(each, 16) // mmap.PAGESIZE for each in words[0].split(b"-"))
            path = os.fsdecode(words[5]).removesuffix(_DELETED)
            yield path, page, int(words[2], 16) // mmap.PAGESIZE, last - page
