# SPDX-License-Identifier: GPL-3.0-or-later
"""Which settings with tunables compete on disks."""

from __future__ import annotations

from collections.abc import Sequence

from disktuner.block.disk import Disk
from disktuner.vocabulary.kinds import UNKNOWN
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.tunables import is_of_scheduler, is_same, known
from disktuner.vocabulary.tuning import candidates_for


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
