# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds the window's state (``State``), and carries out what a person wants: on disks by one call of the helper at a
time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from disktuner.block.disk import Disk
from disktuner.block.writers import Writer
from disktuner.gui.failures import failure_text
from disktuner.gui.jobs import Jobs
from disktuner.gui.refresher import Refresher
from disktuner.gui.sources import DailyUse, Sources
from disktuner.gui.state import Act, Confirmation, Opened, Over, State, Trial, WantedSettings, may
from disktuner.helper_client import calls
from disktuner.helper_client.calls import Call, HelperState
from disktuner.helper_client.errors import NoSuchTrial
from disktuner.standing import choices, is_back, keeps_using, kept_setting, names_in_use, now_uses, titles
from disktuner.vocabulary.errors import DisktunerError, HelperNotThere
from disktuner.vocabulary.messages import say, text
from disktuner.vocabulary.settings import Setting

if TYPE_CHECKING:
    from disktuner.comparison.comparison import Comparison
    from disktuner.comparison.portrait import Announced, Portraying
    from disktuner.comparison.request import Announcement, Request
    from disktuner.gui.instruments import Instruments
    from disktuner.presentation import Presented
    from disktuner.presentation.library import ResultLibrary
    from disktuner.presentation.portrait import ShownPortrait

TRY_S = 600.0
"""How long a scheduler is tried before it is undone automatically."""

Done = Callable[[], None]
Failed = Callable[[DisktunerError], None]


def nothing() -> None:
    """Do nothing next."""


def _addresses(disks: Sequence[Disk]) -> list[tuple[str, int]]:
    """The disks as the helper addresses them."""
    return [(disk.name, disk.diskseq) for disk in disks]


