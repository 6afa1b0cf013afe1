# SPDX-License-Identifier: GPL-3.0-or-later
"""*Save or copy*: a result as picture, report, table or file; personal data only when asked for."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from disktuner.gui import wording
from disktuner.gui.saving import FORMS


class SaveButton(QPushButton):
    """A button with a menu.

    Signals: ``save`` carries the form and whether personal data go with it, ``copy`` only the latter.
    """

    save = Signal(object, bool)
    copy = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(wording.SAVE, parent)
        menu = QMenu(self)
        self.copy_action = menu.addAction(wording.COPY_PICTURE)
        self.copy_action.triggered.connect(lambda: self.copy.emit(self.personal.isChecked()))
        menu.addSeparator()
        self.form_actions = tuple(menu.addAction(form.name) for form in FORMS)
        for form, action in zip(FORMS, self.form_actions, strict=True):
            action.triggered.connect(partial(self._save, form))
        menu.addSeparator()
        self.personal: QAction = menu.addAction(wording.PERSONAL)
        self.personal.setCheckable(True)
        self.setMenu(menu)

    def _save(self, form: object, _checked: bool = False) -> None:
        self.save.emit(form, self.personal.isChecked())
