# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens is announced once and sparingly; keys reach everything, in the order in which it is seen."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QLineEdit, QProgressBar, QWidget

from disktuner.experiment.events import RoundDone, RunStarted
from disktuner.experiment.progress import Advance
from disktuner.gui.access import Announcer, announce
from disktuner.gui.plots.picture import Picture
from disktuner.gui.style import look
from disktuner.gui.widgets.keys_dialog import KeysDialog
from disktuner.gui.widgets.layout import button, column, label, scrolled
from disktuner.gui.widgets.severity import CheckLine
from disktuner.gui.wizard.running_page import RunningPage
from disktuner.report.exporting import FORMATS
from disktuner.vocabulary.keys import KEYS
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting
from tests.gui.conftest import Show
from tests.gui.contrast import hard_to_see, unseen_focus
from tests.gui.person import Visit, idle, seen, until
from tests.gui.stand_ins import Bench, result

LAST = "and that is all"


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is announced in any window, from the start of the test on."""
    said: list[str] = []

    def hear(announcer: Announcer, sentence: str) -> None:
        said.append(sentence)
        QWidget.setAccessibleName(announcer, sentence)

    monkeypatch.setattr(Announcer, "setAccessibleName", hear)
    return said


def spoken(window: QWidget, heard: list[str]) -> list[str]:
    """What is announced of what has happened since it was asked last, one by one."""
    announce(window, LAST)
    until(lambda: LAST in heard)
    said = heard[:-1]
    heard.clear()
    return said


def test_news_wait_for_each_other_and_what_is_hidden_says_nothing(focused: Show, heard: list[str]) -> None:
    window, part = QWidget(), label("here")
    window.setLayout(column(part))
    announce(part, "nobody sees that")
    focused(window)
    for each in ("one", "two", "two"):
        announce(part, each)
    assert spoken(window, heard) == ["one", "two"]
    told = QAccessible.queryAccessibleInterface(window.findChild(Announcer))
    assert told.role() is QAccessible.Role.Notification and told.text(QAccessible.Text.Name) == LAST


def test_an_area_that_scrolls_has_the_same_parts_with_and_without_scroll_bars(focused: Show) -> None:
    area = scrolled(label("here"))
    focused(area)
    told = QAccessible.queryAccessibleInterface(area)
    before = told.childCount()
    area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
    assert area.verticalScrollBar().isVisible() and told.childCount() == before
    area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    assert told.role() is QAccessible.Role.Client and told.childCount() == before
    assert told.child(before - 1) is not None and told.child(before) is None, "Qt's own ends the program"


@pytest.mark.parametrize("often", [False, True])
def test_progress_is_announced_at_the_start_and_then_rarely(focused: Show, heard: list[str], often: bool) -> None:
    page = RunningPage(spoken_every_s=0 if often else 10**6)  # so long as no machine is slow
    focused(page)
    for order in (0, 1):
        page.show_event(
            RunStarted("dd-write", Setting("bfq"), order, order, Advance(order / 2, 0.5, 1.0, 90.0 - order))
        )
        page.show_event(RoundDone(order, result(6)))
    later = [text("spoken-rounds", count=1, left=89.0)] if often else []
    assert spoken(page, heard) == [text("spoken-begun", left=90.0), *later]


def test_notices_and_the_answer_are_announced_once_and_charts_say_what_they_show(
    visit: Visit, bench: Bench, heard: list[str]
) -> None:
    person = visit(bench)
    full = "The disk is full. Free some room."
    for _ in range(2):
        person.window.show_notice(full, "bad")
    assert spoken(person.window, heard) == [full]
    page = person.to_result()
    answer = page.presented.glance.spoken
    said = spoken(person.window, heard)
    assert said.count(answer) == 1 and len(said) < 8, said
    for fold in person.details.folds:
        fold.setChecked(True)
    idle()
    charts = seen(Picture, page)
    assert len(charts) > 1
    for each in charts:
        told = QAccessible.queryAccessibleInterface(each)
        assert told.role() is QAccessible.Role.Chart and each.focusPolicy() & Qt.FocusPolicy.TabFocus
        assert each.accessibleName().startswith("Chart:") and len(each.accessibleDescription()) > 20
        assert told.text(QAccessible.Text.Description) == each.accessibleDescription()


def test_by_keys_alone_from_the_list_to_an_export_and_back(
    visit: Visit, bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No click and no call: only keys, to whatever has the focus."""
    monkeypatch.chdir(tmp_path)
    person = visit(bench)
    card = person.card("sda")
    person.tab_to(person.card("nvme0n1").option)
    person.key(Qt.Key.Key_Down)
    assert card.option.hasFocus()
    person.key(Qt.Key.Key_Space)
    person.at_cost()
    person.key(Qt.Key.Key_Return)
    until(lambda: person.wizard.step == 2)
    page = person.result
    person.tab_to(page.details.sections[1])
    person.key(Qt.Key.Key_Space)
    person.tab_to(page.details.folds[-1])
    person.key(Qt.Key.Key_Space)
    assert page.details.folds[-1].isChecked()
    person.tab_to(page.save_button)
    person.key(Qt.Key.Key_Space)
    menu = page.save_button.menu()
    until(menu.isVisible)
    for _ in range(30):
        if menu.activeAction() is page.save_button.form_actions[-1]:
            break
        QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.keyClick(menu, Qt.Key.Key_Return)
    name = person.dialog(QFileDialog).findChild(QLineEdit)
    until(lambda: QApplication.focusWidget() is name)
    file = tmp_path / f"saved{FORMATS[-1].suffix}"
    name.selectAll()
    QTest.keyClicks(name, str(file))
    person.key(Qt.Key.Key_Return)
    person.reads(text("wrote", path=str(file)))
    assert file.exists()
    person.key(Qt.Key.Key_Escape)
    until(lambda: person.window.wizard is None)
    assert card.isAncestorOf(QApplication.focusWidget()), "and goes on at the disk"


