# SPDX-License-Identifier: GPL-3.0-or-later
"""Opens the window in the language that is wanted."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING

from PySide6.QtCore import QLibraryInfo, QLocale, QObject, QTranslator
from PySide6.QtWidgets import QApplication

from disktuner.gui.language import chosen, keep
from disktuner.vocabulary.errors import DisktunerError
from disktuner.vocabulary.languages import language_of, wanted
from disktuner.vocabulary.messages import speaking, text

if TYPE_CHECKING:
    from disktuner.gui.application import Application


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
