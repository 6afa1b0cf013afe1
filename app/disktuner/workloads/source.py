# SPDX-License-Identifier: GPL-3.0-or-later
"""Incompressible, unique data, in memory for programs that write and as files that programs read; the room for them."""

from __future__ import annotations

import contextlib
import os
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from disktuner.opening import opened

CHUNK = 64 * 1024
"""Making random data keeps the interpreter from all other threads, the window's too: a quarter of a millisecond."""


def usable_bytes(folder: Path) -> int:
    """Return what an ordinary user may take so that at most 90 % are used, counted as df does (statvfs(3))."""
    status = os.statvfs(folder)
    used, available = (status.f_blocks - status.f_bfree) * status.f_frsize, status.f_bavail * status.f_frsize
    return max(0, min(available, int((used + available) * 0.9) - used))


class Source:
    """Random bytes in anonymous memory, read by programs through a file descriptor; gone with the process.

    A program that writes more than there is must write other data. ``check`` is called between chunks while they are
    made, which takes seconds on slow machines, and may raise to stop.
    """

    def __init__(self, size_bytes: int, seed: int, check: Callable[[], object] = lambda: None) -> None:
        self._fd = os.memfd_create("disktuner-source", os.MFD_CLOEXEC)
        generator = random.Random(f"source {seed}")  # noqa: S311 - repeatable data, not a secret
        try:
            for offset in range(0, size_bytes, CHUNK):
                check()
                os.write(self._fd, generator.randbytes(min(CHUNK, size_bytes - offset)))
        except BaseException:
            self.close()
            raise

    @contextlib.contextmanager
    def opened(self, offset: int = 0) -> Iterator[int]:
        """Open another descriptor with its own position at ``offset``, only for reading."""
        with Path(f"/proc/self/fd/{self._fd}").open("rb", buffering=0) as data:
            data.seek(offset)
            yield data.fileno()

    def close(self) -> None:
        """Give the memory back."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def write_file(
    path: Path, size_bytes: int, seed: int, check: Callable[[], None], extents: Iterable[tuple[int, int]] | None = None
) -> None:
    """Write ``size_bytes`` of random data that depend only on ``seed`` and the file's name, and make them durable.

    Where ``extents`` are given, only what is from the first to before the second byte of each is written; the rest is
    as it was, or holes. Follows no link. ``check`` is called between chunks and may raise to stop.
    """
    is_new = os.O_EXCL if extents is None else 0
    generator = random.Random(f"{path.name} {seed}")  # noqa: S311 - repeatable data, not a secret
    with opened(path, os.O_WRONLY | os.O_CREAT | is_new) as fd:
        for begin, end in ((0, size_bytes),) if extents is None else extents:
            for offset in range(begin, end, CHUNK):
                check()
                os.pwrite(fd, generator.randbytes(min(CHUNK, end - offset)), offset)
                if (offset - begin) % (32 << 20) == 0:
                    os.fdatasync(fd)  # bounded dirty memory, so that a cancel need not wait for a long flush
        os.ftruncate(fd, size_bytes)
        os.fsync(fd)


def discard(path: Path) -> None:
    """Take a file away with what was not written of it yet, so that the next run does not meet it."""
    with contextlib.suppress(FileNotFoundError):
        os.truncate(path, 0)
        path.unlink()
