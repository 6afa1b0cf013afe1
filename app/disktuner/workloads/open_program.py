# SPDX-License-Identifier: GPL-3.0-or-later
"""A standalone program: stays open while a load begins, then is used again and saves.

Usage: ``python open_program.py FILE LOG SAVES``. It touches all of ``FILE`` twice, prints ``ready``, waits for the end
of its standard input, touches ``FILE`` again, and makes ``SAVES`` durable appends to ``LOG``. It prints the duration of
that last use and the mean duration of an append, in seconds.
"""

from __future__ import annotations

import mmap
import os
import sys
import time


def use(memory: mmap.mmap) -> float:
    """Touch every page; return the seconds taken."""
    began = time.monotonic()
    for place in range(0, len(memory), mmap.PAGESIZE):
        memory[place]
    return time.monotonic() - began


def save(log: int, times: int) -> float:
    """Return the mean seconds of a small durable write."""
    began = time.monotonic()
    for _ in range(times):
        os.write(log, bytes(4096))
        os.fdatasync(log)
    return (time.monotonic() - began) / times


def main() -> None:
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
