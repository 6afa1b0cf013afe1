# SPDX-License-Identifier: GPL-3.0-or-later
"""The program's log: a small file below ``$XDG_STATE_HOME``, and with ``--debug`` standard error.

Every floor logs to ``logging.getLogger(__name__)``; only the outermost one calls what stands here. Nothing personal
belongs into a log but the names of folders: no serial numbers, no commands, nothing that a program printed.
"""

from __future__ import annotations

import logging
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from disktuner.folders import state_folder
from disktuner.opening import open_regular
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.printable import printable

_FILE_BYTES = 256 * 1024
_WHOLE = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_LOGGER = logging.getLogger("disktuner")


def path() -> Path:
    """Return the log's file."""
    return state_folder() / "log"


def _path() -> Path:
    try:
        return path()
    except RuntimeError:  # nobody knows where this user's home is
        return Path(os.devnull) / "log"


@contextmanager
def logging_on(*, debug: bool) -> Iterator[None]:
    """Log to the file meanwhile, and to standard error: warnings only, or with ``debug`` everything."""
    on_screen = logging.StreamHandler(sys.stderr)
    if debug:
        on_screen.setFormatter(_Format(_WHOLE))
    else:
        on_screen.setFormatter(_Format("disktuner: %(message)s"))
        on_screen.setLevel(logging.WARNING)
        on_screen.addFilter(lambda record: not record.exc_info)  # the person reads a sentence instead
    in_file = _PrivateFile(_path(), maxBytes=_FILE_BYTES, backupCount=1, encoding="utf-8", delay=True)
    in_file.setFormatter(_Kept(_WHOLE))
    _LOGGER.setLevel(logging.DEBUG)
    for handler in (on_screen, in_file):
        _LOGGER.addHandler(handler)
    try:
        yield
    finally:
        for handler in (on_screen, in_file):
            _LOGGER.removeHandler(handler)
            with suppress(OSError):  # the disk is full, and what could not be written is tried once more
                handler.close()


def unforeseen(error: BaseException) -> str:
    """Log an error that is a defect, with its traceback, and return the sentence that says so and where to look."""
    _LOGGER.error("unforeseen", exc_info=error)
    what = f"{type(error).__name__}: {error}"
    written = (each.baseFilename for each in _LOGGER.handlers if isinstance(each, _PrivateFile) and each.stream)
    file = next(written, None)
    return text("unforeseen", what=what, log=file) if file else text("unforeseen-unlogged", what=what)


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


class _PrivateFile(RotatingFileHandler):
    """Opened when there is something to log, in a folder of the user's own, through no link.

    Where that cannot be done, or the disk is full, there is no log: nothing else depends on it.
    """

    def _open(self) -> TextIOWrapper:
        folder, name = os.path.split(self.baseFilename)
        Path(folder).mkdir(0o700, parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            found = os.fstat(handle)
            if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o022:
                raise PermissionError(f"{folder} is open to others")
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
            return os.fdopen(open_regular(name, flags, dir_fd=handle), "a", encoding=self.encoding)
        finally:
            os.close(handle)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's signature
        """Go on without."""
