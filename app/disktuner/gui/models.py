# SPDX-License-Identifier: GPL-3.0-or-later
"""What several widgets show: the disks of the computer, and tables of texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from disktuner.block.disk import Disk
from disktuner.block.stack import natural
from disktuner.gui.widgets.layout import plain
from disktuner.vocabulary import kinds
from disktuner.vocabulary.messages import text

_NO_INDEX = QModelIndex()


class DisksModel(QObject):
    """All disks, those that most people want to see first: the system's, then others, each in the order of names.

    Attributes: ``disks``. Signals: ``changed`` when they are others than before, or have changed.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.disks: tuple[Disk, ...] = ()

    def find(self, name: str) -> Disk | None:
        """The disk of this kernel name."""
        return next((disk for disk in self.disks if disk.name == name), None)

    def show(self, disks: Iterable[Disk]) -> None:
        """Become these disks."""
        wanted = tuple(sorted(disks, key=_order))
        if wanted != self.disks:
            self.disks = wanted
            self.changed.emit()

    @property
    def main(self) -> tuple[Disk, ...]:
        """Those that can be tuned; loop devices only where there is nothing else."""
        tunable = tuple(disk for disk in self.disks if disk.tunable)
        return tuple(disk for disk in tunable if disk.kind != kinds.LOOP) or tunable


def is_system(disk: Disk) -> bool:
    """Whether the system itself lies on it."""
    return any(mount.path == "/" for mount in disk.mounts)


def _order(disk: Disk) -> tuple[bool, bool, bool, bool, int, str, int]:
    is_loop = disk.kind == kinds.LOOP
    return not disk.tunable, is_loop, not is_system(disk), is_loop and not disk.mounts, *natural(disk.name)


class TextTable(QAbstractTableModel):
    """Lines of texts. ``columns`` are the ids of the columns' names, ``right`` the numbers of those with figures."""

    def __init__(self, columns: Sequence[str], right: Sequence[int] = (), parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns, self.right = columns, right
        self._lines: Sequence[Sequence[str]] = ()

    def show(self, lines: Sequence[Sequence[str]]) -> None:
        """Become these."""
        if lines != self._lines:
            self.beginResetModel()
            self._lines = lines
            self.endResetModel()

    def rows(self) -> int:
        """How many there are."""
        return len(self._lines)

    def cells(self, row: int) -> Sequence[str]:
        """The texts of a line."""
        return self._lines[row]

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _NO_INDEX) -> int:
        """How many rows there are."""
        return 0 if parent.isValid() else self.rows()

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = _NO_INDEX) -> int:
        """How many columns there are."""
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The columns' names."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(section)
        return text(self.columns[section]) if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The text of a cell, its tip and its place; an empty one is told to those who do not see that."""
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
