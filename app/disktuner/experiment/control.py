# SPDX-License-Identifier: GPL-3.0-or-later
"""Steers a running experiment from other threads and signal handlers: cancel, pause, resume."""

from __future__ import annotations

import os
import select
import threading
import time

from disktuner.vocabulary.errors import Cancelled

_CANCELLED = "cancelled; the disk has its scheduler back and the scratch files are removed"


class Control:
    """Cancel wakes whatever waits; pause holds the experiment before its next run. Close it when done."""

    def __init__(self) -> None:
        self._cancelled = threading.Event()
        self._going = threading.Event()
        self._going.set()
        self._closing = threading.Lock()
        self._fd = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)

    def cancel(self) -> None:
        """Stop now; may be called often, also after the end."""
        self._cancelled.set()
        self._going.set()
        with self._closing:
            if self._fd >= 0:
                os.eventfd_write(self._fd, 1)

    def pause(self) -> None:
        """Hold before the next run."""
        self._going.clear()

    def resume(self) -> None:
        """Go on."""
        self._going.set()

    @property
    def cancelled(self) -> bool:
        """Whether it was told to stop."""
        return self._cancelled.is_set()

    @property
    def paused(self) -> bool:
        """Whether it was told to hold."""
        return not self._going.is_set()

    def check(self) -> None:
        """Raise ``Cancelled`` if it was told to stop."""
        if self._cancelled.is_set():
            raise Cancelled(_CANCELLED)

    def wait_while_paused(self) -> float:
        """Return when not paused, with the seconds that this took; raises ``Cancelled``."""
        began = time.monotonic()
        self._going.wait()
        self.check()
        return time.monotonic() - began

    def sleep(self, seconds: float) -> None:
        """Sleep, and raise ``Cancelled`` at once when told to stop."""
        select.select([self._fd], [], [], seconds)
        self.check()

    def fileno(self) -> int:
        """A descriptor that becomes readable on cancel."""
        return self._fd

    def close(self) -> None:
        """Give the descriptor back."""
        with self._closing:
            if self._fd >= 0:
                os.close(self._fd)
                self._fd = -1
