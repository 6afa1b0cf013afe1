# SPDX-License-Identifier: GPL-3.0-or-later
"""What the disks do right now, read every second while somebody looks."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from disktuner.block.counters import Counters, Figures

_EVERY_MS = 1000


class Activity(QObject):
    """Reads ``/sys/block/X/stat`` (9 µs a disk) and reports the figures since the last reading.

    Signals: ``figures`` carries a dict of ``Figures`` by disk name.
    """

    figures = Signal(object)

    def __init__(self, read_counters: Callable[[str], Counters | None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._read = read_counters
        self._names: tuple[str, ...] = ()
        self._last: dict[str, Counters] = {}
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self._tick)

    def watch(self, names: tuple[str, ...]) -> None:
        """Watch these disks."""
        self._names = names
        self._last = {name: counters for name, counters in self._last.items() if name in names}

    def set_running(self, running: bool) -> None:
        """Only while the figures can be seen."""
        if running and not self._timer.isActive():
            self._timer.start()
        elif not running:
            self._timer.stop()
            self._last.clear()

    def _tick(self) -> None:
        found: dict[str, Figures] = {}
        for name in self._names:
            counters = self._read(name)
            earlier = self._last.pop(name, None)
            if counters is not None:
                self._last[name] = counters
                if earlier is not None:
                    found[name] = counters.since(earlier)
        self.figures.emit(found)
