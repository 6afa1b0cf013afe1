# SPDX-License-Identifier: GPL-3.0-or-later
"""A short look at a disk: its free space and speed, to choose sizes that fit, and whether O_DIRECT works."""

from __future__ import annotations

import mmap
import os
import random
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import fmean, median

from disktuner.opening import opened
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.messages import Message, message
from disktuner.workloads.cold import cached_share, make_cold
from disktuner.workloads.errors import ProgramFailed, StillCached
from disktuner.workloads.source import usable_bytes
from disktuner.workloads.workload import MIB, Probe

MOST_BYTES = 384 * MIB
FIRST_BYTES = 4 * MIB
ENOUGH_S = 0.7
RANDOM_READS = 60
RANDOM_S = 1.0
BESIDE_SHARE = 1 / 3
BEGIN_S, BEGIN_BYTES = 0.1, 16 * MIB
"""The writer's head start: a time, or an amount."""
FEWEST_BESIDE = 5
DIRECT_BYTES = 256 * 1024  # the size of the file that shows whether O_DIRECT works


def too_little(folder: Path, needed_bytes: int) -> Message | None:
    """Return a message if ``needed_bytes`` do not fit; None if they do."""
    usable = usable_bytes(folder)
    if needed_bytes <= usable:
        return None
    return message("too-little-room", folder=str(folder), needed=needed_bytes, usable=usable)


def disk_failed(folder: Path, error: OSError | ProgramFailed) -> MeasurementImpossible:
    """Return the error for a disk that fails outside of a run: EIO, ENOSPC, ENODEV."""
    why = error.message if isinstance(error, ProgramFailed) else error.strerror or str(error)
    return MeasurementImpossible("disk-failed", folder=str(folder), why=why)


def probe(folder: Path, check: Callable[[], None], most_bytes: int = MOST_BYTES) -> Probe:
    """Write, read back cold, and read scattered blocks, alone and during writes, in ``folder``.

    This takes about 4 s; at most ``most_bytes`` are written, and all files are removed. ``check`` is called between
    operations and may raise to stop. Raises ``OSError`` if the disk fails.
    """
    path, beside, durable = folder / "probe", folder / "probe-beside", folder / "probe-durable"
    usable, beside_bytes = usable_bytes(folder), int(most_bytes * BESIDE_SHARE)
    try:
        write_bytes_per_s = _write(path, min(most_bytes - beside_bytes, usable // 2), check)
        durable_s = _durable(durable, check)
        make_cold(path)
        read_bytes_per_s = _read(path, check)
        make_cold(path)
        random_read_s = _scattered(path, check)
        make_cold(path)
        with _Writer(beside, min(beside_bytes, usable // 4)) as writer:
            beside_read_s = _scattered(path, check, writer)
    finally:
        for file in (path, beside, durable):
            file.unlink(missing_ok=True)
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return Probe(
        write_bytes_per_s, read_bytes_per_s, random_read_s, memory, usable, durable_s, beside_read_s,
        stream_bytes_per_s=writer.bytes_per_s,
    )  # fmt: skip


def _write(path: Path, most: int, check: Callable[[], None]) -> float:
    """Write larger and larger pieces, each made durable, and return the speed of the last, about half of all bytes."""
    block = os.urandom(MIB)
    piece, written, spent, speed = FIRST_BYTES, 0, 0.0, 0.0
    with opened(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as fd:
        while written + piece <= max(most, FIRST_BYTES) and spent < ENOUGH_S:
            began = time.monotonic()
            for _ in range(piece // MIB):
                check()
                os.write(fd, block)
            os.fdatasync(fd)
            took = time.monotonic() - began
            written, spent, speed = written + piece, spent + took, piece / took
            piece *= 2
    return speed


class _Writer:
    """Writes in the background, as fast as the disk accepts.

    A writer that fails, for example on a full disk, just ends, and the probe goes on without it. Attributes:
    ``bytes_per_s`` is its speed until it has written all it may, or is told to end.
    """

    def __init__(self, path: Path, most: int) -> None:
        self.bytes_per_s = 0.0
        self._most = most
        self._ended, self._begun = threading.Event(), threading.Event()
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        self._thread = threading.Thread(target=self._write, name="probe-writer")

    def __enter__(self) -> _Writer:
        self._thread.start()
        self._begun.wait(BEGIN_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        os.close(self._fd)

    @property
    def is_writing(self) -> bool:
        return self._thread.is_alive()

    def _write(self) -> None:
        block, began = os.urandom(MIB), time.monotonic()
        for offset in range(0, self._most, MIB):
            if self._ended.is_set():
                break
            try:
                os.write(self._fd, block)
                os.posix_fadvise(self._fd, offset, MIB, os.POSIX_FADV_DONTNEED)
            except OSError:
                break
            self.bytes_per_s = (offset + MIB) / (time.monotonic() - began)
            if offset >= BEGIN_BYTES:
                self._begun.set()


def _durable(path: Path, check: Callable[[], None]) -> float:
    """Return the median time of a small append made durable."""
    times: list[float] = []
    with opened(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as fd:
        while len(times) < 20 and sum(times) < 0.5:
            check()
            began = time.monotonic()
            os.write(fd, os.urandom(4096))
            os.fdatasync(fd)
            times.append(time.monotonic() - began)
    return median(times)


def _read(path: Path, check: Callable[[], None]) -> float:
    done, began = 0, time.monotonic()
    with opened(path, os.O_RDONLY) as fd:
        while (data := os.read(fd, MIB)) and time.monotonic() - began < 2 * ENOUGH_S:
            check()
            done += len(data)
    return done / (time.monotonic() - began)


def _scattered(path: Path, check: Callable[[], None], beside: _Writer | None = None) -> float:
    """Return the median time of a scattered 16 KiB read, so that no passing disturbance makes all runs too short.

    During writes it is the mean, as the few long delays are what matters; only reads made while the writer was still
    writing count, unless there are too few.
    """
    block = 16384
    times: list[float] = []
    with opened(path, os.O_RDONLY) as fd:
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
        for place in random.sample(range(os.fstat(fd).st_size // block), RANDOM_READS):
            check()
            began = time.monotonic()
            os.pread(fd, block, place * block)
            if beside and not beside.is_writing and len(times) >= FEWEST_BESIDE:
                break
            times.append(time.monotonic() - began)
            if sum(times) > RANDOM_S:
                break
    return fmean(times) if beside else median(times)


def direct_works(folder: Path) -> bool:
    """Write and read a small file with O_DIRECT; return whether its pages stay out of memory.

    open(2) succeeds even if the flag is ignored, as on ext4 with ``data=journal`` or an old ZFS. A file system that
    writes through the cache and drops the pages at once (btrfs with checksums) is fine, as it waits for the disk.
    """
    path = folder / "direct"
    with mmap.mmap(-1, DIRECT_BYTES) as block:  # O_DIRECT wants memory at a page's boundary
        block.write(os.urandom(DIRECT_BYTES))
        try:
            for access, move in ((os.O_RDWR | os.O_CREAT | os.O_EXCL, os.writev), (os.O_RDONLY, os.readv)):
                with opened(path, access | os.O_DIRECT) as fd:
                    move(fd, [block])
                    if cached_share(fd):
                        return False
                make_cold(path)
            return True
        except (OSError, StillCached):
            return False
        finally:
            path.unlink(missing_ok=True)
