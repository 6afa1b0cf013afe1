# SPDX-License-Identifier: GPL-3.0-or-later
"""What a measurement would cost, in one line; where and how long behind *Options*."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QFileDialog, QWidget

from disktuner.block.disk import Disk
from disktuner.comparison.request import Announcement
from disktuner.comparison.target import Target
from disktuner.experiment.plan import Plan
from disktuner.gui.access import announce
from disktuner.gui.plots.curves import workload_title
from disktuner.gui.style import HEADING, look
from disktuner.gui.widgets.layout import Fold, button, card, column, facts, heading, label, row, title
from disktuner.gui.widgets.notice import Notice
from disktuner.gui.wizard.own_panel import OwnPanel
from disktuner.results.definition import Definition
from disktuner.vocabulary import units
from disktuner.vocabulary.goals import BUDGETS
from disktuner.vocabulary.messages import Message, language, named, say, text

_FACTS = ("will-need", "will-compare", "will-run")


class WherePage(QWidget):
    """The announcement of what would happen, with folder and budget to be changed.

    Attributes: ``title`` says what is measured, ``cost`` how long that takes and what it writes; ``options_fold``,
    which belongs below what scrolls, shows the options.
    Signals: ``changed`` when something else is chosen, so that it is announced anew.
    """

    changed = Signal()

    def __init__(self, disk: Disk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._disk = disk
        self._question = text("where-question")
        self.title = title(self._question)
        self.cost = label("", HEADING, wrap=True)
        self._about = label(text("where-about"), tone="muted", wrap=True)
        self.notice = Notice()
        self.commands = label(wrap=True)
        self.commands.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.own_panel = OwnPanel()
        self._make_options()
        self._looked = self._proposed = self._asks_own = False
        self._lay_out()
        self.own_panel.changed.connect(self.changed)
        self.show_waiting()

    def _make_options(self) -> None:
        self.folder = QComboBox()
        self.folder.setAccessibleName(text("where-folder"))
        self.folder.setMinimumContentsLength(20)
        self.folder.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.folder.currentIndexChanged.connect(lambda _index: self.changed.emit())
        self.other = button(text("choose-folder"), self._ask_folder)
        self.budget_box = QComboBox()
        self.budget_box.setAccessibleName(text("how-long"))
        for budget in BUDGETS.values():
            self.budget_box.addItem(text("budget-name", name=budget.name, seconds=budget.limits.seconds), budget.id)
        self._budget_about = label(tone="muted", wrap=True)
        self.budget_box.currentIndexChanged.connect(self._show_budget)
        self._show_budget()

    def _lay_out(self) -> None:
        self._options = self._options_card()
        self.options_fold = Fold(text("options"), self._options.setVisible)
        for each in (self.commands, self.own_panel, self._options):
            each.hide()
        answer = card(column(self.title, self.cost, self._about, self.commands, gap=look().medium))
        self.setLayout(column(answer, self.own_panel, self.notice, self._options, None, gap=look().medium))

    def _options_card(self) -> QWidget:
        where = row(self.folder, self.other, wide=0)
        self._facts = {name: label("…", bold=True, wrap=True) for name in _FACTS}
        grid = facts(((label(text(name), tone="muted"), value) for name, value in self._facts.items()), look().small)
        how_long = row(self.budget_box, self._budget_about, gap=look().medium, wide=1)
        folder, time = column(heading(text("where-folder")), where), column(heading(text("how-long")), how_long)
        return card(column(folder, time, grid, gap=look().large))

    @property
    def target(self) -> str:
        """The chosen folder, or an empty text where there is none."""
        return str(self.folder.currentData() or "")

    @property
    def budget(self) -> str:
        """The id of the chosen budget."""
        return str(self.budget_box.currentData())

    @property
    def own(self) -> Definition | None:
        """The program of the user's own, None where none is asked for or it is not said yet."""
        return self.own_panel.definition if self._asks_own else None

    @property
    def is_complete(self) -> bool:
        """Whether all is said that has to be."""
        return not self._asks_own or self.own is not None

    def show_own(self) -> None:
        """Ask which program of the user's own is measured."""
        self._asks_own = True
        self.own_panel.show()
        self.show_waiting()

    def ask(self, question: str, about: str, *, proposes: bool = False) -> None:
        """What is announced is not just a comparison of schedulers; perhaps of what there is with what is proposed."""
        self._question = question
        self.title.setText(question)
        self._about.setText(about)
        self._proposed = proposes

    def show_commands(self, shown: Sequence[Message]) -> None:
        """All that is run of the user's own, before it is run for the first time: to look at the disk runs it, too."""
        self.commands.setText("\n".join(map(say, shown)))
        self.commands.setVisible(bool(shown))

    def show_places(self, places: Sequence[Target]) -> None:
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
        self.title.setText(self._question)
        self._about.show()
        self.notice.hide()
        if not self.target and self._looked:
            self._say_cost("")
            self.notice.show_text(text("no-writable-folder" if self._disk.mounts else "nothing-mounted"), "caution")
            self.options_fold.setChecked(True)
        else:
            self._say_cost(text("announcing") if self.is_complete else "")

    def _say_cost(self, said: str) -> None:
        self.cost.setText(said)
        self.cost.setVisible(bool(said))

    def show_announcement(self, announced: Announcement) -> None:
        """What would happen, and on which disk: the folder may lie on another one than was asked for."""
        target, plan = announced.target, announced.plan
        self._say_cost(_cost(announced))
        found = (
            text("needed-of-free", needed=plan.bytes_needed, free=target.mount.free_bytes),
            self._competing(plan),
            "\n".join(workload_title(each, plan.definition) for each in plan.record.workloads),
        )
        for name, fact in zip(_FACTS, found, strict=True):
            self._facts[name].setText(fact)
        self._facts["will-run"].setToolTip(", ".join(plan.record.workloads))
        said = map(say, (*announced.shown, *announced.unavailable.values()))
        notes = [*self._where(target), *_wear(announced), *said]
        if announced.refused:
            self.notice.show_text(say(announced.refused), "bad")
        elif notes:
            self.notice.show_text("\n".join(notes))
        if announced.refused is None:
            announce(self, self.cost.text())

    def _competing(self, plan: Plan) -> str:
        if plan.record.tunes:
            return "\n".join(each.words for each in plan.settings)
        if not self._proposed:
            return units.schedulers([each.name for each in plan.settings], language().numbers)
        proposed = [each.words for each in plan.settings if each != plan.record.baseline]
        return "\n".join((text("proposed-as-now", baseline=plan.record.baseline.name), *proposed))

    def show_answer(self, answer: str) -> None:
        """It is known without measuring: in place of what would be run stands the answer, with commands to copy."""
        self.title.setText(text("answered"))
        self._about.hide()
        self._say_cost("")
        self.commands.setText(answer)
        self.commands.show()
        announce(self, self.title.text())

    def show_failure(self, why: str) -> None:
        """It cannot be announced."""
        self._say_cost("")
        self.notice.show_text(why, "bad", text("try-again"), self.changed.emit)

    def _where(self, target: Target) -> list[str]:
        """That it is not just the disk that was asked for."""
        if self._disk.name not in target.names:
            return [text("lies-elsewhere", there=target.disk.title, asked=self._disk.title)]
        return [text("lies-on-several", disks=target.names)] if len(target.names) > 1 else []

    def _show_budget(self) -> None:
        self._budget_about.setText(named(BUDGETS[self.budget].about))
        self.budget_box.setAccessibleDescription(self._budget_about.text())
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
        self.budget_box.setCurrentIndex(self.budget_box.findData(budget))


def _cost(announced: Announcement) -> str:
    """How long it takes, and what it writes where."""
    plan = announced.plan
    most, typical = text("duration", time=plan.announced_s), text("duration", time=plan.typical_s)
    id_ = "cost" if typical == most else "cost-typical"
    return text(
        id_,
        typical=plan.typical_s,
        most=plan.announced_s,
        usual=plan.typical_bytes,
        size=plan.bytes_written,
        folder=str(announced.target.folder),
    )


def _wear(announced: Announcement) -> list[str]:
    disk = announced.target.disk
    share = announced.plan.bytes_written / max(disk.size_bytes, 1)
    return [text("wear-note", share=share)] if disk.kind.wears and share >= 0.005 else []
