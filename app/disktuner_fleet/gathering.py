# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a folder's files one by one, keeping only what a summary needs; a bad file is left out with its reason."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from disktuner.opening import NoRegularFile, is_folder, open_regular
from disktuner.results.codec import load
from disktuner.results.model import BadResult, Result
from disktuner.vocabulary.errors import DisktunerError, UsageError
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.settings import Setting
from disktuner_fleet.run import Run, against, run_of


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file, by its path below the folder, and why it does not count."""

    file: str
    why: Message


class Folder:
    """A folder of result files, read recursively without links and hidden files.

    ``now`` is the time (UTC) against which dates in the future are detected.
    """

    def __init__(self, root: Path, now: datetime) -> None:
        self._root = root
        self._now = now

    def runs(self) -> Iterator[Run | LeftOut]:
        """Yield the run of each file, or why it is left out, by name. Raises ``UsageError`` if there is no folder."""
        if not is_folder(self._root):
            raise UsageError("no-folder-of-results", folder=str(self._root))
        yield from self._below("")

    def again(self, run: Run, baseline: Setting) -> Run | LeftOut:
        """Return the run of a file compared with another baseline."""
        try:
            return against(run, self._load(run.file), baseline, self._now)
        except DisktunerError as error:
            return LeftOut(run.file, error.message)

    def _below(self, folder: str) -> Iterator[Run | LeftOut]:
        try:
            entries = sorted(os.scandir(self._root / folder), key=lambda entry: entry.name)
        except OSError as error:
            yield LeftOut(folder or ".", message("unfit-folder", why=error.strerror or str(error)))
            return
        for entry in entries:
            name = os.path.join(folder, entry.name)  # noqa: PTH118 - the path as a text: names may be no text
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from self._below(name)
            else:
                yield self._read(name)

    def _read(self, name: str) -> Run | LeftOut:
        try:
            return run_of(name, self._load(name), self._now)
        except DisktunerError as error:
            return LeftOut(name, error.message)

    def _load(self, name: str) -> Result:
        """Read a regular file; a link may lead anywhere."""
        try:
            fd = open_regular(self._root / name, os.O_RDONLY | os.O_NOFOLLOW)
        except NoRegularFile:
            raise BadResult("unfit-no-file") from None
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise BadResult("unfit-link") from None
            raise BadResult("unfit-unreadable", why=error.strerror or str(error)) from None
        try:
            return load(Path(f"/proc/self/fd/{fd}"), with_series=False)
        finally:
            os.close(fd)
