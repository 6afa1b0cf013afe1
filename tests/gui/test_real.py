# SPDX-License-Identifier: GPL-3.0-or-later
"""The window on the machine's real disks, with the real helper, polkit and comparison."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QDialogButtonBox, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from disktuner.gui.application import Application
from disktuner.gui.widgets.keep_dialog import KeepDialog
from disktuner.gui.wizard.wizard import Wizard
from disktuner.vocabulary.messages import text
from tests.conftest import LoopDisk, Sudo
from tests.gui.conftest import click
from tests.gui.real import Open, change, known_to_udev, opened, start

__all__ = ["opened"]


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Where the pictures go: the folder that the environment names, or one of the test."""
    return Path(os.environ.get("DISKTUNER_PICTURES", tmp_path))


def _picture(window: QWidget, file: Path) -> QImage:
    """Keep what the window shows; it must be a page with many colours (edges of letters alone give dozens)."""
    image = window.grab().toImage()
    assert image.save(str(file))
    seen = {image.pixel(x, y) for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)}
    assert image.width() >= 640 and image.height() >= 480 and len(seen) > 30
    return image


def _save_picture(qtbot: QtBot, running: Application, wizard: Wizard, file: Path) -> None:
    assert wizard.result_page is not None
    wizard.result_page.save_button.form_actions[0].trigger()
    dialog = running.window.findChild(QFileDialog)
    dialog.selectFile(str(file))
    click(qtbot, dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Save))
    qtbot.waitUntil(lambda: file.name in running.window.notice.text, timeout=20000)
    assert file.read_bytes().startswith(b"\x89PNG\r\n") and QImage(str(file)).width() > 400


def _use_other(qtbot: QtBot, running: Application, loop: LoopDisk, wizard: Wizard) -> str:
    """*Try it now* where the verdict offers it, else another scheduler by *Change…*; returns which."""
    page = wizard.result_page
    assert page is not None
    if page.use_button.isVisible():
        click(qtbot, page.use_button)
        qtbot.waitUntil(lambda: running.window.findChild(KeepDialog) is not None, timeout=20000)
        tried = page.presented.verdict.winner or page.presented.verdict.leader
        assert loop.scheduler == tried
        click(qtbot, running.window.findChild(KeepDialog).until_button)
        return str(tried)
    click(qtbot, page.leave_button)
    other = "kyber" if loop.scheduler != "kyber" else "bfq"
    click(qtbot, change(qtbot, running, loop, other).apply_button)
    return other


def test_from_the_card_to_the_result_to_another_scheduler_and_back(
    loop_disk: Callable[..., LoopDisk], opened: Open, qtbot: QtBot, tmp_path: Path, pictures: Path
) -> None:
    """A whole comparison on a loop disk by the window's buttons, shortened to bfq against the present scheduler.

    The request is the wizard's own with fewer schedulers and one workload; disks, helper, polkit, runs, verdict and
    report are real. Whether the verdict offers a switch depends on the machine: where it does not, the other
    scheduler is set by *Change…* instead. The pictures are kept where ``DISKTUNER_PICTURES`` says.
    """
    loop = loop_disk(size_mb=512)
    before = loop.scheduler
    running = opened(loop)
    window = running.window
    pages = [_picture(window, pictures / "disks.png")]
    wizard = start(qtbot, running, loop)
    qtbot.wait(1500)
    assert wizard.step == 2
    pages.append(_picture(window, pictures / "running.png"))
    qtbot.waitUntil(lambda: wizard.step == 3 or window.wizard is None, timeout=60000)
    assert wizard.result_page is not None, window.notice.text
    qtbot.wait(100)
    pages.append(_picture(window, pictures / "result.png"))
    assert all(one != other for number, one in enumerate(pages) for other in pages[number + 1 :])
    assert {sample.scheduler for sample in wizard.result_page.presented.result.samples} == {before, "bfq"}
    assert loop.scheduler == before
    assert loop.folder and [path.name for path in loop.folder.iterdir()] == ["lost+found"]
    _save_picture(qtbot, running, wizard, tmp_path / "report.png")
    used = _use_other(qtbot, running, loop, wizard)
    qtbot.waitUntil(lambda: loop.scheduler == used, timeout=20000)
    card = window.disks_page.card(loop.name)
    qtbot.waitUntil(lambda: card._chip.text() == used and card._back.isVisible() and card._back.isEnabled())
    click(qtbot, card._back)
    qtbot.waitUntil(lambda: loop.scheduler == before, timeout=20000)
    qtbot.waitUntil(lambda: before in window.notice.text)


def test_cancelling_sets_the_disk_back_and_leaves_nothing(
    loop_disk: Callable[..., LoopDisk], opened: Open, qtbot: QtBot
) -> None:
    """The same comparison, cancelled by its button after the second run began."""
    loop = loop_disk(size_mb=512)
    before = loop.scheduler
    running = opened(loop)
    wizard = start(qtbot, running, loop)
    click(qtbot, wizard.running_page.cancel_button)
    qtbot.waitUntil(lambda: running.window.wizard is None, timeout=5000)
    assert running.window.notice.text == text("measuring-cancelled")
    assert loop.scheduler == before
    assert loop.folder and [path.name for path in loop.folder.iterdir()] == ["lost+found"]


def test_what_is_changed_and_kept_holds_at_once(
    loop_disk: Callable[..., LoopDisk], opened: Open, qtbot: QtBot, sudo: Sudo
) -> None:
    """*Change…* with *Keep after restart*: scheduler, tunable and rule are there as soon as it says so."""
    loop = loop_disk(size_mb=64)
    before = loop.scheduler
    with known_to_udev(loop, sudo):
        running = opened(loop)
        dialog = change(qtbot, running, loop, "kyber" if before != "kyber" else "bfq")
        wanted = str(dialog.scheduler.currentData())
        row = next(row for row in dialog.rows if row.name == "queue/nomerges")
        had, merges = row.value, 2 if row.value == 1 else 1
        row.spin.setValue(merges)
        dialog.persist.setChecked(True)
        click(qtbot, dialog.apply_button)
        window = running.window
        qtbot.waitUntil(lambda: window.notice.text not in {"", text("waiting-for-helper")}, timeout=20000)
        assert window.notice.text == text("keeps-using", disk=dialog._disk.title, scheduler=wanted)
        assert loop.scheduler == wanted
        assert int((loop.queue / "nomerges").read_text()) == merges
        rule = Path("/etc/udev/rules.d/90-disktuner.rules")
        assert f'ATTR{{queue/scheduler}}="{wanted}"' in rule.read_text()
        assert f'ATTR{{queue/nomerges}}="{merges}"' in rule.read_text()
        card = window.disks_page.card(loop.name)
        qtbot.waitUntil(lambda: card._chosen.text() == text("chosen-for-good") and card._back.isEnabled())
        click(qtbot, card._back)
        qtbot.waitUntil(lambda: loop.scheduler == before, timeout=20000)
        qtbot.waitUntil(lambda: window.notice.text != text("waiting-for-helper"))
        assert not rule.exists()
        assert int((loop.queue / "nomerges").read_text()) == had
