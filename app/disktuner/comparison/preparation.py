# SPDX-License-Identifier: GPL-3.0-or-later
"""From a request to a plan: the target, a probe of it, the workloads that can run, the sizes."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from disktuner.block.disk import Disk
from disktuner.block.queue import not_offered
from disktuner.comparison.request import Announcement, Request
from disktuner.comparison.target import Target
from disktuner.experiment.conditions import Conditions, Surroundings
from disktuner.experiment.events import Event, Phase
from disktuner.experiment.guard import STEAL_SHARE
from disktuner.experiment.plan import FEWEST_ROUNDS, Plan, make_plan
from disktuner.experiment.probe import MOST_BYTES, probe, too_little
from disktuner.experiment.processes import Control
from disktuner.experiment.scratch import Leftover, Leftovers, scratch_folder
from disktuner.results.model import Result
from disktuner.vocabulary.errors import MeasurementImpossible, NoSuchThing, UsageError
from disktuner.vocabulary.goals import BUDGETS, Limits
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.workloads import pricing, workloads_for
from disktuner.workloads.catalogue import find
from disktuner.workloads.workload import Probe, Size, Workload

SIZE_FIELDS = ("scale", "extra", "bytes_written", "bytes_prepared", "expected_s", "bytes_kept", "bytes_source")
"""What a result keeps of a workload's size, so that its comparison can be continued."""


@dataclass(frozen=True, slots=True)
class Preparation:
    """A plan with what led to it. ``cautions`` hold for the result, too, ``at_start`` only for the machine as it is."""

    target: Target
    probe: Probe
    plan: Plan
    unavailable: Mapping[str, Message]
    cautions: tuple[Message, ...]
    at_start: tuple[Message, ...]

    @property
    def shown(self) -> tuple[Message, ...]:
        """All that is to be known before the start."""
        return (*self.at_start, *self.cautions)

    def announcement(self) -> Announcement:
        """Say it before anything is changed."""
        plan = self.plan
        return Announcement(
            folder=plan.folder,
            mount=self.target.mount,
            disk=self.target.disk,
            disks=plan.disks,
            schedulers=plan.schedulers,
            baseline=plan.baseline,
            workloads=tuple(each.workload.id for each in plan.planned),
            rounds=plan.rounds,
            seed=plan.seed,
            bytes_written=plan.bytes_written,
            bytes_needed=plan.bytes_needed,
            least_s=plan.least_s(self.probe.write_bytes_per_s),
            seconds=plan.announced_s,
            unavailable=self.unavailable,
            cautions=self.shown,
            refused=too_little(plan.folder, plan.bytes_needed),
        )


def refuse_root() -> None:
    """Raise ``MeasurementImpossible`` for root: benchmarks write files and need no rights."""
    if os.geteuid() == 0:
        raise MeasurementImpossible("as-root")


def tidy(folder: Path, listener: Callable[[Event], None]) -> None:
    """Remove what an interrupted measurement left in the folder that is measured next, and say so."""

    def report(left: Leftover) -> None:
        listener(Phase(message("tidying", size=left.size_bytes, folder=str(left.path))))

    Leftovers().sweep(folder, report)


def prepare_comparison(request: Request, target: Target, control: Control, saves: bool) -> Preparation:
    """Probe and plan a comparison of schedulers; ``saves`` says that its result is kept on one of the disks."""
    schedulers, baseline = choose_schedulers(target.disks, request.schedulers)
    limits = BUDGETS[request.budget].limits
    workloads, unavailable = _available(request.workloads or workloads_for(request.goal))
    if request.workloads is None:
        workloads = workloads[: limits.workloads]
    prepared = prepare(
        target, schedulers, baseline, workloads, unavailable, limits, request.seed, control, saves,
        pricing=pricing(request.goal, [workload.id for workload in workloads]),
    )  # fmt: skip
    return warned(prepared)


def prepare_continuation(
    request: Request, before: Result, target: Target, control: Control, saves: bool
) -> Preparation:
    """Probe and plan more rounds of a comparison, with its schedulers, workloads and sizes.

    Raises ``NoSuchThing`` or ``MeasurementImpossible`` where this is not the disk, or it cannot go on.
    """
    if not target.disk.may_be(before.disk):
        raise MeasurementImpossible("continues-another-disk", disk=target.disk.title, result=before.id)
    record = before.plan
    schedulers, _ = choose_schedulers(target.disks, tuple(dict.fromkeys((record.baseline, *record.schedulers))))
    schedulers = tuple(name for name in schedulers if name in (record.baseline, *record.schedulers))
    workloads, unavailable = _available(record.workloads)
    if unavailable:
        raise MeasurementImpossible.of(next(iter(unavailable.values())))
    sizes = sizes_of(before)
    if sizes.keys() < set(record.workloads) or len(before.extra.get("disks", target.names)) != len(target.names):
        raise MeasurementImpossible("continues-nothing", result=before.id)
    limits = BUDGETS[request.budget].limits
    prepared = prepare(
        target, schedulers, record.baseline, workloads, {}, limits, record.seed, control, saves,
        pricing=pricing(record.goal or "", record.workloads), sizes=sizes,
    )  # fmt: skip
    return warned(prepared)


