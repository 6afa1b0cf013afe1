# SPDX-License-Identifier: GPL-3.0-or-later
"""What the measurement that is wanted would cost: a comparison says so in a thread, and is then there to be run."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from disktuner.comparison.comparison import Comparison
from disktuner.comparison.request import Announcement, Request
from disktuner.gui.failures import failure_text
from disktuner.gui.jobs import Jobs
from disktuner.vocabulary.errors import Answered

_AFTER_MS = 400
"""What is typed or chosen quickly after each other is asked for once; by then what judges is loaded."""


class Costing(QObject):
    """Only what was asked for last counts; it owns that comparison until it is taken.

    Signals: ``known`` carries the ``Announcement``, ``answered`` what is known without measuring, ``failed`` why there
    is none.
    """

    known = Signal(object)
    answered = Signal(str)
    failed = Signal(str)

    def __init__(self, start: Callable[[Request], Comparison], jobs: Jobs, parent: QObject) -> None:
        super().__init__(parent)
        self._start, self._jobs, self._request = start, jobs, Request("")
        self._asked: Comparison | None = None
        self._is_known = False
        self._soon = QTimer(self, singleShot=True, interval=_AFTER_MS)
        self._soon.timeout.connect(self._ask)

    def ask(self, request: Request) -> None:
        """Ask soon what this would cost."""
        self.drop()
        self._request = request
        self._soon.start()

    def drop(self) -> None:
        """Nothing is wanted any more."""
        self._soon.stop()
        dropped, was_known = self._asked, self._is_known
        self._asked, self._is_known = None, False
        if dropped is not None:
            dropped.cancel()
            if was_known:  # else its thread is waited for
                dropped.close()

    def take(self) -> Comparison | None:
        """Hand over the comparison whose cost is known."""
        if not self._is_known:
            return None
        taken, self._asked, self._is_known = self._asked, None, False
        return taken

    def _ask(self) -> None:
        asked = self._asked = self._start(self._request)
        self._jobs.start(asked.announce, partial(self._answered, asked), partial(self._failed, asked))

    def _answered(self, asked: Comparison, announced: Announcement) -> None:
        if asked is self._asked:
            self._is_known = True
            self.known.emit(announced)
        else:
            asked.close()

    def _failed(self, asked: Comparison, error: Exception) -> None:
        asked.close()
        if asked is self._asked:
            self._asked = None
            (self.answered if isinstance(error, Answered) else self.failed).emit(failure_text(error))
