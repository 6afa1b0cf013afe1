# SPDX-License-Identifier: GPL-3.0-or-later
"""Watches that the GUI thread is never blocked for longer than a person notices, and that no other one imports."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.abc import MetaPathFinder
from pathlib import Path

from PySide6.QtCore import QAbstractEventDispatcher

LONGEST_TURN_S = 0.05
SHARED = 1.5
"""By how much more a turn may take on a core whose other thread somebody else uses for a moment."""
USUAL_PACE_S = 0.003  # what the work of ``slowness`` takes on the machine for which the limit is meant


def slowness() -> float:
    """How many times as long as usual, at least 1, a fixed piece of work takes right now (the best of three)."""

    def once() -> float:
        began, table = time.thread_time(), {}
        for number in range(40_000):
            table[str(number)] = 2 * number
        return time.thread_time() - began

    return max(1.0, min(once() for _ in range(3)) / USUAL_PACE_S)


def waits_ns() -> dict[str, int]:
    """By thread of this process: how long it could run but had no processor, since it began."""
    found = {}
    for thread in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # it has just ended
            found[thread.name] = int((thread / "schedstat").read_text().split()[1])
    return found


class Watchdog:
    """Measures each turn of the event loop, what the test does between the turns included.

    What fails a test is the processor time of the GUI thread: waiting depends on what else the machine does. Waiting
    is kept out of this thread by design (see ``Job``); ``longest_wait_s`` reports what there was of it. As a machine
    may be slow at times, a long turn is held against how slow it is right after it.
    """

    def __init__(self, dispatcher: QAbstractEventDispatcher) -> None:
        self.longest_s = self.longest_wait_s = 0.0  # as on a machine of the usual pace
        self._began: tuple[float, float, dict[str, int]] | None = None
        self._in_test = self._slept = False
        self._own = str(threading.get_native_id())
        self._dispatcher = dispatcher
        dispatcher.awake.connect(self._awake)
        dispatcher.aboutToBlock.connect(self._rests)

    def stop(self) -> str:
        """End it; returns what was too long, or an empty text."""
        self._rests()
        self._dispatcher.awake.disconnect(self._awake)
        self._dispatcher.aboutToBlock.disconnect(self._rests)
        said = f"the GUI thread computed for {self.longest_s * 1000:.0f} ms of {LONGEST_TURN_S * 1000:.0f}"
        return said if self.longest_s > SHARED * LONGEST_TURN_S else ""

    def loop_left(self) -> None:
        """The loop has returned to the test: what the test waits for from here on is its own affair."""
        self._judge()
        self._in_test = True

    def next_turn(self) -> None:
        """The test sends an event: what follows is a turn of its own, as it is when a person does it."""
        self._judge()
        self._began, self._in_test = self._now(), True

    @contextmanager
    def looking_away(self) -> Iterator[None]:
        """What is done in here is the test's own work, nothing that the window would do."""
        self._rests()
        yield
        self._awake()
        self._in_test = True

    def _now(self) -> tuple[float, float, dict[str, int]]:
        """Processor time, time, and for how many nanoseconds each of our threads has waited for a processor."""
        return time.thread_time(), time.monotonic(), waits_ns()

    def _awake(self) -> None:
        """A turn that no sleep of the loop came before is one that the test began by itself."""
        self._began, self._in_test = self._now(), not self._slept
        self._slept = False

    def _judge(self) -> None:
        if self._began is not None:
            now = used, passed, waits = self._now()
            before_used, before, before_waits = self._began
            lacked = {thread: wait - before_waits.get(thread, 0) for thread, wait in waits.items()}
            own = lacked.pop(self._own, 0)
            used, passed = used - before_used, passed - before - (own + max(lacked.values(), default=0)) / 1e9
            if used > max(LONGEST_TURN_S, self.longest_s):
                self.longest_s = max(self.longest_s, used / slowness())
                self._began = (
                    before_used + time.thread_time() - now[0],
                    before + time.monotonic() - now[1],
                    before_waits,
                )
            if not self._in_test:
                self.longest_wait_s = max(self.longest_wait_s, passed - used)

    def _rests(self) -> None:
        self._judge()
        self._began, self._slept = None, True


class ThreadImports(MetaPathFinder):
    """Put first into ``sys.meta_path``: ``found`` has the modules that another than the main thread imported."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def find_spec(self, name: str, *_: object) -> None:
        """Codecs don't count: Python imports them for itself."""
        if threading.get_ident() != threading.main_thread().ident and not name.startswith("encodings."):
            self.found.append(name)
