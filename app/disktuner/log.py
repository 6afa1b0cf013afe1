# SPDX-License-Identifier: GPL-3.0-or-later
"""The program's log: a small file below ``$XDG_STATE_HOME``, and with ``--debug`` standard error.

Every floor logs to ``logging.getLogger(__name__)``; only the outermost one calls what stands here. Nothing personal
belongs into a log but the names of folders: no serial numbers, no commands, nothing that a program printed.

The disk of the file may stop answering, and whoever writes to it then hangs for as long: so a thread writes, which may
be left behind, and lines are lost rather than anybody waiting for it.
"""

from __future__ import annotations

import logging
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread
from typing import TypeAlias

from disktuner.folders import state_folder
from disktuner.opening import open_regular
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.printable import printable

_FILE_BYTES = 256 * 1024
_MOST_LINES, _PATIENCE_S = 10_000, 2.0
"""How many wait to be written, and for how long those who need them written wait."""
_WHOLE = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_Lines: TypeAlias = "SimpleQueue[bytes | Event | None]"
"""Lines to write; an event is set once all before it are written; None ends it."""
_LOGGER = logging.getLogger("disktuner")
_LOGGERS = (_LOGGER, *map(logging.getLogger, ("disktuner_fleet", "disktuner_watch")))
"""Of all packages: their names have no common beginning that ``logging`` knows."""


def path() -> Path:
    """Return the log's file."""
    return state_folder() / "log"


def _path() -> Path:
    try:
        return path()
    except RuntimeError:  # nobody knows where this user's home is
        return Path(os.devnull) / "log"


@contextmanager
def logging_on(*, debug: bool, in_file: bool = True) -> Iterator[None]:
    """Log to the file meanwhile, and to standard error: warnings only, or with ``debug`` everything.

    Not ``in_file`` for what is to end although the file's disk does not answer: a program ends with all its threads.
    """
    on_screen = logging.StreamHandler(sys.stderr)
    if debug:
        on_screen.setFormatter(_Format(_WHOLE))
    else:
        on_screen.setFormatter(_Format("disktuner: %(message)s"))
        on_screen.setLevel(logging.WARNING)
        on_screen.addFilter(lambda record: not record.exc_info)  # the person reads a sentence instead
    handlers: list[logging.Handler] = [on_screen]
    if in_file:
        behind = _Behind(_PrivateFile(_path()))
        behind.setFormatter(_Kept(_WHOLE))
        handlers.append(behind)
    for logger in _LOGGERS:
        logger.setLevel(logging.DEBUG)
        for handler in handlers:
            logger.addHandler(handler)
    try:
        yield
    finally:
        for handler in handlers:
            for logger in _LOGGERS:
                logger.removeHandler(handler)
            handler.close()


def unforeseen(error: BaseException) -> str:
    """Log an error that is a defect, with its traceback, and return the sentence that says so and where to look."""
    _LOGGER.error("unforeseen", exc_info=error)
    what = f"{type(error).__name__}: {error}"
    written = (handler.file for handler in _LOGGER.handlers if isinstance(handler, _Behind) and handler.has_written())
    file = next(written, None)
    return text("unforeseen", what=what, log=str(file.path)) if file else text("unforeseen-unlogged", what=what)


class _Format(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        """Names that hardware or files give themselves must not steer the terminal that shows the log."""
        return printable(super().format(record))


class _Kept(_Format):
    """What a program printed and what a user called things is for the screen: a record says what is ``kept`` of it."""

    def format(self, record: logging.LogRecord) -> str:
        if kept := getattr(record, "kept", None):
            record = logging.makeLogRecord(record.__dict__ | {"msg": kept, "args": ()})
        return super().format(record)


class _PrivateFile:
    """Opened when there is something to log, in a folder of the user's own, through no link; the last one is kept, too.

    Where that cannot be done, or the disk is full, there is no log: nothing else depends on it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle = -1

    @property
    def is_open(self) -> bool:
        """Whether it could be opened."""
        return self._handle >= 0

    def write(self, line: bytes) -> None:
        """Add a line. May wait for long."""
        with suppress(OSError):
            if not self.is_open:
                self._handle = self._opened()
            if os.fstat(self._handle).st_size + len(line) > _FILE_BYTES:
                self.path.replace(f"{self.path}.1")
                self.close()
                self._handle = self._opened()
            os.write(self._handle, line)

    def close(self) -> None:
        """Close it, if it is open."""
        if self.is_open:
            os.close(self._handle)
            self._handle = -1

    def _opened(self) -> int:
        self.path.parent.mkdir(0o700, parents=True, exist_ok=True)
        folder = os.open(self.path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            about = os.fstat(folder)
            if about.st_uid != os.geteuid() or stat.S_IMODE(about.st_mode) & 0o022:
                raise PermissionError(f"{self.path.parent} is open to others")
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
            return open_regular(self.path.name, flags, dir_fd=folder)
        finally:
            os.close(folder)


class _Behind(logging.Handler):
    """Has a thread write. Attributes: ``file``, which is the thread's."""

    def __init__(self, file: _PrivateFile) -> None:
        super().__init__()
        self.file = file
        self._lines: _Lines = SimpleQueue()
        self._thread = Thread(target=_write, args=(file, self._lines), name="log", daemon=True)
        self._patience_s = _PATIENCE_S

    def emit(self, record: logging.LogRecord) -> None:
        """Do not wait, and go on without where a record is no text or no thread can be started."""
        with suppress(ValueError, TypeError, RuntimeError):
            line = f"{self.format(record)}\n".encode(errors="backslashreplace")
            if self._lines.qsize() < _MOST_LINES:
                self._lines.put(line)
            if self._thread.ident is None:
                self._thread.start()

    def has_written(self) -> bool:
        """Whether all is in the file. Waits, but once at most for a disk that does not answer."""
        is_done = Event()
        self._lines.put(is_done)
        if self._thread.is_alive() and not is_done.wait(self._patience_s):
            self._patience_s = 0.0
        return is_done.is_set() and self.file.is_open

    def flush(self) -> None:
        """Wait as ``has_written`` does."""
        self.has_written()

    def close(self) -> None:
        """Have the thread end, and leave it behind if it does not."""
        super().close()
        if self._thread.is_alive():
            self._lines.put(None)
            self._thread.join(self._patience_s)


def _write(file: _PrivateFile, lines: _Lines) -> None:
    while (line := lines.get()) is not None:
        if isinstance(line, Event):
            line.set()
        else:
            file.write(line)
    file.close()
