# SPDX-License-Identifier: GPL-3.0-or-later
"""What a trial in daily use needs to continue after a crash, a restart or a power cut: a file replaced as a whole."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import msgspec

from disktuner.block.disk import Disk
from disktuner.folders import state_folder
from disktuner.opening import is_there, open_regular, read_regular
from disktuner.results.beginning import new_result
from disktuner.results.model import PlanRecord, Result
from disktuner.results.store import Store
from disktuner.vocabulary.errors import UsageError
from disktuner.vocabulary.goals import DESKTOP
from disktuner.vocabulary.questions import question_for
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.workloads import DAILY_USE, metrics_of
from disktuner.writing import not_saved, remove, write_atomically
from disktuner_watch.field.blocks import Block

LARGEST_BYTES, SETTINGS = 2**16, 2


class SavedTrial(msgspec.Struct, frozen=True):
    """A trial: its ``id`` for the helper, the id of the ``result`` with its blocks, and the block under way.

    ``seed`` decides the order in each pair; ``until`` is a Unix time.
    """

    id: str
    result: str
    seed: int
    until: Annotated[int, msgspec.Meta(ge=0, lt=253_402_300_800)]
    block: Block


_DECODER = msgspec.json.Decoder(SavedTrial)
"""Made at import: msgspec crashes if two threads inspect a type for the first time."""


def empty_result(disk: Disk, settings: Sequence[Setting], seed: int) -> Result:
    """Return the result before the first block."""
    metrics, mount = metrics_of(DAILY_USE), max(disk.mounts, key=lambda mount: mount.size_bytes, default=None)
    metrics = {name: metrics[name] for name in (f"{DAILY_USE.id}.{metric.name}" for metric in DAILY_USE.metrics)}
    question = question_for(DESKTOP.id, metrics.values())
    baseline, other = settings
    record = PlanRecord(DESKTOP.id, None, (baseline, other), baseline, (DAILY_USE.id,), seed, question=question)
    return new_result(disk, mount, record, metrics)


class Place:
    """A user's only trial, in a folder. A separate file says that it is paused, so that each file has one writer."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or state_folder() / "field"
        self._file = self._folder / "trial.json"
        self._pause = self._folder / "paused"
        self._lock = self._folder / "lock"

    def load(self) -> SavedTrial | None:
        """Return the trial, None if there is none. Raises ``UsageError`` for an unreadable file."""
        try:
            return _DECODER.decode(read_regular(self._file, LARGEST_BYTES))
        except FileNotFoundError:
            return None
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise UsageError("field-broken", file=str(self._file)) from error

    def tried(self, store: Store, saved: SavedTrial) -> Result:
        """Return the result with the blocks. Raises ``NoSuchResult``, ``BadResult``, ``UsageError`` as above."""
        result = store.load(saved.result)
        if len(result.plan.settings) != SETTINGS or not isinstance(result.disk.get("name"), str):
            raise UsageError("field-broken", file=str(self._file))
        return result

    def save(self, saved: SavedTrial) -> None:
        """Save the trial. Raises ``NotSaved``."""
        write_atomically(self._file, msgspec.json.encode(saved), is_private=True)

    def remove(self) -> None:
        """Forget the trial. Raises ``NotSaved`` for a file that cannot be removed."""
        for file in (self._file, self._pause, self._lock):
            remove(file)
        with suppress(OSError):  # the user's files may be in it, too
            self._folder.rmdir()

    @property
    def is_paused(self) -> bool:
        """Whether counting and changing are suspended."""
        return is_there(self._pause)

    def pause(self, on: bool) -> None:
        """Pause, or continue. Raises ``NotSaved``."""
        if not on:
            remove(self._pause)
            return
        try:
            self._pause.touch()
        except OSError as error:
            raise not_saved(self._pause, error) from error

    def lock(self) -> int | None:
        """Lock the trial for as long as this process lives; None if another runs it. Raises ``NotSaved``."""
        try:
            self._folder.mkdir(0o700, parents=True, exist_ok=True)
            handle = open_regular(self._lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW)
        except OSError as error:
            raise not_saved(self._lock, error) from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            return None
        return handle
