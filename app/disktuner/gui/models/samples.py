# SPDX-License-Identifier: GPL-3.0-or-later
"""Every raw sample of a result as a table."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from disktuner.gui import wording
from disktuner.results.model import Result, Sample
from disktuner.vocabulary.messages import say

_NO_INDEX = QModelIndex()


class SamplesModel(QAbstractTableModel):
    """One row per sample, in the order in which they were taken; invalid ones say why."""

    def __init__(self, result: Result, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._result = result
        self._samples = sorted(result.samples, key=lambda sample: (sample.order, sample.metric))

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _NO_INDEX) -> int:
        """How many samples there are."""
        return 0 if parent.isValid() else len(self._samples)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = _NO_INDEX) -> int:
        """The columns of ``wording.SAMPLE_COLUMNS``."""
        return 0 if parent.isValid() else len(wording.SAMPLE_COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The columns' names."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return wording.SAMPLE_COLUMNS[section]
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section in {0, 1, 4} else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The text of a cell."""
        if role == Qt.ItemDataRole.DisplayRole:
            return self._texts(self._samples[index.row()])[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() in {0, 1, 4}:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def _texts(self, sample: Sample) -> tuple[str, ...]:
        metric = self._result.metrics.get(sample.metric)
        reason = say(sample.reason) if sample.reason else ""
        return (
            str(sample.order + 1),
            str(sample.round + 1),
            sample.scheduler,
            metric.label if metric else sample.metric,
            wording.figure(sample.value, metric.unit if metric else ""),
            "; ".join(filter(None, (wording.COUNTS if sample.valid else "", reason))),
        )
