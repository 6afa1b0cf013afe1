# SPDX-License-Identifier: GPL-3.0-or-later
"""What bothers the user: complaints to choose from, each of which leads to a goal; most people need only the first."""

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
"""The goals of most people in their order, with their pictograms; all others are small."""


class Complaints(QWidget):
    """A tile per goal, *everyday use* chosen at first, and a link for people who only want to check a disk.

    Attributes: ``buttons`` by the ids of goals, ``check_button``. Signals: ``chosen`` when the choice changes.
    """

    chosen = Signal()

    def __init__(self) -> None:
        super().__init__()
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
        """The id of the chosen complaint's goal."""
        return next(goal for goal, tile in self.buttons.items() if tile.isChecked())

    def offer_felt(self, on: bool) -> None:
        """Offer the complaint about copying to removable disks, if there is such a disk."""
        felt = self.buttons[FELT.id]
        felt.setVisible(on)
        if felt.isChecked() and not on:
            self.buttons[DESKTOP.id].setChecked(True)
            self.chosen.emit()


def _tile(goal: Goal) -> Tile:
    tile = Tile(named(goal.complaint), _PICTURES.get(goal.id, ""))
    tile.setToolTip(named(goal.about))
    tile.setAccessibleDescription(named(goal.about))
    return tile
