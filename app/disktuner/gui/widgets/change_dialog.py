# SPDX-License-Identifier: GPL-3.0-or-later
"""Scheduler and tunables of a disk by hand; nothing is written before *Apply*."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QFrame, QVBoxLayout, QWidget

from disktuner.block.disk import Disk
from disktuner.block.schedulers import about
from disktuner.block.tunables import CATALOGUE
from disktuner.gui import wording
from disktuner.gui.style import look
from disktuner.gui.widgets.parts import button, column, heading, label, row, scrolled, title
from disktuner.gui.widgets.tunable_row import TunableRow


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be set: ``scheduler`` None means that it stays; ``tunables`` only those that differ."""

    scheduler: str | None = None
    tunables: dict[str, str] = field(default_factory=dict)
    persist: bool = False


class ChangeDialog(QDialog):
    """Signals: ``apply`` carries the ``Wanted``."""

    apply = Signal(object)

    def __init__(self, disk: Disk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._disk = disk
        self.setObjectName("change")
        self.setWindowTitle(wording.CHANGE_TITLE.format(disk=disk.title))
        self.scheduler = QComboBox()
        self.scheduler.setAccessibleName(wording.CHANGE_SCHEDULER)
        for name in (*disk.schedulers, *disk.loadable):
            text = name if name in disk.schedulers else wording.LOADED_FIRST.format(scheduler=name)
            self.scheduler.addItem(text, name)
        self.scheduler.setCurrentIndex(max(0, self.scheduler.findData(disk.scheduler)))
        self._about = label(wrap=True)
        self._later = label(tone="muted", wrap=True)
        self.rows = [
            TunableRow(tunable, value)
            for tunable in CATALOGUE
            if isinstance(value := disk.tunables.get(tunable.name), int) and tunable.scheduler in {None, disk.scheduler}
        ]
        self.persist = QCheckBox(wording.ALSO_AFTER_RESTART)
        self._count = label(tone="muted")
        self.apply_button = button(wording.APPLY, self._apply, primary=True)
        self.cancel_button = button(wording.CANCEL, self.reject)
        self._lay_out()
        self.scheduler.currentIndexChanged.connect(self._show)
        self.persist.toggled.connect(self._show)
        for each in self.rows:
            each.changed.connect(self._show)
        self._show()
        self.scheduler.setFocus()

    def _lay_out(self) -> None:
        now = look()
        head = column(
            title(self.windowTitle()),
            label(wording.CHANGE_NOTE, tone="muted", wrap=True),
            heading(wording.CHANGE_SCHEDULER),
            self.scheduler,
            self._about,
            heading(wording.TUNABLES),
            self._later,
        )
        head.setContentsMargins(now.large, now.large, now.large, now.small)
        content = QWidget()
        rows: QVBoxLayout = column(*self.rows, None, gap=now.tight)
        rows.setContentsMargins(now.large, 0, now.large, now.large)
        content.setLayout(rows)
        foot = QFrame()
        foot.setProperty("bar", "foot")
        actions = row(self._count, None, self.persist, self.cancel_button, self.apply_button, gap=now.medium)
        actions.setContentsMargins(now.large, now.small, now.large, now.small)
        foot.setLayout(actions)
        whole = column(head, scrolled(content), foot, gap=0)
        whole.setStretch(1, 1)
        self.setLayout(whole)
        self.resize(now.wide * 22, now.wide * 20)

    @property
    def wanted(self) -> Wanted:
        """What *Apply* would set."""
        chosen = str(self.scheduler.currentData())
        changed = {each.name: str(each.value) for each in self._usable() if each.differs}
        return Wanted(chosen if chosen != self._disk.scheduler else None, changed, self.persist.isChecked())

    def _usable(self) -> list[TunableRow]:
        same = self.scheduler.currentData() == self._disk.scheduler
        return [each for each in self.rows if same or each.name.startswith("queue/")]

    def _show(self) -> None:
        chosen, wanted = str(self.scheduler.currentData()), self.wanted
        self._about.setText(about(chosen))
        usable = self._usable()
        for each in self.rows:
            each.setVisible(each in usable)
        other = chosen != self._disk.scheduler
        text = wording.TUNABLES_LATER.format(scheduler=chosen) if other else "" if usable else wording.TUNABLES_NONE
        self._later.setText(text)
        self._later.setVisible(bool(text))
        count = len(wanted.tunables) + (wanted.scheduler is not None)
        self._count.setText(wording.changes(count))
        self.apply_button.setEnabled(count > 0 or wanted.persist)

    def _apply(self) -> None:
        self.apply.emit(self.wanted)
        self.accept()
