# SPDX-License-Identifier: GPL-3.0-or-later
"""What a private server has outside of the scratch folder: a segment of shared memory.

It is known from the scratch folder alone, so that whoever removes the folder of a killed run removes it, too.
"""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress
from pathlib import Path

_LIBC = ctypes.CDLL(None, use_errno=True)
_IPC_RMID = 0
_LARGEST_BYTES = 65536  # PostgreSQL's has 56 bytes and only shows that a cluster is in use
_KEY_LINE = 6  # of postmaster.pid: key and id of the segment (PostgreSQL's pidfile.h)


def release(scratch: Path) -> None:
    """Give back what servers below a scratch folder hold elsewhere; attached programs keep it until they end."""
    for noted in scratch.glob("*/postmaster.pid"):
        with suppress(OSError, ValueError, IndexError):
            key, number = map(int, noted.read_text().splitlines()[_KEY_LINE].split())
            if _is_ours(key, number):
                _LIBC.shmctl(number, _IPC_RMID, None)


def _is_ours(key: int, number: int) -> bool:
    """Whether there is a small segment of this user with that key and id (columns as in proc(5))."""
    for line in Path("/proc/sysvipc/shm").read_text().splitlines()[1:]:
        words = [int(word) for word in line.split()]
        if (words[0], words[1], words[7]) == (key, number, os.geteuid()):
            return words[3] <= _LARGEST_BYTES
    return False
