# SPDX-License-Identifier: GPL-3.0-or-later
"""For how long programs stood still: stopped by a signal (Ctrl+Z, SIGSTOP) or frozen with their group of processes.

Whatever was measured meanwhile tells nothing of the disk. Each leaves a sign of its own with the kernel. That time went
by is none: whoever waits for a disk, a processor or memory may wait for seconds, and that is what is measured.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

OURSELVES = "Disktuner"
CONTINUED = {signal.SIGCONT}


def keep_continuing_in_mind() -> None:
    """Let the signal that ends a stop of this program wait until it is asked for; call it before any thread starts.

    It has its effect nevertheless (signal(7)). Programs that are started inherit this.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, CONTINUED)


class Stops:
    """Notices stops while a measurement lasts; use it as a context manager, in one thread.

    This program is asked for about ten times a second (``look``), so that it is known when it last ran. The programs
    that it runs say so themselves to who started them (``note``).
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, root: Path = Path("/")) -> None:
        self._clock, self._looked_s = clock, clock()
        self._seconds = defaultdict[str, float](float)
        self._stopped: dict[int, tuple[str, float]] = {}
        self._frozen = _Freezer(root)

    def __enter__(self) -> Stops:
        _was_continued()  # before this began
        self._looked_s = self._clock()
        return self

    def __exit__(self, *_: object) -> None:
        self._frozen.close()

    def note(self, pid: int, program: str, stopped: bool) -> None:
        """Remember that a program was stopped, or that it goes on or ended."""
        now = self._clock()
        if stopped:
            self._stopped.setdefault(pid, (program, now))
        elif pid in self._stopped:
            program, since = self._stopped.pop(pid)
            self._seconds[program] += now - since

    def look(self) -> None:
        """Add what went by since the last look, where this program stood still meanwhile."""
        now = self._clock()
        if any((_was_continued(), self._frozen.changed())):
            self._seconds[OURSELVES] += now - self._looked_s
        self._looked_s = now

    def seconds(self) -> Mapping[str, float]:
        """Return for how long each program stood still up to now, as far as any did."""
        self.look()
        found, now = self._seconds.copy(), self._clock()
        for program, since in self._stopped.values():
            found[program] += now - since
        return found


class _Freezer:
    """Whether this program's group of processes was frozen (cgroup.events of Documentation/admin-guide/cgroup-v2.rst).

    The file tells whoever polls it that it changed, and while one lives in a group only freezing changes it.
    """

    def __init__(self, root: Path) -> None:
        self._fd = -1
        with suppress(OSError):
            self._fd = os.open(_group(root) / "cgroup.events", os.O_RDONLY | os.O_CLOEXEC)
            self.changed()

    def changed(self) -> bool:
        """Whether it changed since this was last asked."""
        if self._fd < 0:
            return False
        poll = select.poll()
        poll.register(self._fd, select.POLLPRI)
        if not poll.poll(0):
            return False
        os.pread(self._fd, 4096, 0)
        return True

    def close(self) -> None:
        """Forget it."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _group(root: Path) -> Path:
    """Return the folder of this program's group in the unified hierarchy (cgroups(7)). Raises ``OSError``."""
    groups = (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    mounts = (line.split() for line in (root / "proc/self/mounts").read_text(encoding="utf-8").splitlines())
    folder = next((where for _, where, kind, *_ in mounts if kind == "cgroup2"), None)
    path = next((line.removeprefix("0::") for line in groups if line.startswith("0::")), None)
    if folder is None or path is None:
        raise FileNotFoundError("no unified hierarchy")
    return root / folder.lstrip("/") / path.lstrip("/")


def _was_continued() -> bool:
    return signal.sigtimedwait(CONTINUED, 0) is not None
