# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the window speaks outside its pages: a strip above them, and a page in place of an empty list."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QWidget

from disktuner.gui.access import announce
from disktuner.gui.icons import Pictogram
from disktuner.gui.style import look, set_property
from disktuner.gui.widgets.layout import button, column, heading, label, row, with_margin
from disktuner.vocabulary.messages import text

_PICTOGRAMS = {"info": "info", "good": "check", "caution": "warning", "bad": "warning"}


class Notice(QFrame):
    """A strip with a sentence, perhaps a button, and a close button; announced when it first becomes visible.

    ``tone`` is ``info``, ``good``, ``caution`` or ``bad``: shown by pictogram as well as by colour.
    """

    def __init__(self) -> None:
        super().__init__()
        self._picture = Pictogram("info", look().large)
        self._text = label(wrap=True)
        self._action = button("", self._act)
        self._close = button(text("close"), self.hide, flat=True)
        self._on_action: Callable[[], object] = lambda: None
        self._unsaid = ""
        content = row(self._picture, self._text, self._action, self._close, gap=look().medium, wide=1)
        self.setLayout(with_margin(content, look().medium, look().small))
        self.hide()

    @property
    def text(self) -> str:
        """The sentence that is shown, or an empty text."""
        return "" if self.isHidden() else self._text.text()

    def show_text(
        self,
        sentence: str,
        tone: str = "info",
        action: str = "",
        on_action: Callable[[], object] = lambda: None,
        *,
        aloud: bool = True,
    ) -> None:
        """Show a sentence, with a button if something can be done about it at once; ``aloud`` is for screen readers."""
        if sentence != self.text:
            self._unsaid = sentence if aloud else ""
        self._text.setText(sentence)
        self._picture.set_name(_PICTOGRAMS[tone], "accent" if tone == "info" else tone)
        self._action.setText(action)
        self._action.setVisible(bool(action))
        self._on_action = on_action
        set_property(self, "notice", tone)
        self.setAccessibleName(sentence)
        self.show()
        self._announce()

    def showEvent(self, event: QShowEvent) -> None:
        """Announce what was shown while the page was hidden."""
        super().showEvent(event)
        self._announce()

    def _announce(self) -> None:
        if self.isVisible():
            announce(self, self._unsaid)
            self._unsaid = ""

    def _act(self) -> None:
        self.hide()
        self._on_action()


class EmptyPage(QWidget):
    """A whole page for the states without anything to list: loading, empty, failed."""

    def __init__(self) -> None:
        super().__init__()
        self._picture = Pictogram("empty", look().wide * 3, "muted")
        self._picture.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Maximum)  # the words come first
        self._head = heading("", wrap=True)
        self._text = label("", tone="muted", wrap=True)
        self._button: QPushButton = button("", self._act, primary=True)
        self.setFocusProxy(self._button)
        self._on_action: Callable[[], object] = lambda: None
        for centred in (self._head, self._text):
            centred.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            centred.setMinimumWidth(look().wide * 14)
        inner = column(gap=look().medium)
        for part in (self._picture, self._head, self._text, self._button):
            inner.addWidget(part, alignment=Qt.AlignmentFlag.AlignHCenter)
        self.setLayout(row(None, column(None, inner, None), None))

    def show_state(
        self, name: str, head: str, why: str = "", action: str = "", on_action: Callable[[], object] = lambda: None
    ) -> None:
        """Show a pictogram, a headline, an explanation, and a button if something can be done."""
        self._picture.set_name(name)
        self._head.setText(head)
        self._text.setText(why)
        self._text.setVisible(bool(why))
        self._button.setText(action)
        self._button.setVisible(bool(action))
        self._on_action = on_action
        announce(self, head)

    def _act(self) -> None:
        self._on_action()
