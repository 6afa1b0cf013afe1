# SPDX-License-Identifier: GPL-3.0-or-later
"""A program of its own: it is open while something else begins, and is used again and saves when that is under way.

Usage: ``python open_program.py FILE LOG SAVES``. It uses all of ``FILE`` twice, prints ``ready``, waits for the end of
its standard input, uses all of it again, and appends to ``LOG`` so many times, each made durable. It prints how long
the former took, and one of the latter on average, in seconds.
"""

from __future__ import annotations

import mmap
import os
import sys
import time


def use(memory: mmap.mmap) -> float:
    """Touch each page, and return how long that took."""
    began = time.monotonic()
    for place in range(0, len(memory), mmap.PAGESIZE):
        memory[place]
    return time.monotonic() - began


def save(log: int, times: int) -> float:
    """Return how long a small durable write takes on average."""
    began = time.monotonic()
    for _ in range(times):
        os.write(log, bytes(4096))
        os.fdatasync(log)
    return (time.monotonic() - began) / times


def main() -> None:
    """Do it."""
    file = os.open(sys.argv[1], os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    log = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with mmap.mmap(file, 0, prot=mmap.PROT_READ) as memory:
        use(memory)
        use(memory)
        print("ready", flush=True)
        sys.stdin.buffer.read()
        used_s = use(memory)
    print(used_s, save(log, int(sys.argv[3])))


if __name__ == "__main__":
    main()
