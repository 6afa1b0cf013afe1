# SPDX-License-Identifier: GPL-3.0-or-later
"""The cost of a measurement in one line, and its options: where, how long, with which program."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QBoxLayout, QComboBox, QFileDialog, QWidget

from disktuner.block.disk import Disk
from disktuner.comparison.request import Announcement, Request, request_for
from disktuner.comparison.target import Target, as_before
from disktuner.experiment.plan import Plan
from disktuner.gui.access import announce
from disktuner.gui.failures import failure_text
from disktuner.gui.instruments import Instruments
from disktuner.gui.jobs import Jobs
from disktuner.gui.measurement.costing import Costing
from disktuner.gui.measurement.own_panel import OwnPanel
from disktuner.gui.measurement.state_option import StateOption
from disktuner.gui.plots.curves import workload_title
from disktuner.gui.state import Act, State, may
from disktuner.gui.style import look
from disktuner.gui.widgets.free_room import FreeRoom
from disktuner.gui.widgets.layout import button, card, column, facts, heading, label, row, title
from disktuner.gui.widgets.plan_foot import PlanFoot
from disktuner.presentation.portrait import End
from disktuner.results.codec import load
from disktuner.results.definition import Definition
from disktuner.results.model import BadResult, NoSuchResult
from disktuner.standing import Memory
from disktuner.vocabulary import units
from disktuner.vocabulary.goals import BUDGETS, OWN
from disktuner.vocabulary.messages import Message, language, named, say, text
from disktuner.workloads.programs import Program, installed_programs

_FACTS = ("will-need", "will-compare", "will-run")


class PlanPage(QWidget):
    """What would be measured, and its cost; ``foot`` shows the cost, and begins it.

    ``jobs`` owns the threads; only the last request is shown. Signals: ``begun`` hands over the comparison to run and
    its announcement; ``titled`` names the disk that is measured: a folder may be on another disk than the requested
    one; ``unfolded``: more has become visible; ``asked``: the request was changed or withdrawn; ``changed`` is for its
    parts.
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
        self._cache_end: End | None = None
        self._request, self._state = Request(""), State()
        self._announcement: Announcement | None = None
        self._announced_with: tuple[tuple[str | None, int], ...] = ()
        self._costing = Costing(instruments.compare, jobs, self)
        self.title, self._question, self._look_failure = title(""), "", ""
        self._about = label(tone="muted", wrap=True)
        self.commands = label(wrap=True)
        self.commands.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.own_panel = OwnPanel()
        self._make_options()
        self._is_examined = self._asks_own = self._goes_on = False
        self._lay_out()
        self._connect()

    def _connect(self) -> None:
        self.changed.connect(self._ask_cost)
        self.own_panel.changed.connect(self.changed)
        self.state_option.changed.connect(self._name_budgets)
        self.state_option.changed.connect(self.changed)
        self._costing.known.connect(self.show_announcement)
        self._costing.answered.connect(self.show_answer)
        self._costing.failed.connect(self.show_failure)
        self.foot.measure_button.clicked.connect(self.measure)
        self.foot.options_fold.toggled.connect(self._unfold)

    def choose(self, goal: str, disk: Disk) -> None:
        """Show the cost of measuring a disk for a goal, by its id, with the budget that is chosen here."""
        self.plan(disk, request_for(goal, budget=self.budget))

    def plan(self, disk: Disk, request: Request) -> None:
        """Show the cost of this request on a disk.

        If the request does not name the program to measure, only the user can.
        """
        is_other = not self._is_about(disk) or (self._is_examined and not self.target)  # a folder may be there by now
        self._disk, self._request = disk, request
        with QSignalBlocker(self):
            self.budget_box.setCurrentIndex(self.budget_box.findData(request.budget))
            if is_other:
                self._is_examined, self._cache_end = False, None
                self.folder.clear()
            if request.target:
                self.use_folder(request.target)
        self._offer_state()
        self._asks_own = request.goal == OWN.id and request.own is None
        self.own_panel.setVisible(self._asks_own)
        if self._asks_own:
            if self.own_panel.program.count() == 1:
                self._jobs.start(installed_programs, self._show_programs, lambda _: None)
            self.unfolded.emit()
        if is_other:
            self.look_again()
        self.foot.options_fold.show()
        self.titled.emit(disk.title)
        self._ask_cost()

    def _is_about(self, disk: Disk) -> bool:
        """Whether this disk is the requested one, as it was or as it was read again since."""
        return self._disk is not None and self._disk.is_same_as(disk)

    def look_again(self) -> None:
        """Find out where the disk can be measured, and where its fast cache ends."""
        if (disk := self._disk) is not None:
            earlier = self._request.continues or self._request.after
            look_at, show = partial(self._look, disk, earlier), partial(self._show_folders, disk)
            self._jobs.start(look_at, lambda seen: show(*seen), lambda error: show((), None, failure_text(error)))

    def _look(self, disk: Disk, earlier: Path | None) -> tuple[Sequence[Target], End | None]:
        """In a thread; where the ``earlier`` result was measured comes first."""
        cache_end, places = self._instruments.cache_end(disk), self._instruments.places(disk)
        if earlier is not None:
            with suppress(NoSuchResult, BadResult):  # said with the cost
                places = as_before(load(earlier, with_series=False), places)
        return places, cache_end

    def again(self) -> None:
        """Request the cost again, since the announced measurement has begun."""
        if self._disk is not None and self._announcement is None:
            self._ask_cost()

    def withdraw(self) -> None:
        self._costing.drop()
        self._disk = self._announcement = None
        self.asked.emit()
        for part in (self._card, self.own_panel):
            part.hide()
        self.foot.show_nothing()

    def ask(self, question: str, about: str) -> None:
        """Request the cost; outside the page of disks, this page shows the announcement."""
        self._question = question
        self._about.setText(about)
        self._where_about.hide()  # the same is said there
        self.foot.options_fold.setChecked(True)

    def show_memory(self, memory: Memory | None) -> None:
        """Show the last answer in the room that is left."""
        layout = self.layout()
        if memory is not None and isinstance(layout, QBoxLayout):
            room = FreeRoom()
            room.show_memory(memory)
            layout.addWidget(room, 1000)

    def measure(self) -> None:
        """Begin to measure as soon as the cost is known."""
        if self.foot.measure_button.isEnabled() and (comparison := self._costing.take()) is not None:
            announced, self._announcement = self._announcement, None
            self._allow()
            self.begun.emit(comparison, announced)

    @property
    def is_asked(self) -> bool:
        return self._disk is not None

    def measure_soon(self) -> None:
        """Measure now, or as soon as the cost is known."""
        self._goes_on = self._announcement is None
        self.measure()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return measures, unless the focused widget uses that key."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.measure()
        else:
            super().keyPressEvent(event)

    def show_state(self, state: State) -> None:
        """Show whether measuring may begin now; the cost is asked again where the disks changed meanwhile."""
        self._state = state
        if self._is_outdated:
            self._ask_cost()
        self._allow()

    @property
    def _is_outdated(self) -> bool:
        """Whether the announced disks have another scheduler by now, with which the others would be compared, or were
        connected again: the helper knows them by another number then.
        """
        if self._announcement is None:
            return False
        disks = self._announcement.target.disks
        is_free = bool(may(self._state, Act.MEASURE, disks)) and self._state.why_gone(disks) is None
        return is_free and self._present(disks) != self._announced_with

    def _present(self, disks: Sequence[Disk]) -> tuple[tuple[str | None, int], ...]:
        present = filter(None, (self._state.find(disk.name) for disk in disks))
        return tuple((disk.scheduler, disk.diskseq) for disk in present)

    def _allow(self) -> None:
        """Allow it once the cost is known, the disks are present and not on trial."""
        announced = self._announcement
        if self._disk is None:
            return
        if announced is None:
            self.foot.allow(self.cost.text() or self.notice.text or self.title.text() or text("announcing"))
        elif announced.refused is not None:
            self.foot.allow(say(announced.refused))
        elif (reason := self._state.why_gone(announced.target.disks)) is not None:
            self.foot.allow(say(reason))
        else:
            self.foot.allow(may(self._state, Act.MEASURE, announced.target.disks).reason)

    def _ask_cost(self) -> None:
        self._costing.drop()
        self._announcement, self._goes_on = None, False
        self.asked.emit()
        if self._disk is None:
            return
        own, state = self._request.own or self.own, self.state_option.state
        request = replace(self._request, target=self.target, budget=self.budget, own=own, state=state)
        self._show_waiting(request.own.shown if request.own else request.shown)
        if self.target and self.is_complete:
            self._costing.ask(request)

    def _show_programs(self, programs: Sequence[tuple[str, Program]]) -> None:
        if self._disk is not None:
            self.own_panel.show_programs(programs)

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
        self.state_option = StateOption()
        self.budget_box = QComboBox()
        self.budget_box.setAccessibleName(text("how-long"))
        for budget in BUDGETS:
            self.budget_box.addItem("", budget)
        self._name_budgets()
        self._budget_about = label(tone="muted", wrap=True)
        self.budget_box.currentIndexChanged.connect(self._show_budget)
        self._show_budget()

    def _offer_state(self) -> None:
        self.state_option.offer(self._request, self._cache_end)
        self._name_budgets()

    def _name_budgets(self) -> None:
        """Name the budgets with the longest time that each takes in the chosen state."""
        for index, budget in enumerate(BUDGETS.values()):
            seconds = self.state_option.most_s(budget.limits)
            self.budget_box.setItemText(index, text("budget-name", name=budget.name, seconds=units.longest(seconds)))

    def _lay_out(self) -> None:
        self._options = self._options_card()
        self._card = card(column(self.title, self._about, self.commands, gap=look().medium))
        for part in (self._card, self.own_panel, self._options):
            part.hide()
        self.setLayout(column(self._card, self.own_panel, self._options, None, gap=look().medium))

    def _options_card(self) -> QWidget:
        where = row(self.folder, self.other, wide=0)
        self._facts = {name: label("…", bold=True, wrap=True) for name in _FACTS}
        grid = facts(((label(text(name), tone="muted"), value) for name, value in self._facts.items()), look().small)
        how_long = row(self.budget_box, self._budget_about, gap=look().medium, wide=1)
        self._where_about = label(text("where-about"), tone="muted", wrap=True)
        folder, time = column(heading(text("where-folder")), where), column(heading(text("how-long")), how_long)
        return card(column(folder, time, self.state_option, grid, self._where_about, gap=look().medium))

    @property
    def target(self) -> str:
        """The chosen folder; empty if there is none."""
        return str(self.folder.currentData() or "")

    @property
    def budget(self) -> str:
        return str(self.budget_box.currentData())

    @property
    def own(self) -> Definition | None:
        """The user's own program; None if none is requested or it is incomplete."""
        return self.own_panel.definition if self._asks_own else None

    @property
    def is_complete(self) -> bool:
        """Whether everything necessary is entered."""
        return not self._asks_own or self.own is not None

    def _show_folders(self, disk: Disk, places: Sequence[Target], cache_end: End | None, failure: str = "") -> None:
        """Offer these folders of the disk, and to use up its cache; what is chosen already stays.

        ``failure`` is why they are not known.
        """
        if not self._is_about(disk):
            return
        chosen_before, self._is_examined, self._cache_end = (self.target, self.state_option.state), True, cache_end
        self._look_failure = failure
        self._offer_state()
        with QSignalBlocker(self.folder):
            for place in places:
                if self.folder.findData(str(place.folder)) < 0:
                    free = text("folder-free", folder=str(place.folder), free=place.mount.free_bytes)
                    self.folder.addItem(free, str(place.folder))
        if not self.target or (self.target, self.state_option.state) != chosen_before:
            self._ask_cost()

    def _show_waiting(self, commands: Sequence[Message]) -> None:
        """The disk is being examined; the user's own commands are already listed, before that runs them."""
        for value in self._facts.values():
            value.setText("…")
        self._show_text(self._question, "\n".join(map(say, commands)))
        self._about.setVisible(bool(self._question))
        self.notice.hide()
        if not self.target and self._is_examined:
            assert self._disk is not None
            self.cost.setText("")
            if self._look_failure:
                self.notice.show_text(self._look_failure, "bad", text("try-again"), self.look_again)
            else:
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
        """Show what would happen, and on which disk: the folder may be on another one than was requested."""
        if announced.refused and self.state_option.give_up():
            return
        self._announcement = announced
        self._announced_with = self._present(announced.target.disks)
        target, plan = announced.target, announced.plan
        self.titled.emit(title_of(target))
        self.cost.setText(_cost(announced))
        facts = (
            text("needed-of-free", needed=plan.bytes_needed, free=target.mount.free_bytes),
            self._competing(plan),
            "\n".join(workload_title(workload, plan.definition) for workload in plan.record.workloads),
        )
        for name, fact in zip(_FACTS, facts, strict=True):
            self._facts[name].setText(fact)
        self._facts["will-run"].setToolTip(", ".join(plan.record.workloads))
        notices = map(say, (*announced.shown, *announced.unavailable.values()))
        notes = [*self._where(target), *_exhausting(announced), *_wear(announced), *notices]
        if announced.refused:
            self.notice.show_text(say(announced.refused), "bad")
        elif notes:
            self.notice.show_text("\n".join(notes))
        if announced.refused is None:
            announce(self.foot, self.cost.text())
        self._allow()
        if self._goes_on:
            QTimer.singleShot(0, self, self.measure)

    def _competing(self, plan: Plan) -> str:
        if plan.record.tunes:
            return "\n".join(setting.words for setting in plan.settings)
        if not (self._request.settings and self._request.workloads):
            return units.schedulers([setting.name for setting in plan.settings], language().numbers)
        proposed = [setting.words for setting in plan.settings if setting != plan.record.baseline]
        return "\n".join((text("proposed-as-now", baseline=plan.record.baseline.name), *proposed))

    def show_answer(self, answer: str) -> None:
        """It is known without measuring: show the answer instead of the plan, with commands to copy."""
        self._show_text(text("answered"), answer)
        self._about.hide()
        self.cost.setText("")
        self._allow()
        self.unfolded.emit()
        announce(self, self.title.text())

    def show_failure(self, why: str) -> None:
        """It cannot be announced."""
        if self.state_option.give_up():
            return
        self.cost.setText("")
        self.notice.show_text(why, "bad", text("try-again"), self.changed.emit)
        self._allow()

    def _where(self, target: Target) -> list[str]:
        """Notes if more than the requested disk is involved."""
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
        place = self.folder.findData(path)
        if place < 0:
            self.folder.addItem(path, path)
            place = self.folder.count() - 1
        self.folder.setCurrentIndex(place)


def title_of(target: Target) -> str:
    """The title: what is measured."""
    return " + ".join((target.disk.title, *target.names[1:]))


def _cost(announced: Announcement) -> str:
    """How long it takes, and what it writes where."""
    plan = announced.plan
    most_s = units.longest(plan.announced_s)
    most, typical = text("duration", time=most_s), text("duration", time=plan.typical_s)
    id_ = "cost" if typical == most else "cost-typical"
    return text(
        id_,
        typical=plan.typical_s,
        most=most_s,
        usual=plan.typical_bytes,
        size=plan.bytes_written,
        folder=str(announced.target.folder),
    )


def _exhausting(announced: Announcement) -> list[str]:
    """That the fast cache is used up: with options folded, it is seen nowhere else."""
    return [text("exhausted-first", disk=announced.target.disk.title)] if announced.plan.exhaustion else []


def _wear(announced: Announcement) -> list[str]:
    disk = announced.target.disk
    share = announced.plan.bytes_written / max(disk.size_bytes, 1)
    if announced.asks_first:
        return [text("portrait-wears", share=share)]
    return [text("wear-note", share=share)] if disk.kind.wears and share >= 0.005 else []
