# SPDX-License-Identifier: GPL-3.0-or-later
"""From a task to a plan: a look at the target and the machine, the sizes, and the cautions."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from disktuner.block.machine import Conditions, Surroundings
from disktuner.comparison.exhausting import exhausted_already, exhaustion_of, probe_exhausted
from disktuner.comparison.request import Announcement
from disktuner.comparison.target import Target, felt_notes, require_one_disk
from disktuner.comparison.tasks import decides_nothing
from disktuner.experiment.guard import STEAL_SHARE
from disktuner.experiment.plan import Plan, Task, make_plan
from disktuner.experiment.probe import MOST_BYTES, disk_failed, probe, too_little
from disktuner.experiment.run import clean_up
from disktuner.experiment.scratch import scratch_folder
from disktuner.results.codec import MOST_RUNS, MOST_SAMPLES, encode
from disktuner.results.model import Result
from disktuner.results.portrait import Portrait
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.states import DiskState
from disktuner.workloads.processes import Control, Processes
from disktuner.workloads.source import Source
from disktuner.workloads.spec import BadSpec, Spec
from disktuner.workloads.workload import Probe, Scratch, Workload

MOST_GROWN = 8.0
"""The most by which a disk's varying speed may explain that a continued result has larger sizes."""

SAMPLES_OF_RUN = 18
"""The most figures that a run yields."""

WRITTEN_AGAIN = 3
"""How often a continued result is written: in the journal, as the result, and what ext4 adds."""

FEW_ROUNDS, FEW_OF_MUCH, MUCH = 3, 2, 1.5
"""With fewer rounds there is hardly an answer; if the least gain asked for is at least ``MUCH``, one less suffices."""


def prepare(
    task: Task, target: Target, control: Control, *, saves: bool, portrait: Portrait | None = None
) -> Announcement:
    """Probe the target and plan; ``saves``: one of its disks keeps the result. ``portrait`` is the disk's newest.

    Raises ``MeasurementImpossible``, or ``NoSuchThing`` if the portrait knows no end of a cache to use up.
    """
    if not task.workloads:
        raise MeasurementImpossible("no-workload-runs", reason=next(iter(task.unavailable.values())))
    if task.record.state is DiskState.EXHAUSTED:
        require_one_disk(target)
        task = replace(task, exhaustion=exhaustion_of(target.disk, portrait))
    surroundings = Surroundings()
    seen, began = surroundings.now(target.names), time.monotonic()
    probed = probe_folder(target.folder, control)
    if target.felt:
        probed = replace(probed, elsewhere=probe_folder(target.felt.folder, control))
    cautions = tuple(machine_cautions(seen, surroundings.now(target.names), time.monotonic() - began))
    already = []
    if task.exhaustion and portrait:
        probed = probe_exhausted(probed, task.exhaustion, portrait.reads)
    elif notice := exhausted_already(target.disk, probed, portrait):
        already.append(notice)
    limits = task.limits.exhausted if task.exhaustion else task.limits
    limits = limits.on_disk(target.disk.size_bytes, wears=target.disk.kind.wears)
    task = replace(task, workloads=_tried(task.workloads, target.folder, control), limits=limits)
    if task.continues:
        task = replace(task, specs=_specs_of(task.continues, task.workloads, probed))
    plan = make_plan(task, target.folder, target.names, probed, saves=saves)
    plan = replace(plan, elsewhere=target.felt.folder if target.felt else None)
    if task.continues:
        plan = _going_on(plan, task.continues)
    asked = task.record.question
    if plan.rounds < (FEW_OF_MUCH if asked and asked.worth >= MUCH else FEW_ROUNDS) <= plan.most_rounds:
        cautions = (message("few-rounds", count=plan.rounds), *cautions)
    notes = [note for workload in task.workloads for note in workload.notes]
    if notice := decides_nothing(task.record):
        notes.append(notice)
    refused = too_little(plan.folder, plan.bytes_needed)
    if target.felt:
        notes += felt_notes(target.felt, plan.bytes_elsewhere)
        refused = refused or too_little(target.felt.folder, plan.bytes_elsewhere)
    loads = dict.fromkeys(remark for planned in plan.planned if (remark := planned.spec.remark()))
    lasting = (*disk_cautions(target), *already, *loads)
    return Announcement(target, plan, task.unavailable, lasting, (*notes, *cautions), refused)


