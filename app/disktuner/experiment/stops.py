# SPDX-License-Identifier: GPL-3.0-or-later
"""For how long programs stood still: stopped by a signal (Ctrl+Z, SIGSTOP), frozen, or not let run by the host.

Whatever was measured meanwhile tells nothing of the disk.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping

OURSELVES = "Disktuner"
LOOK_S = 0.1
LATE_S = 0.3
"""So late a busy computer lets nobody run that only waits for a time (160 ms were seen)."""


class Stops:
    """Looks on while a measurement lasts; use it as a context manager.

    A thread that only waits notices when this program stood still, because its next look comes late. The programs that
    are run say so themselves to who started them (``note``).
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._looked_s = clock()
        self._seconds = defaultdict[str, float](float)
        self._stopped: dict[int, tuple[str, float]] = {}
        self._thread = threading.Thread(target=self._watch, name="stops")

    def __enter__(self) -> Stops:
        self._looked_s = self._clock()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def note(self, pid: int, program: str, stopped: bool) -> None:
        """Remember that a program was stopped, or that it goes on or ended."""
        with self._lock:
            now = self._clock()
            if stopped:
                self._stopped.setdefault(pid, (program, now))
            elif pid in self._stopped:
                program, since = self._stopped.pop(pid)
                self._seconds[program] += now - since

    def look(self) -> None:
        """Add what went by since the last look, where that is more than it should be."""
        with self._lock:
            now = self._clock()
            late_s = now - self._looked_s - LOOK_S
            self._looked_s = now
            if late_s > LATE_S:
                self._seconds[OURSELVES] += late_s

    def seconds(self) -> Mapping[str, float]:
        """Return for how long each program stood still up to now, as far as any did."""
        self.look()
        now = self._clock()
        with self._lock:
            found = self._seconds.copy()
            for program, since in self._stopped.values():
                found[program] += now - since
        return found

    def _watch(self) -> None:
        while not self._ended.wait(LOOK_S):
            self.look()
