# SPDX-License-Identifier: GPL-3.0-or-later
"""Watches that the GUI thread does nothing that may block, and that no other thread imports."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from pathlib import Path
from types import FrameType

BLOCKING = {"subprocess.Popen", "socket.connect", "time.sleep", "os.system", "os.listdir", "os.scandir", "glob.glob"}
"""Calls that wait for something else, by Python's audit events."""
SLOW_PLACES = ("/sys/", "/proc/", "/dev/", "/run/udev/")
"""The kernel makes these files when they are read: a broken disk keeps their reader waiting."""


class Blocking:
    """Counts blocking calls in this thread, while ``watching``: ``calls`` says what, and which line of the program did
    it.
    """

    def __init__(self) -> None:
        self.calls: list[str] = []
        self._thread: int | None = None
        sys.addaudithook(self._hear)  # for ever: there is no way to take one back

    @contextmanager
    def watching(self) -> Iterator[list[str]]:
        """Watch from here on; calls outside are not counted."""
        self._thread = threading.get_ident()
        try:
            yield self.calls
        finally:
            self._thread = None

    def _hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if self._thread != threading.get_ident():
            return
        is_slow = event in BLOCKING or (event == "open" and str(arguments[0]).startswith(SLOW_PLACES))
        if is_slow and (line := _line_of_program()):
            self.calls.append(f"{event} {arguments[:1]} by {line}")


def _line_of_program() -> str:
    """Return the program's line that did it; empty if it was the test, whose own sleeps Python 3.13 reports."""
    frame: FrameType | None = sys._getframe()
    while frame is not None and "/app/disktuner" not in frame.f_code.co_filename:
        frame = frame.f_back
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}" if frame else ""


class ThreadImports(MetaPathFinder):
    """Put first into ``sys.meta_path``: ``names`` lists the modules that other threads than the main one imported."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def find_spec(self, name: str, *_: object) -> None:
        """Codecs don't count: Python imports them for itself."""
        if threading.get_ident() != threading.main_thread().ident and not name.startswith("encodings."):
            self.names.append(name)
