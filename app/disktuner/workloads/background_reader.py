# SPDX-License-Identifier: GPL-3.0-or-later
"""A program of its own: reads a file around the page cache again and again beside something else, until it is ended.

Usage: ``python background_reader.py FILE``. It prints ``ready`` and begins when its standard input ends. On SIGTERM it
prints how many bytes it read and ends.
"""

from __future__ import annotations

import mmap
import os
import signal
import sys

PIECE = 256 * 1024
STOP = (signal.SIGTERM,)


def read(fd: int) -> int:
    """Read from the beginning to the end over and over until SIGTERM is pending; return how much."""
    done = place = 0
    size = os.fstat(fd).st_size
    with mmap.mmap(-1, PIECE) as block:  # O_DIRECT wants memory at a page's boundary
        while not signal.sigtimedwait(STOP, 0):
            count = os.preadv(fd, [block], place)
            done, place = done + count, place + count
            if not count or place >= size:
                place = 0
    return done


def main() -> int:
    """Read the argument, wait for the beginning, read."""
    name = sys.argv[1]
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP)
    try:
        fd = os.open(name, os.O_RDONLY | os.O_DIRECT | os.O_NOFOLLOW | os.O_CLOEXEC)
        print("ready", flush=True)
        sys.stdin.buffer.read()
        done = read(fd)
    except OSError as error:
        print(f"{name}: {error.strerror}", file=sys.stderr)
        return 1
    print(done)
    return 0


if __name__ == "__main__":
    sys.exit(main())
