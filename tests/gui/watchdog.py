# SPDX-License-Identifier: GPL-3.0-or-later
"""Watches that the GUI thread does nothing that may block, and that no other one imports."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from pathlib import Path
from types import FrameType

BLOCKING = {"subprocess.Popen", "socket.connect", "time.sleep", "os.system", "os.listdir", "os.scandir", "glob.glob"}
"""What waits for somebody else, by the names of Python's audit events."""
SLOW_PLACES = ("/sys/", "/proc/", "/dev/", "/run/udev/")
"""Here each file is made by the kernel when it is read: a broken disk keeps its reader waiting."""


class Blocking:
    """Counts what blocks, in this thread, while ``watching``: ``found`` says what, and who of the program did it."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self._thread: int | None = None
        sys.addaudithook(self._hear)  # for ever: there is no way to take one back

    @contextmanager
    def watching(self) -> Iterator[list[str]]:
        """From here on; what comes while it is left is not counted."""
        self._thread = threading.get_ident()
        try:
            yield self.found
        finally:
            self._thread = None

    def _hear(self, event: str, given: tuple[object, ...]) -> None:
        if self._thread != threading.get_ident():
            return
        is_slow = event in BLOCKING or (event == "open" and str(given[0]).startswith(SLOW_PLACES))
        if is_slow and (line := _line_of_program()):
            self.found.append(f"{event} {given[:1]} by {line}")


def _line_of_program() -> str:
    """The line of the program that did it; none where it was the test, whose own sleeps Python 3.13 tells."""
    frame: FrameType | None = sys._getframe()
    while frame is not None and "/app/disktuner/" not in frame.f_code.co_filename:
        frame = frame.f_back
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}" if frame else ""


class ThreadImports(MetaPathFinder):
    """Put first into ``sys.meta_path``: ``found`` has the modules that another than the main thread imported."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def find_spec(self, name: str, *_: object) -> None:
        """Codecs don't count: Python imports them for itself."""
        if threading.get_ident() != threading.main_thread().ident and not name.startswith("encodings."):
            self.found.append(name)
