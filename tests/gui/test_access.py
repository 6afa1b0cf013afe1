# SPDX-License-Identifier: GPL-3.0-or-later
"""Events are announced once and sparingly; keys reach everything, in visual order."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QLineEdit, QMenu, QProgressBar, QWidget

from disktuner.experiment.events import RoundDone, RunStarted
from disktuner.experiment.progress import Advance
from disktuner.gui.access import Announcer, announce
from disktuner.gui.measurement.running_page import RunningPage
from disktuner.gui.plots.picture import Picture
from disktuner.gui.style import look
from disktuner.gui.widgets.keys_dialog import KeysDialog
from disktuner.gui.widgets.layout import button, column, label, scrolled
from disktuner.gui.widgets.severity import CheckLine
from disktuner.helper_client import calls
from disktuner.report.exporting import FORMATS
from disktuner.vocabulary.keys import KEYS
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting
from tests.gui.conftest import Show
from tests.gui.contrast import hard_to_see, unseen_focus
from tests.gui.person import Hands, Person, Visit, idle, seen, until
from tests.gui.stand_ins import Bench, result

LAST = "and that is all"


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All announcements in any window since the start of the test."""
    sentences: list[str] = []

    def hear(announcer: Announcer, sentence: str) -> None:
        sentences.append(sentence)
        QWidget.setAccessibleName(announcer, sentence)

    monkeypatch.setattr(Announcer, "setAccessibleName", hear)
    return sentences


def spoken(window: QWidget, heard: list[str]) -> list[str]:
    """Return the announcements since the last call, one by one."""
    announce(window, LAST)
    until(lambda: LAST in heard)
    sentences = heard[:-1]
    heard.clear()
    return sentences


def test_news_wait_for_each_other_and_what_is_hidden_says_nothing(focused: Show, heard: list[str]) -> None:
    window, part = QWidget(), label("here")
    window.setLayout(column(part))
    announce(part, "nobody sees that")
    focused(window)
    for sentence in ("one", "two", "two"):
        announce(part, sentence)
    assert spoken(window, heard) == ["one", "two"]
    interface = QAccessible.queryAccessibleInterface(window.findChild(Announcer))
    assert interface.role() is QAccessible.Role.Notification and interface.text(QAccessible.Text.Name) == LAST


def test_an_area_that_scrolls_has_the_same_parts_with_and_without_scroll_bars(focused: Show) -> None:
    area = scrolled(label("here"))
    focused(area)
    interface = QAccessible.queryAccessibleInterface(area)
    before = interface.childCount()
    area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
    assert area.verticalScrollBar().isVisible() and interface.childCount() == before
    area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    assert interface.role() is QAccessible.Role.Client and interface.childCount() == before
    assert interface.child(before - 1) is not None and interface.child(before) is None, "Qt's own ends the program"


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
    heard: list[str], person: Person
) -> None:
    full = "The disk is full. Free some room."
    for _ in range(2):
        person.window.show_notice(full, "bad")
    assert spoken(person.window, heard) == [full]
    page = person.to_result()
    answer = page.presented.glance.spoken
    sentences = spoken(person.window, heard)
    assert sentences.count(answer) == 1 and len(sentences) < 8, sentences
    for fold in person.details.folds:
        fold.setChecked(True)
    idle()
    charts = seen(Picture, page)
    assert len(charts) > 1
    for chart in charts:
        interface = QAccessible.queryAccessibleInterface(chart)
        assert interface.role() is QAccessible.Role.Chart and chart.focusPolicy() & Qt.FocusPolicy.TabFocus
        assert chart.accessibleName().startswith("Chart:") and len(chart.accessibleDescription()) > 20
        assert interface.text(QAccessible.Text.Description) == chart.accessibleDescription()


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
    until(lambda: person.measurement.step == 2)
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
    until(lambda: person.window.measurement is None)
    assert card.isAncestorOf(QApplication.focusWidget()), "and goes on at the disk"


