# SPDX-License-Identifier: GPL-3.0-or-later
"""All results that were kept: search, open, compare two, note, add, remove."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QApplication, QHeaderView, QLineEdit, QStackedWidget, QTableView, QWidget

from disktuner.gui.access import announce
from disktuner.gui.models import TextTable
from disktuner.gui.style import look
from disktuner.gui.widgets.layout import button, column, label, page_wide, row, table, title, with_margin
from disktuner.presentation import when
from disktuner.results.history import Entry
from disktuner.vocabulary.goals import purpose_of
from disktuner.vocabulary.messages import named, text

_ANSWER = 3
"""The column of answers."""


class HistoryModel(TextTable):
    """One line per result. Attributes: ``entries``."""

    def __init__(self, parent: QObject | None = None) -> None:
        columns = ("column-measured", "column-disk", "column-purpose", "column-answer", "column-note")
        super().__init__(columns, parent=parent)
        self.entries: tuple[Entry, ...] = ()

    def show_entries(self, entries: tuple[Entry, ...]) -> None:
        """Become the lines of these."""
        self.entries = entries
        self.show([_line(each) for each in entries])

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The texts of a cell, an answer in bold; what cannot be opened in another colour; a time as it is sorted."""
        entry = self.entries[index.row()]
        if role == Qt.ItemDataRole.ForegroundRole:
            return look().caution if entry.problem else None
        if role == Qt.ItemDataRole.FontRole and index.column() == _ANSWER and entry.answers:
            font = QFont(QApplication.font())
            font.setWeight(QFont.Weight.DemiBold)
            return font
        if role == Qt.ItemDataRole.UserRole:
            return entry.created if index.column() == 0 else self.cells(index.row())[index.column()].casefold()
        return super().data(index, role)


def _line(entry: Entry) -> Sequence[str]:
    purpose = named(known.name) if (known := purpose_of(entry.goal)) else entry.goal
    answer = text("entry-problem", problem=entry.problem) if entry.problem else entry.headline
    return (when(entry.created), entry.disk or entry.id, purpose, answer, " ".join(entry.notes.split()))


class FoundModel(QSortFilterProxyModel):
    """The results that hold all words looked for, newest first until another column is chosen."""

    def __init__(self, source: HistoryModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._source, self._words = source, ""
        self.setSourceModel(source)
        self.setSortRole(Qt.ItemDataRole.UserRole)
        self.sort(0, Qt.SortOrder.DescendingOrder)

    def search(self, words: str) -> None:
        """Show only those in which all words occur."""
        self._words = words
        self.invalidate()

    def filterAcceptsRow(self, row: int, _parent: QModelIndex | QPersistentModelIndex) -> bool:
        """Whether all words occur in it."""
        return self._source.entries[row].holds(self._words)

    def entry(self, row: int) -> Entry:
        """The result of a row."""
        return self._source.entries[self.mapToSource(self.index(row, 0)).row()]

    @property
    def total(self) -> int:
        """How many there are, found or not."""
        return self._source.rows()


class HistoryPage(QWidget):
    """The table of ``FoundModel``.

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
        self._all = HistoryModel(self)
        self.model = FoundModel(self._all, self)
        self.search = QLineEdit(placeholderText=text("history-search"), clearButtonEnabled=True)
        self.search.setAccessibleName(text("history-search"))
        self.search.textChanged.connect(self._search)
        self.table = self._table()
        self._hint = label(text("history-reading"), tone="muted", wrap=True)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._hint)
        self._stack.addWidget(self.table)
        head = column(title(text("page-history")), label(text("history-hint"), tone="muted", wrap=True))
        whole = column(head, self.search, self._stack, self._buttons(), wide=2)
        self.setLayout(page_wide(with_margin(whole, look().large, look().medium)))
        self._choose()

    def _table(self) -> QTableView:
        shown = table(self.model, text("page-history"))
        header = shown.horizontalHeader()
        header.setResizeContentsPrecision(0)
        for section in (0, 2):
            header.setSectionResizeMode(section, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(3, QHeaderView.ResizeMode.Stretch)
        header.setHighlightSections(False)
        shown.sortByColumn(0, Qt.SortOrder.DescendingOrder)
        shown.setSortingEnabled(True)
        shown.activated.connect(self._open)
        shown.selectionModel().selectionChanged.connect(self._choose)
        self.model.modelReset.connect(self._choose)
        self.model.layoutChanged.connect(self._choose)
        return shown

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The answer keeps some room where the window is narrow: disk and note end in an ellipsis sooner."""
        super().resizeEvent(event)
        header = self.table.horizontalHeader()
        for section, most, share in ((1, 7.5, 0.2), (4, 4.2, 0.12)):
            wanted = round(min(look().wide * most, self.width() * share))
            header.resizeSection(section, max(wanted, header.sectionSizeHint(section)))

    def _buttons(self) -> QWidget:
        self.open_button = button(text("history-open"), self._open, primary=True)
        self.compare_button = button(text("history-compare"), self._compare)
        self.compare_button.setToolTip(text("history-compare-hint"))
        self.note_button = button(text("history-note"), lambda: self.note.emit(self.chosen[0]))
        self.remove_button = button(text("history-remove"), lambda: self.remove.emit(self.chosen[0]))
        self.add_button = button(text("history-add"), self.add.emit)
        line = QWidget()
        of_chosen = (self.open_button, self.compare_button, self.note_button, self.remove_button)
        line.setLayout(row(*of_chosen, None, self.add_button))
        return line

    def show_entries(self, entries: tuple[Entry, ...]) -> None:
        """Show these, and keep what is chosen where it is still there."""
        chosen = {entry.id for entry in self.chosen}
        self._all.show_entries(entries)
        for number in range(self.model.rowCount() if chosen else 0):
            if self.model.entry(number).id in chosen:
                self.table.selectRow(number)
        self._show_right()

    @property
    def chosen(self) -> tuple[Entry, ...]:
        """The chosen results, the oldest first."""
        rows = (index.row() for index in self.table.selectionModel().selectedRows())
        return tuple(sorted(map(self.model.entry, rows), key=lambda entry: (entry.created, entry.id)))

    def _search(self, words: str) -> None:
        self.model.search(words)
        self._show_right()

    def _show_right(self) -> None:
        self._hint.setText(text("history-not-found" if self.model.total else "history-empty"))
        self._stack.setCurrentWidget(self.table if self.model.rowCount() else self._hint)
        announce(self._hint, self._hint.text())

    def _choose(self, *_: object) -> None:
        chosen = self.chosen
        sound = [entry for entry in chosen if not entry.problem]
        self.open_button.setEnabled(len(chosen) == len(sound) == 1)
        self.compare_button.setEnabled(len(chosen) == len(sound) == 2)
        self.note_button.setEnabled(len(chosen) == len(sound) == 1)
        self.remove_button.setEnabled(len(chosen) == 1)
        for each in (self.open_button, self.note_button, self.remove_button):
            each.setToolTip("" if each.isEnabled() else text("history-choose-hint"))

    def _open(self, *_: object) -> None:
        if self.open_button.isEnabled():
            self.open_one.emit(self.chosen[0])

    def _compare(self) -> None:
        self.compare.emit(*self.chosen)
