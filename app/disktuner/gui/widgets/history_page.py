# SPDX-License-Identifier: GPL-3.0-or-later
"""All results that were kept: search, open, compare two, note, add, remove."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRectF, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QApplication, QHeaderView, QLineEdit, QStackedWidget, QTableView, QWidget

from disktuner.drawing.badge import draw_badge
from disktuner.drawing.bars import bar_colour
from disktuner.drawing.pen import Pen
from disktuner.gui.models import TextTable
from disktuner.gui.style import look
from disktuner.gui.widgets.drawn_cell import DrawnCell, Index
from disktuner.gui.widgets.layout import Foot, button, column, label, page_wide, row, table, title, with_margin
from disktuner.gui.widgets.notice import EmptyPage
from disktuner.presentation import when
from disktuner.results.history import Entry
from disktuner.verdict.model import Decision
from disktuner.vocabulary.goals import purpose_of
from disktuner.vocabulary.messages import named, text
from disktuner.vocabulary.settings import Setting

_ANSWER = 3
"""The column of answers."""
_MOST_BARS = 4


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
        if role == Qt.ItemDataRole.FontRole and index.column() == _ANSWER and entry.decision:
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


class _Answer(DrawnCell):
    """Its badge, and its figure as small bars, the best first: full is what it is about, grey what there was."""

    wide = 6.4

    def draw(self, pen: Pen, box: QRectF, index: Index) -> None:
        """The bars lie on a ground of their own, so that they are seen in a row that is chosen, too."""
        model, em = index.model(), pen.ink.em
        assert isinstance(model, FoundModel)
        entry = model.entry(index.row())
        if entry.decision:
            badge = QRectF(box.left() + em * 0.4, box.center().y() - em * 0.75, em * 1.5, em * 1.5)
            draw_badge(pen, Decision(entry.decision), badge)
        place = QRectF(box.left() + em * 2.2, box.top() + em * 0.25, em * 4, box.height() - em * 0.5)
        if entry.bars:
            pen.fill(place, pen.ink.ground)
        step = place.height() / _MOST_BARS
        for number, (name, share) in enumerate(entry.bars[:_MOST_BARS]):
            shown = name == entry.about, name == entry.baseline
            colour = bar_colour(pen.ink, Setting(name.partition(":")[0]), stands_out=shown[0], is_now=shown[1])
            top = place.top() + (number + 0.15) * step
            pen.fill(QRectF(place.left(), top, share * place.width(), step * 0.7), colour)


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


class HistoryPage(QWidget):
    """The table of ``FoundModel``.

    Signals: ``open_one``, ``note`` and ``remove`` carry an entry, ``compare`` the older and the newer of two, ``add``
    asks for a file, ``measure`` for a first result.
    """

    open_one = Signal(object)
    compare = Signal(object, object)
    note = Signal(object)
    remove = Signal(object)
    add = Signal()
    measure = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._all = HistoryModel(self)
        self.model = FoundModel(self._all, self)
        self.search = QLineEdit(placeholderText=text("history-search"), clearButtonEnabled=True)
        self.search.setAccessibleName(text("history-search"))
        self.search.textChanged.connect(self._search)
        self.table = self._table()
        self._empty, self._stack = EmptyPage(), QStackedWidget()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.table)
        head = column(title(text("page-history")), label(text("history-hint"), tone="muted", wrap=True))
        whole = with_margin(column(head, self.search, self._stack, wide=2), look().large, look().medium)
        content = QWidget()
        content.setLayout(page_wide(whole))
        self.setLayout(column(content, self._foot(), gap=0, wide=0))
        self._empty.show_state("history", text("history-reading"))
        self._choose()

    def _table(self) -> QTableView:
        shown = table(self.model, text("page-history"))
        shown.setItemDelegateForColumn(_ANSWER, _Answer(shown))
        shown.setAlternatingRowColors(False)
        shown.verticalHeader().setDefaultSectionSize(round(look().wide * 1.3))
        header = shown.horizontalHeader()
        header.setResizeContentsPrecision(0)
        for section in (0, 2):
            header.setSectionResizeMode(section, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(_ANSWER, QHeaderView.ResizeMode.Stretch)
        header.moveSection(_ANSWER, 0)
        header.moveSection(1, 3)  # when it was, after what it was of
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
        for section, most, share in ((1, 7.5, 0.18), (4, 4.2, 0.12)):
            wanted = round(min(look().wide * most, self.width() * share))
            header.resizeSection(section, max(wanted, header.sectionSizeHint(section)))

    def _foot(self) -> Foot:
        self.open_button = button(text("history-open"), self._open, primary=True)
        self.compare_button = button(text("history-compare"), self._compare)
        self.compare_button.setToolTip(text("history-compare-hint"))
        self.note_button = button(text("history-note"), lambda: self.note.emit(self.chosen[0]))
        self.remove_button = button(text("history-remove"), lambda: self.remove.emit(self.chosen[0]))
        self.add_button = button(text("history-add"), self.add.emit)
        others = (self.add_button, self.note_button, self.remove_button)
        return Foot(others, row(self.compare_button, self.open_button))

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
        for each in (self.search, self.note_button, self.remove_button, self.compare_button, self.open_button):
            each.setVisible(bool(self._all.entries))
        self._stack.setCurrentWidget(self.table if self.model.rowCount() else self._empty)
        if not self._all.entries:
            why, measure = text("history-empty-hint"), text("start-measuring")
            self._empty.show_state("history", text("history-empty"), why, measure, self.measure.emit)
        elif not self.model.rowCount():
            self._empty.show_state(
                "history", text("history-not-found"), "", text("history-show-all"), self.search.clear
            )

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
