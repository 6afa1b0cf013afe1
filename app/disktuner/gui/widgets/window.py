# SPDX-License-Identifier: GPL-3.0-or-later
"""The main window: which page is seen, what stands above and below it, and what Esc, Back and closing do."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMimeData, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeySequence, QPaintEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QMainWindow, QStackedWidget, QTabBar, QWidget

from disktuner.gui.intents import Intents
from disktuner.gui.state import Act, State, may
from disktuner.gui.style import fitting, look
from disktuner.gui.widgets.disks_page import DisksPage
from disktuner.gui.widgets.keys_dialog import KeysDialog
from disktuner.gui.widgets.layout import bar, column, page_wide, row
from disktuner.gui.widgets.notice import Notice
from disktuner.gui.widgets.question import Question
from disktuner.gui.widgets.trial_banner import TrialBanner
from disktuner.standing import titles
from disktuner.vocabulary.keys import KEYS
from disktuner.vocabulary.messages import text

if TYPE_CHECKING:  # imported when they are opened: they bring the floors that measure and judge
    from disktuner.gui.widgets.opened_page import OpenedPage
    from disktuner.gui.wizard.plan import Plan
    from disktuner.gui.wizard.wizard import Wizard

_ACTIVATION = "XDG_ACTIVATION_TOKEN"
_SEEN = {QEvent.Type.ShowToParent, QEvent.Type.HideToParent}


@dataclass(frozen=True, slots=True)
class Page:
    """One of the pages: a tab says ``page-`` with its ``id``, and the key of that id turns to it.

    ``make`` is called when it is first looked at, ``look`` each time.
    """

    id: str
    make: Callable[[], QWidget]
    look: Callable[[], object] = lambda: None


class Window(QMainWindow):
    """The ``pages``, the first of which are the disks, or a wizard or an opened result in their place.

    Signals: ``painted`` once, when the first frame is there; ``watched`` whether the live figures can be seen;
    ``closing`` when it is closed for good; ``wizard_closed`` when the disks are back; ``freeze`` when somebody wants to
    know why it froze; ``dropped`` the path of a file that was dropped on it.
    Attributes: ``wizard``, ``opened``, ``planned`` (over what is seen, where it is not asked on the page of disks what
    would be measured) and ``question``, what is open or asked right now; a wizard is over the plan it was begun from.
    """

    painted = Signal()
    watched = Signal(bool)
    closing = Signal()
    wizard_closed = Signal()
    freeze = Signal()
    dropped = Signal(object)

    def __init__(self, pages: Sequence[Page], intents: Intents, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(text("app"))
        self.disks_page, self._rows, self._state = DisksPage(intents), pages, State()
        self._made: dict[str, QWidget] = {pages[0].id: self.disks_page}
        self._intents = intents
        self.standing, self.notice, self.trial = Notice(), Notice(), TrialBanner(intents)
        self.wizard: Wizard | None = None
        self.opened: OpenedPage | None = None
        self.planned: OpenedPage | None = None
        self._planned: Plan | None = None
        self._over: list[Wizard | OpenedPage] = []
        self._opened_on = ""
        self._opened_next: tuple[OpenedPage, str] | None = None
        self.question: Question | None = None
        self._asked = ""
        self._afterwards: tuple[str, Callable[[], object]] | None = None
        self._was_painted = self._stops = False
        self.pages = QStackedWidget()
        self.pages.addWidget(self.disks_page)
        self.setAcceptDrops(True)
        self._lay_out()
        self._listen_to_keys()
        self.resize(fitting(look().wide * 29, look().wide * 24))
        self.setMinimumSize(fitting(look().wide * 20, look().wide * 10))

    def show_state(self, state: State) -> None:
        """Show what goes on, on all pages that there are."""
        before, self._state = self._state, state
        if before.no_helper != state.no_helper:
            self._show_standing()
        self.trial.show_state(state)
        for page in (self.disks_page, self.wizard, self.opened, self.planned):
            if page is not None:
                page.show_state(state)
        self._look_whether_it_is_over()

    def _is_ended_by(self, what: str) -> bool:
        """Whether something would be ended by leaving a page, or by closing the window."""
        trial = self._state.trial if what == "close" else None
        return bool(self._state.measured) or trial is not None

    def _look_whether_it_is_over(self) -> None:
        """Then what should wait for that is done, and whether to end it is asked no more."""
        if self.question is not None and self._asked and not self._is_ended_by(self._asked):
            self.question.reject()
        if self._afterwards is not None and not self._is_ended_by(self._afterwards[0]):
            (_, then), self._afterwards = self._afterwards, None
            self._show_standing()
            QTimer.singleShot(0, self, then)

    def _listen_to_keys(self) -> None:
        does: dict[str, Callable[[], object]] = {
            "keys": lambda: KeysDialog(self).open(),
            **{row.id: partial(self._go_by_key, at) for at, row in enumerate(self._rows)},
            "freeze": self._keep_freeze,
            "again": self.disks_page.again.emit,
            "back": self.back,
            "quit": self.close,
        }
        for each in KEYS.values():
            for key in each.keys:
                QShortcut(QKeySequence(key), self).activated.connect(does[each.id])

    def _go_by_key(self, number: int) -> None:
        """Only where the bar of the pages is to be seen."""
        if not self._over:
            self.tabs.setFocus()
            self._go(number)

    def _keep_freeze(self) -> None:
        """Not beside a measurement, during which nothing is recorded."""
        if leave := may(self._state, Act.RECORD):
            self.freeze.emit()
        else:
            self.show_notice(leave.reason)

    def page(self, id_: str) -> QWidget:
        """One of the pages; made when it is first looked at."""
        if id_ not in self._made:
            self._made[id_] = next(row for row in self._rows if row.id == id_).make()
            self.pages.addWidget(self._made[id_])
        return self._made[id_]

    def _lay_out(self) -> None:
        now = look()
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        for page in self._rows:
            self.tabs.addTab(text(f"page-{page.id}"))
        self.tabs.currentChanged.connect(self._turn_to)
        self.tabs.tabBarClicked.connect(self._turn_again)
        self.trial.left_by_keyboard.connect(self._focus_page)
        self.bar = bar(row(self.tabs, None), upright=now.tight)
        strip = column(self.standing, self.notice)
        strip.setContentsMargins(now.large, now.small, now.large, now.tight)
        self._strip = QWidget()
        self._strip.setLayout(page_wide(strip))
        self._strip.hide()
        for each in (self.standing, self.notice):
            each.installEventFilter(self)
        body = QWidget()
        whole = column(self.bar, self._strip, self.pages, self.trial, gap=0, wide=2)
        body.setLayout(whole)
        self.setCentralWidget(body)

    def _focus_page(self) -> None:
        """Let the keyboard go on at the beginning of what is seen."""
        top = self._top
        if top is self.wizard and self.wizard is not None:
            self.wizard.focus_title()
        else:
            (top.title if top is not None else self.tabs).setFocus()

    @property
    def _top(self) -> Wizard | OpenedPage | None:
        """What is seen in place of the pages."""
        return self._over[-1] if self._over else None

    def _put_over(self, page: Wizard | OpenedPage) -> None:
        self._over.append(page)
        self.pages.addWidget(page)
        self.notice.hide()
        page.show_state(self._state)
        self._show_top()
        self._focus_page()

    def _take_off(self, page: Wizard | OpenedPage) -> None:
        """The page below is seen then; it is gone when all that it still has to do is done."""
        self._over.remove(page)
        self.pages.removeWidget(page)
        self._show_top()
        page.deleteLater()

    def _show_top(self) -> None:
        self.pages.setCurrentWidget(self._top or self.page(self._rows[self.tabs.currentIndex()].id))
        self.bar.setVisible(not self._over)

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
        self.pages.setCurrentWidget(self.page(self._rows[number].id))
        self._rows[number].look()

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

    def _show_standing(self) -> None:
        """What holds until something is done about it, whatever else is said or seen meanwhile."""
        if self._afterwards is not None:
            said = text(f"waits-to-{self._afterwards[0]}")
            self.standing.show_text(said, "info", text("cancel"), self._wait_no_more)
        elif self._state.no_helper is not None:
            said = may(self._state, Act.CHANGE).reason
            self.standing.show_text(said, "caution", text("try-again"), self._look_for_helper)
        else:
            self.standing.hide()

    def _look_for_helper(self) -> None:
        self._intents.refresh()
        self._show_standing()

    def open_wizard(self, wizard: Wizard) -> None:
        """Show a wizard in place of the pages, and of what was answered before."""
        self._end_wizard()
        self.wizard = wizard
        wizard.closed.connect(self._end_wizard)
        wizard.progress.connect(self._show_progress)
        wizard.finished.connect(self._after_measuring)
        self._put_over(wizard)

    @property
    def plan(self) -> Plan | None:
        """What would be measured, on the page over the others or on that of the disks."""
        return self._planned or self.disks_page.plan

    def open_plan(self, page: OpenedPage, plan: Plan) -> None:
        """Show what would be measured over what is seen, to which the way back leads."""
        self.close_plan()
        self.planned, self._planned = page, plan
        page.closed.connect(self.close_plan)
        self._put_over(page)

    def close_plan(self) -> None:
        """Nothing shall be measured, or it was."""
        page, plan = self.planned, self._planned
        self.planned = self._planned = None
        if page is not None and plan is not None:
            plan.withdraw()
            self._take_off(page)
            if self.wizard is None or self._top is not self.wizard:
                self._focus_page()

    def _after_measuring(self) -> None:
        """What was planned is done."""
        self.notice.hide()
        self.close_plan()
        self.disks_page.choose_none()

    def _show_progress(self, done: int, total: int) -> None:
        """So that a minimised window shows how far it is, too."""
        self.setWindowTitle(text("title-measuring", done=round(done / max(total, 1), 2)))

    def _end_wizard(self) -> None:
        wizard, self.wizard = self.wizard, None
        if wizard is None:
            return
        self.setWindowTitle(text("app"))
        self._take_off(wizard)
        if self._over:
            self._focus_page()
        else:
            self.disks_page.focus(wizard.disk.name)
        self.wizard_closed.emit()
        wizard.leave()
        if wizard.result_page is None and self.plan is not None:
            self.plan.again()  # it was cancelled or failed
        if self._opened_next is not None:
            following, self._opened_next = self._opened_next, None
            self.open_page(*following)

    def open_page(self, page: OpenedPage, disk: str = "") -> bool:
        """Show an opened result, or the check-up of a disk, in place of the pages or a wizard; one at a time.

        While something is measured it waits until that is over; returns whether it is shown now.
        """
        if self.wizard is not None and self._state.measured:
            if self._opened_next is not None:
                self._opened_next[0].deleteLater()
            self._opened_next = (page, disk)
            return False
        self.close_plan()
        self._end_wizard()
        self._close_opened()
        self.opened, self._opened_on = page, disk
        page.closed.connect(self._leave_opened)
        self._put_over(page)
        return True

    def _leave_opened(self) -> None:
        """To where it was opened."""
        self._close_opened()
        if self._over:
            return
        page = self.page(self._rows[self.tabs.currentIndex()].id)
        self._go(self.tabs.currentIndex())
        if page is self.disks_page and self._opened_on:
            self.disks_page.focus(self._opened_on, check=True)
        else:
            (page.findChild(QAbstractItemView) or self.tabs).setFocus()

    def _close_opened(self) -> None:
        page, self.opened = self.opened, None
        if page is not None:
            self._take_off(page)

    def _leave_wizard(self, wizard: Wizard) -> None:
        """Unless it was left already."""
        if wizard is self.wizard:
            self._end_wizard()

    def leave_result(self) -> None:
        """Something was done about the result that is shown: back to where it was opened."""
        if self.wizard is not None:
            self._end_wizard()
        elif self.opened is not None:
            self._leave_opened()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """One file may be dropped, except on a wizard or where it would hide what would be measured."""
        if self.wizard is None and self.planned is None and _dropped_file(event.mimeData()) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """A result file or a picture with a result."""
        path = _dropped_file(event.mimeData())
        if path is not None:
            event.acceptProposedAction()
            self.dropped.emit(path)

    def back(self) -> None:
        """Esc and Back: the step before; asks only where something would be lost."""
        top = self._top
        if top is None:
            self._go(0)
        elif self.wizard is not None and top is self.wizard and self._state.measured:
            if not self.wizard.cancelling:
                self._ask_to_end(self.wizard.cancel, partial(self._leave_wizard, self.wizard), "leave")
        else:
            top.closed.emit()

    def _ask_to_end(self, end: Callable[[], object], afterwards: Callable[[], object], what: str) -> None:
        """Name the disk, and what would be lost; ``what`` is done: the page is left, or the window closed."""
        measured, trial = self._state.measured, self._state.trial if what == "close" else None
        lost = []
        if measured:
            lost.append(text("leave-text"))
        if trial is not None:
            lost.append(text("close-trial", setting=trial.setting.name, disk=titles(trial.disks), before=trial.before))
        question = text("leave-question", disk=titles(measured)) if measured else text("close-question")
        yes = text("leave-stop" if measured else "close-now")
        no = text("leave-stay" if measured else "cancel")
        later = partial(self._wait, what, afterwards)
        self.ask(question, "\n".join(lost), yes, no, end, afterwards=(text(f"{what}-afterwards"), later))
        self._asked = what

    def _wait(self, what: str, then: Callable[[], object]) -> None:
        """Do it once nothing is ended by it any more, unless the person thinks better of it."""
        self._afterwards = what, then
        self._show_standing()
        self._look_whether_it_is_over()

    def _wait_no_more(self) -> None:
        self._afterwards = None
        self._show_standing()

    def ask(
        self,
        question: str,
        about: str,
        yes: str,
        no: str,
        go_on: Callable[[], object],
        *,
        afterwards: tuple[str, Callable[[], object]] = ("", lambda: None),
    ) -> None:
        """Ask before something is done; without a clear yes it is not. One question at a time.

        ``afterwards`` is another answer, and what is done for it.
        """
        if self.question is not None:
            return
        self.question = Question(question, about, yes, no, self, afterwards=afterwards[0])
        self.question.accepted.connect(go_on)
        self.question.afterwards.clicked.connect(afterwards[1])
        self.question.finished.connect(self._question_over)
        self.question.open()

    def _question_over(self) -> None:
        self.question, self._asked = None, ""

    def _stop_and_close(self) -> None:
        self._stops = True
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Asks while it would end something. Closes at once: what the threads still have to do is nobody's concern."""
        wizard = self.wizard
        is_ending = wizard is not None and wizard.cancelling and self._state.trial is None
        if self._is_ended_by("close") and not (self._stops or is_ending):
            event.ignore()
            self._ask_to_end(self._stop_and_close, self.close, "close")
            return
        self._afterwards = None
        if wizard is not None:
            wizard.leave()
        for plan in filter(None, (self._planned, self.disks_page.plan)):
            plan.withdraw()
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
        """The strip is there exactly as long as there is a notice in it."""
        if watched in {self.standing, self.notice} and event.type() in _SEEN:
            self._strip.setHidden(self.standing.isHidden() and self.notice.isHidden())
        return False


def _dropped_file(data: QMimeData) -> Path | None:
    """The only file that is carried, if it lies on this machine."""
    paths = [url.toLocalFile() for url in data.urls()]
    return Path(paths[0]) if len(paths) == 1 and paths[0] else None
