# SPDX-License-Identifier: GPL-3.0-or-later
"""What all charts have in common: Tab reaches them, and they say in words what they show."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QWidget


class Picture(QWidget):
    """A chart: ``tell`` gives it a name and, as its description, all that it shows, row by row."""

    accessible_role = QAccessible.Role.Chart

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def tell(self, name: str, rows: str) -> None:
        """For those who do not see it."""
        self.setAccessibleName(name)
        self.setAccessibleDescription(rows)
