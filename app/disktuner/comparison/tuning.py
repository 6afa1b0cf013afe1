# SPDX-License-Identifier: GPL-3.0-or-later
"""Which settings compete with the scheduler that a comparison found, and the plan of that."""

from __future__ import annotations

from collections.abc import Sequence

from disktuner.block.disk import Disk
from disktuner.comparison.preparation import choose_settings, prepare, task_of
from disktuner.comparison.request import Announcement, Request
from disktuner.comparison.target import Target
from disktuner.results.model import Result
from disktuner.verdict.model import Decision, Verdict
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.goals import BUDGETS
from disktuner.vocabulary.kinds import UNKNOWN
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.tunables import is_of_scheduler, is_same, known
from disktuner.vocabulary.tuning import candidates_for
from disktuner.workloads.processes import Control


def plain_winner(verdict: Verdict) -> Setting:
    """Return what is tuned after a comparison: the winner of a switch, else what the disk had."""
    return verdict.winner if verdict.decision is Decision.SWITCH and verdict.winner else verdict.baseline


def prepare_tuning(
    request: Request, before: Result, plain: Setting, target: Target, *, control: Control, saves: bool
) -> Announcement:
    """Probe and plan what compares settings with the ``plain`` winner of the result ``before``.

    Raises ``NoSuchThing`` or ``MeasurementImpossible`` where this is not its disk, or there is nothing to try.
    """
    if not target.disk.may_be(before.disk):
        raise MeasurementImpossible("tunes-another-disk", disk=target.disk.title, result=before.id)
    limits = BUDGETS[request.budget].limits
    found = settings_for(request.goal, target.disks, plain)[: limits.settings]
    if not found:
        raise MeasurementImpossible("nothing-to-tune", disk=target.disk.title)
    choose_settings(target.disks, (plain, *found))
    return prepare(task_of(request, target, (plain, *found), plain, tunes=True), target, control, saves=saves)


def settings_for(goal: str, disks: Sequence[Disk], plain: Setting) -> tuple[Setting, ...]:
    """Return the settings that are tried for a goal beside the ``plain`` one: those that would change these disks."""
    rotates = any(disk.rotational for disk in disks)
    kind = disks[0].kind if len({disk.kind for disk in disks}) == 1 else UNKNOWN
    found = [each.beside(plain) for each in candidates_for(goal, rotates, kind, plain)]
    return tuple(dict.fromkeys(each for each in found if all(_changes(each, plain, disk) for disk in disks)))


def _changes(wanted: Setting, plain: Setting, disk: Disk) -> bool:
    """Whether a disk has all that a setting sets, and any of it has another value with the plain one."""
    if wanted.scheduler not in (*disk.schedulers, *disk.loadable):
        return False
    is_there = wanted.scheduler == disk.scheduler
    if any(name not in disk.tunables for name in wanted.values if is_there or not is_of_scheduler(name)):
        return False
    return any(not is_same(name, _now(name, wanted.scheduler, plain, disk), value) for name, value in wanted.tunables)


def _now(name: str, scheduler: str, plain: Setting, disk: Disk) -> int | str | None:
    """Return the value that a tunable has without the setting; None where that is not known."""
    if scheduler == plain.scheduler and name in plain.values:
        return plain.values[name]
    if scheduler == disk.scheduler or not is_of_scheduler(name):
        return disk.tunables.get(name)
    declared = known(name, scheduler)
    return declared.default if declared else None
