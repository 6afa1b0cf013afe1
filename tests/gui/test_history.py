# SPDX-License-Identifier: GPL-3.0-or-later
"""Kept results in the window: found, opened, compared, noted, removed, added by menu and by drag and drop, saved."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from disktuner.gui.application import Application
from disktuner.gui.history import KeptResults
from disktuner.gui.plots.intervals import IntervalChart
from disktuner.gui.widgets.history_page import HistoryPage
from disktuner.gui.widgets.opened_page import BetweenPage
from disktuner.gui.wizard.result_page import ResultPage
from disktuner.presentation import present
from disktuner.report import export
from disktuner.report.exporting import FORMATS
from disktuner.results.history import Entry
from disktuner.results.model import SeriesRecord
from disktuner.results.store import Store
from disktuner.verdict.judge import judge
from disktuner.vocabulary.messages import text
from tests.gui.conftest import click
from tests.gui.stand_ins import SCHEDULERS, Bench, result
from tests.gui.watchdog import Watchdog

if TYPE_CHECKING:
    from disktuner.gui.plots.course import CoursePlot

Open = Callable[[Bench], Application]
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)


def live(order: int) -> SeriesRecord:
    figures = {name: array("f", [1e6, 9e7]) for name in ("read_bytes_per_s", "write_bytes_per_s", "read_latency_s")}
    return SeriesRecord(order, "copy", SCHEDULERS[order % 4], order // 4, array("f", [0.1, 0.2]), figures)


@pytest.fixture
def kept(bench: Bench) -> Store:
    store = Store(bench.kept)
    plain = replace(result(6), series=tuple(map(live, range(8))))
    for number in range(3):
        store.save(replace(plain, id=f"r{number}", created=f"2026-01-0{number + 1}T10:00:00Z"))
    store.save(
        replace(plain, id="other", created="2025-12-01T10:00:00Z", disk={"name": "sdz", "model": "Quantum Fireball"})
    )
    (bench.kept / "cut.json").write_text("{")
    return store


def to_history(qtbot: QtBot, running: Application, rows: int) -> HistoryPage:
    click(qtbot, running.window.findChildren(QToolButton)[2])
    page = running.window.history_page
    qtbot.waitUntil(lambda: page.model.rowCount() == rows, timeout=10000)
    qtbot.wait(20)
    return page


def names(page: HistoryPage) -> list[str]:
    return [page.model.entry(row).id for row in range(page.model.rowCount())]


def drop(running: Application, path: Path) -> bool:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    buttons = (Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    enter = QDragEnterEvent(QPoint(9, 9), Qt.DropAction.CopyAction, data, *buttons)
    enter.ignore()
    running.window.dragEnterEvent(enter)
    if enter.isAccepted():
        running.window.dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, *buttons))
    return enter.isAccepted()


def opened_page(qtbot: QtBot, running: Application, kind: type) -> QWidget:
    qtbot.waitUntil(lambda: running.window.opened is not None, timeout=10000)
    assert running.window.opened is not None
    assert isinstance(running.window.opened.content, kind)
    return running.window.opened.content


def test_search_open_and_come_back_by_keyboard(opened: Open, bench: Bench, kept: Store, qtbot: QtBot) -> None:
    running = opened(bench)
    page = to_history(qtbot, running, 5)
    assert names(page) == ["r2", "r1", "r0", "other", "cut"]
    damaged = page.model.data(page.model.index(4, 3))
    assert "JSON" in damaged
    page.table.selectRow(4)
    assert not page.open_button.isEnabled() and page.remove_button.isEnabled()
    qtbot.keyClicks(page.search, "fireball")
    assert names(page) == ["other"]
    qtbot.keyClicks(page.search, "x")
    assert page._hint.isVisible() and page._hint.text() == text("history-not-found")
    page.search.clear()
    page.table.setFocus()
    page.table.selectRow(0)
    qtbot.keyClick(page.table, Qt.Key.Key_Return)
    found = opened_page(qtbot, running, ResultPage)
    assert isinstance(found, ResultPage) and found.use_button.isVisible() and found.leave_button.isVisible()
    assert found.presented.verdict == judge(kept.load("r2"))
    running.window.back()
    assert running.window.opened is None and page.isVisible()


def test_two_results_are_compared(opened: Open, bench: Bench, kept: Store, qtbot: QtBot) -> None:
    slower = kept.load("r1")
    samples = tuple(replace(each, value=each.value * (2 if "launch" in each.metric else 1)) for each in slower.samples)
    kept.save(replace(slower, samples=samples, machine=replace(slower.machine, kernel="6.12")))
    running = opened(bench)
    page = to_history(qtbot, running, 5)
    page.table.selectRow(1)
    assert not page.compare_button.isEnabled()
    page.table.setSelectionMode(page.table.SelectionMode.MultiSelection)
    page.table.selectRow(2)
    click(qtbot, page.compare_button)
    found = opened_page(qtbot, running, BetweenPage)
    assert isinstance(found, BetweenPage)
    between = found.found.between
    assert (between.first.id, between.second.id) == ("r0", "r1")
    assert "more-are-worse" in {sentence.id for sentence in between.why}
    assert all(row.difference.endswith("slower") for row in found.found.panels[0].rows)
    assert ("kernel", "6.1", "6.12") in found.found.differences
    assert len(found.findChildren(IntervalChart)) == 2
    page.table.setSelectionMode(page.table.SelectionMode.ExtendedSelection)


def test_note_and_removal(opened: Open, bench: Bench, kept: Store, qtbot: QtBot) -> None:
    running = opened(bench)
    page = to_history(qtbot, running, 5)
    page.table.selectRow(0)
    click(qtbot, page.note_button)
    dialog = running.window.findChild(type(running.measuring.history.ask_note(page.chosen[0])))
    for each in running.window.findChildren(type(dialog)):
        each.setTextValue("after the new cable")
        each.accept()
    qtbot.waitUntil(lambda: page.model.entry(0).notes == "after the new cable", timeout=10000)
    assert kept.load("r2").notes == "after the new cable" and page.chosen[0].id == "r2"
    box = running.measuring.history.ask_removal(page.chosen[0])
    box.buttons()[0].click() if box.buttons()[0].text() == text("history-remove-now") else box.buttons()[1].click()
    qtbot.waitUntil(lambda: page.model.rowCount() == 4, timeout=10000)
    assert not kept.path_of("r2").exists()


def test_a_list_that_was_read_before_a_change_does_not_come_after_it(
    opened: Open, bench: Bench, kept: Store, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = opened(bench)
    page, history = to_history(qtbot, running, 5), running.measuring.history
    was_read, may_come, read = threading.Event(), threading.Event(), KeptResults.entries

    def late(results: KeptResults) -> tuple[Entry, ...]:
        found = read(results)
        if not was_read.is_set():
            was_read.set()
            may_come.wait(30)
        return found

    monkeypatch.setattr(KeptResults, "entries", late)
    history.refresh()
    qtbot.waitUntil(was_read.is_set, timeout=10000)
    kept.delete("r2")
    history.refresh()
    qtbot.waitUntil(lambda: page.model.rowCount() == 4, timeout=10000)
    may_come.set()
    qtbot.waitUntil(lambda: not running._jobs, timeout=10000)
    assert page.model.rowCount() == 4


def test_a_dropped_picture_shows_the_same_verdict_and_graphs(
    opened: Open, bench: Bench, kept: Store, qtbot: QtBot, tmp_path: Path, watchdog: Watchdog
) -> None:
    original = kept.load("r0")
    with watchdog.looking_away():
        picture = export(original, tmp_path / "forum.png")
    running = opened(bench)
    assert drop(running, picture)
    found = opened_page(qtbot, running, ResultPage)
    assert isinstance(found, ResultPage)
    assert found.presented.verdict == judge(original)
    qtbot.waitUntil(lambda: text("history-added") in running.window.notice.text)
    direct = ResultPage(present(original))
    qtbot.addWidget(direct)
    shown = [chart.panel for chart in found.findChildren(IntervalChart)]
    assert shown and shown == [chart.panel for chart in direct.findChildren(IntervalChart)]
    assert found.presented.result.series == original.series
    assert drop(running, tmp_path / "missing.png")
    qtbot.waitUntil(lambda: "cannot be read" in running.window.notice.text)
    cut = tmp_path / "cut.png"
    cut.write_bytes(picture.read_bytes()[:4000])
    assert drop(running, cut)
    qtbot.waitUntil(lambda: "cut or damaged" in running.window.notice.text)


def test_a_wizard_takes_no_drops(opened: Open, bench: Bench, qtbot: QtBot, tmp_path: Path) -> None:
    running = opened(bench)
    running.find_best("sda")
    assert not drop(running, tmp_path)


def test_saving_and_copying(opened: Open, bench: Bench, kept: Store, qtbot: QtBot, tmp_path: Path) -> None:
    running = opened(bench)
    drop(running, kept.path_of("r0"))
    page = opened_page(qtbot, running, ResultPage)
    assert isinstance(page, ResultPage)
    for form, action in zip(FORMATS, page.save_button.form_actions, strict=True):
        action.trigger()
        dialog = running.window.findChild(QFileDialog)
        assert form.suffix in dialog.nameFilters()[0]
        dialog.reject()
        qtbot.waitUntil(lambda: running.window.findChild(QFileDialog) is None)
        running.measuring.exporter.save(page.presented, form, tmp_path / f"{form.name}{form.suffix}")
        qtbot.waitUntil(lambda form=form: form.name in running.window.notice.text, timeout=20000)
    page.save_button.copy_action.trigger()
    qtbot.waitUntil(lambda: running.window.notice.text == text("picture-copied"), timeout=20000)
    assert QGuiApplication.clipboard().image().width() == 1520


def test_live_figures_are_drawn_when_unfolded(opened: Open, bench: Bench, kept: Store, qtbot: QtBot) -> None:
    running = opened(bench)
    drop(running, kept.path_of("r0"))
    page = opened_page(qtbot, running, ResultPage)
    assert isinstance(page, ResultPage)
    fold = next(fold for fold in page.folds if text("live-figures", count=16) in fold.text())
    fold.setChecked(True)
    from disktuner.gui.plots.course import CoursePlot

    plot = page.findChild(CoursePlot)
    assert plot is not None and len(plot.course.times_s) == 16
    assert plot.course.schedulers == SCHEDULERS
    assert all(f"{name}: typically" in plot.accessibleDescription() for name in SCHEDULERS)
    whole = _seen_s(plot)
    qtbot.keyClick(plot, Qt.Key.Key_Plus)
    half = _seen_s(plot)
    assert half[0] > whole[0] and half[1] < whole[1]
    qtbot.keyClick(plot, Qt.Key.Key_Right)
    assert _seen_s(plot)[0] > half[0] and _seen_s(plot)[1] <= whole[1]
    for _ in range(9):
        qtbot.keyClick(plot, Qt.Key.Key_Left)
    assert _seen_s(plot)[0] == pytest.approx(whole[0], abs=1e-6)
    qtbot.keyClick(plot, Qt.Key.Key_Minus)
    qtbot.keyClick(plot, Qt.Key.Key_Home)
    assert _seen_s(plot) == pytest.approx(whole)


def _seen_s(plot: CoursePlot) -> tuple[float, float]:
    first, last = plot.rate.getViewBox().viewRange()[0]
    return first, last
