# SPDX-License-Identifier: GPL-3.0-or-later
"""The private folder in which an experiment writes: made, locked, always removed, and never mistaken for another."""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from disktuner.errors import MeasurementImpossible
from disktuner.workloads.servers.leftovers import release

NAME = re.compile(r"\.disktuner-[0-9a-f]{12}")
LOCK_NAME = "lock"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_YOUNG_S = 30.0


@dataclass(frozen=True, slots=True)
class ScratchFolder:
    """A scratch folder in use. ``lock_fd`` is given to every program, so the lock lives as long as the last of them."""

    path: Path
    lock_fd: int

    def empty(self) -> None:
        """Cut all its files to nothing, so that a flush under way has nothing left to write."""
        release(self.path)  # known from one of these files
        for path in self.path.rglob("*"):
            with suppress(OSError):
                fd = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
                try:
                    os.ftruncate(fd, 0)
                finally:
                    os.close(fd)


@contextmanager
def scratch_folder(parent: Path) -> Iterator[ScratchFolder]:
    """Make a private folder below ``parent``, and remove it with all it holds whatever happens.

    Leftovers of killed runs are removed first. Raises ``MeasurementImpossible`` where nothing can be made.
    """
    remove_leftovers(parent)
    path = parent / f".disktuner-{secrets.token_hex(6)}"
    try:
        path.mkdir(0o700)
        # Only read, so that nothing of ours keeps a file system from going read-only.
        flags = os.O_RDONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        lock_fd = os.open(path / LOCK_NAME, flags, 0o600)
    except OSError as error:
        raise MeasurementImpossible(
            f"Nothing can be written in {parent}: {error.strerror}. Choose a folder that you may write in."
        ) from error
    try:
        fcntl.flock(lock_fd, fcntl.LOCK_EX)
        yield ScratchFolder(path, lock_fd)
    finally:
        remove(path)
        os.close(lock_fd)


def remove_leftovers(parent: Path) -> tuple[Path, ...]:
    """Remove the scratch folders of killed runs: ours by name, owner and kind, and locked by no living process."""
    gone = []
    with suppress(OSError):
        for entry in sorted(parent.iterdir()):
            if NAME.fullmatch(entry.name) and _abandoned(entry):
                remove(entry)
                gone.append(entry)
    return tuple(gone)


def remove(path: Path) -> None:
    """Remove a scratch folder; follows no link (shutil.rmtree walks by descriptors) and survives a vanished disk.

    The lock goes last: killed in the middle of this, the rest is still known as abandoned at the next start.
    What servers in it hold elsewhere goes first.
    """
    release(path)
    for _ in range(5):
        _remove_all_but_the_lock(path)
        shutil.rmtree(path, ignore_errors=True)
        if not os.path.lexists(path):
            return
        time.sleep(0.05)


def _remove_all_but_the_lock(path: Path) -> None:
    with suppress(OSError), os.scandir(path) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            elif entry.name != LOCK_NAME:
                Path(entry.path).unlink(missing_ok=True)


def _abandoned(path: Path) -> bool:
    try:
        folder = os.open(path, _FOLDER)
    except OSError:
        return False
    try:
        status = os.fstat(folder)
        if status.st_uid != os.geteuid() or not stat.S_ISDIR(status.st_mode):
            return False
        return _lock_is_free(folder, status)
    finally:
        os.close(folder)


def _lock_is_free(folder: int, status: os.stat_result) -> bool:
    try:
        lock = os.open(LOCK_NAME, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except FileNotFoundError:
        # Killed between making the folder and its lock, or just about to make it.
        return time.time() - status.st_mtime > _YOUNG_S
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(lock)
    return True
