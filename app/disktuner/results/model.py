# SPDX-License-Identifier: GPL-3.0-or-later
"""The values of a result, and what can be wrong with one: raw samples are the truth, verdicts are recomputed."""

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
from disktuner.vocabulary.workloads import DAILY_USE


class BadResult(MeasurementImpossible):
    """The text is no result, a damaged one, or one that says what no measurement can say."""


class NoSuchResult(UsageError):
    """There is no such file, or it cannot be read."""


FORMAT: Literal["disktuner.result/2"] = "disktuner.result/2"
LARGEST_BYTES = 2**26
"""Of a file: a million live points take 64.1 MB; half an hour of runs, with everything, takes 6 MB."""

LONGEST_TEXT = 100_000

Line: TypeAlias = Annotated[str, Meta(max_length=2_000)]
Text: TypeAlias = Annotated[str, Meta(max_length=LONGEST_TEXT)]
Bins: TypeAlias = Sequence[tuple[float, int]]
"""How many requests took up to so many seconds."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One raw measured value.

    ``order`` is the position of its run in the whole experiment, ``round`` the block it belongs to. An invalid
    sample keeps its value and says in ``reason`` why it must not be counted (``vocabulary.reasons``); a valid one says
    there what disturbed it. ``started`` is UTC, ISO 8601.
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
    """Where it was measured; ``boot_id`` is the kernel's name for the time since it started (random(4))."""

    kernel: Line = ""
    os: Line = ""
    cpu: Line = ""
    memory_bytes: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 0
    cmdline: Text = ""
    boot_id: Line = ""


@dataclass(frozen=True, slots=True)
class FileSystem:
    """The file system that was measured through."""

    path: Line = ""
    fstype: Line = ""
    options: tuple[Text, ...] = ()
    via: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Felt:
    """The file system on another disk on which is felt what happens on the one that is measured."""

    path: Line = ""
    disk: Line = ""


@dataclass(frozen=True, slots=True)
class PlanRecord:
    """What was meant to be run. ``baseline`` is what the disk had before.

    Where it ``tunes``, the ``baseline`` is what won before. ``question`` is what was asked; None
    where another program made the plan. ``felt`` is where it is felt, None where on the disk itself.
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


@dataclass(frozen=True, slots=True)
class SeriesRecord:
    """Live figures of one run: columns (``results.columns``) of one length, times in seconds from its start."""

    order: int
    workload: str
    setting: Setting
    round: int
    times_s: array[float]
    figures: Mapping[str, array[float]]


@dataclass(frozen=True, slots=True)
class Addition:
    """What one step of an experiment adds to its result: a run, a warning, or the sizes of its runs.

    The samples are those of one run, so they differ in metric and value only; ``histograms`` are its latency
    distributions by name, ``sizes`` those of all workloads by id.
    """

    samples: tuple[Sample, ...] = ()
    series: SeriesRecord | None = None
    histograms: Mapping[str, Bins] = field(default_factory=dict)
    warning: Message | None = None
    sizes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Result:
    """One experiment with everything needed to judge it again.

    ``disk`` is the disk as ``disktuner list --json`` prints it, so that a result outlives changes of our types.
    ``finished`` is false in the file as long as it is measured, so that one that was cut off says so.

    ``disks`` are the names of all that were measured together, where they were several. ``sizes`` says what the runs of
    each workload did, ``histograms`` are the latency distributions by name of each run by its order. ``own`` is the
    user's program that was measured. ``continues`` and ``after`` are the id of the result that was measured on, and
    whose winner is tuned.
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
        """What was asked: as it was planned, else what was measured answers for the goal."""
        if self.plan.question is not None:
            return self.plan.question.among(self.metrics, self.plan.goal)
        there = {sample.metric for sample in self.samples}
        measured = [metric for name, metric in self.metrics.items() if name in there]
        return question_of_others(self.plan.goal, measured, self.plan.workloads)

    @property
    def had_baseline(self) -> bool:
        """Whether the disk had what is compared with; a tuning compares with the winner of before, used or not."""
        had, tunables = self.disk.get("scheduler"), self.disk.get("tunables")
        known = tunables if isinstance(tunables, dict) else {}
        return had is None or self.plan.baseline.is_had_by(str(had), known)

    @property
    def rounds(self) -> int:
        """How many rounds were begun."""
        return len({sample.round for sample in self.samples})

    def disk_called(self, *facts: str) -> str:
        """Return what some facts call the disk ("vendor", "model", …); empty where none is known."""
        return " ".join(str(self.disk[fact]) for fact in facts if self.disk.get(fact))

    @property
    def was_daily_use(self) -> bool:
        """Whether it was counted while somebody worked, and not measured."""
        return DAILY_USE.id in self.plan.workloads

    def plus(self, *additions: Addition) -> Result:
        """Return the result with what steps added to it."""
        histograms = {each.samples[0].order: each.histograms for each in additions if each.histograms and each.samples}
        return replace(
            self,
            samples=(*self.samples, *(sample for each in additions for sample in each.samples)),
            series=(*self.series, *(each.series for each in additions if each.series)),
            warnings=(*self.warnings, *(each.warning for each in additions if each.warning)),
            histograms={**self.histograms, **histograms},
            sizes=next((each.sizes for each in reversed(additions) if each.sizes), self.sizes),
        )
