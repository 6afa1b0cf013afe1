# SPDX-License-Identifier: GPL-3.0-or-later
"""Where results are kept: in a file each, replaced as a whole, and a growing journal during a measurement.

A crash thus never loses an older result, nor more than the run in progress.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from disktuner.folders import data_folder
from disktuner.opening import NoRegularFile, is_file, is_folder, is_there, open_regular
from disktuner.results.codec import encode, head_line, journal_of, line_of, load
from disktuner.results.model import LONGEST_TEXT, Addition, NoSuchResult, Result
from disktuner.vocabulary.errors import DisktunerError, UsageError
from disktuner.vocabulary.messages import Message, message
from disktuner.writing import NotSaved, check_chosen, not_saved, opened_folder, remove, temporary_name, write_atomically

ABANDONED_S = 3600.0
LEAST_ROOM = 1 << 20
"""The size of a long comparison's result."""
_DATED = re.compile(r"\d{8}-\d{6}-[0-9a-f]+")
_TO_THE_MINUTE = len("20261125-1251")
_SAFE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")


def new_id() -> str:
    """Return a sortable id for a new result: its time (UTC), and a random part against collisions."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(4)}"


class Store:
    """Results in a folder, which several instances and processes may use at the same time.

    Attributes: ``folder``, made when the first result is saved.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or data_folder()

    def save(self, result: Result) -> Path:
        """Write a result, atomically replacing one with the same id; return its path.

        The text is on the disk (fsync) before it gets its name, so that kill -9, a full disk or a power cut leave
        either the old or the new file. Raises ``NotSaved``.
        """
        self._sweep()
        self._close_folder()
        return write_atomically(self.path_of(result.id), encode(result).encode("utf-8"), is_private=True)

    def load(self, result_id: str) -> Result:
        """Read a result by its id, that of its file: a copy made by hand holds that of another.

        Raises ``NoSuchResult`` or ``BadResult``.
        """
        return replace(load(self._kept(result_id)), id=result_id)

    def find(self, name: str) -> Result:
        """Read a result by its file (or a picture with one), or by the beginning or end of its id.

        Raises ``NoSuchResult`` or ``BadResult``.
        """
        path = self.file_of(name)
        return self.load(path.stem) if path == self.folder / f"{path.stem}.json" else load(path)

    def file_of(self, name: str) -> Path:
        """Return the file of a result named as for ``find``. Raises ``NoSuchResult``."""
        is_path = is_file(name) or not (_SAFE_ID.fullmatch(name) or self._has(name))
        return Path(name) if is_path else self._kept(self.id_of(name))

    def id_of(self, part: str) -> str:
        """Return the id that begins with ``part``, or else the one that ends so, whole or short; or else ``part``.

        A whole id made here names its result even if others begin so; a stranger's may be ambiguous. Raises
        ``NoSuchResult`` if several match.
        """
        shorts = self.short_ids() if part else {}
        ids = [id_ for id_ in shorts if id_.startswith(part)]
        if part in ids and _DATED.fullmatch(part):
            return part
        ids = ids or [id_ for id_, short in shorts.items() if id_.endswith(part) or short.endswith(part)]
        if len(ids) > 1:
            raise NoSuchResult("several-results", result=part, results=tuple(shorts[id_] for id_ in ids))
        return ids[0] if ids else part

    def short_ids(self) -> dict[str, str]:
        """Return the short form of each id, newest first: its time to the minute if that is unique."""
        ids = [path.stem for path in self.paths()]
        alike = Counter(id_[:_TO_THE_MINUTE] for id_ in ids)
        is_enough = {id_: alike[id_[:_TO_THE_MINUTE]] == 1 and bool(_DATED.fullmatch(id_)) for id_ in ids}
        return {id_: id_[:_TO_THE_MINUTE] if is_enough[id_] else id_ for id_ in ids}

    def shortest_name(self, result_id: str) -> str:
        """Return the shortest text that names a result: its time of day if that is unique."""
        short = self.short_ids().get(result_id, result_id)
        last = short.rpartition("-")[2]
        with suppress(NoSuchResult):
            return last if self.id_of(last) == result_id else short
        return short

    def annotate(self, result_id: str, notes: str) -> Result:
        """Set the notes of a result and return it, without losing a concurrent change.

        Raises ``NotSaved``, or ``UsageError`` for notes that cannot be stored, and while the result is being measured.
        """
        if len(notes) > LONGEST_TEXT or not _is_writable(notes):
            raise UsageError("bad-note", most=LONGEST_TEXT)
        with self._locked(), self._without_journal(result_id):
            result = replace(self.load(result_id), notes=notes)
            self.save(result)
        return result

    def delete(self, result_id: str) -> None:
        """Remove a result for good, if it exists.

        Raises ``UsageError`` while it is being measured, ``NotSaved`` if it cannot be removed.
        """
        with self._without_journal(result_id):
            remove(self.path_of(result_id))

    def add(self, path: Path) -> Result:
        """Add a result file or picture to the store; one with an invalid or taken id gets a new one."""
        result = load(path)
        if _SAFE_ID.fullmatch(result.id) is None or self._is_alike(result.id) or self._is_taken(result):
            result = replace(result, id=new_id())
        self.save(result)
        return result

    def _is_taken(self, result: Result) -> bool:
        """Whether a result's id is that of another one, which may be damaged."""
        try:
            return is_there(self.path_of(result.id)) and self.load(result.id) != result
        except DisktunerError:
            return True

    def _is_alike(self, result_id: str) -> bool:
        """Whether an id begins with another, or another with it: one of them could no longer be named."""
        others = (path.stem for path in self.paths() if path.stem != result_id)
        return any(other.startswith(result_id) or result_id.startswith(other) for other in others)

    def paths(self) -> tuple[Path, ...]:
        """Return the files of all results, newest id first, including those with only a journal yet.

        Files whose names are no text, which nobody could type, are left out.
        """
        try:
            names = {entry.name.removesuffix(".journal") for entry in os.scandir(self.folder)}
        except OSError:
            return ()
        results = (name for name in names if name.endswith(".json") and name[0] != "." and _is_writable(name))
        return tuple(self.folder / name for name in sorted(results, reverse=True))

    def path_of(self, result_id: str) -> Path:
        """Return the file of a result. Raises ``NoSuchResult`` for an id that is not a safe file name.

        What people put into the folder may have any name.
        """
        if not _SAFE_ID.fullmatch(result_id) and not self._has(result_id):
            raise NoSuchResult("bad-result-id", result=f"{result_id!r:.80}")
        return self.folder / f"{result_id}.json"

    def _kept(self, result_id: str) -> Path:
        """Return the file of a result that is kept, whole or as a journal. Raises ``NoSuchResult``."""
        path = self.path_of(result_id)
        if not is_there(path) and not is_there(journal_of(path)):
            raise NoSuchResult("no-such-result", result=result_id)
        return path

    def _has(self, result_id: str) -> bool:
        """Whether the folder has a file of that name."""
        return any(path.stem == result_id for path in self.paths())

    def closed(self) -> Message | None:
        """Return why no result can be kept here now; None if it can."""
        try:
            try_place(self.folder / "result")
        except NotSaved as error:
            return message("store-closed", folder=str(self.folder), why=error.message.values["why"])
        return None

    def journal(self, empty: Result) -> Journal:
        """Return the journal for a result about to be measured."""
        self._sweep()
        self._close_folder()
        return Journal(self.path_of(empty.id), empty)

    @contextmanager
    def _without_journal(self, result_id: str) -> Iterator[None]:
        """Lock the journal, if any, of a result that was cut off, and remove it at the end.

        Raises ``UsageError`` while the result is being measured.
        """
        journal = journal_of(self.path_of(result_id))
        try:
            handle = open_regular(journal, os.O_RDONLY | os.O_NOFOLLOW)
        except FileNotFoundError:
            yield
            return
        except OSError as error:
            if isinstance(error, NoRegularFile) or error.errno == errno.ELOOP:
                raise NoSuchResult("no-regular-file", file=str(journal)) from None
            raise not_saved(journal, error) from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
            remove(journal)
        except BlockingIOError:
            raise UsageError("still-measured", result=result_id) from None
        finally:
            os.close(handle)

    def _sweep(self) -> None:
        """Remove temporary files of killed instances; those younger than an hour may still be in use."""
        with suppress(OSError):
            for file in self.folder.iterdir():
                with suppress(OSError):
                    if file.match(".*.tmp") and time.time() - file.lstat().st_mtime > ABANDONED_S:
                        file.unlink()

    def _close_folder(self) -> None:
        """Make the folder private: results contain commands, serial numbers and folder names."""
        with suppress(OSError):  # writing to it reports the error
            self.folder.mkdir(0o700, parents=True, exist_ok=True)
            fd = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                if os.fstat(fd).st_uid == os.geteuid():
                    os.fchmod(fd, 0o700)
            finally:
                os.close(fd)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the folder's lock, so that reading, changing and writing is atomic among instances."""
        self._close_folder()
        try:
            lock = os.open(self.folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise not_saved(self.folder, error) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)


