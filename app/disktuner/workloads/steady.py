# SPDX-License-Identifier: GPL-3.0-or-later
"""One writer that never pauses: it overwrites its file from the beginning when all of it is written."""

from __future__ import annotations

import math
from pathlib import Path

from disktuner.workloads import background
from disktuner.workloads.errors import RunFailed
from disktuner.workloads.load import LEAD_BYTES, SOURCE_BYTES, counter
from disktuner.workloads.processes import Processes
from disktuner.workloads.source import Source
from disktuner.workloads.spec import LARGEST
from disktuner.workloads.workload import MIB, own_program

READY_S = 10.0
FILE = "steady.out"


class SteadyWriter:
    """Writes a file of ``size_bytes`` in a scratch folder over and over, as a big copy does.

    ``processes`` are its own: all others end with each run. ``source`` has at least ``SOURCE_BYTES``.
    """

    def __init__(self, folder: Path, size_bytes: int, source: Source, processes: Processes) -> None:
        self._folder, self._size_bytes = folder, size_bytes - size_bytes % MIB
        self._source, self._processes = source, processes
        self._pid, self._offset = 0, 0

    @property
    def bytes_written(self) -> int:
        """What it has given to the kernel since it began."""
        return counter(self._pid, "wchar") if self._pid else 0

    def start(self) -> None:
        """Start it unless it goes on; what it writes is different each time. Raises ``RunFailed`` if it failed."""
        if self._pid:
            return
        self._offset = (self._offset + 1) % (SOURCE_BYTES - MIB)
        with self._source.opened() as data:
            figures = (LARGEST, math.inf, min(LEAD_BYTES, self._size_bytes // 2), self._offset, data, self._size_bytes)
            argv = own_program(Path(background.__file__), FILE, *figures)
            with self._processes.held([argv], self._folder, (data,)) as (self._pid,):
                pass

    def check(self) -> None:
        """Raise ``RunFailed`` if it has ended by itself."""
        if self._pid and self._processes.ended(self._pid):
            pid, self._pid = self._pid, 0
            self._processes.wait(pid, READY_S)
            raise RunFailed("steady-writer-ended")

    def stop(self) -> None:
        """End it at once."""
        self._pid = 0
        self._processes.end_all()
