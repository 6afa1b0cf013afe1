# SPDX-License-Identifier: GPL-3.0-or-later
"""Somebody presses whatever can be pressed, in any order, while disks come and go and passwords are wrong."""

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
from disktuner.gui.widgets.change_dialog import ChangeDialog
from disktuner.gui.widgets.disk_card import DiskCard
from disktuner.gui.widgets.history_page import HistoryPage
from disktuner.gui.widgets.layout import plain
from disktuner.gui.widgets.option import RowOption
from disktuner.gui.widgets.question import Question
from disktuner.helper_client import Call, State, calls
from disktuner.helper_client.calls import Chosen, Snapshot
from disktuner.helper_client.errors import Busy, NoSuchTrial
from disktuner.results.store import Store
from disktuner.vocabulary.errors import DisktunerError, NotAuthorised
from disktuner.vocabulary.messages import text
from tests.gui.person import PAGES, Person, Visit, click, click_tab, idle, seen, settle, until, words
from tests.gui.stand_ins import Bench, MemoryHelper, ScriptedComparison, disk, result

STEPS = 40
PRESSED = ("change", "go-back", "show-answer", "leave-as-it-is", "keep-for-good", "keep-until-restart",
           "show-difference", "stop-difference", "checkup-line-fine", "history-open", "history-remove", "back",
           "cancel", "measure-again")  # fmt: skip
"""What is pressed wherever it can be; what leads out of the window (files, folders, the clipboard) is not."""


