# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of keys that work everywhere."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QWidget

from disktuner.gui.style import look
from disktuner.gui.widgets.layout import bar, button, column, facts, label, row, title, with_margin
from disktuner.vocabulary.keys import KEYS
from disktuner.vocabulary.messages import named, text


class KeysDialog(QDialog):
    """Each key with its effect; deleted when it is closed."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(text("keys-title"))
        keys = ((", ".join(map(_key_label, shortcut.keys)), named(shortcut.about)) for shortcut in KEYS.values())
        grid = facts(((label(key, bold=True), label(about, wrap=True)) for key, about in keys), look().small)
        hint = label(text("keys-hint"), tone="muted", wrap=True)
        body = column(title(self.windowTitle()), grid, hint, None, gap=look().medium)
        close = button(text("close"), self.accept, primary=True)
        self.setLayout(column(with_margin(body, look().large), bar(row(None, close), foot=True), gap=0))
        close.setFocus()


def _key_label(key: str) -> str:
    """Return a key as this system's keyboard labels it."""
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