def test_tab_goes_round_the_page_of_disks(visit: Visit, bench: Bench) -> None:
    person = visit(bench)
    for card in ("sda", "sdb"):
        line = until(lambda card=card: seen(CheckLine, person.card(card)))[0]
        person.tab_to(line.link)
    person.tab_to(person.window.tabs)


def test_the_keyboard_goes_to_each_new_heading_and_to_what_undoes_a_trial(visit: Visit, bench: Bench) -> None:
    person = visit(bench)
    window = person.window
    person.running.begin("sda", "desktop")
    assert window.focusWidget() is window.planned.title
    person.at_cost()
    page = person.measure()
    assert window.focusWidget() is page.title
    section = page.details.sections[1]
    person.tab_to(section)
    person.key(Qt.Key.Key_Space)
    person.key(Qt.Key.Key_Tab)
    assert window.focusWidget() is page.details.folds[0], "on from there, not back to the beginning"
    banner = person.try_now()
    assert window.focusWidget() is banner.back_button
    person.key(Qt.Key.Key_Space)
    until(banner.isHidden)
    assert window.focusWidget() is page.title
    idle()
    person.try_now()
    person.press("keep-until-restart")
    until(lambda: window.wizard is None)
    idle()
    card = person.card("sda")
    assert card.isAncestorOf(window.focusWidget())
    person.running.set_now(card.disk, Setting("none"))
    idle()
    assert card.isAncestorOf(window.focusWidget()), (
        "and not at another disk, for its buttons cannot be pressed meanwhile"
    )


def test_while_it_measures_the_heading_is_called_the_same(focused: Show) -> None:
    """Orca speaks what changes where the focus is: how much is left is what the ring is called."""
    page = RunningPage()
    focused(page)
    before = page.title.accessibleName()
    page.show_event(RunStarted("dd-write", Setting("bfq"), 0, 0, Advance(0.0, 0.1, 3.0, 90.0)))
    assert page.title.accessibleName() == before == page.title.text()
    assert [each.accessibleName() for each in seen(QProgressBar, page)] == [text("run-left", left=90.0)]


def test_keys_go_to_the_pages_and_show_all_keys(visit: Visit, bench: Bench) -> None:
    person = visit(bench)
    window = person.window
    window.activateWindow()
    until(window.isActiveWindow)
    control = Qt.KeyboardModifier.ControlModifier
    for key, page in ((Qt.Key.Key_3, "history"), (Qt.Key.Key_2, "monitor"), (Qt.Key.Key_1, "disks")):
        QTest.keyClick(window, key, control)
        until(window.page(page).isVisible)
    again = QSignalSpy(window.disks_page.again)
    QTest.keyClick(window, Qt.Key.Key_F5)
    until(again.count)
    QTest.keyClick(window, Qt.Key.Key_F1)
    dialog = person.dialog(KeysDialog)
    said = {each.text() for each in dialog.findChildren(QLabel)}
    assert {each.about for each in KEYS.values()} | {"Ctrl+1"} <= said
    until(dialog.isActiveWindow)
    person.key(Qt.Key.Key_Escape)
    until(lambda: not seen(KeysDialog))


@pytest.mark.long
def test_what_is_hard_to_see_is_found(focused: Show) -> None:
    """The measure itself: a pale text, and a button that has the colour of the ring."""
    page, pale, plain = QWidget(), label("hard to read"), button("fine", lambda: None)
    page.setLayout(column(pale, plain))
    focused(page)
    assert hard_to_see(page) == [] and unseen_focus(page) == []
    pale.setStyleSheet(f"color: {look().border.name()}")
    plain.setProperty("primary", True)
    plain.setStyleSheet(f"border: 0; background: {look().on_accent.name()}")
    QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    assert any("hard to read" in each for each in hard_to_see(page))
    assert any("fine" in each for each in unseen_focus(page))
