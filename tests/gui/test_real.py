# SPDX-License-Identifier: GPL-3.0-or-later
"""The window on a real disk, with the real helper, polkit and comparison."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from disktuner.block.disk import Disk
from disktuner.block.system import System
from disktuner.gui.application import Application
from disktuner.gui.sources import real_sources
from tests.conftest import LoopDisk

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)


def test_real_comparison_from_card_to_applied_and_back(
    loop_disk: Callable[..., LoopDisk], qtbot: QtBot, dressed: QApplication, tmp_path: Path
) -> None:
    """On a real loop disk: compared, its picture saved, another scheduler used, and back; nothing is left."""
    loop = loop_disk(size_mb=6144)
    before, threads = loop.scheduler, set(threading.enumerate())
    running = Application(replace(real_sources(), read_disks=lambda: _only(loop)))
    window = running.window
    running.start()
    qtbot.waitUntil(lambda: running.disks.find(loop.name) is not None and not running._jobs, timeout=30000)
    running.find_best(loop.name)
    wizard = window.wizard
    assert wizard is not None
    wizard.next()
    wizard.where_page.use_folder(str(loop.folder))
    page = wizard.where_page
    qtbot.waitUntil(lambda: wizard.next_button.isEnabled() or page.notice.property("notice") == "bad", timeout=60000)
    assert wizard.next_button.isEnabled(), page.notice.text
    qtbot.mouseClick(wizard.next_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: wizard.running_page._bar.value() > 1, timeout=60000)
    window.grab().save(str(tmp_path / "running.png"))
    wizard.cancel()
    qtbot.waitUntil(lambda: window.wizard is None, timeout=5000)
    assert loop.scheduler == before
    assert not [path for path in loop.folder.iterdir() if path.name != "lost+found"]
    running.actions.use(_only(loop)[0], "bfq")
    qtbot.waitUntil(lambda: loop.scheduler == "bfq", timeout=20000)
    card = window.disks_page.card(loop.name)
    qtbot.waitUntil(lambda: card._chip.text() == "bfq" and card._back.isVisible(), timeout=5000)
    qtbot.mouseClick(card._back, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: loop.scheduler == before, timeout=20000)
    qtbot.waitUntil(lambda: before in window.notice.text, timeout=5000)
    window.close()
    qtbot.wait(300)
    window.deleteLater()
    assert {thread.name for thread in threading.enumerate()} <= {thread.name for thread in threads} | {"gmain", "gdbus"}


def _only(loop: LoopDisk) -> tuple[Disk, ...]:
    return (System().disk(loop.name),)
