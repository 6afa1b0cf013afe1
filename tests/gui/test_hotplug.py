# SPDX-License-Identifier: GPL-3.0-or-later
"""The window on this machine's real disks follows what the kernel tells of disks that come and go."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest
from PySide6.QtCore import QTimer

from disktuner.block.disk import Disk
from disktuner.gui.application import Application
from disktuner.gui.sources import real_sources
from tests.conftest import LoopDisk, Sudo
from tests.gui.conftest import close
from tests.gui.person import idle, until


@pytest.fixture
def told() -> list[str]:
    """What the window did, in order: ``read`` the disks, begin to ``watch``."""
    return []


@pytest.fixture
def running(told: list[str]) -> Iterator[Application]:
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
    until(lambda: made.ready)
    yield made
    close(made)
    idle()


def test_a_disk_and_its_mount_appear_and_vanish_and_nothing_polls_for_them(
    running: Application, told: list[str], loop_disk: Callable[..., LoopDisk], sudo: Sudo
) -> None:
    until(lambda: "read" in told[told.index("watch") :])  # what came before the watch began
    timers = running.reader.findChildren(QTimer)
    assert timers and all(timer.isSingleShot() for timer in timers)
    disk = loop_disk(fs="ext4", size_mb=64)

    def mounts() -> list[str] | None:
        found = running.disks.find(disk.name)
        return None if found is None else [mount.path for mount in found.mounts]

    until(lambda: mounts() == [str(disk.folder)])
    assert [mount.path for mount in running.window.disks_page.card(disk.name).disk.mounts] == mounts()
    sudo("umount", str(disk.folder))
    until(lambda: mounts() == [])
    sudo("losetup", "--detach", disk.device)
    until(lambda: mounts() is None)
