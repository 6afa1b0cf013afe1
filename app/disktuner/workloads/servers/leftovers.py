# SPDX-License-Identifier: GPL-3.0-or-later
"""What a private server has outside of the scratch folder: a segment of shared memory, and notes in memory.

Each is known from the scratch folder alone, so that whoever removes the folder of a killed run removes these, too.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path

from disktuner.workloads.workload import Scratch

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
    for notes in _notes_of(scratch):
        with suppress(OSError):
            status = notes.lstat()
            if stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid():
                shutil.rmtree(notes, ignore_errors=True)


def notes_folder(scratch: Scratch) -> Path:
    """Make a private folder in memory for a program's own log, so that it costs the tested disk nothing."""
    for folder in _notes_of(scratch.folder):
        with suppress(OSError):
            folder.mkdir(0o700, exist_ok=True)
            return folder
    return scratch.folder


def _notes_of(scratch: Path) -> list[Path]:
    bases = (os.environ.get("XDG_RUNTIME_DIR"), "/dev/shm")  # noqa: S108 - a private folder is made in it
    return [Path(base, scratch.name) for base in bases if base]


def _is_ours(key: int, number: int) -> bool:
    """Whether there is a small segment of this user with that key and id (columns as in proc(5))."""
    for line in Path("/proc/sysvipc/shm").read_text().splitlines()[1:]:
        words = [int(word) for word in line.split()]
        if (words[0], words[1], words[7]) == (key, number, os.geteuid()):
            return words[3] <= _LARGEST_BYTES
    return False
