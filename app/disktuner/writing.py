# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes files that are replaced as a whole: whatever happens, either the old or the new one is there."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from disktuner.vocabulary.errors import DisktunerError


class NotSaved(DisktunerError):
    """A file could not be written or removed; what was saved before is still there."""

    exit_code = 5


def write_atomically(path: Path, data: bytes, *, is_private: bool = False) -> Path:
    """Write ``data`` to ``path`` so that at any moment it holds either all of the old or all of the new.

    Only its owner may read what ``is_private``; all else, whom the user's umask allows it. Raises ``NotSaved``; then
    the old file is untouched and nothing else is left behind.
    """
    handle = opened_folder(path)
    folder = Path(f"/proc/self/fd/{handle}")  # the same one in each step, whatever others rename meanwhile
    temporary = folder / temporary_name(path)
    try:
        _write_through(temporary, data, 0o600 if is_private else 0o666)
        temporary.replace(folder / path.name)
        with suppress(OSError):  # the new name itself: some file systems can't, and the rename is whole there, too
            os.fsync(handle)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise not_saved(path, error) from error
    finally:
        os.close(handle)
    return path


def write_chosen(path: Path, data: bytes, *, is_private: bool = False) -> Path:
    """Write a file that a person has named, as ``write_atomically`` does. Raises ``NotSaved``."""
    with suppress(OSError):  # said when it is written
        check_chosen(path)
    return write_atomically(path, data, is_private=is_private)


def check_chosen(path: Path) -> None:
    """Raise ``NotSaved`` for a link, a pipe or a device, which would be replaced instead of written to.

    Raises ``OSError`` for a name that there cannot be.
    """
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(path.lstat().st_mode):
            raise NotSaved("no-regular-file", file=str(path))


def opened_folder(path: Path) -> int:
    """Return a handle of the folder of a file, made if it is not there. Raises ``NotSaved``."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise not_saved(path, error) from error


def temporary_name(path: Path) -> str:
    """Return a name that is not taken, for what takes a file's place; it fits wherever the file's own name does."""
    return f".{path.name[:32]}.{os.getpid()}.{os.urandom(4).hex()}.tmp"


def _write_through(path: Path, data: bytes, mode: int) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def remove(path: Path) -> None:
    """Remove a file; nothing happens if it is gone already. Raises ``NotSaved``."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise NotSaved("not-removed", file=str(path), why=error.strerror or str(error)) from error


def not_saved(path: Path, error: OSError) -> NotSaved:
    """Return that a file could not be written, and why."""
    return NotSaved("not-saved", file=str(path), why=error.strerror or str(error))
