# SPDX-License-Identifier: GPL-3.0-or-later
"""The window on this machine's real disks follows what the kernel tells of disks that come and go."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from disktuner.block.disk import Disk
from disktuner.gui.application import Application
from disktuner.gui.sources import real_sources
from tests.conftest import LoopDisk, Sudo

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)
LIMIT_MS = 20_000


@pytest.fixture
def told() -> list[str]:
    """What the window did, in order: ``read`` the disks, begin to ``watch``."""
    return []


@pytest.fixture
def running(qtbot: QtBot, dressed: QApplication, told: list[str]) -> Iterator[Application]:
    """The window of this machine, loaded and listening."""
    real = real_sources()

    def read_disks() -> Sequence[Disk]:
        told.append("read")
        return real.read_disks()

    def watch(changed: Callable[[], None]) -> Callable[[], None]:
        told.append("watch")
        return real.watch(changed)

    made = Application(replace(real, read_disks=read_disks, watch=watch))
    made.start()
    qtbot.waitUntil(lambda: made.ready and made._stop_watching is not None and not made._jobs, timeout=30_000)
    yield made
    made.window.close()
    qtbot.waitUntil(lambda: not made._jobs and made.reader._job is None)
    made.window.deleteLater()
    made.deleteLater()
    qtbot.wait(100)


def test_a_disk_and_its_mount_appear_and_vanish(
    running: Application, loop_disk: Callable[..., LoopDisk], sudo: Sudo, qtbot: QtBot
) -> None:
    disk = loop_disk(fs="ext4", size_mb=64)
    find = running.disks.find
    qtbot.waitUntil(lambda: find(disk.name) is not None and bool(find(disk.name).mounts), timeout=LIMIT_MS)
    assert running.window.disks_page.card(disk.name).disk.mounts[0].path == str(disk.folder)
    sudo("umount", str(disk.folder))
    qtbot.waitUntil(lambda: find(disk.name) is not None and not find(disk.name).mounts, timeout=LIMIT_MS)
    sudo("losetup", "--detach", disk.device)
    qtbot.waitUntil(lambda: find(disk.name) is None, timeout=LIMIT_MS)


def test_what_came_before_the_watch_began_is_read(running: Application, told: list[str], qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: "read" in told[told.index("watch") :], timeout=LIMIT_MS)


def test_nothing_polls_for_disks(running: Application) -> None:
    """The only timer of the reader runs once after news."""
    timers = running.reader.findChildren(QTimer)
    assert timers
    assert all(timer.isSingleShot() for timer in timers)