def _going_on(plan: Plan, before: Result) -> Plan:
    """Return the plan with the bytes it takes to write a continued result again.

    Raises ``MeasurementImpossible`` if no round fits, or the result file would become too large.
    """
    runs = plan.rounds * len(plan.planned) * len(plan.settings)
    samples = len(before.samples) + SAMPLES_OF_RUN * runs
    latest = max((max(sample.order, sample.round) for sample in before.samples), default=0)
    is_too_large = samples > MOST_SAMPLES or len(before.series) + runs > MOST_RUNS or latest > MOST_SAMPLES
    if is_too_large or plan.seconds(1) > plan.most_s or plan.bytes_of_rounds(1) > plan.most_bytes:
        raise MeasurementImpossible("continues-too-much", result=before.id)
    return replace(plan, continues=before, bytes_before=WRITTEN_AGAIN * len(encode(before)) if plan.saves else 0)


def _specs_of(before: Result, workloads: Sequence[Workload], probed: Probe) -> dict[str, Spec]:
    """Return the specs of a result, expected to cost no less than the same work costs here.

    As results may come from anybody, raises ``MeasurementImpossible`` if specs are missing, or far larger than a plan
    for the same time would be here.
    """
    specs = {}
    for workload in workloads:
        try:
            spec = workload.spec_from(before.sizes.get(workload.id))
        except BadSpec as error:
            raise MeasurementImpossible("continues-nothing", result=before.id) from error
        fresh = workload.plan(probed, spec.expected_s)
        if spec.growth(fresh) > MOST_GROWN:
            raise MeasurementImpossible("continues-too-much", result=before.id)
        specs[workload.id] = spec.with_estimates(fresh)
    return specs


def _tried(workloads: Sequence[Workload], folder: Path, control: Control) -> list[Workload]:
    """Return the workloads ready for planning; a user's own command is run once for that."""
    unknown = [workload for workload in workloads if workload.definition]
    if not unknown:
        return list(workloads)
    with scratch_folder(folder) as private, Source(0, 0) as source, ExitStack() as stack:
        processes = Processes(control, kept_fds=private.fds, truncate_files=private.empty)
        scratch = Scratch(private.path, 0, source, processes)
        stack.callback(clean_up, unknown, scratch, private.fds)
        stack.enter_context(processes)
        return [workload.tried(scratch) for workload in workloads]


def probe_folder(folder: Path, control: Control, most_bytes: int = MOST_BYTES) -> Probe:
    """Probe the speed of a folder's disk. Raises ``MeasurementImpossible`` if it has too little room."""
    if missing := too_little(folder, most_bytes // 4):
        raise MeasurementImpossible.of(missing)
    with scratch_folder(folder) as scratch:
        try:
            return probe(scratch.path, control.check, most_bytes)
        except OSError as error:
            raise disk_failed(folder, error) from error


def machine_cautions(before: Conditions, after: Conditions, seconds: float) -> Iterator[Message]:
    """Yield what would make runs vary or not count (``experiment.guard``), as seen within ``seconds``."""
    if after.on_battery:
        yield message("battery-now")
    if (stolen := after.stolen_since(before)) > STEAL_SHARE:
        yield message("cpu-stolen-now", share=stolen)
    if after.held_back_s_since(before) > STEAL_SHARE * seconds:
        yield message("cpu-limit-now")


def disk_cautions(target: Target) -> Iterator[Message]:
    """Yield what makes results on this disk less telling than they seem."""
    schedulers = {disk.name: str(disk.scheduler) for disk in target.disks}
    if len(set(schedulers.values())) > 1:
        now = tuple(f"{name}: {scheduler}" for name, scheduler in schedulers.items())
        yield message("mixed-schedulers", schedulers=now, baseline=str(target.disk.scheduler))
    if target.disk.kind.is_remote:
        yield message("virtual-disk", disk=target.disk.title)
