# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the disks in a process of its own, on another processor, while this one loads Qt."""

from __future__ import annotations

import importlib
import os
import pickle
import select
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from disktuner.block.disk import Disk

_MOST_WAIT_S = 0.04
"""Qt takes longer to load than the disks to be read; a disk that hangs must not keep the window away."""


class FirstLook:
    """The disks as they were when the program started. Make it before there are threads: it forks.

    ``read`` is called in the new process; where it fails or takes too long, ``disks`` is None and whoever needs the
    disks reads them again, and says what is wrong.
    """

    def __init__(self, read: Callable[[], Sequence[Disk]]) -> None:
        self._pipe, theirs = os.pipe()
        self._child = os.fork()
        if self._child == 0:
            _tell(read, theirs)
        os.close(theirs)

    def disks(self, most_wait_s: float = _MOST_WAIT_S) -> Sequence[Disk] | None:
        """Ask once."""
        told = self._received(time.monotonic() + most_wait_s)
        os.close(self._pipe)
        if told is None:  # it may hang in the kernel, where nothing can end it: nobody waits but a thread
            threading.Thread(target=os.waitpid, args=(self._child, 0), daemon=True).start()
            return None
        _, failure = os.waitpid(self._child, 0)
        disks: Sequence[Disk] | None = None if failure else pickle.loads(told)  # noqa: S301 - told by our own fork
        return disks

    def _received(self, until_s: float) -> bytes | None:
        """All that was told, or None where that is not all there is."""
        told = b""
        while select.select([self._pipe], [], [], max(0.0, until_s - time.monotonic()))[0]:
            part = os.read(self._pipe, 1 << 16)
            if not part:
                return told
            told += part
        return None


def _tell(read: Callable[[], Sequence[Disk]], pipe: int) -> None:
    """In the new process: never returns, and runs nothing that the old one wanted to run at its end."""
    failure = 1
    try:
        told = memoryview(pickle.dumps(tuple(read())))
        while told:
            told = told[os.write(pipe, told) :]
        failure = 0
    finally:
        os._exit(failure)


def read_disks() -> Sequence[Disk]:
    """The disks of this machine, by modules that are loaded for it."""
    disks: Sequence[Disk] = importlib.import_module("disktuner.block.system").System().disks()
    return disks
