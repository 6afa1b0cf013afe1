# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are whole at any time: read without following links, replaced in one step."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from disktuner_helper.errors import WriteFailed

_LIMIT_BYTES = 1 << 20


def read(file: Path) -> bytes | None:
    """The content, None where there is no such file. Raises WriteFailed for links, devices and huge files."""
    try:
        with _opened(file.parent) as folder:
            return _read(file.name, folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise WriteFailed(
            f"{file} cannot be read: {os.strerror(error.errno or 0)}. Remove it if you did not make it."
        ) from error


def replace(file: Path, content: bytes) -> None:
    """Put a whole new file (mode 0644) in the place of the old one; durable on return. Raises WriteFailed."""
    fresh = f".{file.name}.new"
    try:
        with _opened(file.parent) as folder:
            _write_fresh(fresh, content, folder)
            os.rename(fresh, file.name, src_dir_fd=folder, dst_dir_fd=folder)
            os.fsync(folder)
    except OSError as error:
        raise WriteFailed(f"{file} cannot be written: {os.strerror(error.errno or 0)}.") from error


def remove(file: Path) -> None:
    """Take a file away, durably; fine where there is none. Raises WriteFailed."""
    try:
        with _opened(file.parent) as folder:
            for name in (f".{file.name}.new", file.name):
                with suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=folder)
            os.fsync(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        raise WriteFailed(f"{file} cannot be removed: {os.strerror(error.errno or 0)}.") from error


def make_folder(folder: Path) -> None:
    """Make a folder of the helper's own (mode 0755) where it is missing. Raises WriteFailed."""
    try:
        folder.mkdir(mode=0o755, exist_ok=True)
    except OSError as error:
        raise WriteFailed(f"{folder} cannot be made: {os.strerror(error.errno or 0)}.") from error


def read_json(file: Path) -> dict[str, Any]:
    """The object that ``replace_json`` wrote; an empty one where there is none or somebody broke it."""
    try:
        loaded = json.loads(read(file) or b"{}")
    except (ValueError, WriteFailed):
        return {}
    return loaded if isinstance(loaded, dict) else {}


def replace_json(file: Path, content: dict[str, Any]) -> None:
    """Write an object; an empty one leaves no file. Raises WriteFailed."""
    if content:
        make_folder(file.parent)
        replace(file, json.dumps(content, indent=1).encode())
    else:
        remove(file)


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield number
    finally:
        os.close(number)


def _read(name: str, folder: int) -> bytes:
    number = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    with os.fdopen(number, "rb") as file:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise WriteFailed(f"{name} is no ordinary file. Remove it if you did not make it.")
        content = file.read(_LIMIT_BYTES + 1)
    if len(content) > _LIMIT_BYTES:
        raise WriteFailed(f"{name} is too big. Remove it if you did not make it.")
    return content


def _write_fresh(name: str, content: bytes, folder: int) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    number = os.open(name, flags, 0o644, dir_fd=folder)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(content)
            file.flush()
            os.fchmod(number, 0o644)
            os.fsync(number)
    except OSError:
        os.unlink(name, dir_fd=folder)
        raise
