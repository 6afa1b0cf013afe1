# SPDX-License-Identifier: GPL-3.0-or-later
"""The mount table of this process: ``/proc/self/mountinfo`` and ``/proc/swaps``."""

from __future__ import annotations

import re
from dataclasses import dataclass

_OCTAL = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class MountLine:
    """One line of mountinfo (proc_pid_mountinfo(5)); ``root`` is the folder within the file system."""

    mount_id: int
    devno: str
    root: str
    path: str
    fstype: str
    source: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SwapLine:
    """A swap area: its path and its size."""

    path: str
    is_partition: bool
    size_bytes: int


def parse_mountinfo(text: str) -> tuple[MountLine, ...]:
    """All lines that make sense, in mount order (a later one hides an earlier one on the same path)."""
    return tuple(line for line in map(_mount_line, text.splitlines()) if line is not None)


def parse_swaps(text: str) -> tuple[SwapLine, ...]:
    """The swap areas in use."""
    found = []
    for line in text.splitlines()[1:]:
        words = line.split()
        if len(words) >= 3 and words[2].isdecimal() and len(words[2]) < 19:
            found.append(SwapLine(_unescaped(words[0]), words[1] == "partition", int(words[2]) * 1024))
    return tuple(found)


def _mount_line(line: str) -> MountLine | None:
    before, separator, after = line.partition(" - ")
    words, tail = before.split(" "), after.split(" ")
    if not separator or len(words) < 6 or len(tail) < 2 or not words[0].isdecimal():
        return None
    whole = _unescaped(tail[2]).split(",") if len(tail) > 2 else []
    return MountLine(
        int(words[0][:18]),
        words[2],
        _unescaped(words[3]),
        _unescaped(words[4]),
        tail[0],
        _unescaped(tail[1]),
        _merged(words[5].split(","), whole),
    )


def _merged(mount: list[str], whole: list[str]) -> tuple[str, ...]:
    """The options of the mount, then those of its file system; read-only if either says so."""
    options = dict.fromkeys([*mount, *whole])
    if "ro" in options:
        options.pop("rw", None)
    return tuple(options)


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    octets = bytearray()
    last = 0
    for match in _OCTAL.finditer(text):
        octets += text[last : match.start()].encode("utf-8", "surrogatepass")
        octets.append(int(match[1], 8) & 0xFF)
        last = match.end()
    octets += text[last:].encode("utf-8", "surrogatepass")
    return octets.decode("utf-8", "replace")
