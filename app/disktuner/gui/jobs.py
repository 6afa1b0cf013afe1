# SPDX-License-Identifier: GPL-3.0-or-later
"""Work that blocks, done in a thread of its own; its end arrives in the GUI thread."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QThread, Signal


class Job(QThread):
    """Runs one callable.

    Signals: ``done`` carries what it returned, ``failed`` the exception; exactly one of them comes, before
    ``finished``. Whoever starts it keeps it until ``finished``.
    """

    done = Signal(object)
    failed = Signal(object)

    def __init__(self, work: Callable[[], object], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._work = work

    def run(self) -> None:
        """In the thread: do it."""
        try:
            outcome = self._work()
        except Exception as error:  # noqa: BLE001 - the outermost floor of this thread: shown and logged there
            self.failed.emit(error)
        else:
            self.done.emit(outcome)
