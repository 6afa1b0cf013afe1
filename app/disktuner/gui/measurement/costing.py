# SPDX-License-Identifier: GPL-3.0-or-later
"""What the wanted measurement would cost: announced in a thread, and ready to run afterwards."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from disktuner.gui.failures import failure_text
from disktuner.gui.jobs import Jobs
from disktuner.vocabulary.errors import Answered

_AFTER_MS = 400
"""Typing and quick choices are batched for this long; until then the modules that judge are loaded."""


class Announcing(Protocol):
    """A comparison or a portrait."""

    def announce(self) -> Any:
        """Examine the disk, and return what measuring it would cost."""

    def cancel(self) -> None: ...

    def close(self) -> None: ...


class Costing(QObject):
    """Only the last request counts; what was started for it is owned until it is taken.

    Signals: ``known`` carries the announcement, ``answered`` what is known without measuring, ``failed`` the reason why
    there is nothing.
    """

    known = Signal(object)
    answered = Signal(str)
    failed = Signal(str)

    def __init__(self, start: Callable[[Any], Announcing], jobs: Jobs, parent: QObject) -> None:
        super().__init__(parent)
        self._start, self._jobs, self._request = start, jobs, None
        self._announcing: Announcing | None = None
        self._is_known = False
        self._soon = QTimer(self, singleShot=True, interval=_AFTER_MS)
        self._soon.timeout.connect(self._ask)

    def ask(self, request: Any) -> None:
        """Ask soon what this would cost."""
        self.drop()
        self._request = request
        self._soon.start()

    def drop(self) -> None:
        self._soon.stop()
        dropped, was_known = self._announcing, self._is_known
        self._announcing, self._is_known = None, False
        if dropped is not None:
            dropped.cancel()
            if was_known:  # else its thread is waited for
                dropped.close()

    def take(self) -> Any:
        """Hand over what was announced, to be run; None if nothing was."""
        if not self._is_known:
            return None
        announcing, self._announcing, self._is_known = self._announcing, None, False
        return announcing

    def _ask(self) -> None:
        announcing = self._announcing = self._start(self._request)
        self._jobs.start(announcing.announce, partial(self._answered, announcing), partial(self._failed, announcing))

    def _answered(self, announcing: Announcing, announced: object) -> None:
        if announcing is self._announcing:
            self._is_known = True
            self.known.emit(announced)
        else:
            announcing.close()

    def _failed(self, announcing: Announcing, error: Exception) -> None:
        announcing.close()
        if announcing is self._announcing:
            self._announcing = None
            (self.answered if isinstance(error, Answered) else self.failed).emit(failure_text(error))
