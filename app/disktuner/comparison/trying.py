# SPDX-License-Identifier: GPL-3.0-or-later
"""Which settings compete on disks: in a comparison, and with the scheduler that one found."""

from __future__ import annotations

from collections.abc import Sequence

from disktuner.block.disk import Disk
from disktuner.block.queue import not_offered
from disktuner.results.model import Result
from disktuner.verdict.model import Decision, Verdict
from disktuner.vocabulary.errors import NoSuchThing, UsageError
from disktuner.vocabulary.kinds import UNKNOWN
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.tunables import is_of_scheduler, is_same, known
from disktuner.vocabulary.tuning import candidates_for

FEWEST_SETTINGS = 2


def choose_settings(disks: Sequence[Disk], wanted: tuple[Setting, ...] | None) -> tuple[Setting, ...]:
    """Return the settings to compare, the baseline first: what the disk has now.

    Raises ``NoSuchThing`` for a disk that cannot be tuned, and for a scheduler that one of the disks does not offer or
    a tunable of the queue that it does not have.
    """
    for disk in disks:
        if not disk.tunable or disk.scheduler is None:
            raise NoSuchThing("not-tunable", disk=disk.title, why=disk.why_not)
    baseline = str(disks[0].scheduler)
    offered = [
        name
        for name in (*disks[0].schedulers, *disks[0].loadable)
        if all(name in (*disk.schedulers, *disk.loadable) for disk in disks)
    ]
    if baseline not in offered:
        lacking = next(disk for disk in disks if baseline not in (*disk.schedulers, *disk.loadable))
        raise NoSuchThing("no-baseline-for-all", disk=disks[0].title, baseline=baseline, lacking=lacking.title)
    for setting in wanted or ():
        if setting.scheduler not in offered:
            raise not_offered(disks[0], setting.scheduler, offered)
        _check_queue(disks, setting)
    settings = tuple(dict.fromkeys((Setting(baseline), *(wanted or map(Setting, offered)))))
    if len(settings) < FEWEST_SETTINGS:
        raise UsageError("nothing-to-compare", baseline=baseline)
    return settings


def _check_queue(disks: Sequence[Disk], setting: Setting) -> None:
    """Raise ``NoSuchThing`` where a disk's queue lacks a tunable; what a scheduler has, only its use shows."""
    for disk in disks:
        lacking = [name for name in setting.values if not is_of_scheduler(name) and name not in disk.tunables]
        if lacking:
            raise NoSuchThing("disk-without-tunable", disk=disk.title, name=lacking[0])


def plain_winner(verdict: Verdict) -> Setting:
    """Return what is tuned after a comparison: the winner of a switch, else what the disk had."""
    return verdict.winner if verdict.decision is Decision.SWITCH and verdict.winner else verdict.baseline


def settings_left(goal: str, before: Result, disks: Sequence[Disk], plain: Setting) -> tuple[Setting, ...]:
    """Return the settings that are tried for a goal beside the ``plain`` winner of a result that did not have them."""
    return tuple(each for each in settings_for(goal, disks, plain) if each not in before.plan.settings)


def settings_for(goal: str, disks: Sequence[Disk], plain: Setting, *, from_start: bool = False) -> tuple[Setting, ...]:
    """Return the settings that are tried for a goal beside the ``plain`` one: those that would change these disks.

    ``from_start``: only those that compete before the best plain scheduler is known.
    """
    rotates = any(disk.rotational for disk in disks)
    kind = disks[0].kind if len({disk.kind for disk in disks}) == 1 else UNKNOWN
    candidates = candidates_for(goal, rotates, kind, plain)
    found = [each.beside(plain) for each in candidates if each.from_start or not from_start]
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
