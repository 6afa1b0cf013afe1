# SPDX-License-Identifier: GPL-3.0-or-later
"""Which settings compete on a target, in a comparison and with the scheduler that one found, and on which workloads."""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import replace

from disktuner.block.disk import Disk, Transport
from disktuner.block.queue import not_offered
from disktuner.comparison.request import BenchRequest, Request
from disktuner.comparison.target import Target, why_not_felt
from disktuner.experiment.plan import Task
from disktuner.results.definition import Definition
from disktuner.results.model import PlanRecord, Result
from disktuner.verdict.model import Decision, Verdict
from disktuner.vocabulary.errors import Answered, MeasurementImpossible, NoSuchThing, UsageError
from disktuner.vocabulary.goals import BUDGETS, REMOVABLE, Limits
from disktuner.vocabulary.kinds import UNKNOWN
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.questions import Question, question_for
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.tunables import NCQ_DEPTH, QUEUE_DEPTH, is_of_scheduler, is_same, known
from disktuner.vocabulary.tuning import candidates_for
from disktuner.vocabulary.workloads import metrics_of, workloads_for
from disktuner.workloads.catalogue import find
from disktuner.workloads.own import OwnCommand
from disktuner.workloads.starts import OwnStart
from disktuner.workloads.workload import Workload

FEWEST_SETTINGS = 2
_PRIORITIES = "priorities"


def comparison_task(request: Request, target: Target) -> Task:
    """Return a comparison of schedulers on a target.

    Raises ``Answered`` where nothing is felt on the other disk, unless settings are named.
    """
    settings = choose_settings(target.disks, request.settings)
    if request.settings is None:
        if why := why_not_felt(target):
            raise Answered.of(why)
        goal, baseline = REMOVABLE.id if target.felt else request.goal, settings[0]
        limits = settings_for(goal, target.disks, baseline, from_start=True)
        settings = (*([baseline] if target.felt else settings), *limits)
    return _task(request, target, settings)


def _task(request: Request, target: Target, settings: tuple[Setting, ...], *, tunes: bool = False) -> Task:
    """Return what is compared on the workloads of the request's goal, or those that it names, where they can run."""
    limits = BUDGETS[request.budget].limits
    workloads, unavailable = available(request.own, request.workloads or workloads_for(request.goal), target)
    if request.workloads is None:
        workloads = workloads[: limits.workloads]
    ids, question = tuple(each.id for each in workloads), question_of(request.goal, workloads, limits)
    record = PlanRecord(
        request.goal, request.budget, settings, settings[0], ids, drawn(request.seed),
        tunes=tunes, question=question, felt=target.felt_record,
    )  # fmt: skip
    return Task(record, workloads, limits, unavailable)


def bench_task(request: BenchRequest, target: Target) -> Task:
    """Return runs of one workload with the scheduler that the disk has. Raises ``MeasurementImpossible``."""
    workloads, unavailable = available(request.own, [request.workload], target)
    if unavailable:
        raise MeasurementImpossible.of(*unavailable.values())
    setting, limits = Setting(target.disk.scheduler or "none"), Limits(math.inf, request.rounds, request.run_s, 1)
    ids, question, seed = (workloads[0].id,), question_of(None, workloads, limits), drawn(request.seed)
    record = PlanRecord(None, None, (setting,), setting, ids, seed, question=question, felt=target.felt_record)
    return Task(record, workloads, limits)


def question_of(goal: str | None, workloads: Iterable[Workload], limits: Limits) -> Question:
    """Return what some workloads answer for a goal, no finer than can be told within the limits."""
    asked = question_for(goal, [metric for each in workloads for metric in metrics_of(each.facts).values()])
    return replace(asked, worth=max(asked.worth, limits.resolves))


def drawn(seed: int | None) -> int:
    """Return a seed, drawn where none is given."""
    return secrets.randbelow(2**31) if seed is None else seed


