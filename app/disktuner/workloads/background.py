# SPDX-License-Identifier: GPL-3.0-or-later
"""A standalone program: reads or writes a file as background load until it is ended.

Usage: ``python background.py FILE [MOST_BYTES BYTES_PER_S LEAD_BYTES OFFSET DATA_FD [FILE_BYTES]]``; without figures
it reads. It prints ``ready``, begins when its standard input ends, and on SIGTERM prints the number of bytes moved.

The reader bypasses the page cache. The writer uses it as cp does, so that the kernel makes it sleep at the limit of
dirty memory; if that limit is above ``LEAD_BYTES``, older data are handed to the disk without waiting for them
(``posix_fadvise(DONTNEED)``). It slows down so as to last another ``LASTS_S`` at any time, and thus never runs out.
After ``FILE_BYTES`` it begins again at the beginning of the file. When the data are used up they start again one byte
further, so that no two blocks on the disk are equal. Whatever is not on the disk at the end is dropped with the file.
"""

from __future__ import annotations

import mmap
import os
import signal
import sys
import time
from pathlib import Path

READ_PIECE, PIECE = 256 * 1024, 1024 * 1024
LASTS_S = 0.25
STOP = (signal.SIGTERM,)


def begin() -> None:
    """Announce readiness, and return when standard input ends."""
    print("ready", flush=True)
    sys.stdin.buffer.read()


def read(name: str) -> int:
    """Read a file over and over until SIGTERM is pending; return the bytes read."""
    fd = os.open(name, os.O_RDONLY | os.O_DIRECT | os.O_NOFOLLOW | os.O_CLOEXEC)
    begin()
    done = place = 0
    size = os.fstat(fd).st_size
    with mmap.mmap(-1, READ_PIECE) as block:  # O_DIRECT wants memory at a page's boundary
        while not signal.sigtimedwait(STOP, 0):
            count = os.preadv(fd, [block], place)
            done, place = done + count, place + count
            if not count or place >= size:
                place = 0
    return done


def write(name: str, pace: tuple[int, float, int], offset: int, data_fd: int, size: int) -> int:
    """Write a file until SIGTERM is pending; return the bytes that reached the disk.

    ``pace`` is the most to write, the rate per second, and the most to keep in memory, all in bytes; ``size`` is that
    of the file.
    """
    most, rate, lead = pace
    target = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with mmap.mmap(data_fd, 0, prot=mmap.PROT_READ) as data, memoryview(data) as view:
        begin()
        written, place, again = 0, offset % max(1, len(data) - PIECE), 0
        due_s = time.monotonic()
        while not signal.sigtimedwait(STOP, max(0.0, due_s - time.monotonic())):
            if most - written < PIECE:
                signal.sigwait(STOP)
                break
            due_s = max(due_s, time.monotonic()) + PIECE / min(rate, (most - written) / LASTS_S)
            count = os.pwrite(target, view[place : place + PIECE], written % size)
            if written >= lead:
                os.posix_fadvise(target, (written - lead) % size, count, os.POSIX_FADV_DONTNEED)
            written, place = written + count, place + count
            if place + PIECE > len(data):
                again += 1
                place = (offset + again) % max(1, len(data) - PIECE)
    os.ftruncate(target, 0)
    lines = Path("/proc/self/io").read_text(encoding="ascii").splitlines()  # proc_pid_io(5)
    counters = {name: int(value) for name, value in (line.split(": ") for line in lines)}
    return max(0, counters["write_bytes"] - counters["cancelled_write_bytes"])


def main() -> int:
    name, *figures = sys.argv[1:]
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP)
    try:
        if figures:
            most, rate, lead, offset, data_fd, *size = figures
            pace = int(most), float(rate), int(lead)
            done = write(name, pace, int(offset), int(data_fd), int(size[0] if size else most))
        else:
            done = read(name)
    except OSError as error:
        print(f"{name}: {error.strerror}", file=sys.stderr)
        return 1
    print(done)
    return 0


if __name__ == "__main__":
    sys.exit(main())
