# SPDX-License-Identifier: GPL-3.0-or-later
"""Which settings compete on a target, in a comparison or a tuning, and with which workloads."""

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
from disktuner.verdict.model import Verdict
from disktuner.verdict.outcomes import Decision
from disktuner.vocabulary.errors import Answered, MeasurementImpossible, NoSuchThing, UsageError
from disktuner.vocabulary.goals import BUDGETS, REMOVABLE, Limits, purpose_of
from disktuner.vocabulary.kinds import UNKNOWN
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.questions import Question, nothing_decides, question_for
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.states import BESIDE_A_WRITER, GOALS_EXHAUSTED, DiskState, workloads_exhausted
from disktuner.vocabulary.tunables import NCQ_DEPTH, QUEUE_DEPTH, is_of_scheduler, is_same, known
from disktuner.vocabulary.tuning import candidates_for
from disktuner.vocabulary.workloads import Duty, deciding, metrics_of, workloads_for
from disktuner.workloads.catalogue import find
from disktuner.workloads.own import OwnCommand
from disktuner.workloads.starts import OwnStart
from disktuner.workloads.workload import Workload

FEWEST_SETTINGS = 2
_PRIORITIES = "priorities"


def comparison_task(request: Request, target: Target) -> Task:
    """Return the task of comparing schedulers on a target.

    Raises ``Answered`` if nothing could be felt on the other disk, unless settings are named.
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
    """Return a task with the workloads that the request names, or those of its goal, as far as they can run.

    Raises ``MeasurementImpossible`` if nothing that decides the goal can run.
    """
    limits = BUDGETS[request.budget].limits
    workloads, unavailable = available(request.own, _wanted(request), target)
    if request.workloads is None:
        workloads = workloads[: limits.workloads]
    ids, question = tuple(workload.id for workload in workloads), question_of(request.goal, workloads, limits)
    if request.workloads is None and not question.parts:
        for id_ in _that_decide(request.goal):
            if reason := unavailable.get(id_):
                raise MeasurementImpossible.of(reason)
    record = PlanRecord(
        request.goal, request.budget, settings, settings[0], ids, drawn(request.seed),
        tunes=tunes, question=question, felt=target.felt_record, state=request.state or DiskState.RESTED,
    )  # fmt: skip
    return Task(record, workloads, limits, unavailable)


def _that_decide(goal: str) -> tuple[str, ...]:
    return (*deciding(goal), *deciding(goal, Duty.STANDS_IN))


def decides_nothing(record: PlanRecord) -> Message | None:
    """Return that none of the workloads decides the goal, and which would; none if one does, or if there are none.

    ``priorities`` answers a question of its own.
    """
    purpose = purpose_of(record.goal)
    if purpose is None or record.question is None or record.question.parts:
        return None
    if not record.workloads or _PRIORITIES in record.workloads:
        return None
    return message("workloads-decide-nothing", purpose=purpose.purpose, known=_that_decide(purpose.id))


def _wanted(request: Request) -> tuple[str, ...]:
    """Return the ids of the workloads to run. Raises ``UsageError`` for those that make no sense in a state."""
    if request.state is not DiskState.EXHAUSTED:
        return request.workloads or workloads_for(request.goal)
    if request.goal not in GOALS_EXHAUSTED:
        raise UsageError("exhausted-without-goal", goals=GOALS_EXHAUSTED)
    if others := [id_ for id_ in request.workloads or () if id_ not in BESIDE_A_WRITER]:
        raise UsageError("exhausted-without-workload", workload=others[0], known=tuple(sorted(BESIDE_A_WRITER)))
    return request.workloads or workloads_exhausted(request.goal)


def bench_task(request: BenchRequest, target: Target) -> Task:
    """Return the task of running one workload with the present scheduler. Raises ``MeasurementImpossible``."""
    workloads, unavailable = available(request.own, [request.workload], target)
    if unavailable:
        raise MeasurementImpossible.of(*unavailable.values())
    if target.felt and not workloads[0].is_elsewhere:
        raise MeasurementImpossible("felt-here")
    setting, limits = Setting(target.disk.scheduler or "none"), Limits(math.inf, request.rounds, request.run_s, 1)
    ids, question, seed = (workloads[0].id,), question_of(None, workloads, limits), drawn(request.seed)
    record = PlanRecord(None, None, (setting,), setting, ids, seed, question=question, felt=target.felt_record)
    return Task(record, workloads, limits)


def question_of(goal: str | None, workloads: Iterable[Workload], limits: Limits) -> Question:
    """Return the question that workloads answer for a goal, no finer than the limits can resolve."""
    question = question_for(goal, [metric for workload in workloads for metric in metrics_of(workload.facts).values()])
    return replace(question, worth=max(question.worth, limits.resolves))


def drawn(seed: int | None) -> int:
    """Return the given seed, or a random one."""
    return secrets.randbelow(2**31) if seed is None else seed


def continuation_task(request: Request, before: Result, target: Target) -> Task:
    """Return the task of adding rounds to a comparison, with its settings and workloads.

    Raises ``NoSuchThing`` or ``MeasurementImpossible`` if this is another disk, or the comparison cannot go on.
    """
    record = before.plan
    if not target.disk.may_be(before.disk) or target.mount.fstype != before.filesystem.fstype:
        raise MeasurementImpossible("result-of-another-disk", disk=target.disk.title, result=before.id)
    if request.state not in (None, record.state):
        raise MeasurementImpossible("continues-another-state", result=before.id)
    whole = record.workloads and (before.disks or target.names[:1]) == target.names
    settings = tuple(dict.fromkeys((record.baseline, *record.settings)))
    if not whole or len(settings) < FEWEST_SETTINGS:
        raise MeasurementImpossible("continues-nothing", result=before.id)
    if not before.question.parts:
        raise MeasurementImpossible.of(nothing_decides(record.goal))
    choose_settings(target.disks, settings)
    workloads, unavailable = available(before.own, record.workloads, target)
    if unavailable:
        raise MeasurementImpossible.of(next(iter(unavailable.values())))
    record = replace(record, settings=settings, question=before.question)
    limits = BUDGETS[request.budget].limits
    limits = replace(limits, rounds=min(limits.rounds, request.rounds or limits.rounds))
    return Task(record, workloads, limits, continues=before)


def tuning_task(request: Request, before: Result, plain: Setting, target: Target) -> Task:
    """Return the task of comparing settings with the ``plain`` winner of the result ``before``.

    Raises ``NoSuchThing`` or ``MeasurementImpossible`` if this is another disk, or there is nothing to try.
    """
    if not target.disk.may_be(before.disk):
        raise MeasurementImpossible("result-of-another-disk", disk=target.disk.title, result=before.id)
    if before.plan.state is DiskState.EXHAUSTED:
        raise MeasurementImpossible("tunes-exhausted", result=before.id)
    settings = settings_left(request.goal, before, target.disks, plain)[: BUDGETS[request.budget].limits.settings]
    if not settings:
        raise MeasurementImpossible("nothing-to-tune", disk=target.disk.title)
    choose_settings(target.disks, (plain, *settings))
    return _task(replace(request, own=before.own), target, (plain, *settings), tunes=True)


def available(
    definition: Definition | None, ids: Iterable[str], target: Target
) -> tuple[list[Workload], dict[str, Message]]:
    """Return the workloads that can run on a target, and by id why others cannot; a user's own replaces them all."""
    if definition is None:
        workloads: list[Workload] = list(map(find, ids))
    else:
        workloads = [OwnStart(definition) if definition.program else OwnCommand(definition)]
    reasons = {workload.id: reason for workload in workloads if (reason := _unavailable(workload, target))}
    return [workload for workload in workloads if workload.id not in reasons], reasons


