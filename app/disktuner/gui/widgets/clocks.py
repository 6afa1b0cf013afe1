# SPDX-License-Identifier: GPL-3.0-or-later
"""Two lanes: how long a program takes to start the old way and the new."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from disktuner.gui.access import announce
from disktuner.gui.plots.lanes import Lanes
from disktuner.gui.widgets.layout import card, column, label
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.workloads import facts_of, metrics_of

if TYPE_CHECKING:
    from disktuner.experiment.events import RunStarted


class Clocks(QWidget):
    """Hidden until it begins. The one whose turn it is stands out; each says the typical time of a start so far."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lanes = Lanes()
        self._about = label(tone="muted", wrap=True)
        self.setLayout(column(self._about, card(column(self.lanes))))
        self.hide()

    def begin(self, settings: Sequence[Setting]) -> None:
        """Show lanes for the old setting and the new."""
        self.lanes.show_settings(settings, settings[0])
        self.lanes.setFixedHeight(self.lanes.sizeHint().height())
        self.show()
        announce(self, text("difference-about"))

    def say(self, sentence: str) -> None:
        """What goes on."""
        self._about.setText(sentence)

    def show_run(self, run: RunStarted) -> None:
        """A run began."""
        facts = facts_of(run.workload)
        self.say(text("difference-about"))
        self.lanes.show_metric(metrics_of(facts)[f"{facts.id}.{facts.deciding}"], text("difference-about"))
        self.lanes.begin(run.setting, run.advance.expected_s)

    def end(self) -> None:
        """Both had their turn, or it was stopped; where nothing was seen, nothing stays."""
        self.lanes.rest()
        if not (seen := self.lanes.accessibleDescription()):
            self.hide()
            return
        self.say(text("difference-about"))
        announce(self, seen)
