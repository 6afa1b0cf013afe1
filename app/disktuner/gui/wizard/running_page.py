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
from disktuner.gui.style import look
from disktuner.gui.widgets.layout import button, card, column, label, plain, row, title
from disktuner.gui.widgets.notice import Notice
from disktuner.presentation import Panel, Presented, Row, bars_of
from disktuner.presentation.panels import make_panel
from disktuner.results.definition import Definition
from disktuner.vocabulary.messages import message, say, text
from disktuner.vocabulary.metrics import Better, Metric
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.units import NOTHING

if TYPE_CHECKING:
    from disktuner.gui.plots.live import LivePlot


_SPOKEN_EVERY_S = 30
"""A round of fast workloads takes a second: nobody wants to hear of each."""


class RunningPage(QWidget):
    """Shows events. How far it is, is announced every ``spoken_every_s`` at most.

    Attributes: ``title`` says how much is left, ``race`` is who leads, ``kept`` whether something that ended early is
    kept, ``run`` the one under way, ``plot`` the live graph, once it is there.
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
        self._panel: Panel | None = None
        self.kept = False
        self.run: RunStarted | None = None
        self.title = title(text("about-to-measure"), text("step-run"))
        self._what = label(tone="muted", wrap=True)
        self._bar = QProgressBar(textVisible=False)
        self._bar.setRange(0, 0)
        self._bar.setAccessibleName(self.title.text())
        self._plot_place: QVBoxLayout = column()
        self.plot: LivePlot | None = None
        self._own: Definition | None = None
        self.notice = Notice()
        self._so_far = label(text("so-far-empty"), tone="muted", wrap=True)
        self.race = BarChart()
        self.race.hide()
        self.pause_button = button(text("pause"), self._toggle)
        self.cancel_button = button(text("cancel"), self.cancel.emit)
        self._lay_out()

    def _lay_out(self) -> None:
        now = look()
        head = row(column(self.title, self._what, gap=now.tight), self.pause_button, self.cancel_button, wide=0)
        plots = card(column(self._plot_place))
        plots.setMinimumHeight(now.wide * 8)
        plots.setMaximumHeight(now.wide * 20)
        race = card(column(self._so_far, self.race))
        content = column(head, self._bar, self.notice, race, plots, gap=now.medium)
        content.setStretch(4, 100)
        content.addStretch(1)
        self.setLayout(content)

    def show_announced(self, announced: Announcement) -> None:
        """What will be measured: who competes, and the user's own program."""
        self._own = announced.plan.definition
        plan = announced.plan
        rows = tuple(Row(each, each == plan.record.baseline, 0, None, NOTHING) for each in plan.settings)
        self._panel = make_panel(Metric("", "", Better.HIGHER, "", said=message("so-far-empty")), rows)
        self._show_race(None)

    def _show_race(self, current: Setting | None) -> None:
        """A bar for each, as far as it is known how long; the one whose turn it is stands out."""
        if self._panel is not None:
            self.race.show_panel(self._panel, current)
            if not self._panel.metric.name:
                self.race.tell(text("so-far-empty"), "")
            self.race.show()

    def show_plot(self, plot: LivePlot) -> None:
        """Put in the live graph, once its libraries are loaded."""
        self.plot = plot
        self._plot_place.addWidget(plot)
        read_after(self.race, plot)

    def show_event(self, event: Event) -> None:
        """Show what happened."""
        match event:
            case Phase():
                self._show_progress(say(event.message))
                self._what.setText("")
            case RunStarted():
                self._show_run(event)
            case RoundDone():
                self._rounds += 1
            case Warned():
                self.notice.show_text(say(event.message), "caution", aloud=event.message.id not in self._warned)
                self._warned.add(event.message.id)
            case Kept():
                self.kept = True
            case LivePoint() if self.plot is not None:
                self.plot.add(event)
            case _:
                pass

    def _show_progress(self, shown: str) -> None:
        """In large letters; the bar is called so, because the focus may be on the heading: it would be spoken often."""
        self.title.setText(shown)
        self._bar.setAccessibleName(shown)

    def _show_run(self, run: RunStarted) -> None:
        self.run = run
        self._show_progress(text("run-left", left=run.advance.at_most_s, round=run.round + 1))
        workload = workload_title(run.workload, self._own)
        self._what.setText(text("run-of", workload=workload, setting=run.setting.name))
        self._what.setToolTip(plain(run.workload))
        self._show_race(run.setting)
        self._bar.setRange(0, 100)
        self._bar.setValue(round(100 * run.advance.share))
        self._announce(run)
        self.progress.emit(self._bar.value(), self._bar.maximum())

    def _announce(self, run: RunStarted) -> None:
        """Say when it begins, and how far it is after some rounds."""
        if self._quiet.hasExpired():
            self._quiet.setRemainingTime(self._spoken_every_s * 1000)
            said = "spoken-rounds" if self._rounds else "spoken-begun"
            announce(self, text(said, left=run.advance.at_most_s, count=self._rounds))

    def show_so_far(self, presented: Presented) -> None:
        """The figure that stands for the answer, as it would be now."""
        panel = presented.glance.panel
        if panel is not None:
            self._so_far.setText(bars_of(panel, None).title)
            self._panel = panel
            self._show_race(self.race.about)

    def show_cancelling(self) -> None:
        """It ends; nothing can be pressed any more."""
        self._show_progress(text("cancelling"))
        announce(self, self.title.text())
        self._what.setText("")
        self._bar.setRange(0, 0)
        for each in (self.pause_button, self.cancel_button):
            each.setEnabled(False)
            each.setToolTip(self.title.text())

    def _toggle(self) -> None:
        self._paused = not self._paused
        self.pause_button.setText(text("continue" if self._paused else "pause"))
        if self._paused:
            self.notice.show_text(text("pausing"))
        else:
            self.notice.hide()
        self.pause.emit(self._paused)
