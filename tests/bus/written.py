# SPDX-License-Identifier: GPL-3.0-or-later
"""For each line of input, names the files that a process wrote to since the last one. To be started as root.

    written.py PID

The kernel tells (fanotify, on all mounts that this process sees) who closed a file that was open for writing.
"""

from __future__ import annotations

import ctypes
import json
import os
import struct
import sys
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)
FAN_UNLIMITED, FAN_NONBLOCK = 0x10 | 0x20, 0x2
FAN_MARK_ADD, FAN_MARK_MOUNT, FAN_CLOSE_WRITE, AT_FDCWD = 0x1, 0x10, 0x8, -100
EVENT = struct.Struct("=IBBHQii")


def watch() -> tuple[int, set[str]]:
    """A queue of events, and the mounts that could be marked."""
    queue = LIBC.fanotify_init(FAN_UNLIMITED | FAN_NONBLOCK, os.O_RDONLY)
    assert queue >= 0, os.strerror(ctypes.get_errno())
    places = {line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()}
    marked = set()
    for place in places:
        where, events = ctypes.c_char_p(place.encode()), ctypes.c_uint64(FAN_CLOSE_WRITE)
        if LIBC.fanotify_mark(queue, FAN_MARK_ADD | FAN_MARK_MOUNT, events, AT_FDCWD, where) == 0:
            marked.add(place)
    return queue, marked


def written(queue: int, pid: int) -> set[str]:
    """What the process has written to; forgets what others did."""
    found = set()
    while True:
        try:
            events = os.read(queue, 4096)  # each event brings an open file: fewer than a process may have
        except BlockingIOError:
            return found
        while events:
            length, _, _, _, _, number, whose = EVENT.unpack_from(events)
            if whose == pid:
                found.add(str(Path(f"/proc/self/fd/{number}").readlink()))
            os.close(number)
            events = events[length:]


def main() -> None:
    queue, marked = watch()
    print(*sorted(marked), flush=True)
    for _ in sys.stdin:
        print(json.dumps(sorted(written(queue, int(sys.argv[1])))), flush=True)


if __name__ == "__main__":
    main()
