# SPDX-License-Identifier: GPL-3.0-or-later
"""What a comparison is asked for, announces, yields and needs, and its result before the first run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from disktuner.block.disk import Disk
from disktuner.block.system import System
from disktuner.comparison.target import Target
from disktuner.experiment.plan import Plan
from disktuner.experiment.run import SchedulerSwitch
from disktuner.folders import home
from disktuner.results.beginning import new_result
from disktuner.results.definition import Definition
from disktuner.results.mark import marked
from disktuner.results.model import Result
from disktuner.results.portrait import Portraits
from disktuner.results.store import Store
from disktuner.verdict.model import Verdict
from disktuner.vocabulary.goals import DESKTOP, FELT, QUICK
from disktuner.vocabulary.messages import Message
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.states import DiskState
from disktuner.vocabulary.workloads import metrics_of


@dataclass(frozen=True, slots=True)
class Request:
    """What the user wants to know; goal and budget are ids.

    ``target`` is a folder, or the kernel's name of a disk (``sda`` or ``/dev/sda``), which stands for its writable file
    system with the most room. ``settings`` None means all schedulers that the disk offers or can load, ``workloads``
    None those of the goal. ``seed`` None draws one, which the result records. ``out`` is an additional copy of the
    result file. ``continues`` is the file of a result to which rounds are added, with its disk, settings, workloads,
    sizes and seed. ``after`` is the file of a result whose winner is tuned: settings compete with it on its workloads.
    ``own`` is the user's own program, measured instead of the goal's workloads. ``shown`` are the commands that a
    continued result runs, for people to read; whether they may run is checked in the file itself. ``felt`` is a folder
    on another disk, where a copy to this one is felt; the goal is then ``FELT``. ``rounds`` is the most rounds that are
    added to a continued result; None for as many as the budget allows. ``state`` is that of the disk during all runs;
    None is rested, or that of the continued result.
    """

    target: str
    goal: str = DESKTOP.id
    budget: str = QUICK.id
    settings: tuple[Setting, ...] | None = None
    workloads: tuple[str, ...] | None = None
    seed: int | None = None
    out: Path | None = None
    continues: Path | None = None
    after: Path | None = None
    own: Definition | None = None
    shown: tuple[Message, ...] = ()
    felt: str = ""
    rounds: int | None = None
    state: DiskState | None = None


def request_for(goal: str, felt: str = "", **given: Any) -> Request:
    """Ask for a goal in a folder that is chosen later; what is felt elsewhere is felt among the user's files."""
    return Request("", goal, felt=felt or (str(home()) if goal == FELT.id else ""), **given)


@dataclass(frozen=True, slots=True)
class BenchRequest:
    """What to run where: a workload or the user's own program. A run should take about ``run_s``.

    ``felt`` is the folder on another disk that a workload may need.
    """

    target: str
    workload: str
    rounds: int = 3
    run_s: float = 5.0
    seed: int | None = None
    out: Path | None = None
    own: Definition | None = None
    felt: str = ""


@dataclass(frozen=True, slots=True)
class Announcement:
    """What would happen where, known before anything is changed and shown before the start.

    ``unavailable`` says why a workload is left out, and which package to install. ``cautions`` also belong to the
    result, ``at_start`` only to the start. ``refused`` is why it cannot start; None if it can.
    """

    target: Target
    plan: Plan
    unavailable: Mapping[str, Message] = field(default_factory=dict)
    cautions: tuple[Message, ...] = ()
    at_start: tuple[Message, ...] = ()
    refused: Message | None = None

    @property
    def asks_first(self) -> bool:
        """Whether a person must agree: to use up the fast cache, more is written to a disk that wears than usual."""
        return self.plan.exhaustion is not None and self.target.disk.kind.wears and self.refused is None

    @property
    def shown(self) -> tuple[Message, ...]:
        """Everything to read before the start."""
        return (*self.at_start, *self.cautions)


@dataclass(frozen=True, slots=True)
class JudgedResult:
    """What a comparison found: the result, its verdict, and its file.

    ``disks`` are the measured ones, as they were before; none for a result opened later, perhaps on another machine, on
    whose account nothing may be done to a disk. ``path`` is None if it could not be kept anywhere; ``problem`` says why
    it is not where it was requested.
    """

    result: Result
    verdict: Verdict
    path: Path | None
    disks: tuple[Disk, ...] = ()
    problem: Message | None = None


Trials = Callable[[Sequence[Disk]], AbstractContextManager[SchedulerSwitch]]
"""Begins a trial of some disks (this may ask for rights); leaving it restores them."""


@dataclass(frozen=True, slots=True)
class Environment:
    """Everything that a comparison needs from outside, so that tests can replace it.

    ``stop_waiting`` ends a wait for the trial, from any thread. ``require_free`` raises, before anything is planned, if
    somebody else's trial holds one of the disks. ``portraits`` tell where fast caches end.
    """

    system: System
    trials: Trials
    store: Store
    stop_waiting: Callable[[], None] = lambda: None
    require_free: Callable[[Sequence[Disk]], object] = lambda _: None
    portraits: Portraits = field(default_factory=Portraits)


def empty_result(prepared: Announcement) -> Result:
    """Return the result before the first sample; a continued one has all earlier samples, under a new id."""
    plan, target = prepared.plan, prepared.target
    metrics = {name: metric for planned in plan.planned for name, metric in metrics_of(planned.workload.facts).items()}
    empty = replace(
        new_result(target.disk, target.mount, replace(plan.record, rounds=plan.rounds), metrics),
        warnings=prepared.cautions,
        disks=target.names if len(target.names) > 1 else (),
        sizes={planned.workload.id: planned.spec.as_json() for planned in plan.planned},
        own=plan.definition and marked(plan.definition),
    )
    return _continued(empty, plan.continues, plan.rounds) if plan.continues else empty


def _continued(empty: Result, before: Result, rounds: int) -> Result:
    done = max((sample.round + 1 for sample in before.samples), default=0)
    return replace(
        empty,
        plan=replace(before.plan, rounds=done + rounds),
        metrics={**empty.metrics, **before.metrics},
        samples=before.samples,
        series=before.series,
        warnings=tuple(dict.fromkeys((*before.warnings, *empty.warnings))),
        notes=before.notes,
        sizes=before.sizes,
        histograms=before.histograms,
        after=before.after,
        continues=before.id,
    )
