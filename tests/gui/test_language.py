# SPDX-License-Identifier: GPL-3.0-or-later
"""The window speaks the desktop's language or a chosen one, changes it at once, and remembers it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QDialogButtonBox, QLabel, QWidget
from pytestqt.qtbot import QtBot

from disktuner.gui.language import chosen, keep
from disktuner.gui.speaker import Speaker
from disktuner.gui.widgets.layout import button, column, label, row
from disktuner.gui.widgets.window import Window
from disktuner.vocabulary.errors import NotAuthorised
from disktuner.vocabulary.messages import language, speaking, text
from disktuner.vocabulary.settings import Setting
from tests.catalogues import pseudo
from tests.gui.conftest import Show
from tests.gui.measuring import not_said
from tests.gui.person import Person, idle, seen, until, words
from tests.gui.stand_ins import Bench


def opened(speaker: Speaker) -> Person:
    assert speaker.running is not None
    person = Person(speaker.running)
    until(lambda: person.running.ready)
    idle()
    return person


def choose(person: Person, name: str) -> None:
    (action,) = [each for each in person.window.language_button.menu().actions() if each.text() == name]
    action.trigger()


def test_the_window_speaks_the_desktops_language_until_another_is_chosen(speaker: Speaker) -> None:
    speaker.open()
    czech = opened(speaker)
    offered = czech.window.language_button
    assert language().id == "cs" and offered.text() == "Čeština" and offered.accessibleName()
    assert "Historie" in words(czech.window.bar)
    czech.window.setGeometry(30, 40, 900, 700)
    there = czech.window.geometry()
    choose(czech, "Polski")
    polish = opened(speaker)
    assert seen(Window) == [polish.window] and polish.window.geometry() == there
    assert "Historia" in words(polish.window.bar) and chosen() == "pl"
    checked = [each.text() for each in polish.window.language_button.menu().actions() if each.isChecked()]
    assert checked == ["Polski"]
    choose(polish, text("language-of-desktop", language="Čeština"))
    assert opened(speaker).window.language_button.text() == "Čeština" and chosen() is None


def test_qts_own_words_are_in_the_language_too(qtbot: QtBot, speaker: Speaker) -> None:
    keep("de")
    speaker.open()
    opened(speaker)
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    qtbot.addWidget(box)
    assert box.buttons()[0].text() == "Abbrechen"
    assert QLocale().language() is QLocale.Language.German


def test_a_choice_that_cannot_be_remembered_is_said(speaker: Speaker, tmp_path: Path) -> None:
    (tmp_path / "config").write_text("a file where the folder belongs", encoding="utf-8")
    speaker.open()
    person = opened(speaker)
    choose(person, "English")
    assert person.notice and speaker.running is person.running and language().id == "cs"


def test_a_choice_of_another_version_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert chosen() is None
    file = tmp_path / "disktuner" / "language"
    file.parent.mkdir()
    for kept, found in ((b"xx\n", None), (b"\xff", None), (b"pl\n", "pl"), (b"zh_CN", "zh_CN")):
        file.write_bytes(kept)
        assert chosen() == found


def test_while_something_is_changed_the_language_stays(speaker: Speaker, bench: Bench) -> None:
    speaker.open()
    person = opened(speaker)
    bench.helper.fails = NotAuthorised("refused-nobody-to-ask")
    person.running.actions.use((bench.disks[1],), Setting("bfq"))
    assert not person.window.language_button.isEnabled()
    until(person.window.language_button.isEnabled)


@pytest.mark.long
def test_what_is_not_said_in_the_language_is_found(show: Show) -> None:
    with speaking(pseudo.language()):
        page = QWidget()
        page.setLayout(column(row(label(text("page-disks")), button("sda, sdb", lambda: None))))
        show(page)
        assert not_said(page, ()) == []
        page.findChild(QLabel).setText("not at all translated")
        assert not_said(page, ()) and not not_said(page, ("not at all translated",))
