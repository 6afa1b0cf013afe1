# SPDX-License-Identifier: GPL-3.0-or-later
"""From a request to a plan: the target, a probe of it, the workloads that can run, the sizes."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from disktuner.block.machine import Conditions, Surroundings, available_bytes
from disktuner.block.sysfs import Tree
from disktuner.block.system import System
from disktuner.comparison.elsewhere import felt_notes, felt_of, why_not_felt
from disktuner.comparison.request import Announcement, Request
from disktuner.comparison.target import Target, places
from disktuner.comparison.trying import FEWEST_SETTINGS, choose_settings, settings_for, settings_left
from disktuner.experiment.events import Event, Phase
from disktuner.experiment.guard import STEAL_SHARE
from disktuner.experiment.plan import Plan, Task, make_plan
from disktuner.experiment.probe import MOST_BYTES, disk_failed, probe, too_little
from disktuner.experiment.run import clean_up
from disktuner.experiment.scratch import Leftover, Leftovers, scratch_folder
from disktuner.results.codec import MOST_RUNS, MOST_SAMPLES, encode
from disktuner.results.definition import Definition
from disktuner.results.model import PlanRecord, Result
from disktuner.vocabulary.errors import Answered, MeasurementImpossible
from disktuner.vocabulary.goals import BUDGETS, REMOVABLE, Limits
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.questions import Question, question_for
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.workloads import metrics_of, workloads_for
from disktuner.workloads.catalogue import find
from disktuner.workloads.own import OwnCommand
from disktuner.workloads.processes import Control, Processes
from disktuner.workloads.source import Source
from disktuner.workloads.spec import BadSpec, Spec
from disktuner.workloads.starts import OwnStart
from disktuner.workloads.workload import Probe, Scratch, Workload

MOST_GROWN = 8.0
"""A disk that was slower or faster when it was looked at before explains that much of a difference in size."""

SAMPLES_OF_RUN = 18
"""The most figures that a run yields."""

WRITTEN_AGAIN = 3
"""How often what was measured before is written when it is continued: the journal, the result, what ext4 adds."""

FEW_ROUNDS, FEW_OF_MUCH, MUCH = 3, 2, 1.5
"""With fewer rounds there is hardly an answer; where at least so much is asked for, one less tells."""


def refuse_root() -> None:
    """Raise ``MeasurementImpossible`` for root: benchmarks write files and need no rights."""
    if os.geteuid() == 0:
        raise MeasurementImpossible("as-root")


def tidy(folder: Path, listener: Callable[[Event], None]) -> None:
    """Remove what an interrupted measurement left in the folder that is measured next, and say so."""

    def report(left: Leftover) -> None:
        listener(Phase(message("tidying", size=left.size_bytes, folder=str(left.path))))

    Leftovers().sweep(folder, report)


def prepare_comparison(request: Request, target: Target, control: Control, *, saves: bool) -> Announcement:
    """Probe and plan a comparison of schedulers; ``saves`` says that its result is kept on one of the disks.

    Raises ``Answered`` where nothing is felt on the other disk, unless settings are named.
    """
    settings, baseline = choose_settings(target.disks, request.settings)
    if request.settings is None:
        if why := why_not_felt(target, available_bytes(Tree(Path("/")))):
            raise Answered.of(why)
        limits = settings_for(REMOVABLE.id if target.felt else request.goal, target.disks, baseline, from_start=True)
        settings = (*([baseline] if target.felt else settings), *limits)
    return prepare(task_of(request, target, settings, baseline), target, control, saves=saves)


def task_of(
    request: Request, target: Target, settings: tuple[Setting, ...], baseline: Setting, *, tunes: bool = False
) -> Task:
    """Return what is compared on the workloads of the request's goal, or those that it names, where they can run."""
    limits = BUDGETS[request.budget].limits
    wanted = [own_workload(request.own)] if request.own else map(find, request.workloads or workloads_for(request.goal))
    workloads, unavailable = available(wanted, target)
    if request.workloads is None:
        workloads = workloads[: limits.workloads]
    ids, question = tuple(each.id for each in workloads), question_of(request.goal, workloads, limits)
    seed = drawn(request.seed)
    record = PlanRecord(
        request.goal, request.budget, settings, baseline, ids, seed,
        tunes=tunes, question=question, felt=felt_of(target),
    )  # fmt: skip
    return Task(record, workloads, limits, unavailable)


