# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads strace(1)'s log of a start: which ranges of files were read, which files were mapped and looked up, and when."""

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
_WILL_NEED = "POSIX_FADV_WILLNEED"
_POPULATED = "MAP_POPULATE"


class What(Enum):
    """What a call does with a file."""

    READS = auto()
    MAPS = auto()
    LOOKS_UP = auto()
    LISTS = auto()
    PAUSES = auto()


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that a start does with a file, at ``at_s`` on the system's clock (seconds since 1970).

    ``PAUSES`` is none of it: a process that is slowed down here for ``SLOWED_S``.
    """

    at_s: float
    what: What
    path: str = ""
    offset: int = 0
    length: int = 0


def argv(log: str, command: Iterable[str]) -> list[str]:
    """Return the command that runs another one traced, without what it reads: strings are cut to nothing (``-s 0``)."""
    slowed = f"inject={','.join(SLOWED)}:delay_enter={round(SLOWED_S * 1e6)}"
    calls = "trace=" + ",".join(call if call.startswith("%") else f"?{call}" for call in CALLS)
    return ["strace", "-f", "-qq", "-ttt", "-y", "-s", "0", "-e", "signal=none", "-e", calls, "-e", slowed, "-o", log,
            "--", *command]  # fmt: skip


def events(lines: Iterable[str], folder: Path) -> Iterator[Event]:
    """Go through what a start did; ``folder`` is where it began, for names that are relative to it."""
    places: dict[str, int] = {}
    for at_s, name, words, result in _calls(lines):
        if name in SLOWED:
            yield Event(at_s, What.PAUSES)
        if result < 0 and not _looks_up(name, words):
            continue
        yield from _events(at_s, name, words, result, places, folder)


def _calls(lines: Iterable[str]) -> Iterator[tuple[float, str, str, int]]:
    """Go through the calls: when they began, their name, their arguments, their result (-1 for all errors)."""
    begun: dict[str, tuple[float, str]] = {}
    for line in lines:
        if not (found := _LINE.match(line)):
            continue
        pid, at_s, text = found[1], float(found[2]), found[3]
        if text.endswith(_UNFINISHED):
            begun[pid] = at_s, text.removesuffix(_UNFINISHED)
            if text.startswith("exit_group"):
                yield at_s, "exit_group", "", 0
            continue
        if resumed := _RESUMED.match(text):
            at_s, beginning = begun.pop(pid, (at_s, ""))
            text = beginning + resumed[1]
        if call := _CALL.match(text):
            yield at_s, call[1], call[2], -1 if call[3] == "?" else int(call[3], 0)


def _looks_up(name: str, words: str) -> bool:
    return name not in {*READS, *POSITIONED, *AHEAD, "mmap", "lseek", "getdents64"} and '"' in words


def _events(at_s: float, name: str, words: str, result: int, places: dict[str, int], folder: Path) -> Iterator[Event]:
    path = _file_of(name, words)
    if _looks_up(name, words):
        for each in _looked_up(words, folder):
            yield Event(at_s, What.LOOKS_UP, each)
            if name.startswith("open"):
                places[each] = 0
    elif name == "getdents64":
        yield Event(at_s, What.LISTS, path)
    elif name == "lseek":
        places[path] = result
    elif name == "mmap" and path:
        what = What.READS if _POPULATED in words else What.MAPS
        yield Event(at_s, what, path, _numbers(words)[-1], int(words.split(", ")[1], 0))
    elif name in AHEAD and (name == "readahead" or _WILL_NEED in words):
        offset, length = _numbers(words)[:2]
        yield Event(at_s, What.READS, path, offset, length)
    elif name in POSITIONED and result > 0:
        yield Event(at_s, What.READS, path, _numbers(words)[POSITIONED[name]], result)
    elif name in READS and result > 0:
        yield Event(at_s, What.READS, path, places.get(path, 0), result)
        places[path] = places.get(path, 0) + result


def _numbers(words: str) -> list[int]:
    """Return the numbers behind the last descriptor."""
    return [int(each, 0) for each in _NUMBER.findall(words.rpartition(">")[2])]


def _file_of(name: str, words: str) -> str:
    """Return the path of the file that a call reads, as the kernel names it; empty where that is none."""
    first = words
    if name == "mmap":
        first = words.split(", ", 4)[-1]
    elif name == "sendfile":
        first = words.partition(", ")[2]
    found = _FD.match(first)
    return _decoded(found[2]) if found and found[2].startswith("/") else ""


def _looked_up(words: str, folder: Path) -> Iterator[str]:
    """Go through the absolute paths that a call looks up."""
    at = _FD.match(words)
    base = _decoded(at[2]) if at else str(folder)
    for found in _STRING.findall(words)[:2]:
        if found:
            yield os.path.join(base, _decoded(found))  # noqa: PTH118 - a text, also one that no path can be


def _decoded(text: str) -> str:
    """Return what strace wrote with C's escapes."""
    return os.fsdecode(codecs.escape_decode(text.encode("utf-8", "surrogateescape"))[0])
