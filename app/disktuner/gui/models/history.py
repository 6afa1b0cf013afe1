# SPDX-License-Identifier: GPL-3.0-or-later
"""The kept results as a table that can be searched."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from disktuner.gui import telling, wording
from disktuner.gui.style import look
from disktuner.results.history import Entry

_NO_INDEX = QModelIndex()


class HistoryModel(QAbstractTableModel):
    """One row per result that holds all words looked for, newest first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: tuple[Entry, ...] = ()
        self._shown: tuple[Entry, ...] = ()
        self._words = ""

    def show(self, entries: tuple[Entry, ...]) -> None:
        """Become the rows of these."""
        self._all = entries
        self._filter()

    def search(self, words: str) -> None:
        """Show only those in which all words occur."""
        self._words = words
        self._filter()

    def _filter(self) -> None:
        shown = tuple(entry for entry in self._all if entry.holds(self._words))
        if shown != self._shown:
            self.beginResetModel()
            self._shown = shown
            self.endResetModel()

    @property
    def total(self) -> int:
        """How many there are, found or not."""
        return len(self._all)

    def entry(self, row: int) -> Entry:
        """The result of a row."""
        return self._shown[row]

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _NO_INDEX) -> int:
        """How many were found."""
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = _NO_INDEX) -> int:
        """The columns of ``wording.HISTORY_COLUMNS``."""
        return 0 if parent.isValid() else len(wording.HISTORY_COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The columns' names."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return wording.HISTORY_COLUMNS[section]
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The text of a cell; the whole of it as its tip."""
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            text = telling.history_row(self._shown[index.row()])[index.column()]
            return text if role == Qt.ItemDataRole.DisplayRole else wording.plain(text)
        if role == Qt.ItemDataRole.ForegroundRole and self._shown[index.row()].problem:
            return look().caution
        return None
