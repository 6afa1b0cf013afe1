# SPDX-License-Identifier: GPL-3.0-or-later
"""All results that were kept: search, open, compare two, note, add, remove."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHeaderView, QLineEdit, QStackedWidget, QTableView, QWidget

from disktuner.gui import wording
from disktuner.gui.models.history import HistoryModel
from disktuner.gui.style import look
from disktuner.gui.widgets.parts import button, column, label, page_wide, row, title
from disktuner.results.history import Entry


class HistoryPage(QWidget):
    """The table of ``HistoryModel``.

    Signals: ``open_one``, ``note`` and ``remove`` carry an entry, ``compare`` the older and the newer of two, ``add``
    asks for a file.
    """

    open_one = Signal(object)
    compare = Signal(object, object)
    note = Signal(object)
    remove = Signal(object)
    add = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.model = HistoryModel(self)
        self.search = QLineEdit(placeholderText=wording.HISTORY_SEARCH, clearButtonEnabled=True)
        self.search.setAccessibleName(wording.HISTORY_SEARCH)
        self.search.textChanged.connect(self._search)
        self.table = self._table()
        self._hint = label(wording.HISTORY_READING, tone="muted", wrap=True)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._hint)
        self._stack.addWidget(self.table)
        whole = column(title(wording.HISTORY), row(self.search), self._stack, self._buttons())
        whole.setStretch(2, 1)
        margin = look().large
        whole.setContentsMargins(margin, margin, margin, margin)
        self.setLayout(page_wide(whole))
        self._choose()

    def _table(self) -> QTableView:
        table = QTableView()
        table.setModel(self.model)
        table.setAccessibleName(wording.HISTORY)
        table.setAlternatingRowColors(True)
        table.setShowGrid(False)
        table.verticalHeader().hide()
        table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        table.setTabKeyNavigation(False)
        table.setWordWrap(False)
        header = table.horizontalHeader()
        header.setResizeContentsPrecision(0)
        for section in (0, 2):
            header.setSectionResizeMode(section, QHeaderView.ResizeMode.ResizeToContents)
        for section in (1, 4):
            header.resizeSection(section, round(look().wide * (6.3 if section == 1 else 4.7)))
        header.setSectionResizeMode(3, QHeaderView.ResizeMode.Stretch)
        header.setHighlightSections(False)
        table.activated.connect(self._open)
        table.selectionModel().selectionChanged.connect(self._choose)
        self.model.modelReset.connect(self._choose)
        return table

    def _buttons(self) -> QWidget:
        self.open_button = button(wording.HISTORY_OPEN, self._open, primary=True)
        self.compare_button = button(wording.HISTORY_COMPARE, self._compare)
        self.note_button = button(wording.HISTORY_NOTE, lambda: self.note.emit(self.chosen[0]))
        self.remove_button = button(wording.HISTORY_REMOVE, lambda: self.remove.emit(self.chosen[0]))
        self.add_button = button(wording.HISTORY_ADD, self.add.emit)
        line = QWidget()
        parts = (self.open_button, self.compare_button, self.note_button, self.remove_button)
        line.setLayout(row(*parts, None, self.add_button))
        return line

    def show_entries(self, entries: tuple[Entry, ...]) -> None:
        """Show these, and keep what is chosen where it is still there."""
        chosen = {entry.id for entry in self.chosen}
        self.model.show(entries)
        for number in range(self.model.rowCount() if chosen else 0):
            if self.model.entry(number).id in chosen:
                self.table.selectRow(number)
        self._show_right()

    def show_failure(self, text: str) -> None:
        """Say why there is nothing to see."""
        self._hint.setText(text)
        self._stack.setCurrentWidget(self._hint)

    @property
    def chosen(self) -> tuple[Entry, ...]:
        """The chosen results, the oldest first."""
        rows = sorted((index.row() for index in self.table.selectionModel().selectedRows()), reverse=True)
        return tuple(self.model.entry(number) for number in rows)

    def _search(self, words: str) -> None:
        self.model.search(words)
        self._show_right()

    def _show_right(self) -> None:
        self._hint.setText(wording.HISTORY_NOT_FOUND if self.model.total else wording.HISTORY_EMPTY)
        self._stack.setCurrentWidget(self.table if self.model.rowCount() else self._hint)

    def _choose(self, *_: object) -> None:
        chosen = self.chosen
        sound = [entry for entry in chosen if not entry.problem]
        self.open_button.setEnabled(len(chosen) == len(sound) == 1)
        self.compare_button.setEnabled(len(chosen) == len(sound) == 2)
        self.compare_button.setToolTip(wording.HISTORY_COMPARE_HOW)
        self.note_button.setEnabled(len(chosen) == len(sound) == 1)
        self.remove_button.setEnabled(len(chosen) == 1)

    def _open(self, *_: object) -> None:
        if self.open_button.isEnabled():
            self.open_one.emit(self.chosen[0])

    def _compare(self) -> None:
        self.compare.emit(*self.chosen)
