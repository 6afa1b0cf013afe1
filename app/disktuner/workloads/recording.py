# SPDX-License-Identifier: GPL-3.0-or-later
"""Records what a program's start reads, without special rights: one start is timed, another is traced.

The first start shows how long the program computes and which files it maps. Those are dropped from memory, unless
others use them, before the second. There strace(1) shows what is read with system calls and which files are looked up;
only the processes' page tables (proc_pid_pagemap(5)) show which parts of mapped files are touched. A page is present if
it was touched, or if it was in memory and the kernel mapped it around a touched one: by default the 16 pages of a
window aligned in the address space (do_fault_around in mm/memory.c). So a window with any page present was touched
somewhere, and its middle stands for the place. From 6.18 on the kernel maps whole folios around a touched place; those
of a file read just then are small.

A start is over when the program ends, or when its processes have rested for ``REST_S``, as an open window does.
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
from disktuner.workloads.errors import ProgramFailed, RunFailed, exit_status
from disktuner.workloads.patterns import Pattern
from disktuner.workloads.processes import LOOK_S, Processes
from disktuner.workloads.supervisor import below
from disktuner.workloads.tracks import FileEvent, Tracks, What, events, traced

REST_S = 1.5
REST_SHARE = 0.05
"""Using less than this share of one processor for ``REST_S`` is rest. A blinking cursor takes less."""
LIMIT_S = 60.0
"""The longest start; anything later does not belong to it."""
TRACER = "strace"
END_S = 5.0
"""How long a program may take to end when asked to."""
WANTING = "RDt"
"""Process states: runnable, waiting for a disk, held by a tracer."""
_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
WINDOW = 16
"""Pages mapped around a touched one."""
ENTRY = 8  # bytes of pagemap for each page
_THERE = bytes(int(value >= 0x40) for value in range(256))  # bit 63 of an entry is "present", 62 "swapped"
_DELETED = " (deleted)"


@dataclass(frozen=True, slots=True)
class _Process:
    """A process of a start: whether it ``wants`` a processor or the disk, and its processor time."""

    pid: int
    name: str
    parent: int
    wants: bool
    used_s: float


@dataclass(frozen=True, slots=True)
class _Look:
    """What all processes of a start had done by a time of the monotonic clock."""

    at_s: float
    wants: bool
    used_s: float


@dataclass(frozen=True, slots=True)
class _Start:
    """When a start began on the system clock, its wall and processor time, whether it ended by itself."""

    began_s: float
    wall_s: float
    cpu_s: float
    ended: bool = False


def record(command: Sequence[str], processes: Processes, folder: Path = Path("/"), *, stays: bool = False) -> Pattern:
    """Start a program twice in a folder and return what its start reads.

    A program that ``stays`` has a window to be closed; it ends by itself only if it handed over to an instance that was
    already running. Raises ``RunFailed``.
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
    # The computing time hardly depends on the disk or other programs.
    return tracks.pattern(start.began_s, start.wall_s, min(timed.wall_s, timed.cpu_s))


def _started(argv: Sequence[str], processes: Processes, folder: Path, touched: Touched) -> _Start:
    """Start the program under the supervisor, watch it until its start is over, and end it."""
    limits = {"limit_s": LIMIT_S + END_S, "least_free_bytes": -1}
    with closing(Place(folder)) as place, supervised(processes, argv, place, folder, **limits) as (pid,):
        began_s = time.time()
    if start := _watched(pid, processes, touched, began_s):
        _end(pid, processes)
        return start
    ending = ended(processes, pid, "own", argv[0], may_fail=True)
    if ending.status:
        raise RunFailed("start-failed", program=argv[0], status=exit_status(ending.status), output=ending.said)
    return _Start(began_s, ending.wall_s, ending.cpu_s, ended=True)


