# SPDX-License-Identifier: GPL-3.0-or-later
"""All disks at work: a row for each with its last minute, or a table in the manner of ``iostat -x``."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF
from PySide6.QtWidgets import (
    QHeaderView,
    QStackedWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from disktuner.block.counters import Figures
from disktuner.block.disk import Disk
from disktuner.gui.models import DisksModel, TextTable
from disktuner.gui.style import look
from disktuner.gui.widgets.disk_card import FLOOR, POINTS, activity
from disktuner.gui.widgets.layout import column, label, page_wide, row, table, title, with_margin
from disktuner.gui.widgets.letters import Button
from disktuner.gui.widgets.recorder_panel import RecorderPanel
from disktuner.vocabulary import units
from disktuner.vocabulary.messages import language, text

Rates = tuple[float, float]
"""Bytes per second that are read and written."""
COURSE = 1
"""The column of ``CoursesModel`` that is drawn."""
_MOST_WIDTHS, _NAMES = 9, 0.3
"""How wide the names are at most, also of their table: longer ones end in an ellipsis, and are whole in the tip."""


class MonitorModel(TextTable):
    """One row per disk of a ``DisksModel`` that holds anything. Attributes: ``disks`` are these."""

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
        self.disks: tuple[Disk, ...] = ()
        self._figures: Mapping[str, Figures] = {}
        self._courses: dict[str, deque[Rates]] = {}
        all_disks.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        shown = tuple(disk for disk in self._all.disks if disk.size_bytes)
        if shown != self.disks:
            self.beginResetModel()
            self.disks = shown
            self.endResetModel()

    def show_figures(self, figures: Mapping[str, Figures]) -> None:
        """Show the figures of now, by disk name."""
        self._figures = figures
        self._courses = {name: self.course(name) for name in figures}
        for name, now in figures.items():
            self._courses[name].append((now.read_bytes_per_s, now.write_bytes_per_s))
        if self.disks:
            self.dataChanged.emit(self.index(0, 2), self.index(len(self.disks) - 1, len(self.columns) - 1))

    def course(self, name: str) -> deque[Rates]:
        """The rates of a disk in the last minute, the last second's at the end."""
        return self._courses.get(name) or deque(maxlen=POINTS)

    def figures(self, name: str) -> Figures | None:
        """What a disk does now, None where that is not known."""
        return self._figures.get(name)

    def rows(self) -> int:
        """How many disks there are."""
        return len(self.disks)

    def cells(self, row: int) -> Sequence[str]:
        """A disk and what it does."""
        disk = self.disks[row]
        now = self.figures(disk.name)
        figures = (units.NOTHING,) * len(self.right) if now is None else _figures(now)
        return (disk.name, disk.scheduler or units.NOTHING, *figures)

    def tip(self, row: int) -> str:
        """Which disk it is."""
        return self.disks[row].title


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


