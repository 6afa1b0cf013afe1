# SPDX-License-Identifier: GPL-3.0-or-later
"""Third step: the running measurement, and the verdict so far."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from disktuner.comparison.request import Announcement
from disktuner.experiment.events import (
    EndedEarly,
    Event,
    LivePoint,
    Phase,
    Preparing,
    RoundDone,
    RunDone,
    RunStarted,
    Warned,
)
from disktuner.experiment.plan import Plan, Planned
from disktuner.gui.measurement.running_head import SPOKEN_EVERY_S, RunningHead, RunningView
from disktuner.gui.plots.curves import workload_title
from disktuner.gui.plots.lanes import Lanes
from disktuner.gui.plots.live import LiveStrip
from disktuner.gui.widgets.layout import button, column, plain
from disktuner.presentation import Presented, bars_of
from disktuner.presentation.panels import make_panel
from disktuner.vocabulary.messages import named, say, text
from disktuner.vocabulary.workloads import metrics_of


class RunningPage(QWidget):
    """Shows events. Progress is announced every ``spoken_every_s`` at most: a round may take a second.

    Attributes: ``head`` shows the progress, ``lanes`` who leads in the current step, ``kept`` whether a measurement
    that ends early is kept, ``run`` the current one. Signals: ``pause`` carries whether to hold, ``cancel``: the user
    wants to end it.
    """

    pause = Signal(bool)
    cancel = Signal()

    def __init__(self, *, spoken_every_s: int = SPOKEN_EVERY_S) -> None:
        super().__init__()
        self._is_paused, self._rounds = False, 0
        self._warned_ids = set[str]()
        self._plan: Plan | None = None
        self._writing: Preparing | None = None
        self._written_bytes = 0.0
        self.kept = False
        self.run: RunStarted | None = None
        self.pause_button = button(text("pause"), self._toggle)
        self.cancel_button = button(text("cancel"), self.cancel.emit)
        self.head = RunningHead(self.pause_button, self.cancel_button, spoken_every_s=spoken_every_s)
        self.title, self.ring, self._what = self.head.title, self.head.ring, self.head.what
        self.lanes = Lanes()
        self._view = RunningView(self.head, self.lanes, LiveStrip())
        self.notice, self._so_far = self._view.notice, self._view.so_far
        self.setLayout(column(self._view))

    def show_announced(self, announced: Announcement) -> None:
        """Show what will be measured, and the contenders."""
        plan = self._plan = announced.plan
        self.title.setText(text("measuring-disk", disk=announced.target.disk.title))
        self.head.steps.show_steps([text("step-prepare"), *map(_step_name, plan.planned)])
        self.lanes.show_settings(plan.settings, plan.record.baseline, tunes=plan.record.tunes)
        if plan.planned:
            self._show_metric(plan.planned[0])

    def _go_to(self, workload: str, *, prepares: bool = False) -> None:
        """Show the step of a workload, or of the preparation."""
        for number, planned in enumerate(self._plan.planned if self._plan else (), 1):
            if planned.workload.id == workload:
                self.head.steps.go_to(0 if prepares else number)
                self._show_metric(planned)

    def _show_metric(self, planned: Planned) -> None:
        """Compare on a workload's main metric."""
        workload = planned.workload
        metric = metrics_of(workload.facts)[f"{workload.id}.{workload.deciding}"]
        name = bars_of(make_panel(metric, ()), None).title
        lane_title = name if planned.decides else text("lanes-price", title=name)
        self._view.name.setText(lane_title)
        self.lanes.show_metric(metric, lane_title)

    def show_event(self, event: Event) -> None:
        match event:
            case Phase():
                self._what.setText(say(event.message))
                self.rest()
            case Preparing():
                self._show_preparing(event)
            case RunStarted():
                self._show_run(event)
            case RunDone():
                self.lanes.add(event.sample)
            case RoundDone():
                self._rounds += 1
            case Warned():
                self.notice.show_text(say(event.message), "caution", aloud=event.message.id not in self._warned_ids)
                self._warned_ids.add(event.message.id)
            case EndedEarly():
                self.kept = True
            case LivePoint():
                self._show_point(event)

    def _show_point(self, point: LivePoint) -> None:
        self._view.strip.add(point)
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
        sentence = text("preparing-run", number=event.number, count=event.count, workload=workload, setting=setting)
        self._what.setText(sentence)

    def _show_written(self, event: Preparing) -> None:
        written_bytes = min(round(self._written_bytes), event.size_bytes)
        number, count, size = event.number, event.count, event.size_bytes
        self._what.setText(text("preparing-files", number=number, count=count, done=written_bytes, size=size))

    def _begin(self, event: Preparing | RunStarted) -> None:
        """A run begins, or the preparation, which is no setting's turn."""
        self.head.begin(event.advance)
        self.lanes.begin(event.setting, event.advance.expected_s)

    def _title_of(self, workload: str) -> str:
        return workload_title(workload, self._plan.definition if self._plan else None)

    def _show_run(self, run: RunStarted) -> None:
        self.run, self._writing = run, None
        self._go_to(run.workload)
        self._begin(run)
        self._what.setText(text("run-of", workload=self._title_of(run.workload), setting=run.setting.name))
        self._what.setToolTip(plain(run.workload))
        sentence_id = "spoken-rounds" if self._rounds else "spoken-begun"
        self.head.speak(text(sentence_id, left=run.advance.at_most_s, count=self._rounds))

    def show_so_far(self, presented: Presented) -> None:
        """Show the preliminary answer, and the values it is based on."""
        self.lanes.show_values(presented.panels)
        gain = presented.gain_of(presented.about)
        self._so_far.show()
        if gain is not None:
            self._so_far.setText(text("so-far-better", setting=gain.setting.name, difference=gain.difference))
        else:
            self._so_far.setText(text("so-far-open"))

    def rest(self) -> None:
        """Nothing is being measured now."""
        self.ring.rest()
        self.lanes.rest()

    def show_cancelling(self) -> None:
        self.head.show_cancelling(text("cancelling"))
        self.rest()

    def _toggle(self) -> None:
        self._is_paused = not self._is_paused
        self.pause_button.setText(text("continue" if self._is_paused else "pause"))
        if self._is_paused:
            self.notice.show_text(text("pausing"))
        else:
            self.notice.hide()
        self.pause.emit(self._is_paused)


def _step_name(planned: Planned) -> str:
    name = named(planned.workload.facts.short)
    return name if planned.decides else text("step-price", step=name)
