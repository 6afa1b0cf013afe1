# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes any files that one may read out of the page cache, without rights, and says how much stayed.

What running programs have mapped stays, and so do folders' own entries (both: posix_fadvise(2), proc_sys_vm(5)).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from disktuner.workloads.cold import cached_share


@dataclass(frozen=True, slots=True)
class Evicted:
    """What became of some files. Of ``known_bytes`` the kernel tells us how much ``stayed_bytes`` in memory.

    Of files of other users that one may not write it does not tell (mincore(2)); they belong to ``size_bytes`` only.
    """

    files: int = 0
    size_bytes: int = 0
    known_bytes: int = 0
    stayed_bytes: int = 0

    @property
    def stayed(self) -> float:
        """Which part stayed in memory, 0 to 1, as far as that is known."""
        return self.stayed_bytes / self.known_bytes if self.known_bytes else 0.0

    def plus(self, other: Evicted) -> Evicted:
        """Both together."""
        return Evicted(*(getattr(self, name) + getattr(other, name) for name in Evicted.__slots__))


def evict(paths: Sequence[Path], check: Callable[[], object]) -> Evicted:
    """Take all regular files at or below these paths out of memory; ``check`` is called between them, and may raise.

    A path itself may be a link; below it, none is followed.
    """
    found = Evicted()
    for path in paths:
        for file in _files(path):
            check()
            found = found.plus(_evicted(file))
    return found


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for folder, _, names in os.walk(path):
        for name in names:
            yield Path(folder, name)


def _evicted(path: Path) -> Evicted:
    """One file; nothing for what is none (a link below a folder leads to a file that has its own place)."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return Evicted()
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return Evicted()
    try:
        status, is_told = os.fstat(fd), _is_told(fd)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        share = cached_share(fd) if is_told else 0.0
        if share or not is_told:
            with suppress(OSError):
                os.fsync(fd)  # what is not on the disk yet stays in memory
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            share = cached_share(fd) if is_told else 0.0
        known = status.st_size if is_told else 0
        return Evicted(1, status.st_size, known, round(share * known))
    finally:
        os.close(fd)


def _is_told(fd: int) -> bool:
    """Whether mincore(2) tells the truth: to a file's owner, and to who may write it (mm/mincore.c)."""
    return os.fstat(fd).st_uid == os.geteuid() or os.access(f"/proc/self/fd/{fd}", os.W_OK)
