# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user does to a disk: asks the helper, says how it went, and has the disks read again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from disktuner.block.disk import Disk
from disktuner.block.writers import Writer
from disktuner.gui.choice import Choice, choices, keeps_using, kept_setting, names_in_use, now_uses, titles
from disktuner.gui.failures import failure_text
from disktuner.gui.widgets.change_dialog import Wanted
from disktuner.helper_client import Call, HelperClient, State, calls
from disktuner.helper_client.errors import NoSuchTrial
from disktuner.remedies import warnings
from disktuner.vocabulary.errors import DisktunerError, HelperNotThere
from disktuner.vocabulary.messages import Message, say, text
from disktuner.vocabulary.settings import Setting

if TYPE_CHECKING:
    from disktuner.field.kept import Place

Done = Callable[[], None]
Failed = Callable[[DisktunerError], None]


def nothing() -> None:
    """Nothing more is to be done."""


def try_over(tried: Try) -> str:
    """That nothing was kept of a try."""
    return text("try-over", disk=titles(tried.disks), scheduler=tried.before)


def _named(disks: Sequence[Disk]) -> list[tuple[str, int]]:
    """As the helper knows them."""
    return [(disk.name, disk.diskseq) for disk in disks]


@dataclass(frozen=True, slots=True)
class Try:
    """A setting in use for a while: the id of the helper's trial, and the disks as they were before.

    ``before`` is what they had, and have again unless the ``setting`` is kept.
    """

    name: str
    disks: tuple[Disk, ...]
    setting: Setting
    before: str


