# SPDX-License-Identifier: GPL-3.0-or-later
"""A question before something is done."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QPushButton, QWidget

from disktuner.gui.icons import icon
from disktuner.gui.style import look
from disktuner.gui.widgets.layout import plain
from disktuner.vocabulary.messages import text


class Question(QMessageBox):
    """``accepted`` is a clear yes, never Return or Esc. Deleted once it is answered.

    Attributes: ``yes``, ``no`` and perhaps ``afterwards``, its buttons; Qt's own ones would have no access keys.
    """

    def __init__(self, question: str, about: str, yes: str, no: str, parent: QWidget, *, afterwards: str = "") -> None:
        super().__init__(QMessageBox.Icon.Question, text("app"), question, parent=parent)
        self.setIconPixmap(icon("question", look().accent).pixmap(look().wide, look().wide))
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setInformativeText(plain(about))
        self.yes, self.no, self.afterwards = QPushButton(yes), QPushButton(no), QPushButton(afterwards, self)
        self.addButton(self.yes, QMessageBox.ButtonRole.AcceptRole)
        if afterwards:
            self.addButton(self.afterwards, QMessageBox.ButtonRole.ActionRole)
        self.addButton(self.no, QMessageBox.ButtonRole.RejectRole)
        self.setDefaultButton(self.no)
        self.setEscapeButton(self.no)
        self.finished.connect(self.deleteLater)
