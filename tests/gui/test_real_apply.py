# SPDX-License-Identifier: GPL-3.0-or-later
"""From the question to a scheduler that is tried, kept and taken back: real helper, real polkit, real disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from pytestqt.qtbot import QtBot

from disktuner.gui.application import Application
from disktuner.gui.widgets.keep_dialog import KeepDialog
from disktuner.gui.widgets.window import Window
from disktuner.gui.wizard.wizard import Wizard
from disktuner.vocabulary.messages import text
from tests.conftest import LoopDisk, Sudo
from tests.gui.conftest import click
from tests.gui.real import Open, announced, known_to_udev, opened, start, switching

__all__ = ["opened"]
RULES = Path("/etc/udev/rules.d/90-disktuner.rules")


def asked(qtbot: QtBot, running: Application) -> KeepDialog:
    qtbot.waitUntil(lambda: running.window.findChild(KeepDialog) is not None, timeout=20000)
    found = running.window.findChild(KeepDialog)
    qtbot.waitUntil(found.isActiveWindow)
    return found


def result_of(qtbot: QtBot, wizard: Wizard) -> None:
    qtbot.waitUntil(lambda: wizard.step == 3, timeout=150000)


def test_by_mouse_tried_kept_persisted_and_taken_back(
    loop_disk: Callable[..., LoopDisk], opened: Open, qtbot: QtBot, sudo: Sudo
) -> None:
    loop = loop_disk(size_mb=512)
    before = loop.scheduler
    with known_to_udev(loop, sudo):
        running = opened(loop, switching, try_s=1.5)
        wizard, window = start(qtbot, running, loop), running.window
        result_of(qtbot, wizard)
        page = wizard.result_page
        assert page is not None and loop.scheduler == before

        click(qtbot, page.use_button)
        asked(qtbot, running)
        assert loop.scheduler == "bfq"
        qtbot.waitUntil(lambda: window.notice.text.endswith("nothing was kept."), timeout=10000)
        assert loop.scheduler == before and window.wizard is wizard

        click(qtbot, page.use_button)
        click(qtbot, asked(qtbot, running).until_button)
        qtbot.waitUntil(lambda: window.wizard is None, timeout=20000)
        qtbot.waitUntil(lambda: "until the next restart" in window.notice.text)
        assert loop.scheduler == "bfq" and not RULES.exists()
        card = window.disks_page.card(loop.name)
        qtbot.waitUntil(lambda: card._back.isVisible() and card._back.isEnabled())
        assert card._back.toolTip() == text("going-back", scheduler=before)
        click(qtbot, card._back)
        qtbot.waitUntil(lambda: loop.scheduler == before, timeout=20000)


def press(qtbot: QtBot, key: Qt.Key) -> None:
    """To whoever has the focus, as a keyboard does; a window manager gives it back to the window below a dialog."""
    if QApplication.activeWindow() is None:
        window = next(each for each in QApplication.topLevelWidgets() if isinstance(each, Window) and each.isVisible())
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(QApplication.focusWidget(), key)


def tab_to(qtbot: QtBot, text: str, within: QWidget | None = None) -> None:
    """Tab until the button with this text has the focus."""
    seen = []
    for _ in range(60):
        focused = QApplication.focusWidget()
        name = focused.text() or focused.accessibleName() if isinstance(focused, QAbstractButton) else str(focused)
        if name == text and (within is None or (focused is not None and within.isAncestorOf(focused))):
            return
        seen.append(name)
        press(qtbot, Qt.Key.Key_Tab)
    pytest.fail(f"Tab never reaches {text!r}: {seen}")


def test_by_keyboard_alone_tried_kept_after_restart_and_taken_back(
    loop_disk: Callable[..., LoopDisk], opened: Open, qtbot: QtBot, sudo: Sudo
) -> None:
    """No click and no call: only keys, to whatever has the focus."""
    loop = loop_disk(size_mb=512)
    before = loop.scheduler
    with known_to_udev(loop, sudo):
        running = opened(loop, switching)
        window = running.window
        card = window.disks_page.card(loop.name)
        tab_to(qtbot, text("find-best"), card)
        press(qtbot, Qt.Key.Key_Return)
        press(qtbot, Qt.Key.Key_Right)
        press(qtbot, Qt.Key.Key_Space)
        tab_to(qtbot, text("next"))
        press(qtbot, Qt.Key.Key_Return)
        wizard = window.wizard
        assert wizard is not None
        qtbot.waitUntil(lambda: wizard.where_page.target == str(loop.folder), timeout=5000)
        qtbot.waitUntil(wizard.next_button.isEnabled, timeout=30000)
        tab_to(qtbot, text("start-measuring"))
        press(qtbot, Qt.Key.Key_Return)
        result_of(qtbot, wizard)
        tab_to(qtbot, text("try-now"))
        press(qtbot, Qt.Key.Key_Return)
        asked(qtbot, running)
        assert loop.scheduler == "bfq"
        tab_to(qtbot, text("keep-after-restart"))
        press(qtbot, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: window.wizard is None, timeout=20000)
        assert loop.scheduler == "bfq" and 'ATTR{queue/scheduler}="bfq"' in RULES.read_text()
        qtbot.waitUntil(lambda: card._chosen.text() == text("chosen-for-good") and card._back.isEnabled())
        tab_to(qtbot, text("go-back"), card)
        press(qtbot, Qt.Key.Key_Space)
        qtbot.waitUntil(lambda: loop.scheduler == before and not RULES.exists(), timeout=20000)
        qtbot.waitUntil(lambda: "now and after every restart" in window.notice.text)


def test_cancelled_in_each_step_nothing_is_left(loop_disk: Callable[..., LoopDisk], opened: Open, qtbot: QtBot) -> None:
    loop = loop_disk(size_mb=512)
    before = loop.scheduler
    running = opened(loop, switching)
    window = running.window

    def left_as_it_was() -> None:
        qtbot.waitUntil(lambda: window.wizard is None, timeout=2000)
        qtbot.waitUntil(lambda: not window.findChildren(Wizard), timeout=5000)
        assert loop.scheduler == before
        assert loop.folder and [path.name for path in loop.folder.iterdir()] == ["lost+found"]

    def at_where() -> Wizard:
        running.find_best(loop.name)
        found = window.wizard
        assert found is not None
        click(qtbot, found.next_button)
        return found

    running.find_best(loop.name)
    assert window.wizard is not None
    click(qtbot, window.wizard.close_button)
    left_as_it_was()
    wizard = at_where()
    qtbot.wait(800)  # while it looks at the disk
    click(qtbot, wizard.close_button)
    left_as_it_was()
    wizard = announced(qtbot, running, loop)
    press(qtbot, Qt.Key.Key_Escape)
    assert wizard.step == 0 and window.question is None
    press(qtbot, Qt.Key.Key_Escape)
    left_as_it_was()
    wizard = announced(qtbot, running, loop)
    click(qtbot, wizard.next_button)
    qtbot.wait(30)  # while it gets ready
    click(qtbot, wizard.running_page.cancel_button)
    left_as_it_was()
    assert window.notice.text == text("measuring-cancelled")
    wizard = start(qtbot, running, loop)
    click(qtbot, wizard.running_page.pause_button)
    press(qtbot, Qt.Key.Key_Escape)
    assert window.question is not None
    stop = next(each for each in window.question.buttons() if each.text() == text("leave-stop"))
    click(qtbot, stop)
    left_as_it_was()
    assert window.notice.text == text("measuring-cancelled")
    wizard = start(qtbot, running, loop)
    result_of(qtbot, wizard)
    assert wizard.result_page is not None
    click(qtbot, wizard.result_page.use_button)
    asked(qtbot, running)
    press(qtbot, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: loop.scheduler == before)
    qtbot.waitUntil(wizard.result_page.leave_button.isEnabled)
    click(qtbot, wizard.result_page.leave_button)
    left_as_it_was()