class CoursesModel(TextTable):
    """The disks of a ``MonitorModel`` at a glance: how they are doing, and the last minute, which a delegate draws."""

    columns = ("column-disk", "column-course", "column-busy", "column-read-latency", "scheduler")
    right = (2, 3)

    def __init__(self, monitor: MonitorModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._monitor = monitor
        monitor.modelAboutToBeReset.connect(self.beginResetModel)
        monitor.modelReset.connect(self.endResetModel)
        monitor.dataChanged.connect(self._follow)

    def _follow(self) -> None:
        self.dataChanged.emit(self.index(0, COURSE), self.index(self.rows() - 1, len(self.columns) - 1))

    def rows(self) -> int:
        """How many disks there are."""
        return self._monitor.rows()

    def cells(self, row: int) -> Sequence[str]:
        """A disk; of its course what it does now."""
        disk, numbers = self._monitor.disks[row], language().numbers
        known = " ".join(filter(None, (disk.vendor, disk.model)))
        now = self._monitor.figures(disk.name)
        busy, wait = (units.NOTHING,) * 2
        if now is not None:
            busy, wait = units.percent(now.utilisation, numbers), units.time(now.read_latency_s, numbers)
        name = f"{disk.name}  {known}".strip()
        return (name, activity(now) if now else "", busy, wait, disk.scheduler or units.NOTHING)

    def course(self, row: int) -> Sequence[Rates]:
        """What is drawn."""
        return self._monitor.course(self._monitor.disks[row].name)


class _Course(QStyledItemDelegate):
    """Draws the last minute of a disk: reads above a line, writes below it, on one scale."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Both areas, their right ends now."""
        model, now, room = index.model(), look(), look().tight
        assert isinstance(model, CoursesModel)
        box = QRectF(option.rect).adjusted(room, room, -room, -room)
        rates = model.course(index.row())
        top = max((FLOOR, *(max(pair) for pair in rates)))
        middle, half = box.center().y(), box.height() / 2
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for which, colour, up in ((0, now.accent, -1), (1, now.muted, 1)):
            across = [box.right() - back * box.width() / (POINTS - 1) for back in reversed(range(len(rates)))]
            line = [QPointF(x, middle + up * half * pair[which] / top) for x, pair in zip(across, rates, strict=True)]
            if line:
                ends = QPointF(line[0].x(), middle), QPointF(line[-1].x(), middle)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(now.drawn(colour, 0.6))
                painter.drawPolygon(QPolygonF([ends[0], *line, ends[1]]))
        painter.setPen(QPen(now.edge, 1))
        painter.drawLine(QPointF(box.left(), middle), QPointF(box.right(), middle))
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Whatever is left, but not much less than a minute takes."""
        return super().sizeHint(option, index).boundedTo(QSize(look().wide * 3, look().wide))


class _Filled(QObject):
    """Gives columns of a table what they ever needed, so that none moves with its figures, and the second the rest."""

    def __init__(self, made: QTableView) -> None:
        super().__init__(made)
        self._table = made
        self._needed = [0] * made.model().columnCount()
        made.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        made.viewport().installEventFilter(self)
        made.model().modelReset.connect(self._share_room)
        made.model().dataChanged.connect(self._share_room)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The columns fill the table."""
        if event.type() == QEvent.Type.Resize:
            self._share_room()
        return super().eventFilter(watched, event)

    def _share_room(self) -> None:
        header, room = self._table.horizontalHeader(), self._table.viewport().width()
        self._needed = [
            max(known, header.sectionSizeHint(at), self._table.sizeHintForColumn(at))
            for at, known in enumerate(self._needed)
        ]
        least, left = header.sectionSizeHint(0), room - sum(self._needed[1:])
        most = min(look().wide * _MOST_WIDTHS, round(room * _NAMES), left)
        self._needed[0] = max(least, min(self._table.sizeHintForColumn(0), most))
        fits = sum(self._needed) <= room
        header.setSectionResizeMode(COURSE, QHeaderView.ResizeMode.Stretch if fits else QHeaderView.ResizeMode.Fixed)
        for at, needed in enumerate(self._needed):
            if at != COURSE or not fits:
                header.resizeSection(at, needed)


class MonitorPage(QWidget):
    """The disks at a glance, or all figures of ``MonitorModel``, and below them the recorder.

    Attributes: ``all_button`` shows all figures; ``recorder``.
    """

    def __init__(self, model: MonitorModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.all_button = Button(text("monitor-all"))
        self.all_button.setCheckable(True)
        self.all_button.setProperty("option", True)
        head = row(column(title(text("page-monitor")), label(text("monitor-hint"), tone="muted", wrap=True)), wide=0)
        head.addWidget(self.all_button, 0, Qt.AlignmentFlag.AlignBottom)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._courses(model))
        figures = table(model, text("monitor-all"))
        _Filled(figures)
        self._stack.addWidget(figures)
        self.all_button.toggled.connect(self._stack.setCurrentIndex)
        self.recorder = RecorderPanel()
        content = column(head, self._stack, self.recorder, gap=look().medium, wide=1)
        self.setLayout(page_wide(with_margin(content, look().large)))

    def _courses(self, model: MonitorModel) -> QTableView:
        courses = CoursesModel(model, self)
        made = table(courses, text("page-monitor"))
        made.setSelectionMode(QTableView.SelectionMode.NoSelection)
        made.setAlternatingRowColors(False)
        made.verticalHeader().setDefaultSectionSize(look().wide * 2)
        made.setItemDelegateForColumn(COURSE, _Course(made))
        _Filled(made)
        return made
