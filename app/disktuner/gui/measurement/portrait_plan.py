# SPDX-License-Identifier: GPL-3.0-or-later
"""What a portrait shows, and what it costs."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from disktuner.block.disk import Disk
from disktuner.comparison.portrait import Announced, Portraying
from disktuner.experiment.events import Part
from disktuner.gui.access import announce
from disktuner.gui.jobs import Jobs
from disktuner.gui.measurement.costing import Costing
from disktuner.gui.plots.portrait import PortraitCourse
from disktuner.gui.state import Act, State, may
from disktuner.gui.style import look
from disktuner.gui.widgets.layout import card, column, facts, label, title
from disktuner.gui.widgets.plan_foot import PlanFoot
from disktuner.vocabulary.messages import say, text


class PortraitPlan(QWidget):
    """The parts of a portrait; ``foot`` shows its cost, and begins it.

    Signals: ``begun`` hands over the sitting and its announcement.
    """

    begun = Signal(object, object)

    def __init__(self, disk: Disk, portray: Callable[[str], Portraying], jobs: Jobs) -> None:
        super().__init__()
        self._disk, self._state = disk, State()
        self._announcement: Announced | None = None
        self._has_begun = False
        self.foot = PlanFoot()
        self.foot.measure_button.clicked.connect(self.measure)
        self._costing = Costing(portray, jobs, self)
        self._costing.known.connect(self._show_announced)
        self._costing.failed.connect(self._show_failure)
        parts = facts(
            (
                (label(text(f"step-{part}"), bold=True), label(text(f"portrait-part-{part}"), wrap=True))
                for part in Part
            ),
            look().small,
        )
        about = label(text("portrait-about"), tone="muted", wrap=True)
        content = column(title(text("portrait-question")), about, PortraitCourse(), parts, gap=look().medium, wide=2)
        content.addStretch(0)
        whole = column(card(content), None)
        whole.setStretch(0, 1000)
        self.setLayout(whole)
        self._ask()

    def _ask(self) -> None:
        """Examine the disk again."""
        self._announcement = None
        self.foot.notice.hide()
        self.foot.cost.setText(text("announcing"))
        self._costing.ask(self._disk.name)
        self._allow()

    def _show_announced(self, announced: Announced) -> None:
        self._announcement, disk = announced, announced.target.disk
        folder, seconds = str(announced.target.folder), announced.pace.whole_s
        cost = text("portrait-plan", disk=disk.title, folder=folder, most=announced.most_bytes, seconds=seconds)
        self.foot.cost.setText(cost)
        if disk.kind.wears:
            self.foot.notice.show_text(text("portrait-wears", share=announced.share))
        announce(self.foot, cost)
        self._allow()

    def _show_failure(self, why: str) -> None:
        self.foot.cost.setText("")
        self.foot.notice.show_text(why, "bad", text("try-again"), self._ask)
        self.foot.allow(why)

    def _allow(self) -> None:
        """Allow it once the cost is known, unless it is that of another disk by now: it was asked for by name."""
        if self._announcement is None:
            self.foot.allow(text("announcing"))
            return
        disks = self._announcement.target.disks
        reason = self._state.why_gone((self._disk, *disks))
        self.foot.allow(say(reason) if reason else may(self._state, Act.PORTRAY, disks).reason)

    def measure(self) -> None:
        """Begin as soon as the cost is known."""
        if self.foot.measure_button.isEnabled() and (portraying := self._costing.take()) is not None:
            announced, self._announcement, self._has_begun = self._announcement, None, True
            self.begun.emit(portraying, announced)

    def withdraw(self) -> None:
        self._costing.drop()

    def show_state(self, state: State) -> None:
        """Show whether it may begin now; after one has ended, another may begin."""
        self._state = state
        if self._announcement is not None:
            self._allow()
        elif self._has_begun and not state.measured_disks:
            self._has_begun = False
            self._ask()
