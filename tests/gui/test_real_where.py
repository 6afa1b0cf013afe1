# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder decides which disk is measured: real file systems mounted within each other, real helper, real runs."""

from __future__ import annotations

import getpass
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from disktuner.gui.application import Application
from disktuner.gui.widgets.keep_dialog import KeepDialog
from disktuner.gui.wizard.wizard import Wizard
from tests.conftest import LoopDisk, Sudo
from tests.gui.conftest import click
from tests.gui.real import Open, opened, switching

__all__ = ["opened"]


@contextmanager
def mounted(sudo: Sudo, what: Path | str, where: Path, *options: str) -> Iterator[None]:
    sudo("mount", *options, what, where)
    try:
        yield
    finally:
        sudo("umount", where)


def at_where(qtbot: QtBot, running: Application, loop: LoopDisk) -> Wizard:
    """From the disk's card to the folders that are offered."""
    click(qtbot, running.window.disks_page.card(loop.name)._find)
    wizard = running.window.wizard
    assert wizard is not None
    click(qtbot, wizard.next_button)
    qtbot.waitUntil(lambda: wizard.where_page._looked, timeout=10000)
    return wizard


def may_start(qtbot: QtBot, wizard: Wizard) -> None:
    page = wizard.where_page
    qtbot.waitUntil(lambda: wizard.next_button.isEnabled() or page.notice.property("notice") == "bad", timeout=30000)
    assert wizard.next_button.isEnabled(), page.notice.text


def offered(wizard: Wizard) -> list[str]:
    folder = wizard.where_page.folder
    return [folder.itemData(number) for number in range(folder.count())]


def test_a_home_on_another_disk_is_not_offered_and_leads_to_that_disk(
    loop_disk: Callable[..., LoopDisk], opened: Open, qtbot: QtBot, sudo: Sudo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a machine with /home on a second disk: what is asked for is the first, what is chosen lies on the second."""
    asked, other = loop_disk(size_mb=64), loop_disk(size_mb=512)
    assert asked.folder and other.folder
    before, home = asked.scheduler, asked.folder / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home / "anna"))
    with mounted(sudo, other.device, home):
        (home / "anna").mkdir()
        running = opened(asked, switching)
        wizard = at_where(qtbot, running, asked)
        assert offered(wizard) == [str(asked.folder)]
        wizard.where_page.use_folder(str(home / "anna"))
        may_start(qtbot, wizard)
        assert f"({other.name})" in wizard.title.text() and wizard.disk.name == other.name
        assert f"({other.name}): that disk will be measured, not" in wizard.where_page.notice.text
        click(qtbot, wizard.next_button)
        qtbot.waitUntil(lambda: wizard.running_page._bar.value() > 1, timeout=30000)
        assert asked.scheduler == before
        qtbot.waitUntil(lambda: wizard.step == 3 or running.window.wizard is None, timeout=120000)
        page = wizard.result_page
        assert page is not None, running.window.notice.text
        assert [disk.name for disk in page.disks] == [other.name] == [page.presented.result.disk["name"]]
        assert f"({other.name})" in wizard.title.text()
        click(qtbot, page.use_button)
        qtbot.waitUntil(lambda: running.window.findChild(KeepDialog) is not None, timeout=20000)
        assert (asked.scheduler, other.scheduler) == (before, "bfq")
        click(qtbot, running.window.findChild(KeepDialog).until_button)
        qtbot.waitUntil(lambda: running.window.wizard is None, timeout=20000)
        assert (asked.scheduler, other.scheduler) == (before, "bfq")
        assert f"({other.name}) now uses bfq" in running.window.notice.text
        running.window.close()


def test_who_has_no_home_on_the_disk_needs_to_choose_no_folder(
    loop_disk: Callable[..., LoopDisk], opened: Open, qtbot: QtBot, sudo: Sudo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As root from a fresh clone: the program runs as a user whose home is in memory, and / is not that user's."""
    root = loop_disk(size_mb=512)
    assert root.folder
    sudo("chown", "root", root.folder)
    sudo("install", "--directory", "--mode=1777", root.folder / "var-tmp")
    with (
        tempfile.TemporaryDirectory(dir="/dev/shm") as home,
        mounted(sudo, root.folder / "var-tmp", Path("/var/tmp"), "--bind"),
    ):
        monkeypatch.setenv("HOME", home)
        running = opened(root)
        wizard = at_where(qtbot, running, root)
        assert offered(wizard) == ["/var/tmp"] == [wizard.where_page.target]
        may_start(qtbot, wizard)
        assert wizard.disk.name == root.name and f"({root.name})" in wizard.title.text()
        click(qtbot, wizard.close_button)
        qtbot.waitUntil(lambda: not running.window.findChildren(Wizard), timeout=5000)
        assert list(Path("/var/tmp").iterdir()) == []
    sudo("chown", getpass.getuser(), root.folder)
