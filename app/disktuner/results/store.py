# SPDX-License-Identifier: GPL-3.0-or-later
"""Where results are kept: one file per result, replaced as a whole, so that a crash never loses what was there."""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from disktuner.results.codec import encode, load
from disktuner.results.model import NoSuchResult, NotSaved, Result
from disktuner.results.reading import LONGEST_TEXT, is_writable
from disktuner.vocabulary.errors import UsageError

ABANDONED_S = 3600.0
_SAFE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")


def default_folder() -> Path:
    """Return ``$XDG_DATA_HOME/disktuner`` (XDG Base Directory Specification: a relative value is ignored)."""
    home = os.environ.get("XDG_DATA_HOME", "")
    base = Path(home) if home.startswith("/") else Path.home() / ".local" / "share"
    return base / "disktuner"


def new_id(now: datetime | None = None) -> str:
    """Return an id for a new result: its time (UTC), sortable, and enough chance that two never meet."""
    return f"{(now or datetime.now(UTC)).strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(4)}"


class Store:
    """Results in a folder. Several instances, also of several processes, may use one folder at the same time.

    Attributes: ``folder``, made when the first result is saved.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or default_folder()

    def save(self, result: Result) -> Path:
        """Write a result, replacing the one with its id in one step; return its path.

        The text is on the disk (fsync) before it takes the name, so kill -9, a full disk or a power cut
        leave either the old or the new file. Raises ``NotSaved``.
        """
        self._sweep()
        return write_atomically(self.path_of(result.id), encode(result).encode("utf-8"))

    def load(self, result_id: str) -> Result:
        """Read a result by its id. Raises ``NoSuchResult`` or ``BadResult``."""
        path = self.path_of(result_id)
        if not path.exists():
            raise NoSuchResult(f"There is no result {result_id}. See 'disktuner history' for those there are.")
        return load(path)

    def find(self, name: str) -> Result:
        """Read a result by its file (a result or a picture with one), or by its id where there is no such file.

        Raises ``NoSuchResult`` or ``BadResult``.
        """
        path = Path(name)
        return load(path) if path.is_file() or not _SAFE_ID.fullmatch(name) else self.load(name)

    def annotate(self, result_id: str, notes: str) -> Result:
        """Set the notes of a result and return it; another instance's change at the same time is not lost.

        Raises ``UsageError`` for notes that the file could not hold.
        """
        if len(notes) > LONGEST_TEXT or not is_writable(notes):
            raise UsageError(f"The note is no text, or longer than {LONGEST_TEXT} characters. Write another one.")
        with self._locked():
            result = replace(self.load(result_id), notes=notes)
            self.save(result)
        return result

    def delete(self, result_id: str) -> None:
        """Remove a result for good; nothing happens if it is gone already."""
        with suppress(FileNotFoundError):
            self.path_of(result_id).unlink()

    def add(self, path: Path) -> Result:
        """Take a result file or picture from elsewhere into the store; one with a strange or taken id gets its own."""
        result = load(path)
        taken = _SAFE_ID.fullmatch(result.id) is None
        if not taken and self.path_of(result.id).exists():
            taken = self.load(result.id) != result
        if taken:
            result = replace(result, id=new_id())
        self.save(result)
        return result

    def paths(self) -> tuple[Path, ...]:
        """Return the files of all results, newest id first."""
        try:
            names = [entry.name for entry in os.scandir(self.folder) if entry.name.endswith(".json")]
        except OSError:
            return ()
        return tuple(self.folder / name for name in sorted(names, reverse=True) if not name.startswith("."))

    def path_of(self, result_id: str) -> Path:
        """Return the file of a result. Raises ``NoSuchResult`` for an id that is no file name."""
        if not _SAFE_ID.fullmatch(result_id):
            raise NoSuchResult(
                f"{result_id!r:.80} cannot be the id of a result. See 'disktuner history' for those there are."
            )
        return self.folder / f"{result_id}.json"

    def _sweep(self) -> None:
        """Remove what a killed instance had begun to write; what is younger than an hour may still be written."""
        for path in self.folder.glob(".*.tmp"):
            with suppress(OSError):
                if time.time() - path.stat().st_mtime > ABANDONED_S:
                    path.unlink()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the folder's lock, so that reading, changing and writing is one step between instances."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = os.open(self.folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise _not_saved(self.folder, error) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)


def write_atomically(path: Path, data: bytes) -> Path:
    """Write ``data`` to ``path`` so that at any moment it holds either all of the old or all of the new.

    Raises ``NotSaved``; then the old file is untouched and nothing else is left behind.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise _not_saved(path, error) from error
    folder = Path(f"/proc/self/fd/{handle}")  # the same one in each step, whatever others rename meanwhile
    temporary = folder / f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}.tmp"
    try:
        _write_through(temporary, data)
        temporary.replace(folder / path.name)
        with suppress(OSError):  # the new name itself: some file systems can't, and the rename is whole there, too
            os.fsync(handle)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise _not_saved(path, error) from error
    finally:
        os.close(handle)
    return path


def _write_through(path: Path, data: bytes) -> None:
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _not_saved(path: Path, error: OSError) -> NotSaved:
    return NotSaved(
        f"The result could not be saved as {path}: {error.strerror or error}. "
        "Make room or choose another place with --out; what was saved before is still there."
    )
