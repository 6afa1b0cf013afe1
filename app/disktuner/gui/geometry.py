# SPDX-License-Identifier: GPL-3.0-or-later
"""What the window remembers from one start to the next: its size and place, in a small file."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from disktuner.folders import state_folder
from disktuner.opening import is_file, is_there, read_regular
from disktuner.writing import NotSaved, write_atomically

_MOST_BYTES = 4096


class Geometry:
    """The file, which holds what Qt says of a window; ``read`` and ``keep`` are called in threads.

    ``QSettings`` won't do: it keeps all of Python's threads waiting while it waits for a disk.
    """

    def __init__(self, file: Path) -> None:
        self._file = file

    def read(self) -> bytes:
        """Return what was saved last; empty if there is nothing."""
        try:
            return read_regular(self._file, _MOST_BYTES)
        except OSError:
            return b""

    def keep(self, geometry: bytes) -> None:
        """Save it, if the file can be written."""
        if is_there(self._file) and not is_file(self._file):
            return
        with suppress(OSError, NotSaved):
            self._file.parent.mkdir(0o700, parents=True, exist_ok=True)
            write_atomically(self._file, geometry)


def own_geometry() -> Geometry | None:
    """Return the user's file; without a home nothing is remembered."""
    try:
        return Geometry(state_folder() / "window.conf")
    except RuntimeError:
        return None
