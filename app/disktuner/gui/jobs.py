# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocking work in threads of its own; its end is reported in the GUI thread."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QEventLoop, QObject, QThread, QTimer, Signal

InThread = Callable[[Callable[[], Any], Callable[[Any], object]], None]
"""Calls the first function in a thread and then the second with its result in the GUI thread; reports failures."""

PATIENCE_S = 2.0
"""How long the end of the program waits for threads: a disk that does not answer may block one for minutes."""


class Job(QThread):
    """Runs one callable.

    Signals: ``done`` carries its result, ``failed`` the exception; exactly one of them comes, before ``finished``.
    """

    done = Signal(object)
    failed = Signal(object)

    def __init__(self, work: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._work = work

    def run(self) -> None:
        try:
            outcome = self._work()
        except Exception as error:  # noqa: BLE001 - the outermost floor of this thread: shown and logged there
            self.failed.emit(error)
        else:
            self.done.emit(outcome)


class Jobs(QObject):
    """The sole owner of the program's threads: Qt aborts if a running thread is destroyed.

    Whoever starts a job may be gone before it ends; its callbacks must expect that. ``patience_s`` is how long
    ``leave`` waits. Signals: ``idle`` when no job is left.
    """

    idle = Signal()

    def __init__(self, parent: QObject | None = None, *, patience_s: float = PATIENCE_S) -> None:
        super().__init__(parent)
        self._patience_s = patience_s
        self._jobs: set[Job] = set()

    @property
    def busy(self) -> bool:
        return bool(self._jobs)

    def start(
        self,
        work: Callable[[], Any],
        done: Callable[[Any], object],
        failed: Callable[[Exception], object],
        ended: Callable[[], object] | None = None,
    ) -> None:
        """Run the work in a thread; the GUI thread then calls ``done`` or ``failed``, and after it ``ended``."""
        job = Job(work, self)
        job.done.connect(done)
        job.failed.connect(failed)
        job.finished.connect(partial(self._finished, job, ended))
        self._jobs.add(job)
        job.start()

    def leave(self) -> bool:
        """Wait for all jobs, at most ``patience_s``; False if one is still running: then leave without it."""
        if self._jobs:
            loop = QEventLoop()
            self.idle.connect(loop.quit)
            QTimer.singleShot(round(self._patience_s * 1000), loop, loop.quit)
            loop.exec()
        return not self._jobs

    def _finished(self, job: Job, ended: Callable[[], object] | None) -> None:
        self._jobs.discard(job)
        job.deleteLater()
        if ended is not None:
            ended()
        if not self._jobs:
            self.idle.emit()
