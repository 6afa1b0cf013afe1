# SPDX-License-Identifier: GPL-3.0-or-later
"""The way from the question to the answer, for one disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QScrollArea, QStackedWidget, QWidget

from disktuner.block.disk import Disk
from disktuner.comparison.request import Announcement, JudgedResult, Request
from disktuner.comparison.target import Place
from disktuner.experiment.events import Event, RoundDone
from disktuner.gui.access import announce
from disktuner.gui.continuing import still_there
from disktuner.gui.failures import failure_text
from disktuner.gui.jobs import Jobs
from disktuner.gui.style import look
from disktuner.gui.widgets.layout import Elided, bar, button, column, row, scrolled, with_margin
from disktuner.gui.wizard.goal_page import GoalPage
from disktuner.gui.wizard.result_page import ResultPage
from disktuner.gui.wizard.running_page import RunningPage
from disktuner.gui.wizard.step_names import StepNames
from disktuner.gui.wizard.where_page import WherePage
from disktuner.presentation import Presented, present
from disktuner.results.model import Result
from disktuner.verdict.model import Verdict
from disktuner.vocabulary.errors import Cancelled
from disktuner.vocabulary.goals import OWN
from disktuner.vocabulary.messages import text
from disktuner.workloads.programs import Program, installed_programs

if TYPE_CHECKING:
    from disktuner.gui.plots.live import LivePlot

_ANNOUNCE_AFTER_MS = 400


class Measurement(Protocol):
    """What the wizard asks of a comparison.

    ``announce`` and ``run`` block and are called in a thread; the others return at once.
    """

    def announce(self) -> Announcement:
        """Say what would be written and how long it would take."""

    def run(self, listener: Callable[[Event], None]) -> JudgedResult:
        """Measure, restore, judge."""

    def cancel(self) -> None:
        """End it within a second."""

    def pause(self) -> None:
        """Hold before the next run."""

    def resume(self) -> None:
        """Go on."""

    def close(self) -> None:
        """Let go of everything; it is not used any more."""


class Wizard(QWidget):
    """Four pages; the measurement runs in a thread of its own.

    ``places`` finds the folders of the disk that may be measured in (in a thread), ``start`` makes a comparison for a
    request, ``judge`` the verdict so far (in the measuring thread), ``plot`` the live graph once its libraries are
    loaded, ``jobs`` owns the threads. A folder may lie on another disk than the one that was asked for: ``disk`` is the
    one that is measured. Attributes: ``cancelling`` once it was told to end the measurement.

    Signals: ``closed`` when it is over, ``said`` a sentence and its tone for the strip above the disks, ``use`` and
    ``keep`` the disks that were measured and the scheduler to set, ``longer`` those disks and the request of a longer
    measurement or of more rounds, ``save`` and ``copy`` the result to draw, ``measuring`` whether a measurement runs,
    ``progress`` its runs done and planned, ``finished`` the result as it is presented.
    """

    closed = Signal()
    said = Signal(str, str)
    use = Signal(object, object)
    keep = Signal(object, object)
    longer = Signal(object, object)
    save = Signal(object, object, bool)
    copy = Signal(object, bool)
    measuring = Signal(bool)
    progress = Signal(int, int)
    finished = Signal(object)
    _event = Signal(object)
    _so_far = Signal(object)

    def __init__(
        self,
        disk: Disk,
        places: Callable[[Disk], Sequence[Place]],
        start: Callable[[Request], Measurement],
        judge: Callable[[Result], Verdict],
        plot: Callable[[], LivePlot],
        *,
        jobs: Jobs,
    ) -> None:
        super().__init__()
        self.setObjectName("page")
        self.disk, self._start, self._judge, self._make_plot, self._jobs = disk, start, judge, plot, jobs
        self._comparison: Measurement | None = None
        self._announcing: Measurement | None = None
        self._announced: Measurement | None = None
        self.goal_page, self.where_page, self.running_page = GoalPage(), WherePage(disk), RunningPage()
        self.result_page: ResultPage | None = None
        self._given = Request("")
        self._step, self._looked_for_programs = 0, False
        self._over = self._left = self.cancelling = False
        self._ask = QTimer(self, singleShot=True, interval=_ANNOUNCE_AFTER_MS)
        self._ask.timeout.connect(self._announce)
        self._lay_out()
        self._connect()
        self._go(0)
        self._look_for_places(places)

    def _lay_out(self) -> None:
        self._steps = StepNames()
        self.title = Elided(self.disk.title, bold=True)
        line = row(self.title, self._steps, gap=look().large)
        line.setStretch(0, 1)
        self._areas: dict[QWidget, QWidget] = {}
        self._stack = QStackedWidget()
        self.back_button = button(text("back"), self.back)
        self.close_button = button(text("cancel"), self.ask_to_leave)
        self.next_button = button(text("next"), self.next, primary=True)
        self._foot = bar(row(self.close_button, None, self.back_button, self.next_button), foot=True)
        whole = self._whole = column(bar(line), gap=0)
        whole.addWidget(self._stack, 1)
        whole.addWidget(self._foot)
        self.setLayout(whole)

    def _show_page(self, page: QWidget) -> None:
        """Put a page in when it is first needed: laying out all at once would take 50 ms."""
        if page not in self._areas:
            if (layout := page.layout()) is not None:
                with_margin(layout, look().large)
            self._areas[page] = scrolled(page)
            self._stack.addWidget(self._areas[page])
        self._stack.setCurrentWidget(self._areas[page])

    def _connect(self) -> None:
        self.goal_page.chosen.connect(self.next)
        self.goal_page.changed.connect(self._choice_changed)
        self.where_page.changed.connect(self._announce_soon)
        self.running_page.pause.connect(self._pause)
        self.running_page.cancel.connect(self.cancel)
        self.running_page.progress.connect(self.progress)
        self._event.connect(self.running_page.show_event)
        self._so_far.connect(self.running_page.show_so_far)

    @property
    def step(self) -> int:
        """0 purpose, 1 where, 2 measuring, 3 result."""
        return self._step

    @property
    def running(self) -> bool:
        """Whether something would be lost by leaving."""
        return self._step == 2 and not self._over

    def _look_for_places(self, places: Callable[[Disk], Sequence[Place]]) -> None:
        disk = self.disk
        self._jobs.start(lambda: places(disk), self._show_places, lambda _: self._show_places(()))

    def _show_places(self, found: Sequence[Place]) -> None:
        if self._left:
            return
        had = self.where_page.target
        self.where_page.show_places(found)
        if self._step == 1 and self.where_page.target != had:
            self._announce_soon()

    def begin_with(self, request: Request) -> None:
        """Go to what this request would cost. What is continued, tuned or found has its purpose already."""
        self.goal_page.choose(request.goal)
        self.where_page.use_budget(request.budget)
        if request.target:
            self.where_page.use_folder(request.target)
        self._given = request
        if request.goal == OWN.id and request.own is None and request.continues is None:
            return  # which program, only the user can say
        if request.continues is not None:
            self.where_page.show_continued()
        elif request.after is not None:
            self.where_page.show_tuned()
        elif self._has_purpose and request.settings:
            self.where_page.show_proposed(request.settings)
        self.next()

    @property
    def _has_purpose(self) -> bool:
        """Whether it cannot be chosen any more: the workloads are known."""
        given = self._given
        return given.continues is not None or given.after is not None or given.workloads is not None

    def next(self) -> None:
        """Go on."""
        if self._step == 0 and not self.goal_page.is_complete:
            self.goal_page.own_panel.command.setFocus()
        elif self._step == 0:
            self.where_page.show_goal(self.goal_page.goal)
            self._go(1)
            self._announce_soon()
        elif self._step == 1 and self._announced is not None:
            self._measure(self._announced)

    def back(self) -> None:
        """Go back one step, or leave from the first."""
        if self._step == 1 and not self._has_purpose:
            self._stop_announcing()
            self._go(0)
        else:
            self.ask_to_leave()

    def ask_to_leave(self) -> None:
        """Close; a running measurement is only cancelled where the window asked before."""
        if self.running:
            self.running_page.cancel_button.setFocus()
            return
        self._stop_announcing()
        self.closed.emit()

    def cancel(self) -> None:
        """End the measurement; the disk is set back within a second."""
        if self._comparison is not None:
            self.cancelling = True
            self.running_page.show_cancelling()
            self._comparison.cancel()

    def leave(self) -> None:
        """It is not seen any more. What its threads do is ended, without waiting for them, and shown nowhere."""
        self._left = True
        self._stop_announcing()
        if self._comparison is not None:
            self._comparison.cancel()

    def _go(self, step: int) -> None:
        self._step = step
        pages = (self.goal_page, self.where_page, self.running_page, self.result_page or self.running_page)
        self._show_page(pages[step])
        self._steps.show_step(step)
        self._foot.setVisible(step < 2)
        if self.result_page is not None and step == 3:
            self._whole.addWidget(self.result_page.foot)
            self.result_page.foot.show()
        self.next_button.setText(text("start-measuring" if step == 1 else "next"))
        self.next_button.setEnabled(step == 0 and self.goal_page.is_complete)
        focus = (self.next_button, self.where_page.folder, self.running_page.pause_button)
        (self.result_page.first if self.result_page and step == 3 else focus[min(step, 2)]).setFocus()

    def _choice_changed(self) -> None:
        """Another purpose is chosen; the installed programs are looked for when they are first needed."""
        if self._step == 0:
            self.next_button.setEnabled(self.goal_page.is_complete)
        if self.goal_page.goal == OWN.id:
            QTimer.singleShot(0, self, self._show_own)
        if self.goal_page.goal == OWN.id and not self._looked_for_programs:
            self._looked_for_programs = True
            self._jobs.start(installed_programs, self._show_programs, lambda _: None)

    def _show_programs(self, found: Sequence[tuple[str, Program]]) -> None:
        if not self._left:
            self.goal_page.own_panel.model.show(found)

    def _show_own(self) -> None:
        """Bring what is to be said of a program of one's own into view, on a small screen, too."""
        area = self._areas.get(self.goal_page)
        if isinstance(area, QScrollArea):
            area.ensureWidgetVisible(self.goal_page.own_panel)

    def _pause(self, hold: bool) -> None:
        if self._comparison is not None:
            (self._comparison.pause if hold else self._comparison.resume)()

    def _request(self) -> Request:
        where = self.where_page
        chosen = self.goal_page.own if self._given.continues is None else None
        return replace(
            self._given,
            target=where.target,
            goal=self.goal_page.goal,
            budget=where.budget,
            own=self._given.own or chosen,
        )

    def _announce_soon(self) -> None:
        self._stop_announcing()
        self.next_button.setEnabled(False)
        self.where_page.show_waiting()
        request = self._request()
        self.where_page.show_commands(request.own.shown if request.own else request.shown)
        if self.where_page.target:
            self._ask.start()

    def _stop_announcing(self) -> None:
        self._ask.stop()
        self._announced = None
        if self._comparison is not None and self._step == 1:
            self._comparison.cancel()
            if self._comparison is not self._announcing:
                self._comparison.close()
            self._comparison = None

    def _announce(self) -> None:
        comparison = self._comparison = self._announcing = self._start(self._request())
        done, failed = partial(self._announce_done, comparison), partial(self._announce_failed, comparison)
        self._jobs.start(comparison.announce, done, failed)

    def _announce_done(self, comparison: Measurement, announced: Announcement) -> None:
        self._announcing = None if self._announcing is comparison else self._announcing
        if comparison is not self._comparison or self._step != 1:
            comparison.close()
        else:
            self._show_disk(announced)
            self.where_page.show_announcement(announced)
            self.running_page.show_announced(announced)
            self._announced = comparison if announced.refused is None else None
            self.next_button.setEnabled(announced.refused is None)
            QTimer.singleShot(0, self, self._prepare_plot)

    def _show_disk(self, announced: Announcement) -> None:
        """From here on it is about the disks that are really below the folder."""
        self.disk = announced.target.disk
        self.title.setText(" + ".join((self.disk.title, *announced.target.names[1:])))

    def _prepare_plot(self) -> None:
        """Made while the user reads the announcement: that takes some tens of milliseconds."""
        if self.running_page.plot is None:
            self.running_page.show_plot(self._make_plot())

    def _announce_failed(self, comparison: Measurement, error: Exception) -> None:
        self._announcing = None if self._announcing is comparison else self._announcing
        comparison.close()
        if comparison is self._comparison and self._step == 1:
            self._comparison = None
            self.where_page.show_failure(failure_text(error))

    def _measure(self, comparison: Measurement) -> None:
        self._announced, self._comparison = None, comparison
        self._go(2)
        self._prepare_plot()
        self.measuring.emit(True)
        self._jobs.start(lambda: self._run(comparison), lambda found: self._show_result(*found), self._stopped)

    def _run(self, comparison: Measurement) -> tuple[JudgedResult, Presented]:
        """In the measuring thread: measure and judge."""
        outcome = comparison.run(self._listen)
        return outcome, present(outcome.result, outcome.verdict)

    def _listen(self, event: Event) -> None:
        """In the measuring thread: hand over to the GUI thread."""
        self._event.emit(event)
        if isinstance(event, RoundDone):
            self._so_far.emit(present(event.result, self._judge(event.result)))

    def _show_result(self, outcome: JudgedResult, presented: Presented) -> None:
        self._let_go()
        if self._left:
            return
        find = partial(still_there, outcome.disks)
        page = self.result_page = ResultPage(presented, find, outcome.disks, outcome.path)
        page.use.connect(partial(self.use.emit, outcome.disks))
        page.keep.connect(partial(self.keep.emit, outcome.disks))
        page.on.connect(partial(self._ask_for_more, outcome.disks))
        page.longer.connect(partial(self._ask_longer, outcome.disks))
        page.leave.connect(self.closed)
        page.save.connect(partial(self.save.emit, presented))
        page.copy.connect(partial(self.copy.emit, presented))
        QTimer.singleShot(0, self, partial(self._go_to_result, presented))  # to lay it out takes as long again

    def _go_to_result(self, presented: Presented) -> None:
        self._go(3)
        announce(self, text("spoken-result", answer=presented.title, why=presented.why))
        self.finished.emit(presented)

    def _ask_longer(self, disks: Sequence[Disk], budget: str) -> None:
        self.longer.emit(disks, replace(self._request(), budget=budget, continues=None, shown=()))

    def _ask_for_more(self, disks: Sequence[Disk], request: Request) -> None:
        self.longer.emit(disks, replace(request, target=self.where_page.target))

    def _let_go(self) -> None:
        if self._comparison is not None:
            self._comparison.close()
        self._comparison = None
        if not self._left:
            self.measuring.emit(False)

    def _stopped(self, error: Exception) -> None:
        self._let_go()
        if self._left:
            return
        self._over = True
        self.closed.emit()
        cancelled = isinstance(error, Cancelled)
        said = text("measuring-cancelled") if cancelled else failure_text(error)
        if self.running_page.kept:
            said += "\n" + text("kept-in-history")
        self.said.emit(said, "info" if cancelled else "bad")
