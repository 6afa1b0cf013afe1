# SPDX-License-Identifier: GPL-3.0-or-later
"""One disk as a card: what it is, what orders its work, what it does right now, and what can be done."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QPainter, QPainterPath, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from disktuner.block.counters import Figures
from disktuner.block.disk import Disk, Suggestion
from disktuner.gui.choice import Choice, chosen_text, going_back_text, in_use
from disktuner.gui.icons import Pictogram
from disktuner.gui.style import SMALL, look, set_property
from disktuner.gui.widgets.flow import Flow
from disktuner.gui.widgets.layout import button, column, heading, label, plain, row, with_margin
from disktuner.gui.widgets.severity import CheckLine
from disktuner.vocabulary.messages import named, say, text
from disktuner.vocabulary.schedulers import scheduler

if TYPE_CHECKING:
    from disktuner.checkup.findings import Finding

_POINTS = 60
_FLOOR = 1e6
"""Bytes a second that fill the graph at least, so that a few stray requests do not look like a storm."""
_MOUNTS = 3
"""How many places of a disk are named."""


class Sparkline(QFrame):
    """A small graph of the reads and writes of the last minute; drawn only when it is more than silence."""

    accessible_role = QAccessible.Role.Chart

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("graph", True)
        self._values: deque[float] = deque([0.0] * _POINTS, maxlen=_POINTS)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setToolTip(text("last-minute"))
        self.setAccessibleName(text("last-minute"))

    def sizeHint(self) -> QSize:
        """Wide and low."""
        return QSize(look().wide * 6, round(look().wide * 1.1))

    def add(self, figures: Figures) -> None:
        """Take in the figures of the last second."""
        value = figures.read_bytes_per_s + figures.write_bytes_per_s
        changed = value or any(self._values)
        self._values.append(value)
        if (now := _activity(figures)) != self.accessibleDescription():
            self.setAccessibleDescription(now)
        if changed:
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """A line over a quiet area, on the base line that the style sheet draws."""
        super().paintEvent(event)
        if not any(self._values):
            return
        now = look()
        box = QRectF(self.rect()).adjusted(1, 2, -1, -1)
        top = max(_FLOOR, *self._values)
        step = box.width() / (_POINTS - 1)
        line = [
            QPointF(box.left() + index * step, box.bottom() - value / top * box.height())
            for index, value in enumerate(self._values)
        ]
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QPainterPath()
        area.addPolygon(QPolygonF([box.bottomLeft(), *line, box.bottomRight()]))
        painter.fillPath(area, now.tint(now.accent, 0.2))
        painter.setPen(QPen(now.accent, 1.2))
        painter.drawPolyline(QPolygonF(line))
        painter.end()


class DiskCard(QFrame):
    """A card.

    Signals: ``find_best``, ``change``, ``go_back`` and ``check`` carry the disk's kernel name.
    """

    accessible_role = QAccessible.Role.Grouping
    find_best = Signal(str)
    change = Signal(str)
    go_back = Signal(str)
    check = Signal(str)

    def __init__(self, disk: Disk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self._disk, self._choice, self._busy, self._can_change, self._why_not = disk, Choice(), False, True, ""
        self._findings: Sequence[Finding] | None = None
        self._picture = Pictogram(disk.kind.icon, round(look().wide * 1.4))
        self._make_texts()
        self._make_buttons()
        self.setFocusProxy(self._find)
        self._lay_out()
        self.show_disk(disk, self._choice)

    def _make_texts(self) -> None:
        self._name = heading("", wrap=True)
        self._details = label(tone="muted", wrap=True)
        self._places = label(tone="muted", wrap=True)
        self._chip = label(bold=True)
        self._chip.setProperty("chip", self._chip_look)
        self._about = label(wrap=True)
        self._chosen = label(size=SMALL, tone="accent", wrap=True)
        self._hint = label(tone="muted", wrap=True)
        self._activity = Sparkline()
        self._rate = label("", SMALL, tone="muted")
        self._rate.setMinimumWidth(look().wide * 6)
        self._rate.setAlignment(Qt.AlignmentFlag.AlignRight)

    def _make_buttons(self) -> None:
        self._find = button(text("find-best"), lambda: self.find_best.emit(self._disk.name), primary=True)
        self._change = button(text("change"), lambda: self.change.emit(self._disk.name))
        self._back = button(text("go-back"), lambda: self.go_back.emit(self._disk.name))

    def _lay_out(self) -> None:
        now = look()
        head = row(column(self._name, self._details, self._places, gap=now.tight), gap=now.large)
        head.setStretch(0, 1)
        head.addLayout(column(self._activity, self._rate, None, gap=now.tight))
        in_use = row(self._chip, self._about, gap=now.small)
        in_use.setStretch(1, 1)
        self._foot = Flow((self._find, self._change, self._back), now.small)
        texts = column(head, in_use, self._chosen, self._hint, gap=now.small)
        texts.addSpacing(now.tight)
        texts.addLayout(self._foot)
        whole = row(column(self._picture, None), texts, gap=now.medium)
        whole.setStretch(1, 1)
        self.setLayout(with_margin(whole, now.medium))

    @property
    def disk(self) -> Disk:
        """The disk that is shown."""
        return self._disk

    def show_disk(self, disk: Disk, choice: Choice) -> None:
        """Show the disk as it is now, and whether it is so by our choice."""
        self._disk, self._choice = disk, choice
        self._picture.set_name(disk.kind.icon, "text" if disk.tunable else "muted")
        self._name.setText(_headline(disk))
        details = "disk-details" if disk.kind_certain else "disk-details-uncertain"
        self._details.setText(text(details, size=disk.size_bytes, kind=named(disk.kind.name), name=disk.name))
        self._details.setToolTip(plain(_doubt(disk)))
        self._places.setText(_mounted_at(disk))
        self._show_scheduler()
        self._hint.setText(_hint(disk))
        self._hint.setVisible(bool(self._hint.text()))
        self.setAccessibleName(disk.title)
        set_property(self._name, "tone", "" if disk.tunable else "muted")
        self._enable()

    @cached_property
    def check_line(self) -> CheckLine:
        """What the check-up found, and the way to it; made when that is known: the disks are seen before.

        It stands beside the buttons, where nothing that is seen already has to make room for it.
        """
        line = CheckLine()
        line.opened.connect(lambda: self.check.emit(self._disk.name))
        self._foot.addWidget(line)
        self.setTabOrder(self._back, line.link)  # else it would be the window's last
        return line

    @property
    def findings(self) -> Sequence[Finding] | None:
        """What is shown of the check-up; None where it is not known, or the disk is not looked at."""
        return self._findings

    def show_findings(self, findings: Sequence[Finding] | None) -> None:
        """Show how many things there are to look at."""
        self._findings = findings
        if findings is not None:
            self.check_line.show_findings(findings)
        if "check_line" in vars(self):
            self.check_line.setVisible(findings is not None)

    def _show_scheduler(self) -> None:
        name = self._disk.scheduler
        set_property(self._chip, "chip", self._chip_look)
        self._chip.setText(in_use(self._disk, self._choice).words)
        self._chip.setVisible(self._disk.tunable and name is not None)
        self._about.setText(named(scheduler(name).about) if name else "")
        self._about.setVisible(self._disk.tunable)
        self._chosen.setText(chosen_text(self._disk, self._choice))
        self._chosen.setVisible(bool(self._chosen.text()))

    @property
    def _is_ours(self) -> bool:
        """Whether there is anything to go back from; a rule for restarts is seen before the helper reports it."""
        return self._choice.is_ours or self._disk.persistent is not None

    @property
    def _chip_look(self) -> str:
        return "ours" if self._is_ours else "true"

    def show_figures(self, figures: Figures) -> None:
        """Show what the disk did in the last second."""
        self._activity.add(figures)
        if (shown := _activity(figures)) != self._rate.text():
            self._rate.setText(shown)

    def set_busy(self, busy: bool, *, can_change: bool = True, why: str = "") -> None:
        """While the helper works, or is not there, nothing that needs it can be pressed; the buttons say why."""
        self._busy, self._can_change, self._why_not = busy, can_change, why
        self._enable()

    def _enable(self) -> None:
        can = self._disk.tunable and not self._busy and self._can_change
        for control in (self._find, self._change, self._back):
            control.setVisible(self._disk.tunable)
            control.setEnabled(can)
            control.setToolTip(plain(self._why_not))
            control.setAccessibleDescription(self._why_not)
        self._back.setVisible(self._disk.tunable and self._is_ours)
        if self._can_change:
            self._back.setToolTip(plain(going_back_text(self._disk, self._choice)))
        self._activity.setVisible(self._disk.tunable)
        self._rate.setVisible(self._disk.tunable)


def _headline(disk: Disk) -> str:
    """The name a person knows a disk by."""
    known = " ".join(part for part in (disk.vendor, disk.model) if part)
    return known or named(disk.kind.name)


def _mounted_at(disk: Disk) -> str:
    """Where a disk is mounted, with the most free room of these places."""
    if not disk.mounts:
        return text("mounted-nowhere")
    paths = ", ".join(mount.path for mount in disk.mounts[:_MOUNTS])
    free, more = max(mount.free_bytes for mount in disk.mounts), len(disk.mounts) - _MOUNTS
    return text("mounted-at-more" if more > 0 else "mounted-at", paths=paths, free=free, count=more)


def _hint(disk: Disk) -> str:
    advice = suggestion_text(disk, disk.suggestion) if disk.why_not is None else say(disk.why_not)
    return " ".join(filter(None, (_doubt(disk), advice)))


def _doubt(disk: Disk) -> str:
    return say(disk.kind_doubt) if disk.kind_doubt else ""


def suggestion_text(disk: Disk, first: Suggestion | None) -> str:
    """The starting point for a disk, with its reason; never worded as a finding."""
    if first is None:
        return ""
    used = first.scheduler == disk.scheduler
    return text("good-start" if used else "worth-trying", scheduler=first.scheduler, why=first.why)


def _activity(figures: Figures) -> str:
    """What a disk does right now."""
    read, written = figures.read_bytes_per_s, figures.write_bytes_per_s
    return text("disk-idle") if read + written < 1000 else text("disk-active", read=read, written=written)
