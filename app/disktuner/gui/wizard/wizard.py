# SPDX-License-Identifier: GPL-3.0-or-later
"""The way from the question to the answer, for one disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from disktuner.block.disk import Disk
from disktuner.comparison.comparison import Comparison
from disktuner.comparison.continuing import still_there
from disktuner.comparison.request import Announcement, JudgedResult, Request
from disktuner.comparison.target import Target
from disktuner.experiment.events import Event, RoundDone
from disktuner.gui.failures import failure_text
from disktuner.gui.instruments import Instruments
from disktuner.gui.intents import Intents
from disktuner.gui.jobs import Jobs
from disktuner.gui.state import Act, Leave, State, may
from disktuner.gui.style import look
from disktuner.gui.widgets.layout import Elided, bar, button, column, plain, row, scrolled, with_margin
from disktuner.gui.wizard.announcing import Announcing
from disktuner.gui.wizard.result_page import ResultPage
from disktuner.gui.wizard.running_page import RunningPage
from disktuner.gui.wizard.where_page import WherePage
from disktuner.presentation import Presented, present
from disktuner.vocabulary.errors import Cancelled
from disktuner.vocabulary.goals import OWN
from disktuner.vocabulary.messages import message, text
from disktuner.workloads.programs import Program, installed_programs

_COST, _RUNNING, _RESULT = range(3)


class Wizard(QWidget):
    """What it costs, measuring, result; the measurement runs in a thread of its own.

    ``jobs`` owns the threads. A folder may lie on another disk than the one that was asked for: ``disk`` is the one
    that is measured. Attributes: ``cancelling`` once it was told to end the measurement; ``step`` 0 what it costs, 1
    measuring, 2 result.

    Signals: ``closed`` when it is over, ``said`` a sentence and its tone for the strip above the disks, ``measuring``
    the disks that are measured, none once that is over, ``progress`` its runs done and planned, ``finished`` the result
    as it is presented.
    """

    closed = Signal()
    said = Signal(str, str)
    measuring = Signal(object)
    progress = Signal(int, int)
    finished = Signal(object)
    _event = Signal(object)
    _so_far = Signal(object)

    def __init__(self, disk: Disk, instruments: Instruments, intents: Intents, jobs: Jobs) -> None:
        super().__init__()
        self.disk, self._instruments, self._intents, self._jobs = disk, instruments, intents, jobs
        self._comparison: Comparison | None = None
        self._announcing = Announcing(instruments.compare, jobs, self)
        self.where_page, self.running_page = WherePage(disk), RunningPage()
        self.result_page: ResultPage | None = None
        self._given = Request("")
        self.step = _COST
        self._state = State()
        self._announced: Announcement | None = None
        self._over = self._left = self.cancelling = False
        self._lay_out()
        self._connect()
        self._go(_COST)
        self._look_for_places()

    def _lay_out(self) -> None:
        self.title = Elided(self.disk.title, bold=True)
        self._areas: dict[QWidget, QWidget] = {}
        self._stack = QStackedWidget()
        self.close_button = button(text("cancel"), self.ask_to_leave)
        self.next_button = button(text("start-measuring"), self.next, primary=True)
        self._foot = bar(row(self.close_button, None, self.where_page.options_fold, self.next_button), foot=True)
        whole = self._whole = column(bar(row(self.title)), gap=0)
        whole.addWidget(self._stack, 1)
        whole.addWidget(self._foot)
        self.setLayout(whole)

    def _show_page(self, page: QWidget) -> None:
        """Put a page in when it is first needed: laying out all at once would take 50 ms."""
        if page not in self._areas:
            if (layout := page.layout()) is not None:
                with_margin(layout, look().large, look().medium)
            self._areas[page] = scrolled(page)
            self._stack.addWidget(self._areas[page])
        self._stack.setCurrentWidget(self._areas[page])

    def _connect(self) -> None:
        self.where_page.changed.connect(self._ask_cost)
        self._announcing.known.connect(self._show_cost)
        self._announcing.answered.connect(self.where_page.show_answer)
        self._announcing.failed.connect(self.where_page.show_failure)
        self.running_page.pause.connect(self._pause)
        self.running_page.cancel.connect(self.cancel)
        self.running_page.progress.connect(self.progress)
        self._event.connect(self.running_page.show_event)
        self._so_far.connect(self.running_page.show_so_far)

    def show_state(self, state: State) -> None:
        """Show what can be done now."""
        self._state = state
        self._allow_start()
        if self.result_page is not None:
            self.result_page.show_state(state)

    def _allow_start(self) -> None:
        """Once it is known what it costs, unless a trial has its disks."""
        announced = self._announced
        if announced is None:
            leave = Leave(message("announcing"))
        elif announced.refused is not None:
            leave = Leave(announced.refused)
        else:
            leave = may(self._state, Act.MEASURE, announced.target.disks)
        self.next_button.setEnabled(self.step == _COST and bool(leave))
        self.next_button.setToolTip(plain(leave.reason))

    @property
    def running(self) -> bool:
        """Whether something would be lost by leaving."""
        return self.step == _RUNNING and not self._over

    def _look_for_places(self) -> None:
        find = partial(self._instruments.places, self.disk)
        self._jobs.start(find, self._show_places, lambda _: self._show_places(()))

    def _show_places(self, found: Sequence[Target]) -> None:
        if self._left:
            return
        had = self.where_page.target
        self.where_page.show_places(found)
        if self.step == _COST and self.where_page.target != had:
            self._ask_cost()

    def begin_with(self, request: Request) -> None:
        """Say what this request would cost. Which program is measured, only the user can say, if the request does not.

        What is continued, tuned or found is called so.
        """
        self._given = request
        self.where_page.use_budget(request.budget)
        if request.target:
            self.where_page.use_folder(request.target)
        if request.continues is not None:
            self.where_page.ask(text("on-question"), text("on-about"))
        elif request.after is not None:
            self.where_page.ask(text("tune-question"), text("tune-about"))
        elif request.workloads is not None and request.settings:
            about = text("proposed-about", setting=request.settings[0].name)
            self.where_page.ask(text("proposed-question"), about, proposes=True)
        elif request.goal == OWN.id and request.own is None:
            self.where_page.show_own()
            self._jobs.start(installed_programs, self._show_programs, lambda _: None)
        self._ask_cost()

    def next(self) -> None:
        """Begin to measure, as soon as it is known what that costs."""
        if self.next_button.isEnabled() and (comparison := self._announcing.take()) is not None:
            self._measure(comparison)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return goes on, wherever the keyboard is and does nothing else with it."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and self.step == _COST:
            self.next()
        else:
            super().keyPressEvent(event)

    def ask_to_leave(self) -> None:
        """Close; a running measurement is only cancelled where the window asked before."""
        if self.running:
            self.running_page.cancel_button.setFocus()
            return
        self._announcing.drop()
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
        self._announcing.drop()
        if self._comparison is not None:
            self._comparison.cancel()
            self.measuring.emit(())

    def _go(self, step: int) -> None:
        self.step = step
        pages = (self.where_page, self.running_page, self.result_page or self.running_page)
        self._show_page(pages[step])
        self._foot.setVisible(step == _COST)
        if self.result_page is not None and step == _RESULT:
            self._whole.addWidget(self.result_page.foot)
            self.result_page.foot.show()
        self._allow_start()
        self.focus_title()

    def focus_title(self) -> None:
        """Put the keyboard on the heading of the page that is seen, so that it is read."""
        titles = (self.where_page.title, self.running_page.title, self.result_page.title if self.result_page else self)
        titles[self.step].setFocus()

    def _show_programs(self, found: Sequence[tuple[str, Program]]) -> None:
        if not self._left:
            self.where_page.own_panel.model.show(found)

    def _pause(self, hold: bool) -> None:
        if self._comparison is not None:
            (self._comparison.pause if hold else self._comparison.resume)()

    def _request(self) -> Request:
        where = self.where_page
        return replace(self._given, target=where.target, budget=where.budget, own=self._given.own or where.own)

    def _ask_cost(self) -> None:
        self._announcing.drop()
        self._announced = None
        self._allow_start()
        self.where_page.show_waiting()
        request = self._request()
        self.where_page.show_commands(request.own.shown if request.own else request.shown)
        if self.where_page.target and self.where_page.is_complete:
            self._announcing.ask(request)

    def _show_cost(self, announced: Announcement) -> None:
        self._show_disk(announced)
        self.where_page.show_announcement(announced)
        self.running_page.show_announced(announced)
        self._announced = announced
        self._allow_start()

    def _show_disk(self, announced: Announcement) -> None:
        """From here on it is about the disks that are really below the folder."""
        self.disk = announced.target.disk
        self.title.setText(" + ".join((self.disk.title, *announced.target.names[1:])))

    def _measure(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._go(_RUNNING)
        assert self._announced is not None
        self.measuring.emit(self._announced.target.disks)
        self._jobs.start(lambda: self._run(comparison), lambda found: self._show_result(*found), self._stopped)

    def _run(self, comparison: Comparison) -> tuple[JudgedResult, Presented]:
        """In the measuring thread: measure and judge."""
        outcome = comparison.run(self._listen)
        return outcome, present(outcome.result, outcome.verdict)

    def _listen(self, event: Event) -> None:
        """In the measuring thread: hand over to the GUI thread."""
        self._event.emit(event)
        if isinstance(event, RoundDone):
            self._so_far.emit(present(event.result, self._instruments.judge(event.result)))

    def _show_result(self, outcome: JudgedResult, presented: Presented) -> None:
        self._let_go()
        if self._left:
            return
        find = partial(still_there, outcome.disks)
        folder = self.where_page.target
        self.result_page = ResultPage(
            presented, self._intents, find, disks=outcome.disks, path=outcome.path, target=folder
        )
        QTimer.singleShot(0, self, partial(self._go_to_result, presented))  # to lay it out takes as long again

    def _go_to_result(self, presented: Presented) -> None:
        self._go(_RESULT)
        self.measuring.emit(())
        assert self.result_page is not None
        self.result_page.show_state(self._state)
        self.result_page.announce_answer()
        self.finished.emit(presented)

    def _let_go(self) -> None:
        if self._comparison is not None:
            self._comparison.close()
        self._comparison = None

    def _stopped(self, error: Exception) -> None:
        self._let_go()
        if self._left:
            return
        self._over = True
        self.measuring.emit(())
        self.closed.emit()
        cancelled = isinstance(error, Cancelled)
        said = text("cancelled") if cancelled else failure_text(error)
        if self.running_page.kept:
            said += "\n" + text("kept-in-history")
        self.said.emit(said, "info" if cancelled else "bad")
