# SPDX-License-Identifier: GPL-3.0-or-later
"""A large button for one of several choices: a pictogram, a name, a sentence."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from disktuner.gui.icons import Pictogram
from disktuner.gui.style import look
from disktuner.gui.widgets.parts import column, heading, label, row


class ChoiceButton(QPushButton):
    """Checkable; its height follows its text and width. Signals: ``double_clicked``."""

    double_clicked = Signal()

    def __init__(self, name: str, sentence: str, picture: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setProperty("choice", True)
        self.setAccessibleName(name)
        self.setAccessibleDescription(sentence)
        texts = column(heading(name, wrap=True), label(sentence, tone="muted", wrap=True), None, gap=look().tight)
        content = row(gap=look().medium)
        if picture:
            content.addLayout(column(Pictogram(picture, round(look().wide * 1.3), "accent"), None))
        content.addLayout(texts, 1)
        margin = look().medium
        content.setContentsMargins(margin, margin, margin, margin)
        self.setLayout(content)
        for part in self.findChildren(QWidget):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
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

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Choose and go on."""
        super().mouseDoubleClickEvent(event)
        self.double_clicked.emit()
