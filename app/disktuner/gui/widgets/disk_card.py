# SPDX-License-Identifier: GPL-3.0-or-later
"""One disk as a card: what it is, what orders its work, and what can be done."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QWidget

from disktuner.block.counters import Figures
from disktuner.block.disk import Disk
from disktuner.gui import icons, wording
from disktuner.gui.choice import Choice
from disktuner.gui.style import SMALL, look, set_property
from disktuner.gui.widgets.parts import button, column, heading, label, row
from disktuner.gui.widgets.sparkline import Sparkline
from disktuner.vocabulary.messages import say


class DiskCard(QFrame):
    """A card.

    Signals: ``find_best``, ``change`` and ``go_back`` carry the disk's kernel name.
    """

    find_best = Signal(str)
    change = Signal(str)
    go_back = Signal(str)

    def __init__(self, disk: Disk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self._disk, self._choice, self._busy, self._can_change = disk, Choice(), False, True
        self._picture = icons.Pictogram(icons.for_kind(disk.kind), round(look().wide * 1.4))
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
        self._plain = label(wrap=True)
        self._chosen = label(size=SMALL, tone="accent", wrap=True)
        self._hint = label(tone="muted", wrap=True)
        self._activity = Sparkline()
        self._rate = label("", SMALL, tone="muted")
        self._rate.setMinimumWidth(look().wide * 6)
        self._rate.setAlignment(Qt.AlignmentFlag.AlignRight)

    def _make_buttons(self) -> None:
        self._find = button(wording.FIND_BEST, lambda: self.find_best.emit(self._disk.name), primary=True)
        self._change = button(wording.CHANGE, lambda: self.change.emit(self._disk.name))
        self._back = button(wording.GO_BACK, lambda: self.go_back.emit(self._disk.name))

    def _lay_out(self) -> None:
        now = look()
        head = row(column(self._name, self._details, self._places, gap=now.tight), gap=now.large)
        head.setStretch(0, 1)
        head.addLayout(column(self._activity, self._rate, None, gap=now.tight))
        scheduler = row(self._chip, self._plain, gap=now.small)
        scheduler.setStretch(1, 1)
        actions = row(self._find, self._change, self._back, None)
        texts = column(head, scheduler, self._chosen, self._hint, gap=now.small)
        texts.addSpacing(now.tight)
        texts.addLayout(actions)
        whole = row(column(self._picture, None), texts, gap=now.medium)
        whole.setStretch(1, 1)
        margin = now.medium
        whole.setContentsMargins(margin, margin, margin, margin)
        self.setLayout(whole)

    @property
    def disk(self) -> Disk:
        """The disk that is shown."""
        return self._disk

    def show_disk(self, disk: Disk, choice: Choice) -> None:
        """Show the disk as it is now, and whether it is so by our choice."""
        self._disk, self._choice = disk, choice
        self._picture.set_name(icons.for_kind(disk.kind), "text" if disk.tunable else "muted")
        self._name.setText(wording.headline(disk))
        self._details.setText(wording.details(disk))
        self._details.setToolTip(wording.plain(_doubt(disk)))
        self._places.setText(wording.places(disk.mounts))
        self._show_scheduler()
        self._hint.setText(_hint(disk))
        self._hint.setVisible(bool(self._hint.text()))
        self.setAccessibleName(f"{disk.title}, {disk.scheduler or wording.NOT_MOUNTED}")
        set_property(self._name, "tone", "" if disk.tunable else "muted")
        self._enable()

    def _show_scheduler(self) -> None:
        name = self._disk.scheduler
        set_property(self._chip, "chip", self._chip_look)
        self._chip.setText(name or "")
        self._chip.setVisible(self._disk.tunable and name is not None)
        self._plain.setText(wording.scheduler(name))
        self._plain.setVisible(self._disk.tunable)
        self._chosen.setText(wording.chosen(self._disk, self._choice))
        self._chosen.setVisible(bool(self._chosen.text()))

    @property
    def _is_ours(self) -> bool:
        """Whether there is anything to go back from; the rule for restarts is seen before the helper tells of it."""
        return self._choice.is_ours or self._disk.persistent is not None

    @property
    def _chip_look(self) -> str:
        return "ours" if self._is_ours else "true"

    def show_figures(self, figures: Figures) -> None:
        """Show what the disk did in the last second."""
        self._activity.add(figures)
        text = wording.activity(figures)
        if text != self._rate.text():
            self._rate.setText(text)

    def set_busy(self, busy: bool, *, can_change: bool = True) -> None:
        """While the helper works, or is not there, nothing that needs it can be pressed."""
        self._busy, self._can_change = busy, can_change
        self._enable()

    def _enable(self) -> None:
        can = self._disk.tunable and not self._busy and self._can_change
        for control in (self._find, self._change, self._back):
            control.setVisible(self._disk.tunable)
            control.setEnabled(can)
        self._back.setVisible(self._disk.tunable and self._is_ours)
        self._back.setToolTip(wording.plain(wording.going_back(self._disk, self._choice)))
        self._activity.setVisible(self._disk.tunable)
        self._rate.setVisible(self._disk.tunable)


def _hint(disk: Disk) -> str:
    advice = wording.suggestion(disk, disk.suggestion) if disk.why_not is None else say(disk.why_not)
    return " ".join(filter(None, (_doubt(disk), advice)))


def _doubt(disk: Disk) -> str:
    return say(disk.kind_doubt) if disk.kind_doubt else ""
