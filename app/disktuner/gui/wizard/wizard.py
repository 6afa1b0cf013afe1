# SPDX-License-Identifier: GPL-3.0-or-later
"""The way from the question to the answer, for one disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QFrame, QStackedWidget, QWidget

from disktuner.block.disk import Disk
from disktuner.comparison.request import Announcement, JudgedResult, Request
from disktuner.comparison.target import Place
from disktuner.experiment.events import Event, RoundDone
from disktuner.gui import wording
from disktuner.gui.comparing import Comparing
from disktuner.gui.jobs import Job
from disktuner.gui.messages import sentence
from disktuner.gui.style import look, set_property
from disktuner.gui.widgets.elided import Elided
from disktuner.gui.widgets.parts import button, column, label, page_wide, row, scrolled
from disktuner.gui.wizard.goal_page import GoalPage
from disktuner.gui.wizard.result_page import ResultPage
from disktuner.gui.wizard.running_page import RunningPage
from disktuner.gui.wizard.where_page import WherePage
from disktuner.results.model import Budget, Goal, Result
from disktuner.verdict.model import Verdict
from disktuner.vocabulary.errors import Cancelled

STEPS = (wording.STEP_GOAL, wording.STEP_WHERE, wording.STEP_RUN, wording.STEP_RESULT)
_ANNOUNCE_AFTER_MS = 400


class Wizard(QWidget):
    """Four pages; the measurement runs in a thread of its own.

    ``places`` finds the folders of the disk that may be measured in (in a thread), ``start`` makes a comparison for a
    request, ``judge`` the verdict so far (in the measuring thread), ``plot`` the live graph once its libraries are
    loaded. A folder may lie on another disk than the one that was asked for: ``disk`` is the one that is measured.

    Signals: ``closed`` when it is over, ``told`` a sentence and its tone for the strip above the disks, ``use`` and
    ``keep`` the disks that were measured and the scheduler to set, ``longer`` those disks and the request of a longer
    measurement, ``save`` the outcome to draw, ``measuring`` whether a measurement runs,
    ``progress`` its runs done and planned, ``finished`` the outcome.
    """

    closed = Signal()
    told = Signal(str, str)
    use = Signal(object, str)
    keep = Signal(object, str)
    longer = Signal(object, object)
    save = Signal(object, object, bool)
    copy = Signal(object, bool)
    measuring = Signal(bool)
    progress = Signal(int, int)
    finished = Signal(object)
    _event = Signal(object)
    _so_far = Signal(object, object)

    def __init__(
        self,
        disk: Disk,
        places: Callable[[Disk], Sequence[Place]],
        start: Callable[[Request], Comparing],
        judge: Callable[[Result], Verdict],
        plot: Callable[[], QWidget],
    ) -> None:
        super().__init__()
        self.setObjectName("page")
        self.disk, self._start, self._judge, self._make_plot = disk, start, judge, plot
        self._comparison: Comparing | None = None
        self._announced: Comparing | None = None
        self._jobs: set[Job] = set()
        self.goal_page, self.where_page, self.running_page = GoalPage(), WherePage(disk), RunningPage()
        self.result_page: ResultPage | None = None
        self._step, self._over = 0, False
        self._ask = QTimer(self, singleShot=True, interval=_ANNOUNCE_AFTER_MS)
        self._ask.timeout.connect(self._announce)
        self._lay_out()
        self._connect()
        self._go(0)
        self._look_for_places(places)

    def _lay_out(self) -> None:
        now = look()
        self._steps = [label(f"{number + 1}  {name}") for number, name in enumerate(STEPS)]
        head = QFrame()
        head.setProperty("bar", True)
        self.title = Elided(self.disk.title, bold=True)
        line = row(self.title, *self._steps, gap=now.large)
        line.setStretch(0, 1)
        line.setContentsMargins(now.large, now.small, now.large, now.small)
        head.setLayout(page_wide(line))
        self._areas: dict[QWidget, QWidget] = {}
        self._stack = QStackedWidget()
        self.back_button = button(wording.BACK, self.back)
        self.close_button = button(wording.CANCEL, self.ask_to_leave)
        self.next_button = button(wording.NEXT, self.next, primary=True)
        self._foot = QFrame()
        self._foot.setProperty("bar", "foot")
        foot = row(self.close_button, None, self.back_button, self.next_button)
        foot.setContentsMargins(now.large, now.small, now.large, now.small)
        self._foot.setLayout(page_wide(foot))
        whole = self._whole = column(head, gap=0)
        whole.addWidget(self._stack, 1)
        whole.addWidget(self._foot)
        self.setLayout(whole)

    def _show_page(self, page: QWidget) -> None:
        """Put a page in when it is first needed: laying out all at once would take 50 ms."""
        if page not in self._areas:
            margin = look().large
            layout = page.layout()
            if layout is not None:
                layout.setContentsMargins(margin, margin, margin, margin)
            self._areas[page] = scrolled(page)
            self._stack.addWidget(self._areas[page])
        self._stack.setCurrentWidget(self._areas[page])

    def _connect(self) -> None:
        self.goal_page.chosen.connect(self.next)
        self.where_page.changed.connect(self._announce_soon)
        self.running_page.pause.connect(self._pause)
        self.running_page.cancel.connect(self.cancel)
        self.running_page.progress.connect(self.progress)
        self._event.connect(self.running_page.show_event)
        self._so_far.connect(self.running_page.show_verdict)

    @property
    def step(self) -> int:
        """0 purpose, 1 where, 2 measuring, 3 result."""
        return self._step

    @property
    def running(self) -> bool:
        """Whether something would be lost by leaving."""
        return self._step == 2 and not self._over

    @property
    def busy(self) -> bool:
        """Whether a thread of it still runs."""
        return bool(self._jobs)

    def _look_for_places(self, places: Callable[[Disk], Sequence[Place]]) -> None:
        disk = self.disk
        job = self._job(lambda: places(disk))
        job.done.connect(self._show_places)
        job.failed.connect(lambda _: self._show_places(()))
        job.start()

    def _show_places(self, found: Sequence[Place]) -> None:
        had = self.where_page.target
        self.where_page.show_places(found)
        if self._step == 1 and self.where_page.target != had:
            self._announce_soon()

    def begin_with(self, request: Request) -> None:
        """Go to what this request would cost."""
        self.goal_page.choose(Goal(request.goal))
        self.where_page.use_budget(Budget(request.budget))
        self.where_page.use_folder(request.target)
        self.next()

    def next(self) -> None:
        """Go on."""
        if self._step == 0:
            self.where_page.show_goal(self.goal_page.goal)
            self._go(1)
            self._announce_soon()
        elif self._step == 1 and self._announced is not None:
            self._measure(self._announced)

    def back(self) -> None:
        """Go back one step, or leave from the first."""
        if self._step == 1:
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
            self.running_page.show_cancelling()
            self._comparison.cancel()

    def stop(self) -> None:
        """End every thread of it, without waiting."""
        self._stop_announcing()
        self.cancel()

    def _go(self, step: int) -> None:
        self._step = step
        pages = (self.goal_page, self.where_page, self.running_page, self.result_page or self.running_page)
        self._show_page(pages[step])
        for number, name in enumerate(self._steps):
            set_property(name, "tone", "accent" if number == step else "muted")
            font = name.font()
            font.setBold(True)
            name.setMinimumWidth(QFontMetrics(font).horizontalAdvance(name.text()) + look().tight)
            font.setBold(number == step)
            name.setFont(font)
        self._foot.setVisible(step < 2)
        if self.result_page is not None and step == 3:
            self._whole.addWidget(self.result_page.foot)
            self.result_page.foot.show()
        self.next_button.setText(wording.START if step == 1 else wording.NEXT)
        self.next_button.setEnabled(step == 0)
        focus = (self.next_button, self.where_page.folder, self.running_page.pause_button)
        (self.result_page.first if self.result_page and step == 3 else focus[min(step, 2)]).setFocus()

    def _pause(self, hold: bool) -> None:
        if self._comparison is not None:
            (self._comparison.pause if hold else self._comparison.resume)()

    def _request(self) -> Request:
        return Request(self.where_page.target, self.goal_page.goal, self.where_page.budget)

    def _announce_soon(self) -> None:
        self._stop_announcing()
        self.next_button.setEnabled(False)
        self.where_page.show_waiting()
        if self.where_page.target:
            self._ask.start()

    def _stop_announcing(self) -> None:
        self._ask.stop()
        self._announced = None
        if self._comparison is not None and self._step == 1:
            self._comparison.cancel()
            if not self._jobs:
                self._comparison.close()
            self._comparison = None

    def _announce(self) -> None:
        comparison = self._comparison = self._start(self._request())
        job = self._job(comparison.announce)
        job.done.connect(partial(self._announce_done, comparison))
        job.failed.connect(partial(self._announce_failed, comparison))
        job.start()

    def _announce_done(self, comparison: Comparing, told: Announcement) -> None:
        if comparison is not self._comparison or self._step != 1:
            comparison.close()
        else:
            self._show_disk(told)
            self.where_page.show_announcement(told)
            self.running_page.legend.show_names((*told.schedulers, ""))
            self._announced = comparison if told.refused is None else None
            self.next_button.setEnabled(told.refused is None)
            QTimer.singleShot(0, self, self._prepare_plot)

    def _show_disk(self, told: Announcement) -> None:
        """From here on it is about the disks that are really below the folder."""
        self.disk = told.disk
        others = (name for name in told.disks if name != told.disk.name)
        self.title.setText(" + ".join((told.disk.title, *others)))

    def _prepare_plot(self) -> None:
        """Made while the user reads the announcement: that takes some tens of milliseconds."""
        if self.running_page.plot is None:
            self.running_page.show_plot(self._make_plot())

    def _announce_failed(self, comparison: Comparing, error: Exception) -> None:
        comparison.close()
        if comparison is self._comparison and self._step == 1:
            self._comparison = None
            self.where_page.show_failure(sentence(error))

    def _measure(self, comparison: Comparing) -> None:
        self._announced, self._comparison = None, comparison
        self._go(2)
        self._prepare_plot()
        self.measuring.emit(True)
        job = self._job(lambda: comparison.run(self._listen))
        job.done.connect(self._measured)
        job.failed.connect(self._stopped)
        job.start()

    def _listen(self, event: Event) -> None:
        """In the measuring thread: hand over to the GUI thread."""
        self._event.emit(event)
        if isinstance(event, RoundDone):
            self._so_far.emit(event.result, self._judge(event.result))

    def _measured(self, outcome: JudgedResult) -> None:
        self._let_go()
        page = self.result_page = ResultPage(outcome)
        page.use.connect(partial(self.use.emit, outcome.disks))
        page.keep.connect(partial(self.keep.emit, outcome.disks))
        page.longer.connect(lambda budget: self.longer.emit(outcome.disks, replace(self._request(), budget=budget)))
        page.leave.connect(self.closed)
        page.save.connect(partial(self.save.emit, outcome))
        page.copy.connect(partial(self.copy.emit, outcome))
        self._go(3)
        self.finished.emit(outcome)

    def _let_go(self) -> None:
        if self._comparison is not None:
            self._comparison.close()
        self._comparison = None
        self.measuring.emit(False)

    def _stopped(self, error: Exception) -> None:
        self._let_go()
        text, tone = (wording.CANCELLED, "info") if isinstance(error, Cancelled) else (sentence(error), "bad")
        self._over = True
        self.closed.emit()
        self.told.emit(text, tone)

    def _job(self, work: Callable[[], object]) -> Job:
        job = Job(work)
        self._jobs.add(job)
        job.finished.connect(partial(self._job_ended, job))
        return job

    def _job_ended(self, job: Job) -> None:
        self._jobs.discard(job)
        job.deleteLater()
