# SPDX-License-Identifier: GPL-3.0-or-later
"""`./dev run` as root on a screen: access of root to it is passed on to the user as whom the window runs."""

from __future__ import annotations

import os
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Sudo

CHECKOUT = Path(__file__).resolve().parents[2]
KEY = b"0123456789abcdef"
UNSHARE = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--propagation", "private"]
SHOWS = """
import os
from PySide6.QtGui import QGuiApplication
application = QGuiApplication([])
print(os.getuid() != 0, application.platformName())
"""


@pytest.fixture
def screen(sudo: Sudo, tmp_path: Path) -> Iterator[dict[str, str]]:
    """The variables of an X server that admits only root."""
    authority, cookie = tmp_path / "server.auth", tmp_path / "root.auth"
    # Of any host and any display; as Xau(3) has it.
    parts = (b"", b"", b"MIT-MAGIC-COOKIE-1", KEY)
    authority.write_bytes(b"\xff\xff" + b"".join(struct.pack(">H", len(part)) + part for part in parts))
    sudo("install", "-m", "600", authority, cookie)
    readable, writable = os.pipe()
    argv = ["Xvfb", "-displayfd", str(writable), "-auth", str(authority), "-nolisten", "tcp", "-noreset"]
    with subprocess.Popen(argv, pass_fds=[writable], stderr=subprocess.DEVNULL) as server:
        os.close(writable)
        with os.fdopen(readable) as stream:
            yield {"DISPLAY": f":{stream.readline().strip()}", "XAUTHORITY": str(cookie)}
        server.terminate()
    sudo("rm", "-f", cookie)


def as_root(sudo: Sudo, **variables: str) -> str:
    """Return the private system's user's view of the screen, if root has these variables."""
    private = sudo("mktemp", "-d").strip()
    assignments = [f"{name}={value}" for name, value in variables.items()]
    program = [CHECKOUT / "packaging/private-system", "run", private, CHECKOUT, "/tmp", "", "-"]
    try:
        return sudo("env", *assignments, *UNSHARE, *program, "python", "-I", "-c", SHOWS)
    finally:
        sudo("rmdir", private)


def test_root_lends_its_screen(sudo: Sudo, screen: dict[str, str]) -> None:
    closed = {"XDG_RUNTIME_DIR": "/root", "WAYLAND_DISPLAY": "wayland-0"}
    for variables in (screen, screen | closed):
        assert as_root(sudo, **variables) == "True xcb\n"


def test_a_screen_that_cannot_be_lent_is_a_sentence(sudo: Sudo) -> None:
    with pytest.raises(AssertionError, match="as the user who is logged in there"):
        as_root(sudo, XDG_RUNTIME_DIR="/root", WAYLAND_DISPLAY="wayland-0")
