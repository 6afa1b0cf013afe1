# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of texts for several widgets, and cells with a picture before their text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from disktuner.drawing.pen import Pen
from disktuner.gui.style import look
from disktuner.gui.widgets.layout import plain
from disktuner.vocabulary.messages import text

Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()


class TextTable(QAbstractTableModel):
    """Rows of texts. ``columns`` are the ids of the columns' names, ``right`` the indices of those with figures."""

    def __init__(self, columns: Sequence[str], right: Sequence[int] = (), parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns, self.right = columns, right
        self._lines: Sequence[Sequence[str]] = ()

    def show(self, lines: Sequence[Sequence[str]]) -> None:
        """Replace the rows."""
        if lines != self._lines:
            self.beginResetModel()
            self._lines = lines
            self.endResetModel()

    def rows(self) -> int:
        return len(self._lines)

    def cells(self, row: int) -> Sequence[str]:
        return self._lines[row]

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else self.rows()

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(section)
        return text(self.columns[section]) if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A cell's text, tool tip and alignment; an empty cell gets a text for screen readers."""
        if role == Qt.ItemDataRole.DisplayRole:
            return self.cells(index.row())[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain(self.cells(index.row())[index.column()])
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self.cells(index.row())[index.column()] or text("cell-empty")
        return self._alignment(index.column()) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def _alignment(self, column: int) -> int:
        side = Qt.AlignmentFlag.AlignRight if column in self.right else Qt.AlignmentFlag.AlignLeft
        return int(side | Qt.AlignmentFlag.AlignVCenter)


class DrawnCell(QStyledItemDelegate):
    """``draw`` draws the picture into a box that is ``wide`` lines of text wide."""

    wide = 0.0

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasDecoration
        option.decorationSize = QSize(round(self.wide * look().medium), 1)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        box = QRectF(option.rect)
        box.setWidth(self.wide * look().medium)
        painter.save()
        self.draw(Pen(painter, look().ink(option.font)), box, index)
        painter.restore()

    def draw(self, pen: Pen, box: QRectF, index: Index) -> None:
        raise NotImplementedError