def continuation_task(request: Request, before: Result, target: Target) -> Task:
    """Return more rounds of a comparison, with its settings and workloads.

    Raises ``NoSuchThing`` or ``MeasurementImpossible`` where this is not the disk, or it cannot go on.
    """
    record = before.plan
    if not target.disk.may_be(before.disk) or target.mount.fstype != before.filesystem.fstype:
        raise MeasurementImpossible("continues-another-disk", disk=target.disk.title, result=before.id)
    whole = record.workloads and (before.disks or target.names) == target.names
    settings = tuple(dict.fromkeys((record.baseline, *record.settings)))
    if not whole or len(settings) < FEWEST_SETTINGS:
        raise MeasurementImpossible("continues-nothing", result=before.id)
    choose_settings(target.disks, settings)
    workloads, unavailable = available(before.own, record.workloads, target)
    if unavailable:
        raise MeasurementImpossible.of(next(iter(unavailable.values())))
    record = replace(record, settings=settings, question=before.question)
    limits = BUDGETS[request.budget].limits
    limits = replace(limits, rounds=min(limits.rounds, request.rounds or limits.rounds))
    return Task(record, workloads, limits, continues=before)


def tuning_task(request: Request, before: Result, plain: Setting, target: Target) -> Task:
    """Return what compares settings with the ``plain`` winner of the result ``before``, on its own program.

    Raises ``NoSuchThing`` or ``MeasurementImpossible`` where this is not its disk, or there is nothing to try.
    """
    if not target.disk.may_be(before.disk):
        raise MeasurementImpossible("tunes-another-disk", disk=target.disk.title, result=before.id)
    found = settings_left(request.goal, before, target.disks, plain)[: BUDGETS[request.budget].limits.settings]
    if not found:
        raise MeasurementImpossible("nothing-to-tune", disk=target.disk.title)
    choose_settings(target.disks, (plain, *found))
    return _task(replace(request, own=before.own), target, (plain, *found), tunes=True)


def available(own: Definition | None, ids: Iterable[str], target: Target) -> tuple[list[Workload], dict[str, Message]]:
    """Return which workloads can run on a target, and by id why others can't; one of the user's own stands for all."""
    workloads = [OwnStart(own) if own.program else OwnCommand(own)] if own else [find(each) for each in ids]
    reasons = {each.id: reason for each in workloads if (reason := _unavailable(each, target))}
    return [each for each in workloads if each.id not in reasons], reasons


def _unavailable(workload: Workload, target: Target) -> Message | None:
    if workload.is_elsewhere and not target.felt:
        return message("felt-needs-folder")
    if workload.id == _PRIORITIES and any(name.startswith("bcache") for name in target.mount.via):
        return message("priorities-past-cache")
    return workload.unavailable(target.names)


def choose_settings(disks: Sequence[Disk], wanted: tuple[Setting, ...] | None) -> tuple[Setting, ...]:
    """Return the settings to compare, the baseline first: what the disk has now.

    They are named as the disks will have them. Raises ``NoSuchThing`` for a disk that cannot be tuned, and for a
    scheduler that one of the disks does not offer or a tunable of the queue that it does not have.
    """
    for disk in disks:
        if not disk.tunable or disk.scheduler is None:
            raise NoSuchThing("not-tunable", disk=disk.title, why=disk.why_not)
    baseline = str(disks[0].scheduler)
    there = [(*disk.schedulers, *disk.loadable) for disk in disks]
    offered = [name for name in there[0] if all(name in names for names in there)]
    if baseline not in offered:
        lacking = next(disk for disk, names in zip(disks, there, strict=True) if baseline not in names)
        raise NoSuchThing("no-baseline-for-all", disk=disks[0].title, baseline=baseline, lacking=lacking.title)
    for setting in wanted or ():
        if setting.scheduler not in offered:
            raise not_offered(disks[0], setting.scheduler, offered)
        _check_queue(disks, setting)
    settings = tuple(dict.fromkeys(each.kept for each in (Setting(baseline), *(wanted or map(Setting, offered)))))
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
    if not _takes(disk, wanted.values.get(QUEUE_DEPTH, 1)):
        return False
    return any(not is_same(name, value, _now(name, wanted.scheduler, plain, disk)) for name, value in wanted.tunables)


def _takes(disk: Disk, depth: int) -> bool:
    """Whether a disk surely takes so many commands at once, and does not yet take more."""
    now = disk.tunables.get(QUEUE_DEPTH)
    can = disk.queue_limit or (NCQ_DEPTH if disk.transport == Transport.SAS else 0)
    return depth == 1 or (isinstance(now, int) and now < depth <= can)


def _now(name: str, scheduler: str, plain: Setting, disk: Disk) -> int | str | None:
    """Return the value that a tunable has without the setting; None where that is not known."""
    if scheduler == plain.scheduler and name in plain.values:
        return plain.values[name]
    if scheduler == disk.scheduler or not is_of_scheduler(name):
        return disk.tunables.get(name)
    declared = known(name, scheduler)
    return declared.default if declared else None
