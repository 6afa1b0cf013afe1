# SPDX-License-Identifier: GPL-3.0-or-later
"""What the window does with the kept results: list, open, compare, note, add, remove."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QFileDialog, QInputDialog

from disktuner.comparison.continuing import find_measured
from disktuner.gui.failures import failure_text
from disktuner.gui.intents import Intents
from disktuner.gui.jobs import InThread
from disktuner.gui.shell import Shell
from disktuner.gui.state import Opened, Over
from disktuner.gui.widgets.between_page import BetweenPage
from disktuner.gui.widgets.history_page import HistoryPage
from disktuner.gui.widgets.layout import plain
from disktuner.gui.widgets.opened_page import OpenedPage
from disktuner.gui.widgets.question import Question
from disktuner.gui.widgets.window import Window
from disktuner.gui.wizard.result_page import ResultPage
from disktuner.memories import memories_of
from disktuner.presentation import Presented, for_goal, present, result_title, when
from disktuner.presentation.kept import Added, KeptResults
from disktuner.results.history import Entry
from disktuner.vocabulary.errors import UsageError
from disktuner.vocabulary.goals import GOALS
from disktuner.vocabulary.messages import text

MOST_WAITING = 100
"""So many files at most wait to be added: who has more has the command line."""


class HistoryActions(QObject):
    """Reads the list when its ``page`` is looked at; everything that takes time is done by ``in_thread``.

    ``shell`` knows what goes on, and is told what is remembered; ``intents`` is what is handed to the pages of results.
    """

    def __init__(self, window: Window, kept: KeptResults, shell: Shell, in_thread: InThread, intents: Intents) -> None:
        super().__init__(window)
        self._shell, self._intents = shell, intents
        self._asked = self._shown = self._opened = 0
        self._waiting, self._adding, self._outcome = deque[Path](), tuple[Path, ...](), Added()
        self._window, self._kept, self._in_thread = window, kept, in_thread
        page = self.page = HistoryPage()
        page.open_one.connect(lambda entry: self.open(entry.id))
        page.compare.connect(self.compare)
        page.note.connect(self.ask_note)
        page.remove.connect(self.ask_removal)
        page.add.connect(self.ask_file)
        page.measure.connect(window.back)

    def refresh(self, *_: object) -> None:
        """Read the list anew; the page keeps what it shows until then."""
        self._asked += 1
        self._in_thread(self._kept.entries, partial(self._show, self._asked))

    def _show(self, number: int, entries: tuple[Entry, ...]) -> None:
        """Show a list, unless one that was read later was there sooner."""
        if number > self._shown:
            self._shown = number
            self.page.show_entries(entries)
            self._shell.become(memories=memories_of(entries))

    def _read(self, read: Callable[[], Any], show: Callable[[Any], object]) -> None:
        """Read what is to be opened; where something else was asked for since, that alone is shown."""
        self._opened += 1
        number = self._opened
        self._in_thread(read, lambda found: show(found) if number == self._opened else None)

    def open(self, result_id: str) -> None:
        """Open a kept result."""
        self._read(partial(self._kept.open, result_id), self.show_result)

    def judge_for(self, presented: Presented, goal: str) -> None:
        """Judge the samples of a result anew, and open what they say for another goal."""
        title = text("judged-for", title=result_title(presented.result), goal=GOALS[goal].name)
        self._read(lambda: present(for_goal(presented.result, goal)), partial(self.show_result, title=title))

    def show_result(self, presented: Presented, title: str = "") -> bool:
        """Open a result over the pages; returns whether it is shown now, or when a measurement is over."""
        return self._shell.open(Opened(Over.RESULT, presented, title or result_title(presented.result)))

    def result_page(self, opened: Opened) -> OpenedPage:
        """The page of a kept result."""
        result = opened.about.result
        find, path = partial(find_measured, result), self._kept.path_of(result.id)
        page = ResultPage(opened.about, self._intents, find, disks=self._shell.state.disks, path=path)
        QTimer.singleShot(0, page, page.announce_answer)
        return OpenedPage(opened.title, page, page.foot)

    def compare(self, older: Entry, newer: Entry) -> None:
        """Open what lies between two results."""
        read = partial(self._kept.between, older.id, newer.id)
        self._read(read, lambda found: self._shell.open(Opened(Over.BETWEEN, found, text("two-compared"))))

    def between_page(self, opened: Opened) -> OpenedPage:
        """The page of what lies between two results."""
        return OpenedPage(opened.title, BetweenPage(opened.about))

    def add(self, path: Path) -> None:
        """Keep a file from elsewhere and open it; of many at once the last one.

        All wait for one thread: any program of the desktop may open as many as it likes.
        """
        if len(self._waiting) < MOST_WAITING:
            self._waiting.append(path)
            self._add_waiting()
        else:
            self._outcome = replace(self._outcome, failure=UsageError("too-many-opened", most=MOST_WAITING))

    def _add_waiting(self) -> None:
        if not self._adding and self._waiting:
            self._adding = tuple(self._waiting)
            self._waiting.clear()
            self._in_thread(self._add_all, self._added)

    def _add_all(self) -> Added:
        """In the thread; what is unforeseen is told, and must not keep the next from being added."""
        try:
            return self._kept.add_all(self._adding)
        except Exception:
            self._adding = ()
            raise

    def _added(self, added: Added) -> None:
        self._adding, before = (), self._outcome
        self._outcome = Added(added.last or before.last, before.failure or added.failure)
        if self._waiting:
            self._add_waiting()
        else:
            self._show_added(self._outcome)
            self._outcome = Added()

    def _show_added(self, added: Added) -> None:
        self.refresh()
        shown = added.last and self.show_result(added.last)
        if added.failure:
            self._window.show_notice(failure_text(added.failure), "bad")
        else:
            self._window.show_notice(text("history-added" if shown else "history-added-meanwhile"), "good")

    def ask_file(self) -> QFileDialog:
        """Ask for a file to keep."""
        dialog = QFileDialog(self._window, text("history-add"), str(Path.home()), text("result-files"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda path: self.add(Path(path)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    def ask_note(self, entry: Entry) -> QInputDialog:
        """Ask for the note of a result."""
        dialog = QInputDialog(self._window)
        dialog.setWindowTitle(text("history-note"))
        dialog.setLabelText(plain(text("note-on", disk=entry.disk, when=when(entry.created))))
        dialog.setOption(QInputDialog.InputDialogOption.UsePlainTextEditForTextInput)
        dialog.setTextValue(entry.notes)
        dialog.textValueSelected.connect(lambda notes: self._change(partial(self._kept.annotate, entry.id, notes)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    def ask_removal(self, entry: Entry) -> Question:
        """Ask before a result is gone for good."""
        what = text("remove-text", disk=entry.disk or entry.id, when=when(entry.created))
        asked = Question(text("remove-question"), what, text("history-remove-now"), text("cancel"), self._window)
        asked.accepted.connect(lambda: self._change(partial(self._kept.remove, entry.id)))
        asked.open()
        return asked

    def _change(self, work: Callable[[], object]) -> None:
        self._in_thread(work, self.refresh)
