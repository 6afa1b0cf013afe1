# SPDX-License-Identifier: GPL-3.0-or-later
"""A page that lies over the others until it is closed: a head with a way back, and what it shows, scrolling."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from disktuner.gui import wording
from disktuner.gui.style import look
from disktuner.gui.widgets.elided import Elided
from disktuner.gui.widgets.parts import button, column, page_wide, row, scrolled


class Sheet(QWidget):
    """``foot`` stays below what scrolls. Signals: ``closed``."""

    closed = Signal()

    def __init__(self, name: str, content: QWidget, foot: QWidget | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.content = content
        self.back_button = button(wording.BACK, self.closed.emit)
        head = QFrame()
        head.setProperty("bar", True)
        now = look()
        line = row(self.back_button, Elided(name, bold=True), gap=now.medium)
        line.setStretch(1, 1)
        line.setContentsMargins(now.large, now.tight, now.large, now.tight)
        head.setLayout(page_wide(line))
        layout = content.layout()
        if layout is not None:
            layout.setContentsMargins(now.large, now.large, now.large, now.large)
        whole = column(head, scrolled(content), gap=0)
        whole.setStretch(1, 1)
        if foot is not None:
            whole.addWidget(foot)
        self.setLayout(whole)
