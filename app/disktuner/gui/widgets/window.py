# SPDX-License-Identifier: GPL-3.0-or-later
"""The main window: which page is visible, what is above and below it, and what Esc, Back and closing do."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QEvent, QMimeData, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QBoxLayout, QMainWindow, QStackedWidget, QTabBar, QWidget

from disktuner.gui.access import read_after
from disktuner.gui.icons import Pictogram, icon
from disktuner.gui.shell import Shell
from disktuner.gui.state import DISKS, MEASURING, Act, Confirmation, Leaving, Opened, Over, State, may
from disktuner.gui.style import fitting, look
from disktuner.gui.widgets.change_dialog import ChangeDialog
from disktuner.gui.widgets.disks_page import DisksPage
from disktuner.gui.widgets.keys_dialog import KeysDialog
from disktuner.gui.widgets.layout import bar, column, filled, label, page_wide, parts_of, row, with_margin
from disktuner.gui.widgets.notice import Notice
from disktuner.gui.widgets.opened_page import OpenedPage
from disktuner.gui.widgets.question import Question
from disktuner.standing import titles
from disktuner.vocabulary.keys import KEYS
from disktuner.vocabulary.messages import text

if TYPE_CHECKING:  # imported when they are opened: they bring the floors that measure and judge
    from disktuner.gui.measurement.measurement_page import MeasurementPage
    from disktuner.gui.measurement.plan import PlanPage
    from disktuner.gui.measurement.sitting_page import SittingPage
    from disktuner.gui.widgets.trial_banner import TrialBanner

_ACTIVATION = "XDG_ACTIVATION_TOKEN"
_WANTED = (Over.PLAN, Over.PORTRAIT_PLAN, *MEASURING)
"""Pages of what is being measured, or would be."""
_SEEN = {QEvent.Type.ShowToParent, QEvent.Type.HideToParent}


@dataclass(frozen=True, slots=True)
class Page:
    """A page: ``page-`` and its ``id`` name its tab, and the key of that id turns to it.

    ``make`` is called when it is first visited, ``look`` each time. A page without ``look`` has no tab: it is opened
    over the others, and ``make`` gets what it is about.
    """

    id: str
    make: Callable[..., Any]
    look: Callable[[], object] | None = None


class Window(QMainWindow):
    """Shows the one of its ``pages`` that the state names; the first is that of the disks.

    Signals: ``watched``: whether the live figures are visible; ``dropped`` the path of a file, ``freeze``: the last
    minutes are to be kept.

    Attributes: ``measurement``, ``opened``, ``planned`` (a plan over the visible page, rather than on the page of
    disks) and ``question``, what is currently open or asked.
    """

    watched = Signal(bool)
    dropped = Signal(object)
    freeze = Signal()

    def __init__(self, pages: Sequence[Page], disks_page: DisksPage, shell: Shell) -> None:
        super().__init__()
        self.setWindowTitle(text("app"))
        self.disks_page, self._shell, self._state = disks_page, shell, State()
        self._tabs = {page.id: page.look for page in pages if page.look is not None}
        self._make = {page.id: page.make for page in pages}
        self._made_pages: dict[str, QWidget] = {DISKS: self.disks_page}
        self._over: dict[Opened | None, MeasurementPage | OpenedPage] = {}
        self.standing, self.notice = Notice(), Notice()
        self.question: Question | None = None
        self._by_hand: ChangeDialog | None = None
        self._stops = False
        self.pages = QStackedWidget()
        self.pages.addWidget(self.disks_page)
        self.setAcceptDrops(True)
        self._lay_out()
        self._listen_to_keys()
        self.resize(fitting(look().wide * 29, look().wide * 24))
        self.setMinimumSize(fitting(look().wide * 20, look().wide * 10))

    def show_change(self, before: State, state: State) -> None:
        """Show a change of the state on all existing pages."""
        self._state = state
        if (before.no_helper, before.afterwards) != (state.no_helper, state.afterwards):
            self._show_standing()
        if before.trial is not None or state.trial is not None:
            self.trial.show_state(state)
        self.disks_page.show_state(state)
        for page in self._over.values():
            page.show_state(state)
        if (before.page, before.opened_pages) != (state.page, state.opened_pages):
            self._show_pages(before, state)
        if before.confirmation is not state.confirmation:
            self._show_question(state.confirmation)
        self._show_by_hand(before, state)
        if state.afterwards is not None and not state.is_ended_by(state.afterwards):
            measured = state.opened(*MEASURING) or state.opened(Over.PORTRAIT)
            QTimer.singleShot(0, self, partial(self._leave, state.afterwards, measured))
            self._shell.become(afterwards=None)

    def _show_pages(self, before: State, now: State) -> None:
        """Make the pages that were opened, drop those that were closed; the focus moves to the visible one."""
        closed = [self._over.pop(opened) for opened in before.opened_pages if opened not in now.opened_pages]
        for opened in now.opened_pages:
            if opened not in self._over:
                page = self._over[opened] = self._make[opened.id](opened)
                if isinstance(page, OpenedPage):
                    page.back_button.clicked.connect(self.back)
                self.pages.addWidget(page)
                self.notice.hide()
                page.show_state(self._state)
        self.tabs.setCurrentIndex([*self._tabs].index(now.page))
        self.pages.setCurrentWidget(self._top or self.page(now.page))
        self.bar.setVisible(not now.opened_pages)
        if now.top is None:
            self._arrive()
        if now.top is not before.top:
            self._focus_page(before.top)
        if before.opened(*MEASURING) not in now.opened_pages:
            self.setWindowTitle(text("app"))
        for page in closed:  # it is gone when all that it still has to do is done
            self.pages.removeWidget(page)
            page.leave()
            page.deleteLater()

    @cached_property
    def trial(self) -> TrialBanner:
        """The foot while something is on trial; made with the first trial."""
        from disktuner.gui.widgets.trial_banner import TrialBanner  # noqa: PLC0415 - 0.01 s, not needed to see the disks

        banner = TrialBanner(self._shell)
        banner.left_by_keyboard.connect(self._focus_page)
        self._parts.addWidget(banner)
        return banner

    @property
    def measurement(self) -> MeasurementPage | None:
        """The page of a measurement and its result."""
        return cast("MeasurementPage | None", self._over.get(self._state.opened(Over.MEASUREMENT)))

    @property
    def _measuring(self) -> MeasurementPage | SittingPage | None:
        """The page on which disks are being measured, if any."""
        page = self._over.get(self._state.opened(*MEASURING)) if self._state.measured_disks else None
        return cast("MeasurementPage | SittingPage | None", page)

    @property
    def opened(self) -> OpenedPage | None:
        """What is opened besides measurements and plans: a kept result or portrait, a comparison, or a check-up."""
        pages = (page for page in self._state.opened_pages if page.id not in _WANTED)
        return cast("OpenedPage | None", self._over.get(next(pages, None)))

    @property
    def planned(self) -> OpenedPage | None:
        return cast("OpenedPage | None", self._over.get(self._state.opened(Over.PLAN)))

    @property
    def plan(self) -> PlanPage | None:
        """The plan, on its own page or on that of the disks."""
        return cast("PlanPage", self.planned.content) if self.planned is not None else self.disks_page.plan

    def _leave(self, leaving: Leaving, page: Opened | None) -> None:
        """Close the page without ending anything more."""
        if leaving is Leaving.WINDOW:
            self.close()
        else:
            self._shell.close(page)

    def _show_by_hand(self, before: State, now: State) -> None:
        """Open the dialog until it is closed, which may be before everything it shows is known."""
        if now.by_hand is not None and before.by_hand is None:
            dialog = self._by_hand = ChangeDialog(now.by_hand, now, self)
            dialog.apply.connect(partial(self._shell.set_by_hand, now.by_hand))
            dialog.finished.connect(lambda _: self._shell.become(by_hand=None))
            dialog.open()
        elif now.by_hand is None and self._by_hand is not None:
            dialog, self._by_hand = self._by_hand, None
            dialog.deleteLater()
        elif self._by_hand is not None:
            self._by_hand.show_state(now)

    def _listen_to_keys(self) -> None:
        does: dict[str, Callable[[], object]] = {
            "keys": lambda: KeysDialog(self).open(),
            **{id_: partial(self._go_by_key, id_) for id_ in self._tabs},
            "freeze": self.freeze.emit,
            "again": self._shell.stale.emit,
            "back": self.back,
            "quit": self.close,
        }
        for shortcut in KEYS.values():
            for key in shortcut.keys:
                QShortcut(QKeySequence(key), self).activated.connect(does[shortcut.id])

    def _go_by_key(self, id_: str) -> None:
        """Only while the tab bar is visible."""
        if not self._state.opened_pages:
            self.tabs.setFocus()
            self._go(id_)

    def page(self, id_: str) -> QWidget:
        """Return a page, made on its first visit."""
        if id_ not in self._made_pages:
            self._made_pages[id_] = self._make[id_]()
            self.pages.addWidget(self._made_pages[id_])
        return self._made_pages[id_]

    def _lay_out(self) -> None:
        now = look()
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        self.tabs.setIconSize(QSize(now.large, now.large))
        for id_ in self._tabs:
            self.tabs.addTab(text(f"page-{id_}"))
        self._show_icons()
        self.tabs.currentChanged.connect(lambda number: self._shell.turn([*self._tabs][number]))
        self.tabs.tabBarClicked.connect(self._turn_again)
        mark = row(Pictogram("org.disktuner.Disktuner", now.large), label(text("app"), bold=True))
        self.bar = bar(row(mark, self.tabs, None, gap=now.large), upright=now.tight)
        self._strip = filled(page_wide(with_margin(column(self.standing, self.notice), now.large, now.tight)))
        self.pages.currentChanged.connect(self._place_notice)
        for strip in (self.standing, self.notice):
            strip.installEventFilter(self)
        self._parts = column(self.bar, self.pages, gap=0, wide=1)
        body = filled(self._parts)
        self._place_notice()
        self.setCentralWidget(body)

    def _show_icons(self) -> None:
        for at, id_ in enumerate(self._tabs):
            self.tabs.setTabIcon(at, icon("ssd" if id_ == DISKS else id_, look().text))

    def _place_notice(self) -> None:
        """Place the notice just above the visible page's foot, if there is one: nothing else moves."""
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

    def _focus_page(self, closed: Opened | None = None) -> None:
        """Move the focus to the start of the visible page, or to where the closed page was opened."""
        if self._top is not None:
            self._top.focus_title()
        elif closed is not None and closed.disk and self._state.page == DISKS:
            self.disks_page.focus(closed.disk, check=closed.id == Over.CHECK)
        elif closed is not None:
            (self.page(self._state.page).findChild(QAbstractItemView) or self.tabs).setFocus()
        else:
            self.tabs.setFocus()

    @property
    def _top(self) -> MeasurementPage | OpenedPage | None:
        """The topmost page in place of those with tabs."""
        return self._over[self._state.top] if self._state.top is not None else None

    def _go(self, id_: str) -> None:
        """Show a page; the visible one is refreshed."""
        if self._state.page == id_:
            self._arrive()
        else:
            self._shell.turn(id_)

    def _turn_again(self, number: int) -> None:
        """A click on the current tab refreshes its page."""
        if self.tabs.currentIndex() == number:
            self._arrive()

    def _arrive(self) -> None:
        if self.notice.property("notice") != "caution":  # what happened was about another page; what holds stays
            self.notice.hide()
        self._tabs[self._state.page]()

    def come_forward(self, token: str = "") -> None:
        """Raise the window, also from the task bar; a token proves to the desktop that somebody asked for it."""
        if self.isMinimized():
            self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        if token:
            os.environ[_ACTIVATION] = token  # where Qt looks for it
        self.activateWindow()
        os.environ.pop(_ACTIVATION, None)
        QApplication.alert(self)  # for a desktop that does not let it take the focus

    def show_notice(self, sentence: str, tone: str = "info") -> None:
        """Show a sentence above the foot; an empty one removes the last."""
        if sentence:
            self.notice.show_text(sentence, tone)
        else:
            self.notice.hide()

    def _show_standing(self) -> None:
        """Show the lasting problem, whatever else is shown meanwhile."""
        if (leaving := self._state.afterwards) is not None:
            stay = partial(self._shell.become, afterwards=None)
            self.standing.show_text(text(f"waits-to-{leaving}"), "info", text("cancel"), stay)
        elif self._state.no_helper is not None:
            reason = may(self._state, Act.CHANGE).reason
            self.standing.show_text(reason, "caution", text("try-again"), self._look_for_helper)
        else:
            self.standing.hide()

    def _look_for_helper(self) -> None:
        self._shell.refresh()
        self._show_standing()

    def show_progress(self, done: int, total: int) -> None:
        """Show the progress in the title, which a minimised window shows, too."""
        self.setWindowTitle(text("title-measuring", done=round(done / max(total, 1), 2)))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept a single file, except on a measurement or where it would hide a plan."""
        if self._state.opened(*_WANTED) is None and _dropped_file(event.mimeData()) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """A result file or a picture with a result."""
        path = _dropped_file(event.mimeData())
        if path is not None:
            event.acceptProposedAction()
            self.dropped.emit(path)

    def back(self) -> None:
        """Esc and Back: the previous step; asks only if something would be lost."""
        top, measuring = self._state.top, self._measuring
        if top is None:
            self._go(DISKS)
        elif measuring is None or measuring is not self._top:
            self._shell.close(top)
        elif not measuring.cancelling:
            self._ask_to_end(Leaving.PAGE, measuring.cancel)

    def _ask_to_end(self, leaving: Leaving, end: Callable[[], object]) -> None:
        """Name the disk, and what would be lost."""
        measured, trial = self._state.measured_disks, self._state.trial if leaving is Leaving.WINDOW else None
        lost = []
        if measured:
            lost.append(text("leave-portrait" if self._state.opened(Over.SITTING) else "leave-text"))
        if trial is not None:
            lost.append(text("close-trial", setting=trial.setting.name, disk=titles(trial.disks), before=trial.before))
        question = text("leave-question", disk=titles(measured)) if measured else text("close-question")
        yes = text("leave-stop" if measured else "close-now")
        no = text("leave-stay" if measured else "cancel")
        self._shell.ask(Confirmation(question, "\n".join(lost), yes, no, end, leaving))

    def _show_question(self, confirmation: Confirmation | None) -> None:
        """Ask, or withdraw the question."""
        dialog, self.question = self.question, None
        if dialog is not None:
            dialog.reject()
        if confirmation is None:
            return
        later = text(f"{confirmation.leaving}-afterwards") if confirmation.leaving is not None else ""
        dialog = self.question = Question(
            confirmation.question, confirmation.about, confirmation.yes, confirmation.no, self, afterwards=later
        )
        dialog.accepted.connect(confirmation.go_on)
        dialog.afterwards.clicked.connect(lambda: self._shell.become(afterwards=confirmation.leaving))
        dialog.finished.connect(partial(self._answered, dialog))
        dialog.open()

    def _answered(self, dialog: Question, _result: int) -> None:
        if dialog is self.question:
            self.question = None
            self._shell.become(confirmation=None)

    def _stop_and_close(self) -> None:
        self._stops = True
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask if it would end something; else close at once, without waiting for threads."""
        measuring = self._measuring
        is_ending = measuring is not None and measuring.cancelling and self._state.trial is None
        if self._state.is_ended_by(Leaving.WINDOW) and not (self._stops or is_ending):
            event.ignore()
            self._ask_to_end(Leaving.WINDOW, self._stop_and_close)
            return
        self._shell.become(afterwards=None)
        for page in self._over.values():
            page.leave()
        if self.disks_page.plan is not None:
            self.disks_page.plan.withdraw()
        event.accept()
        self._shell.stop()

    def showEvent(self, event: QShowEvent) -> None:
        """Figures are read while they are visible."""
        super().showEvent(event)
        self.watched.emit(True)

    def changeEvent(self, event: QEvent) -> None:
        """A minimised window reads no figures."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._show_icons()
        if event.type() == QEvent.Type.WindowStateChange:
            self.watched.emit(not self.isMinimized())

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        """Show the strip exactly while it holds a notice."""
        if watched in {self.standing, self.notice} and event.type() in _SEEN:
            self._show_strip()
        return False


def _dropped_file(data: QMimeData) -> Path | None:
    """Return the only file that is carried, if it is on this machine."""
    paths = [url.toLocalFile() for url in data.urls()]
    return Path(paths[0]) if len(paths) == 1 and paths[0] else None