def _unavailable(workload: Workload, target: Target) -> Message | None:
    if workload.is_elsewhere and not target.felt:
        return message("felt-needs-folder")
    if workload.id == _PRIORITIES and any(name.startswith("bcache") for name in target.mount.via):
        return message("priorities-past-cache")
    return workload.unavailable(target.names)


def choose_settings(disks: Sequence[Disk], wanted: tuple[Setting, ...] | None) -> tuple[Setting, ...]:
    """Return the settings to compare, named as the disks will have them; the baseline, the present one, is first.

    Raises ``NoSuchThing`` for a disk that cannot be tuned, and for a scheduler or a queue tunable that one of the disks
    lacks.
    """
    for disk in disks:
        if not disk.tunable or disk.scheduler is None:
            raise NoSuchThing("not-tunable", disk=disk.title, why=disk.why_not)
    baseline = str(disks[0].scheduler)
    names_by_disk = [(*disk.schedulers, *disk.loadable) for disk in disks]
    offered = [name for name in names_by_disk[0] if all(name in names for names in names_by_disk)]
    if baseline not in offered:
        lacking = next(disk for disk, names in zip(disks, names_by_disk, strict=True) if baseline not in names)
        raise NoSuchThing("no-baseline-for-all", disk=disks[0].title, baseline=baseline, lacking=lacking.title)
    for setting in wanted or ():
        if setting.scheduler not in offered:
            raise not_offered(disks[0], setting.scheduler, offered)
        _check_queue(disks, setting)
    settings = tuple(dict.fromkeys(setting.kept for setting in (Setting(baseline), *(wanted or map(Setting, offered)))))
    if len(settings) < FEWEST_SETTINGS:
        raise UsageError("nothing-to-compare", baseline=baseline)
    return settings


