# SPDX-License-Identifier: GPL-3.0-or-later
"""One window per session, which a second start and the desktop reach by its name, on a bus of the test's own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QWidget

from disktuner.gui.geometry import Geometry
from disktuner.gui.session import Session, reach_session
from tests.gui.conftest import Show
from tests.gui.person import Visit, idle, until
from tests.gui.stand_ins import Bench

ROOT = Path(__file__).resolve().parents[2]
SECOND = f"""
import sys
sys.path.insert(0, {str(ROOT / "app")!r})
from disktuner.gui.start import main
status = main([])
print(status, "PySide6" in sys.modules)
"""
CALL = ["gdbus", "call", "--dest", "org.disktuner.Disktuner", "--object-path", "/org/disktuner/Disktuner"]
APPLICATION = "org.freedesktop.Application"


@dataclass
class Reached:
    """A window that records its calls."""

    asked: list[object] = field(default_factory=list)

    @property
    def window(self) -> Reached:
        return self

    def come_forward(self, token: str) -> None:
        self.asked.append(token)

    def open_file(self, path: Path) -> None:
        self.asked.append(path)


@pytest.fixture
def session(bus: str) -> Iterator[Session]:
    session = reach_session(bus)
    assert session is not None and session.take_name()
    yield session
    session.close()


@pytest.fixture
def reached(session: Session) -> Reached:
    running = Reached()
    session.serve(running)
    return running


def meanwhile(argv: list[str], **variables: str) -> str:
    """Run a program while the window works; return its output."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_ACTIVATION")}
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, env=environment | variables) as running:
        until(lambda: running.poll() is not None)
        assert running.returncode == 0 and running.stdout is not None
        return running.stdout.read()


def test_a_second_start_raises_the_first_window_and_is_over_before_it_loads_qt(reached: Reached, bus: str) -> None:
    output = meanwhile(
        [sys.executable, "-I", "-c", SECOND], DBUS_SESSION_BUS_ADDRESS=bus, XDG_ACTIVATION_TOKEN="token-7"
    )
    assert output == "0 False\n"
    assert reached.asked == ["token-7"]


@pytest.mark.parametrize(
    ("method", "arguments", "asked"),
    [
        ("Activate", ["{'activation-token': <'t1'>}"], ["t1"]),
        ("Activate", ["{'desktop-startup-id': <'x11'>}"], ["x11"]),
        ("Open", ["['file:///tmp/a%20b.json', 'https://nowhere/c.json']", "{}"], [Path("/tmp/a b.json"), ""]),
        ("ActivateAction", ["'anything'", "[]", "{'activation-token': <'t2'>}"], ["t2"]),
    ],
)
def test_the_desktop_reaches_the_window(
    reached: Reached, bus: str, method: str, arguments: list[str], asked: list[object]
) -> None:
    output = meanwhile([*CALL, "--address", bus, "--method", f"{APPLICATION}.{method}", *arguments])
    assert output == "()\n"
    assert reached.asked == asked


def test_once_the_first_is_closed_the_next_is_the_first(session: Session, bus: str) -> None:
    def is_first() -> bool:
        second = reach_session(bus)
        assert second is not None
        first = second.take_name()
        second.close()
        return first

    assert not is_first()
    session.close()
    until(is_first)


def test_a_first_window_that_does_not_answer_is_no_reason_to_have_none(session: Session, bus: str) -> None:
    second = reach_session(bus, limit_ms=50)
    assert second is not None
    assert not second.raise_first({}), "the first one's loop does not run meanwhile"
    second.close()


@pytest.mark.parametrize("address", [None, "unix:path=/nowhere", "nonsense"])
def test_without_a_session_bus_the_window_is_alone(address: str | None) -> None:
    assert reach_session(address) is None


def test_a_service_is_found_whether_it_runs_or_would_be_started(session: Session) -> None:
    assert session.has("org.disktuner.Disktuner")
    assert not session.has("org.disktuner.Nobody")


def test_the_window_comes_forward_from_the_task_bar(visit: Visit, bench: Bench) -> None:
    running = visit(bench).running
    running.window.showMinimized()
    running.window.come_forward("token")
    assert not running.window.isMinimized() and running.window.isVisible()
    until(running.window.isActiveWindow)
    assert "XDG_ACTIVATION_TOKEN" not in os.environ, "what is started from here is another program"


def test_a_window_has_the_size_it_had(show: Show, tmp_path: Path) -> None:
    file = tmp_path / "state" / "disktuner" / "window.conf"
    old, new, third = QWidget(), QWidget(), QWidget()
    old.resize(611, 433)
    show(old)
    Geometry(file).keep(bytes(old.saveGeometry().data()))
    assert file.parent.stat().st_mode & 0o077 == 0, "the log lies there, too, and wants its folder for itself"
    new.restoreGeometry(Geometry(file).read())
    assert new.size() == QSize(611, 433)
    show(new).showMaximized()
    Geometry(file).keep(bytes(new.saveGeometry().data()))
    third.restoreGeometry(Geometry(file).read())
    assert show(third).windowState() & Qt.WindowState.WindowMaximized


def test_what_cannot_be_read_or_written_leaves_the_window_as_it_is(tmp_path: Path) -> None:
    file, window = tmp_path / "window.conf", QWidget()
    window.resize(500, 400)
    for content in (b"", b"[window]\ngeometry=7\n", b"[window]\ngeometry=@ByteArray(nonsense)\n", b"\0\xff"):
        file.write_bytes(content)
        window.restoreGeometry(Geometry(file).read())
        assert window.size() == QSize(500, 400)
    Geometry(file / "in the way" / "window.conf").keep(b"7")
    os.mkfifo(tmp_path / "pipe")
    assert Geometry(tmp_path / "pipe").read() == b""
    Geometry(tmp_path / "pipe").keep(b"7")
    assert (tmp_path / "pipe").is_fifo(), "and nothing hangs there"


def test_the_size_is_remembered_when_the_window_is_closed(visit: Visit, bench: Bench, tmp_path: Path) -> None:
    file = tmp_path / "window.conf"
    sizes = []
    for change in (QSize(-40, -9), QSize(0, 0)):
        window = visit(bench, geometry=Geometry(file)).window
        window.resize(window.size() + change)
        sizes.append(window.size())
        window.close()
        idle()  # a thread writes it, and another reads it for the next window
    assert sizes[0] == sizes[1]
