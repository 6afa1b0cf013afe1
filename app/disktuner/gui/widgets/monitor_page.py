# SPDX-License-Identifier: GPL-3.0-or-later
"""All disks at work: a card for each with its last minute, or a table in the manner of ``iostat -x``."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHeaderView, QTableView, QWidget

from disktuner.block.counters import Figures
from disktuner.block.disk import Disk
from disktuner.gui.access import read_after
from disktuner.gui.models import TextTable
from disktuner.gui.style import look, set_property
from disktuner.gui.widgets.chip import SchedulerChip
from disktuner.gui.widgets.flow import Tiles
from disktuner.gui.widgets.layout import (
    TWO_COLUMNS,
    Elided,
    Fold,
    column,
    filled,
    label,
    row,
    scrolled,
    table,
    title,
    with_margin,
)
from disktuner.gui.widgets.minute import SECONDS, MinuteGraph
from disktuner.vocabulary import units
from disktuner.vocabulary.messages import language, text
from disktuner.vocabulary.settings import Setting

_COLUMNS = (
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
_FIGURES = range(2, len(_COLUMNS))
_LOW, _HIGH, _SHARE = 12, 24, 0.27
"""The least and the greatest height of a graph in units of ``medium``, and its share of the page in between."""


class MonitorModel(TextTable):
    """A row per disk that has a size. Attributes: ``main`` are the disks that have a card."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_COLUMNS, _FIGURES, parent)
        self.main: tuple[Disk, ...] = ()
        self._disks: tuple[Disk, ...] = ()
        self._courses: dict[str, deque[Figures]] = {}

    def show_disks(self, disks: Sequence[Disk], main: Sequence[Disk]) -> None:
        """Show these disks; ``main`` are those that people look at."""
        listed, looked_at = (tuple(disk for disk in group if disk.size_bytes) for group in (disks, main))
        if (listed, looked_at) != (self._disks, self.main):
            before, now = ({(disk.name, disk.diskseq) for disk in group} for group in (self._disks, listed))
            for name, _ in before - now:
                self._courses.pop(name, None)
            self.beginResetModel()
            self._disks, self.main = listed, looked_at
            self.endResetModel()

    def show_figures(self, figures: Mapping[str, Figures]) -> None:
        """Show the present figures, by disk name."""
        self._courses = {name: self._courses.get(name) or deque(maxlen=SECONDS) for name in figures}
        for name, now in figures.items():
            self._courses[name].append(now)
        if self._disks:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._disks) - 1, len(_COLUMNS) - 1))

    def course(self, name: str) -> Sequence[Figures]:
        """Return what a disk did in each of the last seconds."""
        return self._courses.get(name, ())

    def rows(self) -> int:
        return len(self._disks)

    def cells(self, row: int) -> Sequence[str]:
        disk = self._disks[row]
        course = self.course(disk.name)
        figures = _figures(course[-1]) if course else (units.NOTHING,) * len(_FIGURES)
        return (disk.title, disk.scheduler or units.NOTHING, *figures)


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


class _Card(QFrame):
    """A disk's ``title`` and scheduler over its ``graph``."""

    def __init__(self, disk: Disk) -> None:
        super().__init__()
        set_property(self, "card", True)
        self.title = disk.title
        self.graph, self._chip = MinuteGraph(disk.title), SchedulerChip()
        head = row(Elided(disk.title), self._chip, wide=0)
        self.setLayout(with_margin(column(head, self.graph), look().medium, look().small))

    def show_disk(self, disk: Disk) -> None:
        """Show the disk, which may have another scheduler now."""
        self._chip.setVisible(disk.scheduler is not None)
        if disk.scheduler is not None:
            self._chip.show_setting(Setting(disk.scheduler), is_ours=False)


class MonitorPage(QWidget):
    """The disks as ``cards``, by kernel name, all their figures in ``table``, and below them the ``recorder``.

    Attributes: ``all_button`` unfolds the figures.
    """

    def __init__(self, model: MonitorModel, recorder: QWidget) -> None:
        super().__init__()
        self._model, self.cards = model, dict[str, _Card]()
        self.table, self.recorder = _table(model), recorder
        self.all_button = Fold(text("monitor-all"), self.table.setVisible)
        head = row(column(title(text("page-monitor")), label(text("monitor-hint"), tone="muted", wrap=True)), wide=0)
        head.addWidget(self.all_button)
        self._tiles = Tiles((), look().small, 2, TWO_COLUMNS)
        self._tile_area = filled(self._tiles)
        layout = column(head, self.table, self._tile_area, self.recorder, None, gap=look().medium)
        content = filled(with_margin(layout, look().large, look().medium))
        self.setLayout(column(scrolled(content), gap=0))
        model.modelReset.connect(self._show_disks)
        model.dataChanged.connect(self._show_figures)
        self._show_disks()

    def _show_disks(self) -> None:
        """Keep the cards while the disks stay the same, so that the view does not jump."""
        main = self._model.main
        if [disk.title for disk in main] != [card.title for card in self.cards.values()]:
            for card in self.cards.values():
                self._tiles.removeWidget(card)
                card.deleteLater()
            self.cards = {disk.name: _Card(disk) for disk in main}
            for card in self.cards.values():
                self._tiles.addWidget(card)
            read_after(self.table, self._tile_area)
        for disk in main:
            self.cards[disk.name].show_disk(disk)
        self._show_figures()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The graphs share the height."""
        super().resizeEvent(event)
        self._show_figures()

    def _show_figures(self) -> None:
        high = max(look().medium * _LOW, min(look().medium * _HIGH, round(self.height() * _SHARE)))
        for name, card in self.cards.items():
            card.graph.setFixedHeight(high)
            card.graph.show_figures(self._model.course(name))


def _table(model: MonitorModel) -> QTableView:
    """Return a table whose columns fit usual values, so that none moves with its figures."""
    view, widest = table(model, text("page-monitor")), label("999.9 MB/s").sizeHint().width() + look().medium
    view.setSelectionMode(QTableView.SelectionMode.NoSelection)
    view.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # only the kernel's name tells disks of one model apart
    view.setMinimumHeight(look().wide * 7)
    header = view.horizontalHeader()
    header.setMinimumSectionSize(widest)
    header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    for at in range(1, len(_COLUMNS)):
        view.setColumnWidth(at, max(widest, header.sectionSizeHint(at)))
    view.setColumnWidth(1, max(view.columnWidth(1), label("mq-deadline").sizeHint().width() + 2 * look().medium))
    view.hide()
    return view
