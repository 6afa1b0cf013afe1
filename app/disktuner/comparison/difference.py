# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows what a setting on trial changes: a program starts while files are written, the old way and the new.

It decides nothing and keeps nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from disktuner.block.disk import Disk
from disktuner.comparison.comparison import Guided, Listener
from disktuner.comparison.request import Announcement, Environment, empty_result
from disktuner.experiment.experiment import NextTurn
from disktuner.experiment.plan import Task
from disktuner.experiment.rounds import Turn
from disktuner.experiment.run import SchedulerSwitch
from disktuner.results.model import PlanRecord, Result
from disktuner.vocabulary.errors import DisktunerError, MeasurementImpossible
from disktuner.vocabulary.goals import QUICK
from disktuner.vocabulary.messages import Message
from disktuner.vocabulary.settings import Setting
from disktuner.workloads.catalogue import find

SIDE_S = 20.0
"""How long each side is shown."""
WORKLOAD = "launch-office"
_LIMITS = replace(QUICK.limits, rounds=200, workloads=1)


class HeldSwitch(SchedulerSwitch):
    """Sets the disks of a trial that somebody else holds and ends; ``set_one`` sets one by name.

    ``disks`` are as they were before the trial: any setting but the new one restores their old scheduler.
    """

    def __init__(self, disks: Sequence[Disk], new: Setting, set_one: Callable[[str, Setting], object]) -> None:
        self._disks, self._new, self._set_one = disks, new, set_one

    def set(self, setting: Setting) -> Message | None:
        for disk in self._disks:
            self._set_one(disk.name, setting if setting == self._new else Setting(str(disk.scheduler)))
        return None


def sides(settings: Sequence[Setting], clock: Callable[[], float] = time.monotonic) -> NextTurn:
    """Return the turns that show settings one after the other, each for ``SIDE_S``."""
    ends_s: dict[Setting, float] = {}

    def next_turn(_so_far: Result) -> Turn:
        for setting in settings:
            if clock() < ends_s.setdefault(setting, clock() + SIDE_S):
                return Turn({WORKLOAD: (setting,)})
        return Turn()

    return next_turn


class Difference(Guided):
    """Shows a disk's old setting, then the new one, which is on trial and is set again in any case."""

    def __init__(
        self, disk: str, settings: tuple[Setting, Setting], switch: SchedulerSwitch, environment: Environment
    ) -> None:
        super().__init__(None, environment)
        self._disk, self._settings, self._switch = disk, settings, switch

    def run(self, listener: Listener) -> Result:
        """Show both; ``RunDone`` comes after each run. Raises ``Cancelled`` or ``MeasurementImpossible``."""
        try:
            prepared, turns = self._ready(listener), sides(self._settings)
            return self._measure(prepared.plan, empty_result(prepared), listener, switch=self._switch, next_turn=turns)
        finally:
            with suppress(DisktunerError):  # the trial is over
                self._switch.set(self._settings[1])

    def _prepare(self, listener: Listener | None) -> Announcement:
        target, workload = self._target(self._disk, listener), find(WORKLOAD)
        if reason := workload.unavailable(target.names):
            raise MeasurementImpossible.of(reason)
        record = PlanRecord(None, None, self._settings, self._settings[0], (WORKLOAD,), 0)
        return self._planned(Task(record, [workload], _LIMITS), target)
