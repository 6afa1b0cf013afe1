# SPDX-License-Identifier: GPL-3.0-or-later
"""A person presses whatever is enabled, in any order, while disks come and go and passwords are wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QAbstractButton, QPushButton, QTabBar

from disktuner.block.disk import Disk, Mount
from disktuner.comparison.request import JudgedResult, Request
from disktuner.experiment.events import Event
from disktuner.gui.measurement.portrait_page import PortraitPage
from disktuner.gui.measurement.portrait_plan import PortraitPlan
from disktuner.gui.widgets.change_dialog import ChangeDialog
from disktuner.gui.widgets.disk_card import DiskCard
from disktuner.gui.widgets.history_page import HistoryPage
from disktuner.gui.widgets.layout import plain
from disktuner.gui.widgets.option import RowOption
from disktuner.gui.widgets.question import Question
from disktuner.helper_client import calls
from disktuner.helper_client.calls import Call, Chosen, HelperState, Snapshot
from disktuner.helper_client.errors import Busy, NoSuchTrial
from disktuner.results.store import Store
from disktuner.vocabulary.errors import DisktunerError, NotAuthorised
from disktuner.vocabulary.messages import text
from tests.gui.person import PAGES, Person, Visit, click, click_tab, idle, seen, settle, until, words
from tests.gui.stand_ins import Bench, MemoryHelper, ScriptedComparison, disk, result

STEPS = 40
PRESSED = ("change", "go-back", "show-answer", "leave-as-it-is", "keep-for-good", "show-difference",
           "stop-difference", "checkup-line-fine", "history-open", "history-remove", "back", "cancel",
           "measure-again", "portrait", "portrait-again-button")  # fmt: skip
"""Pressed wherever enabled; what leads out of the window (files, folders, the clipboard) is not."""


@dataclass
class LivingHelper(MemoryHelper):
    """Does what it is asked to, as the real one: holds trials, refuses held disks, restores them, and says so.

    Attributes: ``held`` are its trials with their disks' previous schedulers, ``has`` the disks' schedulers,
    ``measured`` the disks that comparisons hold, ``chance`` decides who types a wrong password.
    """

    has: dict[str, str] = field(default_factory=dict)
    held: dict[str, dict[str, str]] = field(default_factory=dict)
    before: dict[str, str] = field(default_factory=dict)
    permanent: dict[str, str] = field(default_factory=dict)
    measured: set[str] = field(default_factory=set)
    chance: random.Random = field(default_factory=random.Random)
    set_disk: Callable[[str, str], None] = lambda _name, _scheduler: None
    begun: int = 0

    def send(self, call: Call[Any], done: Callable[[Any], None], failed: Callable[[DisktunerError], None]) -> None:
        if call != calls.get_state():
            self.calls.append(call)
        try:
            answer = getattr(self, f"_{call.method.lower()}")(*call.arguments)
        except DisktunerError as refused:
            error = refused
            self._later(lambda: failed(error))
        else:
            self._later(lambda: done(answer))

    def _later(self, then: Callable[[], object]) -> None:
        QTimer.singleShot(0, lambda: None if self.closed else then())

    def _authorise(self) -> None:
        if self.chance.random() < 0.25:
            raise NotAuthorised("refused-nobody-to-ask")

    def _free(self, disks: Sequence[tuple[str, int]]) -> None:
        for name, _ in disks:
            if name in self.measured or any(name in trial for trial in self.held.values()):
                raise Busy("refused-disk-in-trial", disk=name)

    def _put(self, name: str, scheduler: str) -> None:
        self.has[name] = scheduler
        self.set_disk(name, scheduler)

    def _getstate(self) -> HelperState:
        snapshots = tuple(Snapshot(name, 0, scheduler, {}, "") for name, scheduler in self.before.items())
        chosen = tuple(Chosen(name, name, "", scheduler, {}, (name,)) for name, scheduler in self.permanent.items())
        return HelperState(snapshots, tuple(name for trial in self.held.values() for name in trial), chosen)

    def _begintrial(self, disks: Sequence[tuple[str, int]]) -> str:
        self._free(disks)
        self._authorise()
        self.begun += 1
        self.held[f"t{self.begun}"] = {name: self.has[name] for name, _ in disks}
        return f"t{self.begun}"

    def _trial(self, id_: str) -> dict[str, str]:
        if id_ not in self.held:
            raise NoSuchTrial("refused-no-such-trial")
        return self.held[id_]

    def _settrial(self, id_: str, name: str, scheduler: str, _tunables: object) -> None:
        assert name in self._trial(id_)
        self._put(name, scheduler)

    def end(self, id_: str, reason: str) -> None:
        """Restore the disks, and say so."""
        for name, scheduler in self.held.pop(id_).items():
            self._put(name, scheduler)
        self._later(lambda: self.trial_ended(id_, reason))

    def _endtrial(self, id_: str) -> None:
        self._trial(id_)
        self.end(id_, "asked")

    def _keeptrial(self, id_: str, persist: bool) -> dict[str, str]:
        trial = self._trial(id_)
        self._authorise()
        self._choose(tuple(trial), dict(trial), persist=persist)
        del self.held[id_]
        self._later(lambda: self.trial_ended(id_, "kept"))
        return {}

    def _choose(self, names: Sequence[str], schedulers: dict[str, str], *, persist: bool) -> None:
        for name in names:
            self.before.setdefault(name, schedulers[name])
            if persist:
                self.permanent[name] = self.has[name]

    def _set(
        self, disks: Sequence[tuple[str, int]], scheduler: str, _tunables: object, persist: bool
    ) -> dict[str, str]:
        self._free(disks)
        self._authorise()
        schedulers = {name: self.has[name] for name, _ in disks}
        for name, _ in disks:
            self._put(name, scheduler)
        self._choose(tuple(schedulers), schedulers, persist=persist)
        return {}

    def _revert(self, disks: Sequence[tuple[str, int]]) -> None:
        self._free(disks)
        self._authorise()
        for name, _ in disks:
            self._put(name, self.before.pop(name, self.has[name]))

    def _undo(self, disks: Sequence[tuple[str, int]]) -> None:
        self._revert(disks)
        for name, _ in disks:
            self.permanent.pop(name, None)


class WatchedComparison(ScriptedComparison):
    """Holds its disks, and tells its bench when it was cancelled while it measured."""

    def __init__(self, request: Request, bench: LivingBench) -> None:
        super().__init__(request, bench)
        self._world, self.runs = bench, False

    def run(self, listener: Callable[[Event], None]) -> JudgedResult:
        names = {disk.name for disk in self.disks}
        self._world.living._free([(name, 0) for name in names])
        self._world.living.measured |= names
        self.runs = True
        try:
            return super().run(listener)
        finally:
            self.runs = False
            self._world.living.measured -= names

    def cancel(self) -> None:
        if self.runs:
            self._world.cancelled.append(self)
        super().cancel()


class LivingBench(Bench):
    """A bench whose disks have the schedulers that its helper set."""

    cancelled: list[ScriptedComparison]

    @property
    def living(self) -> LivingHelper:
        assert isinstance(self.helper, LivingHelper)
        return self.helper

    def compare(self, request: Request) -> ScriptedComparison:
        return WatchedComparison(request, self)


def living_bench(folder: Path, other: Path, seed: int) -> LivingBench:
    """Two measurable hard disks, one of them on a cable that is pulled now and then, with a result each."""
    mounts = [Mount(str(place), "ext4", "/dev/x", ("x",), 10**12, 4 * 10**11) for place in (folder, other)]
    first = disk("sda", mounts=mounts[:1])
    second = disk("sdc", diskseq=12, model="Seagate Barracuda", serial="Z2", wwn="0x6", mounts=mounts[1:])
    bench = LivingBench((first, second), kept=folder / "kept", points=1, rounds=3)
    bench.cancelled = []
    bench.helper = LivingHelper(has={"sda": "mq-deadline", "sdc": "mq-deadline"}, chance=random.Random(seed))
    bench.living.set_disk = lambda name, scheduler: bench.change(name, scheduler=scheduler)
    Store(bench.kept).save(replace(result(6), id="kept"))
    return bench


class Wanderer:
    """Chooses what to press; knows its own requests: which measurements may be cancelled, and which trials ended."""

    def __init__(self, person: Person, bench: LivingBench, seed: int) -> None:
        self.person, self.bench, self._chance = person, bench, random.Random(seed)
        self._pulled: Disk | None = None
        self._may_cancel: list[ScriptedComparison] = []
        self._may_end: set[str] = set()

    def step(self) -> None:
        name, act = self._chance.choice([*self._possible()])
        print(name)  # how it came to what fails
        act()
        self._settle()

    def _settle(self) -> None:
        """Wait until only a held measurement is running."""
        if not self.bench.comparisons or not self.bench.comparisons[-1].runs:
            idle()
        settle()

    def _possible(self) -> Iterator[tuple[str, Callable[[], object]]]:
        window = self.person.window
        if questions := seen(Question):
            yield from self._answers(questions[0])
            return
        if dialogs := seen(ChangeDialog):
            yield "change by hand", lambda: self._change(dialogs[0])
            return
        yield "back", lambda: self.person.key(Qt.Key.Key_Escape)
        yield "pull or plug", self._pull_or_plug
        if seen(QTabBar, window):
            yield from [(id_, partial(click_tab, window, id_)) for id_ in PAGES]
        for page in seen(HistoryPage, window):
            yield from [("select", partial(self._select, page))] * 3
        if self.bench.living.held:
            yield "time over", self._time_over
        if self.bench.living.held or self.bench.living.measured:
            yield "close", window.close
        if window.trial.isVisible() and window.trial.keep_button.isEnabled():
            yield from [(f"keep {at}", lambda at=at: window.trial.ways[at].trigger()) for at in range(2)]
        for option in seen(RowOption, window):
            if option.isCheckable():
                yield from [("choose", partial(click, option))] * 6
        if window.plan is not None and window.plan.foot.measure_button.isVisible():
            yield from [("start", self._start)] * 4
        for plan in seen(PortraitPlan, window):
            yield from [("sit", partial(self._sit, plan))] * 4
        if self.bench.living.measured:
            yield from [("measure on", self._measure_on)] * 4
        pressed = {text(id_) for id_ in PRESSED} | {text("try-setting", setting="bfq")}
        for option in seen(QPushButton, window):
            if option.isEnabled() and (option.text() in pressed or option.text().startswith("Measure longer")):
                likely = 6 if option.text() in {text("try-setting", setting="bfq")} else 1
                yield from [(option.text(), partial(self._press, option))] * likely

    def _select(self, page: HistoryPage) -> None:
        page.table.selectRow(self._chance.randrange(max(page.model.rowCount(), 1)))

    def _start(self) -> None:
        """Start as soon as the cost is known, if that is allowed."""
        button = self.person.plan.foot.measure_button
        until(lambda: button.toolTip() != plain(text("announcing")))
        if button.isEnabled():
            self.bench.holds_at = 3
            click(button)
            until(lambda: self.bench.comparisons[-1].is_held or self._is_over())

    def _sit(self, plan: PortraitPlan) -> None:
        """Make a portrait to its end, if that is allowed."""
        button = plan.foot.measure_button
        until(lambda: button.toolTip() != plain(text("announcing")))
        if button.isEnabled():
            self.bench.holds_at = None
            click(button)
            until(lambda: seen(PortraitPage))

    def _is_over(self) -> bool:
        """Whether it was answered, or could not be measured."""
        measurement = self.person.window.measurement
        return measurement is None or measurement.step == 2

    def _press(self, button: QPushButton) -> None:
        if button.text() == text("cancel") and self.person.window.measurement is not None:
            self._allow_cancelling()
        if button.text() == text("go-back") and self._undoes_trial(button):
            self._may_end |= self.bench.living.held.keys()
        click(button)

    def _undoes_trial(self, undo: QPushButton) -> bool:
        """Whether the button is in the trial's foot, or in the row of a disk on trial."""
        trial, rows = self.person.running.state.trial, self.person.window.disks_page.cards
        disk_names = {disk.name for disk in trial.disks} if trial is not None else set()
        in_row = any(row.isAncestorOf(undo) for row in rows if row.disk.name in disk_names)
        return in_row or self.person.window.trial.isAncestorOf(undo)

    def _allow_cancelling(self) -> None:
        self._may_cancel += self.bench.comparisons[-1:]

    def _answers(self, question: Question) -> Iterator[tuple[str, Callable[[], object]]]:
        for button in (question.no, question.afterwards, question.yes):
            closes = button.text() in {text("close-now")} or (
                question.afterwards.text() == text("close-afterwards") and button is not question.no
            )
            if button.text() and not closes:
                yield f"answer {button.text()}", lambda button=button: self._answer(button)

    def _answer(self, button: QAbstractButton) -> None:
        if button.text() == text("leave-stop"):
            self._allow_cancelling()
        click(button)

    def _change(self, dialog: ChangeDialog) -> None:
        dialog.scheduler.setCurrentIndex(self._chance.randrange(dialog.scheduler.count()))
        dialog.persist.setChecked(self._chance.random() < 0.3)
        click(dialog.apply_button if dialog.apply_button.isEnabled() else dialog.cancel_button)

    def _pull_or_plug(self) -> None:
        if self._pulled is None:
            if "sdc" in self.bench.living.measured or any(
                "sdc" in disk_names for disk_names in self.bench.living.held.values()
            ):
                return  # the helper's own business, in its own tests
            (self._pulled,) = (disk for disk in self.bench.disks if disk.name == "sdc")
            self.bench.show(*(disk for disk in self.bench.disks if disk.name != "sdc"))
        else:
            back, self._pulled = replace(self._pulled, diskseq=self._pulled.diskseq + 1), None
            self.bench.show(*self.bench.disks, replace(back, scheduler=self.bench.living.has["sdc"]))

    def _measure_on(self) -> None:
        self.bench.go_on(self._chance.choice([None, 7]))
        until(lambda: not self.bench.living.measured or self.bench.comparisons[-1].is_held)

    def _time_over(self) -> None:
        (id_,) = self.bench.living.held
        self._may_end.add(id_)
        self.bench.living.end(id_, "time limit")

    def check(self) -> None:
        """Check what always holds, whatever was pressed."""
        helper, window, state = self.bench.living, self.person.window, self.person.running.state
        assert len(helper.held) <= 1, "one trial at most"
        assert window.trial.isVisible() == bool(helper.held), "a banner exactly while something is on trial"
        assert window.bar.isHidden() == bool(state.opened_pages), "what is seen is what the state names"
        dialogs = (len(seen(Question)), len(seen(ChangeDialog)))
        assert dialogs == (state.confirmation is not None, state.by_hand is not None), "and so is what is asked"
        assert all(name in self._may_cancel for name in self.bench.cancelled), "nothing is cancelled unasked"
        ended = {call.arguments[0] for call in helper.calls if call.method == "EndTrial"}
        assert ended <= self._may_end, "nothing is undone unasked"
        assert [button.text() for button in seen(QAbstractButton, window) if not self._says_why(button)] == []
        for name, has in helper.has.items():
            self._check_answer(name, has)

    def _says_why(self, button: QAbstractButton) -> bool:
        inside = button.window() is self.person.window
        return button.isEnabled() or not inside or bool(button.toolTip() or button.accessibleDescription())

    def _check_answer(self, name: str, has: str) -> None:
        sentence = self.person.notice.replace("“", "").replace("”", "")
        if f"({name}) now uses " in sentence:
            assert f"({name}) now uses {has}" in sentence, "the disk is as the last answer said"
        if f"({name}) uses " in sentence and "nothing was kept" in sentence and not self.bench.living.held:
            assert f"({name}) uses {has} again" in sentence

    def leave(self) -> None:
        """Close the window: the trial is undone, kept settings stay, and each card says so before."""
        for dialog in seen(ChangeDialog):
            dialog.reject()
        for question in seen(Question):
            click(question.no)
        self._settle()
        if not self.bench.living.measured and not self.bench.living.held:
            until(lambda: all(self.bench.living.has[card.disk.name] in words(card) for card in seen(DiskCard)))
        self._may_end |= self.bench.living.held.keys()
        self._allow_cancelling()
        if not self.person.window.close():
            click(until(lambda: self.person.window.question).yes)
        until(lambda: not self.person.window.isVisible())
        self.check()


@pytest.mark.parametrize("seed", [*range(10), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(10, 200))])
def test_whatever_is_pressed_each_thing_is_ended_by_whom_it_belongs_to(
    visit: Visit, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    bench = living_bench(tmp_path, tmp_path_factory.mktemp("other"), seed)
    person = visit(bench)
    wanderer = Wanderer(person, bench, seed)
    for _ in range(STEPS):
        wanderer.step()
        wanderer.check()
    wanderer.leave()
