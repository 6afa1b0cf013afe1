# SPDX-License-Identifier: GPL-3.0-or-later
"""One dressed application; what a person does to a window; nothing of a window may survive its test."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from disktuner.block.disk import Disk
from disktuner.comparison.continuing import still_there
from disktuner.gui.application import Application
from disktuner.gui.main import dress
from disktuner.gui.measuring import load_judging
from disktuner.gui.widgets.layout import column
from disktuner.gui.wizard.result_page import ResultPage
from disktuner.presentation import present
from disktuner.results.model import Result
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Verdict
from tests.gui.person import Person, Visit, idle, until
from tests.gui.stand_ins import Bench, disk, some_disks
from tests.gui.watchdog import ThreadImports
from tests.waiting import HANG_S

Show = Callable[[QWidget], QWidget]
PageOf = Callable[..., ResultPage]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Only the offscreen platform says such things, of windows with a size of their own and of menus."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            said = ("propagateSizeHints", "does not support (raise|grabbing)")
            item.add_marker(pytest.mark.qt_log_ignore(*said, extend=True))


@pytest.fixture(scope="session")
def qapp_args() -> list[str]:
    return ["disktuner", "-platform", "offscreen"]


@pytest.fixture(scope="session")
def dressed(qapp: QApplication) -> QApplication:
    dress(qapp)
    # The first page that needs a library imports it: done before, so that no test has that in its time.
    load_judging()
    import pyqtgraph  # noqa: F401

    return qapp


@pytest.fixture(autouse=True)
def _as_the_application(dressed: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Cycles are collected in the GUI thread alone, as the application has it, and no other thread imports."""
    imports = ThreadImports()
    monkeypatch.setattr(sys, "meta_path", [imports, *sys.meta_path])
    gc.disable()
    yield
    gc.enable()
    assert imports.found == []


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(some_disks(tmp_path), kept=tmp_path / "kept")


@pytest.fixture
def visit(dressed: QApplication) -> Iterator[Visit]:
    """Opens the window on a bench for somebody in front of it; closes it as a person does, and finds what was left."""
    threads, made = set(threading.enumerate()), []

    def open_(bench: Bench, *, settled: bool = True, **given: Any) -> Person:
        running = Application(bench.sources(), **{"try_s": HANG_S} | given)  # no try is over because of a slow machine
        made.append(running)
        running.start()
        until(lambda: running.ready)
        if settled:
            idle()
        assert bool(running.state.disks) == bool(bench.disks)
        return Person(running)

    yield open_
    for running in made:
        close(running)
    idle()
    # A QThread that asked for its name is listed for ever, also after its end: those are the jobs above.
    assert not {each for each in set(threading.enumerate()) - threads if not each.name.startswith("Dummy-")}


@pytest.fixture
def show(qtbot: QtBot) -> Show:
    """Shows a widget until the end of the test: qtbot only knows it weakly, and the application collects cycles."""

    def shown(widget: QWidget) -> QWidget:
        qtbot.addWidget(widget, before_close_func=lambda _: widget.hide())
        widget.show()
        return widget

    return shown


@pytest.fixture
def focused(show: Show) -> Show:
    """Shows it with the keyboard."""

    def shown(widget: QWidget) -> QWidget:
        show(widget).activateWindow()
        until(widget.isActiveWindow)
        idle()
        return widget

    return shown


class Wanted:
    """Intents that are only noted: ``asked`` holds what was wanted, with what."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, tuple[object, ...]]] = []

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *given: self.asked.append((name, given))


@pytest.fixture
def page_of(show: Show) -> PageOf:
    """A result's page above its buttons, in a window that has the focus."""

    def shown(
        found: Result, verdict: Callable[[Result], Verdict] = judge, disks: Sequence[Disk] = (disk(),)
    ) -> ResultPage:
        path, find = Path("/a/result.json"), partial(still_there, disks)
        page = ResultPage(present(found, verdict(found)), Wanted(), find, disks=disks, path=path)
        window = QWidget()
        window.setLayout(column(page, page.foot))
        show(window).activateWindow()
        until(window.isActiveWindow)
        page.first.setFocus()
        return page

    return shown


def close(running: Application) -> None:
    """Close the window, whatever goes on, and take it down."""
    if not running.window.close():
        assert running.window.question is not None
        running.window.question.accept()
    assert not running.window.isVisible()
    running.window.deleteLater()
    running.deleteLater()


def by_script(name: str, home: Path, *arguments: str | Path) -> dict[str, Any]:
    """What a script of assistive/ found, in a session of its own."""
    home.mkdir(mode=0o700)
    script = Path(__file__).parent / "assistive" / name
    command = ["dbus-run-session", "--", sys.executable, "-I", str(script), *map(str, arguments)]
    env = os.environ | {"HOME": str(home), "XDG_RUNTIME_DIR": str(home)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout.splitlines()[-1]))


@contextmanager
def services(bus: str, *chosen: Path) -> Iterator[subprocess.Popen[str]]:
    """What a desktop has on its buses, in a process of its own; with file dialogs if it is said what is chosen."""
    argv = [sys.executable, Path(__file__).with_name("services.py"), bus, *chosen]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as running:
        assert running.stdout is not None and running.stdout.readline() == "ready\n"
        try:
            yield running
        finally:
            running.terminate()


def tell(running: subprocess.Popen[str], line: str) -> None:
    """Have the services do something."""
    assert running.stdin is not None
    running.stdin.write(f"{line}\n")


ALONE = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen>
<policy context="default"><allow send_destination="*"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>"""


@pytest.fixture
def bus(tmp_path: Path) -> Iterator[str]:
    """The address of a bus with nobody on it, and nobody who would be started for it."""
    (tmp_path / "bus.conf").write_text(ALONE)
    argv = ["dbus-daemon", f"--config-file={tmp_path}/bus.conf", "--nofork", "--print-address"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as daemon:
        assert daemon.stdout is not None
        yield daemon.stdout.readline().strip()
        daemon.terminate()
