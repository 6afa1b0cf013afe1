# SPDX-License-Identifier: GPL-3.0-or-later
"""For how long programs were stopped by a signal (Ctrl+Z, SIGSTOP) or frozen with their cgroup.

Measurements meanwhile say nothing about the disk. The kernel reports both. Elapsed time alone shows neither: waiting
for a disk, a processor or memory may take seconds, which is what is measured.
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


class Stops:
    """Notices stops during a measurement; use it as a context manager, in one thread.

    ``look`` checks this program about ten times a second, so that it is known when it last ran; it needs SIGCONT to be
    blocked (``__main__``). Stops of the programs that it runs are reported to ``note``.
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
        """Note that a program was stopped, or that it was continued or ended."""
        now = self._clock()
        if stopped:
            self._stopped.setdefault(pid, (program, now))
        elif pid in self._stopped:
            program, stopped_at_s = self._stopped.pop(pid)
            self._seconds[program] += now - stopped_at_s

    def look(self) -> None:
        """Add the time since the last look, if this program was stopped meanwhile."""
        now = self._clock()
        if any((_was_continued(), self._frozen.changed())):
            self._seconds[OURSELVES] += now - self._looked_s
        self._looked_s = now

    def seconds(self) -> Mapping[str, float]:
        """Return for how long each program has been stopped so far, without those that never were."""
        self.look()
        seconds, now = self._seconds.copy(), self._clock()
        for program, stopped_at_s in self._stopped.values():
            seconds[program] += now - stopped_at_s
        return seconds


class _Freezer:
    """Whether this program's cgroup was frozen (cgroup.events, Documentation/admin-guide/cgroup-v2.rst).

    Polling the file reports changes, and while a process lives in the cgroup only freezing changes it.
    """

    def __init__(self, root: Path) -> None:
        self._fd = -1
        with suppress(OSError):
            self._fd = os.open(_group(root) / "cgroup.events", os.O_RDONLY | os.O_CLOEXEC)
            self.changed()

    def changed(self) -> bool:
        """Whether the file changed since the last call."""
        if self._fd < 0:
            return False
        poll = select.poll()
        poll.register(self._fd, select.POLLPRI)
        if not poll.poll(0):
            return False
        os.pread(self._fd, 4096, 0)
        return True

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _group(root: Path) -> Path:
    """Return the folder of this program's cgroup in the unified hierarchy (cgroups(7)). Raises ``OSError``."""
    groups = (root / "proc/self/cgroup").read_bytes().split(b"\n")
    mounts = (line.split(b" ") for line in (root / "proc/self/mounts").read_bytes().split(b"\n")[:-1])
    folder = next((where for _, where, kind, *_ in mounts if kind == b"cgroup2"), None)
    path = next((line.removeprefix(b"0::") for line in groups if line.startswith(b"0::")), None)
    if folder is None or path is None:
        raise FileNotFoundError("no unified hierarchy")
    return root / os.fsdecode(folder.lstrip(b"/")) / os.fsdecode(path.lstrip(b"/"))


def _was_continued() -> bool:
    return signal.sigtimedwait(CONTINUED, 0) is not None
