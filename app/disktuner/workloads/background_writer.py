# SPDX-License-Identifier: GPL-3.0-or-later
"""A program of its own: writes a file beside something else, at a fixed pace, until it may write no more or is ended.

Usage: ``python background_writer.py FILE TOTAL_BYTES BURST_BYTES PERIOD_S OFFSET DATA_FD``. It prints ``ready`` and
begins when its standard input ends. Burst ``n`` begins ``n`` periods after that, or as soon as the disk took the one
before. Every MiB is handed to the disk at once and not waited for (``posix_fadvise(DONTNEED)`` begins an asynchronous
writeback, as with dd's ``oflag=nocache``). When the data are used up they begin again one byte further, so that no
block on the disk ever equals another. On SIGTERM it ends, as at the end of its work, with fdatasync, and prints when
that was, by the monotonic clock, and how many bytes it wrote.
"""

from __future__ import annotations

import mmap
import os
import signal
import sys
import time

PIECE = 1024 * 1024
STOP = (signal.SIGTERM,)


def write(target: int, data: mmap.mmap, total: int, offset: int, pace: tuple[int, float]) -> int:
    """Write until the end, or until SIGTERM is pending; return how much. ``pace`` is a burst's bytes and its period."""
    began = time.monotonic()
    burst, period_s = pace
    written, place, again = 0, offset % max(1, len(data) - PIECE), 0
    with memoryview(data) as view:
        while written < total:
            due_s = began + written // burst * period_s - time.monotonic()
            if signal.sigtimedwait(STOP, max(0.0, due_s)):
                break
            count = os.pwrite(target, view[place : place + min(PIECE, total - written)], written)
            os.posix_fadvise(target, written, count, os.POSIX_FADV_DONTNEED)
            written, place = written + count, place + count
            if place + PIECE > len(data):
                again += 1
                place = (offset + again) % max(1, len(data) - PIECE)
    return written


def main() -> int:
    """Read the arguments, wait for the beginning, write."""
    name, total, burst, period_s, offset, data_fd = sys.argv[1:7]
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP)
    try:
        target = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with mmap.mmap(int(data_fd), 0, prot=mmap.PROT_READ) as data:
            print("ready", flush=True)
            sys.stdin.buffer.read()
            written = write(target, data, int(total), int(offset), (int(burst), float(period_s)))
        os.fdatasync(target)
    except OSError as error:
        print(f"{name}: {error.strerror}", file=sys.stderr)
        return 1
    print(time.monotonic(), written)
    return 0


if __name__ == "__main__":
    sys.exit(main())
