# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user does to a disk: asks the helper, tells how it went, and has the disks read again."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from disktuner.block.disk import Disk
from disktuner.errors import DisktunerError, HelperNotThere
from disktuner.gui import wording
from disktuner.gui.choice import Choice, choices
from disktuner.gui.helper import Done, Helper
from disktuner.gui.messages import sentence
from disktuner.gui.widgets.change_dialog import Wanted

if TYPE_CHECKING:
    from disktuner.helper_client.state import State


class Actions(QObject):
    """One call at a time.

    Signals: ``busy`` whether a call goes on, ``told`` a sentence and its tone, ``choices`` the helper's memory by disk
    name, ``available`` whether the helper is there, ``changed`` that the disks should be read again.
    """

    busy = Signal(bool)
    told = Signal(str, str)
    choices = Signal(object)
    available = Signal(bool)
    changed = Signal()

    def __init__(self, helper: Helper, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._helper = helper
        self._choices: Mapping[str, Choice] = {}
        helper.subscribe(self._disk_changed, lambda _trial, _reason: self._disk_changed(""))

    def refresh(self) -> None:
        """Ask what the helper remembers."""
        self._helper.get_state(self._state, self._no_state)

    def use(self, disk: Disk, scheduler: str) -> None:
        """Until the next restart."""
        said = wording.DONE_SET.format(disk=disk.title, scheduler=scheduler)
        self._begin()
        self._helper.set_scheduler(disk.name, disk.diskseq, scheduler, self._done(said), self._failed)

    def keep(self, disk: Disk, scheduler: str, tunables: Mapping[str, str] | None = None) -> None:
        """Now and after every restart."""
        said = wording.DONE_PERSIST.format(disk=disk.title, scheduler=scheduler)
        self._begin()
        self._helper.persist(disk.name, disk.diskseq, scheduler, tunables or {}, self._done(said), self._failed)

    def go_back(self, disk: Disk) -> None:
        """To what the disk had; the rule for later starts goes first."""
        before = self._choices.get(disk.name, Choice()).before or wording.GOING_BACK_UNKNOWN
        self._begin()
        if not (disk.persistent or self._choices.get(disk.name, Choice()).persistent):
            said = wording.DONE_BACK.format(disk=disk.title, scheduler=before)
            self._helper.revert(disk.name, self._done(said), self._failed)
            return
        said = wording.DONE_FORGOT.format(disk=disk.title, scheduler=before)
        self._helper.forget(
            disk.name, partial(self._helper.revert, disk.name, self._done(said), self._failed), self._failed
        )

    def change(self, disk: Disk, wanted: Wanted) -> None:
        """What was set by hand: the scheduler first, because it resets the tunables."""
        scheduler = wanted.scheduler or disk.scheduler or ""
        if wanted.persist:
            self.keep(disk, scheduler, wanted.tunables)
            return
        self._begin()
        finish = self._done(wording.DONE_CHANGED.format(disk=disk.title))
        tune = finish
        if wanted.tunables:
            tune = partial(self._helper.set_tunables, disk.name, disk.diskseq, wanted.tunables, finish, self._failed)
        if wanted.scheduler:
            self._helper.set_scheduler(disk.name, disk.diskseq, scheduler, tune, self._failed)
        else:
            tune()

    def _begin(self) -> None:
        self.busy.emit(True)
        self.told.emit(wording.WORKING, "info")

    def _done(self, said: str) -> Done:
        def done() -> None:
            self.busy.emit(False)
            self.told.emit(said, "good")
            self._disk_changed("")

        return done

    def _failed(self, error: DisktunerError) -> None:
        self.busy.emit(False)
        self.told.emit(sentence(error), "bad")
        if isinstance(error, HelperNotThere):
            self.available.emit(False)
        self._disk_changed("")

    def _disk_changed(self, _disk: str) -> None:
        self.changed.emit()
        self.refresh()

    def _state(self, state: State) -> None:
        self._choices = choices(state)
        self.available.emit(True)
        self.choices.emit(self._choices)

    def _no_state(self, error: DisktunerError) -> None:
        self.available.emit(False)
        self.told.emit(wording.NO_HELPER_WHY.format(reason=error), "caution")