class Journal:
    """Keeps a result while it is measured; in the end, the whole file replaces the journal.

    Each step is on the disk (fdatasync) when ``append`` returns. The journal is made with the first step and locked
    (flock) during the measurement: one without a lock was cut off. Leaving the context early writes the unfinished
    result to the file, unless that would replace another one: then the journal stays.

    Attributes: ``path`` of the file.
    """

    def __init__(self, path: Path, empty: Result) -> None:
        self.path = path
        self._empty = replace(empty, finished=False)
        self._fd = self._folder = -1

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        """Write and close what there is; raises nothing that could hide why the measurement ended."""
        if self._fd >= 0 and self._status(self.path.name) is None:
            with suppress(DisktunerError):
                self.finish(load(Path(f"/proc/self/fd/{self._fd}")))
        self._close()

    def discard(self) -> None:
        """Remove the journal, as the result is kept elsewhere."""
        self._remove()
        self._close()

    def append(self, addition: Addition) -> None:
        """Add a step. Raises ``NotSaved``; earlier steps stay."""
        try:
            if self._fd < 0:
                self._begin()
            _write(self._fd, line_of(addition))
            os.fdatasync(self._fd)
        except OSError as error:
            raise not_saved(self.path, error) from error

    def finish(self, result: Result) -> Path:
        """Write the whole result and remove the journal; return the file. Raises ``NotSaved``."""
        write_atomically(self.path, encode(result).encode("utf-8"), is_private=True)
        self._remove()
        self._close()
        return self.path

    def _remove(self) -> None:
        """Remove the journal if its name still leads to it."""
        if self._fd < 0:
            return
        name = journal_of(self.path).name
        named = self._status(name)
        if named and os.path.samestat(named, os.fstat(self._fd)):
            with suppress(OSError):
                os.unlink(name, dir_fd=self._folder)

    def _begin(self) -> None:
        """Make the journal, complete and locked before it gets its name."""
        self._folder = opened_folder(self.path)
        temporary, name = temporary_name(self.path), journal_of(self.path).name
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        fd = os.open(temporary, flags, 0o600, dir_fd=self._folder)
        try:
            with suppress(OSError):  # some network file systems have no locks
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _write(fd, head_line(self._empty))
            os.fsync(fd)
            os.rename(temporary, name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
            with suppress(OSError):
                os.fsync(self._folder)
        except OSError:
            os.close(fd)
            with suppress(OSError):
                os.unlink(temporary, dir_fd=self._folder)
            self._close()
            raise
        self._fd = fd

    def _status(self, name: str) -> os.stat_result | None:
        """Return the status of what has a name in the folder; None if there is nothing."""
        with suppress(OSError):
            return os.stat(name, dir_fd=self._folder, follow_symlinks=False)
        return None

    def _close(self) -> None:
        for fd in (self._fd, self._folder):
            if fd >= 0:
                os.close(fd)
        self._fd = self._folder = -1


def _write(fd: int, line: bytes) -> None:
    data = memoryview(line)
    while data:
        data = data[os.write(fd, data) :]


def try_place(path: Path) -> None:
    """Check that a result can be written as a file, and leave nothing behind. Raises ``NotSaved``."""
    try:
        absolute = path.absolute()
        if is_folder(absolute):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        folder = next(parent for parent in absolute.parents if os.path.lexists(parent))
        check_chosen(path)
        with tempfile.TemporaryFile(dir=folder) as file:
            os.posix_fallocate(file.fileno(), 0, LEAST_ROOM)
    except OSError as error:
        raise NotSaved("cannot-be-saved", file=str(path), why=error.strerror or str(error)) from error


def _is_writable(text: str) -> bool:
    """Whether a text can be stored: command lines may contain lone surrogates."""
    return text.isascii() or text == text.encode("utf-8", "replace").decode()
