# SPDX-License-Identifier: GPL-3.0-or-later
"""For how long programs stood still: stopped by a signal (Ctrl+Z, SIGSTOP), frozen, or not let run by the host.

Whatever was measured meanwhile tells nothing of the disk. Who waits for a processor or for memory does not stand
still: on a small computer that copies, everybody does.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path

from disktuner.block.pressure import stalled_us
from disktuner.block.sysfs import Tree

OURSELVES = "Disktuner"
LOOK_S = 0.1
LATE_S = 0.3
"""So late a busy computer lets nobody run that only waits for a time (160 ms were seen)."""


class Stops:
    """Looks on while a measurement lasts; use it as a context manager.

    A thread that only waits notices when this program stood still, because its next look comes late though none of its
    threads was busy. The programs that are run say so themselves to who started them (``note``).
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, root: Path = Path("/")) -> None:
        self._clock, self._tree = clock, Tree(root)
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._looked_s, self._seen_busy_s = clock(), self._busy_s()
        self._seconds = defaultdict[str, float](float)
        self._stopped: dict[int, tuple[str, float]] = {}
        self._thread = threading.Thread(target=self._watch, name="stops")

    def __enter__(self) -> Stops:
        self._looked_s, self._seen_busy_s = self._clock(), self._busy_s()
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
            now, busy_s = self._clock(), self._busy_s()
            busy_meanwhile_s = max(0.0, busy_s - self._seen_busy_s)  # what has ended is counted no more
            late_s = now - self._looked_s - LOOK_S - busy_meanwhile_s
            self._looked_s, self._seen_busy_s = now, busy_s
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

    def _busy_s(self) -> float:
        """For how long this program's threads ran or waited for a processor, and anybody's for memory.

        Documentation/scheduler/sched-stats.rst and accounting/psi.rst; what the kernel does not count is 0.
        """
        tasks = (f"proc/self/task/{each}/schedstat" for each in self._tree.names("proc/self/task"))
        busy_ns = sum(int(each) for task in tasks for each in (self._tree.text(task) or "").split()[:2])
        return busy_ns / 1e9 + (stalled_us(self._tree, "proc/pressure/memory", "some") or 0) / 1e6

    def _watch(self) -> None:
        while not self._ended.wait(LOOK_S):
            self.look()