class Shell(QObject):
    """Every page has it and calls it; nothing else keeps the state.

    Disks are given as they were when they were measured or looked at: whether they are still the same is checked before
    anything is done. Disks that were measured together are changed together. ``jobs`` owns the threads; a setting is
    tried for ``try_s``.

    Attributes: ``state``; ``is_over`` once the window is closed. Signals: ``changed`` carries the old and the new
    state, ``notified`` a sentence and its tone, ``alternated`` an event while the difference is shown; ``stale`` says
    that the disks should be read again.
    """

    changed = Signal(object, object)
    notified = Signal(str, str)
    alternated = Signal(object)
    stale = Signal()

    def __init__(self, sources: Sources, jobs: Jobs | None = None, try_s: float = TRY_S) -> None:
        super().__init__()
        self.jobs = jobs or Jobs(QApplication.instance())
        self._sources, self._helper, self._try_s = sources, sources.helper, try_s
        self.state = State()
        self.is_over = False
        self._called_trial = self._ended_trial = ""  # ids: the one a call is about, the one the helper ended
        self._is_stale = False
        self._next_step = self._once_settled = nothing
        self._read_last = 0
        self._trial_reader = Refresher(lambda: [self._daily_use.is_paused], self.jobs, self)
        self._trial_reader.refreshed.connect(self._show_paused)
        self._helper.subscribe(self._disk_changed, self._trial_ended)

    @cached_property
    def instruments(self) -> Instruments:
        """What measures and judges."""
        return self._sources.instruments()

    @cached_property
    def _daily_use(self) -> DailyUse:
        """The user's trial in daily use, whose files are touched in threads."""
        return self._sources.trial()

    @property
    def library(self) -> ResultLibrary:
        """The kept results, and all that judges them."""
        from disktuner.gui.instruments import load_judging  # noqa: PLC0415 - 0.2 s, not needed to see the disks

        load_judging()
        return self.instruments.library

    def become(self, **facts: Any) -> None:
        """Replace these fields of the state."""
        self._go_to(replace(self.state, **facts))

    def _go_to(self, state: State) -> None:
        """Go to a state; an open question whether to end something is withdrawn, and nothing is shown to nobody."""
        leaving = state.confirmation.leaving if state.confirmation is not None else None
        if leaving is not None and not state.is_ended_by(leaving):
            state = replace(state, confirmation=None)
        if state.shows_difference and not state.sees_trial:
            state = replace(state, shows_difference=False)
        before, self.state = self.state, state
        if state != before:
            self.changed.emit(before, state)

    def stop(self) -> None:
        """The window is closed: end everything. Threads are not waited for, since they may take any time."""
        self.is_over = True
        self.undo_trial()
        self._helper.close()

    def in_thread(self, work: Callable[[], Any], done: Callable[[Any], object], ended: Done = nothing) -> None:
        """Call the first function in a thread, then the second with its result, and the third even if there is none;
        nothing once the window is closed.
        """
        if not self.is_over:
            failed = partial(self._if_open, lambda error: self.notified.emit(failure_text(error), "bad"))
            self.jobs.start(work, partial(self._if_open, done), failed, lambda: None if self.is_over else ended())

    def _if_open(self, then: Callable[[Any], object], outcome: object) -> None:
        if not self.is_over:
            then(outcome)

    def turn(self, page: str) -> None:
        """Show the page with this tab, by its id."""
        self.become(page=page)

    def open(self, page: Opened) -> bool:
        """Open a page in place of all opened ones; return whether it is visible now, or after the measurement."""
        self._go_to(self.state.opening(page))
        return page is self.state.top

    def add(self, page: Opened) -> None:
        """Open a page over the visible one."""
        self._go_to(self.state.adding(page))

    def close(self, page: Opened | None) -> None:
        self._go_to(self.state.closing(page))

    def leave(self) -> None:
        """Go back to where a result was opened."""
        self.close(self.state.opened(Over.MEASUREMENT) or self.state.opened(Over.RESULT))

    def ask(self, confirmation: Confirmation) -> None:
        """Ask before something is done, which needs a clear yes. One question at a time."""
        if self.state.confirmation is None:
            self.become(confirmation=confirmation)

    def read(self, read: Callable[[], Any], show: Callable[[Any], object]) -> None:
        """Read in a thread what is to be opened; a later request replaces it."""
        self._read_last += 1
        number = self._read_last
        self.in_thread(read, lambda outcome: show(outcome) if number == self._read_last else None)

    def show_result(self, result: str) -> None:
        """Show a kept result, by its id."""
        self.read(partial(self.library.open, result), self.open_result)

    def open_result(self, presented: Presented, title: str = "") -> bool:
        """Show a result over the pages; return whether it is visible now, or after the measurement."""
        return self.open(Opened(Over.RESULT, presented, title))

    def check(self, name: str) -> None:
        """Show what the check-up of a disk found."""
        self.with_disk(name, lambda disk: self.open(Opened(Over.CHECK, disk, disk=name)))

    def change(self, name: str) -> None:
        """Let the user set a disk by hand; who else sets it may become known later."""
        self.with_disk(name, lambda disk: self.become(by_hand=disk))
        if (disk := self.state.by_hand) is not None:
            self._look_up((disk,))

    def begin(self, name: str, goal: str, **options: Any) -> None:
        """Show the cost of measuring a disk for a goal, by its id; ``options`` are further fields of the request."""
        from disktuner.comparison.request import request_for  # noqa: PLC0415 - 0.1 s, not needed to see the disks

        self.with_disk(name, partial(self._plan, request=request_for(goal, **options)))

    def measure(self, disks: Sequence[Disk], request: Request) -> None:
        """Show the cost of a measurement based on a result: more rounds, fine-tuning, or a new one."""
        if now := self.as_they_are(disks):
            self._plan(now[0], request)

    def _plan(self, disk: Disk, request: Request) -> None:
        self.add(Opened(Over.PLAN, (disk, request), disk.title, disk.name))

    def run(self, comparison: Comparison, announced: Announcement) -> None:
        page = Opened(Over.MEASUREMENT, (comparison, announced), disk=announced.target.disk.name)
        self._go_to(replace(self.state.adding(page), measured_disks=tuple(announced.target.disks)))

    def portray(self, name: str) -> None:
        """Show a disk's last portrait, or the cost of one; unless something else was opened meanwhile."""
        over = self.state.opened_pages

        def show(disk: Disk, portrait: ShownPortrait | None) -> None:
            if self.state.opened_pages != over:
                return
            if portrait is None:
                self.plan_portrait(disk)
            else:
                self.show_portrait(disk, portrait)

        last = self.instruments.last_portrait
        self.with_disk(name, lambda disk: self.read(partial(last, disk), partial(show, disk)))

    def plan_portrait(self, disk: Disk) -> None:
        """Show the cost of a portrait of a disk."""
        for now in self.as_they_are((disk,)):
            self.add(Opened(Over.PORTRAIT_PLAN, now, now.title, now.name))

    def sit(self, portraying: Portraying, announced: Announced) -> None:
        """Make the announced portrait."""
        page = Opened(Over.SITTING, (portraying, announced), announced.target.disk.title, announced.target.disk.name)
        self._go_to(replace(self.state.adding(page), measured_disks=announced.target.disks))

    def show_portrait(self, disk: Disk, portrait: ShownPortrait) -> None:
        """Show a portrait, in place of the page on which it was made."""
        page, sitting = Opened(Over.PORTRAIT, (disk, portrait), disk.title, disk.name), self.state.opened(Over.SITTING)
        self._go_to(replace(self.state.adding(page), measured_disks=() if sitting else self.state.measured_disks))

    def prove(self, disks: Sequence[Disk], settings: Sequence[Setting]) -> None:
        """Begin to alternate two settings of a disk while the computer is used; the first is the current one."""
        if (now := self.as_they_are(disks)) and self._begin(Act.MEASURE, now):  # a person is asked for a password
            first, second = (setting.name for setting in settings)
            sentence = text("field-begun-here", disk=now[0].title, first=first, second=second)
            begin, done = partial(self.instruments.prove, now[0], settings), partial(self._changed_daily_use, sentence)
            self.in_thread(begin, done, partial(self.become, calling=False))

    def _changed_daily_use(self, sentence: str, _: object) -> None:
        self.notified.emit(sentence, "good")
        self.refresh()

    def pause(self, on: bool) -> None:
        """Pause the user's trial in daily use, or continue it."""
        self.in_thread(partial(self._daily_use.pause, on), lambda _: self.refresh())

    def refresh(self) -> None:
        """Ask for the helper's memory."""
        self._helper.send(calls.get_state(), self._remembered, self._no_memory)

    def as_they_are(self, measured: Sequence[Disk]) -> tuple[Disk, ...]:
        """Return the disks as they are now. If one is gone or was replaced, say so and return none."""
        if (reason := self.state.why_gone(measured)) is not None:
            self.notified.emit(say(reason), "caution")
            return ()
        return tuple(filter(None, (self.state.find(disk.name) for disk in measured)))

    def with_disk(self, name: str, action: Callable[[Disk], object]) -> None:
        """Call a function with the disk of this kernel name, or say that it is gone."""
        disk = self.state.find(name)
        if disk is None:
            self.notified.emit(text("vanished-by-now", disk=name), "caution")
        else:
            action(disk)

    def _look_up(self, disks: Sequence[Disk], then: Done = nothing) -> None:
        """Find out who else sets disks' queues, for all sentences on what will last."""

        def take_writers(writers: Mapping[str, Sequence[Writer]]) -> None:
            self.become(writers={**self.state.writers, **writers})
            then()

        read = self._sources.writers()
        self.in_thread(lambda: {disk.name: read(disk) for disk in disks}, take_writers)

    def try_out(self, disks: Sequence[Disk], setting: Setting, answer: Presented | None = None) -> None:
        """Use a setting for a while, in one trial on all disks; the person then says whether it stays.

        The helper also ends it when this program is gone or the trial's time is over.
        """
        if (now := self.as_they_are(disks)) and self._begin(Act.TRY, now):
            self._next_step = partial(self._begin_trial, disks, setting, answer, self.state.top)
            if not self._is_stale:
                self.take_in(self.state.disks)

    def _begin_trial(
        self, disks: Sequence[Disk], setting: Setting, answer: Presented | None, page: Opened | None
    ) -> None:
        """The trial restores the current settings, so they have to be read again after a recent change."""
        now = self.as_they_are(disks)
        if not now:
            self.become(calling=False)
            return
        before = names_in_use(now, self.state.choice)

        def begun(id_: str) -> None:
            self._switch(Trial(id_, now, setting, before, self._try_s, answer, page))

        self._helper.send(calls.begin_trial(_addresses(now)), begun, self._failed)

    def take_in(self, disks: Sequence[Disk], *, is_news: bool = True) -> None:
        """Take in disks that were read; with ``is_news``, after a possible change."""
        self.become(disks=tuple(disks))
        if is_news:
            self._is_stale = False
            then, self._next_step = self._next_step, nothing
            then()

    def _switch(self, trial: Trial, number: int = 0) -> None:
        """Switch the disks of a trial in turn; if one fails, restore all."""
        if number == len(trial.disks):
            self.notified.emit("", "info")
            self.become(calling=False, trial=trial)
            self._look_up(trial.disks)
            self._disk_changed()
            return

        def failed(error: DisktunerError) -> None:
            self._end(trial, partial(self._failed, error), lambda _: self._failed(error))

        disk = trial.disks[number].name
        call = calls.set_trial(trial.id, disk, trial.setting.scheduler, trial.setting.values)
        self._send(call, partial(self._switch, trial, number + 1), failed)

    def _end(self, trial: Trial, done: Done, failed: Failed) -> None:
        """End the trial. One that has already ended is no error, since the disks are restored then, too."""

        def refused(error: DisktunerError) -> None:
            if isinstance(error, NoSuchTrial):
                done()
            else:
                failed(error)

        self._send(calls.end_trial(trial.id), done, refused)

    def undo_trial(self) -> None:
        trial = self.state.trial
        if trial is not None and self._begin(Act.UNDO_TRIAL):
            self._called_trial = trial.id
            lost = partial(self._trial_over, then=self._failed)
            self._end(trial, partial(self._trial_over, then=self._done(self._undone_text(trial))), lost)

    def keep_trial(self, permanently: bool) -> None:
        """Keep the setting on trial, until the next restart or permanently; if that is refused, the trial goes on.

        The answer that led to it is closed.
        """
        trial = self.state.trial
        if trial is None or not self._begin(Act.KEEP_TRIAL_PERMANENTLY if permanently else Act.KEEP_TRIAL):
            return
        self._called_trial = trial.id
        sentence = self._keeps(trial.disks, trial.setting) if permanently else now_uses(trial.disks, trial.setting)
        if trial.answer is not None and (gain := trial.answer.gain_of(trial.setting)) is not None:
            sentence += " " + text("from-now-on", what=trial.answer.glance.subject, difference=gain.difference)
        done = self._done(sentence, partial(self.close, trial.page))
        on_kept = partial(self._trial_over, kept=trial, then=done)
        call = calls.keep_trial(trial.id, persist=permanently)
        self._once_settled = partial(self._send, call, on_kept, partial(self._not_kept, trial))
        self.show_difference(False)
        self._settle()

    def alternate(self, on: bool) -> None:
        """Take in whether the trial's disks alternate with the old setting: no trial is kept meanwhile."""
        self.become(alternates=on)
        self._settle()

    def _settle(self) -> None:
        if not self.state.alternates:
            then, self._once_settled = self._once_settled, nothing
            then()

    def show_difference(self, on: bool) -> None:
        """Show the effect of the setting on trial beside its answer, which is opened again if need be, or stop that."""
        trial = self.state.trial
        if on and trial is not None and not self.state.sees_trial:
            page = Opened(Over.RESULT, trial.answer)
            self._go_to(replace(self.state.adding(page), trial=replace(trial, page=page)))
        self.become(shows_difference=on)

    def _not_kept(self, trial: Trial, error: DisktunerError) -> None:
        self._called_trial = ""
        if isinstance(error, NoSuchTrial) or self._ended_trial == trial.id:
            self.become(calling=False)
            self._ended_by_itself(trial)
        else:
            self._failed(error)

    def _trial_over(self, *answer: DisktunerError, then: Callable[..., object], kept: Trial | None = None) -> None:
        self._called_trial = ""
        self.become(trial=None, kept_trial=kept)
        then(*answer)

    def _trial_ended(self, id_: str, _reason: str) -> None:
        """The helper ended a trial: it was restarted, the time was over, or it was asked to."""
        trial = self.state.trial
        if trial is None or trial.id != id_ or self._called_trial == id_:
            self._ended_trial = id_
            self._disk_changed()
        else:
            self._ended_by_itself(trial)

    def _ended_by_itself(self, trial: Trial) -> None:
        self.become(trial=None)
        self.notified.emit(self._undone_text(trial), "caution")
        self._disk_changed()

    def _undone_text(self, trial: Trial) -> str:
        """The sentence that the trial's setting was not kept; nobody knows what a disk uses that was disconnected."""
        if gone := [disk for disk in trial.disks if not self.state.has(disk)]:
            return text("try-over-without", disk=titles(gone))
        return text("try-over", disk=titles(trial.disks), scheduler=trial.before)

    def set_now(self, disk: Disk, setting: Setting) -> None:
        """Use a setting until the next restart."""
        scheduler = setting.scheduler if setting.scheduler != disk.scheduler else None
        self.set_by_hand(disk, WantedSettings(scheduler, {name: str(value) for name, value in setting.tunables}))

    def keep(self, disk: Disk, setting: Setting) -> None:
        """Use a setting now and after every restart."""
        self._look_up((disk,), partial(self._ask_whether_to_keep, (disk,), setting))

    def _ask_whether_to_keep(self, disks: Sequence[Disk], setting: Setting) -> None:
        """Ask first if it will not last."""
        keep = partial(self._keep_now, disks, setting)
        if warnings := self.state.warnings(disks, setting):
            question = text("keep-question", scheduler=setting.name, disk=titles(disks))
            self.ask(Confirmation(question, "\n\n".join(warnings), text("keep-anyway"), text("cancel"), keep))
        else:
            keep()

    def _keep_now(self, disks: Sequence[Disk], setting: Setting, tunables: Mapping[str, str] | None = None) -> None:
        """Keep it now and after every restart, with more ``tunables``."""
        values: dict[str, int | str] = {**setting.values, **(tunables or {})}
        call = calls.set_disks(_addresses(disks), setting.scheduler, values, persist=True)
        self._do(Act.KEEP, disks, call, self._keeps(disks, setting))

    def _keeps(self, disks: Sequence[Disk], setting: Setting) -> str:
        return keeps_using(disks, setting, lambda disk: " ".join(self.state.warnings([disk], setting)[-1:]))

    def go_back(self, name: str) -> None:
        """Restore what a disk had before its first change; a trial in daily use is ended."""
        self.with_disk(name, self._go_back)

    def _go_back(self, disk: Disk) -> None:
        if self.state.choice(disk).paused is None:
            self._put_back(disk)
        elif self._begin(Act.GO_BACK, (disk,)):
            done = partial(self._changed_daily_use, text("field-stopped"))
            self.in_thread(self.instruments.stop_proving, done, partial(self.become, calling=False))

    def _put_back(self, disk: Disk) -> None:
        """Restore what the disk had, and remove the rule for later starts."""
        choice, call = self.state.choice(disk), calls.revert(_addresses([disk]))
        sentence = text("field-stopped") if choice.daily_use else is_back(disk, choice.before)
        if choice.persistent or disk.persistent:
            setting, call = kept_setting(disk, choice), calls.undo(_addresses([disk]))
            name = choice.before or (setting.name if setting else None)
            id_ = "is-back-rule-removed" if choice.before else "rule-removed"
            sentence = text(id_, disk=disk.title, scheduler=name)
        self._do(Act.GO_BACK, (disk,), call, sentence)

    def set_by_hand(self, disk: Disk, change: WantedSettings) -> None:
        """Apply the dialog's changes, which a person may have made before the disk was connected again."""
        for now in self.as_they_are((disk,)):
            scheduler = change.scheduler or disk.scheduler or ""
            if change.persist:
                self._keep_now((now,), Setting(scheduler), change.tunables)
            else:
                sentence_id = "changes-applied-then" if now.persistent else "changes-applied"
                call = calls.set_disks(_addresses([now]), scheduler, change.tunables)
                self._do(Act.CHANGE, (now,), call, text(sentence_id, disk=now.title))

    def _do(self, act: Act, disks: Sequence[Disk], call: Call[Any], sentence: str) -> None:
        """Have the helper do it if it may be done now, then show the sentence."""
        if self._begin(act, disks):
            self._send(call, self._done(sentence), self._failed)

    def _send(self, call: Call[Any], done: Done, failed: Failed) -> None:
        self._helper.send(call, lambda _: done(), failed)

    def _begin(self, act: Act, disks: Sequence[Disk] = ()) -> bool:
        """Whether something may be done; nothing else may until it is over."""
        leave = may(self.state, act, disks)
        if leave:
            self.become(calling=True)
        self.notified.emit(*((text("waiting-for-helper"), "info") if leave else (leave.reason, "caution")))
        return bool(leave)

    def _done(self, sentence: str, then: Done = nothing) -> Done:
        def done() -> None:
            self.become(calling=False)
            then()
            self.notified.emit(sentence, "good")
            self._disk_changed()

        return done

    def _failed(self, error: DisktunerError) -> None:
        self.become(calling=False)
        self.notified.emit(failure_text(error), "bad")
        if isinstance(error, HelperNotThere):
            self._no_memory(error)
        self._disk_changed()

    def _disk_changed(self, _disk: str = "") -> None:
        self._is_stale = True
        self.stale.emit()
        self.refresh()

    def _remembered(self, memory: HelperState) -> None:
        was_paused = any(choice.paused for choice in self.state.choices.values())
        self.become(no_helper=None, choices=choices(memory, is_paused=was_paused))
        if any(choice.paused is not None for choice in self.state.choices.values()):
            _ = self._daily_use  # imported here, for no thread may import
            self._trial_reader.read_now()

    def _show_paused(self, reading: tuple[bool]) -> None:
        """Show whether the user's trial is paused, which is known later than that there is one."""
        by_disk = self.state.choices.items()
        trials = {disk: replace(choice, paused=reading[0]) for disk, choice in by_disk if choice.paused is not None}
        self.become(choices={**self.state.choices, **trials})

    def _no_memory(self, error: DisktunerError) -> None:
        self.become(no_helper=error.message)
