# SPDX-License-Identifier: GPL-3.0-or-later
"""A raw disk that udisks opens for reading: polkit asks a person, so that this program needs no rights."""

# ruff: noqa: PLC0415 - GLib is slow to load, and only who reads a raw disk needs it

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.messages import Message, message
from disktuner.workloads.processes import Processes


class RawDisk:
    """The only disk below a folder, opened on first use, which took ``waited_s`` including a password."""

    def __init__(self, disks: Sequence[str] = ()) -> None:
        self._disks = tuple(disks)
        self._fd = -1
        self.waited_s = 0.0

    def open(self, processes: Processes) -> int:
        """Return its descriptor. Raises ``MeasurementImpossible``, ``NotAuthorised``, ``Cancelled``."""
        if self._fd < 0:
            from disktuner.udisks import opened

            if refused := unknown(self._disks):
                raise MeasurementImpossible.of(refused)
            began = time.monotonic()
            self._fd = opened(self._disks[0], processes.pause)
            self.waited_s += time.monotonic() - began
        return self._fd

    def close(self) -> None:
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)


def unknown(disks: Sequence[str]) -> Message | None:
    """Return why udisks cannot open the disks below a folder; None if there is one disk that it knows."""
    if len(disks) != 1:
        return message("raw-read-several-disks", disks=tuple(disks)) if disks else message("raw-read-no-disk")
    from disktuner.udisks import knows

    return None if knows(disks[0]) else message("udisks-does-not-know-disk", disk=disks[0])
