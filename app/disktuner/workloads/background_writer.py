# SPDX-License-Identifier: GPL-3.0-or-later
"""A program of its own: writes a file beside something else until it is ended.

Usage: ``python background_writer.py FILE MOST_BYTES BYTES_PER_S LEAD_BYTES OFFSET DATA_FD``. It prints ``ready`` and
begins when its standard input ends. It writes through the page cache as cp does, so that the kernel makes it sleep at
the limit of dirty memory; where that lies further away than ``LEAD_BYTES``, older data are handed to the disk, and not
waited for (``posix_fadvise(DONTNEED)``). It never writes faster than it could for another ``LASTS_S``, so that it goes
on for however long it is needed. When the data are used up they begin again one byte further, so that no block on the
disk ever equals another. On SIGTERM it drops what is not on the disk yet, with its file, and prints how much was.
"""

from __future__ import annotations

import mmap
import os
import signal
import sys
import time
from pathlib import Path

PIECE = 1024 * 1024
LASTS_S = 0.25
STOP = (signal.SIGTERM,)


def write(target: int, data: mmap.mmap, offset: int, pace: tuple[int, float, int]) -> None:
    """Write until SIGTERM is pending; ``pace`` is how much at most, how much a second, and how far ahead."""
    most, rate, lead = pace
    written, place, again = 0, offset % max(1, len(data) - PIECE), 0
    due_s = time.monotonic()
    with memoryview(data) as view:
        while not signal.sigtimedwait(STOP, max(0.0, due_s - time.monotonic())):
            if most - written < PIECE:
                signal.sigwait(STOP)
                return
            due_s = max(due_s, time.monotonic()) + PIECE / min(rate, (most - written) / LASTS_S)
            count = os.pwrite(target, view[place : place + PIECE], written)
            if written >= lead:
                os.posix_fadvise(target, written - lead, count, os.POSIX_FADV_DONTNEED)
            written, place = written + count, place + count
            if place + PIECE > len(data):
                again += 1
                place = (offset + again) % max(1, len(data) - PIECE)


def on_disk() -> int:
    """Return how much this process wrote that was not dropped before it was on the disk (proc_pid_io(5))."""
    lines = Path("/proc/self/io").read_text(encoding="ascii").splitlines()
    counters = {name: int(value) for name, value in (line.split(": ") for line in lines)}
    return counters["write_bytes"] - counters["cancelled_write_bytes"]


def main() -> int:
    """Read the arguments, wait for the beginning, write."""
    name, most, rate, lead, offset, data_fd = sys.argv[1:7]
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP)
    try:
        target = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with mmap.mmap(int(data_fd), 0, prot=mmap.PROT_READ) as data:
            print("ready", flush=True)
            sys.stdin.buffer.read()
            write(target, data, int(offset), (int(most), float(rate), int(lead)))
        os.ftruncate(target, 0)
    except OSError as error:
        print(f"{name}: {error.strerror}", file=sys.stderr)
        return 1
    print(max(0, on_disk()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
