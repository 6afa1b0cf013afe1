# SPDX-License-Identifier: GPL-3.0-or-later
"""The sixth card used as a newcomer does, on a real disk: a program out of the list, then a command to its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import copyfile

import pytest
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from disktuner.comparison.request import Request
from disktuner.gui.application import Application
from disktuner.gui.measuring import compare as compare_really
from disktuner.gui.wizard.wizard import Measurement, Wizard
from disktuner.results.definition import from_extra
from disktuner.vocabulary.goals import BUDGETS, OWN, QUICK, Limits
from disktuner.vocabulary.messages import say
from disktuner.vocabulary.workloads import label_of
from tests.conftest import LoopDisk
from tests.gui.conftest import click
from tests.gui.real import Open, opened
from tests.gui.test_real import _picture, _save_picture, pictures

__all__ = ["opened", "pictures"]
ENTRY = """[Desktop Entry]
Type=Application
Name=Photo Library
Terminal=true
Exec=git --version
Icon=image-x-generic
"""
SHORTEST = Limits(12, 3, 0.1, 0.4, 3, 1e9)


def against_bfq(request: Request) -> Measurement:
    """The comparison that the wizard asked for, with one scheduler against the present one."""
    return compare_really(replace(request, schedulers=("bfq",), seed=11))


def seen(qtbot: QtBot, running: Application, file: Path) -> QImage:
    """What the window shows once it is laid out."""
    qtbot.wait(100)
    return _picture(running.window, file)


def sixth_card(qtbot: QtBot, running: Application, loop: LoopDisk) -> Wizard:
    click(qtbot, running.window.disks_page.card(loop.name)._find)
    wizard = running.window.wizard
    assert wizard is not None
    click(qtbot, wizard.goal_page.buttons[OWN.id])
    return wizard


def announced(qtbot: QtBot, wizard: Wizard, folder: Path | None) -> str:
    """From the first page to the second one; what is said there of what was chosen."""
    click(qtbot, wizard.next_button)
    page = wizard.where_page
    page.use_folder(str(folder))
    qtbot.waitUntil(lambda: wizard.next_button.isEnabled() or page.notice.property("notice") == "bad", timeout=60000)
    assert wizard.next_button.isEnabled(), page.notice.text
    return page.notice.text


def test_a_program_is_chosen_and_a_command_is_compared_to_its_result(
    loop_disk: Callable[..., LoopDisk],
    opened: Open,
    qtbot: QtBot,
    tmp_path: Path,
    pictures: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Disk, helper, polkit, recording, runs and verdict are real; the budget is short, and only bfq competes."""
    (tmp_path / "share/applications").mkdir(parents=True)
    (tmp_path / "share/applications/photos.desktop").write_text(ENTRY)
    monkeypatch.setenv("XDG_DATA_DIRS", str(tmp_path / "share"))
    monkeypatch.setitem(BUDGETS, QUICK.id, replace(QUICK, limits=SHORTEST))
    loop = loop_disk(size_mb=512)
    before = loop.scheduler
    running = opened(loop, against_bfq)
    wizard = sixth_card(qtbot, running, loop)
    panel = wizard.goal_page.own_panel
    pages = [seen(qtbot, running, pictures / "own-1-asked.png")]

    qtbot.waitUntil(lambda: panel.program.findText("Photo Library") > 0, timeout=5000)
    panel.program.setCurrentIndex(panel.program.findText("Photo Library"))
    pages.append(seen(qtbot, running, pictures / "own-2-program.png"))
    assert "The start of “photos” was recorded" in announced(qtbot, wizard, loop.folder)
    pages.append(seen(qtbot, running, pictures / "own-3-recorded.png"))
    click(qtbot, wizard.back_button)

    panel.program.setCurrentIndex(0)
    QTest.keyClicks(panel.command, "dd if=/dev/zero of={scratch}/photo bs=64k count=8 conv=fsync status=none")
    panel.beside.setCurrentIndex(panel.beside.findData("writes"))
    pages.append(seen(qtbot, running, pictures / "own-4-command.png"))
    assert "Run once alone, “dd if=/dev/zero" in announced(qtbot, wizard, loop.folder)
    pages.append(seen(qtbot, running, pictures / "own-5-announced.png"))

    click(qtbot, wizard.next_button)
    qtbot.waitUntil(lambda: wizard.running_page._bar.maximum() > 0, timeout=30000)
    assert wizard.running_page._what.text().endswith("… while files are written")
    pages.append(seen(qtbot, running, pictures / "own-6-running.png"))
    qtbot.waitUntil(lambda: wizard.step == 3 or running.window.wizard is None, timeout=60000)
    assert wizard.result_page is not None, running.window.notice.text
    pages.append(seen(qtbot, running, pictures / "own-7-result.png"))
    assert all(one != other for number, one in enumerate(pages) for other in pages[number + 1 :])

    presented = wizard.result_page.presented
    own = from_extra(presented.result.extra)
    assert own is not None and own.beside == "writes" and loop.scheduler == before
    deciding = presented.result.metrics["own-command.wall_s"]
    said = say(label_of(deciding))
    assert said.startswith("dd if=/dev/zero of={scratch}/photo") and said.endswith("… while files are written")
    assert loop.folder and [path.name for path in loop.folder.iterdir()] == ["lost+found"]
    _save_picture(qtbot, running, wizard, tmp_path / "report.png")
    copyfile(tmp_path / "report.png", pictures / "own-8-report.png")
