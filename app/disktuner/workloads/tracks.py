# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a pattern of what was seen of a start: reads, touched windows and look-ups, in the order in which they came.

A look-up reads folders and inodes, which only root can drop from memory, so their like is put into scratch files: for
each folder the block with the entry, and for inodes the window of an inode table that ext4 reads at once
(``inode_readahead_blks``, 32 blocks of 16 inodes). Other file systems come near to that.
"""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from disktuner.block.filesystems import parse_mountinfo
from disktuner.workloads.errors import RunFailed
from disktuner.workloads.patterns import MOST_LENGTH_BYTES, MOST_READS, Access, Pattern, Read
from disktuner.workloads.strace_log import SLOWED_S, Event, What

BLOCK_BYTES = 4096
INODES_AT_ONCE = 512
INODE_WINDOW_BYTES = 128 * 1024
FOLDERS, INODES = "folders", "inodes"
"""The scratch files that stand for them."""
ACCESS = {What.READS: Access.READ, What.TOUCHES: Access.TOUCHED, What.LOOKS_UP: Access.LOOKED_UP}
IN_MEMORY = "proc sysfs tmpfs devtmpfs devpts ramfs cgroup cgroup2 securityfs debugfs tracefs configfs mqueue pstore"
"""The types of file systems that are on no disk."""
TICK_S = 1e-6  # in steps of which times are kept


class Tracks:
    """What was seen of one start."""

    def __init__(self, events: Iterable[Event], touches: Iterable[Event]) -> None:
        self._events = [*touches, *events]
        self._disks = _on_disks()
        self._sizes: dict[str, int] = {}
        self._folders: dict[str, int] = {}
        self._inodes: dict[tuple[int, int], int] = {}

    def pattern(self, began_s: float, lasted_s: float, busy_s: float) -> Pattern:
        """Return the pattern: what came until ``lasted_s`` after ``began_s``.

        Tracer and disk hold a program up, so the times between reads are cut to come to ``busy_s`` altogether. Raises
        ``RunFailed`` where nothing was read from a file on a disk.
        """
        first: dict[tuple[str, int, What], Event] = {}  # what was read before is in memory then
        for each in sorted(self._ranges(), key=lambda each: each.at_s):
            first.setdefault((each.path, each.offset, each.what), each)
        ranges = [each for each in first.values() if each.at_s <= began_s + lasted_s + SLOWED_S][:MOST_READS]
        if not ranges:
            raise RunFailed("start-reads-nothing")
        sizes = {each.path: self._sizes.get(each.path, 0) for each in ranges}
        for each in ranges:
            if each.path in {FOLDERS, INODES}:
                sizes[each.path] = max(sizes[each.path], each.offset + each.length)
        numbers = {path: number for number, path in enumerate(sizes)}
        pauses = sorted(event.at_s for event in self._events if event.what is What.PAUSES)
        thinks = list(_thinks(ranges, pauses, began_s))
        share = min(1.0, busy_s / max(sum(thinks), TICK_S))
        reads = (
            Read(numbers[each.path], each.offset, each.length, round(think_s * share, 6), ACCESS[each.what])
            for each, think_s in zip(ranges, thinks, strict=True)
        )
        return Pattern(tuple(sizes.values()), tuple(reads))

    def _ranges(self) -> Iterator[Event]:
        """Go through what is read of files on disks, and of what stands for folders and inodes."""
        seen = {event.path for event in self._events if event.what is What.TOUCHES}
        for event in sorted(self._events, key=lambda event: (event.what is not What.TOUCHES, event.at_s)):
            if event.what is What.LOOKS_UP:
                yield from self._looked_up(event)
            elif event.what is What.READS:
                yield from self._read(event)
            elif event.what is What.TOUCHES or (event.what is What.MAPS and event.path not in seen):
                yield from self._touched(event)

    def _touched(self, event: Event) -> Iterator[Event]:
        if event.offset < self._size(event.path):
            yield replace(event, what=What.TOUCHES, length=1)

    def _read(self, event: Event) -> Iterator[Event]:
        end = min(event.offset + event.length, self._size(event.path))
        for offset in range(event.offset, end, MOST_LENGTH_BYTES):
            yield replace(event, offset=offset, length=min(MOST_LENGTH_BYTES, end - offset))

    def _size(self, path: str) -> int:
        """The size of a file on a disk, 0 for what is none or is gone."""
        if path not in self._sizes:
            self._sizes[path] = 0
            with suppress(OSError, ValueError):
                status = Path(path).stat()
                if stat.S_ISREG(status.st_mode) and self._is_on_disk(path):
                    self._sizes[path] = status.st_size
        return self._sizes[path]

    def _is_on_disk(self, path: str) -> bool:
        return next((there for mount, there in self._disks if path.startswith(mount)), False)

    def _looked_up(self, event: Event) -> Iterator[Event]:
        """Folders and inodes on the way to a path, and what it leads to."""
        ways = [event.path]
        with suppress(OSError, ValueError):
            ways.append(os.path.realpath(event.path))
        for way in dict.fromkeys(ways):
            if not self._is_on_disk(way):
                continue
            parts = Path(os.path.normpath(way)).parts
            for depth in range(1, len(parts)):
                yield from self._entry(event.at_s, os.path.join(*parts[:depth]), parts[depth])  # noqa: PTH118 - text

    def _entry(self, at_s: float, folder: str, name: str) -> Iterator[Event]:
        with suppress(OSError, ValueError):
            block = f"{folder}\0{zlib.crc32(os.fsencode(name)) % max(1, Path(folder).stat().st_size // BLOCK_BYTES)}"
            if block not in self._folders:
                place = self._folders[block] = len(self._folders)
                yield Event(at_s, What.LOOKS_UP, FOLDERS, place * BLOCK_BYTES, BLOCK_BYTES)
            status = Path(folder, name).lstat()
            window = status.st_dev, status.st_ino // INODES_AT_ONCE
            if window not in self._inodes:
                place = self._inodes[window] = len(self._inodes)
                yield Event(at_s, What.LOOKS_UP, INODES, place * INODE_WINDOW_BYTES, INODE_WINDOW_BYTES)


def _thinks(ranges: list[Event], pauses: list[float], began_s: float) -> Iterator[float]:
    """Go through the times since the read before, without the pauses that were made for looking."""
    before, at = began_s, 0
    for each in ranges:
        pause_s = 0.0
        while at < len(pauses) and pauses[at] < each.at_s:
            pause_s, at = pause_s + SLOWED_S, at + 1
        yield max(0.0, each.at_s - before - pause_s)
        before = max(before, each.at_s)


def _on_disks() -> list[tuple[str, bool]]:
    """Return the mount points, the longest first, and whether what lies there is on a disk."""
    lines = parse_mountinfo(Path("/proc/self/mountinfo").read_text(errors="replace"))
    found = {line.path.rstrip("/") + "/": line.fstype not in IN_MEMORY.split() for line in lines}
    return sorted(found.items(), key=lambda pair: -len(pair[0]))
