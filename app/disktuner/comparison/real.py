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
from disktuner.helper_client import calls
from disktuner.helper_client.client import HelperClient, Trial
from disktuner.helper_client.errors import (
    Busy,
    HelperSilent,
    NoSuchDisk,
    NoSuchTrial,
    NotTunable,
    StaleDisk,
    WriteFailed,
)
from disktuner.results.store import Store
from disktuner.vocabulary.errors import HelperNotThere, MeasurementImpossible, NotAuthorised
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.settings import Setting


class TrialSwitch(SchedulerSwitch):
    """Sets all disks of a trial through the helper, unless already set."""

    def __init__(self, trial: Trial, system: System, disks: Sequence[Disk]) -> None:
        self._trial = trial
        self._system = system
        self._disks = disks
        self._now: Setting | None = None

    def set(self, setting: Setting) -> Message | None:
        """Apply a setting, which the helper verifies; if the helper ended meanwhile, begin again and return a remark.

        Raises ``MeasurementImpossible`` if a disk vanished.
        """
        remark = self._set_all([setting] * len(self._disks))
        self._now = setting
        return remark

    def restore(self) -> None:
        """Restore each disk's own scheduler within the trial. Raises like ``set``."""
        self._set_all([Setting(str(disk.scheduler)) for disk in self._disks])
        self._now = None

    def _set_all(self, settings: Sequence[Setting]) -> Message | None:
        try:
            for disk, setting in zip(self._disks, settings, strict=True):
                self._set(disk, setting)
        except (NoSuchTrial, HelperNotThere) as error:
            self._begin_again(error)
            for disk, setting in zip(self._disks, settings, strict=True):
                self._set(disk, setting)
            return message("helper-began-again")
        return None

    def _begin_again(self, error: NoSuchTrial | HelperNotThere) -> None:
        """Begin the trial again, with all disks restored. Raises ``NotAuthorised`` if that would need a prompt."""
        if isinstance(error, HelperSilent):
            raise error
        try:
            self._trial.begin_again()
        except NotAuthorised as refused:
            raise NotAuthorised("helper-ended-meanwhile") from refused
        self._now = None

    def _set(self, disk: Disk, wanted: Setting) -> None:
        is_set = self._system.scheduler(disk.name) == wanted.scheduler
        earlier_tunables = self._now.tunables if self._now else ()
        if not is_set or ((wanted.tunables or earlier_tunables) and wanted != self._now):
            try:
                self._trial.set(disk.name, wanted.scheduler, wanted.values)
            except (NoSuchDisk, StaleDisk, NotTunable, WriteFailed) as error:
                # Pulled out while it is switched, its files are empty or refuse.
                if isinstance(error, NotTunable | WriteFailed) and self._system.scheduler(disk.name) is not None:
                    raise
                raise MeasurementImpossible("disk-vanished", disks=(disk.name,)) from error


def require_free(disks: Sequence[Disk]) -> None:
    """Raise ``Busy`` if a trial holds one of the disks, ``HelperNotThere`` if no trial can begin."""
    with HelperClient() as client:
        state = client.wait(calls.get_state())
    if held := [disk.title for disk in disks if state.in_trial(disk.name)]:
        raise Busy("refused-disk-in-trial", disk=held[0])


def real_environment(
    asking: Callable[[], AbstractContextManager[object]] = nullcontext, store: Store | None = None
) -> Environment:
    """Return the real environment. ``asking`` is held while rights are requested, as a terminal's password agent is."""
    system = System()
    prompt = Gio.Cancellable()

    @contextmanager
    def trials(disks: Sequence[Disk]) -> Iterator[SchedulerSwitch]:
        identities = [(disk.name, disk.diskseq) for disk in disks]
        with HelperClient() as client, asking(), client.trial(identities, prompt) as trial:
            yield TrialSwitch(trial, system, disks)

    return Environment(system, trials, store or Store(), prompt.cancel)
