# SPDX-License-Identifier: GPL-3.0-or-later
"""Second step: in which folder, how long, and what that would cost."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QFileDialog, QGridLayout, QLabel, QWidget

from disktuner.block.disk import Disk
from disktuner.block.queue import suggest
from disktuner.comparison.request import Announcement
from disktuner.comparison.target import Place, Target
from disktuner.experiment.plan import Plan
from disktuner.gui.access import announce
from disktuner.gui.plots.curves import workload_title
from disktuner.gui.style import look
from disktuner.gui.widgets.disk_card import suggestion_text
from disktuner.gui.widgets.layout import button, card, column, heading, label, row, title
from disktuner.gui.widgets.notice import Notice
from disktuner.gui.widgets.selection import Selection
from disktuner.gui.wizard.goal_page import ChoiceButton
from disktuner.vocabulary import units
from disktuner.vocabulary.goals import BUDGETS, DESKTOP, QUICK, Budget
from disktuner.vocabulary.messages import Message, language, named, say, text
from disktuner.vocabulary.settings import Setting

_FACTS = ("will-take", "will-write", "will-need", "will-compare", "will-run")


class WherePage(QWidget):
    """Folder, budget, and the announcement of what would happen.

    Signals: ``changed`` when another folder or budget is chosen, so that it is announced anew.
    """

    changed = Signal()

    def __init__(self, disk: Disk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._disk = disk
        self.folder = Selection()
        self.folder.setAccessibleName(text("where-folder"))
        self.folder.setMinimumContentsLength(20)
        self.folder.setSizeAdjustPolicy(Selection.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.folder.currentIndexChanged.connect(lambda _index: self.changed.emit())
        self.other = button(text("choose-folder"), self._ask_folder)
        self._group = QButtonGroup(self)
        self.budgets: dict[str, ChoiceButton] = {budget.id: self._make(budget) for budget in BUDGETS.values()}
        self.budgets[QUICK.id].setChecked(True)
        self._group.idToggled.connect(self._budget_toggled)
        self.notice = Notice()
        self._title = title(text("where-question"))
        self._hint = label(text("where-hint"), tone="muted", wrap=True)
        self._first = label(tone="muted", wrap=True)
        self._note = label(text("start-note"), tone="muted", wrap=True)
        self.commands = label(wrap=True)
        self.commands.hide()
        self._facts: dict[str, QLabel] = {}
        self._goal = DESKTOP.id
        self._looked = self._begun = self._proposed = False
        self._lay_out()
        self.show_waiting()

    def _make(self, budget: Budget) -> ChoiceButton:
        made = ChoiceButton(named(budget.name), named(budget.about))
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
                self._title,
                self._hint,
                column(heading(text("where-folder")), where),
                column(heading(text("how-long")), budgets),
                self.commands,
                self.notice,
                self._fact_card(),
                self._first,
                self._note,
                None,
                gap=now.medium,
            )
        )

    def _fact_card(self) -> QWidget:
        grid = QGridLayout()
        grid.setHorizontalSpacing(look().large)
        grid.setVerticalSpacing(look().small)
        for number, name in enumerate(_FACTS):
            self._facts[name] = label("…", bold=True, wrap=True)
            grid.addWidget(label(text(name), tone="muted"), number, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(self._facts[name], number, 1)
        grid.setColumnStretch(1, 1)
        return card(grid)

    @property
    def target(self) -> str:
        """The chosen folder, or an empty text where there is none."""
        return str(self.folder.currentData() or "")

    @property
    def budget(self) -> str:
        """The id of the chosen budget."""
        return next(budget for budget, made in self.budgets.items() if made.isChecked())

    def show_continued(self) -> None:
        """What is announced adds rounds to a comparison that there is: nothing is suggested any more."""
        self._title.setText(text("on-question"))
        self._hint.setText(text("on-about"))
        self._begun = True

    def show_tuned(self) -> None:
        """What is announced are settings that compete with a comparison's answer."""
        self._title.setText(text("tune-question"))
        self._hint.setText(text("tune-about"))
        self._note.setText(text("tune-note"))
        self._begun = True

    def show_proposed(self, settings: Sequence[Setting]) -> None:
        """What is announced compares the disk as it is set now with what a check-up proposes."""
        self._title.setText(text("proposed-question"))
        self._hint.setText(text("proposed-about", setting=settings[0].name))
        self._note.setText(text("proposed-note"))
        self._begun = self._proposed = True

    def show_commands(self, shown: Sequence[Message]) -> None:
        """All that is run of the user's own, before it is run for the first time: to look at the disk runs it, too."""
        self.commands.setText("\n".join(map(say, shown)))
        self.commands.setVisible(bool(shown))

    def show_goal(self, goal: str) -> None:
        """What one would try for this purpose without measuring."""
        self._goal = goal
        self._suggest(self._disk)

    def _suggest(self, disk: Disk) -> None:
        suggested = suggestion_text(disk, suggest(disk, self._goal))
        self._first.setText(suggested)
        self._first.setVisible(bool(suggested) and not self._begun)

    def show_places(self, places: Sequence[Place]) -> None:
        """Offer these folders of the disk; what is chosen already stays."""
        self._looked = True
        with QSignalBlocker(self.folder):
            for place in places:
                if self.folder.findData(str(place.folder)) < 0:
                    free = text("folder-free", folder=str(place.folder), free=place.mount.free_bytes)
                    self.folder.addItem(free, str(place.folder))

    def show_waiting(self) -> None:
        """The disk is being looked at."""
        for value in self._facts.values():
            value.setText("…")
        if not self.target and self._looked:
            self.notice.show_text(text("no-writable-folder" if self._disk.mounts else "nothing-mounted"), "caution")
        else:
            self.notice.show_text(text("announcing"))

    def show_announcement(self, announced: Announcement) -> None:
        """What would happen, and on which disk: the folder may lie on another one than was asked for."""
        target, plan = announced.target, announced.plan
        self._suggest(target.disk)
        facts = (
            _time(plan),
            text("at-most-bytes", size=plan.bytes_written),
            text("needed-of-free", needed=plan.bytes_needed, free=target.mount.free_bytes),
            self._competing(plan),
            "\n".join(workload_title(each, plan.definition) for each in plan.record.workloads),
        )
        for name, fact in zip(_FACTS, facts, strict=True):
            self._facts[name].setText(fact)
        self._facts["will-run"].setToolTip(", ".join(plan.record.workloads))
        said = map(say, (*announced.shown, *announced.unavailable.values()))
        notes = [*self._where(target), *_wear(announced), *said]
        if announced.refused:
            self.notice.show_text(say(announced.refused), "bad")
        elif notes:
            self.notice.show_text("\n".join(notes), "caution")
        else:
            self.notice.hide()
        if announced.refused is None:
            announce(self, text("spoken-ready", time=facts[0], written=facts[1]))

    def _competing(self, plan: Plan) -> str:
        if plan.record.tunes:
            return "\n".join(each.words for each in plan.settings)
        if not self._proposed:
            return units.schedulers([each.name for each in plan.settings], language().numbers)
        proposed = [each.words for each in plan.settings if each != plan.record.baseline]
        return "\n".join((text("proposed-as-now", baseline=plan.record.baseline.name), *proposed))

    def show_failure(self, why: str) -> None:
        """It cannot be announced."""
        self.notice.show_text(why, "bad", text("try-again"), self.changed.emit)

    def _where(self, target: Target) -> list[str]:
        """That it is not just the disk that was asked for."""
        if self._disk.name not in target.names:
            return [text("lies-elsewhere", there=target.disk.title, asked=self._disk.title)]
        return [text("lies-on-several", disks=target.names)] if len(target.names) > 1 else []

    def _budget_toggled(self, _number: int, checked: bool) -> None:
        if checked:
            self.changed.emit()

    def _ask_folder(self) -> None:
        dialog = QFileDialog(self, text("choose-folder"), self.target)
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

    def use_budget(self, budget: str) -> None:
        """Let it take as long as the budget of this id."""
        self.budgets[budget].setChecked(True)


def _time(plan: Plan) -> str:
    """How long it takes, as a rule and at most."""
    most = text("duration", time=plan.announced_s)
    typical = text("duration", time=plan.typical_s)
    return most if typical == most else text("duration-typical", typical=plan.typical_s, most=plan.announced_s)


def _wear(announced: Announcement) -> list[str]:
    disk = announced.target.disk
    share = announced.plan.bytes_written / max(disk.size_bytes, 1)
    return [text("wear-note", share=share)] if disk.kind.wears and share >= 0.005 else []
