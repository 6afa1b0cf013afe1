# SPDX-License-Identifier: GPL-3.0-or-later
"""What a measurement would cost, in one line; where, how long and with which program, to be changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QFileDialog, QWidget

from disktuner.block.disk import Disk
from disktuner.comparison.request import Announcement, Request
from disktuner.comparison.target import Target
from disktuner.experiment.plan import Plan as Course
from disktuner.gui.access import announce
from disktuner.gui.instruments import Instruments
from disktuner.gui.jobs import Jobs
from disktuner.gui.plots.curves import workload_title
from disktuner.gui.state import Act, State, may
from disktuner.gui.style import look
from disktuner.gui.widgets.layout import button, card, column, facts, heading, label, row, title
from disktuner.gui.widgets.plan_foot import PlanFoot
from disktuner.gui.wizard.costing import Costing
from disktuner.gui.wizard.own_panel import OwnPanel
from disktuner.results.definition import Definition
from disktuner.vocabulary import units
from disktuner.vocabulary.goals import BUDGETS, OWN
from disktuner.vocabulary.messages import Message, language, named, say, text
from disktuner.workloads.programs import Program, installed_programs

_FACTS = ("will-need", "will-compare", "will-run")


class Plan(QWidget):
    """What would be measured, and what that costs; ``foot`` shows the price of it, and begins it.

    ``jobs`` owns the threads; only what was asked for last is shown. Signals: ``begun`` hands over the comparison that
    shall run, and what was announced of it; ``titled`` says on what it is measured: a folder may lie on another disk
    than the one that was asked for; ``unfolded`` that there is more to be seen; ``asked`` that something else is asked
    for, or nothing any more; ``changed`` is for its parts.
    """

    begun = Signal(object, object)
    titled = Signal(str)
    unfolded = Signal()
    asked = Signal()
    changed = Signal()

    def __init__(self, foot: PlanFoot, instruments: Instruments, jobs: Jobs) -> None:
        super().__init__()
        self.foot, self._instruments, self._jobs = foot, instruments, jobs
        self.notice, self.cost = foot.notice, foot.cost
        self._disk: Disk | None = None
        self._given, self._state = Request(""), State()
        self._announced: Announcement | None = None
        self._costing = Costing(instruments.compare, jobs, self)
        self.title, self._question = title(""), ""
        self._about = label(tone="muted", wrap=True)
        self.commands = label(wrap=True)
        self.commands.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.own_panel = OwnPanel()
        self._make_options()
        self._looked = self._asks_own = self._goes_on = False
        self._lay_out()
        self._connect()

    def _connect(self) -> None:
        self.changed.connect(self._ask_cost)
        self.own_panel.changed.connect(self.changed)
        self._costing.known.connect(self.show_announcement)
        self._costing.answered.connect(self.show_answer)
        self._costing.failed.connect(self.show_failure)
        self.foot.measure_button.clicked.connect(self.measure)
        self.foot.options_fold.toggled.connect(self._unfold)

    def plan(self, disk: Disk, request: Request) -> None:
        """Say what this request would cost on a disk.

        Which program is measured, only the user can say, if the request does not.
        """
        is_other = not self._is_about(disk) or (self._looked and not self.target)  # a folder may be there by now
        self._disk, self._given = disk, request
        with QSignalBlocker(self):
            self.budget_box.setCurrentIndex(self.budget_box.findData(request.budget))
            if is_other:
                self._looked = False
                self.folder.clear()
            if request.target:
                self.use_folder(request.target)
        self._asks_own = request.goal == OWN.id and request.own is None
        self.own_panel.setVisible(self._asks_own)
        if self._asks_own:
            if self.own_panel.model.rowCount() == 1:
                self._jobs.start(installed_programs, self._show_programs, lambda _: None)
            self.unfolded.emit()
        if is_other:
            find = partial(self._instruments.places, disk)
            self._jobs.start(find, partial(self._show_places, disk), lambda _: self._show_places(disk, ()))
        self.foot.options_fold.show()
        self.titled.emit(disk.title)
        self._ask_cost()

    def _is_about(self, disk: Disk) -> bool:
        """Whether this disk is asked for, as it was or as it was read anew since."""
        return self._disk is not None and self._disk.is_same_as(disk)

    def again(self) -> None:
        """Ask once more what it would cost: what was announced has begun."""
        if self._disk is not None and self._announced is None:
            self._ask_cost()

    def withdraw(self) -> None:
        """Nothing shall be measured."""
        self._costing.drop()
        self._disk = self._announced = None
        self.asked.emit()
        for part in (self._card, self.own_panel):
            part.hide()
        self.foot.show_nothing()

    def ask(self, question: str, about: str) -> None:
        """Where it is not asked on the page of disks, the page says what is announced."""
        self._question = question
        self._about.setText(about)
        self._where_about.hide()  # the same is said there

    def measure(self) -> None:
        """Begin to measure, as soon as it is known what that costs."""
        if self.foot.measure_button.isEnabled() and (comparison := self._costing.take()) is not None:
            announced, self._announced = self._announced, None
            self._allow()
            self.begun.emit(comparison, announced)

    @property
    def is_asked(self) -> bool:
        """Whether anything is asked for."""
        return self._disk is not None

    def measure_soon(self) -> None:
        """The same, or as soon as that is known."""
        self._goes_on = self._announced is None
        self.measure()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return measures, wherever the keyboard is and does nothing else with it."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.measure()
        else:
            super().keyPressEvent(event)

    def show_state(self, state: State) -> None:
        """Show whether it may be done now."""
        self._state = state
        self._allow()

    def _allow(self) -> None:
        """Once it is known what it costs, if its disks are there and no trial has them."""
        announced = self._announced
        if self._disk is None:
            return
        if announced is None:
            self.foot.allow(text("announcing"))
        elif announced.refused is not None:
            self.foot.allow(say(announced.refused))
        elif (gone := self._state.gone(announced.target.disks)) is not None:
            self.foot.allow(say(gone))
        else:
            self.foot.allow(may(self._state, Act.MEASURE, announced.target.disks).reason)

    def _ask_cost(self) -> None:
        self._costing.drop()
        self._announced, self._goes_on = None, False
        self.asked.emit()
        if self._disk is None:
            return
        request = replace(self._given, target=self.target, budget=self.budget, own=self._given.own or self.own)
        self._show_waiting(request.own.shown if request.own else request.shown)
        if self.target and self.is_complete:
            self._costing.ask(request)

    def _show_programs(self, found: Sequence[tuple[str, Program]]) -> None:
        if self._disk is not None:
            self.own_panel.model.show(found)

    def _unfold(self, on: bool) -> None:
        self._options.setVisible(on)
        if on:
            self.unfolded.emit()

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
        self._card = card(column(self.title, self._about, self.commands, gap=look().medium))
        for each in (self._card, self.own_panel, self._options):
            each.hide()
        self.setLayout(column(self._card, self.own_panel, self._options, None, gap=look().medium))

    def _options_card(self) -> QWidget:
        where = row(self.folder, self.other, wide=0)
        self._facts = {name: label("…", bold=True, wrap=True) for name in _FACTS}
        grid = facts(((label(text(name), tone="muted"), value) for name, value in self._facts.items()), look().small)
        how_long = row(self.budget_box, self._budget_about, gap=look().medium, wide=1)
        self._where_about = label(text("where-about"), tone="muted", wrap=True)
        folder, time = column(heading(text("where-folder")), where), column(heading(text("how-long")), how_long)
        return card(column(folder, time, grid, self._where_about, gap=look().medium))

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

    def _show_places(self, disk: Disk, places: Sequence[Target]) -> None:
        """Offer these folders of the disk; what is chosen already stays."""
        if not self._is_about(disk):
            return
        had, self._looked = self.target, True
        with QSignalBlocker(self.folder):
            for place in places:
                if self.folder.findData(str(place.folder)) < 0:
                    free = text("folder-free", folder=str(place.folder), free=place.mount.free_bytes)
                    self.folder.addItem(free, str(place.folder))
        if not self.target or self.target != had:
            self._ask_cost()

    def _show_waiting(self, commands: Sequence[Message]) -> None:
        """The disk is being looked at; all that is run of the user's own stands there before that runs it, too."""
        for value in self._facts.values():
            value.setText("…")
        self._show_text(self._question, "\n".join(map(say, commands)))
        self._about.setVisible(bool(self._question))
        self.notice.hide()
        if not self.target and self._looked:
            assert self._disk is not None
            self.cost.setText("")
            self.notice.show_text(text("no-writable-folder" if self._disk.mounts else "nothing-mounted"), "caution")
            self.foot.options_fold.setChecked(True)
        else:
            self.cost.setText(text("announcing" if self.is_complete else "own-what"))
        self._allow()

    def _show_text(self, head: str, commands: str) -> None:
        self.title.setText(head)
        self.title.setVisible(bool(head))
        self.commands.setText(commands)
        self.commands.setVisible(bool(commands))
        self._card.setVisible(bool(head or commands))

    def show_announcement(self, announced: Announcement) -> None:
        """What would happen, and on which disk: the folder may lie on another one than was asked for."""
        self._announced = announced
        target, plan = announced.target, announced.plan
        self.titled.emit(called(target))
        self.cost.setText(_cost(announced))
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
            announce(self.foot, self.cost.text())
        self._allow()
        if self._goes_on:
            QTimer.singleShot(0, self, self.measure)

    def _competing(self, plan: Course) -> str:
        if plan.record.tunes:
            return "\n".join(each.words for each in plan.settings)
        if not (self._given.settings and self._given.workloads):
            return units.schedulers([each.name for each in plan.settings], language().numbers)
        proposed = [each.words for each in plan.settings if each != plan.record.baseline]
        return "\n".join((text("proposed-as-now", baseline=plan.record.baseline.name), *proposed))

    def show_answer(self, answer: str) -> None:
        """It is known without measuring: in place of what would be run stands the answer, with commands to copy."""
        self._show_text(text("answered"), answer)
        self._about.hide()
        self.cost.setText("")
        self.unfolded.emit()
        announce(self, self.title.text())

    def show_failure(self, why: str) -> None:
        """It cannot be announced."""
        self.cost.setText("")
        self.notice.show_text(why, "bad", text("try-again"), self.changed.emit)

    def _where(self, target: Target) -> list[str]:
        """That it is not just the disk that was asked for."""
        if self._disk is not None and self._disk.name not in target.names:
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


def called(target: Target) -> str:
    """What it is measured on, as a title."""
    return " + ".join((target.disk.title, *target.names[1:]))


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
