# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are never half-written: read without following links, replaced in one step."""

import errno
import fcntl
import json
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Generic, TypeVar

from disktuner_helper import audit, errors

Made = TypeVar("Made")
BROKEN = (ValueError, TypeError, KeyError, AttributeError, RecursionError, errors.HelperError)
"""What reading a damaged file raises."""

_LIMIT_BYTES = 1 << 20
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


def read(file: Path) -> bytes:
    """Return the content, empty if there is none. Raises WriteFailed unless it is an ordinary file of root's."""
    with errors.os_error_as("file-not-read", file=file), suppress(FileNotFoundError):
        with os.fdopen(os.open(file, _READ), "rb") as opened:
            status = os.fstat(opened.fileno())
            is_ours = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()
            if is_ours and status.st_size <= _LIMIT_BYTES:
                return opened.read(_LIMIT_BYTES)
        raise errors.WriteFailed("file-not-ordinary", file=file)
    return b""


def replace(file: Path, content: bytes) -> None:
    """Replace a file as a whole; durable on return. Raises WriteFailed, also for content too large for ``read``."""
    new_file = file.with_name(f".{file.name}.new")
    with errors.os_error_as("file-not-written", file=file):
        if len(content) > _LIMIT_BYTES:
            raise OSError(errno.EFBIG, file)
        new_file.unlink(missing_ok=True)
        try:
            with os.fdopen(os.open(new_file, _MAKE, 0o644), "wb") as opened:
                opened.write(content)
                opened.flush()
                os.fsync(opened.fileno())
            new_file.replace(file)
        finally:
            new_file.unlink(missing_ok=True)
        _sync(file.parent)


def remove(file: Path) -> None:
    """Remove a file, if there is one; durable on return. Raises WriteFailed."""
    with errors.os_error_as("file-not-removed", file=file), suppress(FileNotFoundError):
        file.with_name(f".{file.name}.new").unlink(missing_ok=True)
        file.unlink()
        _sync(file.parent)


@contextmanager
def changing(file: Path, content: bytes) -> Iterator[None]:
    """Replace a file, or remove it if there is no content; undo that if it fails or the body raises."""
    before, existed = read(file), file.exists()
    try:
        replace(file, content) if content else remove(file)
        yield
    except Exception:
        with suppress(errors.WriteFailed, OSError):
            replace(file, before) if existed else remove(file)
        raise


def lock(file: Path, patience_s: float) -> None:
    """Lock a file that only root may open for this process's life. Raises WriteFailed if another helper keeps it."""
    with errors.os_error_as("another-disktuner-runs"):
        end = time.monotonic() + patience_s
        while True:
            number = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            try:
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.fstat(number).st_nlink:  # else who had it has removed it, and the next one would not see the lock
                    return
            except BlockingIOError:
                if time.monotonic() > end:
                    raise
            os.close(number)
            time.sleep(0.02)


class Kept(Generic[Made]):
    """Values by key that outlive this process: a change reaches the disk before it shows in ``all``.

    ``make`` makes a value from a key and JSON, ``form`` JSON from a value. Damaged entries are left out and logged.
    """

    def __init__(self, file: Path, make: Callable[[str, Any], Made], form: Callable[[Any], Any] = asdict) -> None:
        self._file, self._form = file, form
        values: dict[str, Made] = {}
        with _if_broken(file):
            for key, stored in json.loads(read(file) or b"{}").items():
                with _if_broken(file):
                    values[key] = make(key, stored)
        self.all: Mapping[str, Made] = values

    def put(self, key: str, value: Made) -> None:
        """Store a value. Raises WriteFailed; then nothing has changed."""
        self._store({**self.all, key: value})

    def drop(self, *keys: str) -> None:
        """Remove the values that exist. Raises WriteFailed; then nothing has changed."""
        self._store({key: value for key, value in self.all.items() if key not in keys})

    def _store(self, values: Mapping[str, Made]) -> None:
        with errors.os_error_as("file-not-written", file=self._file):
            self._file.parent.mkdir(0o700, exist_ok=True)
        stored = {key: self._form(value) for key, value in values.items()}
        replace(self._file, json.dumps(stored, indent=1).encode()) if stored else remove(self._file)
        self.all = values


def _sync(folder: Path) -> None:
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


@contextmanager
def _if_broken(file: Path) -> Iterator[None]:
    try:
        yield
    except BROKEN as error:
        audit.write(f"{file} is broken ({type(error).__name__}); what it said there is not known any more")
