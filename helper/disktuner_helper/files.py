# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are whole at any time: read without following links, replaced in one step."""

import errno
import fcntl
import json
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, TypeVar

from disktuner_helper import audit, errors

Made = TypeVar("Made")
BROKEN = (ValueError, TypeError, KeyError, AttributeError, RecursionError, errors.HelperError)
"""What reading a file raises that holds anything but what was written there."""

_LIMIT_BYTES = 1 << 20
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


def read(file: Path, *, own: bool = False) -> bytes:
    """The content, nothing where there is no such file. Raises WriteFailed for links, devices and huge files, and for
    others' where only an ``own`` one counts.
    """
    with errors.os_error_as("file-not-read", file=file), suppress(FileNotFoundError):
        with os.fdopen(os.open(file, _READ), "rb") as opened:
            status = os.fstat(opened.fileno())
            is_whose = not own or status.st_uid == os.geteuid()
            if stat.S_ISREG(status.st_mode) and status.st_size <= _LIMIT_BYTES and is_whose:
                return opened.read(_LIMIT_BYTES)
        raise errors.WriteFailed("file-not-ordinary", file=file)
    return b""


def replace(file: Path, content: bytes) -> None:
    """Put a whole new file in the place of the old one; durable on return. Raises WriteFailed, also for what ``read``
    would find too large.
    """
    fresh = file.with_name(f".{file.name}.new")
    with errors.os_error_as("file-not-written", file=file):
        if len(content) > _LIMIT_BYTES:
            raise OSError(errno.EFBIG, file)
        fresh.unlink(missing_ok=True)
        try:
            with os.fdopen(os.open(fresh, _MAKE, 0o644), "wb") as opened:
                opened.write(content)
                opened.flush()
                os.fsync(opened.fileno())
            fresh.replace(file)
        finally:
            fresh.unlink(missing_ok=True)
        _sync(file.parent)


def remove(file: Path) -> None:
    """Take a file away, durably; fine where there is none. Raises WriteFailed."""
    with errors.os_error_as("file-not-removed", file=file), suppress(FileNotFoundError):
        file.with_name(f".{file.name}.new").unlink(missing_ok=True)
        file.unlink()
        _sync(file.parent)


@contextmanager
def changing(file: Path, content: bytes) -> Iterator[None]:
    """Put a new file in the place of the old one, or remove it (no content); where that fails, or what is done
    meanwhile, it is as it was. Raises WriteFailed.
    """
    before = read(file)
    try:
        replace(file, content) if content else remove(file)
        yield
    except Exception:
        with suppress(errors.WriteFailed, OSError):
            replace(file, before) if before else remove(file)
        raise


def lock(file: Path, patience_s: float) -> None:
    """Hold a file that only root may open as long as this process lives; wait for one that is just leaving.

    Raises WriteFailed where another one goes on holding it.
    """
    with errors.os_error_as("another-disktuner-runs"):
        number, end = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600), time.monotonic() + patience_s
        while True:
            try:
                return fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.02)


class Kept(Generic[Made]):
    """Values by key that outlive this process: what is put in or dropped is so on the disk before it is so in ``all``.

    ``make`` makes a value of a key and JSON, ``form`` JSON of a value. What is broken is left out and logged.
    """

    def __init__(self, file: Path, make: Callable[[str, Any], Made], form: Callable[[Any], Any] = asdict) -> None:
        self._file, self._form = file, form
        made: dict[str, Made] = {}
        with _if_broken(file):
            for key, stored in json.loads(read(file) or b"{}").items():
                with _if_broken(file):
                    made[key] = make(key, stored)
        self.all: Mapping[str, Made] = made

    def put(self, key: str, value: Made) -> None:
        """Raises WriteFailed: then nothing has changed."""
        self._store({**self.all, key: value})

    def drop(self, *keys: str) -> None:
        """The same; fine where there is no such value."""
        self._store({key: value for key, value in self.all.items() if key not in keys})

    def _store(self, values: Mapping[str, Made]) -> None:
        if values:
            replace(self._file, json.dumps({key: self._form(one) for key, one in values.items()}, indent=1).encode())
        else:
            remove(self._file)
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


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
