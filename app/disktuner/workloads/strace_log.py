# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads strace(1)'s log of a start: which ranges of files it read, which files it mapped and looked up, and when."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

READS = "read", "readv", "sendfile", "copy_file_range"
POSITIONED = {"pread64": -1, "preadv": -1, "preadv2": -2}
"""Calls that say where they read, and which of their last arguments that is."""
AHEAD = "readahead", "fadvise64"
CALLS = (*READS, *POSITIONED, *AHEAD, "%file", "mmap", "lseek", "getdents64", "fchdir", "exit_group")
SLOWED = "exit_group", "execve"
"""Calls that take a process's mappings away: before them it waits for ``SLOWED_S``, to be looked at once more."""
SLOWED_S = 0.03

_LINE = re.compile(r"(\d+) +(\d+\.\d+) (.*)")
_CALL = re.compile(r"(\w+)\((.*)\) += (-?\d+|0x[0-9a-f]+|\?)")
_RESUMED = re.compile(r"<\.\.\. \w+ resumed>(.*)")
_UNFINISHED = " <unfinished ...>"
_FD = re.compile(r"^(-?\d+|AT_FDCWD)<([^>]*)>")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_NUMBER = re.compile(r"-?(?:0x[0-9a-f]+|\d+)")
_BY_DESCRIPTOR = {*READS, *POSITIONED, *AHEAD, "mmap", "lseek", "getdents64"}
_BEFORE_FILE = {"mmap": 4, "sendfile": 1}
"""How many arguments stand before the file that is read."""


class What(Enum):
    """What is done with a file."""

    READS = auto()
    MAPS = auto()
    TOUCHES = auto()
    LOOKS_UP = auto()
    PAUSES = auto()


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that a start does with a file, at ``at_s`` on the system's clock (seconds since 1970).

    ``TOUCHES`` is what no call shows (``recording``); ``PAUSES`` a process that is slowed down here for ``SLOWED_S``.
    """

    at_s: float
    what: What
    path: str = ""
    offset: int = 0
    length: int = 0


def traced(log: str, command: Iterable[str]) -> list[str]:
    """Return the command that runs another one traced, without what it reads: strings are cut to nothing (``-s 0``)."""
    slowed = f"inject={','.join(SLOWED)}:delay_enter={round(SLOWED_S * 1e6)}"
    calls = "trace=" + ",".join(call if call.startswith("%") else f"?{call}" for call in CALLS)
    return ["strace", "-f", "-qq", "-ttt", "-y", "-s", "0", "-e", "signal=none", "-e", calls, "-e", slowed, "-o", log,
            "--", *command]  # fmt: skip


def events(lines: Iterable[str], folder: Path) -> Iterator[Event]:
    """Go through what a start did; ``folder`` is where it began, for names that are relative to it."""
    places: dict[str, int] = {}
    for call in _calls(lines):
        if call.name in SLOWED:
            yield Event(call.at_s, What.PAUSES)
        if call.looks_up:
            for path in call.looked_up(folder):
                yield Event(call.at_s, What.LOOKS_UP, path)
                if call.name.startswith("open"):
                    places[path] = 0
        elif call.result >= 0:
            yield from _reads(call, places)


@dataclass(frozen=True, slots=True)
class _Call:
    """A call: when it began, its name, its arguments as strace writes them, its result (negative for errors)."""

    at_s: float
    name: str
    words: str
    result: int

    @property
    def looks_up(self) -> bool:
        """Whether it is one of those that name a file."""
        return self.name not in _BY_DESCRIPTOR and '"' in self.words

    @property
    def numbers(self) -> list[int]:
        """The numbers behind the last descriptor."""
        return [int(each, 0) for each in _NUMBER.findall(self.words.rpartition(">")[2])]

    @property
    def path(self) -> str:
        """The file that it reads, as the kernel names it; empty where that is none."""
        before = _BEFORE_FILE.get(self.name, 0)
        found = _FD.match(self.words.split(", ", before)[-1])
        return _decoded(found[2]) if found and found[2].startswith("/") else ""

    def looked_up(self, folder: Path) -> Iterator[str]:
        """Go through the absolute paths that it looks up."""
        at = _FD.match(self.words)
        base = _decoded(at[2]) if at else str(folder)
        for found in _STRING.findall(self.words)[:2]:
            if found:
                yield os.path.join(base, _decoded(found))  # noqa: PTH118 - a text, also one that no path can be


def _calls(lines: Iterable[str]) -> Iterator[_Call]:
    """Go through the calls in the order of the log."""
    begun: dict[str, tuple[float, str]] = {}
    for line in lines:
        if not (found := _LINE.match(line)):
            continue
        pid, at_s, text = found[1], float(found[2]), found[3]
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


def _reads(call: _Call, places: dict[str, int]) -> Iterator[Event]:
    """``places`` is where the next read(2) of a file begins."""
    name, path = call.name, call.path
    if name == "getdents64":
        yield Event(call.at_s, What.LOOKS_UP, path)
    elif name == "lseek":
        places[path] = call.result
    elif name == "mmap" and path:
        what = What.READS if "MAP_POPULATE" in call.words else What.MAPS
        yield Event(call.at_s, what, path, call.numbers[-1], int(call.words.split(", ")[1], 0))
    elif name == "readahead" or (name == "fadvise64" and "POSIX_FADV_WILLNEED" in call.words):
        offset, length = call.numbers[:2]
        yield Event(call.at_s, What.READS, path, offset, length)
    elif call.result and name in POSITIONED:
        yield Event(call.at_s, What.READS, path, call.numbers[POSITIONED[name]], call.result)
    elif call.result and name in READS:
        yield Event(call.at_s, What.READS, path, places.get(path, 0), call.result)
        places[path] = places.get(path, 0) + call.result


def _decoded(text: str) -> str:
    """Return what strace wrote with C's escapes."""
    return os.fsdecode(codecs.escape_decode(text.encode("utf-8", "surrogateescape"))[0])
