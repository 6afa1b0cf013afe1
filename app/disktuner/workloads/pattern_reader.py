# SPDX-License-Identifier: GPL-3.0-or-later
"""A program of its own: reads scratch files as a recorded start did, one range after the other, as long apart.

Usage: ``python pattern_reader.py READS_FD``, in the folder with the files. What it reads from there is JSON: a list of
``[file's name, offset, length, think in microseconds, access]``. It prints ``ready``, begins when its standard input
ends, and prints one JSON object: ``wall_s`` from the first think time to the last read, and how many ``bytes`` it read.

A file is opened once: its state of reading ahead is then what it was in the start, where the program loader reads the
beginning of what it maps. What is mapped is touched in one place, and the kernel reads around it.
"""

from __future__ import annotations

import json
import mmap
import os
import resource
import sys
import time
from collections.abc import Iterator, Sequence

TOUCHED, LOOKED_UP = "touched", "looked-up"
SLACK_S = 0.0005


class Files:
    """The scratch files, each opened, and mapped, when it is first needed."""

    def __init__(self) -> None:
        self._fds: dict[str, int] = {}
        self._maps: dict[str, mmap.mmap] = {}

    def read(self, name: str, offset: int, length: int, access: str) -> int:
        """Read one range and return how much that was."""
        fd = self._fds.get(name)
        if fd is None:
            fd = self._fds[name] = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            if access == LOOKED_UP:
                os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
        if access == TOUCHED:
            return self._touch(name, fd, offset)
        return len(os.pread(fd, length, offset))

    def _touch(self, name: str, fd: int, offset: int) -> int:
        mapped = self._maps.get(name)
        if mapped is None:
            mapped = self._maps[name] = mmap.mmap(fd, 0, prot=mmap.PROT_READ)
        return len(mapped[offset : offset + 1])


def replay(reads: Sequence[tuple[str, int, int, int, str]]) -> Iterator[int]:
    """Read all of it, and go through how much each read was."""
    files = Files()
    for name, offset, length, think_us, access in reads:
        _think(think_us / 1e6)
        yield files.read(name, offset, length, access)


def _think(seconds: float) -> None:
    """Wait so long: a sleep ends late by the timers' slack, and a thousand of those would add up."""
    until_s = time.monotonic() + seconds
    if seconds > SLACK_S:
        time.sleep(seconds - SLACK_S)
    while time.monotonic() < until_s:
        pass


def main() -> None:
    """Read what is to be read, wait for the beginning, replay, print."""
    with os.fdopen(int(sys.argv[1]), encoding="ascii") as text:
        reads = json.load(text)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    print("ready", flush=True)
    sys.stdin.buffer.read()
    began_s = time.monotonic()
    total = sum(replay(reads))
    print(json.dumps({"wall_s": time.monotonic() - began_s, "bytes": total}))


if __name__ == "__main__":
    main()
