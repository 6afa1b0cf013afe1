# SPDX-License-Identifier: GPL-3.0-or-later
"""All kept results: search, open, compare two, note, add, remove."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QObject,
    QRectF,
    QSignalBlocker,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QApplication, QComboBox, QHeaderView, QLineEdit, QStackedWidget, QTableView, QWidget

from disktuner.drawing.badge import draw_badge
from disktuner.drawing.bars import draw_shares
from disktuner.drawing.pen import Pen
from disktuner.gui.models import DrawnCell, Index, TextTable
from disktuner.gui.style import look
from disktuner.gui.widgets.free_room import FreeRoom
from disktuner.gui.widgets.layout import Foot, button, column, filled, label, page_wide, row, table, title, with_margin
from disktuner.gui.widgets.notice import EmptyPage
from disktuner.memories import memories_of
from disktuner.presentation import when
from disktuner.results.history import MOST_BARS, Entry
from disktuner.verdict.outcomes import Decision
from disktuner.vocabulary.messages import text

_ANSWER = 3
"""The column of answers."""
_SELECT = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
"""Select a row besides those that are selected."""


class HistoryModel(TextTable):
    """A row per result. Attributes: ``entries``."""

    def __init__(self, parent: QObject | None = None) -> None:
        columns = ("column-measured", "column-disk", "column-purpose", "column-answer", "column-note")
        super().__init__(columns, parent=parent)
        self.entries: tuple[Entry, ...] = ()

    def show_entries(self, entries: tuple[Entry, ...]) -> None:
        """Replace the rows, newest first."""
        self.entries = entries
        self.show([_line(entry) for entry in entries])

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Cell texts, with answers in bold, results that cannot be opened in another colour; sort keys."""
        entry = self.entries[index.row()]
        if role == Qt.ItemDataRole.ForegroundRole:
            return look().caution if entry.problem else None
        if role == Qt.ItemDataRole.FontRole and index.column() == _ANSWER and entry.decision:
            font = QFont(QApplication.font())
            font.setWeight(QFont.Weight.DemiBold)
            return font
        if role == Qt.ItemDataRole.UserRole:
            return -index.row() if index.column() == 0 else self.cells(index.row())[index.column()].casefold()
        return super().data(index, role)


def _line(entry: Entry) -> Sequence[str]:
    answer = text("entry-problem", problem=entry.problem) if entry.problem else entry.headline
    return (when(entry.created), entry.disk or entry.id, entry.purpose, answer, " ".join(entry.notes.split()))


class _Answer(DrawnCell):
    """The answer's badge, and its figure as small bars, the best first: full colour for the setting in question, grey
    for the previous one.
    """

    wide = 6.4

    def draw(self, pen: Pen, box: QRectF, index: Index) -> None:
        """Draw the bars on a background of their own, so that they are visible in a selected row, too."""
        model, em = index.model(), pen.ink.em
        assert isinstance(model, FoundModel)
        entry = model.entry(index.row())
        if entry.decision:
            badge = QRectF(box.left() + em * 0.4, box.center().y() - em * 0.75, em * 1.5, em * 1.5)
            draw_badge(pen, Decision(entry.decision), badge)
        place = QRectF(box.left() + em * 2.2, box.top() + em * 0.25, em * 4, box.height() - em * 0.5)
        if entry.bars:
            pen.fill(place, pen.ink.ground)
            draw_shares(pen, place, entry.bars[:MOST_BARS], entry.about, entry.baseline)


