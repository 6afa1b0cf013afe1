# SPDX-License-Identifier: GPL-3.0-or-later
"""Incompressible, unique data: in memory for writing programs, in files for reading ones; and the room for them."""

from __future__ import annotations

import contextlib
import os
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from disktuner.opening import opened

CHUNK = 64 * 1024
"""Generating a chunk blocks all other threads, the window's too, for a quarter of a millisecond."""


def usable_bytes(folder: Path) -> int:
    """Return what an ordinary user may fill without using more than 90 %, counted as df does (statvfs(3))."""
    status = os.statvfs(folder)
    used, available = (status.f_blocks - status.f_bfree) * status.f_frsize, status.f_bavail * status.f_frsize
    return max(0, min(available, int((used + available) * 0.9) - used))


class Source:
    """Random bytes in anonymous memory, read by programs through a file descriptor; gone with the process.

    ``check`` is called between chunks while they are made, which takes seconds on slow machines, and may raise to stop.
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
        """Open another read-only descriptor with its own position at ``offset``."""
        with Path(f"/proc/self/fd/{self._fd}").open("rb", buffering=0) as data:
            data.seek(offset)
            yield data.fileno()

    def close(self) -> None:
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

    With ``extents`` (begin, end), only those are written; the rest stays as it was, or a hole. Follows no link.
    ``check`` is called between chunks and may raise to stop.
    """
    is_new = os.O_EXCL if extents is None else 0
    generator = random.Random(f"{path.name} {seed}")  # noqa: S311 - repeatable data, not a secret
    with opened(path, os.O_WRONLY | os.O_CREAT | is_new) as fd:
        for begin, end in ((0, size_bytes),) if extents is None else extents:
            for offset in range(begin, end, CHUNK):
                check()
                os.pwrite(fd, generator.randbytes(min(CHUNK, end - offset)), offset)
                if (offset - begin) % (32 << 20) == 0:
                    os.fdatasync(fd)  # bounds dirty memory, so that a cancel need not wait for a long flush
        os.ftruncate(fd, size_bytes)
        os.fsync(fd)


def discard(path: Path) -> None:
    """Remove a file with its unwritten data, so that they do not disturb the next run."""
    with contextlib.suppress(FileNotFoundError):
        os.truncate(path, 0)
        path.unlink()
