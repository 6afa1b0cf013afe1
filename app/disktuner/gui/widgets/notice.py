# SPDX-License-Identifier: GPL-3.0-or-later
"""What must be told: a strip above the page."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from disktuner.gui import wording
from disktuner.gui.icons import Pictogram
from disktuner.gui.style import look, set_property
from disktuner.gui.widgets.parts import button, label, row

_PICTOGRAMS = {"info": "info", "good": "check", "caution": "warning", "bad": "warning"}


class Notice(QFrame):
    """A strip with one sentence, perhaps a button, and a way to close it.

    ``tone`` is ``info``, ``good``, ``caution`` or ``bad``: told by pictogram as well as by colour.
    """

    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture = Pictogram("info", look().large)
        self._text = label(wrap=True)
        self._action = button("", self._act)
        self._close = button(wording.CLOSE, self._shut, flat=True)
        self._on_action: Callable[[], object] | None = None
        content = row(self._picture, self._text, self._action, self._close, gap=look().medium)
        content.setStretch(1, 1)
        content.setContentsMargins(look().medium, look().small, look().medium, look().small)
        self.setLayout(content)
        self.hide()

    @property
    def text(self) -> str:
        """The sentence that is shown, or an empty text."""
        return "" if self.isHidden() else self._text.text()

    def tell(
        self, text: str, tone: str = "info", action: str = "", on_action: Callable[[], object] | None = None
    ) -> None:
        """Show a sentence, with a button if something can be done about it at once."""
        self._text.setText(text)
        self._picture.set_name(_PICTOGRAMS[tone], "accent" if tone == "info" else tone)
        self._action.setText(action)
        self._action.setVisible(bool(action))
        self._on_action = on_action
        set_property(self, "notice", tone)
        self.setAccessibleName(text)
        self.show()

    def _act(self) -> None:
        self.hide()
        if self._on_action is not None:
            self._on_action()

    def _shut(self) -> None:
        self.hide()
        self.closed.emit()
