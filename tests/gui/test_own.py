# SPDX-License-Identifier: GPL-3.0-or-later
"""The complaint about a program of one's own: an installed one or a command."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from disktuner.results.definition import Definition
from disktuner.vocabulary.background import COMMAND
from disktuner.vocabulary.goals import OWN
from tests.gui.person import Person, Visit, until
from tests.gui.stand_ins import Bench

ENTRY = """[Desktop Entry]
Type=Application
Name=A True Program
Exec=true %U
Icon=accessories-text-editor
"""


@pytest.fixture
def person(visit: Visit, bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    """A person who has chosen the complaint."""
    (tmp_path / "share/applications").mkdir(parents=True)
    (tmp_path / "share/applications/one.desktop").write_text(ENTRY)
    monkeypatch.setenv("XDG_DATA_DIRS", str(tmp_path / "share"))
    at_it = visit(bench)
    at_it.find_best("sda", OWN.id)
    return at_it


def asked(person: Person, bench: Bench) -> tuple[str, Definition | None]:
    until(person.plan.foot.measure_button.isEnabled)
    request = bench.comparisons[-1].request
    return request.goal, request.own


def test_a_command_is_typed_and_nothing_goes_on_without_one(person: Person, bench: Bench) -> None:
    plan, panel = person.plan, person.plan.own_panel
    assert panel.isVisible() and panel.command.isVisible() and not plan.foot.measure_button.isEnabled()
    plan.measure()
    assert person.window.measurement is None
    QTest.keyClicks(panel.command, "make -B")
    panel.beside.setCurrentIndex(panel.beside.findData("nothing"))
    goal, program = asked(person, bench)
    assert goal == OWN.id and program is not None
    assert (program.command, program.beside, program.folder) == ("make -B", "nothing", str(Path.home()))


def test_a_command_may_run_beside_and_nothing_goes_on_without_it(person: Person, bench: Bench) -> None:
    plan, panel = person.plan, person.plan.own_panel
    QTest.keyClicks(panel.command, "make -B")
    assert not panel.beside_command.isVisible()
    panel.beside.setCurrentIndex(panel.beside.findData(COMMAND.id))
    assert panel.beside_command.isVisible() and panel.definition is None and not plan.foot.measure_button.isEnabled()
    QTest.keyClicks(panel.beside_command, "cp -r a b")
    _, program = asked(person, bench)
    assert program is not None and program.beside == "cp -r a b"


def test_an_installed_program_is_chosen_by_its_name_and_icon(person: Person, bench: Bench) -> None:
    panel = person.plan.own_panel
    until(lambda: panel.program.findText("A True Program") > 0)
    panel.program.setCurrentIndex(panel.program.findText("A True Program"))
    assert not panel.command.isVisible()
    assert panel.program.itemData(1, Qt.ItemDataRole.DecorationRole) is not None
    assert asked(person, bench) == (OWN.id, Definition(program="one", beside="writes"))
