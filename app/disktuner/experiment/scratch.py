# SPDX-License-Identifier: GPL-3.0-or-later
"""The private folder in which an experiment writes: noted, made, always removed, and never mistaken for another."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from disktuner.experiment.leftovers import Leftovers
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.workloads.private_folder import PrivateFolder, in_memory, new_name

log = logging.getLogger(__name__)


@contextmanager
def scratch_folder(parent: Path, leftovers: Leftovers | None = None) -> Iterator[PrivateFolder]:
    """Make a private folder below ``parent``, and remove it with all it holds whatever happens.

    Leftovers of killed runs in ``parent`` are removed first. Until it is gone ``leftovers`` knows of it. Raises
    ``MeasurementImpossible`` where nothing can be made.
    """
    known = leftovers or Leftovers()
    for place in (parent, *in_memory()):
        known.sweep(place)
    name = new_name()
    known.note(parent, name)
    try:
        folder = PrivateFolder.make(parent, name)
    except OSError as error:
        known.forget(name)
        raise MeasurementImpossible(
            f"Nothing can be written in {parent}: {error.strerror}. Choose a folder of your own."
        ) from error
    try:
        yield folder
    finally:
        if folder.remove():
            known.forget(name)
        else:
            _tell_renamed(folder)
        folder.close()


def _tell_renamed(folder: PrivateFolder) -> None:
    """Say what is left where somebody kept the emptied folder from being removed; a vanished disk says so itself."""
    with suppress(OSError):
        if folder.name not in folder.place:
            log.warning("Somebody renamed the scratch folder. It was emptied; remove it: rmdir %s", folder.place)
