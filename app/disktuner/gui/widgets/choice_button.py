# SPDX-License-Identifier: GPL-3.0-or-later
"""A large button for one of several choices."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from disktuner.gui.icons import Pictogram
from disktuner.gui.style import HEADING, look
from disktuner.gui.widgets.layout import column, label, row, with_margin


class ChoiceButton(QPushButton):
    """A pictogram, a name and a sentence. Checkable; its height follows its text and width."""

    def __init__(self, name: str, sentence: str, picture: str = "") -> None:
        super().__init__()
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setProperty("choice", True)
        self.setAccessibleName(name)
        self.setAccessibleDescription(sentence)
        texts = column(
            label(name, HEADING, bold=True, wrap=True), label(sentence, tone="muted", wrap=True), None, gap=look().tight
        )
        content = row(gap=look().medium)
        if picture:
            content.addLayout(column(Pictogram(picture, round(look().wide * 1.3), "accent"), None))
        content.addLayout(texts, 1)
        self.setLayout(with_margin(content, look().medium))
        for each in self.findChildren(QWidget):
            each.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def hasHeightForWidth(self) -> bool:
        """Its texts wrap."""
        return True

    def heightForWidth(self, width: int) -> int:
        """As its content says, not as a plain button's text would."""
        content = self.layout()
        return content.totalHeightForWidth(width) if content is not None else super().heightForWidth(width)

    def sizeHint(self) -> QSize:
        """The content's."""
        content = self.layout()
        return content.totalSizeHint() if content is not None else super().sizeHint()

    def minimumSizeHint(self) -> QSize:
        """The content's."""
        content = self.layout()
        return content.totalMinimumSize() if content is not None else super().minimumSizeHint()
