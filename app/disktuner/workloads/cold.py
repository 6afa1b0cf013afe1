# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a file cold without special rights: its pages leave the page cache, and that is verified."""

from __future__ import annotations

import ctypes
import mmap
import os
import time
from pathlib import Path

from disktuner.workloads.errors import StillCached

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.mmap.restype = ctypes.c_void_p
_LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
_LIBC.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_LIBC.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
_MAP_FAILED = ctypes.c_void_p(-1).value
_LOWEST_BIT = bytes(value & 1 for value in range(256))  # of mincore(2)'s bytes; the other bits are reserved
ALLOWED_SHARE = 0.01


def make_cold(path: Path) -> None:
    """Write the file back and drop its pages (``posix_fadvise(DONTNEED)``); raises ``StillCached`` if they stay.

    DONTNEED skips dirty pages, so fsync comes first; pages in a CPU's private batch need a second try.
    """
    share = 1.0
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        for _ in range(10):
            os.fsync(fd)
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            share = cached_share(fd)
            if share <= ALLOWED_SHARE:
                return
            time.sleep(0.02)
    finally:
        os.close(fd)
    raise StillCached(path.name, share)


def cached_share(fd: int) -> float:
    """Return which part of a file's pages is in memory, 0 to 1 (mincore(2); only true for files of our own)."""
    size = os.fstat(fd).st_size
    if size == 0:
        return 0.0
    address = _LIBC.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, fd, 0)
    if address == _MAP_FAILED:
        raise OSError(ctypes.get_errno(), "mmap of a scratch file")
    try:
        pages = -(-size // mmap.PAGESIZE)
        states = (ctypes.c_ubyte * pages)()
        if _LIBC.mincore(address, size, states) != 0:
            raise OSError(ctypes.get_errno(), "mincore of a scratch file")
        return sum(bytes(states).translate(_LOWEST_BIT)) / pages
    finally:
        _LIBC.munmap(address, size)