def test_by_keys_alone_it_takes_as_many_presses_to_a_kept_answer_as_clicks(
    visit: Visit, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tab and arrows lead to the next thing; two presses start a measurement, and five keep its answer."""
    person, hands = visit(bench), Hands(monkeypatch)
    person.tab_to(person.card("nvme0n1").option)
    person.key(Qt.Key.Key_Down)
    person.key(Qt.Key.Key_Space)
    person.at_cost()
    person.key(Qt.Key.Key_Return)
    until(lambda: person.window.measurement)
    assert (hands.clicks, hands.presses) == (0, 2)
    until(lambda: person.measurement.step == 2)
    person.tab_to(person.result.use_button)
    person.key(Qt.Key.Key_Return)
    banner = person.on_trial()
    assert banner.back_button.hasFocus()
    person.tab_to(banner.keep_button)
    person.key(Qt.Key.Key_Space)
    menu = until(lambda: next(iter(seen(QMenu)), None))
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Return):
        QTest.keyClick(menu, key)
    until(lambda: bench.helper.calls[-1:] == [calls.keep_trial("t1", persist=True)])
    assert (hands.clicks, hands.presses) == (0, 5)


def test_tab_goes_round_the_page_of_disks(person: Person) -> None:
    for card in ("sda", "sdb"):
        line = until(lambda card=card: seen(CheckLine, person.card(card)))[0]
        person.tab_to(line.link)
    person.tab_to(person.window.tabs)


def test_the_keyboard_goes_to_each_new_heading_and_to_what_undoes_a_trial(person: Person) -> None:
    window = person.window
    person.running.begin("sda", "desktop")
    check_heading(window, window.planned.title)
    person.at_cost()
    page = person.measure()
    check_heading(window, page.title)
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
    person.keep("keep-until-restart")
    until(lambda: window.measurement is None)
    idle()
    card = person.card("sda")
    assert card.isAncestorOf(window.focusWidget())
    person.running.set_now(card.disk, Setting("none"))
    idle()
    assert card.isAncestorOf(window.focusWidget()), (
        "and not at another disk, for its buttons cannot be pressed meanwhile"
    )


def check_heading(window: QWidget, title: QLabel) -> None:
    interface = QAccessible.queryAccessibleInterface(title)
    assert interface.role() is QAccessible.Role.Heading and interface.text(QAccessible.Text.Name) == title.text()
    assert window.focusWidget() is title


def test_while_it_measures_the_heading_is_called_the_same(focused: Show) -> None:
    """Orca speaks changes of the focused widget: the time left is the name of the ring."""
    page = RunningPage()
    focused(page)
    before = page.title.accessibleName()
    page.show_event(RunStarted("dd-write", Setting("bfq"), 0, 0, Advance(0.0, 0.1, 3.0, 90.0)))
    assert page.title.accessibleName() == before == page.title.text()
    assert [bar.accessibleName() for bar in seen(QProgressBar, page)] == [text("run-left", left=90.0)]


def test_keys_go_to_the_pages_and_show_all_keys(person: Person) -> None:
    window = person.window
    window.activateWindow()
    until(window.isActiveWindow)
    control = Qt.KeyboardModifier.ControlModifier
    for key, page in ((Qt.Key.Key_3, "history"), (Qt.Key.Key_2, "monitor"), (Qt.Key.Key_1, "disks")):
        QTest.keyClick(window, key, control)
        until(window.page(page).isVisible)
    again = QSignalSpy(person.running.stale)
    QTest.keyClick(window, Qt.Key.Key_F5)
    until(again.count)
    QTest.keyClick(window, Qt.Key.Key_F1)
    dialog = person.dialog(KeysDialog)
    labels = {label.text() for label in dialog.findChildren(QLabel)}
    assert {key.about for key in KEYS.values()} | {"Ctrl+1"} <= labels
    until(dialog.isActiveWindow)
    person.key(Qt.Key.Key_Escape)
    until(lambda: not seen(KeysDialog))


@pytest.mark.long
def test_what_is_hard_to_see_is_found(focused: Show) -> None:
    """A test of the measure itself: a pale text, and a button in the colour of the ring."""
    page, pale, plain = QWidget(), label("hard to read"), button("fine", lambda: None)
    page.setLayout(column(pale, plain))
    focused(page)
    assert hard_to_see(page) == [] and unseen_focus(page) == []
    pale.setStyleSheet(f"color: {look().border.name()}")
    plain.setProperty("primary", True)
    plain.setStyleSheet(f"border: 0; background: {look().on_accent.name()}")
    QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    assert any("hard to read" in complaint for complaint in hard_to_see(page))
    assert any("fine" in complaint for complaint in unseen_focus(page))
