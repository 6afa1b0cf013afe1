# SPDX-License-Identifier: GPL-3.0-or-later
"""The window speaks the session's language."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QLabel, QWidget

from disktuner.gui.language import session_language
from disktuner.gui.widgets.layout import button, column, label, row
from disktuner.vocabulary.messages import language, message, say, speaking, text
from tests.catalogues import pseudo
from tests.gui.conftest import Show
from tests.gui.measuring import not_said
from tests.gui.person import Visit, words
from tests.gui.stand_ins import Bench


@pytest.mark.parametrize(
    ("session", "history", "cancel"), [("cs_CZ.UTF-8", "Historie", "Zrušit"), ("de", "Verlauf", "Abbrechen")]
)
def test_the_window_speaks_the_sessions_language_and_so_does_qt(
    dressed: QApplication,
    visit: Visit,
    bench: Bench,
    monkeypatch: pytest.MonkeyPatch,
    session: str,
    history: str,
    cancel: str,
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANGUAGE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", session)
    before = QLocale()
    with session_language(dressed):
        assert history in words(visit(bench).window.bar)
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        assert box.buttons()[0].text().replace("&", "") == cancel
        box.deleteLater()
        assert QLocale().name()[:2] == session[:2]
    assert QLocale() == before and language().id == "en"


def test_the_window_names_its_own_ways(dressed: QApplication) -> None:
    asked = message("exhausted-without-portrait", disk="WD Blue (sda)", name="sda")
    assert "disktuner portrait sda" in say(asked)
    with session_language(dressed):
        assert "disktuner" not in say(asked)


@pytest.mark.long
def test_what_is_not_said_in_the_language_is_found(show: Show) -> None:
    with speaking(pseudo.language()):
        page = QWidget()
        page.setLayout(column(row(label(text("page-disks")), button("sda, sdb", lambda: None))))
        show(page)
        assert not_said(page, ()) == []
        page.findChild(QLabel).setText("not at all translated")
        assert not_said(page, ()) and not not_said(page, ("not at all translated",))
