# SPDX-License-Identifier: GPL-3.0-or-later
"""Strangers' results in the window: whatever a file says is shown as text, and every part of the page is drawn."""

from __future__ import annotations

import json
import random
from itertools import product
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QFileDialog, QLabel, QWidget

from disktuner.gui.export import Exporter
from disktuner.gui.measurement.result_page import ResultPage
from disktuner.gui.widgets.between_page import BetweenPage
from disktuner.gui.widgets.history_page import HistoryModel
from disktuner.presentation import listed, present, present_between, result_title
from disktuner.report.exporting import FORMATS
from disktuner.results.codec import decode
from disktuner.results.history import History
from disktuner.results.model import Result
from disktuner.results.store import Store
from disktuner.verdict.judge import judge
from disktuner.verdict.model import METHOD
from disktuner.vocabulary.errors import DisktunerError
from disktuner.vocabulary.printable import printable
from tests.gui.conftest import Nobody
from tests.gui.person import Visit, details, until
from tests.gui.stand_ins import Bench
from tests.unit.results.hostile import MARKUP, SOUND, TERMINAL, hostile, mutated

TEXTS = {"terminal": json.loads(TERMINAL), "markup": json.loads(MARKUP)}


def drawn(result: Result) -> list[QWidget]:
    """Draw every part of a result, opened alone and compared with a sound one."""
    sound = decode(SOUND["as measured"])
    opened = ResultPage(present(result), Nobody())
    pages = [opened, *(BetweenPage(present_between(*two)) for two in ((sound, result), (result, sound)))]
    for fold in details(opened).folds:
        fold.setChecked(True)
    for page in pages:
        page.resize(900, 600)
        page.grab()
    return pages


@pytest.mark.parametrize("count", [5, pytest.param(200, marks=pytest.mark.long)])
def test_every_result_is_drawn(tmp_path: Path, count: int) -> None:
    chance, store, model, accepted = random.Random(count), Store(tmp_path / "kept"), HistoryModel(), 0
    file = tmp_path / "stranger.json"
    while accepted < count:
        file.write_bytes(mutated(chance))
        try:
            result = store.add(file)
        except DisktunerError:
            continue
        accepted += 1
        for page in drawn(result):
            page.deleteLater()
        result_title(result)
    model.show_entries(History(store, lambda result: listed(judge(result)), METHOD).entries())
    cells = product(range(model.rowCount()), range(model.columnCount()))
    assert all(model.data(model.index(row, place)) is not None for row, place in cells)


@pytest.mark.parametrize("value", [0.0, -5.0, 5e-324, 1e18])
def test_speeds_that_cannot_be_do_no_harm(value: float) -> None:
    document = json.loads(SOUND["as measured"])
    for sample in document["samples"]:
        sample["value"] = value
    drawn(decode(json.dumps(document)))


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_texts_are_no_markup(text: str) -> None:
    """Labels are plain, and tips that Qt would take for markup show their text literally."""
    for page in drawn(decode(json.dumps(hostile(text)))):
        labels = page.findChildren(QLabel)
        assert labels and {label.textFormat() for label in labels} == {Qt.TextFormat.PlainText}
        assert any(printable(text)[:20] in label.text() for label in labels)
        assert all(is_plain(widget.toolTip()) for widget in page.findChildren(QWidget))


def is_plain(tip: str) -> bool:
    """Whether a tip shows only text, even if Qt takes it for markup: its document has no picture and no link."""
    document = QTextDocument()
    document.setHtml(tip)
    return "\ufffc" not in document.toPlainText() and "<a " not in document.toHtml()


def test_tips_and_questions_are_no_markup(visit: Visit, bench: Bench, tmp_path: Path) -> None:
    file = tmp_path / "stranger.json"
    file.write_text(json.dumps(hostile(TEXTS["markup"])))
    running = visit(bench).running
    running.measuring.history.add(file)
    page = running.window.page("history")
    until(lambda: running.window.opened is not None and page.model.rowCount() == 1)
    tips = [page.model.data(page.model.index(0, at), Qt.ItemDataRole.ToolTipRole) for at in range(5)]
    assert any("img" in tip for tip in tips) and all(map(is_plain, tips))
    entry = page.model.entry(0)
    running.measuring.history.ask_removal(entry)
    for dialog in (running.measuring.history.ask_note(entry), running.window.question):
        labels = [label for label in dialog.findChildren(QLabel) if "img" in label.text()]
        assert labels
        for label in labels:
            assert label.textFormat() == Qt.TextFormat.PlainText or is_plain(label.text())
        dialog.reject()


def test_the_name_that_is_suggested_for_a_file_is_a_name() -> None:
    window = QWidget()
    exporter = Exporter(window, lambda *_: None, lambda *_: None)
    result = decode(json.dumps(hostile("../../../.config/autostart/x\n")))
    dialog: QFileDialog = exporter.ask(present(result), FORMATS[0])
    assert dialog.selectedFiles() == [str(Path.home() / "disktuner-config-autostart-x-config-autostart-x-desktop.png")]
    dialog.reject()
