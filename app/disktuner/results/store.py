# SPDX-License-Identifier: GPL-3.0-or-later
"""Where results are kept: a file each, replaced as a whole, and a journal that grows while one is measured.

So a crash never loses what was there, nor more than the run under way.
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
from disktuner.writing import NotSaved, not_saved, opened_folder, remove, temporary_name, write_atomically

ABANDONED_S = 3600.0
LEAST_ROOM = 1 << 20
"""A long comparison's result takes that much."""
_DATED = re.compile(r"\d{8}-\d{6}-[0-9a-f]+")
_TO_THE_MINUTE = len("20261125-1251")
_SAFE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")


def new_id(now: datetime | None = None) -> str:
    """Return an id for a new result: its time (UTC), sortable, and enough chance that two never meet."""
    return f"{(now or datetime.now(UTC)).strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(4)}"


class Store:
    """Results in a folder. Several instances, also of several processes, may use one folder at the same time.

    Attributes: ``folder``, made when the first result is saved.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or data_folder()

    def save(self, result: Result) -> Path:
        """Write a result, replacing the one with its id in one step; return its path.

        The text is on the disk (fsync) before it takes the name, so kill -9, a full disk or a power cut
        leave either the old or the new file. Raises ``NotSaved``.
        """
        self._sweep()
        self._close_folder()
        return write_atomically(self.path_of(result.id), encode(result).encode("utf-8"), is_private=True)

    def load(self, result_id: str) -> Result:
        """Read a result by its id. Raises ``NoSuchResult`` or ``BadResult``."""
        path = self.path_of(result_id)
        if not is_there(path) and not is_there(journal_of(path)):
            raise NoSuchResult("no-such-result", result=result_id)
        return load(path)

    def find(self, name: str) -> Result:
        """Read a result by its file (a result or a picture with one), or by how its id begins or ends.

        Raises ``NoSuchResult`` or ``BadResult``.
        """
        path = self.file_of(name)
        return load(path) if is_file(path) or path.parent != self.folder else self.load(path.stem)

    def file_of(self, name: str) -> Path:
        """Return the file of a result that is named as for ``find``. Raises ``NoSuchResult``."""
        return Path(name) if is_file(name) or not _SAFE_ID.fullmatch(name) else self.path_of(self.id_of(name))

    def id_of(self, part: str) -> str:
        """Return the id that begins so, else the one that ends so, whole or short; what none does, as it is.

        A whole id is none of them only where it was made here: a stranger's may be another one's beginning. Raises
        ``NoSuchResult`` if there are more.
        """
        shorts = self.short_ids() if part else {}
        ids = [each for each in shorts if each.startswith(part)]
        if part in ids and _DATED.fullmatch(part):
            return part
        ids = ids or [each for each, short in shorts.items() if each.endswith(part) or short.endswith(part)]
        if len(ids) > 1:
            raise NoSuchResult("several-results", result=part, results=tuple(shorts[each] for each in ids))
        return ids[0] if ids else part

    def short_ids(self) -> dict[str, str]:
        """Return how each id begins: to the minute, where that is enough to name it. The newest is first."""
        ids = [path.stem for path in self.paths()]
        alike = Counter(each[:_TO_THE_MINUTE] for each in ids)
        is_enough = {each: alike[each[:_TO_THE_MINUTE]] == 1 and bool(_DATED.fullmatch(each)) for each in ids}
        return {each: each[:_TO_THE_MINUTE] if is_enough[each] else each for each in ids}

    def shortest_name(self, result_id: str) -> str:
        """Return what names a result when typed: its time of day where no other id begins or ends so."""
        short = self.short_ids().get(result_id, result_id)
        last = short.rpartition("-")[2]
        with suppress(NoSuchResult):
            return last if self.id_of(last) == result_id else short
        return short

    def annotate(self, result_id: str, notes: str) -> Result:
        """Set the notes of a result and return it; another instance's change at the same time is not lost.

        Raises ``UsageError`` for notes that the file could not hold, and while the result is being measured, and
        ``NotSaved``.
        """
        if len(notes) > LONGEST_TEXT or not _is_writable(notes):
            raise UsageError("bad-note", most=LONGEST_TEXT)
        with self._locked(), self._without_journal(result_id):
            result = replace(self.load(result_id), notes=notes)
            self.save(result)
        return result

    def delete(self, result_id: str) -> None:
        """Remove a result for good; nothing happens if it is gone already.

        Raises ``UsageError`` while it is being measured, ``NotSaved`` where it cannot be removed.
        """
        with self._without_journal(result_id):
            remove(self.path_of(result_id))

    def add(self, path: Path) -> Result:
        """Take a result file or picture from elsewhere into the store; one with a strange or taken id gets its own."""
        result = load(path)
        taken = _SAFE_ID.fullmatch(result.id) is None or self._is_alike(result.id)
        if not taken and is_there(self.path_of(result.id)):
            taken = self.load(result.id) != result
        if taken:
            result = replace(result, id=new_id())
        self.save(result)
        return result

    def _is_alike(self, result_id: str) -> bool:
        """Whether it begins another's id, or another's begins it: one of them could not be named any more."""
        others = (path.stem for path in self.paths() if path.stem != result_id)
        return any(other.startswith(result_id) or result_id.startswith(other) for other in others)

    def paths(self) -> tuple[Path, ...]:
        """Return the files of all results, newest id first; one that is cut off or being measured has its journal."""
        try:
            names = {entry.name.removesuffix(".journal") for entry in os.scandir(self.folder)}
        except OSError:
            return ()
        results = (name for name in names if name.endswith(".json") and not name.startswith("."))
        return tuple(self.folder / name for name in sorted(results, reverse=True))

    def path_of(self, result_id: str) -> Path:
        """Return the file of a result. Raises ``NoSuchResult`` for an id that is no file name."""
        if not _SAFE_ID.fullmatch(result_id):
            raise NoSuchResult("bad-result-id", result=f"{result_id!r:.80}")
        return self.folder / f"{result_id}.json"

    def closed(self) -> Message | None:
        """Say why no result could be kept here now, None where one could."""
        try:
            try_place(self.folder / "result")
        except NotSaved as error:
            return message("store-closed", folder=str(self.folder), why=error.message.values["why"])
        return None

    def journal(self, empty: Result) -> Journal:
        """Return the journal of a result that is about to be measured."""
        self._sweep()
        self._close_folder()
        return Journal(self.path_of(empty.id), empty)

    @contextmanager
    def _without_journal(self, result_id: str) -> Iterator[None]:
        """Hold the journal of a result that was cut off, and remove it at the end: the file, if any, takes its place.

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
        """Remove what a killed instance had begun to write; what is younger than an hour may still be written."""
        with suppress(OSError):
            for entry in os.scandir(self.folder):
                if entry.name.startswith(".") and entry.name.endswith(".tmp"):
                    _remove_old(entry)

    def _close_folder(self) -> None:
        """Make the folder, and close it to others: results hold commands, serial numbers and names of folders."""
        with suppress(OSError):  # whoever writes in it says why that cannot be done
            self.folder.mkdir(0o700, parents=True, exist_ok=True)
            fd = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                if os.fstat(fd).st_uid == os.geteuid():
                    os.fchmod(fd, 0o700)
            finally:
                os.close(fd)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the folder's lock, so that reading, changing and writing is one step between instances."""
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
    """Keeps a result while it is measured; the whole file takes the journal's place in the end.

    Each step is on the disk (fdatasync) when ``append`` returns. Nothing is made before the first. A lock (flock) is
    held meanwhile: a journal that nobody holds was cut off. Leave the context early, and the file holds what was
    measured, unfinished; but what had the file's name before only goes for a whole result, so then the journal stays.

    Attributes: ``path`` of the file, and ``written_bytes``, with the whole file in the end.
    """

    def __init__(self, path: Path, empty: Result) -> None:
        self.path = path
        self.written_bytes = 0
        self._empty = replace(empty, finished=False)
        self._fd = self._folder = -1

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        """Let go; raises nothing, for what ended the measurement is what matters."""
        if self._fd >= 0 and not self._replaces():
            with suppress(DisktunerError):
                self.finish(load(Path(f"/proc/self/fd/{self._fd}")))
        self._close()

    def discard(self) -> None:
        """Remove what was kept, because it is kept elsewhere."""
        self._remove()
        self._close()

    def append(self, addition: Addition) -> None:
        """Keep what a step added. Raises ``NotSaved``; what was kept before is still there."""
        try:
            if self._fd < 0:
                self._begin()
            self._write(self._fd, line_of(addition))
            os.fdatasync(self._fd)
        except OSError as error:
            raise not_saved(self.path, error) from error

    def finish(self, result: Result) -> Path:
        """Write the whole result and remove the journal; return the file. Raises ``NotSaved``."""
        data = encode(result).encode("utf-8")
        write_atomically(self.path, data, is_private=True)
        self.written_bytes += len(data)
        self._remove()
        self._close()
        return self.path

    def _remove(self) -> None:
        if self._fd >= 0 and self._is_mine():
            with suppress(OSError):
                os.unlink(journal_of(self.path).name, dir_fd=self._folder)

    def _begin(self) -> None:
        """Make the journal, whole and locked before it has its name."""
        self._folder = opened_folder(self.path)
        temporary, name = temporary_name(self.path), journal_of(self.path).name
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        fd = os.open(temporary, flags, 0o600, dir_fd=self._folder)
        try:
            with suppress(OSError):  # some network file systems know no locks
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._write(fd, head_line(self._empty))
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

    def _write(self, fd: int, line: bytes) -> None:
        data = memoryview(line)
        while data:
            written = os.write(fd, data)
            self.written_bytes += written
            data = data[written:]

    def _replaces(self) -> bool:
        """Whether there is another file of that name."""
        try:
            os.stat(self.path.name, dir_fd=self._folder, follow_symlinks=False)
        except OSError:
            return False
        return True

    def _is_mine(self) -> bool:
        """Whether the journal's name still leads to it."""
        try:
            named = os.stat(journal_of(self.path).name, dir_fd=self._folder, follow_symlinks=False)
        except OSError:
            return False
        return os.path.samestat(named, os.fstat(self._fd))

    def _close(self) -> None:
        for fd in (self._fd, self._folder):
            if fd >= 0:
                os.close(fd)
        self._fd = self._folder = -1


def _remove_old(entry: os.DirEntry[str]) -> None:
    with suppress(OSError):
        if time.time() - entry.stat(follow_symlinks=False).st_mtime > ABANDONED_S:
            Path(entry).unlink()


def try_place(path: Path) -> None:
    """Make sure that a result can be written as a file, and leave nothing there. Raises ``NotSaved``."""
    try:
        absolute = path.absolute()
        if is_folder(absolute):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        folder = next(each for each in absolute.parents if os.path.lexists(each))
        with tempfile.TemporaryFile(dir=folder) as file:
            os.posix_fallocate(file.fileno(), 0, LEAST_ROOM)
    except OSError as error:
        raise NotSaved("cannot-be-saved", file=str(path), why=error.strerror or str(error)) from error


def _is_writable(text: str) -> bool:
    """Whether a text can stand in a file: command lines may hold halves of surrogate pairs."""
    return text.isascii() or text == text.encode("utf-8", "replace").decode()
