# SPDX-License-Identifier: GPL-3.0-or-later
"""Scheduler and tunables of a disk by hand; nothing is written before *Apply*."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QFrame, QVBoxLayout, QWidget

from disktuner.block.disk import Disk
from disktuner.block.writers import Writer
from disktuner.block.writers.rivals import warnings
from disktuner.gui import wording
from disktuner.gui.choice import Choice
from disktuner.gui.style import fitting, look, set_property
from disktuner.gui.widgets.parts import button, column, heading, label, row, scrolled, title
from disktuner.gui.widgets.tunable_row import TunableRow
from disktuner.vocabulary.messages import say
from disktuner.vocabulary.tunables import TUNABLES


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be set: ``scheduler`` None means that it stays.

    ``tunables`` are those that differ, or with ``persist`` all that shall hold after a restart: a rule is written anew.
    """

    scheduler: str | None = None
    tunables: dict[str, str] = field(default_factory=dict)
    persist: bool = False


class ChangeDialog(QDialog):
    """What is kept after a restart is what is seen here: the scheduler and each fine setting that is somebody's
    decision (changed here, kept before, or neither the default nor what the disk had first).

    Signals: ``apply`` carries the ``Wanted``.
    """

    apply = Signal(object)

    def __init__(self, disk: Disk, choice: Choice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._disk, self._choice = disk, choice
        self._writers: Sequence[Writer] = ()
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
            TunableRow(tunable, value, self._first(tunable.name))
            for tunable in TUNABLES
            if isinstance(value := disk.tunables.get(tunable.name), int) and tunable.scheduler in {None, disk.scheduler}
        ]
        self.persist = QCheckBox(wording.ALSO_AFTER_RESTART)
        self.persist.setChecked(self._rule is not None)
        self.reset_button = button(wording.RESET_ALL, self._reset_all, flat=True)
        self.reset_button.setToolTip(wording.RESET_ALL_HINT)
        self._count = label(tone="muted")
        self._scope = label(tone="muted", wrap=True)
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
        self._chooser = QFrame()
        chooser = column(heading(wording.CHANGE_SCHEDULER), self.scheduler, self._about)
        chooser.setContentsMargins(now.small, now.small, now.small, now.small)
        self._chooser.setLayout(chooser)
        head = column(title(self.windowTitle()), label(wording.CHANGE_NOTE, tone="muted", wrap=True))
        head.setContentsMargins(now.small, 0, now.small, 0)
        tunables = row(heading(wording.TUNABLES), None, self.reset_button)
        tunables.setContentsMargins(now.small, 0, now.small, 0)
        later = column(self._later)
        later.setContentsMargins(now.small, 0, now.small, 0)
        content = QWidget()
        rows: QVBoxLayout = column(head, self._chooser, tunables, later, *self.rows, None, gap=now.small)
        rows.setContentsMargins(now.medium, now.large, now.medium, now.large)
        content.setLayout(rows)
        foot = QFrame()
        foot.setProperty("bar", "foot")
        actions = row(self._count, None, self.persist, self.cancel_button, self.apply_button, gap=now.medium)
        below = column(self._scope, actions)
        below.setContentsMargins(now.large, now.small, now.large, now.small)
        foot.setLayout(below)
        whole = column(scrolled(content), foot, gap=0)
        whole.setStretch(0, 1)
        self.setLayout(whole)
        self.resize(fitting(now.wide * 22, now.wide * 22))

    def show_writers(self, name: str, writers: Sequence[Writer]) -> None:
        """Say how long the change will hold now that it is known who else sets the disk's queue."""
        if name == self._disk.name:
            self._writers = writers
            self._show()

    @property
    def wanted(self) -> Wanted:
        """What *Apply* would set."""
        chosen = str(self.scheduler.currentData())
        persist = self.persist.isChecked()
        rows = [each for each in self._usable() if each.differs or (persist and self._is_kept(each))]
        tunables = {each.name: str(each.value) for each in rows}
        return Wanted(chosen if chosen != self._disk.scheduler else None, tunables, persist)

    @property
    def _rule(self) -> str | None:
        """What is kept already, in one line."""
        if self._choice.chosen is not None:
            return wording.kept(self._choice.chosen, self._choice.tunables_kept)
        found = self._disk.persistent
        return wording.kept(found.scheduler or "", found.tunables) if found else None

    def _first(self, name: str) -> int | None:
        """What it had before any change; under another scheduler the kernel had chosen for that one."""
        same = self._choice.before == self._disk.scheduler
        return self._choice.tunables_before.get(name) if same else None

    def _is_kept(self, each: TunableRow) -> bool:
        return each.is_own or each.name in self._choice.tunables_kept

    def _reset_all(self) -> None:
        for each in self._usable():
            each.set_default()

    def _usable(self) -> list[TunableRow]:
        same = self.scheduler.currentData() == self._disk.scheduler
        return [each for each in self.rows if same or each.name.startswith("queue/")]

    def _show(self) -> None:
        chosen, wanted = str(self.scheduler.currentData()), self.wanted
        self._about.setText(wording.about_choice(self._disk, chosen))
        usable = self._usable()
        for each in self.rows:
            each.setVisible(each in usable)
            each.show_kept(wanted.persist and self._is_kept(each))
        other = chosen != self._disk.scheduler
        text = wording.TUNABLES_LATER.format(scheduler=chosen) if other else "" if usable else wording.TUNABLES_NONE
        self._later.setText(text)
        self._later.setVisible(bool(text))
        count = sum(each.differs for each in usable) + (wanted.scheduler is not None)
        self._count.setText(wording.changes(count))
        kept = wording.kept(chosen, wanted.tunables) if wanted.persist else None
        against = (
            warnings(self._disk, self._writers, chosen, for_good=wanted.persist) if count or wanted.persist else ()
        )
        self._scope.setText(wording.scope(kept, self._rule, tuple(map(say, against))))
        set_property(self._chooser, "changed", wanted.scheduler is not None)
        self.reset_button.setEnabled(any(each.reset.isEnabled() for each in usable))
        self.apply_button.setEnabled(count > 0 or (wanted.persist and kept != self._rule))

    def _apply(self) -> None:
        self.apply.emit(self.wanted)
        self.accept()
