# SPDX-License-Identifier: GPL-3.0-or-later
"""The bar below a page, with its buttons in one line, or in two where that is too narrow."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QWidget

from disktuner.gui.style import look
from disktuner.gui.widgets.parts import page_wide, row


class Foot(QFrame):
    """``actions`` from the left, ``other`` on the right or below them."""

    def __init__(self, actions: Sequence[QWidget], other: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("bar", "foot")
        now = look()
        self._first, self._second = row(*actions, None), row(None, other)
        self._line = row(self._first, self._second)
        self._line.setContentsMargins(now.large, now.small, now.large, now.small)
        self.setLayout(page_wide(self._line))

    def minimumSizeHint(self) -> QSize:
        """The wider of the two lines."""
        widest = max(self._first.minimumSize().width(), self._second.minimumSize().width())
        return QSize(widest + 2 * look().large, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In as many lines as are needed."""
        super().resizeEvent(event)
        needed = self._first.sizeHint().width() + self._second.sizeHint().width() + 3 * look().large
        fits = needed <= self.width()
        self._line.setDirection(QBoxLayout.Direction.LeftToRight if fits else QBoxLayout.Direction.TopToBottom)
