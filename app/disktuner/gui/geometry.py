# SPDX-License-Identifier: GPL-3.0-or-later
"""What the window remembers from one start to the next: its size and place, in a small file."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QWidget

from disktuner.folders import state_folder
from disktuner.opening import is_file, is_there

_GEOMETRY = "window/geometry"


class Geometry:
    """The file; None for a window that remembers nothing."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file

    def restore(self, window: QWidget) -> None:
        """Give a window the size and place it had, as far as the screens of today have room; else leave it as it is."""
        if self._file is not None and is_file(self._file):  # a pipe in its place would be waited for
            geometry = QSettings(str(self._file), QSettings.Format.IniFormat).value(_GEOMETRY)
            if isinstance(geometry, QByteArray):
                window.restoreGeometry(geometry)

    def keep(self, window: QWidget) -> None:
        """Remember the window as it is. What cannot be written is not remembered."""
        if self._file is None or (is_there(self._file) and not is_file(self._file)):
            return
        with suppress(OSError):
            self._file.parent.mkdir(0o700, parents=True, exist_ok=True)
            settings = QSettings(str(self._file), QSettings.Format.IniFormat)
            settings.setValue(_GEOMETRY, window.saveGeometry())
            settings.sync()


def own_geometry() -> Geometry:
    """The user's; nothing is remembered where nobody knows where their home is."""
    try:
        return Geometry(state_folder() / "window.conf")
    except RuntimeError:
        return Geometry()
