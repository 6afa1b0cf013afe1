# SPDX-License-Identifier: GPL-3.0-or-later
"""The values of a result: raw samples are the truth, verdicts are recomputed from them."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta

from disktuner.results.definition import Definition
from disktuner.vocabulary.errors import MeasurementImpossible, UsageError
from disktuner.vocabulary.messages import Message
from disktuner.vocabulary.metrics import Metric
from disktuner.vocabulary.questions import Question, question_of_others
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.states import DiskState
from disktuner.vocabulary.workloads import DAILY_USE


class BadResult(MeasurementImpossible):
    """The text is no result, or a damaged or impossible one."""


class NoSuchResult(UsageError):
    """There is no such file, or it cannot be read."""


FORMAT: Literal["disktuner.result/2"] = "disktuner.result/2"
LARGEST_BYTES = 2**26
"""The largest file: a million live points take 64.1 MB; half an hour of runs takes 6 MB with everything."""

LONGEST_LINE, LONGEST_TEXT = 2_000, 100_000

Line: TypeAlias = Annotated[str, Meta(max_length=LONGEST_LINE)]
Text: TypeAlias = Annotated[str, Meta(max_length=LONGEST_TEXT)]
Bins: TypeAlias = Sequence[tuple[float, int]]
"""Upper bounds in seconds with numbers of requests."""


def column(values: Sequence[float]) -> array[float]:
    """Return a column of live figures."""
    return array("f", values)


@dataclass(frozen=True, slots=True)
class Sample:
    """One raw measured value.

    ``order`` is the position of its run in the whole experiment, ``round`` the block it belongs to. ``reason`` says why
    an invalid sample must not be counted (``vocabulary.reasons``), or what disturbed a valid one. ``started`` is UTC,
    ISO 8601.
    """

    metric: str
    setting: Setting
    round: int
    order: int
    value: float
    valid: bool = True
    reason: Message | None = None
    started: str = ""
    duration_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine that was measured on; ``boot_id`` is the kernel's id of the boot (random(4))."""

    kernel: Line = ""
    os: Line = ""
    cpu: Line = ""
    memory_bytes: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 0
    cmdline: Text = ""
    boot_id: Line = ""


@dataclass(frozen=True, slots=True)
class FileSystem:
    """The file system that was measured on."""

    path: Line = ""
    fstype: Line = ""
    options: tuple[Text, ...] = ()
    via: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Felt:
    """The file system on another disk where effects of the measured one were felt."""

    path: Line = ""
    disk: Line = ""


@dataclass(frozen=True, slots=True)
class PlanRecord:
    """What was planned. ``baseline`` is what the disk had before or, if it ``tunes``, the earlier winner.

    ``question`` is what was asked; None if another program made the plan. ``felt`` is where effects are felt; None if
    on the measured disk. ``state`` is that of the disk during all runs.
    """

    goal: str | None
    budget: str | None
    settings: tuple[Setting, ...]
    baseline: Setting
    workloads: tuple[str, ...]
    seed: int
    rounds: int | None = None
    tunes: bool = False
    question: Question | None = None
    felt: Felt | None = None
    state: DiskState = DiskState.RESTED


@dataclass(frozen=True, slots=True)
class SeriesRecord:
    """Live figures of one run: columns of equal length and single precision, times in seconds from its start."""

    order: int
    workload: str
    setting: Setting
    round: int
    times_s: array[float]
    figures: Mapping[str, array[float]]


@dataclass(frozen=True, slots=True)
class Addition:
    """What one step of an experiment adds to its result: a run, a warning, or the sizes of runs.

    The samples are those of one run, which differ in metric and value only; ``histograms`` are its latency
    distributions by name, ``sizes`` the specs of all workloads by id.
    """

    samples: tuple[Sample, ...] = ()
    series: SeriesRecord | None = None
    histograms: Mapping[str, Bins] = field(default_factory=dict)
    warning: Message | None = None
    sizes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Result:
    """One experiment with everything needed to judge it again.

    ``disk`` is the disk as ``disktuner list --json`` prints it, so that results outlive changes of our types.
    ``finished`` is false in the file during a measurement, so that a result that was cut off shows it.

    ``disks`` are the names of all measured disks, if several. ``sizes`` has the spec of each workload, ``histograms``
    the latency distributions by a run's order and by name. ``own`` is the user's program that was measured.
    ``continues`` is the id of the result that this one continues, ``after`` of the one whose winner it tunes.
    """

    id: str
    created: str
    app_version: str
    machine: Machine
    disk: Mapping[str, Any]
    filesystem: FileSystem
    plan: PlanRecord
    metrics: Mapping[str, Metric]
    samples: tuple[Sample, ...]
    series: tuple[SeriesRecord, ...] = ()
    warnings: tuple[Message, ...] = ()
    notes: str = ""
    finished: bool = True
    disks: tuple[str, ...] = ()
    sizes: Mapping[str, Any] = field(default_factory=dict)
    histograms: Mapping[int, Mapping[str, Bins]] = field(default_factory=dict)
    own: Definition | None = None
    continues: str = ""
    after: str = ""

    @property
    def question(self) -> Question:
        """The planned question, or else the one that the measured metrics answer for the goal."""
        if self.plan.question is not None:
            return self.plan.question.among(self.metrics, self.plan.goal)
        sampled = {sample.metric for sample in self.samples}
        measured = [metric for name, metric in self.metrics.items() if name in sampled]
        return question_of_others(self.plan.goal, measured, self.plan.workloads)

    @property
    def had_baseline(self) -> bool:
        """Whether the disk had the baseline; a tuning's baseline is the earlier winner, in use or not."""
        scheduler, tunables = self.disk.get("scheduler"), self.disk.get("tunables")
        values = tunables if isinstance(tunables, dict) else {}
        return not self.plan.tunes or scheduler is None or self.plan.baseline.is_had_by(str(scheduler), values)

    @property
    def rounds(self) -> int:
        """The number of rounds begun."""
        return len({sample.round for sample in self.samples})

    def disk_called(self, *facts: str) -> str:
        """Return the disk's name from some facts ("vendor", "model", …); empty if none is known."""
        return " ".join(str(self.disk[fact]) for fact in facts if self.disk.get(fact))

    @property
    def was_daily_use(self) -> bool:
        """Whether it was counted during daily use, not measured."""
        return DAILY_USE.id in self.plan.workloads

    def plus(self, *additions: Addition) -> Result:
        """Return the result with additions."""
        histograms = {
            addition.samples[0].order: addition.histograms
            for addition in additions
            if addition.histograms and addition.samples
        }
        return replace(
            self,
            samples=(*self.samples, *(sample for addition in additions for sample in addition.samples)),
            series=(*self.series, *(addition.series for addition in additions if addition.series)),
            warnings=(*self.warnings, *(addition.warning for addition in additions if addition.warning)),
            histograms={**self.histograms, **histograms},
            sizes=next((addition.sizes for addition in reversed(additions) if addition.sizes), self.sizes),
        )
