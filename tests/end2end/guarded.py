# SPDX-License-Identifier: GPL-3.0-or-later
"""What the guard's tests share: an experiment with a real disk and a workload that misbehaves as the guard should
notice.

Whatever is to happen in the middle of a run is done by the workload itself, so timing does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from disktuner.block.system import System
from disktuner.experiment.events import Event
from disktuner.experiment.exhaustion import Exhaustion
from disktuner.experiment.experiment import Experiment
from disktuner.experiment.plan import Plan, Planned
from disktuner.experiment.rounds import Turn
from disktuner.experiment.run import DiskRunner, SchedulerSwitch
from disktuner.results.model import PlanRecord, Result, Sample
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.messages import say
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.workloads import WorkloadFacts, facts_of
from disktuner.workloads.catalogue import find
from disktuner.workloads.processes import Control, Processes
from disktuner.workloads.source import write_file
from disktuner.workloads.spec import FileSpec, Spec
from disktuner.workloads.workload import MIB, Measurement, Probe, Scratch, Workload
from tests.conftest import LoopDisk
from tests.unit.experiment.playing import EMPTY

SMALL = FileSpec(1.0, 32 * MIB)


class Doing(Workload):
    """A workload made of one function that does what the guard must notice."""

    id = "doing"
    deciding = "wall_s"

    def __init__(self, act: Callable[[Path, Processes], Measurement]) -> None:
        self.act = act

    @property
    def facts(self) -> WorkloadFacts:
        return replace(facts_of("own-command"), id=self.id)

    def plan(self, probe: Probe, seconds: float, *_: float) -> Spec:
        return SMALL

    def prepare(self, scratch: Scratch, spec: Spec) -> None:
        write_file(scratch.folder / "in", 32 * MIB, 1, scratch.processes.check)

    def run(self, scratch: Scratch, spec: Spec, *_: float) -> Measurement:
        return self.act(scratch.folder, scratch.processes)


@dataclass(frozen=True, slots=True)
class Measured:
    """The outcome of an experiment; ``error`` is the one that ended it early, if any."""

    result: Result
    error: MeasurementImpossible | None

    @property
    def samples(self) -> Sequence[Sample]:
        return self.result.samples

    @property
    def reasons(self) -> list[str]:
        return [sample.reason.id if sample.reason else "" for sample in self.samples]

    @property
    def said(self) -> str:
        """The reasons as sentences."""
        return " | ".join(say(sample.reason) for sample in self.samples if sample.reason)


def measure(
    disk: LoopDisk,
    workload: Workload,
    spec: Spec,
    heard: Callable[[Event], None] = lambda _: None,
    rounds: int = 1,
    *,
    system: System | None = None,
    exhaustion: Exhaustion | None = None,
) -> Measured:
    """Run a workload on a disk with the scheduler it has."""
    settings = (Setting(disk.scheduler),)
    planned = (Planned(workload, spec),)
    record = PlanRecord(None, None, settings, settings[0], (workload.id,), 1)
    plan = Plan(disk.folder, (disk.name,), record, planned, rounds, rounds, settings, exhaustion=exhaustion)
    control = Control()
    error: MeasurementImpossible | None = None
    experiment = Experiment(
        plan,
        EMPTY,
        runner=DiskRunner(
            plan,
            system=system or System(),
            switch=SchedulerSwitch(),
            control=control,
            report=heard,
        ),
        save=lambda _: None,
        listener=heard,
        control=control,
        next_turn=lambda _: Turn({workload.id: plan.settings}),
    )
    try:
        experiment.run()
    except MeasurementImpossible as problem:
        error = problem
    return Measured(experiment.result, error)


def small(workload: str) -> tuple[Workload, Spec]:
    """Return a workload of some 50 MB."""
    workload_ = find(workload)
    return workload_, workload_.plan(Probe(50e6, 50e6, 0.001, 1 << 32, 1 << 32), 1.0)
