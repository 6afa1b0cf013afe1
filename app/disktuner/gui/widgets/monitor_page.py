# SPDX-License-Identifier: GPL-3.0-or-later
"""All disks at work: a row for each with its last minute, or a table in the manner of ``iostat -x``."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QHeaderView,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from disktuner.block.counters import Figures
from disktuner.block.disk import Disk
from disktuner.gui.models import TextTable
from disktuner.gui.style import look
from disktuner.gui.widgets.layout import column, label, page_wide, row, table, title, with_margin
from disktuner.gui.widgets.minute import SECONDS, Rates, activity, draw_minute, rates_of
from disktuner.gui.widgets.recorder_panel import RecorderPanel
from disktuner.vocabulary import units
from disktuner.vocabulary.messages import language, text

_COLUMNS = (
    "column-disk",
    "column-course",
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
COURSE = _COLUMNS.index("column-course")
"""The column that is drawn."""
_FIGURES = range(3, len(_COLUMNS))
_AT_A_GLANCE = ("column-disk", "column-course", "scheduler", "column-read-latency", "column-busy")
_MOST_WIDTHS, _NAMES = 9, 0.3
"""How wide names are at most beside courses, also of the table: longer ones are whole in the tip."""


class MonitorModel(TextTable):
    """One line per disk that holds anything."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_COLUMNS, _FIGURES, parent)
        self._disks: tuple[Disk, ...] = ()
        self._figures: Mapping[str, Figures] = {}
        self._courses: dict[str, deque[Rates]] = {}

    def show_disks(self, disks: Sequence[Disk]) -> None:
        """Become the lines of these."""
        shown = tuple(disk for disk in disks if disk.size_bytes)
        if shown != self._disks:
            self.beginResetModel()
            self._disks = shown
            self.endResetModel()

    def show_figures(self, figures: Mapping[str, Figures]) -> None:
        """Show the figures of now, by disk name."""
        self._figures = figures
        self._courses = {name: self._courses.get(name) or deque(maxlen=SECONDS) for name in figures}
        for name, now in figures.items():
            self._courses[name].append(rates_of(now))
        if self._disks:
            self.dataChanged.emit(self.index(0, COURSE), self.index(len(self._disks) - 1, len(_COLUMNS) - 1))

    def course(self, row: int) -> Sequence[Rates]:
        """What a disk did in the last minute."""
        return self._courses.get(self._disks[row].name, ())

    def rows(self) -> int:
        """How many disks there are."""
        return len(self._disks)

    def cells(self, row: int) -> Sequence[str]:
        """A disk and what it does."""
        disk = self._disks[row]
        known, now = " ".join(filter(None, (disk.vendor, disk.model))), self._figures.get(disk.name)
        figures = _figures(now) if now else (units.NOTHING,) * len(_FIGURES)
        course = activity(now) if now else ""
        return (f"{disk.name}  {known}".strip(), course, disk.scheduler or units.NOTHING, *figures)


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


class _Course(QStyledItemDelegate):
    """Draws the last minute of a disk."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Both areas."""
        model, room = index.model(), look().tight
        assert isinstance(model, MonitorModel)
        draw_minute(painter, QRectF(option.rect).adjusted(room, room, -room, -room), model.course(index.row()))

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Whatever is left, but not much less than a minute takes."""
        return super().sizeHint(option, index).boundedTo(QSize(look().wide * 3, look().wide))


class MonitorPage(QWidget):
    """The disks at a glance, or all their figures, and below them the recorder.

    Attributes: ``table``; ``all_button`` shows all figures; ``recorder``.
    """

    def __init__(self, model: MonitorModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.all_button = QPushButton(text("monitor-all"))
        self.all_button.setCheckable(True)
        self.all_button.setProperty("option", True)
        self.all_button.toggled.connect(self._show_all)
        head = row(column(title(text("page-monitor")), label(text("monitor-hint"), tone="muted", wrap=True)), wide=0)
        head.addWidget(self.all_button)
        self.table = self._make_table(model)
        self._show_all(False)
        self.recorder = RecorderPanel()
        content = column(head, self.table, self.recorder, gap=look().medium, wide=1)
        self.setLayout(page_wide(with_margin(content, look().large, look().medium)))

    def _make_table(self, model: MonitorModel) -> QTableView:
        made = table(model, text("page-monitor"))
        made.setSelectionMode(QTableView.SelectionMode.NoSelection)
        made.setAlternatingRowColors(False)
        made.setItemDelegateForColumn(COURSE, _Course(made))
        made.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        made.horizontalHeader().setSectionResizeMode(COURSE, QHeaderView.ResizeMode.Stretch)
        made.viewport().installEventFilter(self)
        model.modelReset.connect(self._share_room)
        model.dataChanged.connect(self._share_room)
        return made

    def _show_all(self, on: bool) -> None:
        for at, name in enumerate(_COLUMNS):
            self.table.setColumnHidden(at, at == COURSE if on else name not in _AT_A_GLANCE)
        self.table.verticalHeader().setDefaultSectionSize(look().wide if on else look().wide * 2)
        self._needed = [0] * len(_COLUMNS)
        self._share_room()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The columns fill the table."""
        if event.type() == QEvent.Type.Resize:
            self._share_room()
        return super().eventFilter(watched, event)

    def _share_room(self) -> None:
        """Give each column what it ever needed, so that none moves with its figures."""
        header, room = self.table.horizontalHeader(), self.table.viewport().width()
        for at in range(len(_COLUMNS)):
            wanted = max(header.sectionSizeHint(at), self.table.sizeHintForColumn(at))
            self._needed[at] = 0 if header.isSectionHidden(at) else max(self._needed[at], wanted)
        left = room - sum(self._needed[1:])
        if self._needed[COURSE]:
            left = min(self.table.sizeHintForColumn(0), look().wide * _MOST_WIDTHS, round(room * _NAMES), left)
        self._needed[0] = max(header.sectionSizeHint(0), left)
        for at, needed in enumerate(self._needed):
            if needed and at != COURSE:
                header.resizeSection(at, needed)
