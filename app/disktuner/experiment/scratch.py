# SPDX-License-Identifier: GPL-3.0-or-later
"""The private folder in which an experiment writes: noted, made and removed, and what interrupted runs left behind."""

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
    """A scratch folder that nobody uses any more, and what it takes on its disk."""

    path: Path
    size_bytes: int


class Leftovers:
    """The scratch folders of this user that were made and not removed yet: a file each, named as they are.

    Attributes: ``folder``, made when the first is noted.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or state_folder()

    def note(self, parent: Path, name: str) -> None:
        """Remember that a scratch folder is about to be made; on the disk (fsync) before this returns.

        Where nothing can be kept, measuring goes on: then only a measurement in the same place finds what is left.
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
        """It is gone."""
        with suppress(OSError):
            (self.folder / name).unlink()

    def sweep(self, place: Path, report: Callable[[Message], object] = lambda _: None) -> None:
        """Remove what killed runs left in a place, noted or not; of each it is said before."""
        for folder in abandoned(place):
            report(message("tidying", size=folder.size_bytes(), folder=str(folder.named)))
            if folder.remove():
                self.forget(folder.name)

    def find(self) -> tuple[Leftover, ...]:
        """Those that are there now and belong to no living run; those on disks that are not mounted stay noted."""
        return tuple(Leftover(folder.named, folder.size_bytes()) for folder in self._abandoned())

    def remove(self) -> tuple[Path, ...]:
        """Remove them all, and return the folders that could not be removed."""
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
    """Make a private folder below ``parent``, and remove it with all it holds whatever happens.

    Leftovers of killed runs in ``parent`` are removed first. Until it is gone ``Leftovers`` knows of it. Raises
    ``MeasurementImpossible`` where nothing can be made.
    """
    known = Leftovers()
    known.sweep(parent)
    name = new_name()
    known.note(parent, name)
    try:
        folder = PrivateFolder.make(parent, name)
    except OSError as error:
        known.forget(name)
        why = error.strerror or str(error)
        raise MeasurementImpossible("nothing-writable", folder=str(parent), why=why) from error
    try:
        yield folder
    finally:
        if folder.remove():
            known.forget(name)
        else:
            with suppress(OSError):  # a vanished disk says so itself
                if folder.name not in folder.place:  # somebody kept the emptied folder from being removed
                    log.warning(text("scratch-renamed", place=folder.place))
        folder.close()
