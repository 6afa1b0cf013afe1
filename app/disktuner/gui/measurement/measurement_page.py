# SPDX-License-Identifier: GPL-3.0-or-later
"""The way from the announcement to the answer."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from disktuner.comparison.comparison import Comparison
from disktuner.comparison.continuing import still_there
from disktuner.comparison.request import Announcement, JudgedResult
from disktuner.experiment.events import Event, RoundDone
from disktuner.gui.failures import failure_text
from disktuner.gui.measurement.plan import title_of
from disktuner.gui.measurement.result_page import ResultPage
from disktuner.gui.measurement.running_page import RunningPage
from disktuner.gui.shell import Shell
from disktuner.gui.state import State
from disktuner.gui.style import look
from disktuner.gui.widgets.layout import Elided, bar, button, column, row, scrolled, with_margin
from disktuner.presentation import Presented, present
from disktuner.vocabulary.errors import Cancelled
from disktuner.vocabulary.messages import text

_RUNNING, _RESULT = 1, 2


class MeasurementPage(QWidget):
    """A running measurement, then its result; it runs in a thread of ``jobs``.

    Attributes: ``cancelling`` once it was told to end the measurement; ``step`` 1 measuring, 2 result.

    Signals: ``ended_without_result`` carries the reason and a tone, ``finished`` the presented result.
    """

    ended_without_result = Signal(str, str)
    finished = Signal(object)
    _event = Signal(object)
    _so_far = Signal(object)

    def __init__(self, comparison: Comparison, announced: Announcement, shell: Shell) -> None:
        super().__init__()
        self._comparison: Comparison | None = comparison
        self._announcement, self._shell = announced, shell
        self.running_page = RunningPage()
        self.result_page: ResultPage | None = None
        self.step = _RUNNING
        self._state = State()
        self._is_closed = self.cancelling = False
        self._lay_out()
        self._connect()
        self.running_page.show_announced(announced)
        self._go(_RUNNING)

    def _lay_out(self) -> None:
        self.title = Elided(title_of(self._announcement.target))
        self.back_button = button(text("back"), self._shell.leave)
        self.back_button.hide()
        self._stack = QStackedWidget()
        layout = self._whole = column(
            bar(row(self.back_button, self.title, gap=look().medium, wide=1), upright=look().tight), gap=0
        )
        layout.addWidget(self._stack, 1)
        self.setLayout(layout)

    def _connect(self) -> None:
        self.running_page.pause.connect(self._pause)
        self.running_page.cancel.connect(self.cancel)
        self._event.connect(self.running_page.show_event)
        self._so_far.connect(self.running_page.show_so_far)

    def show_state(self, state: State) -> None:
        self._state = state
        if self.result_page is not None:
            self.result_page.show_state(state)

    def cancel(self) -> None:
        """End the measurement; the disk is restored within a second."""
        if self._comparison is not None:
            self.cancelling = True
            self.running_page.show_cancelling()
            self._comparison.cancel()

    def leave(self) -> None:
        """The page was closed: its threads are ended without waiting for them, and their results are ignored."""
        self._is_closed = True
        if self._comparison is not None:
            self._comparison.cancel()
            self._shell.become(measured_disks=())

    def _go(self, step: int) -> None:
        self.step = step
        page = self.result_page or self.running_page
        if (layout := page.layout()) is not None:
            with_margin(layout, look().large, look().medium)
        self._stack.setCurrentIndex(self._stack.addWidget(scrolled(page)))
        if self.result_page is not None:
            self.back_button.show()
            self._whole.addWidget(self.result_page.foot)
            self.result_page.foot.show()
        self.focus_title()

    def focus_title(self) -> None:
        """Focus the visible page's heading, so that it is read out."""
        (self.result_page or self.running_page).title.setFocus()

    def _pause(self, hold: bool) -> None:
        if self._comparison is not None:
            (self._comparison.pause if hold else self._comparison.resume)()

    def run(self) -> tuple[JudgedResult, Presented]:
        """Runs in the measuring thread: measure and judge."""
        assert self._comparison is not None
        outcome = self._comparison.run(self._listen)
        return outcome, present(outcome.result, outcome.verdict)

    def _listen(self, event: Event) -> None:
        """Runs in the measuring thread: pass the event to the GUI thread."""
        self._event.emit(event)
        if isinstance(event, RoundDone):
            self._so_far.emit(present(event.result, self._shell.instruments.judge(event.result)))

    def show_result(self, judged: tuple[JudgedResult, Presented]) -> None:
        outcome, presented = judged
        self._let_go()
        if self._is_closed:
            return
        find = partial(still_there, outcome.disks)
        folder = str(self._announcement.target.folder)
        try:
            self.result_page = ResultPage(
                presented, self._shell, find, disks=outcome.disks, path=outcome.path, target=folder
            )
        except Exception as error:  # noqa: BLE001 - it cannot be shown, but it is kept
            self.running_page.kept |= outcome.path is not None
            self.stopped(error)
            return
        QTimer.singleShot(0, self, partial(self._go_to_result, presented))  # to lay it out takes as long again

    def _go_to_result(self, presented: Presented) -> None:
        if self._is_closed:
            return
        self._go(_RESULT)
        self._shell.become(measured_disks=())
        assert self.result_page is not None
        self.result_page.show_state(self._state)
        self.result_page.announce_answer()
        self.result_page.move_bar()
        self.finished.emit(presented)

    def _let_go(self) -> None:
        self.running_page.rest()
        if self._comparison is not None:
            self._comparison.close()
        self._comparison = None

    def stopped(self, error: Exception) -> None:
        """It was cancelled, or failed."""
        self._let_go()
        if self._is_closed:
            return
        self._shell.become(measured_disks=())
        cancelled = isinstance(error, Cancelled)
        reason = text("cancelled") if cancelled else failure_text(error)
        if self.running_page.kept:
            reason += "\n" + text("kept-in-history")
        self.ended_without_result.emit(reason, "info" if cancelled else "bad")
