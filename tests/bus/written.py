# SPDX-License-Identifier: GPL-3.0-or-later
"""Names the files that are written to. To be started as root.

    written.py PID                for each line of input what that process has written to since the last one
    written.py -- COMMAND...      what a command prints, and what it and its children have written to in the end

The kernel tells (fanotify, on all mounts that this process sees) who wrote, or closed a file that was open for writing.
A command has to be in a mount namespace of its own, or others are blamed on it.
"""

from __future__ import annotations

import ctypes
import json
import os
import struct
import subprocess
import sys
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)
FAN_UNLIMITED, FAN_NONBLOCK = 0x10 | 0x20, 0x2
FAN_MARK_ADD, FAN_MARK_MOUNT, FAN_MODIFY, FAN_CLOSE_WRITE, AT_FDCWD = 0x1, 0x10, 0x2, 0x8, -100
EVENT = struct.Struct("=IBBHQii")


def watch(wanted: int) -> tuple[int, set[str]]:
    """Return a queue of the wanted events, and the mounts that could be marked."""
    queue = LIBC.fanotify_init(FAN_UNLIMITED | FAN_NONBLOCK, os.O_RDONLY)
    assert queue >= 0, os.strerror(ctypes.get_errno())
    places = {line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()}
    marked = set()
    for place in places:
        where, events = ctypes.c_char_p(place.encode()), ctypes.c_uint64(wanted)
        if LIBC.fanotify_mark(queue, FAN_MARK_ADD | FAN_MARK_MOUNT, events, AT_FDCWD, where) == 0:
            marked.add(place)
    return queue, marked


def written(queue: int, pid: int | None = None) -> set[str]:
    """Return what the process has written to, ignoring others; without a process, what any has."""
    paths = set()
    while True:
        try:
            events = os.read(queue, 4096)  # each event brings an open file: fewer than a process may have
        except BlockingIOError:
            return paths
        while events:
            length, _, _, _, _, number, whose = EVENT.unpack_from(events)
            if pid in (None, whose):
                paths.add(str(Path(f"/proc/self/fd/{number}").readlink()))
            os.close(number)
            events = events[length:]


def main() -> None:
    has_command = sys.argv[1] == "--"
    queue, marked = watch(FAN_CLOSE_WRITE | (FAN_MODIFY if has_command else 0))
    if has_command:
        completed = subprocess.run(sys.argv[2:], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        print(json.dumps({"said": completed.stdout, "code": completed.returncode, "written": sorted(written(queue))}))
        return
    print(*sorted(marked), flush=True)
    for _ in sys.stdin:
        print(json.dumps(sorted(written(queue, int(sys.argv[1])))), flush=True)


if __name__ == "__main__":
    main()
