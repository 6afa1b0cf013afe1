# SPDX-License-Identifier: GPL-3.0-or-later
"""First step: what the disk is for, as pictures with one sentence each."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QWidget

from disktuner.gui import icons, telling, wording
from disktuner.gui.style import look
from disktuner.gui.widgets.choice_button import ChoiceButton
from disktuner.gui.widgets.parts import column, label, title
from disktuner.results.model import Goal


class GoalPage(QWidget):
    """One choice per goal, *Everyday use* first and chosen.

    Signals: ``chosen`` when the choice is taken by a double click.
    """

    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._group = QButtonGroup(self)
        self.buttons: dict[Goal, ChoiceButton] = {}
        grid = QGridLayout()
        grid.setSpacing(look().medium)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        for number, goal in enumerate(Goal):
            grid.addWidget(self._make(goal), number // 2, number % 2)
        self.buttons[Goal.DESKTOP].setChecked(True)
        content = column(
            title(wording.GOAL_QUESTION),
            label(wording.GOAL_HINT, tone="muted", wrap=True),
            grid,
            None,
            gap=look().medium,
        )
        self.setLayout(content)

    def _make(self, goal: Goal) -> ChoiceButton:
        name, sentence = telling.GOALS[goal]
        made = ChoiceButton(name, sentence, icons.for_goal(goal))
        made.double_clicked.connect(self.chosen)
        self._group.addButton(made)
        self.buttons[goal] = made
        return made

    def choose(self, goal: Goal) -> None:
        """Choose it."""
        self.buttons[goal].setChecked(True)

    @property
    def goal(self) -> Goal:
        """What is chosen."""
        return next(goal for goal, made in self.buttons.items() if made.isChecked())
