# SPDX-License-Identifier: GPL-3.0-or-later
"""How long what is measured may take: a run that takes longer is not waited for, since that much is known then."""

from __future__ import annotations

import time

from disktuner.workloads.processes import Processes
from disktuner.workloads.workload import Measurement

_LOOK_S, _END_S = 0.002, 1.0


class Aborted(Exception):
    """What is measured takes longer than it is waited for. Attributes: ``took_s`` is how long it took until then."""

    def __init__(self, took_s: float) -> None:
        super().__init__(took_s)
        self.took_s = took_s


class Deadline:
    """Begins when it is made, and is over after ``abort_after_s``."""

    def __init__(self, processes: Processes, abort_after_s: float) -> None:
        self._processes, self._abort_after_s = processes, abort_after_s
        self._began = time.monotonic()

    @property
    def spent_s(self) -> float:
        """The seconds since it began."""
        return time.monotonic() - self._began

    def check(self) -> None:
        """Raise ``Aborted`` when it is over, or ``Cancelled``."""
        self._processes.check()
        if (took_s := self.spent_s) > self._abort_after_s:
            raise Aborted(took_s)

    def pause(self) -> None:
        """Wait for a moment. Raises as ``check`` does."""
        self.check()
        self._processes.pause(_LOOK_S)

    def until_ended(self, pid: int) -> None:
        """Return when a program has ended. When it is over before, end the program and raise ``Aborted``.

        A program that the kernel holds in a request goes on for that long.
        """
        try:
            while not self._processes.ended(pid):
                self.pause()
        except Aborted:
            self._processes.end(pid)
            until_s = time.monotonic() + _END_S
            while not self._processes.ended(pid) and time.monotonic() < until_s:
                self._processes.pause(_LOOK_S)
            raise


def at_least(took_s: float, metric: str = "wall_s") -> Measurement:
    """Return what a run yields that was ended after so long."""
    return Measurement({metric: took_s}, took_s, cut_short=True)
