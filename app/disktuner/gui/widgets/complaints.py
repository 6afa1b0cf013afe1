# SPDX-License-Identifier: GPL-3.0-or-later
"""What bothers the user: a choice by complaints, each of which leads to a goal; most people need only the first."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QWidget

from disktuner.gui.style import look
from disktuner.gui.widgets.flow import Flow, Tiles
from disktuner.gui.widgets.layout import button, column, title
from disktuner.gui.widgets.option import Tile
from disktuner.vocabulary.goals import DESKTOP, FELT, GOALS, OWN, Goal
from disktuner.vocabulary.messages import named, text

_PICTURES = {"desktop": "freeze", "copying": "copy", "media": "play", "database": "database"}
"""The goals of most people, in their order, with their pictograms; all others are small."""


class Complaints(QWidget):
    """One tile per goal, *everyday use* chosen at first, and a link for whoever only wants to have a disk checked.

    Attributes: ``buttons`` by the ids of goals, ``check_button``. Signals: ``chosen`` that another one is.
    """

    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._group, now = QButtonGroup(self), look()
        goals = {goal.id: goal for goal in (*GOALS.values(), FELT, OWN)}
        self.buttons = {id_: _tile(goals[id_]) for id_ in dict.fromkeys((*_PICTURES, *goals))}
        for tile in self.buttons.values():
            self._group.addButton(tile)
        self._group.buttonClicked.connect(self.chosen)
        self.check_button = button(text("just-check"), lambda: None, link=True)
        large = [tile for id_, tile in self.buttons.items() if id_ in _PICTURES]
        small = [tile for tile in self.buttons.values() if tile not in large]
        self.buttons[DESKTOP.id].setChecked(True)
        more = Flow((*small, self.check_button), now.small)
        self.setLayout(column(title(text("what-bothers")), Tiles(large, now.small), more, gap=now.small))
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
            self.chosen.emit()


def _tile(goal: Goal) -> Tile:
    made = Tile(named(goal.complaint), _PICTURES.get(goal.id, ""))
    made.setToolTip(named(goal.about))
    made.setAccessibleDescription(named(goal.about))
    return made
