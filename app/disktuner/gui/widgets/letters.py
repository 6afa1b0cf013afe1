# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons that Alt and their first letter press; where several share one, Qt goes from one to the next."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QCheckBox, QPushButton, QWidget


class Lettered:
    """A button whose ``text`` is what people read; Qt's own also marks its letter."""

    _plain = ""

    def setText(self: Any, text: str) -> None:
        """Show it; signs that keyboards lack (Chinese) are no letters."""
        self._plain = text
        plain, first = text.replace("&", "&&"), text[:1]
        super().setText(f"&{plain}" if first.lower() != first.upper() else plain)  # type: ignore[misc]

    def text(self) -> str:
        """What it says."""
        return self._plain


class Button(Lettered, QPushButton):
    """A button."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(text)


class Check(Lettered, QCheckBox):
    """A box to tick."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.setText(text)
