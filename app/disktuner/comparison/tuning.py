# SPDX-License-Identifier: GPL-3.0-or-later
"""Which settings compete with the scheduler that a comparison found, and the plan of that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from disktuner.block.disk import Disk
from disktuner.comparison.preparation import choose_settings, prepare, task_of
from disktuner.comparison.request import Announcement, Request
from disktuner.comparison.target import Target
from disktuner.comparison.trying import settings_for
from disktuner.results.model import Result
from disktuner.verdict.model import Decision, Verdict
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.goals import BUDGETS
from disktuner.vocabulary.settings import Setting
from disktuner.workloads.processes import Control


def plain_winner(verdict: Verdict) -> Setting:
    """Return what is tuned after a comparison: the winner of a switch, else what the disk had."""
    return verdict.winner if verdict.decision is Decision.SWITCH and verdict.winner else verdict.baseline


def settings_left(goal: str, before: Result, disks: Sequence[Disk], plain: Setting) -> tuple[Setting, ...]:
    """Return the settings that are tried for a goal beside the ``plain`` winner of a result that did not have them."""
    return tuple(each for each in settings_for(goal, disks, plain) if each not in before.plan.settings)


def prepare_tuning(
    request: Request, before: Result, plain: Setting, target: Target, *, control: Control, saves: bool
) -> Announcement:
    """Probe and plan what compares settings with the ``plain`` winner of the result ``before``, on its own program.

    Raises ``NoSuchThing`` or ``MeasurementImpossible`` where this is not its disk, or there is nothing to try.
    """
    if not target.disk.may_be(before.disk):
        raise MeasurementImpossible("tunes-another-disk", disk=target.disk.title, result=before.id)
    limits = BUDGETS[request.budget].limits
    found = settings_left(request.goal, before, target.disks, plain)[: limits.settings]
    if not found:
        raise MeasurementImpossible("nothing-to-tune", disk=target.disk.title)
    choose_settings(target.disks, (plain, *found))
    request = replace(request, own=before.own)
    return prepare(task_of(request, target, (plain, *found), plain, tunes=True), target, control, saves=saves)
