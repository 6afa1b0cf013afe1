# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens is announced once and sparingly; keys and letters reach everything, in the order in which it is seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from disktuner.experiment.events import RoundDone, RunStarted
from disktuner.gui.access import Announcer, announce
from disktuner.gui.application import Application
from disktuner.gui.plots.picture import Picture
from disktuner.gui.style import look
from disktuner.gui.widgets.keys_dialog import KeysDialog
from disktuner.gui.widgets.layout import button, column, label, scrolled
from disktuner.gui.widgets.letters import letters
from disktuner.gui.widgets.question import Question
from disktuner.gui.wizard.running_page import RunningPage
from disktuner.report.exporting import FORMATS
from disktuner.vocabulary.keys import KEYS
from disktuner.vocabulary.messages import text
from tests.gui.contrast import hard_to_see, unseen_focus
from tests.gui.stand_ins import Bench, result
from tests.gui.test_real_apply import press, tab_to

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints|does not support (raise|grabbing)", extend=True)
Open = Callable[[Bench], Application]


class Heard:
    """What the announcer of a window says, one by one."""

    def __init__(self, qtbot: QtBot, window: QWidget) -> None:
        self._qtbot, self._window = qtbot, window
        self.said: list[str] = []

    def wait(self, ms: int = 900) -> list[str]:
        """Everything that is said within a time."""
        for _ in range(ms // 50):
            self._qtbot.wait(50)
            now = self._window.findChild(Announcer)
            if now is not None and now.accessibleName() not in {"", *self.said}:
                self.said.append(now.accessibleName())
        return self.said


def test_news_wait_for_each_other_and_what_is_hidden_says_nothing(dressed: QApplication, qtbot: QtBot) -> None:
    window, part = QWidget(), label("here")
    window.setLayout(column(part))
    qtbot.addWidget(window)
    announce(part, "nobody sees that")
    window.show()
    assert Heard(qtbot, window).wait(100) == []
    for each in ("one", "two", "two"):
        announce(part, each)
    assert Heard(qtbot, window).wait(2000) == ["one", "two"]
    told = QAccessible.queryAccessibleInterface(window.findChild(Announcer))
    assert told.role() is QAccessible.Role.Notification and told.text(QAccessible.Text.Name) == "two"


def test_an_area_that_scrolls_has_the_same_parts_with_and_without_scroll_bars(
    dressed: QApplication, qtbot: QtBot
) -> None:
    area = scrolled(label("here"))
    qtbot.addWidget(area)
    area.show()
    told = QAccessible.queryAccessibleInterface(area)
    before = told.childCount()
    area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
    assert area.verticalScrollBar().isVisible() and told.childCount() == before
    area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    assert told.role() is QAccessible.Role.Client and told.childCount() == before
    assert told.child(before - 1) is not None and told.child(before) is None, "Qt's own ends the program"


def test_progress_is_announced_at_the_start_and_then_rarely(dressed: QApplication, qtbot: QtBot) -> None:
    page = RunningPage()
    qtbot.addWidget(page)
    page.show()
    heard = Heard(qtbot, page)
    for order in range(40):
        page.show_event(RunStarted("dd-write", "bfq", order // 4, order, 40, 90.0 - order))
        page.show_event(RoundDone(order // 4, result(6)))
    assert heard.wait() == [text("spoken-begun", left=90.0)]
    page._quiet.setRemainingTime(0)
    page.show_event(RunStarted("dd-write", "bfq", 10, 40, 60, 20.0))
    assert heard.wait()[1:] == [text("spoken-rounds", count=40, left=20.0)]


def test_notices_and_the_answer_are_announced_once(bench: Bench, opened: Open, qtbot: QtBot) -> None:
    running = opened(bench)
    window = running.window
    heard = Heard(qtbot, window)
    window.show_notice("The disk is full. Free some room.", "bad")
    window.show_notice("The disk is full. Free some room.", "bad")
    assert heard.wait() == ["The disk is full. Free some room."]
    running.find_best("sda")
    wizard = window.wizard
    assert wizard is not None
    wizard.next()
    qtbot.waitUntil(wizard.next_button.isEnabled, timeout=10000)
    wizard.next()
    qtbot.waitUntil(lambda: wizard.step == 3, timeout=60000)
    assert wizard.result_page is not None
    presented = wizard.result_page.presented
    answer = text("spoken-result", answer=presented.title, why=presented.why)
    heard.wait(3000)
    assert heard.said.count(answer) == 1 and len(heard.said) < 8, heard.said


def test_charts_are_reached_by_tab_and_say_what_they_show(bench: Bench, opened: Open, qtbot: QtBot) -> None:
    running = opened(bench)
    page = _to_result(running, qtbot)
    for fold in page.folds:
        fold.setChecked(True)
    qtbot.wait(100)
    charts = [each for each in page.findChildren(Picture) if each.isVisible()]
    assert len(charts) > 1
    for each in charts:
        told = QAccessible.queryAccessibleInterface(each)
        assert told.role() is QAccessible.Role.Chart and each.focusPolicy() & Qt.FocusPolicy.TabFocus
        assert each.accessibleName().startswith("Chart:") and len(each.accessibleDescription()) > 20
        assert told.text(QAccessible.Text.Description) == each.accessibleDescription()


def _to_result(running: Application, qtbot: QtBot) -> QWidget:
    running.find_best("sda")
    wizard = running.window.wizard
    assert wizard is not None
    wizard.next()
    qtbot.waitUntil(wizard.next_button.isEnabled, timeout=10000)
    wizard.next()
    qtbot.waitUntil(lambda: wizard.step == 3, timeout=60000)
    assert wizard.result_page is not None
    return wizard.result_page


def test_by_keys_alone_from_the_list_to_an_export_and_back(
    bench: Bench, opened: Open, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No click and no call: only keys, to whatever has the focus."""
    monkeypatch.chdir(tmp_path)
    running = opened(bench)
    window = running.window
    card = window.disks_page.card("sda")
    tab_to(qtbot, text("find-best"), card)
    press(qtbot, Qt.Key.Key_Return)
    tab_to(qtbot, text("next"))
    press(qtbot, Qt.Key.Key_Return)
    wizard = window.wizard
    assert wizard is not None
    qtbot.waitUntil(wizard.next_button.isEnabled, timeout=10000)
    tab_to(qtbot, text("start-measuring"))
    press(qtbot, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: wizard.step == 3, timeout=60000)
    page = wizard.result_page
    assert page is not None
    tab_to(qtbot, page.folds[-1].text(), page)
    press(qtbot, Qt.Key.Key_Space)
    qtbot.waitUntil(page.folds[-1].isChecked)
    tab_to(qtbot, text("save-or-copy"))
    press(qtbot, Qt.Key.Key_Space)
    menu = page.save_button.menu()
    qtbot.waitUntil(menu.isVisible)
    while menu.activeAction() is not page.save_button.form_actions[-1]:
        qtbot.keyClick(menu, Qt.Key.Key_Down)
    qtbot.keyClick(menu, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.findChild(QFileDialog) is not None)
    file = tmp_path / f"saved{FORMATS[-1].suffix}"
    name = window.findChild(QFileDialog).findChild(QLineEdit)
    qtbot.waitUntil(lambda: QApplication.focusWidget() is name)
    name.selectAll()
    qtbot.keyClicks(name, str(file))
    press(qtbot, Qt.Key.Key_Return)
    qtbot.waitUntil(file.exists, timeout=20000)
    qtbot.waitUntil(lambda: window.notice.text == text("saved-as", path=str(file)), timeout=10000)
    press(qtbot, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.wizard is None)
    assert card.isAncestorOf(QApplication.focusWidget()), "and goes on at the disk"


@pytest.mark.parametrize(
    ("texts", "chosen"),
    [
        ((), []),
        ((("Back", ""), ("Next", "")), ["b", "n"]),
        ((("Cancel", ""), ("Change…", ""), ("Copy", "")), ["c", "h", "o"]),
        ((("Change…", ""), ("Cancel", "c")), ["h", "c"]),
        ((("Ändern", ""), ("Zurück", ""), ("Über", "")), ["ä", "z", "ü"]),
        ((("取消", ""), ("A", ""), ("A a", "")), ["", "a", ""]),
        ((("All of it", ""), ("All samples", ""), ("Save", "")), ["a", "l", "s"]),
        ((("& more", ""), ("…", "")), ["m", ""]),
    ],
)
def test_letters_differ_and_stay(texts: tuple[tuple[str, str], ...], chosen: list[str]) -> None:
    assert letters(texts) == chosen


def test_a_letter_presses_its_button_and_none_is_shared(dressed: QApplication, qtbot: QtBot) -> None:
    pressed: list[str] = []
    page = QWidget()
    several = [button(each, lambda each=each: pressed.append(each)) for each in ("Save & go", "Same", "Same", "Stop")]
    page.setLayout(column(*several))
    qtbot.addWidget(page)
    page.show()
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    qtbot.wait(20)
    assert [each.letter for each in several] == ["s", "", "", "t"]
    assert several[0].text() == "Save & go" and QPushButton.text(several[0]) == "&Save && go"
    qtbot.keyClick(page, Qt.Key.Key_T, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: pressed == ["Stop"])
    several[0].hide()
    several[2].hide()
    qtbot.wait(20)
    assert [each.letter for each in several[1::2]] == ["s", "t"]


def test_a_dialog_and_what_is_not_shown_yet_take_no_letters_of_a_window(dressed: QApplication, qtbot: QtBot) -> None:
    window, dialog, foot = QWidget(), QDialog(), QWidget()
    dialog.setParent(window, dialog.windowFlags())
    of_window, of_dialog, later = button("Keep", print), button("Keep", print), button("Kept", print)
    for part, one in ((window, of_window), (dialog, of_dialog), (foot, later)):
        part.setLayout(column(one))
        qtbot.addWidget(part)
    dialog.show()
    qtbot.wait(20)
    window.show()
    qtbot.wait(20)
    assert (of_window.letter, of_dialog.letter, later.letter) == ("k", "k", "")
    window.layout().addWidget(foot)
    qtbot.wait(20)
    assert (of_window.letter, of_dialog.letter, later.letter) == ("k", "k", "e")


@pytest.mark.parametrize(("key", "answer"), [(Qt.Key.Key_S, True), (Qt.Key.Key_G, False)])
def test_the_answers_of_a_question_have_letters(dressed: QApplication, qtbot: QtBot, key: Qt.Key, answer: bool) -> None:
    window, said = QWidget(), list[bool]()
    qtbot.addWidget(window)
    window.show()
    asked = Question("Stop?", "Nothing is kept.", "Stop", "Go on", window)
    asked.finished.connect(lambda _: said.append(asked.clickedButton() is asked.yes))
    asked.open()
    asked.activateWindow()
    qtbot.waitUntil(asked.isActiveWindow)
    qtbot.waitUntil(lambda: (asked.yes.letter, asked.no.letter) == ("s", "g"))
    qtbot.keyClick(asked, key, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: said == [answer])
    qtbot.wait(20)


def test_keys_go_to_the_pages_and_show_all_keys(bench: Bench, opened: Open, qtbot: QtBot) -> None:
    running = opened(bench)
    window = running.window
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    control = Qt.KeyboardModifier.ControlModifier
    for key, page in ((Qt.Key.Key_3, "history_page"), (Qt.Key.Key_2, "monitor_page"), (Qt.Key.Key_1, "disks_page")):
        qtbot.keyClick(window, key, control)
        qtbot.waitUntil(lambda page=page: window.pages.currentWidget() is getattr(window, page))
    read = []
    window.disks_page.again.connect(lambda: read.append(1))
    qtbot.keyClick(window, Qt.Key.Key_F5)
    assert read == [1]
    qtbot.keyClick(window, Qt.Key.Key_F1)
    dialog = window.findChild(KeysDialog)
    said = [each.text() for each in dialog.findChildren(type(label("")))]
    assert {each.about for each in KEYS.values()} <= {
        each.text() for each in dialog.findChildren(type(label("", wrap=True)))
    }
    assert "Ctrl+1" in said
    qtbot.waitUntil(dialog.isActiveWindow)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.findChild(KeysDialog) is None)


def test_what_is_hard_to_see_is_found(dressed: QApplication, qtbot: QtBot) -> None:
    """The measure itself: a pale text, and a button that does not show the focus."""
    page, pale, plain = QWidget(), label("hard to read"), button("fine", lambda: None)
    page.setLayout(column(pale, plain))
    qtbot.addWidget(page)
    page.show()
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    assert hard_to_see(page) == [] and unseen_focus(page) == []
    pale.setStyleSheet(f"color: {look().border.name()}")
    plain.setStyleSheet("border: 1px solid gray")
    QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    assert any("hard to read" in each for each in hard_to_see(page))
    assert any("fine" in each for each in unseen_focus(page))
