# SPDX-License-Identifier: GPL-3.0-or-later
"""Two lanes beside an answer: how long a program takes to start the old way and the new."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFrame

from disktuner.experiment.events import Event, Phase, RunDone, RunStarted
from disktuner.gui.access import announce
from disktuner.gui.plots.lanes import Lanes
from disktuner.gui.style import SMALL, look
from disktuner.gui.widgets.layout import column, heading, label, with_margin
from disktuner.vocabulary.messages import say, text
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.workloads import facts_of, metrics_of

if TYPE_CHECKING:
    from disktuner.gui.state import Trial


class Clocks(QFrame):
    """Hidden until it begins. The lane of the current run stands out; each shows the typical time of a start so far."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("card", True)
        self.lanes = Lanes(stacked=True)
        self._about = label(size=SMALL, tone="muted", wrap=True)
        content = column(heading(text("before-and-after")), self._about, self.lanes, None)
        self.setLayout(with_margin(content, look().medium))
        self.hide()

    def begin(self, trial: Trial) -> None:
        """Show lanes for the old setting and the new."""
        before = Setting(str(trial.disks[0].scheduler))
        self.lanes.show_settings((before, trial.setting), before)
        self.lanes.setFixedHeight(self.lanes.sizeHint().height())
        self._about.setText(text("difference-about"))
        self.show()
        announce(self, text("difference-about"))

    def show_event(self, event: Event) -> None:
        match event:
            case Phase():
                self._about.setText(say(event.message))
            case RunStarted():
                facts, about = facts_of(event.workload), text("difference-about")
                self._about.setText(about)
                self.lanes.show_metric(metrics_of(facts)[f"{facts.id}.{facts.deciding}"], about)
                self.lanes.begin(event.setting, event.advance.expected_s)
            case RunDone():
                self.lanes.add(event.sample)

    def end(self) -> None:
        """Both had their turn, or it was stopped; without any values, nothing stays visible."""
        self.lanes.rest()
        if not (description := self.lanes.accessibleDescription()):
            self.hide()
            return
        self._about.setText(text("difference-about"))
        announce(self, description)
