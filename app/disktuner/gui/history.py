# SPDX-License-Identifier: GPL-3.0-or-later
"""What the window does with the kept results: list, open, compare, note, add, remove."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QInputDialog, QWidget

from disktuner.comparison.continuing import find_measured
from disktuner.gui.intents import Intents
from disktuner.gui.jobs import InThread
from disktuner.gui.kept import KeptResults
from disktuner.gui.state import State
from disktuner.gui.widgets.between_page import BetweenPage
from disktuner.gui.widgets.history_page import HistoryPage
from disktuner.gui.widgets.layout import plain
from disktuner.gui.widgets.opened_page import OpenedPage
from disktuner.gui.widgets.question import Question
from disktuner.gui.widgets.window import Window
from disktuner.gui.wizard.result_page import ResultPage
from disktuner.presentation import (
    Presented,
    PresentedBetween,
    for_goal,
    present,
    result_title,
    when,
)
from disktuner.results.history import Entry
from disktuner.vocabulary.goals import GOALS
from disktuner.vocabulary.messages import text


class HistoryActions(QObject):
    """Reads the list when its ``page`` is looked at; everything that takes time is done by ``in_thread``.

    ``state`` tells what goes on, ``intents`` is what is handed to the pages of results.
    """

    def __init__(
        self, window: Window, kept: KeptResults, state: Callable[[], State], in_thread: InThread, intents: Intents
    ) -> None:
        super().__init__(window)
        self._state, self._intents = state, intents
        self._asked = self._shown = 0
        self._window, self._kept, self._in_thread = window, kept, in_thread
        page = self.page = HistoryPage()
        page.open_one.connect(lambda entry: self.open(entry.id))
        page.compare.connect(self.compare)
        page.note.connect(self.ask_note)
        page.remove.connect(self.ask_removal)
        page.add.connect(self.ask_file)

    def refresh(self, *_: object) -> None:
        """Read the list anew; the page keeps what it shows until then."""
        self._asked += 1
        self._in_thread(self._kept.entries, partial(self._show, self._asked))

    def _show(self, number: int, entries: tuple[Entry, ...]) -> None:
        """Show a list, unless one that was read later was there sooner."""
        if number > self._shown:
            self._shown = number
            self.page.show_entries(entries)

    def open(self, result_id: str) -> None:
        """Open a kept result."""
        self._in_thread(partial(self._kept.open, result_id), self.show_result)

    def judge_for(self, presented: Presented, goal: str) -> None:
        """Judge the samples of a result anew, and open what they say for another goal."""
        title = text("judged-for", title=result_title(presented.result), goal=GOALS[goal].name)
        self._in_thread(lambda: present(for_goal(presented.result, goal)), partial(self.show_result, title=title))

    def show_result(self, presented: Presented, title: str = "") -> bool:
        """Open a result over the pages; returns whether it is shown now, or when a measurement is over."""
        find, path = partial(find_measured, presented.result), self._kept.path_of(presented.result.id)
        page = ResultPage(presented, self._intents, find, disks=self._state().disks, path=path)
        shown = self._open(title or result_title(presented.result), page, page.foot)
        page.announce_answer()
        return shown

    def compare(self, older: Entry, newer: Entry) -> None:
        """Open what lies between two results."""
        self._in_thread(partial(self._kept.between, older.id, newer.id), self._show_between)

    def _show_between(self, found: PresentedBetween) -> None:
        self._open(text("two-compared"), BetweenPage(found))

    def _open(self, name: str, content: QWidget, foot: QWidget | None = None) -> bool:
        return self._window.open_page(OpenedPage(name, content, foot))

    def add(self, path: Path) -> None:
        """Keep a file from elsewhere and open it."""
        self._in_thread(partial(self._kept.add, path), self._added)

    def _added(self, presented: Presented) -> None:
        self.refresh()
        shown = self.show_result(presented)
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
