# SPDX-License-Identifier: GPL-3.0-or-later
"""One dressed application; a person's actions on a window; nothing of a window may survive its test."""

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
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from disktuner.block.disk import Disk, Mount
from disktuner.comparison.continuing import still_there
from disktuner.gui.application import Application
from disktuner.gui.instruments import load_judging
from disktuner.gui.main import dress
from disktuner.gui.measurement.result_page import ResultPage
from disktuner.gui.widgets.layout import column
from disktuner.presentation import present
from disktuner.results.model import Result
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Verdict
from tests.gui.person import Person, Visit, idle, until
from tests.gui.stand_ins import Bench, disk, some_disks
from tests.gui.watchdog import ThreadImports
from tests.private_bus import private_bus
from tests.waiting import HANG_S

Show = Callable[[QWidget], QWidget]
PageOf = Callable[..., ResultPage]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Allow messages that only the offscreen platform logs, about fixed-size windows and menus."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            noise = ("propagateSizeHints", "does not support (raise|grabbing)")
            item.add_marker(pytest.mark.qt_log_ignore(*noise, extend=True))


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
    """Collect cycles in the GUI thread alone, as the application does; no other thread may import."""
    imports = ThreadImports()
    monkeypatch.setattr(sys, "meta_path", [imports, *sys.meta_path])
    gc.disable()
    yield
    gc.enable()
    assert imports.names == []


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(some_disks(tmp_path), kept=tmp_path / "kept")


@pytest.fixture
def other(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Disk:
    """A second measurable disk, beside those of the bench."""
    folder = str(tmp_path_factory.mktemp("other"))
    mount = Mount(folder, "ext4", "/dev/sdc1", ("sdc1",), 10**12, 300 * 10**9)
    hard_disk = disk("sdc", diskseq=12, model="Seagate Barracuda", serial="Z2", wwn="0x6", mounts=(mount,))
    bench.disks = (*bench.disks, hard_disk)
    return hard_disk


@pytest.fixture
def visit(dressed: QApplication) -> Iterator[Visit]:
    """Opens the window on a bench for a person; closes it as a person does, and finds what was left."""
    threads, opened = set(threading.enumerate()), []

    def open_(bench: Bench, *, settled: bool = True, **options: Any) -> Person:
        running = Application(
            bench.sources(), **{"try_s": HANG_S} | options
        )  # no try is over because of a slow machine
        opened.append(running)
        running.start()
        until(lambda: running.ready)
        if settled:
            idle()
        assert bool(running.state.disks) == bool(bench.disks)
        return Person(running)

    yield open_
    for running in opened:
        close(running)
    idle()
    # The recorder's ends by itself. A QThread that asked for its name is listed for ever: those are the jobs above.
    until(
        lambda: not {thread for thread in set(threading.enumerate()) - threads if not thread.name.startswith("Dummy-")}
    )


@pytest.fixture
def person(visit: Visit, bench: Bench) -> Person:
    """A person at a window on the bench."""
    return visit(bench)


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
    def shown(widget: QWidget) -> QWidget:
        show(widget).activateWindow()
        until(widget.isActiveWindow)
        idle()
        return widget

    return shown


class Nobody:
    """Replaces the shell, for a page that asks nothing of it."""

    notified = stale = alternated = SimpleNamespace(emit=lambda *_: None, connect=lambda *_: None)

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_: None


@pytest.fixture
def page_of(focused: Show) -> PageOf:
    """A result's page above its buttons, in a window that has the focus."""

    def shown(
        result_: Result, verdict: Callable[[Result], Verdict] = judge, disks: Sequence[Disk] = (disk(),)
    ) -> ResultPage:
        path, find = Path("/a/result.json"), partial(still_there, disks)
        page = ResultPage(present(result_, verdict(result_)), Nobody(), find, disks=disks, path=path)
        window = QWidget()
        window.setLayout(column(page, page.foot))
        focused(window)
        page.first.setFocus()
        return page

    return shown


def close(running: Application) -> None:
    """Close the window, whatever is running, and delete it."""
    if not running.window.close():
        assert running.window.question is not None
        running.window.question.accept()
    assert not running.window.isVisible()
    running.window.deleteLater()
    running.deleteLater()


def by_script(name: str, home: Path, *arguments: str | Path) -> dict[str, Any]:
    """Return what a script of assistive/ printed, in a session of its own."""
    home.mkdir(mode=0o700)
    script = Path(__file__).parent / "assistive" / name
    command = ["dbus-run-session", "--", sys.executable, "-I", str(script), *map(str, arguments)]
    env = os.environ | {"HOME": str(home), "XDG_RUNTIME_DIR": str(home)}
    run = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=900)
    assert run.returncode == 0, run.stderr
    return dict(json.loads(run.stdout.splitlines()[-1]))


@contextmanager
def services(bus: str, *chosen: Path) -> Iterator[subprocess.Popen[str]]:
    """A desktop's services on its buses, in a process of its own; with file dialogs if their answer is given."""
    argv = [sys.executable, Path(__file__).with_name("services.py"), bus, *chosen]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as running:
        assert running.stdout is not None and running.stdout.readline() == "ready\n"
        try:
            yield running
        finally:
            running.terminate()


def tell(running: subprocess.Popen[str], line: str) -> None:
    """Have the services do something."""
    running.stdin.write(f"{line}\n")


@pytest.fixture
def bus(tmp_path: Path) -> Iterator[str]:
    """The address of a bus with no services, neither running nor activatable."""
    with private_bus(tmp_path) as address:
        yield address
