# SPDX-License-Identifier: GPL-3.0-or-later
"""The page that stands where there is nothing else to show."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from disktuner.gui.icons import Pictogram
from disktuner.gui.style import HEADING, look
from disktuner.gui.widgets.parts import button, column, label, row


class EmptyPage(QWidget):
    """A whole page for the states in which there is nothing to list: loading, empty, failed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture = Pictogram("empty", look().wide * 3, "muted")
        self._head = label("", HEADING, bold=True, wrap=True)
        self._text = label("", tone="muted", wrap=True)
        self._button: QPushButton = button("", self._act)
        self._on_action: Callable[[], object] | None = None
        for centred in (self._head, self._text):
            centred.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            centred.setMinimumWidth(look().wide * 14)
        inner = column(gap=look().medium)
        for part in (self._picture, self._head, self._text, self._button):
            inner.addWidget(part, alignment=Qt.AlignmentFlag.AlignHCenter)
        self.setLayout(row(None, column(None, inner, None), None))

    def tell(
        self, name: str, head: str, text: str = "", action: str = "", on_action: Callable[[], object] | None = None
    ) -> None:
        """Show a pictogram, a headline, an explanation, and a button if something can be done."""
        self._picture.set_name(name)
        self._head.setText(head)
        self._text.setText(text)
        self._text.setVisible(bool(text))
        self._button.setText(action)
        self._button.setVisible(bool(action))
        self._on_action = on_action

    def _act(self) -> None:
        if self._on_action is not None:
            self._on_action()
