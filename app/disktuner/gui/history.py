# SPDX-License-Identifier: GPL-3.0-or-later
"""What the window does with the kept results: list, open, compare, note, add, remove."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QFileDialog, QInputDialog

from disktuner.comparison.continuing import find_measured
from disktuner.gui.failures import failure_text
from disktuner.gui.measurement.result_page import ResultPage
from disktuner.gui.shell import Shell
from disktuner.gui.state import Confirmation, Opened, Over
from disktuner.gui.widgets.between_page import BetweenPage
from disktuner.gui.widgets.history_page import HistoryPage
from disktuner.gui.widgets.layout import plain
from disktuner.gui.widgets.opened_page import OpenedPage
from disktuner.gui.widgets.window import Window
from disktuner.memories import memories_of
from disktuner.presentation import result_title, when
from disktuner.presentation.library import Added
from disktuner.results.history import Entry
from disktuner.vocabulary.errors import UsageError
from disktuner.vocabulary.messages import text

MOST_WAITING = 100
"""The most files that wait to be added; for more there is the command line."""


class HistoryActions(QObject):
    """Reads the list when its ``page`` is opened; everything slow runs in threads."""

    def __init__(self, window: Window, shell: Shell) -> None:
        super().__init__(window)
        self._asked_number = self._shown_number = 0
        self._unsaved: tuple[str, str, str] | None = None
        self._waiting, self._adding, self._outcome = deque[Path](), tuple[Path, ...](), Added()
        self._window, self._library, self._shell = window, shell.library, shell
        page = self.page = HistoryPage()
        page.open_one.connect(lambda entry: shell.show_result(entry.id))
        page.compare.connect(self.compare)
        for wanted in (page.open_one, page.compare):  # its file may be gone
            wanted.connect(self.refresh)
        page.note.connect(self.ask_note)
        page.remove.connect(self.ask_removal)
        page.add.connect(self.ask_file)
        page.measure.connect(window.back)

    def refresh(self, *_: object) -> None:
        """Read the list again; the page keeps its contents until then."""
        self._asked_number += 1
        self._shell.in_thread(self._library.entries, partial(self._show, self._asked_number))

    def _show(self, number: int, entries: tuple[Entry, ...]) -> None:
        """Show a list unless one that was read later is already shown."""
        if number > self._shown_number:
            self._shown_number = number
            self.page.show_entries(entries)
            self._shell.become(memories=memories_of(entries))

    def result_page(self, opened: Opened) -> OpenedPage:
        result = opened.about.result
        find, path = partial(find_measured, result), self._library.path_of(result.id)
        page = ResultPage(opened.about, self._shell, find, disks=self._shell.state.disks, path=path)
        QTimer.singleShot(0, page, page.announce_answer)
        return OpenedPage(opened.title or result_title(result), page, page.foot)

    def compare(self, older: Entry, newer: Entry) -> None:
        read = partial(self._library.between, older.id, newer.id)
        self._shell.read(read, lambda results: self._shell.open(Opened(Over.BETWEEN, results, text("two-compared"))))

    def between_page(self, opened: Opened) -> OpenedPage:
        return OpenedPage(opened.title, BetweenPage(opened.about))

    def add(self, path: Path) -> None:
        """Keep a file from elsewhere and open it; of several, the last one.

        All wait for a single thread: any program of the desktop may open as many as it likes.
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
            self._shell.in_thread(self._add_all, self._added)

    def _add_all(self) -> Added:
        """Runs in the thread; an unforeseen error is reported and must not prevent the next file from being added."""
        try:
            return self._library.add_all(self._adding)
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
        is_seen = added.last and self._shell.open_result(added.last)
        if added.failure:
            self._shell.notified.emit(failure_text(added.failure), "bad")
        else:
            self._shell.notified.emit(text("history-added" if is_seen else "history-added-meanwhile"), "good")

    def ask_file(self) -> QFileDialog:
        dialog = QFileDialog(self._window, text("history-add"), str(Path.home()), text("result-files"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda path: self.add(Path(path)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    def ask_note(self, entry: Entry) -> QInputDialog:
        dialog = QInputDialog(self._window)
        dialog.setWindowTitle(text("history-note"))
        dialog.setLabelText(plain(text("note-on", disk=entry.disk or entry.id, when=when(entry.created))))
        dialog.setOption(QInputDialog.InputDialogOption.UsePlainTextEditForTextInput)
        *of, unsaved = self._unsaved or ("", "", "")
        dialog.setTextValue(unsaved if of == [entry.id, entry.notes] else entry.notes)
        dialog.textValueSelected.connect(partial(self._save_note, entry))
        dialog.rejected.connect(self._forget_note)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    def _save_note(self, entry: Entry, notes: str) -> None:
        """Save it, and keep what could not be saved for another try, as long as the note is what it was."""
        unsaved = self._unsaved = entry.id, entry.notes, notes
        self._change(partial(self._library.annotate, entry.id, notes), lambda _: self._forget_note(unsaved))

    def _forget_note(self, saved: tuple[str, str, str] | None = None) -> None:
        if saved in {None, self._unsaved}:
            self._unsaved = None

    def ask_removal(self, entry: Entry) -> None:
        """Ask before a result is deleted."""
        question = text("remove-text", disk=entry.disk or entry.id, when=when(entry.created))
        remove = partial(self._change, partial(self._library.remove, entry.id))
        yes, no = text("history-remove-now"), text("cancel")
        self._shell.ask(Confirmation(text("remove-question"), question, yes, no, remove))

    def _change(self, work: Callable[[], object], done: Callable[[object], object] = lambda _: None) -> None:
        self._shell.in_thread(work, done, self.refresh)
