# SPDX-License-Identifier: GPL-3.0-or-later
"""A program of its own: reads scratch files as a recorded start did, one range after the other, as long apart.

Usage: ``python pattern_reader.py READS_FD``, in the folder with the files. What it reads from there is JSON: a list of
``[file's number, offset, length, think in microseconds, access]``. It prints ``ready``, begins when its standard input
ends, and prints how long it took from the first think time to the last read, in seconds.

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

TOUCHED, LOOKED_UP = "touched", "looked-up"
SLACK_S = 0.0005


def name_of(file: int) -> str:
    """Return the name of a scratch file."""
    return f"start-{file}.in"


class Files:
    """The scratch files, each opened, and mapped, when it is first needed."""

    def __init__(self) -> None:
        self._fds: dict[int, int] = {}
        self._maps: dict[int, mmap.mmap] = {}

    def read(self, file: int, offset: int, length: int, access: str) -> None:
        """Read one range."""
        if file not in self._fds:
            self._fds[file] = os.open(name_of(file), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            if access == LOOKED_UP:
                os.posix_fadvise(self._fds[file], 0, 0, os.POSIX_FADV_RANDOM)
        if access != TOUCHED:
            os.pread(self._fds[file], length, offset)
            return
        if file not in self._maps:
            self._maps[file] = mmap.mmap(self._fds[file], 0, prot=mmap.PROT_READ)
        _ = self._maps[file][offset]


def think(seconds: float) -> None:
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
    files = Files()
    print("ready", flush=True)
    sys.stdin.buffer.read()
    began_s = time.monotonic()
    for file, offset, length, think_us, access in reads:
        think(think_us / 1e6)
        files.read(file, offset, length, access)
    print(time.monotonic() - began_s)


if __name__ == "__main__":
    main()
