# SPDX-License-Identifier: GPL-3.0-or-later
"""The window speaks the desktop's language or a chosen one, changes it at once, and remembers it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QLabel, QWidget
from pytestqt.qtbot import QtBot

from disktuner.gui.application import Application
from disktuner.gui.language import Speaker, chosen, keep
from disktuner.gui.widgets.language_button import LanguageButton
from disktuner.gui.widgets.layout import button, column, label, row
from disktuner.vocabulary.messages import language, speaking, text
from tests.catalogues import pseudo
from tests.gui.measuring import not_said
from tests.gui.stand_ins import Bench

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("LC_ALL", "LC_MESSAGES", "LANGUAGE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "cs_CZ.UTF-8")


@pytest.fixture
def speaker(qtbot: QtBot, dressed: QApplication, bench: Bench, any_time: None) -> Iterator[Speaker]:
    made, before = Speaker(dressed, lambda: Application(bench.sources())), QLocale()
    yield made
    if made.running is not None:
        made.running.window.close()
        made.running.window.deleteLater()
        made.running.deleteLater()
    made._speak("en")
    made._spoken.close()
    made.deleteLater()
    QLocale.setDefault(before)
    qtbot.wait(20)


def ready(qtbot: QtBot, speaker: Speaker) -> Application:
    running = speaker.running
    assert running is not None
    qtbot.waitUntil(lambda: running.ready and not running._jobs and running._stop_watching is not None, timeout=20000)
    qtbot.waitUntil(lambda: bool(running.window.disks_page.cards), timeout=5000)
    return running


def choose(running: Application, name: str) -> None:
    (action,) = [each for each in running.window.language_button.menu().actions() if each.text() == name]
    action.trigger()


def test_the_window_speaks_the_desktops_language_until_another_is_chosen(qtbot: QtBot, speaker: Speaker) -> None:
    speaker.open()
    czech = ready(qtbot, speaker)
    assert language().id == "cs" and czech.window.language_button.text() == "Čeština"
    assert {tab.text() for tab in czech.window._tabs.buttons()} >= {text("page-disks"), "Historie"}
    czech.window.setGeometry(30, 40, 900, 700)
    there = czech.window.geometry()
    choose(czech, "Polski")
    assert czech._over, "the window in the other language is ended"
    polish = ready(qtbot, speaker)
    assert polish is not czech and polish.window.geometry() == there
    assert "Historia" in {tab.text() for tab in polish.window._tabs.buttons()}
    assert chosen() == "pl"
    choose(polish, text("language-of-desktop", language="Čeština"))
    assert ready(qtbot, speaker).window.language_button.text() == "Čeština" and chosen() is None


def test_qts_own_words_are_in_the_language_too(qtbot: QtBot, speaker: Speaker) -> None:
    keep("de")
    speaker.open()
    ready(qtbot, speaker)
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    qtbot.addWidget(box)
    assert box.buttons()[0].text() == "Abbrechen"
    assert QLocale().language() is QLocale.Language.German


def test_a_choice_that_cannot_be_remembered_is_said(qtbot: QtBot, speaker: Speaker, tmp_path: Path) -> None:
    (tmp_path / "config").write_text("a file where the folder belongs", encoding="utf-8")
    speaker.open()
    running = ready(qtbot, speaker)
    choose(running, "English")
    assert running.window.notice.isVisible() and speaker.running is running
    assert language().id == "cs"


def test_a_choice_of_another_version_does_not_count(tmp_path: Path) -> None:
    assert chosen() is None
    for kept, found in ((b"xx\n", None), (b"\xff", None), (b"pl\n", "pl"), (b"zh_CN", "zh_CN")):
        file = tmp_path / "config" / "disktuner" / "language"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(kept)
        assert chosen() == found


def test_while_something_is_changed_the_language_stays(qtbot: QtBot, speaker: Speaker) -> None:
    speaker.open()
    running = ready(qtbot, speaker)
    running._show_busy(True)
    assert not running.window.language_button.isEnabled()
    running._show_busy(False)
    assert running.window.language_button.isEnabled()


def test_the_button_tells_the_language_and_marks_what_was_chosen(qtbot: QtBot, dressed: QApplication) -> None:
    keep("en")
    shown = LanguageButton()
    qtbot.addWidget(shown)
    checked = [each.text() for each in shown.menu().actions() if each.isChecked()]
    assert (shown.text(), checked) == ("English", ["English"]) and shown.accessibleName()
    assert text("language-of-desktop", language="Čeština") in {each.text() for each in shown.menu().actions()}


def test_what_is_not_said_in_the_language_is_found(dressed: QApplication, qtbot: QtBot) -> None:
    with speaking(pseudo.language()):
        page = QWidget()
        page.setLayout(column(row(label(text("page-disks")), button("sda, sdb", lambda: None))))
        qtbot.addWidget(page)
        page.show()
        assert not_said(page, ()) == []
        page.findChild(QLabel).setText("not at all translated")
        assert not_said(page, ()) and not not_said(page, ("not at all translated",))