def _check_queue(disks: Sequence[Disk], setting: Setting) -> None:
    """Raise ``NoSuchThing`` if a disk's queue lacks a tunable; a scheduler's tunables only show when it is set."""
    for disk in disks:
        lacking = [name for name in setting.values if not is_of_scheduler(name) and name not in disk.tunables]
        if lacking:
            raise NoSuchThing("disk-without-tunable", disk=disk.title, name=lacking[0])


def plain_winner(verdict: Verdict) -> Setting:
    """Return the setting to tune after a comparison: the winner of a switch, or else the baseline."""
    return verdict.winner if verdict.decision is Decision.SWITCH and verdict.winner else verdict.baseline


def settings_left(goal: str, before: Result, disks: Sequence[Disk], plain: Setting) -> tuple[Setting, ...]:
    """Return the settings to try for a goal that a result has not measured yet; ``plain`` is its winner."""
    return tuple(setting for setting in settings_for(goal, disks, plain) if setting not in before.plan.settings)


def settings_for(goal: str, disks: Sequence[Disk], plain: Setting, *, from_start: bool = False) -> tuple[Setting, ...]:
    """Return the settings to try for a goal against the ``plain`` one: those that would change these disks.

    ``from_start``: only those that compete before the best plain scheduler is known.
    """
    rotates = any(disk.rotational for disk in disks)
    kind = disks[0].kind if len({disk.kind for disk in disks}) == 1 else UNKNOWN
    candidates = candidates_for(goal, rotates, kind, plain)
    settings = [setting.beside(plain) for setting in candidates if setting.from_start or not from_start]
    return tuple(
        dict.fromkeys(setting for setting in settings if all(_changes(setting, plain, disk) for disk in disks))
    )


def _changes(wanted: Setting, plain: Setting, disk: Disk) -> bool:
    """Whether a disk has all tunables of a setting, and at least one would differ from the plain setting's."""
    if wanted.scheduler not in (*disk.schedulers, *disk.loadable):
        return False
    is_current = wanted.scheduler == disk.scheduler
    if any(name not in disk.tunables for name in wanted.values if is_current or not is_of_scheduler(name)):
        return False
    if not _takes(disk, wanted.values.get(QUEUE_DEPTH, 1)):
        return False
    return any(not is_same(name, value, _now(name, wanted.scheduler, plain, disk)) for name, value in wanted.tunables)


def _takes(disk: Disk, depth: int) -> bool:
    """Whether a disk surely accepts a queue depth that exceeds its present one."""
    now = disk.tunables.get(QUEUE_DEPTH)
    can = disk.queue_limit or (NCQ_DEPTH if disk.transport == Transport.SAS else 0)
    return depth == 1 or (isinstance(now, int) and now < depth <= can)


def _now(name: str, scheduler: str, plain: Setting, disk: Disk) -> int | str | None:
    """Return a tunable's value under the plain setting; None if unknown."""
    if scheduler == plain.scheduler and name in plain.values:
        return plain.values[name]
    if scheduler == disk.scheduler or not is_of_scheduler(name):
        return disk.tunables.get(name)
    declared = known(name, scheduler)
    return declared.default if declared else None
