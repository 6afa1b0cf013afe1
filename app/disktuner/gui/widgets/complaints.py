# SPDX-License-Identifier: GPL-3.0-or-later
"""What bothers the user: a choice by complaints, each of which leads to a goal; most people need only the first."""

from __future__ import annotations

from PySide6.QtWidgets import QButtonGroup, QPushButton, QWidget

from disktuner.gui.style import HEADING, look, text_role
from disktuner.gui.widgets.flow import Flow
from disktuner.gui.widgets.layout import column, row, title
from disktuner.vocabulary.goals import DESKTOP, FELT, GOALS, OWN, Goal
from disktuner.vocabulary.messages import named, text


class Complaints(QWidget):
    """One button per goal, *everyday use* chosen at first, and one for whoever only wants to have the disk checked.

    Attributes: ``buttons`` by the ids of goals, ``check_button``.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._group = QButtonGroup(self)
        self.buttons = {goal.id: _button(goal) for goal in (*GOALS.values(), FELT, OWN)}
        for each in self.buttons.values():
            self._group.addButton(each)
        first, *others = self.buttons.values()
        text_role(first, HEADING, bold=True)
        first.setMinimumHeight(round(look().wide * 1.6))
        first.setChecked(True)
        self.check_button = QPushButton(text("just-check"))
        self.check_button.setProperty("link", True)
        text_role(self.check_button)
        line = Flow((*others, self.check_button), look().small)
        self.setLayout(column(title(text("what-bothers")), row(first, None), line, gap=look().small))
        self.offer_felt(False)

    @property
    def goal(self) -> str:
        """The id of the goal that the chosen complaint leads to."""
        return next(goal for goal, made in self.buttons.items() if made.isChecked())

    def offer_felt(self, on: bool) -> None:
        """Whether there is a disk that people copy to and unplug, for what is felt elsewhere meanwhile."""
        felt = self.buttons[FELT.id]
        felt.setVisible(on)
        if felt.isChecked() and not on:
            self.buttons[DESKTOP.id].setChecked(True)


def _button(goal: Goal) -> QPushButton:
    made = QPushButton(named(goal.complaint))
    made.setCheckable(True)
    made.setAutoExclusive(True)
    made.setProperty("option", True)
    made.setToolTip(named(goal.about))
    made.setAccessibleDescription(named(goal.about))
    return made