def question_of(goal: str | None, workloads: Iterable[Workload], limits: Limits) -> Question:
    """Return what some workloads answer for a goal, no finer than can be told within the limits."""
    asked = question_for(goal, [metric for each in workloads for metric in metrics_of(each.facts).values()])
    return replace(asked, worth=max(asked.worth, limits.resolves))


def drawn(seed: int | None) -> int:
    """Return a seed, drawn where none is given."""
    return secrets.randbelow(2**31) if seed is None else seed


def place_of(before: Result, system: System) -> str:
    """Return a folder on the disk that a result is about, on the same file system where there is room for us.

    Raises ``NoSuchThing`` or ``MeasurementImpossible`` where there is no such disk.
    """
    name = before.disk.get("name")
    if not isinstance(name, str) or not name:
        raise MeasurementImpossible("continues-nothing", result=before.id)
    found = places(system.disk(name), system)
    same = [place for place in found if place.mount.path == before.filesystem.path]
    return str((same or found)[0].folder) if found else f"/dev/{name}"


def prepare_continuation(
    request: Request, before: Result, target: Target, control: Control, *, saves: bool
) -> Announcement:
    """Probe and plan more rounds of a comparison, with its settings, workloads and sizes.

    Raises ``NoSuchThing`` or ``MeasurementImpossible`` where this is not the disk, or it cannot go on.
    """
    record, limits = before.plan, BUDGETS[request.budget].limits
    if not target.disk.may_be(before.disk) or target.mount.fstype != before.filesystem.fstype:
        raise MeasurementImpossible("continues-another-disk", disk=target.disk.title, result=before.id)
    whole = record.workloads and (before.disks or target.names) == target.names
    settings = tuple(dict.fromkeys((record.baseline, *record.settings)))
    if not whole or len(settings) < FEWEST_SETTINGS:
        raise MeasurementImpossible("continues-nothing", result=before.id)
    choose_settings(target.disks, settings)
    workloads, unavailable = available(
        [own_workload(before.own)] if before.own else map(find, record.workloads), target
    )
    if unavailable:
        raise MeasurementImpossible.of(next(iter(unavailable.values())))
    task = Task(replace(record, settings=settings, question=before.question), workloads, limits)
    prepared = prepare(task, target, control, saves=saves, before=before)
    plan = prepared.plan
    beyond = plan.seconds(1) > limits.seconds or plan.bytes_of_rounds(1) > plan.most_bytes
    if beyond or _is_too_large(before, plan):
        raise MeasurementImpossible("continues-too-much", result=before.id)
    again = WRITTEN_AGAIN * len(encode(before)) if saves else 0
    return replace(prepared, plan=replace(plan, bytes_before=again))


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


def _is_too_large(before: Result, plan: Plan) -> bool:
    """Whether what is added may become more than a result file may hold."""
    runs = plan.rounds * len(plan.planned) * len(plan.settings)
    samples = len(before.samples) + SAMPLES_OF_RUN * runs
    latest = max((max(sample.order, sample.round) for sample in before.samples), default=0)
    return samples > MOST_SAMPLES or len(before.series) + runs > MOST_RUNS or latest > MOST_SAMPLES


def prepare(task: Task, target: Target, control: Control, *, saves: bool, before: Result | None = None) -> Announcement:
    """Probe the target and plan; what runs do is as it was ``before``. Raises ``MeasurementImpossible``."""
    if not task.workloads:
        raise MeasurementImpossible("no-workload-runs", reason=next(iter(task.unavailable.values())))
    surroundings = Surroundings()
    seen, began = surroundings.now(target.names), time.monotonic()
    probed = probe_folder(target.folder, control)
    if target.felt:
        probed = replace(probed, elsewhere=probe_folder(target.felt.folder, control))
    cautions = tuple(machine_cautions(seen, surroundings.now(target.names), time.monotonic() - began))
    task = replace(task, workloads=_tried(task.workloads, target.folder, control))
    disk = target.disk
    task = replace(task, limits=task.limits.on_disk(disk.size_bytes, wears=disk.kind.wears))
    if before:
        task = replace(task, specs=_specs_of(before, task.workloads, probed))
    plan = make_plan(task, target.folder, target.names, probed, saves=saves)
    plan = replace(plan, elsewhere=target.felt.folder if target.felt else None)
    asked = task.record.question
    if plan.rounds < (FEW_OF_MUCH if asked and asked.worth >= MUCH else FEW_ROUNDS) <= plan.most_rounds:
        cautions = (message("few-rounds", count=plan.rounds), *cautions)
    notes = [note for each in task.workloads for note in each.notes]
    refused = too_little(plan.folder, plan.bytes_needed)
    if target.felt:
        notes += felt_notes(target.felt, plan.bytes_elsewhere, available_bytes(Tree(Path("/"))))
        refused = refused or too_little(target.felt.folder, plan.bytes_elsewhere)
    loads = dict.fromkeys(remark for each in plan.planned if (remark := each.spec.remark()))
    lasting = (*disk_cautions(target), *loads)
    return Announcement(target, plan, task.unavailable, lasting, (*notes, *cautions), refused)


