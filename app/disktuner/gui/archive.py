# SPDX-License-Identifier: GPL-3.0-or-later
"""The history's page and what is opened from it: connects page, kept results and window."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox, QWidget

from disktuner.comparison.request import JudgedResult
from disktuner.gui import telling, wording
from disktuner.gui.saving import InThread, Saving
from disktuner.gui.shelf import Shelf
from disktuner.gui.style import look
from disktuner.gui.widgets.between_page import BetweenPage
from disktuner.gui.widgets.history_page import HistoryPage
from disktuner.gui.widgets.sheet import Sheet
from disktuner.gui.widgets.window import Window
from disktuner.gui.wizard.result_page import ResultPage
from disktuner.results.history import Entry
from disktuner.verdict.between import Between


class Archive(QObject):
    """Reads the list when the page is looked at; everything that takes time is done by ``in_thread``."""

    def __init__(self, window: Window, shelf: Shelf, in_thread: InThread, saving: Saving) -> None:
        super().__init__(window)
        self._window, self._shelf, self._in_thread, self._saving = window, shelf, in_thread, saving
        page: HistoryPage = window.history_page
        page.open_one.connect(lambda entry: self._in_thread(partial(shelf.open, entry.id), self.show_result))
        page.compare.connect(self.compare)
        page.note.connect(self.ask_note)
        page.remove.connect(self.ask_removal)
        page.add.connect(self.ask_file)

    def refresh(self, *_: object) -> None:
        """Read the list anew; the page keeps what it shows until then."""
        self._in_thread(self._shelf.entries, self._window.history_page.show_entries)

    def show_result(self, outcome: JudgedResult) -> None:
        """Open a result over the pages."""
        page = ResultPage(outcome)
        page.save.connect(partial(self._saving.ask, outcome))
        page.copy.connect(lambda personal: self._saving.copy(outcome, look().dark, personal))
        self._open(telling.result_name(outcome.result), page, page.foot)

    def compare(self, older: Entry, newer: Entry) -> None:
        """Open what lies between two results."""
        self._in_thread(partial(self._shelf.between, older.id, newer.id), self._show_between)

    def _show_between(self, found: Between) -> None:
        self._open(wording.HISTORY_COMPARED, BetweenPage(found))

    def _open(self, name: str, content: QWidget, foot: QWidget | None = None) -> None:
        self._window.open_sheet(Sheet(name, content, foot))

    def add(self, path: Path) -> None:
        """Keep a file from elsewhere and open it."""
        self._in_thread(partial(self._shelf.add, path), self._added)

    def _added(self, outcome: JudgedResult) -> None:
        self.refresh()
        self.show_result(outcome)
        self._window.tell(wording.HISTORY_ADDED, "good")

    def ask_file(self) -> QFileDialog:
        """Ask for a file to keep."""
        dialog = QFileDialog(self._window, wording.HISTORY_ADD, str(Path.home()), wording.RESULT_FILTER)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda path: self.add(Path(path)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    def ask_note(self, entry: Entry) -> QInputDialog:
        """Ask for the note of a result."""
        dialog = QInputDialog(self._window)
        dialog.setWindowTitle(wording.HISTORY_NOTE)
        about = wording.NOTE_LABEL.format(disk=entry.disk, when=telling.when(entry.created))
        dialog.setLabelText(wording.plain(about))
        dialog.setOption(QInputDialog.InputDialogOption.UsePlainTextEditForTextInput)
        dialog.setTextValue(entry.notes)
        dialog.textValueSelected.connect(lambda text: self._change(partial(self._shelf.annotate, entry.id, text)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    def ask_removal(self, entry: Entry) -> QMessageBox:
        """Ask before a result is gone for good."""
        box = QMessageBox(QMessageBox.Icon.Question, wording.APP, wording.REMOVE_QUESTION, parent=self._window)
        about = wording.REMOVE_TEXT.format(disk=entry.disk or entry.id, when=telling.when(entry.created))
        box.setInformativeText(wording.plain(about))
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.addButton(wording.HISTORY_REMOVE_NOW, QMessageBox.ButtonRole.AcceptRole)
        stay = box.addButton(wording.CANCEL, QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(stay)
        box.setEscapeButton(stay)
        box.accepted.connect(lambda: self._change(partial(self._shelf.remove, entry.id)))
        box.finished.connect(box.deleteLater)
        box.open()
        return box

    def _change(self, work: Callable[[], object]) -> None:
        self._in_thread(work, self.refresh)
