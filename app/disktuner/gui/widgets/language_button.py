# SPDX-License-Identifier: GPL-3.0-or-later
"""The button that shows the language of the window and offers the others."""

from __future__ import annotations

import os

from PySide6.QtCore import Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from disktuner.gui.language import chosen
from disktuner.vocabulary.languages import LANGUAGES, wanted
from disktuner.vocabulary.messages import language, text


class LanguageButton(QToolButton):
    """Each language stands there by its own name.

    Signals: ``chosen`` carries the language that was chosen in the menu, None for the desktop's.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAutoRaise(True)
        self.setText(LANGUAGES[language().id])
        self.setToolTip(text("language-hint"))
        self.setAccessibleName(text("language-hint"))
        self.setAccessibleDescription(self.text())
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu, group, now = QMenu(self), QActionGroup(self), chosen()
        of_desktop = text("language-of-desktop", language=LANGUAGES[wanted(os.environ)])
        for id_, name in ((None, of_desktop), *LANGUAGES.items()):
            action = menu.addAction(name)
            action.setCheckable(True)
            action.setChecked(id_ == now)
            action.triggered.connect(lambda _checked, id_=id_: self.chosen.emit(id_))
            group.addAction(action)
            if id_ is None:
                menu.addSeparator()
        self.setMenu(menu)
