# SPDX-License-Identifier: GPL-3.0-or-later
"""The language of the window: the desktop's, or one that was chosen in the window and is remembered."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING

from PySide6.QtCore import QLibraryInfo, QLocale, QObject, QTranslator
from PySide6.QtWidgets import QApplication

from disktuner.folders import config_folder
from disktuner.opening import read_regular
from disktuner.vocabulary.errors import DisktunerError
from disktuner.vocabulary.languages import LANGUAGES, language_of, wanted
from disktuner.vocabulary.messages import speaking, text

if TYPE_CHECKING:
    from disktuner.gui.application import Application

log = logging.getLogger(__name__)

LONGEST_ID_BYTES = 64


def chosen() -> str | None:
    """Return the language that was chosen; None where the desktop's holds."""
    try:
        kept = read_regular(config_folder() / "language", LONGEST_ID_BYTES).decode("utf-8").strip()
    except (OSError, ValueError, RuntimeError) as error:
        log.debug("no language was chosen: %s", error)
        return None
    return kept if kept in LANGUAGES else None


def keep(id_: str | None) -> None:
    """Remember the language that was chosen, None for the desktop's. Raises ``NotSaved`` or ``OSError``."""
    from disktuner.results.store import write_atomically  # noqa: PLC0415 - not needed to see the disks

    file = config_folder() / "language"
    if id_ is None:
        file.unlink(missing_ok=True)
        return
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(file, f"{id_}\n".encode())


class Speaker(QObject):
    """Opens the window in the language that is wanted, and anew in another as soon as that is chosen in it.

    Attributes: ``running`` is the window that is open.
    """

    def __init__(self, application: QApplication, make: Callable[[], Application]) -> None:
        super().__init__(application)
        self._application, self._make = application, make
        self._spoken, self._before = ExitStack(), QLocale()
        self._translator: QTranslator | None = None
        self.running: Application | None = None

    def open(self) -> None:
        """Open the window; one that is open makes place for it when it is there."""
        before = self.running
        self._speak(chosen() or wanted(os.environ))
        self.running = self._make()
        window = self.running.window
        window.language_button.chosen.connect(self._choose)
        if before is not None:
            window.setGeometry(before.window.geometry())
            window.setWindowState(before.window.windowState())
        self.running.start()
        if before is not None:
            before.window.close()
            before.window.deleteLater()
            before.deleteLater()

    def close(self) -> None:
        """Speak as it was spoken before the window was opened."""
        self._spoken.close()
        QLocale.setDefault(self._before)
        if self._translator is not None:
            self._application.removeTranslator(self._translator)
            self._translator = None

    def _speak(self, id_: str) -> None:
        """Say everything in a language, Qt's own words on buttons and in dialogs, too."""
        self.close()
        self._spoken.enter_context(speaking(language_of(id_)))
        QLocale.setDefault(QLocale(id_))
        self._translator = QTranslator(self)
        if self._translator.load(QLocale(id_), "qtbase", "_", QLibraryInfo.path(_TRANSLATIONS)):
            self._application.installTranslator(self._translator)

    def _choose(self, id_: str | None) -> None:
        try:
            keep(id_)
        except (DisktunerError, OSError, RuntimeError) as error:
            assert self.running is not None
            self.running.window.show_notice(text("language-not-kept", why=str(error)), "bad")
            return
        self.open()


_TRANSLATIONS = QLibraryInfo.LibraryPath.TranslationsPath
