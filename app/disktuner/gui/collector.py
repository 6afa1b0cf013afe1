# SPDX-License-Identifier: GPL-3.0-or-later
"""Python's collector of cycles, at work in the GUI thread only and never for long."""

from __future__ import annotations

import gc
import time

from PySide6.QtCore import QObject, QTimer

_EVERY_MS = 1000
_REST = 1000
"""To go through everything takes long where a big result is open: not done again for that many times as long."""


class Collector(QObject):
    """Collects on a timer, in the thread it is made in, what Python would collect wherever it happens to allocate.

    A widget that is part of a cycle is taken down by whoever collects it, and Qt allows only the GUI thread to do
    that: a comparison's thread would crash the program. So it belongs to the application, and works until that ends.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self._whole_after = 0.0
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.collect)
        self._timer.start(_EVERY_MS)

    def collect(self) -> None:
        """Do what is due by Python's own thresholds."""
        due = [counted > limit for counted, limit in zip(gc.get_count(), gc.get_threshold(), strict=True)]
        if due[2] and time.monotonic() >= self._whole_after:
            began = time.monotonic()
            gc.collect()
            ended = time.monotonic()
            self._whole_after = ended + _REST * (ended - began)
        elif any(due):
            gc.collect(1 if any(due[1:]) else 0)
