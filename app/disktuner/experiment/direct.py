# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a file system really goes around the page cache when a program opens a file with O_DIRECT."""

from __future__ import annotations

import mmap
import os
from pathlib import Path

from disktuner.workloads.cold import cached_share, make_cold
from disktuner.workloads.errors import StillCached

SIZE_BYTES = 256 * 1024


def direct_works(folder: Path) -> bool:
    """Write and read a small file with O_DIRECT and look whether its pages are in memory afterwards.

    open(2) succeeds also where the flag is ignored, as on ext4 with ``data=journal`` or an old ZFS. A file system that
    writes through the cache and drops the pages at once (btrfs with checksums) measures the disk and is fine.
    """
    path = folder / "direct"
    with mmap.mmap(-1, SIZE_BYTES) as block:  # O_DIRECT wants memory at a page's boundary
        block.write(os.urandom(SIZE_BYTES))
        try:
            _access(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, block)
            written_around = _share(path) == 0
            make_cold(path)
            _access(path, os.O_RDONLY, block)
            return written_around and _share(path) == 0
        except (OSError, StillCached):
            return False
        finally:
            path.unlink(missing_ok=True)


def _access(path: Path, flags: int, block: mmap.mmap) -> None:
    """Write or read the whole file with O_DIRECT."""
    fd = os.open(path, flags | os.O_DIRECT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        if flags & os.O_WRONLY:
            os.writev(fd, [block])
        else:
            os.readv(fd, [block])
    finally:
        os.close(fd)


def _share(path: Path) -> float:
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        return cached_share(fd)
    finally:
        os.close(fd)
