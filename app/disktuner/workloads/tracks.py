# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a pattern of a start from strace(1)'s log of reads and look-ups, and from touched pages.

Look-ups read folders and inodes, which only root can drop from memory, so scratch files stand for them: for a folder
the block with the entry, and for inodes the window of the inode table that ext4 reads at once
(``inode_readahead_blks``, 32 blocks of 16 inodes). Other file systems are similar.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum, auto
from pathlib import Path

from disktuner.block.filesystems import parse_mountinfo
from disktuner.workloads.errors import RunFailed
from disktuner.workloads.patterns import MOST_LENGTH_BYTES, MOST_READS, Access, Pattern, Read

READS = "read", "readv", "sendfile", "copy_file_range"
POSITIONED = {"pread64": -1, "preadv": -1, "preadv2": -2}
"""Calls with an explicit offset, and its index among the arguments, from the end."""
AHEAD = "readahead", "fadvise64"
CALLS = (*READS, *POSITIONED, *AHEAD, "%file", "mmap", "lseek", "getdents64", "fchdir", "exit_group")
SLOWED = "exit_group", "execve"
"""Calls that remove a process's mappings: it is delayed before them for ``SLOWED_S``, for a last look at them."""
SLOWED_S = 0.03

BLOCK_BYTES = 4096
INODES_AT_ONCE = 512
INODE_WINDOW_BYTES = 128 * 1024
FOLDERS, INODES = "folders", "inodes"
"""The scratch files that stand for folders and inodes."""
IN_MEMORY = "proc sysfs tmpfs devtmpfs devpts ramfs cgroup cgroup2 securityfs debugfs tracefs configfs mqueue pstore"
"""File system types without a disk."""
TICK_S = 1e-6  # the resolution of kept times

_LINE = re.compile(r"(\d+) +(\d+\.\d+) (.*)")
_CALL = re.compile(r"(\w+)\((.*)\) += (-?\d+|0x[0-9a-f]+|\?)")
_RESUMED = re.compile(r"<\.\.\. \w+ resumed>(.*)")
_UNFINISHED = " <unfinished ...>"
_FD = re.compile(r"^(-?\d+|AT_FDCWD)<([^>]*)>")
_BY_DESCRIPTOR = {*READS, *POSITIONED, *AHEAD, "mmap", "lseek", "getdents64"}
_BEFORE_FILE = {"mmap": 4, "sendfile": 1}
"""The number of arguments before the file that is read."""


class What(Enum):
    """What is done with a file."""

    READS = auto()
    MAPS = auto()
    TOUCHES = auto()
    LOOKS_UP = auto()
    PAUSES = auto()


ACCESS = {What.READS: Access.READ, What.TOUCHES: Access.TOUCHED, What.LOOKS_UP: Access.LOOKED_UP}


@dataclass(frozen=True, slots=True)
class FileEvent:
    """One thing that a start does with a file, at ``at_s`` on the system clock (seconds since 1970).

    No call shows ``TOUCHES`` (see ``recording``); at ``PAUSES`` a process is delayed for ``SLOWED_S``.
    """

    at_s: float
    what: What
    path: str = ""
    offset: int = 0
    length: int = 0


def traced(log: str, command: Iterable[str]) -> list[str]:
    """Return the command that traces another one, without contents of files: strings are cut to nothing (``-s 0``)."""
    slowed = f"inject={','.join(SLOWED)}:delay_enter={round(SLOWED_S * 1e6)}"
    calls = "trace=" + ",".join(call if call.startswith("%") else f"?{call}" for call in CALLS)
    return ["strace", "-f", "-qq", "-ttt", "-y", "-s", "0", "-e", "signal=none", "-e", calls, "-e", slowed, "-o", log,
            "--", *command]  # fmt: skip


def events(lines: Iterable[str], folder: Path) -> Iterator[FileEvent]:
    """Yield what a start did; relative names are below ``folder``, where it began."""
    places: dict[str, int] = {}
    for call in _calls(lines):
        if call.name in SLOWED:
            yield FileEvent(call.at_s, What.PAUSES)
        if call.name not in _BY_DESCRIPTOR and '"' in call.words:
            for path in _looked_up(call.words, folder):
                yield FileEvent(call.at_s, What.LOOKS_UP, path)
                if call.name.startswith("open"):
                    places[path] = 0
        elif call.result >= 0:
            yield from _reads(call, places)


