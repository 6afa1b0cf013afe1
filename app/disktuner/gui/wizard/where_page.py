# SPDX-License-Identifier: GPL-3.0-or-later
"""Second step: in which folder, how long, and what that would cost."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QComboBox, QFileDialog, QGridLayout, QLabel, QWidget

from disktuner.block.disk import Disk
from disktuner.block.queue import suggest
from disktuner.comparison.request import Announcement
from disktuner.comparison.target import Place
from disktuner.gui import telling, wording
from disktuner.gui.style import look
from disktuner.gui.widgets.choice_button import ChoiceButton
from disktuner.gui.widgets.notice import Notice
from disktuner.gui.widgets.parts import button, card, column, heading, label, row, title
from disktuner.results.model import Budget, Goal
from disktuner.vocabulary.messages import say


class WherePage(QWidget):
    """Folder, budget, and the announcement of what would happen.

    Signals: ``changed`` when another folder or budget is chosen, so that it is announced anew.
    """

    changed = Signal()

    def __init__(self, disk: Disk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._disk = disk
        self.folder = QComboBox()
        self.folder.setAccessibleName(wording.FOLDER)
        self.folder.setMinimumContentsLength(20)
        self.folder.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.folder.currentIndexChanged.connect(lambda _index: self.changed.emit())
        self.other = button(wording.CHOOSE_FOLDER, self._ask_folder)
        self._group = QButtonGroup(self)
        self.budgets: dict[Budget, ChoiceButton] = {budget: self._make(budget) for budget in Budget}
        self.budgets[Budget.QUICK].setChecked(True)
        self._group.idToggled.connect(self._budget_toggled)
        self.notice = Notice()
        self._first = label(tone="muted", wrap=True)
        self._facts: dict[str, QLabel] = {}
        self._goal = Goal.DESKTOP
        self._looked = False
        self._lay_out()
        self.show_waiting()

    def _make(self, budget: Budget) -> ChoiceButton:
        made = ChoiceButton(*telling.BUDGETS[budget])
        self._group.addButton(made)
        return made

    def _lay_out(self) -> None:
        now = look()
        budgets = row(*self.budgets.values(), gap=now.medium)
        for place in range(len(self.budgets)):
            budgets.setStretch(place, 1)
        where = row(self.folder, self.other)
        where.setStretch(0, 1)
        self.setLayout(
            column(
                title(wording.WHERE_QUESTION),
                label(wording.WHERE_HINT, tone="muted", wrap=True),
                column(heading(wording.FOLDER), where),
                column(heading(wording.HOW_LONG), budgets),
                self.notice,
                self._fact_card(),
                self._first,
                label(wording.START_NOTE, tone="muted", wrap=True),
                None,
                gap=now.medium,
            )
        )

    def _fact_card(self) -> QWidget:
        grid = QGridLayout()
        grid.setHorizontalSpacing(look().large)
        grid.setVerticalSpacing(look().small)
        names = (wording.WILL_TIME, wording.WILL_WRITE, wording.WILL_NEED, wording.WILL_COMPARE, wording.WILL_RUN)
        for number, name in enumerate(names):
            self._facts[name] = label("…", bold=True, wrap=True)
            grid.addWidget(label(name, tone="muted"), number, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(self._facts[name], number, 1)
        grid.setColumnStretch(1, 1)
        return card(grid)

    @property
    def target(self) -> str:
        """The chosen folder, or an empty text where there is none."""
        return str(self.folder.currentData() or "")

    @property
    def budget(self) -> Budget:
        """What is chosen."""
        return next(budget for budget, made in self.budgets.items() if made.isChecked())

    def show_goal(self, goal: Goal) -> None:
        """What one would try for this purpose without measuring."""
        self._goal = goal
        self._suggest(self._disk)

    def _suggest(self, disk: Disk) -> None:
        text = wording.suggestion(disk, suggest(disk, self._goal))
        self._first.setText(text)
        self._first.setVisible(bool(text))

    def show_places(self, places: Sequence[Place]) -> None:
        """Offer these folders of the disk; what is chosen already stays."""
        self._looked = True
        with QSignalBlocker(self.folder):
            for place in places:
                if self.folder.findData(str(place.folder)) < 0:
                    free = wording.FREE.format(size=wording.size(place.mount.free_bytes))
                    self.folder.addItem(f"{place.folder}   ({free})", str(place.folder))

    def show_waiting(self) -> None:
        """The disk is being looked at."""
        for value in self._facts.values():
            value.setText("…")
        if not self.target and self._looked:
            self.notice.tell(wording.NO_WRITABLE_MOUNT if self._disk.mounts else wording.NO_MOUNT, "caution")
        else:
            self.notice.tell(wording.ANNOUNCING)

    def show_announcement(self, told: Announcement) -> None:
        """What would happen, and on which disk: the folder may lie on another one than was asked for."""
        self._suggest(told.disk)
        facts = {
            wording.WILL_TIME: wording.duration(told.seconds),
            wording.WILL_WRITE: wording.size(told.bytes_written),
            wording.WILL_NEED: wording.NEEDED_OF_FREE.format(
                needed=wording.size(told.bytes_needed), free=wording.size(told.mount.free_bytes)
            ),
            wording.WILL_COMPARE: ", ".join(told.schedulers),
            wording.WILL_RUN: "\n".join(map(wording.workload, told.workloads)),
        }
        for name, text in facts.items():
            self._facts[name].setText(text)
        self._facts[wording.WILL_RUN].setToolTip(", ".join(told.workloads))
        cautions = [say(caution) for caution in told.cautions]
        notes = [*self._where(told), *cautions, *_wear(told), *map(say, told.unavailable.values())]
        if told.refused:
            self.notice.tell(say(told.refused), "bad")
        elif notes:
            self.notice.tell("\n".join(notes), "caution")
        else:
            self.notice.hide()

    def show_failure(self, text: str) -> None:
        """It cannot be announced."""
        self.notice.tell(text, "bad", wording.TRY_AGAIN, self.changed.emit)

    def _where(self, told: Announcement) -> list[str]:
        """That it is not just the disk that was asked for."""
        if self._disk.name not in told.disks:
            return [wording.LIES_ELSEWHERE.format(there=told.disk.title, asked=self._disk.title)]
        return [wording.LIES_ON_SEVERAL.format(disks=", ".join(told.disks))] if len(told.disks) > 1 else []

    def _budget_toggled(self, _number: int, checked: bool) -> None:
        if checked:
            self.changed.emit()

    def _ask_folder(self) -> None:
        dialog = QFileDialog(self, wording.CHOOSE_FOLDER, self.target)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self.use_folder)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def use_folder(self, path: str) -> None:
        """Measure in this folder."""
        place = self.folder.findData(path)
        if place < 0:
            self.folder.addItem(path, path)
            place = self.folder.count() - 1
        self.folder.setCurrentIndex(place)

    def use_budget(self, budget: Budget) -> None:
        """Let it take that long."""
        self.budgets[budget].setChecked(True)


def _wear(told: Announcement) -> list[str]:
    share = told.bytes_written / max(told.disk.size_bytes, 1)
    return [wording.WEAR_NOTE.format(share=wording.percent(share))] if told.disk.kind.wears and share >= 0.005 else []
