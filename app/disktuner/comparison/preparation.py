# SPDX-License-Identifier: GPL-3.0-or-later
"""From a request to a plan: the target, a probe of it, the workloads that can run, the sizes."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from disktuner.block.disk import Disk
from disktuner.block.queue import not_offered
from disktuner.comparison.request import Announcement, Request
from disktuner.comparison.target import Target
from disktuner.experiment.control import Control
from disktuner.experiment.events import Event, Phase
from disktuner.experiment.guard import STEAL_SHARE
from disktuner.experiment.leftovers import Leftover, Leftovers
from disktuner.experiment.plan import FEWEST_ROUNDS, LIMITS, Limits, Plan, make_plan
from disktuner.experiment.probe import MOST_BYTES, probe
from disktuner.experiment.scratch import scratch_folder
from disktuner.experiment.space import too_little
from disktuner.experiment.surroundings import Conditions, Surroundings
from disktuner.results.model import Caution
from disktuner.vocabulary.errors import MeasurementImpossible, NoSuchThing, UsageError
from disktuner.vocabulary.messages import say
from disktuner.vocabulary.workloads import workloads_for
from disktuner.workloads.catalogue import catalogue, find
from disktuner.workloads.workload import Probe, Workload


@dataclass(frozen=True, slots=True)
class Preparation:
    """A plan with what led to it. ``cautions`` hold for the result, too, ``at_start`` only for the machine as it is."""

    target: Target
    probe: Probe
    plan: Plan
    unavailable: Mapping[str, str]
    cautions: tuple[Caution, ...]
    at_start: tuple[Caution, ...]

    @property
    def told(self) -> tuple[Caution, ...]:
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
            seconds=plan.seconds(self.probe.write_bytes_per_s),
            unavailable=self.unavailable,
            cautions=self.told,
            refused=too_little(plan.folder, plan.bytes_needed),
        )


def refuse_root() -> None:
    """Raise ``MeasurementImpossible`` for root: benchmarks write files and need no rights."""
    if os.geteuid() == 0:
        raise MeasurementImpossible(
            "Benchmarks do not run as root. Start it as an ordinary user, for example: "
            "runuser -u YOUR_NAME -- disktuner …; only switching the scheduler asks for rights."
        )


def tidy(folder: Path, listener: Callable[[Event], None]) -> None:
    """Remove what an interrupted measurement left in the folder that is measured next, and say so."""

    def tell(left: Leftover) -> None:
        megabytes = f"{left.size_bytes / 1e6:.0f} MB in {left.path}"
        listener(Phase("tidying", f"Removing what an interrupted measurement left: {megabytes}"))

    Leftovers().sweep(folder, tell)


def prepare_comparison(request: Request, target: Target, control: Control) -> Preparation:
    """Probe and plan a comparison of schedulers."""
    schedulers, baseline = choose_schedulers(target.disks, request.schedulers)
    limits = LIMITS[request.budget]
    workloads, unavailable = _available(request.workloads or _known(workloads_for(request.goal)))
    if request.workloads is None:
        workloads = workloads[: limits.workloads]
    prepared = prepare(target, schedulers, baseline, workloads, unavailable, limits, request.seed, control)
    rounds = prepared.plan.rounds_in_time(prepared.probe.write_bytes_per_s)
    if rounds >= FEWEST_ROUNDS:
        return prepared
    return replace(prepared, cautions=(*prepared.cautions, _few_rounds(rounds)))


def prepare(  # noqa: PLR0917 - what a plan is made of
    target: Target,
    schedulers: tuple[str, ...],
    baseline: str,
    workloads: Sequence[Workload],
    unavailable: Mapping[str, str],
    limits: Limits,
    seed: int | None,
    control: Control,
) -> Preparation:
    """Probe the target and plan. Raises ``MeasurementImpossible`` where nothing can be run."""
    if not workloads:
        reasons = " ".join(unavailable.values())
        raise MeasurementImpossible(f"None of the workloads can run here. {reasons}")
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
    )
    return Preparation(target, probed, plan, unavailable, _disk_cautions(target), machine)


def _probe(folder: Path, control: Control) -> Probe:
    if missing := too_little(folder, MOST_BYTES // 4):
        raise MeasurementImpossible(missing)
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
        raise NoSuchThing(
            f"{disks[0].title} has {baseline}, which {lacking.title} below the same folder does not offer, so there is "
            "nothing to compare with. Give all of them a scheduler that they share first."
        )
    unknown = [name for name in wanted or () if name not in offered]
    if unknown:
        raise not_offered(disks[0], unknown[0], offered)
    schedulers = tuple(dict.fromkeys((baseline, *(wanted or offered))))
    if len(schedulers) < 2:
        raise UsageError(f"Name a scheduler other than {baseline}, which the disk has now, to compare it with.")
    return schedulers, baseline


def _known(ids: Sequence[str]) -> list[str]:
    """Those of a goal's workloads that this version has."""
    here = {workload.id for workload in catalogue()}
    return [each for each in ids if each in here]


def _available(ids: Sequence[str]) -> tuple[list[Workload], dict[str, str]]:
    workloads = [find(each) for each in ids]
    reasons = {workload.id: say(reason) for workload in workloads if (reason := workload.unavailable())}
    return [workload for workload in workloads if workload.id not in reasons], reasons


def _few_rounds(rounds: int) -> Caution:
    times = {1: "once", 2: "twice"}.get(rounds, f"{rounds} times")
    return Caution(
        "few-rounds",
        f"The disk is so slow that the time allows to run everything {times} only: hardly enough for a verdict.",
        "Choose a larger budget, fewer schedulers or fewer workloads.",
    )


def machine_cautions(before: Conditions, after: Conditions, seconds: float) -> tuple[Caution, ...]:
    """Say before the start what would make runs vary or not count (``experiment.guard``), as seen in some seconds."""
    found = []
    if after.on_battery:
        found.append(
            Caution(
                "battery",
                "The machine runs on battery and may slow down to save it: no run would count, and measuring would "
                "end without an answer.",
                "Plug it in before you start.",
            )
        )
    stolen = after.stolen_since(before)
    if stolen > STEAL_SHARE:
        found.append(
            Caution(
                "steal",
                f"The host of this virtual machine took {stolen:.0%} of the CPU just now: runs vary more, so small "
                "differences may stay undecided.",
                "Measure when the host has less to do.",
            )
        )
    if after.held_back_s_since(before) > STEAL_SHARE * seconds:
        found.append(
            Caution(
                "cpu-limit",
                "A CPU limit of this control group held the programs back just now: runs vary more, so small "
                "differences may stay undecided.",
                "Raise the limit (CPUQuota of the service, --cpus of the container), or start outside of it.",
            )
        )
    return tuple(found)


def _disk_cautions(target: Target) -> tuple[Caution, ...]:
    """What makes results on this disk say less than they seem to."""
    found = []
    schedulers = {disk.name: str(disk.scheduler) for disk in target.disks}
    if len(set(schedulers.values())) > 1:
        had = ", ".join(f"{name} has {scheduler}" for name, scheduler in schedulers.items())
        found.append(
            Caution(
                "mixed-schedulers",
                f"The disks below the folder have different schedulers now ({had}): all are compared with "
                f"{target.disk.scheduler} on all of them, which is not what you have.",
                "Give them the same scheduler first to compare with what you have.",
            )
        )
    if target.disk.kind.is_remote:
        found.append(
            Caution(
                "host-cache",
                f"{target.disk.title} is a virtual disk: its host orders and caches the work too.",
                "Compare schedulers only with each other, not with other machines.",
            )
        )
    return tuple(found)