@dataclass(frozen=True, slots=True)
class _Call:
    """A call: when it began, its name, its arguments as strace prints them, its result (negative for errors)."""

    at_s: float
    name: str
    words: str
    result: int


def _calls(lines: Iterable[str]) -> Iterator[_Call]:
    """Yield the calls in the order of the log."""
    begun: dict[str, tuple[float, str]] = {}
    for line in lines:
        if not (match := _LINE.match(line)):
            continue
        pid, at_s, text = match[1], float(match[2]), match[3]
        if text.endswith(_UNFINISHED):
            begun[pid] = at_s, text.removesuffix(_UNFINISHED)
            if text.startswith("exit_group"):
                yield _Call(at_s, "exit_group", "", 0)
            continue
        if resumed := _RESUMED.match(text):
            at_s, beginning = begun.pop(pid, (at_s, ""))
            text = beginning + resumed[1]
        if call := _CALL.match(text):
            yield _Call(at_s, call[1], call[2], -1 if call[3] == "?" else int(call[3], 0))


def _looked_up(words: str, folder: Path) -> Iterator[str]:
    """Yield the absolute paths that a call looks up."""
    at = _FD.match(words)
    base = _decoded(at[2]) if at else str(folder)
    for name in filter(None, re.findall(r'"((?:[^"\\]|\\.)*)"', words)[:2]):
        yield os.path.join(base, _decoded(name))  # noqa: PTH118 - text, even if invalid as a path


def _reads(call: _Call, places: dict[str, int]) -> Iterator[FileEvent]:
    """Yield the events of a call by descriptor; ``places`` has the offset of each file's next read(2)."""
    name, words = call.name, call.words
    file = _FD.match(words.split(", ", _BEFORE_FILE.get(name, 0))[-1])
    path = _decoded(file[2]) if file and file[2].startswith("/") else ""
    behind = words.rpartition(">")[2]  # the last descriptor
    numbers = [int(number, 0) for number in re.findall(r"-?(?:0x[0-9a-f]+|\d+)", behind)]
    if name == "getdents64":
        yield FileEvent(call.at_s, What.LOOKS_UP, path)
    elif name == "lseek":
        places[path] = call.result
    elif name == "mmap" and path:
        what = What.READS if "MAP_POPULATE" in words else What.MAPS
        yield FileEvent(call.at_s, what, path, numbers[-1], int(words.split(", ")[1], 0))
    elif name == "readahead" or (name == "fadvise64" and "POSIX_FADV_WILLNEED" in words):
        yield FileEvent(call.at_s, What.READS, path, *numbers[:2])
    elif call.result and name in POSITIONED:
        yield FileEvent(call.at_s, What.READS, path, numbers[POSITIONED[name]], call.result)
    elif call.result and name in READS:
        yield FileEvent(call.at_s, What.READS, path, places.get(path, 0), call.result)
        places[path] = places.get(path, 0) + call.result


def _decoded(text: str) -> str:
    """Decode strace's C escapes."""
    return os.fsdecode(codecs.escape_decode(text.encode("utf-8", "surrogateescape"))[0])


