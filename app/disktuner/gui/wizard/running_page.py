# SPDX-License-Identifier: GPL-3.0-or-later
"""Third step: the measurement as it goes on, and the verdict so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QDeadlineTimer, Signal
from PySide6.QtWidgets import QProgressBar, QVBoxLayout, QWidget

from disktuner.comparison.request import Announcement
from disktuner.experiment.events import Event, Kept, LivePoint, Phase, RoundDone, RunStarted, Warned
from disktuner.gui.access import announce, read_after
from disktuner.gui.plots.charts import BarChart
from disktuner.gui.plots.curves import workload_title
from disktuner.gui.plots.marks import Legend
from disktuner.gui.style import look
from disktuner.gui.widgets.layout import button, card, column, heading, label, plain, row, title
from disktuner.gui.widgets.notice import Notice
from disktuner.presentation import Presented
from disktuner.results.definition import Definition
from disktuner.vocabulary.messages import say, text

if TYPE_CHECKING:
    from disktuner.gui.plots.live import LivePlot


_SPOKEN_EVERY_S = 30
"""A round of fast workloads takes a second: nobody wants to hear of each."""


class RunningPage(QWidget):
    """Shows events. How far it is, is announced every ``spoken_every_s`` at most.

    Attributes: ``title`` says what is measured now, ``kept`` whether something that ended early is kept.
    Signals: ``pause`` carries whether to hold, ``cancel`` that the user wants to end it; ``progress`` carries runs
    done and planned.
    """

    pause = Signal(bool)
    cancel = Signal()
    progress = Signal(int, int)

    def __init__(self, parent: QWidget | None = None, *, spoken_every_s: int = _SPOKEN_EVERY_S) -> None:
        super().__init__(parent)
        self._paused, self._spoken_every_s = False, spoken_every_s
        self._rounds, self._quiet = 0, QDeadlineTimer(0)
        self._warned = set[str]()
        self.kept = False
        self.title = title(text("about-to-measure"))
        self._where = label(tone="muted", wrap=True)
        self._bar = QProgressBar(textVisible=False)
        self._bar.setRange(0, 0)
        self._bar.setAccessibleName(text("step-run"))
        self._plot_place: QVBoxLayout = column()
        self._plot: LivePlot | None = None
        self._own: Definition | None = None
        self.notice = Notice()
        self.legend = Legend()
        self._so_far = label(text("so-far-empty"), tone="muted", wrap=True)
        self._chart = BarChart()
        self._chart.hide()
        self.pause_button = button(text("pause"), self._toggle)
        self.cancel_button = button(text("cancel"), self.cancel.emit)
        self._lay_out()

    def _lay_out(self) -> None:
        now = look()
        head = row(column(self.title, self._where, gap=now.tight), self.pause_button, self.cancel_button)
        head.setStretch(0, 1)
        plots = card(column(self.legend, self._plot_place))
        plots.setMinimumHeight(now.wide * 10)
        plots.setMaximumHeight(now.wide * 26)
        so_far = card(column(heading(text("so-far")), self._so_far, self._chart))
        content = column(head, self._bar, self.notice, plots, so_far, gap=now.medium)
        content.setStretch(3, 100)
        content.addStretch(1)
        self.setLayout(content)

    def show_announced(self, announced: Announcement) -> None:
        """What will be measured: names and colours of who competes, and the user's own program."""
        self._own = announced.plan.definition
        self.legend.show_settings((*announced.plan.settings, None))

    def show_plot(self, plot: LivePlot) -> None:
        """Put in the live graph, once its libraries are loaded."""
        self._plot = plot
        self._plot_place.addWidget(plot)
        read_after(self.notice, plot)

    @property
    def plot(self) -> LivePlot | None:
        """The live graph, if it is there yet."""
        return self._plot

    def show_event(self, event: Event) -> None:
        """Show what happened."""
        match event:
            case Phase():
                self.title.setText(say(event.message))
                self._where.setText("")
                self.legend.show_current(None)
            case RunStarted():
                self._show_run(event)
            case RoundDone():
                self._rounds += 1
            case Warned():
                self.notice.show_text(say(event.message), "caution", aloud=event.message.id not in self._warned)
                self._warned.add(event.message.id)
            case Kept():
                self.kept = True
            case LivePoint() if self._plot is not None:
                self._plot.add(event)
            case _:
                pass

    def _show_run(self, run: RunStarted) -> None:
        self.legend.show_current(run.setting)
        self.title.setText(workload_title(run.workload, self._own))
        self.title.setToolTip(plain(run.workload))
        self._where.setText(_with(run))
        self._bar.setRange(0, run.runs_planned)
        self._bar.setValue(run.order)
        self._announce(run)
        self.progress.emit(run.order, run.runs_planned)

    def _announce(self, run: RunStarted) -> None:
        """Say when it begins, and how far it is after some rounds."""
        if self._quiet.hasExpired():
            self._quiet.setRemainingTime(self._spoken_every_s * 1000)
            said = "spoken-rounds" if self._rounds else "spoken-begun"
            announce(self, text(said, left=run.remaining_s, count=self._rounds))

    def show_so_far(self, presented: Presented) -> None:
        """What decides, with intervals that shrink."""
        deciding = next((panel for panel in presented.panels if panel.decides), None)
        if deciding is not None:
            self._so_far.setText(text("so-far-of", metric=deciding.label, direction=deciding.direction))
            self._chart.show_panel(deciding)
            self._chart.show()

    def show_cancelling(self) -> None:
        """It ends; nothing can be pressed any more."""
        self.title.setText(text("cancelling"))
        announce(self, self.title.text())
        self._where.setText("")
        self._bar.setRange(0, 0)
        self.pause_button.setEnabled(False)
        self.cancel_button.setEnabled(False)

    def _toggle(self) -> None:
        self._paused = not self._paused
        self.pause_button.setText(text("continue" if self._paused else "pause"))
        if self._paused:
            self.notice.show_text(text("pausing"))
        else:
            self.notice.hide()
        self.pause.emit(self._paused)


def _with(run: RunStarted) -> str:
    """What is measured now, and how much is left."""
    order, total, left = run.order + 1, run.runs_planned, run.remaining_s
    if run.setting.tunables:
        progress = "run-with-setting-almost-done" if left < 5 else "run-with-setting"
        return text(progress, setting=run.setting.name, order=order, total=total, left=left)
    progress = "run-with-almost-done" if left < 5 else "run-with"
    return text(progress, scheduler=run.setting.name, order=order, total=total, left=left)
