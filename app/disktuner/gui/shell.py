# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds what goes on (``State``), and does to disks what a person wants: one call of the helper at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from disktuner.block.disk import Disk
from disktuner.gui.failures import failure_text
from disktuner.gui.state import Act, Opened, Over, State, Trial, may
from disktuner.gui.widgets.change_dialog import Wanted
from disktuner.helper_client import Call, HelperClient, calls
from disktuner.helper_client import State as HelpersMemory
from disktuner.helper_client.errors import NoSuchTrial
from disktuner.standing import Choice, choices, is_back, keeps_using, kept_setting, names_in_use, now_uses, titles
from disktuner.vocabulary.errors import DisktunerError, HelperNotThere
from disktuner.vocabulary.messages import say, text
from disktuner.vocabulary.settings import Setting

if TYPE_CHECKING:
    from disktuner.field.kept import Place

TRY_S = 600.0
"""How long a scheduler is tried before it goes back by itself."""

Done = Callable[[], None]
Failed = Callable[[DisktunerError], None]


def nothing() -> None:
    """Nothing more is to be done."""


def _named(disks: Sequence[Disk]) -> list[tuple[str, int]]:
    """As the helper knows them."""
    return [(disk.name, disk.diskseq) for disk in disks]


def _undone(trial: Trial) -> str:
    """That nothing was kept of a trial."""
    return text("try-over", disk=titles(trial.disks), scheduler=trial.before)


