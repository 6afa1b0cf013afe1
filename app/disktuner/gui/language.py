# SPDX-License-Identifier: GPL-3.0-or-later
"""The session's language in the window: its own sentences, and Qt's words on buttons and in dialogs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from disktuner.vocabulary.languages import language_of, wanted
from disktuner.vocabulary.messages import in_window, speaking


@contextmanager
def session_language(application: QApplication) -> Iterator[None]:
    """Use the session's language, and the previous one afterwards."""
    id_, before, translator = wanted(os.environ), QLocale(), QTranslator(application)
    if translator.load(QLocale(id_), "qtbase", "_", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        application.installTranslator(translator)
    QLocale.setDefault(QLocale(id_))
    try:
        with speaking(in_window(language_of(id_))):
            yield
    finally:
        QLocale.setDefault(before)
        application.removeTranslator(translator)