class Tracks:
    """The recorded events of one start."""

    def __init__(self, events: Iterable[FileEvent], touches: Iterable[FileEvent]) -> None:
        self._events = [*touches, *events]
        self._disks = _on_disks()
        self._sizes: dict[str, int] = {}
        self._places: dict[str, dict[object, int]] = {FOLDERS: {}, INODES: {}}

    def pattern(self, began_s: float, lasted_s: float, busy_s: float) -> Pattern:
        """Return the pattern of the events until ``lasted_s`` after ``began_s``.

        As tracer and disk delay a program, times between reads are scaled down to a total of ``busy_s``. Raises
        ``RunFailed`` if nothing was read from a file on a disk.
        """
        first: dict[tuple[str, int, What], FileEvent] = {}  # later reads of the same range come from memory
        for event in sorted(self._ranges(), key=lambda event: event.at_s):
            first.setdefault((event.path, event.offset, event.what), event)
        ranges = [event for event in first.values() if event.at_s <= began_s + lasted_s + SLOWED_S][:MOST_READS]
        if not ranges:
            raise RunFailed("start-reads-nothing")
        sizes = dict[str, int]()
        for event in ranges:
            size = sizes.get(event.path) or self._sizes.get(event.path, 0)
            sizes[event.path] = max(size, event.offset + event.length)
        numbers = {path: number for number, path in enumerate(sizes)}
        pauses = sorted(event.at_s for event in self._events if event.what is What.PAUSES)
        thinks = list(_thinks(ranges, pauses, began_s))
        share = min(1.0, busy_s / max(sum(thinks), TICK_S))
        reads = (
            Read(numbers[event.path], event.offset, event.length, round(1e6 * think_s * share), ACCESS[event.what])
            for event, think_s in zip(ranges, thinks, strict=True)
        )
        return Pattern(tuple(sizes.values()), tuple(reads))

    def _ranges(self) -> Iterator[FileEvent]:
        """Yield the ranges read from files on disks, and those that stand for folders and inodes."""
        seen = {event.path for event in self._events if event.what is What.TOUCHES}
        for event in sorted(self._events, key=lambda event: (event.what is not What.TOUCHES, event.at_s)):
            if event.what is What.LOOKS_UP:
                yield from self._looked_up(event)
            elif event.what is What.READS:
                yield from self._read(event)
            elif event.offset < self._size(event.path) and not (event.what is What.MAPS and event.path in seen):
                yield replace(event, what=What.TOUCHES, length=1)  # a pause is in no file

    def _read(self, event: FileEvent) -> Iterator[FileEvent]:
        end = min(event.offset + event.length, self._size(event.path))
        for offset in range(event.offset, end, MOST_LENGTH_BYTES):
            yield replace(event, offset=offset, length=min(MOST_LENGTH_BYTES, end - offset))

    def _size(self, path: str) -> int:
        """Return the size of a regular file on a disk; 0 for anything else, or if it is gone."""
        if path not in self._sizes:
            self._sizes[path] = 0
            with suppress(OSError, ValueError):
                status = Path(path).stat()
                if stat.S_ISREG(status.st_mode) and self._is_on_disk(path):
                    self._sizes[path] = status.st_size
        return self._sizes[path]

    def _is_on_disk(self, path: str) -> bool:
        return next((is_on_disk for mount, is_on_disk in self._disks if path.startswith(mount)), False)

    def _looked_up(self, event: FileEvent) -> Iterator[FileEvent]:
        """Yield the folders and inodes on the way to a path and to what it resolves to."""
        ways = [event.path]
        with suppress(OSError, ValueError):
            ways.append(os.path.realpath(event.path))
        for way in filter(self._is_on_disk, dict.fromkeys(ways)):
            parts = Path(os.path.normpath(way)).parts
            for depth in range(1, len(parts)):
                yield from self._entry(event.at_s, os.path.join(*parts[:depth]), parts[depth])  # noqa: PTH118 - text

    def _entry(self, at_s: float, folder: str, name: str) -> Iterator[FileEvent]:
        with suppress(OSError, ValueError):
            blocks = max(1, Path(folder).stat().st_size // BLOCK_BYTES)
            block = self._place(FOLDERS, folder, zlib.crc32(os.fsencode(name)) % blocks)
            yield FileEvent(at_s, What.LOOKS_UP, FOLDERS, block * BLOCK_BYTES, BLOCK_BYTES)
            status = Path(folder, name).lstat()
            window = self._place(INODES, status.st_dev, status.st_ino // INODES_AT_ONCE)
            yield FileEvent(at_s, What.LOOKS_UP, INODES, window * INODE_WINDOW_BYTES, INODE_WINDOW_BYTES)

    def _place(self, file: str, *what: object) -> int:
        """Return the index of a folder's block or an inode window in its scratch file, in order of first use."""
        places = self._places[file]
        return places.setdefault(what, len(places))


def _thinks(ranges: list[FileEvent], pauses: list[float], began_s: float) -> Iterator[float]:
    """Yield the times since the previous read, without our own delays."""
    before, at = began_s, 0
    for event in ranges:
        pause_s = 0.0
        while at < len(pauses) and pauses[at] < event.at_s:
            pause_s, at = pause_s + SLOWED_S, at + 1
        yield max(0.0, event.at_s - before - pause_s)
        before = max(before, event.at_s)


def _on_disks() -> list[tuple[str, bool]]:
    """Return the mount points, the longest first, and whether each is on a disk."""
    lines = parse_mountinfo(Path("/proc/self/mountinfo").read_text(errors="replace"))
    on_disk_by_mount = {line.path.rstrip("/") + "/": line.fstype not in IN_MEMORY.split() for line in lines}
    return sorted(on_disk_by_mount.items(), key=lambda pair: -len(pair[0]))