class Shell(QObject):
    """Nobody else keeps what goes on. What was measured together is changed together.

    ``daily_use`` is called where this user has a trial in daily use; a setting is tried for ``try_s``.

    Attributes: ``state``. Signals: ``changed`` carries the state before and the state now, ``said`` a sentence and its
    tone, ``stale`` that the disks should be read again.
    """

    changed = Signal(object, object)
    said = Signal(str, str)
    stale = Signal()

    def __init__(self, helper: HelperClient, daily_use: Callable[[], Place], try_s: float = TRY_S) -> None:
        super().__init__()
        self._helper, self._daily_use, self._try_s = helper, daily_use, try_s
        self.state = State()
        self._asked_of = self._ended = ""  # ids of trials: that a call is about, and that the helper ended meanwhile
        self._is_stale = False
        self._then: Done = nothing
        helper.subscribe(self._disk_changed, self._trial_ended)

    def become(self, **facts: Any) -> None:
        """Take in what is known now, fields of the state by their names."""
        self._go_to(replace(self.state, **facts))

    def _go_to(self, state: State) -> None:
        before, self.state = self.state, state
        if state != before:
            self.changed.emit(before, state)

    def turn(self, page: str) -> None:
        self.become(page=page)

    def open(self, page: Opened) -> bool:
        """Show a page over all others; returns whether it is seen now, or after what is measured."""
        self._go_to(self.state.opening(page))
        return page is self.state.top

    def add(self, page: Opened) -> None:
        """Show a page over what is seen."""
        self._go_to(self.state.adding(page))

    def close(self, page: Opened | None) -> None:
        self._go_to(self.state.closing(page))

    def leave(self) -> None:
        self.close(self.state.opened(Over.MEASUREMENT) or self.state.opened(Over.RESULT))

    def refresh(self) -> None:
        """Ask what the helper remembers."""
        self._helper.send(calls.get_state(), self._remembered, self._no_memory)

    def as_they_are(self, measured: Sequence[Disk]) -> tuple[Disk, ...]:
        """Only what was measured is changed: its name may be another disk's by now; none, which is said then."""
        if (gone := self.state.gone(measured)) is not None:
            self.said.emit(say(gone), "caution")
            return ()
        return tuple(filter(None, (self.state.find(disk.name) for disk in measured)))

    def with_disk(self, name: str, action: Callable[[Disk], object]) -> None:
        """Do something with the disk of this kernel name; where it is gone that is said."""
        disk = self.state.find(name)
        if disk is None:
            self.said.emit(text("vanished-by-now", disk=name), "caution")
        else:
            action(disk)

    def try_out(self, disks: Sequence[Disk], setting: Setting) -> None:
        """In one trial of all disks.

        The helper ends it, too, when this program is gone or the trial's time is over.
        """
        if (now := self.as_they_are(disks)) and self._begin(Act.TRY, now):
            self._then = partial(self._begin_trial, disks, setting)
            if not self._is_stale:
                self.take_in(self.state.disks)

    def _begin_trial(self, disks: Sequence[Disk], setting: Setting) -> None:
        """What they have now is what they go back to, so what was changed just now has to be read first."""
        now = self.as_they_are(disks)
        if not now:
            self.become(calling=False)
            return
        before = names_in_use(now, self.state.choice)

        def begun(id_: str) -> None:
            self._switch(Trial(id_, now, setting, before, self._try_s))

        self._helper.send(calls.begin_trial(_named(now)), begun, self._failed)

    def take_in(self, disks: Sequence[Disk], *, is_news: bool = True) -> None:
        """These were read; if that ``is_news``, after whatever was changed until then."""
        self.become(disks=tuple(disks))
        if is_news:
            self._is_stale = False
            then, self._then = self._then, nothing
            then()

    def _switch(self, trial: Trial, number: int = 0) -> None:
        """Switch the disks of a trial in turn; where one fails, all are put back."""
        if number == len(trial.disks):
            self.said.emit("", "info")
            self.become(calling=False, trial=trial)
            self._disk_changed("")
            return

        def failed(error: DisktunerError) -> None:
            self._end(trial, partial(self._failed, error), lambda _: self._failed(error))

        disk = trial.disks[number].name
        call = calls.set_trial(trial.id, disk, trial.setting.scheduler, trial.setting.values)
        self._send(call, partial(self._switch, trial, number + 1), failed)

    def _end(self, trial: Trial, done: Done, failed: Failed) -> None:
        """Put back; fine where the trial has ended already, because then the disks are restored, too."""

        def refused(error: DisktunerError) -> None:
            if isinstance(error, NoSuchTrial):
                done()
            else:
                failed(error)

        self._send(calls.end_trial(trial.id), done, refused)

    def undo_trial(self) -> None:
        trial = self.state.trial
        if trial is not None and self._begin(Act.UNDO_TRIAL):
            self._asked_of = trial.id
            lost = partial(self._trial_over, then=self._failed)
            self._end(trial, partial(self._trial_over, then=self._done(_undone(trial))), lost)

    def keep_trial(self, permanently: bool) -> None:
        """What is held becomes the choice; where that is refused the trial goes on."""
        trial = self.state.trial
        if trial is None or not self._begin(Act.KEEP_TRIAL_PERMANENTLY if permanently else Act.KEEP_TRIAL):
            return
        self._asked_of = trial.id
        said = self._keeps(trial.disks, trial.setting) if permanently else now_uses(trial.disks, trial.setting)
        kept = self._done(said, partial(self.trial_kept, trial))
        call = calls.keep_trial(trial.id, persist=permanently)
        done, failed = partial(self._trial_over, then=kept), partial(self._not_kept, trial)
        self.settle_trial(lambda: self._send(call, done, failed))

    def settle_trial(self, then: Done) -> None:
        """Have the disks on trial what is tried before ``then``; whoever changes them meanwhile overrides this."""
        then()

    def trial_kept(self, trial: Trial) -> None:
        """A setting stays; whoever shows what it was about overrides this."""

    def _not_kept(self, trial: Trial, error: DisktunerError) -> None:
        self._asked_of = ""
        if isinstance(error, NoSuchTrial) or self._ended == trial.id:
            self.become(calling=False)
            self._ended_by_itself(trial)
        else:
            self._failed(error)

    def _trial_over(self, *answer: DisktunerError, then: Callable[..., object]) -> None:
        self._asked_of = ""
        self.become(trial=None)
        then(*answer)

    def _trial_ended(self, id_: str, _reason: str) -> None:
        """The helper ended a trial, by itself (it was restarted, or its time was over) or because it was asked to."""
        trial = self.state.trial
        if trial is None or trial.id != id_ or self._asked_of == id_:
            self._ended = id_
            self._disk_changed("")
        else:
            self._ended_by_itself(trial)

    def _ended_by_itself(self, trial: Trial) -> None:
        self.become(trial=None)
        self.said.emit(_undone(trial), "caution")
        self._disk_changed("")

    def set_now(self, disk: Disk, setting: Setting) -> None:
        scheduler = setting.scheduler if setting.scheduler != disk.scheduler else None
        self.set_by_hand(disk, Wanted(scheduler, {name: str(value) for name, value in setting.tunables}))

    def keep_now(self, disks: Sequence[Disk], setting: Setting, tunables: Mapping[str, str] | None = None) -> None:
        """Now and after every restart, with more ``tunables``."""
        if self._begin(Act.KEEP, disks):
            wanted: dict[str, int | str] = {**setting.values, **(tunables or {})}
            call = calls.set_disks(_named(disks), setting.scheduler, wanted, persist=True)
            self._send(call, self._done(self._keeps(disks, setting)), self._failed)

    def _keeps(self, disks: Sequence[Disk], setting: Setting) -> str:
        return keeps_using(disks, setting, lambda disk: " ".join(self.state.warnings([disk], setting)[-1:]))

    def put_back(self, disk: Disk) -> None:
        """To what the disk had, without the rule for later starts."""
        if not self._begin(Act.GO_BACK, (disk,)):
            return
        choice = self.state.choice(disk)
        if choice.persistent or disk.persistent:
            said = "is-back-rule-removed" if choice.before else "rule-removed"
            kept = kept_setting(disk, choice)
            name = choice.before or (kept.name if kept else None)
            finish = self._done(text(said, disk=disk.title, scheduler=name))
            self._send(calls.undo(_named([disk])), finish, self._failed)
        else:
            back = is_back(disk, choice.before)
            finish = self._done(text("field-stopped") if choice.daily_use else back)
            self._send(calls.revert(_named([disk])), finish, self._failed)

    def pause(self, on: bool) -> None:
        try:
            self._daily_use().pause(on)
            self.refresh()
        except DisktunerError as error:
            self._complain(error)

    def set_by_hand(self, disk: Disk, wanted: Wanted) -> None:
        """What was set in the dialog."""
        scheduler = wanted.scheduler or disk.scheduler or ""
        if wanted.persist:
            self.keep_now((disk,), Setting(scheduler), wanted.tunables)
        elif self._begin(Act.CHANGE, (disk,)):
            said = "changes-applied-then" if disk.persistent else "changes-applied"
            call = calls.set_disks(_named([disk]), scheduler, wanted.tunables)
            self._send(call, self._done(text(said, disk=disk.title)), self._failed)

    def _send(self, call: Call[Any], done: Done, failed: Failed) -> None:
        self._helper.send(call, lambda _: done(), failed)

    def _begin(self, act: Act, disks: Sequence[Disk] = ()) -> bool:
        """Whether something may be done; then nothing else may be until it is over."""
        leave = may(self.state, act, disks)
        if leave:
            self.become(calling=True)
        self.said.emit(*((text("waiting-for-helper"), "info") if leave else (leave.reason, "caution")))
        return bool(leave)

    def _done(self, said: str, then: Done = nothing) -> Done:
        def done() -> None:
            self.become(calling=False)
            then()
            self.said.emit(said, "good")
            self._disk_changed("")

        return done

    def _failed(self, error: DisktunerError) -> None:
        self.become(calling=False)
        self._complain(error)

    def _complain(self, error: DisktunerError) -> None:
        self.said.emit(failure_text(error), "bad")
        if isinstance(error, HelperNotThere):
            self._no_memory(error)
        self._disk_changed("")

    def _disk_changed(self, _disk: str) -> None:
        self._is_stale = True
        self.stale.emit()
        self.refresh()

    def _remembered(self, memory: HelpersMemory) -> None:
        found: Mapping[str, Choice] = choices(memory, lambda: self._daily_use().is_paused)
        self.become(no_helper=None, choices=found)

    def _no_memory(self, error: DisktunerError) -> None:
        self.become(no_helper=error.message)
