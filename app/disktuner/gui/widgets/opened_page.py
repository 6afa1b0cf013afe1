# SPDX-License-Identifier: GPL-3.0-or-later
"""What is open over the pages until it is closed: a kept result, two of them compared, or a check-up."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from disktuner.gui.state import State
from disktuner.gui.style import look
from disktuner.gui.widgets.layout import Elided, bar, button, column, row, scrolled, with_margin
from disktuner.vocabulary.messages import text


class OpenedPage(QWidget):
    """A head with a way back, and scrolling content; ``foot`` stays below that.

    Attributes: ``back_button``; ``title`` in the head names the subject; ``leave`` is called when the page is closed.
    """

    def __init__(self, name: str, content: QWidget, foot: QWidget | None = None) -> None:
        super().__init__()
        self.content = content
        self.leave: Callable[[], object] = lambda: None
        self.back_button = button(text("back"), lambda: None)
        self.title = Elided(name)
        line = row(self.back_button, self.title, gap=look().medium, wide=1)
        if (layout := content.layout()) is not None:
            with_margin(layout, look().large, look().medium)
        whole = column(bar(line, upright=look().tight), scrolled(content), gap=0, wide=1)
        if foot is not None:
            whole.addWidget(foot)
        self.setLayout(whole)

    def focus_title(self) -> None:
        """Focus the heading, so that it is read out."""
        self.title.setFocus()

    def show_state(self, state: State) -> None:
        if (show := getattr(self.content, "show_state", None)) is not None:
            show(state)
