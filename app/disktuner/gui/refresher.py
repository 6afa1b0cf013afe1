# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the disks in a thread, at the start and whenever the kernel reports a change, then their check-ups."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from disktuner.gui.jobs import Jobs

_SETTLE_MS = 120
"""Uevents come in bursts (a disk, its partitions, udev's own): read once after them."""


class Refresher(QObject):
    """``read`` runs in a thread of ``jobs``, never twice at the same time.

    Signals: ``refreshed`` carries a tuple of what was read, ``failed`` the exception, ``idle``: no thread is running.
    """

    refreshed = Signal(object)
    failed = Signal(object)
    idle = Signal()

    def __init__(self, read: Callable[[], Sequence[object]], jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._read, self._jobs = read, jobs
        self._reading = self._again = self._over = False
        self._settle = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settle.timeout.connect(self.read_now)

    @property
    def is_due(self) -> bool:
        """Whether another reading will follow: the present one may be older than the last change."""
        return self._again or self._settle.isActive()

    def read_soon(self) -> None:
        """Read once after a quiet moment; during a stream of events, twice a second."""
        if not (self._over or self._settle.isActive()):
            self._settle.start()

    def read_now(self) -> None:
        """Read immediately, or right after the current reading."""
        if self._over:  # news that came late
            return
        if self._reading:
            self._again = True
            return
        self._reading = True
        read = self._read
        self._jobs.start(lambda: tuple(read()), self._emit_reading, self._emit_error, self._ended)

    def stop(self) -> None:
        """Stop reading, and drop the current reading's result."""
        self._over = True
        self._settle.stop()

    def _emit_reading(self, reading: object) -> None:
        if not self._over:
            self.refreshed.emit(reading)

    def _emit_error(self, error: object) -> None:
        if not self._over:
            self.failed.emit(error)

    def _ended(self) -> None:
        self._reading = False
        if self._over:
            return
        if self._again:
            self._again = False
            self.read_now()
        else:
            self.idle.emit()