def sizes_of(result: Result) -> dict[str, Size]:
    """Return the sizes of a result's workloads, as far as it has them whole (earlier versions kept two figures)."""
    found = {}
    for workload, size in result.extra.get("sizes", {}).items():
        if isinstance(size, dict) and all(isinstance(size.get(name), int | float) for name in SIZE_FIELDS):
            found[workload] = Size(**{name: size[name] for name in SIZE_FIELDS})
    return found


def warned(prepared: Preparation) -> Preparation:
    """Add that there is hardly time for a verdict, where that is so."""
    rounds = prepared.plan.rounds_in_time(prepared.probe.write_bytes_per_s)
    if rounds >= FEWEST_ROUNDS:
        return prepared
    return replace(prepared, cautions=(*prepared.cautions, message("few-rounds", count=rounds)))


def prepare(  # noqa: PLR0917 - what a plan is made of
    target: Target,
    schedulers: tuple[str, ...],
    baseline: str,
    workloads: Sequence[Workload],
    unavailable: Mapping[str, Message],
    limits: Limits,
    seed: int | None,
    control: Control,
    saves: bool = False,
    *,
    pricing: Collection[str] = (),
    sizes: Mapping[str, Size] | None = None,
) -> Preparation:
    """Probe the target and plan. Raises ``MeasurementImpossible`` where nothing can be run.

    ``pricing`` are the workloads that do not decide, ``sizes`` those of a comparison that is continued.
    """
    if not workloads:
        raise MeasurementImpossible("no-workload-runs", reason=next(iter(unavailable.values())))
    surroundings = Surroundings()
    before, began = surroundings.now(target.names), time.monotonic()
    probed = _probe(target.folder, control)
    machine = machine_cautions(before, surroundings.now(target.names), time.monotonic() - began)
    plan = make_plan(
        folder=target.folder,
        disks=target.names,
        schedulers=schedulers,
        baseline=baseline,
        workloads=workloads,
        probe=probed,
        limits=limits,
        seed=secrets.randbelow(2**31) if seed is None else seed,
        saves=saves,
        pricing=pricing,
        sizes=sizes,
    )
    return Preparation(target, probed, plan, unavailable, _disk_cautions(target), machine)


def _probe(folder: Path, control: Control) -> Probe:
    if missing := too_little(folder, MOST_BYTES // 4):
        raise MeasurementImpossible.of(missing)
    with scratch_folder(folder) as scratch:
        return probe(scratch.path, control.check)


def choose_schedulers(disks: Sequence[Disk], wanted: tuple[str, ...] | None) -> tuple[tuple[str, ...], str]:
    """Return the schedulers to compare, the baseline first, and the baseline: what the disk has now.

    Raises ``NoSuchThing`` for a disk that cannot be tuned or a scheduler that one of the disks does not offer.
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
    unknown = [name for name in wanted or () if name not in offered]
    if unknown:
        raise not_offered(disks[0], unknown[0], offered)
    schedulers = tuple(dict.fromkeys((baseline, *(wanted or offered))))
    if len(schedulers) < 2:
        raise UsageError("nothing-to-compare", baseline=baseline)
    return schedulers, baseline


def _available(ids: Sequence[str]) -> tuple[list[Workload], dict[str, Message]]:
    workloads = [find(each) for each in ids]
    reasons = {workload.id: reason for workload in workloads if (reason := workload.unavailable())}
    return [workload for workload in workloads if workload.id not in reasons], reasons


def machine_cautions(before: Conditions, after: Conditions, seconds: float) -> tuple[Message, ...]:
    """Say before the start what would make runs vary or not count (``experiment.guard``), as seen in some seconds."""
    found = []
    if after.on_battery:
        found.append(message("battery-now"))
    stolen = after.stolen_since(before)
    if stolen > STEAL_SHARE:
        found.append(message("cpu-stolen-now", share=stolen))
    if after.held_back_s_since(before) > STEAL_SHARE * seconds:
        found.append(message("cpu-limit-now"))
    return tuple(found)


def _disk_cautions(target: Target) -> tuple[Message, ...]:
    """What makes results on this disk say less than they seem to."""
    found = []
    schedulers = {disk.name: str(disk.scheduler) for disk in target.disks}
    if len(set(schedulers.values())) > 1:
        had = tuple(f"{name}: {scheduler}" for name, scheduler in schedulers.items())
        found.append(message("mixed-schedulers", had=had, baseline=str(target.disk.scheduler)))
    if target.disk.kind.is_remote:
        found.append(message("virtual-disk", disk=target.disk.title))
    return tuple(found)
