# SPDX-License-Identifier: GPL-3.0-or-later
"""The disks of the computer as an item model that changes row by row, never all at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from disktuner.block.disk import Disk, Kind

DISK = Qt.ItemDataRole.UserRole
"""The role under which an index holds its ``Disk``."""

_NO_INDEX = QModelIndex()


class DisksModel(QAbstractListModel):
    """All disks, tunable ones first, each group in the kernel's order of names."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._disks: list[Disk] = []

    @property
    def disks(self) -> tuple[Disk, ...]:
        """The disks of now."""
        return tuple(self._disks)

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _NO_INDEX) -> int:
        """How many disks there are."""
        return 0 if parent.isValid() else len(self._disks)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The disk's title, or the ``Disk``."""
        if not index.isValid():
            return None
        disk = self._disks[index.row()]
        return disk if role == DISK else disk.title if role == Qt.ItemDataRole.DisplayRole else None

    def find(self, name: str) -> Disk | None:
        """The disk of this kernel name."""
        return next((disk for disk in self._disks if disk.name == name), None)

    def show(self, disks: Sequence[Disk]) -> None:
        """Become these disks: rows vanish, change and appear one by one, so that views keep their state."""
        wanted = sorted(disks, key=_order)
        keys = {_identity(disk) for disk in wanted}
        for row in reversed(range(len(self._disks))):
            if _identity(self._disks[row]) not in keys:
                self._remove(row)
        for row, disk in enumerate(wanted):
            self._place(row, disk)

    def _remove(self, row: int) -> None:
        self.beginRemoveRows(_NO_INDEX, row, row)
        del self._disks[row]
        self.endRemoveRows()

    def _place(self, row: int, disk: Disk) -> None:
        if row < len(self._disks) and _identity(self._disks[row]) == _identity(disk):
            if self._disks[row] != disk:
                self._disks[row] = disk
                index = self.index(row)
                self.dataChanged.emit(index, index)
            return
        known = next((n for n in range(row, len(self._disks)) if _identity(self._disks[n]) == _identity(disk)), None)
        if known is not None:
            self._remove(known)
        self.beginInsertRows(_NO_INDEX, row, row)
        self._disks.insert(row, disk)
        self.endInsertRows()


def _identity(disk: Disk) -> tuple[str, int]:
    return disk.name, disk.diskseq


def _order(disk: Disk) -> tuple[bool, bool, str, int, str]:
    stem = disk.name.rstrip("0123456789")
    number = disk.name[len(stem) :]
    in_use = bool(disk.mounts) or disk.kind is not Kind.LOOP
    return not disk.tunable, not in_use, stem, int(number or 0), disk.name
