# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes wrong outside the window ends in a sentence on the screen, and the disk has the scheduler it had."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from disktuner.gui.application import Application
from disktuner.vocabulary.messages import text
from tests.bus.conftest import helper_pid
from tests.conftest import LoopDisk, Sudo
from tests.end2end.test_guard_disk import server_of
from tests.gui.conftest import click
from tests.gui.real import Open, announced, change, opened, start
from tests.simdisk.simulated import simulated_disk
from tests.waiting import until

__all__ = ["opened"]
PROGRAM = "/usr/libexec/disktuner-helper"
POLKIT_RULE = "/etc/polkit-1/rules.d/00-disktuner-test.rules"


def told(qtbot: QtBot, running: Application, part: str) -> None:
    """The wizard is over, and the window says this."""
    qtbot.waitUntil(lambda: running.window.wizard is None, timeout=60000)
    assert part in running.window.notice.text, running.window.notice.text
    assert running.window.notice.isVisible()


def restored(qtbot: QtBot, loop: LoopDisk, before: str) -> None:
    qtbot.waitUntil(lambda: loop.scheduler == before, timeout=10000)
    assert loop.folder and not list(loop.folder.glob(".disktuner-*"))


@contextmanager
def no_helper(sudo: Sudo) -> Iterator[None]:
    """Not installed, and not running either."""
    sudo("mv", PROGRAM, f"{PROGRAM}.away")
    try:
        if pid := helper_pid(sudo):
            sudo("kill", "-TERM", str(pid))
            assert until(lambda: not helper_pid(sudo))
        yield
    finally:
        sudo("mv", f"{PROGRAM}.away", PROGRAM)


@contextmanager
def forbidden(sudo: Sudo) -> Iterator[None]:
    """An administrator's rule that says no to everything of ours; polkitd reads it when it appears."""
    ours = 'action.id.indexOf("org.disktuner.") == 0'
    rule = f"polkit.addRule(function(action) {{ if ({ours}) {{ return polkit.Result.NO; }} }});"

    def allowed() -> bool:
        argv = ["pkcheck", "--action-id", "org.disktuner.trial", "--process", str(os.getpid())]
        return subprocess.run(argv, capture_output=True, check=False).returncode == 0

    sudo("tee", POLKIT_RULE, stdin=rule)
    try:
        assert until(lambda: not allowed())
        yield
    finally:
        sudo("rm", POLKIT_RULE)
        assert until(allowed)


def test_without_a_helper_the_wizard_and_the_dialog_say_so(
    loop_disk: Callable[..., LoopDisk], opened: Open, qtbot: QtBot, sudo: Sudo
) -> None:
    loop = loop_disk(size_mb=512)
    before = loop.scheduler
    running = opened(loop)
    wizard = announced(qtbot, running, loop)
    with no_helper(sudo):
        click(qtbot, wizard.next_button)
        told(qtbot, running, "helper could not be started")
        click(qtbot, change(qtbot, running, loop, "kyber").apply_button)
        qtbot.waitUntil(lambda: "helper could not be started" in running.window.notice.text, timeout=20000)
        assert not running.window.disks_page.card(loop.name)._change.isEnabled()
        restored(qtbot, loop, before)


def test_who_is_refused_reads_so_and_nothing_has_changed(
    loop_disk: Callable[..., LoopDisk], opened: Open, qtbot: QtBot, sudo: Sudo
) -> None:
    loop = loop_disk(size_mb=512)
    before = loop.scheduler
    running = opened(loop)
    wizard = announced(qtbot, running, loop)
    refused = "Nothing was changed. No administrator agreed to it: try again or ask one."
    here = running.disks.find(loop.name)
    assert here is not None
    with forbidden(sudo):
        click(qtbot, wizard.next_button)
        told(qtbot, running, refused)
        for act in (
            lambda: click(qtbot, change(qtbot, running, loop, "kyber").apply_button),
            lambda: running.try_out((here,), "kyber"),
            lambda: running.keep((here,), "kyber"),
        ):
            running.window.show_notice("")
            act()
            qtbot.waitUntil(lambda: running.window.notice.text == refused, timeout=20000)
        restored(qtbot, loop, before)


def test_a_helper_killed_while_measuring_is_told_and_the_disk_restored(
    loop_disk: Callable[..., LoopDisk], opened: Open, qtbot: QtBot, sudo: Sudo
) -> None:
    loop = loop_disk(size_mb=512)
    before = loop.scheduler
    running = opened(loop)
    wizard = announced(qtbot, running, loop)
    click(qtbot, wizard.next_button)
    qtbot.waitUntil(lambda: loop.scheduler == "bfq", timeout=30000)
    sudo("kill", "-KILL", str(helper_pid(sudo)))
    told(qtbot, running, "")
    assert running.window.notice.text not in {"", text("measuring-cancelled")}
    restored(qtbot, loop, before)


def test_a_disk_that_is_pulled_out_is_told(
    opened: Open, qtbot: QtBot, sudo: Sudo, tmp_path: Path, dressed: QApplication
) -> None:
    """Its other end dies, so that every request fails from then on."""
    with simulated_disk(sudo, tmp_path, 600, "flash", "read_us=100") as disk:
        before = disk.scheduler
        running = opened(disk)
        start(qtbot, running, disk)
        sudo("kill", "-KILL", server_of(tmp_path))
        qtbot.waitUntil(lambda: running.window.wizard is None, timeout=60000)
        said = running.window.notice.text
        assert any(each in said.lower() for each in ("vanished", "read-only", "input/output error")), said
        qtbot.waitUntil(lambda: disk.scheduler == before, timeout=10000)


def test_a_disk_that_fills_up_is_told(loop_disk: Callable[..., LoopDisk], opened: Open, qtbot: QtBot) -> None:
    loop = loop_disk(size_mb=512)
    before = loop.scheduler
    running = opened(loop)
    start(qtbot, running, loop)
    assert loop.folder
    with (loop.folder / "somebody-else").open("wb") as file:
        for piece in (1 << 24, 1 << 20, 1 << 12):
            with suppress(OSError):
                while True:
                    os.posix_fallocate(file.fileno(), file.seek(0, os.SEEK_END), piece)
    told(qtbot, running, "")
    assert "No space left" in running.window.notice.text or "free" in running.window.notice.text
    restored(qtbot, loop, before)


def test_a_result_that_cannot_be_kept_is_told(loop_disk: Callable[..., LoopDisk], opened: Open, qtbot: QtBot) -> None:
    loop = loop_disk(size_mb=512)
    before = loop.scheduler
    results = Path(os.environ["XDG_DATA_HOME"]) / "disktuner"
    results.mkdir(exist_ok=True)
    results.chmod(0o500)
    try:
        running = opened(loop)
        wizard = announced(qtbot, running, loop)
        click(qtbot, wizard.next_button)
        told(qtbot, running, str(results))
        restored(qtbot, loop, before)
    finally:
        results.chmod(0o700)