def _specs_of(before: Result, workloads: Sequence[Workload], probed: Probe) -> dict[str, Spec]:
    """Return what the runs of a result do, expected to cost no less than as much work costs here.

    Raises ``MeasurementImpossible`` where it does not say that, as results may come from anybody, or where it is far
    more than would be chosen here for the same time.
    """
    specs = {}
    for each in workloads:
        try:
            spec = each.spec_from(before.sizes.get(each.id))
        except BadSpec as error:
            raise MeasurementImpossible("continues-nothing", result=before.id) from error
        fresh = each.plan(probed, spec.expected_s)
        if spec.growth(fresh) > MOST_GROWN:
            raise MeasurementImpossible("continues-too-much", result=before.id)
        specs[each.id] = spec.with_estimates(fresh)
    return specs


def _tried(workloads: Sequence[Workload], folder: Path, control: Control) -> list[Workload]:
    """Return the workloads as they are planned with: a command of the user's own is run once for that."""
    unknown = [each for each in workloads if each.definition]
    if not unknown:
        return list(workloads)
    with scratch_folder(folder) as private, Source(0, 0) as source, ExitStack() as stack:
        processes = Processes(control, kept_fds=private.fds, unblock=private.empty)
        scratch = Scratch(private.path, 0, source, processes)
        stack.callback(clean_up, unknown, scratch, private.fds)
        stack.enter_context(processes)
        return [each.tried(scratch) for each in workloads]


def probe_folder(folder: Path, control: Control) -> Probe:
    """Look how fast a folder's disk is. Raises ``MeasurementImpossible`` where it has too little room."""
    if missing := too_little(folder, MOST_BYTES // 4):
        raise MeasurementImpossible.of(missing)
    with scratch_folder(folder) as scratch:
        try:
            return probe(scratch.path, control.check)
        except OSError as error:
            raise disk_failed(folder, error) from error


def own_workload(definition: Definition) -> Workload:
    """Return what runs a program of the user's own."""
    return OwnStart(definition) if definition.program else OwnCommand(definition)


def available(wanted: Iterable[Workload], target: Target) -> tuple[list[Workload], dict[str, Message]]:
    """Return which workloads can run on a target, and by id why others can't."""
    workloads = list(wanted)
    reasons = {each.id: reason for each in workloads if (reason := _unavailable(each, target))}
    return [each for each in workloads if each.id not in reasons], reasons


def _unavailable(workload: Workload, target: Target) -> Message | None:
    if workload.is_elsewhere and not target.felt:
        return message("felt-needs-folder")
    return workload.unavailable(target.names)


def machine_cautions(before: Conditions, after: Conditions, seconds: float) -> Iterator[Message]:
    """Say before the start what would make runs vary or not count (``experiment.guard``), as seen in some seconds."""
    if after.on_battery:
        yield message("battery-now")
    if (stolen := after.stolen_since(before)) > STEAL_SHARE:
        yield message("cpu-stolen-now", share=stolen)
    if after.held_back_s_since(before) > STEAL_SHARE * seconds:
        yield message("cpu-limit-now")


def disk_cautions(target: Target) -> Iterator[Message]:
    """Say what makes results on this disk say less than they seem to."""
    schedulers = {disk.name: str(disk.scheduler) for disk in target.disks}
    if len(set(schedulers.values())) > 1:
        now = tuple(f"{name}: {scheduler}" for name, scheduler in schedulers.items())
        yield message("mixed-schedulers", schedulers=now, baseline=str(target.disk.scheduler))
    if target.disk.kind.is_remote:
        yield message("virtual-disk", disk=target.disk.title)
