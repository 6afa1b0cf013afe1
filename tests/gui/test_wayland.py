# SPDX-License-Identifier: GPL-3.0-or-later
"""The window on Wayland: the real compositor knows its windows, and the desktop's portal shows its file dialogs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from disktuner.gui.desktop import DESKTOP_FILE
from disktuner.vocabulary.messages import text
from tests.conftest import LoopDisk
from tests.gui.conftest import by_script


@pytest.mark.long
def test_on_wayland(loop_disk: Callable[..., LoopDisk], tmp_path: Path) -> None:
    """In processes and on a session bus of its own."""
    disk = loop_disk(size_mb=64)
    logs = tmp_path / "logs"
    logs.mkdir()
    report = by_script("wayland.py", tmp_path / "home", disk.name, logs)
    assert report["ended"] == 0, (logs / "window.log").read_text()
    window, windows = {text("app"): DESKTOP_FILE}, report["windows"]
    assert windows["disks"] == windows["measurement"] == window, "by that id the desktop finds its name and icon"
    assert len(windows["dialog"]) == 2 and set(windows["dialog"].values()) == {DESKTOP_FILE}
    assert windows["folder"] == window | {text("choose-folder"): "xdg-desktop-portal-gtk"}
    for state in windows:
        picture = QImage(str(logs / f"{state}.png"))
        colours = {picture.pixel(x, y) for x in range(0, picture.width(), 3) for y in range(0, picture.height(), 3)}
        assert len(colours) > 30, f"{state}: a page (edges of letters alone give dozens)"
