# SPDX-License-Identifier: GPL-3.0-or-later
"""The environment of a comparison on the running machine: its kernel, its helper, the user's results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext

from gi.repository import Gio

from disktuner.block.disk import Disk
from disktuner.block.system import System
from disktuner.comparison.request import Environment
from disktuner.experiment.run import SchedulerSwitch
from disktuner.helper_client import HelperClient, Trial, calls
from disktuner.helper_client.errors import Busy, HelperSilent, NoSuchDisk, NoSuchTrial, StaleDisk
from disktuner.results.store import Store
from disktuner.vocabulary.errors import HelperNotThere, MeasurementImpossible, NotAuthorised
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.settings import Setting


class TrialSwitch(SchedulerSwitch):
    """Sets all disks of a trial through the helper, where that is not set already."""

    def __init__(self, trial: Trial, system: System, disks: Sequence[Disk]) -> None:
        self._trial = trial
        self._system = system
        self._disks = disks
        self._now: Setting | None = None

    def set(self, setting: Setting) -> Message | None:
        """Set it; the helper reads it back. Where the helper has ended, begin again and say so.

        Raises ``MeasurementImpossible`` where a disk vanished meanwhile.
        """
        told = self._set_all([setting] * len(self._disks))
        self._now = setting
        return told

    def restore(self) -> None:
        """Give every disk its own scheduler back, in the same trial. Raises as ``set`` does."""
        self._set_all([Setting(str(disk.scheduler)) for disk in self._disks])
        self._now = None

    def _set_all(self, wanted: Sequence[Setting]) -> Message | None:
        try:
            for disk, each in zip(self._disks, wanted, strict=True):
                self._set(disk, each)
        except (NoSuchTrial, HelperNotThere) as error:
            self._begin_again(error)
            for disk, each in zip(self._disks, wanted, strict=True):
                self._set(disk, each)
            return message("helper-began-again")
        return None

    def _begin_again(self, error: NoSuchTrial | HelperNotThere) -> None:
        """All disks have again what they had. Raises ``NotAuthorised`` where somebody would have to be asked."""
        if isinstance(error, HelperSilent):
            raise error
        try:
            self._trial.begin_again()
        except NotAuthorised as refused:
            raise NotAuthorised("helper-ended-meanwhile") from refused
        self._now = None

    def _set(self, disk: Disk, wanted: Setting) -> None:
        is_there = self._system.scheduler(disk.name) == wanted.scheduler
        had = self._now.tunables if self._now else ()
        if not is_there or ((wanted.tunables or had) and wanted != self._now):
            try:
                self._trial.set(disk.name, wanted.scheduler, wanted.values)
            except (NoSuchDisk, StaleDisk) as error:
                raise MeasurementImpossible("disk-vanished", disks=(disk.name,)) from error


def require_free(disks: Sequence[Disk]) -> None:
    """Raise ``Busy`` where a trial holds one of the disks, ``HelperNotThere`` where none can be begun."""
    with HelperClient() as client:
        state = client.wait(calls.get_state())
    if measured := [disk.title for disk in disks if state.in_trial(disk.name)]:
        raise Busy("refused-disk-in-trial", disk=measured[0])


def real_environment(
    asking: Callable[[], AbstractContextManager[object]] = nullcontext, store: Store | None = None
) -> Environment:
    """Everything real. ``asking`` is held while rights are asked for: a terminal's password agent, for example."""
    system = System()
    prompt = Gio.Cancellable()

    @contextmanager
    def trials(disks: Sequence[Disk]) -> Iterator[SchedulerSwitch]:
        held = [(disk.name, disk.diskseq) for disk in disks]
        with HelperClient() as client, asking(), client.trial(held, prompt) as trial:
            yield TrialSwitch(trial, system, disks)

    return Environment(system, trials, store or Store(), prompt.cancel)
