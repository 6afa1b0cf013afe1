# SPDX-License-Identifier: GPL-3.0-or-later
"""Drops files from the page cache without special rights, and tells how much stayed.

Files that running programs have mapped stay, and so do folders themselves (posix_fadvise(2), proc_sys_vm(5)).
"""

from __future__ import annotations

import ctypes
import mmap
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from disktuner.opening import is_folder, open_regular, opened
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
    """Sync one of our files, as DONTNEED skips dirty pages, and drop it. Raises ``StillCached`` if it stays."""
    share = 1.0
    with opened(path, os.O_RDONLY) as fd:
        for _ in range(10):  # pages in a CPU's private batch need a second try
            os.fsync(fd)
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            share = cached_share(fd)
            if share <= ALLOWED_SHARE:
                return
            time.sleep(0.02)
    raise StillCached(path.name, share)


def cached_share(fd: int) -> float:
    """Return the share of a file's pages in memory, 0 to 1 (mincore(2); only true for our own files)."""
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


@dataclass(frozen=True, slots=True)
class Evicted:
    """The outcome of dropping files, whoever owns them.

    Of ``known_bytes``, ``stayed_bytes`` stayed in memory. Other users' files that we may not write count in
    ``size_bytes`` only, as the kernel does not tell about them (mincore(2)).
    """

    files: int = 0
    size_bytes: int = 0
    known_bytes: int = 0
    stayed_bytes: int = 0

    @property
    def stayed(self) -> float:
        """The share that stayed in memory, 0 to 1, as far as known."""
        return self.stayed_bytes / self.known_bytes if self.known_bytes else 0.0

    def __add__(self, other: Evicted) -> Evicted:
        return Evicted(*(getattr(self, name) + getattr(other, name) for name in Evicted.__slots__))


def evict(paths: Sequence[Path], check: Callable[[], object]) -> Evicted:
    """Drop all regular files at or below these paths (or links) from memory; ``check`` may raise to stop."""
    evicted = Evicted()
    for file in (file for path in paths for file in _files(path)):
        check()
        evicted += _evicted(file)
    return evicted


def _files(path: Path) -> Iterator[Path]:
    if not is_folder(path):
        yield path
    for folder, _, names in os.walk(path):
        yield from (Path(folder, name) for name in names)


def _evicted(path: Path) -> Evicted:
    """Drop one file; anything but a regular file counts as nothing, links included."""
    try:
        fd = open_regular(path)
    except OSError:
        return Evicted()
    with os.fdopen(fd, "rb", buffering=0):
        status = os.fstat(fd)
        # mincore tells the truth only to a file's owner and to those who may write it (mm/mincore.c).
        is_known = status.st_uid == os.geteuid() or os.access(f"/proc/self/fd/{fd}", os.W_OK)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        share = cached_share(fd) if is_known else 0.0
        if share or not is_known:
            with suppress(OSError):
                os.fsync(fd)  # dirty pages stay in memory
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            share = cached_share(fd) if is_known else 0.0
        known_bytes = status.st_size if is_known else 0
        return Evicted(1, status.st_size, known_bytes, round(share * known_bytes))
