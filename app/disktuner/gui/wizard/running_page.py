# SPDX-License-Identifier: GPL-3.0-or-later
"""Third step: the measurement as it goes on, and the verdict so far."""

from __future__ import annotations

from PySide6.QtCore import QDeadlineTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from disktuner.comparison.request import Announcement
from disktuner.experiment.events import (
    Event,
    Kept,
    LivePoint,
    Phase,
    Preparing,
    RoundDone,
    RunDone,
    RunStarted,
    Warned,
)
from disktuner.experiment.plan import Plan, Planned
from disktuner.gui.access import announce
from disktuner.gui.plots.curves import workload_title
from disktuner.gui.plots.lanes import Lanes
from disktuner.gui.plots.live import LiveStrip
from disktuner.gui.plots.progress import Ring, Steps
from disktuner.gui.style import look
from disktuner.gui.widgets.layout import beside, button, card, column, has_columns, label, plain, row, title
from disktuner.gui.widgets.notice import Notice
from disktuner.presentation import Presented, bars_of
from disktuner.presentation.panels import make_panel
from disktuner.verdict.model import Outcome
from disktuner.vocabulary.messages import named, say, text
from disktuner.vocabulary.workloads import metrics_of

_SPOKEN_EVERY_S = 30
"""A round of fast workloads takes a second: nobody wants to hear of each."""
_HIGH_LINES = 42
"""From so many lines of text on a page has room for curves."""


