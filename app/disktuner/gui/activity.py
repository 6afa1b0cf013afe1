# SPDX-License-Identifier: GPL-3.0-or-later
"""What the disks do right now, read every second while it is visible."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from disktuner.block.counters import Counters, Figures
from disktuner.block.disk import Disk
from disktuner.block.pending import Estimator, PageCache

_EVERY_MS = 1000


class Activity(QObject):
    """Reads ``/sys/block/X/stat`` (9 µs a disk) and reports the figures since the last reading.

    Signals: ``figures`` carries a dict of ``Figures`` by disk name, ``pending`` one of ``Pending`` of disks that can be
    unplugged.
    """

    figures = Signal(object)
    pending = Signal(object)

    def __init__(
        self,
        read_counters: Callable[[str], Counters | None],
        read_page_cache: Callable[[], PageCache | None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._read, self._read_page_cache = read_counters, read_page_cache
        self._names: tuple[str, ...] = ()
        self._removable_names: tuple[str, ...] = ()
        self._waiting = Estimator()
        self._last: dict[str, Counters] = {}
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self._tick)

    def watch(self, disks: Sequence[Disk]) -> None:
        """Watch the disks that have a size."""
        non_empty = [disk for disk in disks if disk.size_bytes]
        self._names = tuple(disk.name for disk in non_empty)
        self._removable_names = tuple(disk.name for disk in non_empty if disk.can_be_unplugged)
        self._last = {name: counters for name, counters in self._last.items() if name in self._names}

    def set_running(self, running: bool) -> None:
        """Read only while the figures are visible."""
        if running and not self._timer.isActive():
            self._timer.start()
        elif not running:
            self._timer.stop()
            self._last.clear()

    def _tick(self) -> None:
        figures: dict[str, Figures] = {}
        for name in self._names:
            counters = self._read(name)
            earlier = self._last.pop(name, None)
            if counters is not None:
                self._last[name] = counters
                if earlier is not None:
                    figures[name] = counters.since(earlier)
        self.figures.emit(figures)
        if self._removable_names and (cache := self._read_page_cache()):
            removable = {name: self._last[name] for name in self._removable_names if name in self._last}
            self._waiting.add(time.monotonic(), cache, removable)
            self.pending.emit({name: self._waiting.of(name) for name in removable})
