# SPDX-License-Identifier: GPL-3.0-or-later
"""All disks at work, as a table in the manner of ``iostat -x`` that refreshes every second."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QHeaderView, QWidget

from disktuner.block.counters import Figures
from disktuner.block.disk import Disk
from disktuner.gui.models import DisksModel, TextTable
from disktuner.gui.style import look
from disktuner.gui.widgets.layout import column, label, page_wide, table, title, with_margin
from disktuner.vocabulary import units
from disktuner.vocabulary.messages import language, text


class MonitorModel(TextTable):
    """One row per disk of a ``DisksModel`` that holds anything."""

    columns = (
        "column-disk",
        "scheduler",
        "column-reads-per-s",
        "column-read-rate",
        "column-read-latency",
        "column-writes-per-s",
        "column-write-rate",
        "column-write-latency",
        "column-queue",
        "column-busy",
    )
    right = range(2, len(columns))

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
            self.dataChanged.emit(self.index(0, 2), self.index(len(self._disks) - 1, len(self.columns) - 1))

    def rows(self) -> int:
        """How many disks there are."""
        return len(self._disks)

    def cells(self, row: int) -> Sequence[str]:
        """A disk and what it does."""
        disk = self._disks[row]
        now = self._figures.get(disk.name)
        figures = (units.NOTHING,) * len(self.right) if now is None else _figures(now)
        return (disk.name, disk.scheduler or units.NOTHING, *figures)

    def tip(self, row: int) -> str:
        """Which disk it is."""
        return self._disks[row].title


def _figures(now: Figures) -> Sequence[str]:
    numbers = language().numbers
    return (
        units.count(now.reads_per_s, numbers),
        units.rate(now.read_bytes_per_s, numbers),
        units.time(now.read_latency_s, numbers),
        units.count(now.writes_per_s, numbers),
        units.rate(now.write_bytes_per_s, numbers),
        units.time(now.write_latency_s, numbers),
        units.digits(now.in_flight, numbers, 2),
        units.percent(now.utilisation, numbers),
    )


class MonitorPage(QWidget):
    """The table of ``MonitorModel``."""

    def __init__(self, model: MonitorModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self._table = table(model, text("page-monitor"))
        self._needed = [0] * len(model.columns)
        self._table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self._table.viewport().installEventFilter(self)
        model.modelReset.connect(self._share_room)
        model.dataChanged.connect(self._share_room)
        content = column(title(text("page-monitor")), label(text("monitor-hint"), tone="muted", wrap=True), self._table)
        self.setLayout(page_wide(with_margin(content, look().large)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The columns fill the table."""
        if event.type() == QEvent.Type.Resize:
            self._share_room()
        return super().eventFilter(watched, event)

    def _share_room(self) -> None:
        """Each column gets what it ever needed, so that none moves with its figures, and those of figures the rest."""
        header, figures = self._table.horizontalHeader(), MonitorModel.right
        self._needed = [
            max(known, header.sectionSizeHint(at), self._table.sizeHintForColumn(at))
            for at, known in enumerate(self._needed)
        ]
        share, odd = divmod(max(0, self._table.viewport().width() - sum(self._needed)), len(figures))
        for at, needed in enumerate(self._needed):
            header.resizeSection(at, needed + (share + (at - figures.start < odd) if at in figures else 0))
