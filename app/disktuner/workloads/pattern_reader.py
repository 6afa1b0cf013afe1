# SPDX-License-Identifier: GPL-3.0-or-later
"""A standalone program: replays a recorded start on scratch files, range by range, with the recorded pauses.

Usage: ``python pattern_reader.py READS_FD``, in the folder of the files. The descriptor yields JSON: a list of
``[file number, offset, length, think time in microseconds, access]``. It prints ``ready``, begins when its standard
input ends, and prints the bytes that it read from disks (more than the ranges, as the kernel reads around them), and
the seconds from the first think time to the last read.

A file is opened once, so that its read-ahead state is as in the recorded start, where the program loader reads the
beginning of each file that it maps. A mapping is touched in one place, and the kernel reads around it.
"""

from __future__ import annotations

import json
import mmap
import os
import resource
import sys
import time
from pathlib import Path

TOUCHED, LOOKED_UP = "touched", "looked-up"
SLACK_S = 0.0005


def name_of(file: int) -> str:
    return f"start-{file}.in"


class Files:
    """The scratch files, each opened, and mapped, on first use."""

    def __init__(self) -> None:
        self._fds: dict[int, int] = {}
        self._maps: dict[int, mmap.mmap] = {}

    def read(self, file: int, offset: int, length: int, access: str) -> None:
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


def from_disks() -> int:
    """Return the bytes that this program has read from disks (proc_pid_io(5)); 0 if the kernel does not count them."""
    try:
        lines = Path("/proc/self/io").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next(int(line.split()[1]) for line in lines if line.startswith("read_bytes:"))


def think(seconds: float) -> None:
    """Wait exactly, as timer slack of a thousand sleeps would add up."""
    until_s = time.monotonic() + seconds
    if seconds > SLACK_S:
        time.sleep(seconds - SLACK_S)
    while time.monotonic() < until_s:
        pass


def main() -> None:
    with os.fdopen(int(sys.argv[1]), encoding="ascii") as text:
        reads = json.load(text)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    files = Files()
    print("ready", flush=True)
    sys.stdin.buffer.read()
    had, began_s = from_disks(), time.monotonic()
    for file, offset, length, think_us, access in reads:
        think(think_us / 1e6)
        files.read(file, offset, length, access)
    took_s = time.monotonic() - began_s
    print(from_disks() - had, took_s)


if __name__ == "__main__":
    main()
