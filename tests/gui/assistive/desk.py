# SPDX-License-Identifier: GPL-3.0-or-later
"""An unattended desk: a screen, its window manager, the bus of assistive technology, and Orca."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.waiting import HANG_S, until

SCREEN = "1366x900x24"
LAUNCHER = "/usr/libexec/at-spi-bus-launcher"


@contextmanager
def running(command: list[str], log: Path, **env: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program until it is not needed any more; its output goes to a file."""
    with log.open("wb") as file, subprocess.Popen(command, stdout=file, stderr=file, env=os.environ | env) as started:
        try:
            yield started
        finally:
            started.terminate()
            try:
                started.wait(HANG_S)
            except subprocess.TimeoutExpired:
                started.kill()


@contextmanager
def screen(logs: Path) -> Iterator[None]:
    """An X server with a window manager: without one no window would get the keyboard focus."""
    readable, writable = os.pipe()
    # With -noreset it doesn't begin anew, and refuse others meanwhile, when a client leaves it alone.
    server = ["Xvfb", "-displayfd", str(writable), "-screen", "0", SCREEN, "-nolisten", "tcp", "-noreset"]
    with ExitStack() as stack:
        file = stack.enter_context((logs / "screen.log").open("wb"))
        started = stack.enter_context(subprocess.Popen(server, pass_fds=[writable], stdout=file, stderr=file))
        stack.callback(started.terminate)
        os.close(writable)
        with os.fdopen(readable) as stream:
            os.environ["DISPLAY"] = f":{stream.readline().strip()}"
        stack.enter_context(running(["matchbox-window-manager", "-use_titlebar", "no"], logs / "windows.log"))
        until(_are_windows_managed)
        yield


def _are_windows_managed() -> bool:
    """Whether the window manager is running: a window opened before it would never get the keyboard focus."""
    run = subprocess.run(["xdotool", "get_num_desktops"], capture_output=True, check=False, timeout=150)
    return run.returncode == 0


@contextmanager
def assistive(logs: Path) -> Iterator[None]:
    """The bus of assistive technology, which Qt's programs join from now on."""
    os.environ.update(QT_LINUX_ACCESSIBILITY_ALWAYS_ON="1", QT_ACCESSIBILITY="1")
    with running([LAUNCHER, "--launch-immediately", "--a11y=1"], logs / "bus.log"):
        yield


@contextmanager
def desk(logs: Path) -> Iterator[Path]:
    """All of it; yields the file in which Orca logs what it hears and says. Must run on a session bus of its own."""
    spoken = logs / "orca.log"
    os.environ["QT_QPA_PLATFORM"] = "xcb"
    with screen(logs), assistive(logs), running(["orca", f"--debug-file={spoken}"], logs / "orca.out"):
        yield spoken


@contextmanager
def window(logs: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The program; its measurement begins when the file ``go`` exists."""
    program = Path(__file__).with_name("window.py")
    command = [sys.executable, "-I", "-X", "faulthandler", str(program), str(logs / "go")]
    with running(command, logs / "window.log") as started:
        yield started