class Actions(QObject):
    """One call at a time; ``then`` is called when it went well. What was measured together is changed together.

    Attributes: ``is_there`` whether the helper answered when it was last asked.
    Signals: ``busy`` whether a call goes on, ``said`` a sentence and its tone, ``choices`` the helper's memory by disk
    name, ``available`` whether the helper is there and a sentence why it is not, ``changed`` that the disks should be
    read again, ``trying`` a ``Try`` that has begun, ``try_ended`` the name of one that the helper ended, ``writers`` a
    disk's name and who else sets its queue.
    """

    busy = Signal(bool)
    said = Signal(str, str)
    choices = Signal(object)
    available = Signal(bool, str)
    changed = Signal()
    trying = Signal(object)
    try_ended = Signal(str)
    writers = Signal(str, object)

    def __init__(self, helper: HelperClient, trial: Callable[[], Place], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._helper, self._trial = helper, trial
        self.is_there = True
        self._choices: Mapping[str, Choice] = {}
        self._writers: dict[str, Sequence[Writer]] = {}
        helper.subscribe(self._disk_changed, self._trial_ended)

    def refresh(self) -> None:
        """Ask what the helper remembers."""
        self._helper.send(calls.get_state(), self._state, self._no_state)

    def choice(self, disk: Disk) -> Choice:
        """What the user chose for a disk."""
        return self._choices.get(disk.name, Choice()).of(disk)

    def know_writers(self, writers: Mapping[str, Sequence[Writer]]) -> None:
        """Who else sets disks' queues, by the disks' names."""
        self._writers |= writers
        for name, found in writers.items():
            self.writers.emit(name, found)

    def warnings(self, disks: Sequence[Disk], setting: Setting) -> Sequence[str]:
        """Who would undo it if a setting were kept for every start, and what to do about it."""
        found = (warnings(disk, self._writers.get(disk.name, ()), setting, for_good=True) for disk in disks)
        return tuple(dict.fromkeys(say(each) for some in found for each in some))

    def use(self, disks: Sequence[Disk], setting: Setting, then: Done = nothing) -> None:
        """Until the next restart."""
        self._begin()
        call = calls.set_disks(_named(disks), setting.scheduler, setting.values)
        self._send(call, self._done(now_uses(disks, setting), then), self._failed)

    def keep(
        self, disks: Sequence[Disk], setting: Setting, tunables: Mapping[str, str] | None = None, then: Done = nothing
    ) -> None:
        """Now and after every restart, with more ``tunables``."""
        said = keeps_using(disks, setting, lambda disk: " ".join(self.warnings([disk], setting)[-1:]))
        wanted: dict[str, int | str] = {**setting.values, **(tunables or {})}
        self._begin()
        call = calls.set_disks(_named(disks), setting.scheduler, wanted, persist=True)
        self._send(call, self._done(said, then), self._failed)

    def try_out(self, disks: Sequence[Disk], setting: Setting) -> None:
        """Use it for a while, in one trial of all disks; ``trying`` is emitted when it is in use.

        The helper ends it, too, when this program is gone or the trial's time is over.
        """

        before = names_in_use(disks, self.choice)

        def begun(trial: str) -> None:
            self._switch(Try(trial, tuple(disks), setting, before))

        self._begin()
        self._helper.send(calls.begin_trial(_named(disks)), begun, self._failed)

    def _switch(self, tried: Try, number: int = 0) -> None:
        """Switch the disks of a try in turn; where one fails, all are put back."""
        if number == len(tried.disks):
            self.said.emit("", "info")
            self.trying.emit(tried)
            self._disk_changed("")
            return

        def failed(error: DisktunerError) -> None:
            self._end(tried, partial(self._failed, error), lambda _: self._failed(error))

        disk = tried.disks[number].name
        call = calls.set_trial(tried.name, disk, tried.setting.scheduler, tried.setting.values)
        self._send(call, partial(self._switch, tried, number + 1), failed)

    def _end(self, tried: Try, done: Done, failed: Failed) -> None:
        """Put back; fine where the trial has ended already, because then the disks are restored, too."""

        def refused(error: DisktunerError) -> None:
            if isinstance(error, NoSuchTrial):
                done()
            else:
                failed(error)

        self._send(calls.end_trial(tried.name), done, refused)

    def end_try(self, tried: Try) -> None:
        """Not kept: put back what the disks had."""
        self._end(tried, self._done(try_over(tried)), self._failed)

    def keep_tried(self, tried: Try, *, for_good: bool, then: Done) -> None:
        """Kept: the trial ends first, because it holds the disks."""
        use = self.keep if for_good else self.use
        go_on = partial(use, tried.disks, tried.setting, then=then)
        self._end(tried, go_on, self._failed)

    def go_back(self, disk: Disk) -> None:
        """To what the disk had, without the rule for later starts."""
        choice = self.choice(disk)
        self._begin()
        if choice.persistent or disk.persistent:
            said = "is-back-rule-removed" if choice.before else "rule-removed"
            kept = kept_setting(disk, choice)
            name = choice.before or (kept.name if kept else None)
            finish = self._done(text(said, disk=disk.title, scheduler=name))
            self._send(calls.undo(_named([disk])), finish, self._failed)
        else:
            back = text("reverted", disk=disk.title, scheduler=choice.before)
            finish = self._done(text("field-stopped") if choice.daily_use else back)
            self._send(calls.revert(_named([disk])), finish, self._failed)

    def pause(self, on: bool) -> None:
        """Let the user's trial in daily use count and change nothing for now, or continue."""
        try:
            self._trial().pause(on)
            self.refresh()
        except DisktunerError as error:
            self._failed(error)

    def change(self, disk: Disk, wanted: Wanted) -> None:
        """What was set by hand."""
        scheduler = wanted.scheduler or disk.scheduler or ""
        if wanted.persist:
            self.keep((disk,), Setting(scheduler), wanted.tunables)
            return
        self._begin()
        said = "changes-applied-then" if disk.persistent else "changes-applied"
        call = calls.set_disks(_named([disk]), scheduler, wanted.tunables)
        self._send(call, self._done(text(said, disk=disk.title)), self._failed)

    def _send(self, call: Call[Any], done: Done, failed: Failed) -> None:
        self._helper.send(call, lambda _: done(), failed)

    def _begin(self) -> None:
        self.busy.emit(True)
        self.said.emit(text("waiting-for-helper"), "info")

    def _done(self, said: str, then: Done = nothing) -> Done:
        def done() -> None:
            self.busy.emit(False)
            then()
            self.said.emit(said, "good")
            self._disk_changed("")

        return done

    def _failed(self, error: DisktunerError) -> None:
        self.busy.emit(False)
        self.said.emit(failure_text(error), "bad")
        if isinstance(error, HelperNotThere):
            self._tell(why=error.message)
        self._disk_changed("")

    def _trial_ended(self, trial: str, _reason: str) -> None:
        self.try_ended.emit(trial)
        self._disk_changed("")

    def _disk_changed(self, _disk: str) -> None:
        self.changed.emit()
        self.refresh()

    def _state(self, state: State) -> None:
        self._choices = choices(state, lambda: self._trial().is_paused)
        self._tell()
        self.choices.emit(self._choices)

    def _no_state(self, error: DisktunerError) -> None:
        self._tell(why=error.message)

    def _tell(self, *, why: Message | None = None) -> None:
        self.is_there = why is None
        self.available.emit(why is None, "" if why is None else text("helper-missing", reason=why))
