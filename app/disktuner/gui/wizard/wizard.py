# SPDX-License-Identifier: GPL-3.0-or-later
"""The way from what was announced to the answer."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from disktuner.comparison.comparison import Comparison
from disktuner.comparison.continuing import still_there
from disktuner.comparison.request import Announcement, JudgedResult
from disktuner.experiment.events import Event, RoundDone
from disktuner.gui.failures import failure_text
from disktuner.gui.instruments import Instruments
from disktuner.gui.intents import Intents
from disktuner.gui.jobs import Jobs
from disktuner.gui.state import State
from disktuner.gui.style import look
from disktuner.gui.widgets.layout import Elided, bar, column, row, scrolled, with_margin
from disktuner.gui.wizard.plan import called
from disktuner.gui.wizard.result_page import ResultPage
from disktuner.gui.wizard.running_page import RunningPage
from disktuner.presentation import Presented, present
from disktuner.vocabulary.errors import Cancelled
from disktuner.vocabulary.messages import text

_RUNNING, _RESULT = 1, 2


class Wizard(QWidget):
    """Measuring, and its result; the measurement runs in a thread of its own, one of ``jobs``.

    Attributes: ``disk`` is the one that is measured, the first of several; ``cancelling`` once it was told to end the
    measurement; ``step`` 1 measuring, 2 result.

    Signals: ``said`` why it is over without a result, and a tone, ``measuring`` the disks that are measured, none once
    that is over, ``progress`` its runs done and planned, ``finished`` the result as it is presented.
    """

    said = Signal(str, str)
    measuring = Signal(object)
    progress = Signal(int, int)
    finished = Signal(object)
    _event = Signal(object)
    _so_far = Signal(object)

    def __init__(
        self, comparison: Comparison, announced: Announcement, instruments: Instruments, intents: Intents, jobs: Jobs
    ) -> None:
        super().__init__()
        self._comparison: Comparison | None = comparison
        self._announced, self.disk = announced, announced.target.disk
        self._instruments, self._intents, self._jobs = instruments, intents, jobs
        self.running_page = RunningPage()
        self.result_page: ResultPage | None = None
        self.step = _RUNNING
        self._state = State()
        self._left = self.cancelling = False
        self._lay_out()
        self._connect()
        self.running_page.show_announced(announced)
        self._go(_RUNNING)

    def _lay_out(self) -> None:
        self.title = Elided(called(self._announced.target), bold=True)
        self._areas: dict[QWidget, QWidget] = {}
        self._stack = QStackedWidget()
        whole = self._whole = column(bar(row(self.title)), gap=0)
        whole.addWidget(self._stack, 1)
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
        self.running_page.pause.connect(self._pause)
        self.running_page.cancel.connect(self.cancel)
        self.running_page.progress.connect(self.progress)
        self._event.connect(self.running_page.show_event)
        self._so_far.connect(self.running_page.show_so_far)

    def show_state(self, state: State) -> None:
        """Show what can be done now."""
        self._state = state
        if self.result_page is not None:
            self.result_page.show_state(state)

    def begin(self) -> None:
        """Measure; it is seen already."""
        comparison = self._comparison
        assert comparison is not None
        self.measuring.emit(self._announced.target.disks)
        self._jobs.start(lambda: self._run(comparison), lambda found: self._show_result(*found), self._stopped)

    def cancel(self) -> None:
        """End the measurement; the disk is set back within a second."""
        if self._comparison is not None:
            self.cancelling = True
            self.running_page.show_cancelling()
            self._comparison.cancel()

    def leave(self) -> None:
        """It is not seen any more. What its threads do is ended, without waiting for them, and shown nowhere."""
        self._left = True
        if self._comparison is not None:
            self._comparison.cancel()
            self.measuring.emit(())

    def _go(self, step: int) -> None:
        self.step = step
        self._show_page(self.result_page or self.running_page)
        if self.result_page is not None:
            self._whole.addWidget(self.result_page.foot)
            self.result_page.foot.show()
        self.focus_title()

    def focus_title(self) -> None:
        """Put the keyboard on the heading of the page that is seen, so that it is read."""
        (self.result_page or self.running_page).title.setFocus()

    def _pause(self, hold: bool) -> None:
        if self._comparison is not None:
            (self._comparison.pause if hold else self._comparison.resume)()

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
        folder = str(self._announced.target.folder)
        try:
            self.result_page = ResultPage(
                presented, self._intents, find, disks=outcome.disks, path=outcome.path, target=folder
            )
        except Exception as error:  # noqa: BLE001 - it cannot be shown, but it is kept
            self.running_page.kept |= outcome.path is not None
            self._stopped(error)
            return
        QTimer.singleShot(0, self, partial(self._go_to_result, presented))  # to lay it out takes as long again

    def _go_to_result(self, presented: Presented) -> None:
        if self._left:
            return
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
        self.measuring.emit(())
        cancelled = isinstance(error, Cancelled)
        said = text("cancelled") if cancelled else failure_text(error)
        if self.running_page.kept:
            said += "\n" + text("kept-in-history")
        self.said.emit(said, "info" if cancelled else "bad")