@dataclass
class LivingHelper(MemoryHelper):
    """Does what it is asked to, as the real one: holds trials, refuses what is held, restores, and says so.

    Attributes: ``held`` are its trials with what their disks had, ``has`` the disks' schedulers, ``measured`` what
    comparisons hold, ``chance`` decides who types a wrong password.
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

    def _getstate(self) -> State:
        snapshots = tuple(Snapshot(name, 0, had, {}, "") for name, had in self.before.items())
        chosen = tuple(Chosen(name, name, "", kept, {}, (name,)) for name, kept in self.permanent.items())
        return State(snapshots, tuple(name for trial in self.held.values() for name in trial), chosen)

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
        """Restore, and say so."""
        for name, had in self.held.pop(id_).items():
            self._put(name, had)
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

    def _choose(self, names: Sequence[str], had: dict[str, str], *, persist: bool) -> None:
        for name in names:
            self.before.setdefault(name, had[name])
            if persist:
                self.permanent[name] = self.has[name]

    def _set(
        self, disks: Sequence[tuple[str, int]], scheduler: str, _tunables: object, persist: bool
    ) -> dict[str, str]:
        self._free(disks)
        self._authorise()
        had = {name: self.has[name] for name, _ in disks}
        for name, _ in disks:
            self._put(name, scheduler)
        self._choose(tuple(had), had, persist=persist)
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
        names = {each.name for each in self.disks}
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
    """Its disks have what its helper gave them."""

    cancelled: list[ScriptedComparison]

    @property
    def living(self) -> LivingHelper:
        assert isinstance(self.helper, LivingHelper)
        return self.helper

    def compare(self, request: Request) -> ScriptedComparison:
        return WatchedComparison(request, self)

    def set_disk(self, name: str, scheduler: str) -> None:
        """The helper wrote it."""
        self.show(*(replace(each, scheduler=scheduler) if each.name == name else each for each in self.disks))


def living_bench(folder: Path, other: Path, seed: int) -> LivingBench:
    """Two hard disks that can be measured, one of them on a cable that is pulled now and then, with one result each."""
    mounts = [Mount(str(each), "ext4", "/dev/x", ("x",), 10**12, 4 * 10**11) for each in (folder, other)]
    one = disk("sda", mounts=mounts[:1])
    two = disk("sdc", diskseq=12, model="Seagate Barracuda", serial="Z2", wwn="0x6", mounts=mounts[1:])
    bench = LivingBench((one, two), kept=folder / "kept", points=1, rounds=3)
    bench.cancelled = []
    bench.helper = LivingHelper(has={"sda": "mq-deadline", "sdc": "mq-deadline"}, chance=random.Random(seed))
    bench.living.set_disk = bench.set_disk
    Store(bench.kept).save(replace(result(6), id="kept"))
    return bench


class Wanderer:
    """Chooses what to press; knows what it asked for: which measurements may be cancelled, and which trials ended."""

    def __init__(self, person: Person, bench: LivingBench, seed: int) -> None:
        self.person, self.bench, self._chance = person, bench, random.Random(seed)
        self._pulled: Disk | None = None
        self._may_cancel: list[ScriptedComparison] = []
        self._may_end: set[str] = set()

    def step(self) -> None:
        """Do something that can be done now."""
        name, act = self._chance.choice([*self._possible()])
        print(name)  # how it came to what fails
        act()
        self._settle()

    def _settle(self) -> None:
        """Until nothing is done any more but to measure, which is held."""
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
        for each in seen(RowOption, window):
            if each.isCheckable():
                yield from [("choose", partial(click, each))] * 6
        if window.plan is not None and window.plan.foot.measure_button.isVisible():
            yield from [("start", self._start)] * 4
        if self.bench.living.measured:
            yield from [("measure on", self._measure_on)] * 4
        pressed = {text(id_) for id_ in PRESSED} | {text("try-setting", setting="bfq")}
        for each in seen(QPushButton, window):
            if each.isEnabled() and (each.text() in pressed or each.text().startswith("Measure longer")):
                likely = 6 if each.text() in {text("try-setting", setting="bfq")} else 1
                yield from [(each.text(), partial(self._press, each))] * likely

    def _select(self, page: HistoryPage) -> None:
        page.table.selectRow(self._chance.randrange(max(page.model.rowCount(), 1)))

    def _start(self) -> None:
        """As soon as it is known what it costs, if it may be done."""
        button = self.person.plan.foot.measure_button
        until(lambda: button.toolTip() != plain(text("announcing")))
        if button.isEnabled():
            self.bench.holds_at = 3
            click(button)
            until(lambda: self.bench.comparisons[-1].is_held or self._is_over())

    def _is_over(self) -> bool:
        """It was answered, or could not be measured."""
        wizard = self.person.window.wizard
        return wizard is None or wizard.step == 2

    def _press(self, each: QPushButton) -> None:
        if each.text() == text("cancel") and self.person.window.wizard is not None:
            self._allow_cancelling()
        if each.text() == text("go-back") and self._undoes_trial(each):
            self._may_end |= self.bench.living.held.keys()
        click(each)

    def _undoes_trial(self, undo: QPushButton) -> bool:
        """In the trial's foot, or in the row of a disk that is on trial."""
        trial, rows = self.person.running.state.trial, self.person.window.disks_page.cards
        tried = {disk.name for disk in trial.disks} if trial is not None else set()
        in_row = any(row.isAncestorOf(undo) for row in rows if row.disk.name in tried)
        return in_row or self.person.window.trial.isAncestorOf(undo)

    def _allow_cancelling(self) -> None:
        self._may_cancel += self.bench.comparisons[-1:]

    def _answers(self, question: Question) -> Iterator[tuple[str, Callable[[], object]]]:
        for each in (question.no, question.afterwards, question.yes):
            closes = each.text() in {text("close-now")} or (
                question.afterwards.text() == text("close-afterwards") and each is not question.no
            )
            if each.text() and not closes:
                yield f"answer {each.text()}", lambda each=each: self._answer(each)

    def _answer(self, each: QAbstractButton) -> None:
        if each.text() == text("leave-stop"):
            self._allow_cancelling()
        click(each)

    def _change(self, dialog: ChangeDialog) -> None:
        dialog.scheduler.setCurrentIndex(self._chance.randrange(dialog.scheduler.count()))
        dialog.persist.setChecked(self._chance.random() < 0.3)
        click(dialog.apply_button if dialog.apply_button.isEnabled() else dialog.cancel_button)

    def _pull_or_plug(self) -> None:
        if self._pulled is None:
            if "sdc" in self.bench.living.measured or any("sdc" in each for each in self.bench.living.held.values()):
                return  # the helper's own business, in its own tests
            (self._pulled,) = (each for each in self.bench.disks if each.name == "sdc")
            self.bench.show(*(each for each in self.bench.disks if each.name != "sdc"))
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
        """What always holds, whatever was pressed."""
        helper, window = self.bench.living, self.person.window
        assert len(helper.held) <= 1, "one trial at most"
        assert window.trial.isVisible() == bool(helper.held), "a banner exactly while something is on trial"
        assert window.bar.isHidden() == bool(self.person.running.state.over), "what is seen is what the state names"
        assert all(each in self._may_cancel for each in self.bench.cancelled), "nothing is cancelled unasked"
        ended = {call.arguments[0] for call in helper.calls if call.method == "EndTrial"}
        assert ended <= self._may_end, "nothing is undone unasked"
        assert [each.text() for each in seen(QAbstractButton, window) if not self._says_why(each)] == []
        for name, has in helper.has.items():
            self._check_answer(name, has)

    def _says_why(self, each: QAbstractButton) -> bool:
        inside = each.window() is self.person.window
        return each.isEnabled() or not inside or bool(each.toolTip() or each.accessibleDescription())

    def _check_answer(self, name: str, has: str) -> None:
        said = self.person.notice.replace("“", "").replace("”", "")
        if f"({name}) now uses " in said:
            assert f"({name}) now uses {has}" in said, "the disk is as the last answer said"
        if f"({name}) uses " in said and "nothing was kept" in said and not self.bench.living.held:
            assert f"({name}) uses {has} again" in said

    def leave(self) -> None:
        """Close the window: what is on trial is undone, the rest is as it was kept, and each card says so before."""
        for dialog in seen(ChangeDialog):
            dialog.reject()
        for question in seen(Question):
            click(question.no)
        self._settle()
        if not self.bench.living.measured and not self.bench.living.held:
            until(lambda: all(self.bench.living.has[each.disk.name] in words(each) for each in seen(DiskCard)))
        self._may_end |= self.bench.living.held.keys()
        self._allow_cancelling()
        if not self.person.window.close():
            click(until(lambda: self.person.window.question).yes)
        until(lambda: not self.person.window.isVisible())
        self.check()


@pytest.mark.parametrize("seed", [*range(10), *(pytest.param(each, marks=pytest.mark.long) for each in range(10, 200))])
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
