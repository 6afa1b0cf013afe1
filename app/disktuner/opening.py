# SPDX-License-Identifier: GPL-3.0-or-later
"""Opens files in places where others, or accidents, may have put something else: ordinary files only, never waiting.

What asks whether something is there asks here. Python's own questions raise where a folder is closed to this user or a
name is too long; these say no, and what opens it then says why.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class NoRegularFile(OSError):
    """A pipe, a device, a socket or a folder, which may be waited for without an end."""


def is_there(path: Path | str) -> bool:
    """Whether this user can see anything of that name; a link counts as what it leads to."""
    return os.path.exists(path)  # noqa: PTH110


def is_file(path: Path | str) -> bool:
    """Whether this user can see an ordinary file of that name."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: Path | str) -> bool:
    """Whether this user can see a folder of that name."""
    return os.path.isdir(path)  # noqa: PTH112


def is_closed(path: Path | str) -> bool:
    """Whether this user may not see what is there."""
    try:
        os.stat(path)  # noqa: PTH116
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False
    return False


def open_regular(path: Path | str, flags: int = os.O_RDONLY, mode: int = 0o600, dir_fd: int | None = None) -> int:
    """Return the handle of a regular file, opened as by open(2). Raises ``OSError``, ``NoRegularFile`` among them."""
    try:
        fd = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, mode, dir_fd=dir_fd)
    except OSError as error:
        if error.errno in (errno.ENXIO, errno.EISDIR):  # a pipe that nobody reads, a socket, a folder to write to
            raise NoRegularFile(error.errno, error.strerror, str(path)) from error
        raise
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise NoRegularFile(errno.EINVAL, os.strerror(errno.EINVAL), str(path))
    return fd


def read_regular(path: Path | str, most_bytes: int) -> bytes:
    """Return what a regular file holds, up to one byte more than so many. Raises ``OSError``."""
    with os.fdopen(open_regular(path), "rb") as file:
        return file.read(most_bytes + 1)


@contextmanager
def opened(path: Path, flags: int) -> Iterator[int]:
    """Open a scratch file, never through a link."""
    fd = os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        yield fd
    finally:
        os.close(fd)
