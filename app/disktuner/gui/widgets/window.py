# SPDX-License-Identifier: GPL-3.0-or-later
"""The main window: which page is seen, what stands above and below it, and what Esc, Back and closing do."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QEvent, QMimeData, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeySequence, QPaintEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QBoxLayout,
    QMainWindow,
    QStackedWidget,
    QTabBar,
    QWidget,
)

from disktuner.gui.access import read_after
from disktuner.gui.icons import icon
from disktuner.gui.intents import Intents
from disktuner.gui.state import DISKS, Act, Opened, Over, State, may
from disktuner.gui.style import fitting, look
from disktuner.gui.widgets.disks_page import DisksPage
from disktuner.gui.widgets.keys_dialog import KeysDialog
from disktuner.gui.widgets.layout import bar, column, page_wide, parts_of, row, with_margin
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

    ``make`` is called when it is first looked at, ``look`` each time. A page without that has no tab: it is opened over
    the others, and ``make`` is told what it is about.
    """

    id: str
    make: Callable[..., Any]
    look: Callable[[], object] | None = None


class Window(QMainWindow):
    """Shows of the ``pages``, the first of which are the disks, what the state names.

    Signals: ``painted`` once, when the first frame is there; ``watched`` whether the live figures can be seen.
    Attributes: ``wizard``, ``opened``, ``planned`` (over what is seen, where it is not asked on the page of disks what
    would be measured) and ``question``, what is open or asked right now.
    """

    painted = Signal()
    watched = Signal(bool)

    def __init__(self, pages: Sequence[Page], intents: Intents, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(text("app"))
        self.disks_page, self._intents, self._state = DisksPage(intents), intents, State()
        self._tabs = {page.id: page.look for page in pages if page.look is not None}
        self._make = {page.id: page.make for page in pages}
        self._made: dict[str, QWidget] = {DISKS: self.disks_page}
        self._over: dict[Opened, Wizard | OpenedPage] = {}
        self.standing, self.notice, self.trial = Notice(), Notice(), TrialBanner(intents)
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
        self.disks_page.show_state(state)
        for page in self._over.values():
            page.show_state(state)
        if (before.page, before.over) != (state.page, state.over):
            self._show_pages(before, state)
        self._look_whether_it_is_over()

    def _show_pages(self, before: State, now: State) -> None:
        """Make what is opened, and let go what was closed; the keyboard goes on at what is seen then."""
        closed = [self._over.pop(each) for each in before.over if each not in now.over]
        for each in now.over:
            if each not in self._over:
                self._over[each] = self._open(each)
        self.tabs.setCurrentIndex([*self._tabs].index(now.page))
        self.pages.setCurrentWidget(self._top or self.page(now.page))
        self.bar.setVisible(not now.over)
        if now.top is None:
            self._arrive()
        if now.top is not before.top:
            self._focus_page(before.top)
        if before.opened(Over.MEASUREMENT) not in now.over:
            self.setWindowTitle(text("app"))
        for page in closed:  # it is gone when all that it still has to do is done
            self.pages.removeWidget(page)
            page.leave()
            page.deleteLater()

    def _open(self, opened: Opened) -> Wizard | OpenedPage:
        page: Wizard | OpenedPage = self._make[opened.id](opened)
        if (closed := getattr(page, "closed", None)) is not None:
            closed.connect(self.back)
        self.pages.addWidget(page)
        self.notice.hide()
        page.show_state(self._state)
        return page

    def _find(self, *ids: Over) -> Any:
        """The page that is open of these kinds."""
        opened = self._state.opened(*ids)
        return self._over.get(opened) if opened is not None else None

    @property
    def wizard(self) -> Wizard | None:
        """A measurement, and its result."""
        return cast("Wizard | None", self._find(Over.MEASUREMENT))

    @property
    def opened(self) -> OpenedPage | None:
        """A kept result, two of them, or a check-up."""
        return cast("OpenedPage | None", self._find(Over.CHECK, Over.RESULT, Over.BETWEEN))

    @property
    def planned(self) -> OpenedPage | None:
        """What would be measured, over what is seen."""
        return cast("OpenedPage | None", self._find(Over.PLAN))

    @property
    def plan(self) -> Plan | None:
        """What would be measured, on the page over the others or on that of the disks."""
        return cast("Plan", self.planned.content) if self.planned is not None else self.disks_page.plan

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
            **{id_: partial(self._go_by_key, id_) for id_ in self._tabs},
            "freeze": self._intents.keep_freeze,
            "again": self.disks_page.again.emit,
            "back": self.back,
            "quit": self.close,
        }
        for each in KEYS.values():
            for key in each.keys:
                QShortcut(QKeySequence(key), self).activated.connect(does[each.id])

    def _go_by_key(self, id_: str) -> None:
        """Only where the bar of the pages is to be seen."""
        if not self._state.over:
            self.tabs.setFocus()
            self._go(id_)

    def page(self, id_: str) -> QWidget:
        """One of the pages; made when it is first looked at."""
        if id_ not in self._made:
            self._made[id_] = self._make[id_]()
            self.pages.addWidget(self._made[id_])
        return self._made[id_]

    def _lay_out(self) -> None:
        now = look()
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        self.tabs.setIconSize(QSize(now.large, now.large))
        for id_ in self._tabs:
            self.tabs.addTab(text(f"page-{id_}"))
        self._show_icons()
        self.tabs.currentChanged.connect(lambda number: self._intents.turn([*self._tabs][number]))
        self.tabs.tabBarClicked.connect(self._turn_again)
        self.trial.left_by_keyboard.connect(self._focus_page)
        self.bar = bar(row(self.tabs, None), upright=now.tight)
        self._strip = QWidget()
        self._strip.setLayout(page_wide(with_margin(column(self.standing, self.notice), now.large, now.tight)))
        self.pages.currentChanged.connect(self._place_notice)
        for each in (self.standing, self.notice):
            each.installEventFilter(self)
        body = QWidget()
        body.setLayout(column(self.bar, self.pages, self.trial, gap=0, wide=1))
        self._place_notice()
        self.setCentralWidget(body)

    def _show_icons(self) -> None:
        for at, id_ in enumerate(self._tabs):
            self.tabs.setTabIcon(at, icon("ssd" if id_ == DISKS else id_, look().text))

    def _place_notice(self) -> None:
        """Just above the foot of what is seen, where there is one: what is there already does not move."""
        page = self.pages.currentWidget()
        layout = page.layout() if page is not None else None
        if page is not None and isinstance(layout, QBoxLayout):
            layout.removeWidget(self._strip)
            *_, last = parts = [part for part in parts_of(page) if part is not self._strip]
            has_foot = last.property("bar") == "foot"
            layout.insertWidget(layout.count() - has_foot, self._strip)
            read_after(parts[-2] if has_foot else last, self._strip)
            self._show_strip()

    def _show_strip(self) -> None:
        self._strip.setHidden(self.standing.isHidden() and self.notice.isHidden())

    def _focus_page(self, left: Opened | None = None) -> None:
        """Let the keyboard go on at the beginning of what is seen, or where something was opened that was left."""
        if self._top is not None:
            self._top.focus_title()
        elif left is not None and left.disk and self._state.page == DISKS:
            self.disks_page.focus(left.disk, check=left.id == Over.CHECK)
        elif left is not None:
            (self.page(self._state.page).findChild(QAbstractItemView) or self.tabs).setFocus()
        else:
            self.tabs.setFocus()

    @property
    def _top(self) -> Wizard | OpenedPage | None:
        """What is seen in place of the pages."""
        return self._over[self._state.top] if self._state.top is not None else None

    def _go(self, id_: str) -> None:
        """Show one of the pages; the one that is seen is read anew."""
        if self._state.page == id_:
            self._arrive()
        else:
            self._intents.turn(id_)

    def _turn_again(self, number: int) -> None:
        """A click on the tab of this page reads it anew."""
        if self.tabs.currentIndex() == number:
            self._arrive()

    def _arrive(self) -> None:
        """At a page with a tab."""
        if self.notice.property("notice") != "caution":  # what happened was about another page; what holds stays
            self.notice.hide()
        self._tabs[self._state.page]()

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
        """Show a sentence above the foot; an empty one takes the last away."""
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

    def show_progress(self, done: int, total: int) -> None:
        """So that a minimised window shows how far it is, too."""
        self.setWindowTitle(text("title-measuring", done=round(done / max(total, 1), 2)))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """One file may be dropped, except on a wizard or where it would hide what would be measured."""
        if self._state.opened(Over.PLAN, Over.MEASUREMENT) is None and _dropped_file(event.mimeData()) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """A result file or a picture with a result."""
        path = _dropped_file(event.mimeData())
        if path is not None:
            event.acceptProposedAction()
            self._intents.open_file(path)

    def back(self) -> None:
        """Esc and Back: the step before; asks only where something would be lost."""
        top, wizard = self._state.top, self.wizard
        if top is None:
            self._go(DISKS)
        elif wizard is None or top.id != Over.MEASUREMENT or not self._state.measured:
            self._intents.close(top)
        elif not wizard.cancelling:
            self._ask_to_end(wizard.cancel, partial(self._intents.close, top), "leave")

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
        for page in self._over.values():
            page.leave()
        if self.disks_page.plan is not None:
            self.disks_page.plan.withdraw()
        event.accept()
        self._intents.stop()

    def showEvent(self, event: QShowEvent) -> None:
        """Figures are read while they can be seen."""
        super().showEvent(event)
        self.watched.emit(True)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._was_painted:
            self._was_painted = True
            QTimer.singleShot(0, self, self.painted.emit)

    def changeEvent(self, event: QEvent) -> None:
        """A minimised window reads no figures."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._show_icons()
        if event.type() == QEvent.Type.WindowStateChange:
            self.watched.emit(not self.isMinimized())

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        """The strip is there exactly as long as there is a notice in it."""
        if watched in {self.standing, self.notice} and event.type() in _SEEN:
            self._show_strip()
        return False


def _dropped_file(data: QMimeData) -> Path | None:
    """The only file that is carried, if it lies on this machine."""
    paths = [url.toLocalFile() for url in data.urls()]
    return Path(paths[0]) if len(paths) == 1 and paths[0] else None
