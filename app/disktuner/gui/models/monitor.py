# SPDX-License-Identifier: GPL-3.0-or-later
"""What every disk does right now, as a table in the manner of ``iostat -x``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from disktuner.block.counters import Figures
from disktuner.block.disk import Disk
from disktuner.gui import wording
from disktuner.gui.models.disks import DisksModel

_NO_INDEX = QModelIndex()


class MonitorModel(QAbstractTableModel):
    """One row per disk of a ``DisksModel`` that holds anything."""

    def __init__(self, all_disks: DisksModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all = all_disks
        self._disks: tuple[Disk, ...] = ()
        self._figures: Mapping[str, Figures] = {}
        all_disks.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        shown = tuple(disk for disk in self._all.disks if disk.size_bytes)
        if shown != self._disks:
            self.beginResetModel()
            self._disks = shown
            self.endResetModel()

    def show_figures(self, figures: Mapping[str, Figures]) -> None:
        """Show the figures of now, by disk name."""
        self._figures = figures
        if self._disks:
            self.dataChanged.emit(self.index(0, 2), self.index(len(self._disks) - 1, len(wording.MONITOR_COLUMNS) - 1))

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _NO_INDEX) -> int:
        """How many disks there are."""
        return 0 if parent.isValid() else len(self._disks)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = _NO_INDEX) -> int:
        """The columns of ``wording.MONITOR_COLUMNS``."""
        return 0 if parent.isValid() else len(wording.MONITOR_COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The columns' names."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return wording.MONITOR_COLUMNS[section]
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section > 1 else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The text of a cell."""
        disk = self._disks[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return _texts(disk, self._figures.get(disk.name))[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return wording.plain(disk.title)
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() > 1:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None


def _texts(disk: Disk, now: Figures | None) -> tuple[str, ...]:
    if now is None:
        return (disk.name, disk.scheduler or "–", *("–",) * 8)
    return (
        disk.name,
        disk.scheduler or "–",
        f"{now.reads_per_s:.0f}",
        wording.rate(now.read_bytes_per_s),
        wording.latency(now.read_latency_s),
        f"{now.writes_per_s:.0f}",
        wording.rate(now.write_bytes_per_s),
        wording.latency(now.write_latency_s),
        f"{now.in_flight:.1f}",
        wording.percent(now.utilisation),
    )