class RunningPage(QWidget):
    """Shows events. How far it is, is announced every ``spoken_every_s`` at most.

    Attributes: ``ring`` says how much is left, ``lanes`` who leads in the present step, ``kept`` whether something that
    ended early is kept, ``run`` the one under way.
    Signals: ``pause`` carries whether to hold, ``cancel`` that the user wants to end it; ``progress`` carries how
    much is done and of how much.
    """

    pause = Signal(bool)
    cancel = Signal()
    progress = Signal(int, int)

    def __init__(self, parent: QWidget | None = None, *, spoken_every_s: int = _SPOKEN_EVERY_S) -> None:
        super().__init__(parent)
        self._paused, self._spoken_every_s = False, spoken_every_s
        self._rounds, self._quiet = 0, QDeadlineTimer(0)
        self._warned = set[str]()
        self._plan: Plan | None = None
        self._writing: Preparing | None = None
        self._written_bytes = 0.0
        self.kept = False
        self.run: RunStarted | None = None
        self.title = title(text("about-to-measure"))
        self._what, self._steps = label(tone="muted", wrap=True), Steps()
        self.ring = Ring()
        self.ring.setAccessibleName(self.title.text())
        self.ring.moved.connect(self._tell_progress)
        self.notice = Notice()
        self._lanes_title = label(tone="muted", wrap=True)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        policy.setHeightForWidth(True)
        self._lanes_title.setSizePolicy(policy)
        self._so_far = label()
        self._so_far.setProperty("chip", True)
        self._so_far.setContentsMargins(look().small, 1, look().small, 1)
        self._so_far.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._so_far.hide()
        self.lanes, self._strip = Lanes(), LiveStrip()
        self._working = label(text("go-on-working"), tone="muted", wrap=True)
        self.pause_button = button(text("pause"), self._toggle)
        self.cancel_button = button(text("cancel"), self.cancel.emit)
        self._lay_out()

    def _lay_out(self) -> None:
        now = look()
        about = column(self.title, self._what, self._steps, None, gap=now.tight)
        buttons = column(row(self.pause_button, self.cancel_button, None), None)
        self._about = row(about, buttons, gap=now.medium, wide=0)
        head = row(self.ring, self._about, gap=now.medium, wide=1)
        race = card(column(row(self._lanes_title, self._so_far, wide=0), self.lanes, wide=1))
        content = column(head, race, card(column(self._strip)), self.notice, self._working, gap=now.medium)
        content.setStretch(1, 100)
        content.addStretch(1)
        self.setLayout(content)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is little room, the lanes have it."""
        super().resizeEvent(event)
        beside(self._about, has_columns(self.width()))
        self._strip.fit(self.height() < _HIGH_LINES * self.fontMetrics().height())

    def show_announced(self, announced: Announcement) -> None:
        """What will be measured, and who competes."""
        plan = self._plan = announced.plan
        self.title.setText(text("measuring-disk", disk=announced.target.disk.title))
        self._steps.show_steps([text("step-prepare"), *map(_step_name, plan.planned)])
        self.lanes.show_settings(plan.settings, plan.record.baseline)
        if plan.planned:
            self._show_metric(plan.planned[0])

    def _go_to(self, workload: str, *, prepares: bool = False) -> None:
        """Show the step in which a workload runs, or what prepares all."""
        for number, planned in enumerate(self._plan.planned if self._plan else (), 1):
            if planned.workload.id == workload:
                self._steps.go_to(0 if prepares else number)
                self._show_metric(planned)

    def _show_metric(self, planned: Planned) -> None:
        """Compare on what stands for a workload."""
        workload = planned.workload
        metric = metrics_of(workload.facts)[f"{workload.id}.{workload.deciding}"]
        name = bars_of(make_panel(metric, ()), None).title
        shown = name if planned.decides else text("lanes-price", title=name)
        self._lanes_title.setText(shown)
        self.lanes.show_metric(metric, shown)

    def show_event(self, event: Event) -> None:
        """Show what happened."""
        match event:
            case Phase():
                self._what.setText(say(event.message))
                self._rest()
            case Preparing():
                self._show_preparing(event)
            case RunStarted():
                self._show_run(event)
            case RunDone():
                self.lanes.add(event.sample)
            case RoundDone():
                self._rounds += 1
            case Warned():
                self.notice.show_text(say(event.message), "caution", aloud=event.message.id not in self._warned)
                self._warned.add(event.message.id)
            case Kept():
                self.kept = True
            case LivePoint():
                self._show_point(event)

    def _show_point(self, point: LivePoint) -> None:
        self._strip.add(point)
        if self._writing is not None:
            self._written_bytes += point.figures.write_bytes_per_s * point.figures.elapsed_s
            self._show_written(self._writing)

    def _show_preparing(self, event: Preparing) -> None:
        self._begin(event)
        self._writing, self._written_bytes = (event if event.setting is None else None), 0.0
        if event.setting is None:
            self._show_written(event)
            return
        self._go_to(event.workload, prepares=self.run is None)
        workload, setting = self._title_of(event.workload), event.setting.name
        shown = text("preparing-run", number=event.number, count=event.count, workload=workload, setting=setting)
        self._what.setText(shown)

    def _show_written(self, event: Preparing) -> None:
        done = min(round(self._written_bytes), event.size_bytes)
        number, count, size = event.number, event.count, event.size_bytes
        self._what.setText(text("preparing-files", number=number, count=count, done=done, size=size))

    def _begin(self, event: Preparing | RunStarted) -> None:
        """It goes on, with the turn of one or of none."""
        self.ring.begin(event.advance)
        self.ring.setAccessibleName(text("run-left", left=event.advance.at_most_s))
        self.lanes.begin(event.setting, event.advance.expected_s)

    def _tell_progress(self) -> None:
        self.progress.emit(self.ring.value(), self.ring.maximum())

    def _title_of(self, workload: str) -> str:
        return workload_title(workload, self._plan.definition if self._plan else None)

    def _show_run(self, run: RunStarted) -> None:
        self.run, self._writing = run, None
        self._go_to(run.workload)
        self._begin(run)
        self._what.setText(text("run-of", workload=self._title_of(run.workload), setting=run.setting.name))
        self._what.setToolTip(plain(run.workload))
        self._announce(run)

    def _announce(self, run: RunStarted) -> None:
        """Say when it begins, and how far it is after some rounds."""
        if self._quiet.hasExpired():
            self._quiet.setRemainingTime(self._spoken_every_s * 1000)
            said = "spoken-rounds" if self._rounds else "spoken-begun"
            announce(self, text(said, left=run.advance.at_most_s, count=self._rounds))

    def show_so_far(self, presented: Presented) -> None:
        """The answer as it would be now, and the values that it rests on."""
        self.lanes.show_values(presented.panels)
        panel = presented.glance.panel
        best = next((its for its in panel.rows if its.setting == presented.about), None) if panel else None
        self._so_far.show()
        if best is not None and best.outcome is Outcome.BETTER:
            self._so_far.setText(text("so-far-better", setting=best.setting.name, difference=best.difference))
        else:
            self._so_far.setText(text("so-far-open"))

    def _rest(self) -> None:
        """Nothing is measured now."""
        self.ring.rest()
        self.lanes.rest()

    def show_cancelling(self) -> None:
        """It ends; nothing can be pressed any more."""
        self._what.setText(text("cancelling"))
        announce(self, self._what.text())
        self._rest()
        for each in (self.pause_button, self.cancel_button):
            each.setEnabled(False)
            each.setToolTip(self._what.text())

    def _toggle(self) -> None:
        self._paused = not self._paused
        self.pause_button.setText(text("continue" if self._paused else "pause"))
        if self._paused:
            self.notice.show_text(text("pausing"))
        else:
            self.notice.hide()
        self.pause.emit(self._paused)


def _step_name(planned: Planned) -> str:
    """What a workload's step is called."""
    name = named(planned.workload.facts.short)
    return name if planned.decides else text("step-price", step=name)
