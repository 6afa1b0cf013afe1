# SPDX-License-Identifier: GPL-3.0-or-later
"""The sixth card of the wizard: a program of one's own, chosen among the installed ones or given as a command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from disktuner.gui.application import Application
from disktuner.gui.wizard.wizard import Wizard
from disktuner.results.definition import Definition
from disktuner.vocabulary.goals import OWN
from tests.gui.conftest import click
from tests.gui.stand_ins import Bench

Open = Callable[[Bench], Application]
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)
ENTRY = """[Desktop Entry]
Type=Application
Name=A True Program
Exec=true %U
Icon=accessories-text-editor
"""


@pytest.fixture
def wizard(opened: Open, bench: Bench, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wizard:
    (tmp_path / "share/applications").mkdir(parents=True)
    (tmp_path / "share/applications/one.desktop").write_text(ENTRY)
    monkeypatch.setenv("XDG_DATA_DIRS", str(tmp_path / "share"))
    running = opened(bench)
    click(qtbot, running.window.disks_page.card("sda")._find)
    wizard = running.window.wizard
    assert wizard is not None
    click(qtbot, wizard.goal_page.buttons[OWN.id])
    return wizard


def asked(wizard: Wizard) -> Definition | None:
    return wizard._request().own


def test_a_command_is_typed_and_nothing_goes_on_without_one(wizard: Wizard, qtbot: QtBot) -> None:
    panel = wizard.goal_page.own_panel
    assert panel.isVisible() and panel.command.isVisible()
    assert not wizard.next_button.isEnabled()
    wizard.next()
    assert wizard.step == 0
    QTest.keyClicks(panel.command, "make -B")
    panel.beside.setCurrentIndex(panel.beside.findData("nothing"))
    qtbot.waitUntil(wizard.next_button.isEnabled)
    click(qtbot, wizard.next_button)
    assert wizard.step == 1
    own = asked(wizard)
    assert own is not None and (own.command, own.beside) == ("make -B", "nothing")
    assert own.folder == str(Path.home())
    assert wizard._request().goal == OWN.id
    qtbot.waitUntil(wizard.next_button.isEnabled, timeout=5000)


def test_an_installed_program_is_chosen_by_its_name_and_icon(wizard: Wizard, qtbot: QtBot) -> None:
    panel = wizard.goal_page.own_panel
    qtbot.waitUntil(lambda: panel.program.findText("A True Program") > 0, timeout=5000)
    panel.program.setCurrentIndex(panel.program.findText("A True Program"))
    assert not panel.command.isVisible()
    assert panel.model.data(panel.model.index(1), Qt.ItemDataRole.DecorationRole) is not None
    assert asked(wizard) == Definition(program="one", beside="writes")
    assert wizard.next_button.isEnabled()


def test_another_goal_has_no_program(wizard: Wizard, qtbot: QtBot) -> None:
    QTest.keyClicks(wizard.goal_page.own_panel.command, "true")
    click(qtbot, wizard.goal_page.buttons["copying"])
    assert not wizard.goal_page.own_panel.isVisible()
    assert asked(wizard) is None
    assert wizard.next_button.isEnabled()
