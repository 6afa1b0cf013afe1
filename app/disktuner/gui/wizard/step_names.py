# SPDX-License-Identifier: GPL-3.0-or-later
"""The names of the wizard's steps in a line; where there is no room for all, only the current one's beside numbers."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QWidget

from disktuner.gui.style import look, set_property
from disktuner.gui.widgets.layout import label, plain, row
from disktuner.vocabulary.messages import text

_STEPS = ("step-goal", "step-where", "step-run", "step-result")


class StepNames(QWidget):
    """Where one is in the wizard. Where a number stands for a name, the name is its tool tip."""

    def __init__(self) -> None:
        super().__init__()
        self._names = [text(each) for each in _STEPS]
        self._labels = [label(name) for name in self._names]
        self._step = 0
        for shown, name in zip(self._labels, self._names, strict=True):
            shown.setAccessibleName(name)
        self.setLayout(row(*self._labels, gap=look().large))

    def show_step(self, step: int) -> None:
        """Mark a step as the current one."""
        self._step = step
        for number, shown in enumerate(self._labels):
            set_property(shown, "tone", "accent" if number == step else "muted")
            shown.setFont(self._font(number == step))
        self._name()
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Room for all names."""
        return QSize(self._width(range(len(_STEPS))), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Room for the current step's name."""
        return QSize(self._width((self._step,)), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many names as there is room for."""
        super().resizeEvent(event)
        self._name()

    def _name(self) -> None:
        fits = self.width() >= self.sizeHint().width()
        for number, shown in enumerate(self._labels):
            named = fits or number == self._step
            words = self._words(number, named=named)
            if shown.text() == words:
                continue
            shown.setText(words)
            shown.setMinimumWidth(self._needed(words))
            shown.setToolTip("" if named else plain(self._names[number]))

    def _words(self, number: int, *, named: bool) -> str:
        return f"{number + 1}  {self._names[number]}" if named else str(number + 1)

    def _width(self, named: range | tuple[int, ...]) -> int:
        words = (self._words(number, named=number in named) for number in range(len(_STEPS)))
        return sum(map(self._needed, words)) + look().large * (len(_STEPS) - 1)

    def _needed(self, words: str) -> int:
        """As much as it takes as the current step's, so that nothing moves from step to step."""
        return QFontMetrics(self._font(bold=True)).horizontalAdvance(words) + look().tight

    def _font(self, bold: bool) -> QFont:
        font = self._labels[0].font()
        font.setBold(bold)
        return font
