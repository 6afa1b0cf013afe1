# SPDX-License-Identifier: GPL-3.0-or-later
"""The main window: which page is seen, what stands above it, and what Esc, Back and closing do."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMimeData, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeySequence, QPaintEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QPushButton, QStackedWidget, QTabBar, QWidget

from disktuner.gui.intents import Intents
from disktuner.gui.models import DisksModel
from disktuner.gui.style import fitting, look
from disktuner.gui.widgets.disks_page import DisksPage
from disktuner.gui.widgets.keys_dialog import KeysDialog
from disktuner.gui.widgets.language_button import LanguageButton
from disktuner.gui.widgets.layout import bar, column, page_wide, row
from disktuner.gui.widgets.monitor_page import MonitorModel, MonitorPage
from disktuner.gui.widgets.notice import Notice
from disktuner.gui.widgets.question import Question
from disktuner.gui.widgets.trial_banner import TrialBanner
from disktuner.vocabulary.keys import KEYS
from disktuner.vocabulary.messages import text

if TYPE_CHECKING:  # imported when they are opened: they bring the floors that measure and judge
    from disktuner.gui.widgets.history_page import HistoryPage
    from disktuner.gui.widgets.opened_page import OpenedPage
    from disktuner.gui.wizard.wizard import Wizard

_ACTIVATION = "XDG_ACTIVATION_TOKEN"
_PAGES = ("page-disks", "page-monitor", "page-history")
_DISKS, _MONITOR, _HISTORY = range(len(_PAGES))


class Window(QMainWindow):
    """Disks, monitor and history, or a wizard or an opened result in their place.

    Signals: ``painted`` once, when the first frame is there; ``watched`` whether the live figures can be seen;
    ``closing`` when it is closed for good; ``wizard_closed`` when the disks are back; ``history_seen`` and
    ``monitor_seen`` when these are looked at; ``freeze`` when somebody wants to know why it froze; ``measuring``
    whether a wizard measures; ``dropped`` the path of a file that was dropped on it.
    Attributes: ``wizard``, ``opened`` and ``question``, what is open or asked right now.
    """

    painted = Signal()
    watched = Signal(bool)
    closing = Signal()
    wizard_closed = Signal()
    history_seen = Signal()
    monitor_seen = Signal()
    freeze = Signal()
    measuring = Signal(bool)
    dropped = Signal(object)

    def __init__(
        self, disks: DisksModel, monitor: MonitorModel, intents: Intents, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(text("app"))
        self.disks_page, self._monitor = DisksPage(disks, intents), monitor
        self.notice, self.trial = Notice(), TrialBanner()
        self.wizard: Wizard | None = None
        self.opened: OpenedPage | None = None
        self._opened_on = self._hinders = ""
        self._opened_next: tuple[OpenedPage, str] | None = None
        self.question: Question | None = None
        self._was_painted = self._stops = False
        self.pages = QStackedWidget()
        self.pages.addWidget(self.disks_page)
        self.setAcceptDrops(True)
        self._lay_out()
        self._listen_to_keys()
        self.resize(fitting(look().wide * 29, look().wide * 24))
        self.setMinimumSize(fitting(look().wide * 20, look().wide * 10))

    def _listen_to_keys(self) -> None:
        does: dict[str, Callable[[], object]] = {
            "keys": lambda: KeysDialog(self).open(),
            "disks": lambda: self._go_by_key(_DISKS),
            "monitor": lambda: self._go_by_key(_MONITOR),
            "history": lambda: self._go_by_key(_HISTORY),
            "freeze": self._keep_freeze,
            "again": self.disks_page.again.emit,
            "save": self._save,
            "back": self.back,
            "quit": self.close,
        }
        for each in KEYS.values():
            for key in each.keys:
                QShortcut(QKeySequence(key), self).activated.connect(does[each.id])

    def _go_by_key(self, number: int) -> None:
        """Only where the bar of the pages is to be seen."""
        if self.wizard is None and self.opened is None:
            self.tabs.setFocus()
            self._go(number)

    def _keep_freeze(self) -> None:
        """Not beside a measurement, during which nothing is recorded."""
        if self.wizard is None:
            self.freeze.emit()

    def _save(self) -> None:
        """Open the menu of the result that is shown."""
        found = self.findChildren(QPushButton)
        for each in found:
            if each.menu() is not None and each.isVisible() and each.isEnabled():
                each.setFocus()
                each.showMenu()
                return

    @cached_property
    def monitor_page(self) -> MonitorPage:
        """All disks at work; made when it is first looked at."""
        page = MonitorPage(self._monitor)
        self.pages.addWidget(page)
        return page

    @cached_property
    def history_page(self) -> HistoryPage:
        """The kept results; made when it is first looked at."""
        from disktuner.gui.widgets.history_page import HistoryPage  # noqa: PLC0415 - see above

        page = HistoryPage()
        self.pages.addWidget(page)
        return page

    def _lay_out(self) -> None:
        now = look()
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        for name in _PAGES:
            self.tabs.addTab(text(name))
        self.tabs.currentChanged.connect(self._turn_to)
        self.tabs.tabBarClicked.connect(self._turn_again)
        self.trial.left_by_keyboard.connect(self._focus_page)
        self.language_button = LanguageButton()
        self.bar = bar(row(self.tabs, None, self.language_button), upright=now.tight)
        strip = column(self.trial, self.notice, gap=now.small)
        strip.setContentsMargins(now.large, now.small, now.large, now.tight)
        self._strip = QWidget()
        self._strip.setLayout(page_wide(strip))
        self._strip.hide()
        for each in (self.trial, self.notice):
            each.installEventFilter(self)
        body = QWidget()
        whole = column(self.bar, self._strip, self.pages, gap=0, wide=2)
        body.setLayout(whole)
        self.setCentralWidget(body)

    def _focus_page(self) -> None:
        """Let the keyboard go on at the beginning of what is seen."""
        if self.wizard is not None:
            self.wizard.focus_title()
        else:
            (self.opened.title if self.opened is not None else self.tabs).setFocus()

    def _go(self, number: int) -> None:
        """Show one of the pages."""
        if self.tabs.currentIndex() == number:
            self._turn_to(number)
        else:
            self.tabs.setCurrentIndex(number)

    def _turn_again(self, number: int) -> None:
        """A click on the tab of this page reads it anew."""
        if self.tabs.currentIndex() == number:
            self._turn_to(number)

    def _turn_to(self, number: int) -> None:
        if self.notice.property("notice") != "caution":  # what happened was about another page; what holds stays
            self.notice.hide()
        self.pages.setCurrentWidget(self._page(number))
        if number == _HISTORY:
            self.history_seen.emit()
        elif number == _MONITOR:
            self.monitor_seen.emit()

    def _page(self, number: int) -> QWidget:
        if number == _DISKS:
            return self.disks_page
        return self.monitor_page if number == _MONITOR else self.history_page

    def come_forward(self, token: str = "") -> None:
        """Raise it, from the task bar, too; by a token the desktop knows that somebody asked for it."""
        if self.isMinimized():
            self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        if token:
            os.environ[_ACTIVATION] = token  # where Qt looks for it
        self.activateWindow()
        os.environ.pop(_ACTIVATION, None)
        QApplication.alert(self)  # for a desktop that does not let it take the focus

    def show_notice(self, sentence: str, tone: str = "info") -> None:
        """Show a sentence above the page; an empty one takes the last away."""
        if sentence:
            self.notice.show_text(sentence, tone)
        else:
            self.notice.hide()

    def show_lasting(self, sentence: str, again: Callable[[], object]) -> None:
        """What hinders until it is tried again and goes well: an empty sentence says that."""
        if sentence:
            self.notice.show_text(sentence, "caution", text("try-again"), again)
        elif self.notice.text == self._hinders:
            self.notice.hide()
        self._hinders = sentence

    def open_wizard(self, wizard: Wizard) -> None:
        """Show a wizard in place of the disks."""
        self.wizard = wizard
        self.notice.hide()
        self.bar.hide()
        self.pages.addWidget(wizard)
        self.pages.setCurrentWidget(wizard)
        wizard.closed.connect(self._end_wizard)
        wizard.progress.connect(self._show_progress)
        wizard.measuring.connect(self.measuring)
        wizard.finished.connect(self.notice.hide)
        wizard.focus_title()

    def _show_progress(self, done: int, total: int) -> None:
        """So that a minimised window shows how far it is, too."""
        self.setWindowTitle(text("title-measuring", done=round(done / max(total, 1), 2)))

    def _end_wizard(self) -> None:
        wizard, self.wizard = self.wizard, None
        if wizard is None:
            return
        self.setWindowTitle(text("app"))
        self.pages.setCurrentWidget(self.opened or self.disks_page)
        self.pages.removeWidget(wizard)
        if self.opened is not None:
            self._focus_page()
        else:
            self.bar.show()
            self.disks_page.focus(wizard.disk.name)
        if self.question is not None:
            self.question.reject()
        self.wizard_closed.emit()
        wizard.leave()
        wizard.deleteLater()
        if self._opened_next is not None:
            following, self._opened_next = self._opened_next, None
            self.open_page(*following)

    def open_page(self, page: OpenedPage, disk: str = "") -> bool:
        """Show an opened result, or the check-up of a disk, in place of the pages or a wizard; one at a time.

        While something is measured it waits until that is over; returns whether it is shown now.
        """
        if self.wizard is not None and self.wizard.running:
            if self._opened_next is not None:
                self._opened_next[0].deleteLater()
            self._opened_next = (page, disk)
            return False
        if self.wizard is not None:
            self.wizard.closed.emit()
        self._close_opened()
        self.opened, self._opened_on = page, disk
        self.notice.hide()
        self.bar.hide()
        self.pages.addWidget(page)
        self.pages.setCurrentWidget(page)
        page.closed.connect(self._leave_opened)
        self._focus_page()
        return True

    def _leave_opened(self) -> None:
        """To where it was opened."""
        self._close_opened()
        if self._opened_on:
            self._go(_DISKS)
            self.disks_page.focus(self._opened_on, check=True)
        else:
            self._go(_HISTORY)
            self.history_page.table.setFocus()

    def _close_opened(self) -> None:
        page, self.opened = self.opened, None
        if page is not None:
            self.bar.show()
            self.pages.removeWidget(page)
            page.deleteLater()

    def leave_result(self) -> None:
        """Something was done about the result that is shown: back to where it was opened."""
        if self.wizard is not None:
            self.wizard.closed.emit()
        elif self.opened is not None:
            self._leave_opened()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """One file may be dropped, except on a wizard."""
        if self.wizard is None and _dropped_file(event.mimeData()) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """A result file or a picture with a result."""
        path = _dropped_file(event.mimeData())
        if path is not None:
            event.acceptProposedAction()
            self.dropped.emit(path)

    def back(self) -> None:
        """Esc and Back: the step before; asks only where something would be lost."""
        if self.wizard is None:
            if self.opened is not None:
                self._leave_opened()
            else:
                self._go(_DISKS)
        elif self.wizard.running:
            self._ask_to_stop(self.wizard.cancel)
        else:
            self.wizard.ask_to_leave()

    def _ask_to_stop(self, stop: Callable[[], object]) -> None:
        self.ask(text("leave-question"), text("leave-text"), text("leave-stop"), text("leave-stay"), stop)

    def ask(self, question: str, about: str, yes: str, no: str, go_on: Callable[[], object]) -> None:
        """Ask before something is done; without a clear yes it is not. One question at a time."""
        if self.question is not None:
            return
        self.question = Question(question, about, yes, no, self)
        self.question.accepted.connect(go_on)
        self.question.finished.connect(self._question_over)
        self.question.open()

    def _question_over(self) -> None:
        self.question = None

    def _stop_and_close(self) -> None:
        self._stops = True
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Asks while a measurement runs. Closes at once: what the threads still have to do is nobody's concern."""
        wizard = self.wizard
        if wizard is not None and wizard.running and not (self._stops or wizard.cancelling):
            event.ignore()
            self._ask_to_stop(self._stop_and_close)
            return
        if wizard is not None:
            wizard.leave()
        event.accept()
        self.closing.emit()

    def showEvent(self, event: QShowEvent) -> None:
        """Figures are read while they can be seen."""
        super().showEvent(event)
        self.watched.emit(True)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The first one is announced when all of the picture is there."""
        super().paintEvent(event)
        if not self._was_painted:
            self._was_painted = True
            QTimer.singleShot(0, self, self.painted.emit)

    def changeEvent(self, event: QEvent) -> None:
        """A minimised window reads no figures."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.WindowStateChange:
            self.watched.emit(not self.isMinimized())

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        """The strip is there exactly as long as there is anything in it."""
        seen = event.type() in {QEvent.Type.ShowToParent, QEvent.Type.HideToParent}
        if watched in (self.trial, self.notice) and seen:
            self._strip.setVisible(not (self.trial.isHidden() and self.notice.isHidden()))
        return False


def _dropped_file(data: QMimeData) -> Path | None:
    """The only file that is carried, if it lies on this machine."""
    paths = [url.toLocalFile() for url in data.urls()]
    return Path(paths[0]) if len(paths) == 1 and paths[0] else None
