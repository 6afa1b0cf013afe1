# SPDX-License-Identifier: GPL-3.0-or-later
"""One dressed application; a watchdog on the GUI thread; nothing of a window may survive its test."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractEventDispatcher
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from disktuner.gui.application import Application, dress
from tests.gui.stand_ins import Bench, some_disks

LONGEST_TURN_S = 0.05
USUAL_PACE_S = 0.003  # what ``pace`` takes on the machine for which the limit is meant


def pace() -> float:
    """Processor time of a fixed piece of work: how slow this machine is right now (the best of three)."""

    def once() -> float:
        began, table = time.thread_time(), {}
        for number in range(40_000):
            table[str(number)] = 2 * number
        return time.thread_time() - began

    return min(once() for _ in range(3))


@pytest.fixture(scope="session")
def qapp_args() -> list[str]:
    return ["disktuner", "-platform", "offscreen"]


@pytest.fixture(scope="session")
def dressed(qapp: QApplication) -> QApplication:
    dress(qapp)
    return qapp


class Watchdog:
    """Measures each turn of the event loop as processor time of the GUI thread: other load must not fail a test.

    What only waits (a lock, a file) is not in it; such waiting is kept out of this thread by its design, as ``Job``.
    """

    def __init__(self, dispatcher: QAbstractEventDispatcher) -> None:
        self.longest_s = 0.0
        self._began_s: float | None = None
        self._dispatcher = dispatcher
        dispatcher.awake.connect(self._awake)
        dispatcher.aboutToBlock.connect(self._rests)

    def stop(self) -> None:
        self._dispatcher.awake.disconnect(self._awake)
        self._dispatcher.aboutToBlock.disconnect(self._rests)

    def _awake(self) -> None:
        self._began_s = time.thread_time()

    def _rests(self) -> None:
        if self._began_s is not None:
            self.longest_s = max(self.longest_s, time.thread_time() - self._began_s)
        self._began_s = None


@pytest.fixture
def watchdog(dressed: QApplication) -> Iterator[Watchdog]:
    made = Watchdog(QAbstractEventDispatcher.instance())
    yield made
    made.stop()
    limit_s = LONGEST_TURN_S * max(1.0, pace() / USUAL_PACE_S)
    said = f"one turn of the GUI thread computed for {made.longest_s * 1000:.0f} ms of {limit_s * 1000:.0f}"
    assert made.longest_s <= limit_s, said


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(some_disks(tmp_path), kept=tmp_path / "kept")


@pytest.fixture
def opened(qtbot: QtBot, dressed: QApplication, watchdog: Watchdog) -> Iterator[Callable[[Bench], Application]]:
    """Opens the window on a bench, with everything loaded; ends it, and finds threads that were left."""
    threads, made = set(threading.enumerate()), []

    def open_(bench: Bench) -> Application:
        running = Application(bench.sources())
        made.append(running)
        running.start()
        qtbot.waitUntil(lambda: not running._jobs and running._stop_watching is not None, timeout=20000)
        qtbot.waitUntil(lambda: bool(running.disks.rowCount()) or not bench.disks, timeout=5000)
        qtbot.wait(60)
        # Imports in the background hold the interpreter's lock: what comes after them is judged.
        watchdog.longest_s = 0.0
        return running

    yield open_
    for running in made:
        wizard = running.window.wizard
        if wizard is not None:
            wizard.stop()
            qtbot.waitUntil(lambda wizard=wizard: not wizard.busy, timeout=5000)
        running.window.close()
        running.window.deleteLater()
        running.deleteLater()
    qtbot.wait(20)
    for running in made:
        assert not running._jobs
    # A QThread that asked for its name is listed for ever, also after its end: those are the jobs above.
    assert not {each for each in set(threading.enumerate()) - threads if not each.name.startswith("Dummy-")}
