# SPDX-License-Identifier: GPL-3.0-or-later
"""Kept results in the window: found, opened, compared, noted, removed, added by drag and drop, saved."""

from __future__ import annotations

import threading
from array import array
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QFileDialog, QInputDialog, QPushButton

from disktuner.gui.measurement.result_page import ResultPage
from disktuner.gui.plots.charts import BarChart
from disktuner.gui.plots.marks import setting_colour
from disktuner.gui.style import look
from disktuner.gui.widgets.between_page import BetweenPage
from disktuner.gui.widgets.free_room import FreeRoom
from disktuner.gui.widgets.history_page import HistoryPage
from disktuner.memories import known_memories
from disktuner.presentation import Presented, present, present_between
from disktuner.presentation.library import ResultLibrary
from disktuner.report import export
from disktuner.report.exporting import FORMATS
from disktuner.report.lines import as_text
from disktuner.results.history import Entry
from disktuner.results.model import SeriesRecord
from disktuner.results.store import Store
from disktuner.verdict.judge import judge
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting
from tests.gui.conftest import Nobody, Show
from tests.gui.person import Person, Visit, click, details, idle, pressable, said, seen, until, words
from tests.gui.stand_ins import SCHEDULERS, Bench, Late, result


def live(order: int) -> SeriesRecord:
    figures = {name: array("f", [1e6, 9e7]) for name in ("read_bytes_per_s", "write_bytes_per_s", "read_latency_s")}
    return SeriesRecord(order, "copy", Setting(SCHEDULERS[order % 4]), order // 4, array("f", [0.1, 0.2]), figures)


@pytest.fixture
def store(bench: Bench) -> Store:
    """Three results of sda, one of another disk, and a file that is no result."""
    kept_, plain = Store(bench.kept), replace(result(6), series=tuple(map(live, range(8))))
    for number in range(3):
        kept_.save(replace(plain, id=f"r{number}", created=f"2026-01-0{number + 1}T10:00:00Z"))
    other = {"name": "sdz", "model": "Quantum Fireball"}
    kept_.save(replace(plain, id="other", created="2025-12-01T10:00:00Z", disk=other))
    (bench.kept / "cut.json").write_text("{")
    return kept_


@pytest.fixture
def person(visit: Visit, bench: Bench, store: Store) -> Person:
    """A window with the list of these."""
    person = visit(bench)
    person.to_history(5)
    return person


@pytest.fixture
def page(person: Person) -> HistoryPage:
    """The list in that window."""
    return person.window.page("history")


def click_row(page: HistoryPage, row: int, keys: Qt.KeyboardModifier) -> None:
    """Click a row while keys are held."""
    place = page.table.visualRect(page.model.index(row, 1)).center()
    QTest.mouseClick(page.table.viewport(), Qt.MouseButton.LeftButton, keys, place)


def names(page: HistoryPage) -> list[str]:
    return [page.model.entry(row).id for row in range(page.model.rowCount())]


def drop(person: Person, path: Path) -> bool:
    """Drag a file into the window; return whether it is accepted."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    buttons = (Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    enter = QDragEnterEvent(QPoint(9, 9), Qt.DropAction.CopyAction, data, *buttons)
    enter.ignore()
    QApplication.sendEvent(person.window, enter)
    if enter.isAccepted():
        QApplication.sendEvent(person.window, QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, *buttons))
    return enter.isAccepted()


def test_the_chosen_answer_is_drawn_below_the_rows_else_the_newest(page: HistoryPage) -> None:
    def drawn() -> str:
        (room,) = seen(FreeRoom, page)
        return room.accessibleName()

    assert "2026-01-03" in drawn()
    page.table.selectRow(2)
    assert "2026-01-01" in drawn()
    page.table.selectRow(4)
    assert "2026-01-03" in drawn(), "what cannot be opened has no answer"
    QTest.keyClicks(page.search, "fireball")
    assert "2025-12-01" in drawn()
    until(lambda: page.table.height() < 3 * page.table.rowHeight(0))
    page.search.clear()
    until(lambda: page.table.height() > 5 * page.table.rowHeight(0))
    assert page.table.viewport().height() == page.table.verticalHeader().length()


def test_without_an_answer_to_draw_the_table_stays_at_the_top(page: HistoryPage) -> None:
    QTest.keyClicks(page.search, "cut")
    until(lambda: page.table.height() < 3 * page.table.rowHeight(0))
    assert names(page) == ["cut"] and not seen(FreeRoom, page) and page.table.y() == 0


def test_a_result_that_does_not_name_its_disk_is_chosen_like_any_other(visit: Visit, bench: Bench) -> None:
    Store(bench.kept).save(replace(result(6), disk={"kind": "hdd"}))
    person = visit(bench)
    page = person.to_history(1)
    page.table.selectRow(0)
    assert page.open_button.isEnabled() and not seen(FreeRoom, page)
    click(page.note_button)
    dialog = person.window.findChild(QInputDialog)
    assert page.chosen_entries[0].id in dialog.labelText()
    dialog.reject()


def test_search_open_and_come_back_by_keyboard(person: Person, page: HistoryPage, store: Store) -> None:
    assert names(page) == ["r2", "r1", "r0", "other", "cut"]
    assert "not a complete result file" in page.model.data(page.model.index(4, 3))
    page.table.selectRow(4)
    assert not page.open_button.isEnabled() and page.remove_button.isEnabled()
    QTest.keyClicks(page.search, "fireball")
    assert names(page) == ["other"]
    QTest.keyClicks(page.search, "x")
    assert names(page) == [] and text("history-not-found") in said(page)
    page.search.clear()
    page.table.setFocus()
    page.table.selectRow(0)
    QTest.keyClick(page.table, Qt.Key.Key_Return)
    answer = person.opened(ResultPage)
    assert answer.use_button.isVisible() and answer.leave_button.isVisible()
    assert answer.presented.verdict == judge(store.load("r2"))
    person.window.back()
    assert person.window.opened is None and page.isVisible()


def test_a_row_is_found_by_each_text_that_it_shows(page: HistoryPage) -> None:
    for place in range(page.model.columnCount()):
        page.search.clear()
        shown = page.model.data(page.model.index(1, place))
        page.search.setText(shown)
        assert "r1" in names(page), shown


def test_the_same_samples_are_judged_for_another_purpose(person: Person, store: Store) -> None:
    file = Path(__file__).resolve().parents[2] / "docs/measured/hard-disk-desktop.json"
    person.running.show_result(store.add(file).id)
    first = person.opened(ResultPage)
    click(next(button for button in details(first).findChildren(QPushButton) if button.text() == "Server"))
    until(lambda: person.opened(ResultPage) is not first)
    presented = person.opened(ResultPage).presented
    assert presented.result.plan.goal == "server" and presented.result.samples == first.presented.result.samples


def test_a_click_on_a_column_sorts_by_it(page: HistoryPage) -> None:
    """Times are sorted as times, however the language writes them; the search keeps that order."""
    newest = [page.model.entry(row).created for row in range(page.model.rowCount())]
    assert newest == sorted(newest, reverse=True)
    page.table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    assert [page.model.entry(row).created for row in range(page.model.rowCount())] == sorted(newest)
    page.search.setText("r")
    created = [page.model.entry(row).created for row in range(page.model.rowCount())]
    assert created == sorted(created)


def test_times_of_other_zones_and_what_is_no_time_are_ordered_like_the_list_of_the_terminal(
    visit: Visit, bench: Bench
) -> None:
    created = {"later": "2026-01-01T23:00:00-11:00", "sooner": "2026-01-02T08:00:00Z", "never": "some day"}
    for id_, time in created.items():
        Store(bench.kept).save(replace(result(6), id=id_, created=time))
    page = visit(bench).to_history(3)
    assert names(page) == ["later", "sooner", "never"]
    page.table.selectRow(0)
    click_row(page, 1, Qt.KeyboardModifier.ControlModifier)
    assert [entry.id for entry in page.chosen_entries] == ["sooner", "later"]


def test_an_answer_has_its_badge_and_its_figure_as_bars(page: HistoryPage, store: Store) -> None:
    verdict = judge(store.load("r2"))
    (entry,) = (entry for entry in map(page.model.entry, range(5)) if entry.id == "r2")
    assert (entry.decision, entry.about) == (verdict.decision, "bfq")
    values = {
        comparison.setting.name: comparison.value
        for comparison in verdict.comparisons
        if comparison.metric.name == verdict.leading
    }
    assert {name for name, _ in entry.bars} == {*values, verdict.baseline.name} and len(values) == 3
    shares = dict(entry.bars)
    assert shares["bfq"] / shares["kyber"] == pytest.approx(values["bfq"] / values["kyber"], rel=0.01)
    assert max(shares.values()) == 1 and next(iter(shares)) == "bfq"
    rect = page.table.visualRect(page.model.index(0, 3))
    picture = page.table.viewport().grab(rect).toImage()
    seen_colours = {picture.pixelColor(x, y).name() for x in range(picture.width()) for y in range(picture.height())}
    assert {setting_colour(Setting("bfq")).name(), look().good.name()} <= seen_colours


def test_a_search_that_finds_nothing_and_an_empty_list_say_what_to_do(visit: Visit, bench: Bench) -> None:
    person = visit(bench)
    person.press("page-history")
    person.press("start-measuring")
    assert person.window.disks_page.isVisible()
    Store(bench.kept).save(result(6))
    page = person.to_history(1)
    page.search.setText("nothing like it")
    person.press("history-show-all")
    assert page.table.isVisible() and page.search.text() == ""


def test_results_of_one_disk_or_goal_are_chosen(person: Person, page: HistoryPage) -> None:
    disks, goals = page.filters.values()
    assert disks.isVisible() and not goals.isVisible(), "there is one goal"
    disks.setCurrentIndex(disks.findText("Quantum Fireball", Qt.MatchFlag.MatchStartsWith))
    assert names(page) == ["other"]
    page.search.setText("nothing like it")
    person.press("history-show-all")
    assert names(page) == ["r2", "r1", "r0", "other", "cut"]


def test_the_keyboard_is_at_the_list_and_before_any_result_at_what_leads_to_one(visit: Visit, bench: Bench) -> None:
    person = visit(bench)
    person.window.activateWindow()
    until(person.window.isActiveWindow)
    person.card("sda").take_focus()  # else it stays at the tabs
    person.press("page-history")
    until(until(lambda: pressable(text("start-measuring"))).hasFocus)
    Store(bench.kept).save(result(6))
    person.press("page-history")
    until(person.window.page("history").table.hasFocus)


def test_two_that_share_nothing_say_so(show: Show) -> None:
    page = show(BetweenPage(present_between(result(3), replace(result(3), samples=()))))
    assert not page.between.shared and text("nothing-in-common") in words(page)


def test_the_two_that_were_compared_stay_chosen(person: Person, page: HistoryPage) -> None:
    page.table.selectRow(0)
    click_row(page, 2, Qt.KeyboardModifier.ControlModifier)
    click(page.compare_button)
    person.opened(BetweenPage)
    person.key(Qt.Key.Key_Escape)
    idle()
    assert [entry.id for entry in page.chosen_entries] == ["r0", "r2"] and page.compare_button.isEnabled()


def test_note_and_removal_after_which_the_keyboard_is_at_the_list(
    person: Person, page: HistoryPage, store: Store
) -> None:
    page.table.selectRow(0)
    click(page.note_button)
    dialog = person.window.findChild(QInputDialog)
    dialog.setTextValue("after the new cable")
    dialog.accept()
    until(lambda: page.model.entry(0).notes == "after the new cable")
    assert store.load("r2").notes == "after the new cable" and page.chosen_entries[0].id == "r2"
    click(page.remove_button)
    person.press("cancel")
    idle()
    assert store.path_of("r2").exists()
    page.remove_button.setFocus()
    person.key(Qt.Key.Key_Return)
    person.press("history-remove-now")
    until(lambda: page.model.rowCount() == 4)
    assert not store.path_of("r2").exists()
    person.window.activateWindow()
    until(page.table.hasFocus)


def test_a_note_that_was_refused_is_there_for_another_try(person: Person, page: HistoryPage, store: Store) -> None:
    page.table.selectRow(0)
    for refused, shown, notes in ((True, "", "x" * 100_001), (False, "x" * 100_001, "short"), (False, "short", "")):
        click(page.note_button)
        dialog = [found for found in person.window.findChildren(QInputDialog) if found.isVisible()][-1]
        assert dialog.textValue() == shown
        dialog.setTextValue(notes)
        dialog.accept()
        if refused:
            person.reads("longer than 100,000 characters")
        else:
            until(lambda notes=notes: page.model.entry(0).notes == notes)
    assert store.load("r2").notes == ""


def test_a_list_that_was_read_before_a_change_does_not_come_after_it(
    person: Person, page: HistoryPage, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = person.running.measuring.history
    late = Late(ResultLibrary.entries)

    def entries(results: ResultLibrary) -> tuple[Entry, ...]:
        return late(results)

    monkeypatch.setattr(ResultLibrary, "entries", entries)
    history.refresh()
    until(late.was_read.is_set)
    store.delete("r2")
    history.refresh()
    until(lambda: page.model.rowCount() == 4)
    late.may_come.set()
    idle()
    assert page.model.rowCount() == 4


@pytest.mark.parametrize("act", ["open", "note", "compare"])
def test_a_result_whose_file_was_removed_by_somebody_is_said_to_be_gone_and_no_longer_listed(
    act: str, person: Person, page: HistoryPage, store: Store
) -> None:
    page.table.selectRow(0)
    store.path_of("r2").unlink()
    if act == "open":
        click(page.open_button)
    elif act == "note":
        click(page.note_button)
        dialog = until(lambda: page.window().findChild(QInputDialog))
        dialog.setTextValue("mine")
        dialog.accept()
    else:
        click_row(page, 1, Qt.KeyboardModifier.ControlModifier)
        click(page.compare_button)
    person.reads("There is no result r2")
    until(lambda: "r2" not in names(page))


def test_a_card_does_not_remember_a_result_that_was_removed_although_that_is_read_late(
    visit: Visit, bench: Bench, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = Late(known_memories)
    monkeypatch.setattr("tests.gui.stand_ins.known_memories", late)
    ResultLibrary(bench.kept).entries()  # as an earlier start has judged them
    person = visit(bench, settled=False)
    until(late.was_read.is_set)
    page = person.to_history(5)
    page.table.selectRow(0)
    click(page.remove_button)
    person.press("history-remove-now")
    until(lambda: page.model.rowCount() == 4)
    late.may_come.set()
    person.press("page-disks")
    idle()
    sentences = words(person.card("sda"))
    assert "2026-01-02" in sentences and "2026-01-03" not in sentences
    person.press("show-answer", person.card("sda"))
    assert person.opened(ResultPage).presented.result.id == "r1"


def test_of_two_results_that_are_opened_after_each_other_the_last_is_shown(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_come, read = threading.Event(), ResultLibrary.open

    def late(results: ResultLibrary, result_id: str) -> Presented:
        if result_id == "r0":
            may_come.wait()
        return read(results, result_id)

    monkeypatch.setattr(ResultLibrary, "open", late)
    for result_id in ("r0", "r1"):
        person.running.show_result(result_id)
    assert person.opened(ResultPage).presented.result.id == "r1"
    may_come.set()
    idle()
    assert person.opened(ResultPage).presented.result.id == "r1"


def test_a_dropped_picture_shows_the_same_verdict_and_graphs(person: Person, store: Store, tmp_path: Path) -> None:
    original, notice = store.load("r0"), person.window.notice
    picture, cut = export(original, tmp_path / "forum.png"), tmp_path / "cut.png"
    assert drop(person, picture)
    page = person.opened(ResultPage)
    until(lambda: text("history-added") in notice.text)
    direct = ResultPage(present(original), Nobody())
    panels = [chart.panel for chart in page.findChildren(BarChart)]
    assert panels and panels == [chart.panel for chart in direct.findChildren(BarChart)]
    assert page.presented.verdict == judge(original) and page.presented.result.series == original.series
    assert drop(person, tmp_path / "missing.png")
    until(lambda: "cannot be read" in notice.text)
    cut.write_bytes(picture.read_bytes()[:4000])
    assert drop(person, cut)
    until(lambda: "cropped or damaged" in notice.text)
    person.window.back()
    person.running.begin("sda", "desktop")
    assert not drop(person, picture), "a measurement takes no drops"


def test_each_form_is_asked_for_and_a_picture_copied(person: Person) -> None:
    person.window.page("history").table.selectRow(0)
    person.window.page("history").open_button.click()
    page = person.opened(ResultPage)
    for form, action in zip(FORMATS, page.save_button.form_actions, strict=True):
        action.trigger()
        dialog = person.window.findChildren(QFileDialog)[-1]
        assert form.suffix in dialog.nameFilters()[0]
        dialog.reject()
    page.save_button.copy_action.trigger()
    until(lambda: person.window.notice.text == text("picture-copied"))
    assert QGuiApplication.clipboard().image().width() == 1200
    page.save_button.text_action.trigger()
    until(lambda: person.window.notice.text == text("text-copied"))
    assert QGuiApplication.clipboard().text() == as_text(page.presented)


def test_a_name_with_a_dot_gets_the_suffix_too_and_nothing_is_overwritten_unasked(
    person: Person, tmp_path: Path
) -> None:
    person.window.page("history").table.selectRow(0)
    person.window.page("history").open_button.click()
    button, saved = person.opened(ResultPage).save_button, tmp_path / "my.result.json"

    def save_as(dialog: QFileDialog, path: Path) -> None:
        dialog.selectFile(str(path))
        click(dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Save))

    button.form_actions[-1].trigger()
    save_as(person.window.findChildren(QFileDialog)[-1], tmp_path / "my.result")
    until(lambda: person.window.notice.text == text("wrote", path=str(saved)))
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("my")] == [saved.name]
    saved.write_text("old")
    button.form_actions[-1].trigger()
    first = person.window.findChildren(QFileDialog)[-1]
    save_as(first, tmp_path / "my.result")
    (again,) = [dialog for dialog in person.window.findChildren(QFileDialog) if dialog is not first]
    assert again.selectedFiles() == [str(saved)] and saved.read_text() == "old"
    again.reject()


def test_all_selected_rows_are_copied(page: HistoryPage) -> None:
    page.table.selectRow(0)
    click_row(page, 1, Qt.KeyboardModifier.ControlModifier)
    page.table.setFocus()
    QTest.keyClick(page.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    cells = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
    assert cells == [
        [page.model.data(page.model.index(row, at)) for at in range(page.model.columnCount())] for row in (0, 1)
    ]


def test_live_figures_are_drawn_when_unfolded(store: Store, show: Show) -> None:
    from disktuner.gui.plots.course import CoursePlot

    page = ResultPage(present(store.load("r0")), Nobody())
    show(page)
    next(fold for fold in details(page).folds if text("live-figures", count=16) in fold.text()).setChecked(True)
    plot = page.findChild(CoursePlot)
    assert len(plot.course.times_s) == 16 and plot.course.settings == tuple(map(Setting, SCHEDULERS))
    assert all(f"{name}: typically" in plot.accessibleDescription() for name in SCHEDULERS)

    def seen_s(*keys: Qt.Key) -> tuple[float, float]:
        for key in keys:
            QTest.keyClick(plot, key)
        first, last = plot.rate.getViewBox().viewRange()[0]
        return first, last

    whole = seen_s()
    half = seen_s(Qt.Key.Key_Plus)
    assert half[0] > whole[0] and half[1] < whole[1]
    right = seen_s(Qt.Key.Key_Right)
    assert right[0] > half[0] and right[1] <= whole[1]
    assert seen_s(*[Qt.Key.Key_Left] * 9)[0] == pytest.approx(whole[0], abs=1e-6)
    assert seen_s(Qt.Key.Key_Minus, Qt.Key.Key_Home) == pytest.approx(whole)
