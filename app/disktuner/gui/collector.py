# SPDX-License-Identifier: GPL-3.0-or-later
"""Python's cycle collector, run only in the GUI thread and never for long."""

from __future__ import annotations

import gc
import time

from PySide6.QtCore import QObject, QTimer

_EVERY_MS = 1000
_REST = 1000
"""With a big result open a full collection takes long: it is not repeated for this multiple of its duration."""


class Collector(QObject):
    """Collects cycles on a timer in the thread that creates it, instead of wherever Python happens to allocate.

    A widget in a cycle is destroyed by whichever thread collects it, but Qt allows that only in the GUI thread: a
    measuring thread would crash the program. So the collector belongs to the application and works until that ends.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self._whole_after = 0.0
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.collect)
        self._timer.start(_EVERY_MS)

    def collect(self) -> None:
        """Collect the generations that are due by Python's own thresholds."""
        due = [counted > limit for counted, limit in zip(gc.get_count(), gc.get_threshold(), strict=True)]
        if due[2] and time.monotonic() >= self._whole_after:
            began = time.monotonic()
            gc.collect()
            ended = time.monotonic()
            self._whole_after = ended + _REST * (ended - began)
        elif any(due):
            gc.collect(1 if any(due[1:]) else 0)