class FoundModel(QSortFilterProxyModel):
    """The results that contain all words searched for, newest first until another column is chosen.

    Attributes: ``only`` maps columns to the text chosen in the filters.
    """

    def __init__(self, source: HistoryModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._source, self._words, self.only = source, "", dict[int, str]()
        self.setSourceModel(source)
        self.setSortRole(Qt.ItemDataRole.UserRole)
        self.sort(0, Qt.SortOrder.DescendingOrder)

    def search(self, words: str, only: Mapping[int, str]) -> None:
        """Show only results that contain all words, and whose columns have these texts."""
        self._words, self.only = words, dict(only)
        self.invalidate()

    def filterAcceptsRow(self, row: int, _parent: Index) -> bool:
        cells = self._source.cells(row)
        return all(cells[at] == value for at, value in self.only.items()) and self._source.entries[row].holds(
            self._words
        )

    def entry(self, row: int) -> Entry:
        return self._source.entries[self.mapToSource(self.index(row, 0)).row()]


class HistoryPage(QWidget):
    """The table of ``FoundModel``, and below it, if there is room, the chosen answer or the newest.

    Signals: ``open_one``, ``note`` and ``remove`` carry an entry, ``compare`` the older and the newer of two, ``add``
    asks for a file, ``measure`` for a first result.
    """

    open_one = Signal(object)
    compare = Signal(object, object)
    note = Signal(object)
    remove = Signal(object)
    add = Signal()
    measure = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._all = HistoryModel(self)
        self.model = FoundModel(self._all, self)
        self.search = QLineEdit(placeholderText=text("history-search"), clearButtonEnabled=True)
        self.search.setAccessibleName(text("history-search"))
        self.search.textChanged.connect(self._search)
        self.filters = {1: QComboBox(), 2: QComboBox()}
        for box, name in zip(self.filters.values(), ("column-disk", "column-purpose"), strict=True):
            box.setAccessibleName(text(name))
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            box.setMaximumWidth(look().wide * 8)
            box.currentIndexChanged.connect(self._search)
        self.table = self._table()
        self._empty, self._stack = EmptyPage(), QStackedWidget()
        self._room = FreeRoom()
        listed = column(self.table, self._room, None, gap=0)
        for at, share in enumerate((100_000, 1000)):  # what the rows leave is the room's
            listed.setStretch(at, share)
        self._listed = filled(listed)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._listed)
        head = column(title(text("page-history")), label(text("history-hint"), tone="muted", wrap=True))
        line = row(self.search, *self.filters.values(), wide=0)
        layout = with_margin(column(head, line, self._stack, wide=2), look().large, look().medium)
        self.setLayout(column(filled(page_wide(layout)), self._foot(), gap=0, wide=0))
        self._empty.show_state("history", text("history-reading"))
        self._choose()

    def _table(self) -> QTableView:
        view = table(self.model, text("page-history"))
        view.setItemDelegateForColumn(_ANSWER, _Answer(view))
        view.setAlternatingRowColors(False)
        view.verticalHeader().setDefaultSectionSize(round(look().wide * 1.3))
        header = view.horizontalHeader()
        header.setResizeContentsPrecision(0)
        for section in (0, 2):
            header.setSectionResizeMode(section, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(_ANSWER, QHeaderView.ResizeMode.Stretch)
        header.moveSection(_ANSWER, 0)
        header.moveSection(1, 3)  # when it was, after what it was of
        header.setHighlightSections(False)
        view.sortByColumn(0, Qt.SortOrder.DescendingOrder)
        view.setSortingEnabled(True)
        view.activated.connect(self._open)
        view.selectionModel().selectionChanged.connect(self._choose)
        self.model.modelReset.connect(self._choose)
        self.model.layoutChanged.connect(self._choose)
        return view

    def resizeEvent(self, event: QResizeEvent) -> None:
        """If the window is narrow, the answer keeps some room, and disk and note are elided sooner."""
        super().resizeEvent(event)
        header = self.table.horizontalHeader()
        for section, most, share in ((1, 7.5, 0.18), (4, 4.2, 0.12)):
            width = round(min(look().wide * most, self.width() * share))
            header.resizeSection(section, max(width, header.sectionSizeHint(section)))
        self._fit_table()

    def _foot(self) -> Foot:
        self.open_button = button(text("history-open"), self._open, primary=True)
        self.compare_button = button(text("history-compare"), self._compare)
        self.compare_button.setToolTip(text("history-compare-hint"))
        self.note_button = button(text("history-note"), lambda: self.note.emit(self.chosen_entries[0]))
        self.remove_button = button(text("history-remove"), lambda: self.remove.emit(self.chosen_entries[0]))
        self.add_button = button(text("history-add"), self.add.emit)
        other_buttons = (self.add_button, self.note_button, self.remove_button)
        return Foot(other_buttons, row(self.compare_button, self.open_button))

    def show_entries(self, entries: tuple[Entry, ...]) -> None:
        """Show these results, and keep the selection as far as it still exists."""
        chosen = {entry.id for entry in self.chosen_entries}
        self._all.show_entries(entries)
        self._offer_filters()
        for number in range(self.model.rowCount() if chosen else 0):
            if self.model.entry(number).id in chosen:
                self.table.selectionModel().setCurrentIndex(self.model.index(number, 0), _SELECT)
        self._show_right()

    @property
    def chosen_entries(self) -> tuple[Entry, ...]:
        """The selected results, the oldest first."""
        rows = (self.model.mapToSource(index).row() for index in self.table.selectionModel().selectedRows())
        return tuple(self._all.entries[row] for row in sorted(rows, reverse=True))

    def _offer_filters(self) -> None:
        """Fill the filters with the columns' texts; the chosen ones stay."""
        for (at, box), name in zip(self.filters.items(), ("all-disks", "all-purposes"), strict=True):
            sound = [number for number, entry in enumerate(self._all.entries) if not entry.problem]
            values = sorted({self._all.cells(number)[at] for number in sound} - {""})
            with QSignalBlocker(box):
                chosen = box.currentText() if box.currentIndex() > 0 else ""
                box.clear()
                box.addItems((text(name), *values))
                box.setCurrentIndex(max(0, box.findText(chosen) if chosen else 0))
            box.setVisible(len(values) > 1)
        self._search()

    def _search(self, *_: object) -> None:
        only = {at: box.currentText() for at, box in self.filters.items() if box.currentIndex() > 0}
        self.model.search(self.search.text(), only)
        self._show_right()

    def _show_all(self) -> None:
        for box in self.filters.values():
            box.setCurrentIndex(0)
        self.search.clear()

    def _show_right(self) -> None:
        for widget in (self.search, self.note_button, self.remove_button, self.compare_button, self.open_button):
            widget.setVisible(bool(self._all.entries))
        content, before = self.table if self.model.rowCount() else self._empty, QApplication.focusWidget()
        self._stack.setCurrentWidget(self._listed if content is self.table else self._empty)
        self._fit_table()
        self._show_answer()
        if not self._all.entries:
            why, measure = text("history-empty-hint"), text("start-measuring")
            self._empty.show_state("history", text("history-empty"), why, measure, self.measure.emit)
        elif not self.model.rowCount():
            self._empty.show_state("history", text("history-not-found"), "", text("history-show-all"), self._show_all)
        if before is self.add_button or (before and self._stack.isAncestorOf(before)):
            content.setFocus()  # where Qt put it when there was nothing else yet, or what it was in is gone

    def _fit_table(self) -> None:
        """Let the table be as high as its rows at most."""
        rows, header = self.table.verticalHeader().length(), self.table.horizontalHeader().sizeHint()
        bar = self.table.horizontalScrollBar()
        below = bar.sizeHint().height() if bar.maximum() > bar.minimum() else 0
        self.table.setMaximumHeight(rows + header.height() + below + 2 * self.table.frameWidth())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.StyleChange}:
            self._fit_table()

    def _show_answer(self) -> None:
        """Show the chosen answer in the room below the table, else the first of the table."""
        entries = itertools.chain(self.chosen_entries, map(self.model.entry, range(self.model.rowCount())))
        shown = next((entry for entry in entries if entry.bars and not entry.problem), None)
        memory = next(iter(memories_of((shown,)).values()), None) if shown is not None else None
        self._room.show_memory(memory)
        self._room.setVisible(memory is not None)

    def _choose(self, *_: object) -> None:
        self._show_answer()
        chosen, focused = self.chosen_entries, self.window().focusWidget()  # also while a dialog is above the window
        sound = [entry for entry in chosen if not entry.problem]
        self.open_button.setEnabled(len(chosen) == len(sound) == 1)
        self.compare_button.setEnabled(len(chosen) == len(sound) == 2)
        self.note_button.setEnabled(len(chosen) == len(sound) == 1)
        self.remove_button.setEnabled(len(chosen) == 1)
        for widget in (self.open_button, self.note_button, self.remove_button):
            widget.setToolTip("" if widget.isEnabled() else text("history-choose-hint"))
        if focused is not None and self.isAncestorOf(focused) and not focused.isEnabled():
            self.table.setFocus()  # else Qt would let it go on to the tabs

    def _open(self, *_: object) -> None:
        if self.open_button.isEnabled():
            self.open_one.emit(self.chosen_entries[0])

    def _compare(self) -> None:
        self.compare.emit(*self.chosen_entries)
