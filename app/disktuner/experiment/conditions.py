# SPDX-License-Identifier: GPL-3.0-or-later
"""What is true of machine, file system and disks at one moment: before and after a run."""

from __future__ import annotations

import mmap
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from disktuner.block.counters import Counters
from disktuner.block.machine import Conditions
from disktuner.experiment.scratch import opened
from disktuner.workloads.cold import cached_share, make_cold
from disktuner.workloads.errors import StillCached

SIZE_BYTES = 256 * 1024  # of the file that shows whether O_DIRECT works


@dataclass(frozen=True, slots=True)
class Observation:
    """What the kernel says at one moment. ``counters`` None means that a disk is gone.

    ``stopped_s`` is for how long programs stood still up to now, by name.
    """

    counters: Counters | None
    schedulers: Mapping[str, str | None]
    tunables: Mapping[str, Mapping[str, int | str]]
    conditions: Conditions
    read_only: bool
    asleep_s: float = 0.0
    mounted: bool = True
    stopped_s: Mapping[str, float] = field(default_factory=dict)


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
    with opened(path, flags | os.O_DIRECT) as fd:
        (os.writev if flags & os.O_WRONLY else os.readv)(fd, [block])


def _share(path: Path) -> float:
    with opened(path, os.O_RDONLY) as fd:
        return cached_share(fd)


def asleep_s() -> float:
    """Return for how long the machine was suspended since its start: what the monotonic clock leaves out."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)


def is_read_only(folder: Path) -> bool:
    """Whether the file system went read-only (the kernel's answer to errors), or cannot be asked any more."""
    try:
        return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
    except OSError:
        return True


def same_file_system(folder: Path, held: Path) -> bool:
    """Whether a folder's name still leads to the file system of one that is held open."""
    try:
        return folder.stat().st_dev == held.stat().st_dev
    except OSError:
        return False
