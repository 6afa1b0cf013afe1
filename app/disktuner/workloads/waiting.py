# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds started programs back until everything is there, and waits for them no longer than they may take."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from disktuner.workloads.errors import Aborted
from disktuner.workloads.processes import Processes

READY_S = 60.0
LOOK_S = 0.002


@contextmanager
def held(
    processes: Processes,
    argvs: Sequence[Sequence[str]],
    folder: Path,
    fds: tuple[int, ...] = (),
    **how: Any,
) -> Iterator[tuple[int, ...]]:
    """Start programs that wait for the end of their standard input, which comes when the context is left.

    It is entered when each has printed that it is ready, or has ended. ``how`` is as for ``Processes.start``.
    """
    stdin, kept = os.pipe2(os.O_CLOEXEC)
    with os.fdopen(stdin), os.fdopen(kept, "w"):
        pids = tuple(processes.start(argv, folder, stdin, fds, **how) for argv in argvs)
        until_s = time.monotonic() + READY_S
        for pid in pids:
            while not processes.printed(pid) and not processes.ended(pid) and time.monotonic() < until_s:
                processes.pause(LOOK_S)
        yield pids


class Deadline:
    """Begins when it is made, and is over after ``abort_after_s``."""

    def __init__(self, processes: Processes, abort_after_s: float) -> None:
        self._processes, self._abort_after_s = processes, abort_after_s
        self._began = time.monotonic()

    @property
    def spent_s(self) -> float:
        """The seconds since it began."""
        return time.monotonic() - self._began

    @property
    def left_s(self) -> float:
        """The seconds until it is over."""
        return self._abort_after_s - self.spent_s

    def check(self) -> None:
        """Raise ``Aborted`` when it is over, or ``Cancelled``."""
        self._processes.check()
        if self.left_s < 0:
            raise Aborted(self.spent_s)
