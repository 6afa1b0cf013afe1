# SPDX-License-Identifier: GPL-3.0-or-later
"""Which parts of mapped files running processes have touched, out of their page tables (proc_pid_pagemap(5)).

A page is there when it was touched, or when the kernel mapped it around a touched one because it was in memory: the
16 pages of a window that is aligned in the address space, by default (do_fault_around in mm/memory.c). So a window of
which anything is there was touched in a place that is not known; its middle stands for that.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from disktuner.workloads.strace_log import Event, What

WINDOW = 16
"""Pages that are mapped around a touched one."""
ENTRY = 8  # bytes of pagemap for each page
_THERE = bytes(int(value >= 0x40) for value in range(256))  # bit 63 of an entry is "present", 62 "swapped"
_DELETED = " (deleted)"


class Touched:
    """What some processes have touched so far: looked at over and over, each window counts when it is first seen.

    Attributes: ``touches`` are the windows, each as the middle one of its pages that are there.
    """

    def __init__(self) -> None:
        self._known: dict[str, set[int]] = {}
        self.touches: list[Event] = []

    def look(self, pid: int, at_s: float) -> None:
        """Look at a process; one that ends meanwhile, or belongs to another user, has nothing more to show."""
        with suppress(OSError, ValueError):
            mapped = list(parse_maps(Path(f"/proc/{pid}/maps").read_bytes()))
            fd = os.open(f"/proc/{pid}/pagemap", os.O_RDONLY | os.O_CLOEXEC)
            try:
                for path, page, file_page, count in mapped:
                    entries = os.pread(fd, count * ENTRY, page * ENTRY)
                    there = entries[ENTRY - 1 :: ENTRY].translate(_THERE)
                    for begin, end in windows(there, page):
                        self._add(path, range(file_page + begin, file_page + end), at_s)
            finally:
                os.close(fd)

    def _add(self, path: str, pages: range, at_s: float) -> None:
        known = self._known.setdefault(path, set())
        if not known.issuperset(pages):
            known.update(pages)
            self.touches.append(Event(at_s, What.TOUCHES, path, pages[len(pages) // 2] * mmap.PAGESIZE))


def windows(there: bytes, first: int) -> Iterator[tuple[int, int]]:
    """Go through the windows of which a page is there: the first of those pages, and the first behind them.

    ``there`` has a byte for each page, 1 where it is there, from page ``first`` of the address space on.
    """
    at = there.find(1)
    while at >= 0:
        end = ((first + at) // WINDOW + 1) * WINDOW - first
        yield at, there.rfind(1, at, end) + 1
        at = there.find(1, end)


def parse_maps(text: bytes) -> Iterator[tuple[str, int, int, int]]:
    """Go through the files of ``/proc/PID/maps`` (proc_pid_maps(5)).

    Of each: its path, its first page in the address space and in the file, and how many pages are mapped.
    """
    for line in text.splitlines():
        words = line.split(maxsplit=5)
        if len(words) == 6 and words[5].startswith(b"/") and words[4] != b"0":
            page, last = (int(each, 16) // mmap.PAGESIZE for each in words[0].split(b"-"))
            path = os.fsdecode(words[5]).removesuffix(_DELETED)
            yield path, page, int(words[2], 16) // mmap.PAGESIZE, last - page
