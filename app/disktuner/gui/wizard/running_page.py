# SPDX-License-Identifier: GPL-3.0-or-later
"""Third step: the measurement as it goes on, and the verdict so far."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QProgressBar, QVBoxLayout, QWidget

from disktuner.experiment.events import Event, LivePoint, Phase, RunStarted, Warned
from disktuner.gui import wording
from disktuner.gui.findings import bars, caption, judged_metrics
from disktuner.gui.plots.intervals import IntervalChart
from disktuner.gui.plots.legend import Legend
from disktuner.gui.style import look
from disktuner.gui.widgets.notice import Notice
from disktuner.gui.widgets.parts import button, card, column, heading, label, row, title
from disktuner.results.model import Result
from disktuner.verdict.model import Verdict
from disktuner.vocabulary.messages import say


class RunningPage(QWidget):
    """Shows events.

    Signals: ``pause`` carries whether to hold, ``cancel`` that the user wants to end it; ``progress`` carries runs
    done and planned.
    """

    pause = Signal(bool)
    cancel = Signal()
    progress = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._paused = False
        self._what = title(wording.STARTING)
        self._where = label(tone="muted", wrap=True)
        self._bar = QProgressBar(textVisible=False)
        self._bar.setRange(0, 0)
        self._bar.setAccessibleName(wording.STEP_RUN)
        self._plot_place: QVBoxLayout = column()
        self._plot: QWidget | None = None
        self.notice = Notice()
        self.legend = Legend()
        self._so_far = label(wording.SO_FAR_EMPTY, tone="muted", wrap=True)
        self._chart = IntervalChart()
        self._chart.hide()
        self.pause_button = button(wording.PAUSE, self._toggle)
        self.cancel_button = button(wording.CANCEL, self.cancel.emit)
        self._lay_out()

    def _lay_out(self) -> None:
        now = look()
        head = row(column(self._what, self._where, gap=now.tight), self.pause_button, self.cancel_button)
        head.setStretch(0, 1)
        plots = card(column(self.legend, self._plot_place))
        plots.setMinimumHeight(now.wide * 10)
        plots.setMaximumHeight(now.wide * 26)
        so_far = card(column(heading(wording.SO_FAR), self._so_far, self._chart))
        content = column(head, self._bar, self.notice, plots, so_far, gap=now.medium)
        content.setStretch(3, 100)
        content.addStretch(1)
        self.setLayout(content)

    def show_plot(self, plot: QWidget) -> None:
        """Put in the live graph, once its libraries are loaded."""
        self._plot = plot
        self._plot_place.addWidget(plot)

    @property
    def plot(self) -> QWidget | None:
        """The live graph, if it is there yet."""
        return self._plot

    def show_event(self, event: Event) -> None:
        """Show what happened."""
        match event:
            case Phase():
                self._what.setText(say(event.message))
                self._where.setText("")
                self.legend.show_current("")
            case RunStarted():
                self._show_run(event)
            case Warned():
                self.notice.tell(say(event.message), "caution")
            case LivePoint() if self._plot is not None:
                self._plot.add(event)  # type: ignore[attr-defined]
            case _:
                pass

    def _show_run(self, run: RunStarted) -> None:
        self.legend.show_current(run.scheduler)
        what = wording.workload(run.workload)
        self._what.setText(wording.RUN_WHAT.format(workload=what, scheduler=run.scheduler))
        self._what.setToolTip(wording.plain(run.workload))
        number = wording.RUN_OF.format(order=run.order + 1, total=run.runs_planned)
        rest = wording.ALMOST if run.remaining_s < 5 else wording.time_left(run.remaining_s)
        self._where.setText(f"{number} · {rest}")
        self._bar.setRange(0, run.runs_planned)
        self._bar.setValue(run.order)
        self.progress.emit(run.order, run.runs_planned)

    def show_verdict(self, result: Result, verdict: Verdict) -> None:
        """The verdict so far, with intervals that shrink."""
        metrics = judged_metrics(verdict)
        if not metrics or metrics[0] not in result.metrics:
            return
        self._so_far.setText(caption(result.metrics[metrics[0]]))
        self._chart.show_bars(verdict.baseline, bars(result, verdict, metrics[0]))
        self._chart.show()

    def show_cancelling(self) -> None:
        """It ends; nothing can be pressed any more."""
        self._what.setText(wording.CANCELLING)
        self._where.setText("")
        self._bar.setRange(0, 0)
        self.pause_button.setEnabled(False)
        self.cancel_button.setEnabled(False)

    def _toggle(self) -> None:
        self._paused = not self._paused
        self.pause_button.setText(wording.RESUME if self._paused else wording.PAUSE)
        if self._paused:
            self.notice.tell(f"{wording.PAUSING}. {wording.PAUSED}")
        else:
            self.notice.hide()
        self.pause.emit(self._paused)
