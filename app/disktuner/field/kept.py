# SPDX-License-Identifier: GPL-3.0-or-later
"""What a trial in daily use needs to go on after a crash, a restart or a power cut: a file replaced as a whole."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import msgspec

from disktuner.field.blocks import Block
from disktuner.folders import state_folder
from disktuner.opening import is_there, open_regular, read_regular
from disktuner.results.model import Result
from disktuner.results.store import Store
from disktuner.vocabulary.errors import UsageError
from disktuner.writing import not_saved, remove, write_atomically

LARGEST_BYTES, SETTINGS = 2**16, 2


class Kept(msgspec.Struct, frozen=True):
    """A trial: its ``id`` for the helper, the ``result`` that its blocks are in, and the block under way.

    ``seed`` decides the order in each pair; ``until`` is a Unix time.
    """

    id: str
    result: str
    seed: int
    until: Annotated[int, msgspec.Meta(ge=0, lt=253_402_300_800)]
    block: Block


_KEPT = msgspec.json.Decoder(Kept)
"""Made at once: where two threads let msgspec look at a type for the first time, it crashes the program."""


class Place:
    """A user's one trial in a folder. That it is paused is a file beside it, so that nobody writes another's file."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or state_folder() / "field"
        self._file = self._folder / "trial.json"
        self._pause = self._folder / "paused"
        self._lock = self._folder / "lock"

    def load(self) -> Kept | None:
        """Return the trial, None where there is none. Raises ``UsageError`` for a file that is not ours."""
        try:
            return _KEPT.decode(read_regular(self._file, LARGEST_BYTES))
        except FileNotFoundError:
            return None
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise UsageError("field-broken", file=str(self._file)) from error

    def tried(self, store: Store, kept: Kept) -> Result:
        """Return the result that the blocks are in. Raises ``NoSuchResult``, ``BadResult``, ``UsageError`` as above."""
        result = store.load(kept.result)
        if len(result.plan.settings) != SETTINGS or not isinstance(result.disk.get("name"), str):
            raise UsageError("field-broken", file=str(self._file))
        return result

    def save(self, kept: Kept) -> None:
        """Keep the trial as it is now. Raises ``NotSaved``."""
        write_atomically(self._file, msgspec.json.encode(kept), is_private=True)

    def remove(self) -> None:
        """There is no trial any more. Raises ``NotSaved`` where something cannot be removed."""
        for file in (self._file, self._pause, self._lock):
            remove(file)
        with suppress(OSError):  # somebody keeps something else there
            self._folder.rmdir()

    @property
    def is_paused(self) -> bool:
        """Whether nothing is counted or changed for now."""
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
        """Be the one who runs the trial as long as this process lives; None where another does. Raises ``NotSaved``."""
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
