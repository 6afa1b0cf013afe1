# SPDX-License-Identifier: GPL-3.0-or-later
"""The private folder in which an experiment writes, and the folders that interrupted runs left behind."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from disktuner.folders import state_folder
from disktuner.opening import opened, read_regular
from disktuner.private_folder import NAME, PrivateFolder, abandoned, adopted, new_name
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.messages import Message, message, text

log = logging.getLogger(__name__)

LONGEST_PATH_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Leftover:
    """An abandoned scratch folder, and its size on the disk."""

    path: Path
    size_bytes: int


class Leftovers:
    """Notes of this user's scratch folders that were not removed yet: a file for each, of the same name.

    Attributes: ``folder`` has the notes; it is made with the first.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or state_folder()

    def note(self, parent: Path, name: str) -> None:
        """Note, durably, that a scratch folder is about to be made.

        If that fails, measuring goes on, but only a measurement in the same place would find the folder later.
        """
        with suppress(OSError):
            self.folder.mkdir(0o700, parents=True, exist_ok=True)
            with (self.folder / name).open("xb") as file:
                file.write(os.fsencode(parent.absolute()))
                file.flush()
                os.fsync(file.fileno())
            with opened(self.folder, os.O_RDONLY | os.O_DIRECTORY) as fd:
                os.fsync(fd)

    def forget(self, name: str) -> None:
        """Remove the note of a folder that is gone."""
        with suppress(OSError):
            (self.folder / name).unlink()

    def sweep(self, place: Path, report: Callable[[Message], object] = lambda _: None) -> None:
        """Remove the folders that killed runs left in a place, noted or not, after reporting each."""
        for folder in abandoned(place):
            report(message("tidying", size=folder.size_bytes(), folder=str(folder.named)))
            if folder.remove():
                self.forget(folder.name)

    def find(self) -> tuple[Leftover, ...]:
        """Return the existing folders without a living run; those on unmounted disks stay noted."""
        return tuple(Leftover(folder.named, folder.size_bytes()) for folder in self._abandoned())

    def remove(self) -> tuple[Path, ...]:
        """Remove all leftovers; return those that could not be removed."""
        left = []
        for folder in self._abandoned():
            if folder.remove():
                self.forget(folder.name)
            else:
                left.append(folder.named)
        return tuple(left)

    def _abandoned(self) -> Iterator[PrivateFolder]:
        notes = list[Path]()
        with suppress(OSError):  # nothing was ever noted, or the folder is closed
            notes += sorted(self.folder.iterdir())
        for note in notes:
            if NAME.fullmatch(note.name):
                with suppress(OSError):
                    yield from adopted(Path(os.fsdecode(read_regular(note, LONGEST_PATH_BYTES))), note.name)


@contextmanager
def scratch_folder(parent: Path) -> Iterator[PrivateFolder]:
    """Make a private folder below ``parent``, and remove it with its contents whatever happens.

    Leftovers of killed runs in ``parent`` are removed first. ``Leftovers`` keeps a note until it is gone. Raises
    ``MeasurementImpossible`` if it cannot be made.
    """
    leftovers = Leftovers()
    leftovers.sweep(parent)
    name = new_name()
    leftovers.note(parent, name)
    try:
        folder = PrivateFolder.make(parent, name)
    except OSError as error:
        leftovers.forget(name)
        why = error.strerror or str(error)
        raise MeasurementImpossible("nothing-writable", folder=str(parent), why=why) from error
    try:
        yield folder
    finally:
        if folder.remove():
            leftovers.forget(name)
        else:
            with suppress(OSError):  # a vanished disk is reported elsewhere
                if folder.name not in folder.place:  # somebody moved the emptied folder
                    log.warning(text("scratch-renamed", place=folder.place))
        folder.close()