def _watched(pid: int, processes: Processes, touched: Touched, began_s: float) -> _Start | None:
    """Watch the processes until they rest: the start was over when the rest began. None if all ended."""
    began, looks = time.monotonic(), deque[_Look]()
    while not processes.ended(pid):
        family = [process for child in below(pid) if (process := _process(child))]
        for process in family:
            # Skip the tracer, and forks of the supervisor that are about to become tracer or program.
            is_supervisor = process.parent == pid and _words(process.pid) == _words(pid)
            if process.name != TRACER and not is_supervisor:
                touched.look(process.pid, time.time())
        last = _Look(
            time.monotonic(), any(process.wants for process in family), sum(process.used_s for process in family)
        )
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
    """Whether hardly anything ran, or wanted to run, for ``REST_S``: on a busy machine processes have to wait."""
    used_s = looks[-1].used_s - looks[0].used_s
    wanted = sum(look.wants for look in looks)
    lasted_s = looks[-1].at_s - looks[0].at_s
    return lasted_s >= REST_S and 0 <= used_s <= REST_SHARE * lasted_s + _TICK_S and wanted <= REST_SHARE * len(looks)


def _end(pid: int, processes: Processes) -> None:
    """Ask the program to end, as a closing session does; the supervisor then kills whatever is left."""
    for child in list(below(pid)):
        if (process := _process(child)) and process.name != TRACER:
            with suppress(OSError):
                os.kill(child, signal.SIGTERM)
    until_s = time.monotonic() + END_S
    while not processes.ended(pid) and time.monotonic() < until_s:
        processes.pause(LOOK_S)
    processes.end(pid)
    with suppress(ProgramFailed):
        processes.wait(pid, LIMIT_S + 2 * END_S)


def _process(pid: int) -> _Process | None:
    """Return the state of a process (proc_pid_stat(5)); None if it is just ending."""
    with suppress(OSError):
        begin, _, end = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")
        words = end.split()
        used_s = (int(words[11]) + int(words[12])) * _TICK_S
        return _Process(pid, begin.partition("(")[2], int(words[1]), words[0] in WANTING, used_s)
    return None


def _words(pid: int) -> bytes:
    """Return a process's command line; empty if it is just ending."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


class Touched:
    """What processes have touched so far (``touches``): each window once, by the middle of its present pages."""

    def __init__(self) -> None:
        self._known: dict[str, set[int]] = {}
        self.touches: list[FileEvent] = []

    def look(self, pid: int, at_s: float) -> None:
        """Add what a process has touched; nothing if it is ending or belongs to another user."""
        with suppress(OSError, ValueError):
            mapped = list(parse_maps(Path(f"/proc/{pid}/maps").read_bytes()))
            with Path(f"/proc/{pid}/pagemap").open("rb", buffering=0) as pagemap:
                for path, page, file_page, count in mapped:
                    entries = os.pread(pagemap.fileno(), count * ENTRY, page * ENTRY)
                    present = entries[ENTRY - 1 :: ENTRY].translate(_THERE)
                    for begin, end in windows(present, page):
                        self._add(path, range(file_page + begin, file_page + end), at_s)

    def _add(self, path: str, pages: range, at_s: float) -> None:
        known = self._known.setdefault(path, set())
        if not known.issuperset(pages):
            known.update(pages)
            self.touches.append(FileEvent(at_s, What.TOUCHES, path, pages[len(pages) // 2] * mmap.PAGESIZE))


def windows(present: bytes, first: int) -> Iterator[tuple[int, int]]:
    """Yield begin and end of the present pages of each window; ``present`` has a byte per page from ``first`` on."""
    at = present.find(1)
    while at >= 0:
        end = ((first + at) // WINDOW + 1) * WINDOW - first
        yield at, present.rfind(1, at, end) + 1
        at = present.find(1, end)


def parse_maps(text: bytes) -> Iterator[tuple[str, int, int, int]]:
    """Yield mapped files (proc_pid_maps(5)): path, first page in the address space and in the file, page count."""
    for line in text.splitlines():
        words = line.split(maxsplit=5)
        if len(words) == 6 and words[5].startswith(b"/") and words[4] != b"0":
            page, end = (int(address, 16) // mmap.PAGESIZE for address in words[0].split(b"-"))
            path = os.fsdecode(words[5]).removesuffix(_DELETED)
            yield path, page, int(words[2], 16) // mmap.PAGESIZE, end - page
