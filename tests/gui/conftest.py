# SPDX-License-Identifier: GPL-3.0-or-later
"""One dressed application; a watchdog on the GUI thread; nothing of a window may survive its test."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractEventDispatcher, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from disktuner.gui.application import Application, dress
from disktuner.gui.libraries import load_drawing, load_judging
from tests.gui.stand_ins import Bench, some_disks
from tests.gui.watchdog import ThreadImports, Watchdog


@pytest.fixture(scope="session")
def qapp_args() -> list[str]:
    return ["disktuner", "-platform", "offscreen"]


@pytest.fixture(scope="session")
def dressed(qapp: QApplication) -> QApplication:
    dress(qapp)
    # The first page that needs a library imports it, which takes longer than a turn may take: done before, here.
    load_judging()
    load_drawing()
    import pyqtgraph  # noqa: F401

    return qapp


@pytest.fixture(autouse=True)
def watchdog(dressed: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watchdog]:
    """On each test of the window: fails it where a turn of the GUI thread was too long, or a thread imported."""
    # What the tests have made so far is nothing that a window's collector of cycles would go through.
    gc.collect()
    gc.freeze()
    made = Watchdog(QAbstractEventDispatcher.instance())
    watch_events(made, monkeypatch)
    wait = QtBot.wait

    def wait_and_tell(bot: QtBot, ms: int) -> None:
        wait(bot, ms)
        made.loop_left()

    monkeypatch.setattr(QtBot, "wait", wait_and_tell)
    imports = ThreadImports()
    monkeypatch.setattr(sys, "meta_path", [imports, *sys.meta_path])
    yield made
    assert made.stop() == ""
    assert imports.found == []


def click(qtbot: QtBot, widget: QWidget) -> None:
    """Press what can be pressed."""
    assert widget.isEnabled()
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


@pytest.fixture
def any_time(watchdog: Watchdog) -> None:
    """Pages are made here by the dozen or hundred: how long a turn takes is the other tests' concern."""
    watchdog.stop = lambda: ""  # type: ignore[method-assign]


def watch_events(made: Watchdog, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each press of a key or button begins a turn."""
    for name in ("mousePress", "mouseRelease", "mouseClick", "mouseDClick", "keyPress", "keyRelease", "keyClick"):
        send = getattr(QtBot, name)

        def watched(*given: object, send: Callable[..., object] = send, **named: object) -> None:
            made.next_turn()
            send(*given, **named)
            made.next_turn()

        monkeypatch.setattr(QtBot, name, staticmethod(watched))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(some_disks(tmp_path), kept=tmp_path / "kept")


@pytest.fixture
def opened(qtbot: QtBot, dressed: QApplication) -> Iterator[Callable[[Bench], Application]]:
    """Opens the window on a bench, with everything loaded; ends it, and finds threads that were left."""
    threads, made = set(threading.enumerate()), []

    def open_(bench: Bench) -> Application:
        running = Application(bench.sources())
        made.append(running)
        running.start()
        qtbot.waitUntil(
            lambda: running.ready and not running._jobs and running._stop_watching is not None, timeout=20000
        )
        qtbot.waitUntil(lambda: bool(running.disks.disks) or not bench.disks, timeout=5000)
        qtbot.wait(60)
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


@pytest.fixture
def bus() -> Iterator[str]:
    """The address of a bus with nobody on it."""
    argv = ["dbus-daemon", "--session", "--nofork", "--print-address"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as daemon:
        assert daemon.stdout is not None
        yield daemon.stdout.readline().strip()
        daemon.terminate()
