# SPDX-License-Identifier: GPL-3.0-or-later
"""What a comparison is asked for, announces and yields, what it needs for that; its result before the first run."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from disktuner import __version__
from disktuner.block.disk import Disk, Mount, disk_to_json
from disktuner.block.machine import cpu_name, os_name
from disktuner.block.system import System
from disktuner.comparison.target import Target
from disktuner.experiment.plan import Plan
from disktuner.experiment.run import SchedulerSwitch
from disktuner.opening import is_there
from disktuner.results.definition import Definition
from disktuner.results.mark import marked
from disktuner.results.model import FileSystem, Machine, PlanRecord, Result
from disktuner.results.store import Store, new_id
from disktuner.verdict.model import Verdict
from disktuner.vocabulary.goals import DESKTOP, QUICK
from disktuner.vocabulary.messages import Message
from disktuner.vocabulary.metrics import Metric
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.workloads import metrics_of


@dataclass(frozen=True, slots=True)
class Request:
    """What the user wants to know; goal and budget are ids.

    ``target`` is a folder, or the kernel's name of a disk (``sda`` or ``/dev/sda``; then its writable mounted
    file system with most room). ``settings`` and ``workloads`` None mean: all schedulers that the disk offers or can
    load, and those of the goal. ``seed`` None draws one; it is recorded in the result.
    ``out`` is an additional copy of the result file. ``continues`` is the file of a result whose comparison is
    continued: new rounds are added to its own, with its disk, settings, workloads, sizes and seed. ``after`` is the
    file of a result whose winner is tuned: settings compete with it, on what it measured. ``own`` is a program of the
    user's own, which is measured in the place of a goal's workloads. ``shown`` says what a result that is continued
    runs, to be read before: whether it may is looked up in the file itself. ``felt`` is a folder on another disk,
    where a copy to this one is felt; the goal is then ``FELT``. ``rounds`` is how many more a result gets at most that
    is continued; None as many as the budget allows.
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


@dataclass(frozen=True, slots=True)
class BenchRequest:
    """What to run where: a workload, or a program of one's own. ``run_s`` is about how long one run should take.

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

    ``unavailable`` says by workload why it is left out and which package to install. ``cautions`` hold for the result,
    too, ``at_start`` only before it starts. ``refused`` is the reason why it cannot start, None where it can.
    """

    target: Target
    plan: Plan
    unavailable: Mapping[str, Message] = field(default_factory=dict)
    cautions: tuple[Message, ...] = ()
    at_start: tuple[Message, ...] = ()
    refused: Message | None = None

    @property
    def shown(self) -> tuple[Message, ...]:
        """All that is to be known before the start."""
        return (*self.at_start, *self.cautions)


@dataclass(frozen=True, slots=True)
class JudgedResult:
    """What a comparison found: the stored result, the verdict drawn from it, and where the file lies.

    ``disks`` are those that were measured, as they were before; none where a result was opened later, perhaps on
    another machine: then nothing can be done with a disk because of it. ``path`` is None where it could be kept
    nowhere; ``problem`` says why it is not where it was asked to be.
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
    """Where a comparison takes place: all that it needs from elsewhere, so that each can be another one in a test.

    ``stop_waiting`` ends a wait for the trial, from any thread. ``require_free`` raises where somebody else's trial
    holds one of some disks, before anything is planned.
    """

    system: System
    trials: Trials
    store: Store
    stop_waiting: Callable[[], None] = lambda: None
    require_free: Callable[[Sequence[Disk]], object] = lambda _: None


def new_result(disk: Disk, mount: Mount | None, record: PlanRecord, metrics: Mapping[str, Metric]) -> Result:
    """Return a result of now without a sample: what was planned on a disk, and below ``mount`` if it has one."""
    return Result(
        id=new_id(),
        created=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        app_version=__version__,
        machine=this_machine(),
        disk=disk_to_json(disk),
        filesystem=FileSystem(mount.path, mount.fstype, mount.options, mount.via) if mount else FileSystem(),
        plan=record,
        metrics=metrics,
        samples=(),
    )


def empty_result(prepared: Announcement) -> Result:
    """The result before the first sample; of a comparison that is continued, all that it holds, as a new one."""
    plan, target = prepared.plan, prepared.target
    metrics = {name: metric for each in plan.planned for name, metric in metrics_of(each.workload.facts).items()}
    empty = replace(
        new_result(target.disk, target.mount, replace(plan.record, rounds=plan.rounds), metrics),
        warnings=prepared.cautions,
        disks=target.names if len(target.names) > 1 else (),
        sizes={each.workload.id: each.spec.as_json() for each in plan.planned},
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
        finished=False,
        sizes=before.sizes,
        histograms=before.histograms,
        after=before.after,
        continues=before.id,
    )


def _boot_id(proc: Path) -> str:
    """Within one boot a diskseq belongs to one disk; empty where that is not told."""
    file = proc / "sys/kernel/random/boot_id"
    return file.read_text().strip() if is_there(file) else ""


def this_machine(proc: Path = Path("/proc")) -> Machine:
    """Describe the running machine."""
    return Machine(
        kernel=os.uname().release,
        os=os_name(),
        cpu=cpu_name(proc),
        memory_bytes=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        cmdline=(proc / "cmdline").read_text(errors="replace").strip(),
        boot_id=_boot_id(proc),
    )
