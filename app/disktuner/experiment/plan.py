# SPDX-License-Identifier: GPL-3.0-or-later
"""What will be run, and what that costs in time and bytes, before the start."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from disktuner.experiment.probe import MOST_BYTES as PROBE_BYTES
from disktuner.results.definition import Definition
from disktuner.results.model import PlanRecord, Result
from disktuner.vocabulary.goals import Limits
from disktuner.vocabulary.messages import Message
from disktuner.vocabulary.settings import Setting
from disktuner.workloads.spec import SHORTEST_S, Spec
from disktuner.workloads.workload import MIB, Probe, Workload

OVERHEAD_S = 0.1  # per run: switching, checking, saving
LEAST_S = 0.05
"""But where a file system is nearly full, short runs are better than none."""
SPARE_BYTES = 8 * MIB  # folders, locks, journal
SAVED_BYTES, SAVED_BYTES_PER_S = 64 << 10, 2 << 10
"""What keeping one run writes at most, and per second of it: its line in the journal, its part of the whole file (11 kB
on average with everything), that of a copy, and the file system's own blocks that make each line durable."""
AROUND_S = 5.0
"""Probing before the experiment, and cleaning after it."""
TYPICAL_ROUNDS = 3
"""After so many rounds of what decides, half of all comparisons have their answer."""
FEWEST_ROUNDS = 6
"""Runs are made shorter until so many rounds of what decides fit, in time and in bytes."""
MOST_GROWTH = 3.0
"""Where runs take so many times less than the disk looked like, they do that much more, or there are so many more."""
DECLARED_GROWTH = 1.25
"""The same where it is written at a declared rate: only what is around the runs may take less."""
PRICED, PRICE_ROUNDS = 2, 4
"""For a price the baseline and one that may win are measured, usually so often."""


def with_warm_ups(settings: Iterable[Setting]) -> list[Setting]:
    """Return the runs that such runs take: what learns has an uncounted one before each."""
    return [each for each in settings for _ in range(2 if each.learns else 1)]


@dataclass(frozen=True, slots=True)
class Planned:
    """A workload with what a run of it does, the same for all settings; it decides, or only bounds a gain's cost.

    ``prepare_s`` is how long it takes to write its files, which is done when it is first run where it does not decide.
    """

    workload: Workload
    spec: Spec
    decides: bool = True
    prepare_s: float = 0.0

    @property
    def run_s(self) -> float:
        """The expected time of a run with all around it."""
        return self.spec.expected_s + OVERHEAD_S

    @property
    def has_files(self) -> bool:
        """Whether files are written before its runs."""
        return self.spec.cost.bytes_prepared > 0

    def sized(self, share: float) -> Planned:
        """Return it with that share of the work."""
        return replace(self, spec=self.spec.sized(share))


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be compared, as its result will say, on workloads, within limits.

    ``unavailable`` says by id why a workload cannot run here. ``continues`` is the result that is measured on, if one
    is, and ``specs`` by id what its runs do.
    """

    record: PlanRecord
    workloads: Sequence[Workload]
    limits: Limits
    unavailable: Mapping[str, Message] = field(default_factory=dict)
    continues: Result | None = None
    specs: Mapping[str, Spec] = field(default_factory=dict)

    def decides(self, workload: Workload) -> bool:
        """Whether a workload decides what is asked; all do where nothing does."""
        question = self.record.question
        return question is None or not question.parts or workload.id in question.deciding_workloads


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides what is run.

    ``rounds`` of what decides probably fit; a workload gets ``most_rounds``. No run begins that would end after
    ``most_s``, which counts from before the probe to after the cleaning, or write more than ``most_bytes`` with all
    before it. ``piloted`` are the settings under which what decides is run once, uncounted, before; its runs are then
    sized to take ``run_s`` at most under the slowest of them. ``before_s`` is the expected time of all but runs.
    ``saves`` says that the result is kept on one of the disks, too; ``bytes_before`` is what keeping the result that it
    ``continues`` writes again. ``elsewhere`` is the folder on another disk that is felt, if one is.
    """

    folder: Path
    disks: tuple[str, ...]
    record: PlanRecord
    planned: tuple[Planned, ...]
    rounds: int
    most_rounds: int
    piloted: tuple[Setting, ...]
    run_s: float = math.inf
    most_s: float = math.inf
    most_bytes: float = math.inf
    before_s: float = 0.0
    saves: bool = False
    continues: Result | None = None
    bytes_before: int = 0
    elsewhere: Path | None = None

    @property
    def settings(self) -> tuple[Setting, ...]:
        """All that compete, the baseline first."""
        return self.record.settings

    @property
    def definition(self) -> Definition | None:
        """The program of the user's own that is run, if one is."""
        return next((each.workload.definition for each in self.planned), None)

    def runs_of(self, rounds: int, *, decides: bool) -> int:
        """The runs of a workload in so many rounds of what decides, with its pilot."""
        runs, settings = len(with_warm_ups(self.settings)), len(self.settings)
        if decides:
            return len(self.piloted) + rounds * runs
        return (1 + min(rounds, PRICE_ROUNDS)) * (min(PRICED, settings) + min(PRICED, runs - settings))

    def seconds(self, rounds: int) -> float:
        """The expected duration of all, with so many rounds and the prices of one candidate."""
        return self.before_s + sum(self.runs_of(rounds, decides=each.decides) * each.run_s for each in self.planned)

    @property
    def typical_s(self) -> float:
        """How long it usually takes until there is an answer."""
        return min(self.announced_s, self.seconds(min(TYPICAL_ROUNDS, self.rounds)))

    @property
    def announced_s(self) -> float:
        """How long it takes at most."""
        return min(self.most_s, self.seconds(self.most_rounds))

    @property
    def bytes_written(self) -> int:
        """The upper bound of all bytes written: probe, preparation, pilot, runs, repeats, the result."""
        runs = int(self.most_bytes) if math.isfinite(self.most_bytes) else self.bytes_of_rounds(self.rounds)
        return self._bytes_around(self.planned) + runs

    @property
    def typical_bytes(self) -> int:
        """What is usually written until there is an answer: mostly nothing gains, so that nothing has to be priced."""
        rounds = min(TYPICAL_ROUNDS, self.rounds)
        deciding = [each for each in self.planned if each.decides]
        runs = sum(self.runs_of(rounds, decides=True) * self.bytes_expected(each) for each in deciding)
        return min(self.bytes_written, self._bytes_around(deciding) + runs)

    def _bytes_around(self, planned: Iterable[Planned]) -> int:
        return PROBE_BYTES + sum(each.spec.cost.bytes_prepared for each in planned) + self.bytes_before

    def bytes_of_rounds(self, rounds: int) -> int:
        """What the pilot, so many rounds and their repeats write where runs take as long as expected."""
        runs = {each: self.runs_of(rounds, decides=each.decides) for each in self.planned}
        repeats = max(1, math.ceil(sum(runs.values()) / 12)) * max(map(self.bytes_expected, self.planned))
        slow = max(self.bytes_of(each) - self.bytes_expected(each) for each in self.planned)
        return slow + repeats + sum(count * self.bytes_expected(each) for each, count in runs.items())

    def bytes_of(self, each: Planned) -> int:
        """The upper bound of what one run writes."""
        return each.spec.cost.bytes_written + self._saved_bytes(each)

    def bytes_expected(self, each: Planned) -> int:
        """What one run writes where it takes as long as expected."""
        return each.spec.cost.bytes_expected + self._saved_bytes(each)

    def _saved_bytes(self, each: Planned) -> int:
        return SAVED_BYTES + round(SAVED_BYTES_PER_S * each.spec.expected_s) if self.saves else 0

    @property
    def bytes_needed(self) -> int:
        """The room that all scratch files take at most at one time."""
        grown = (each.sized(MOST_GROWTH) if math.isfinite(self.run_s) else each for each in self.planned)
        return sum(each.spec.cost.bytes_kept for each in grown) + SPARE_BYTES

    @property
    def bytes_elsewhere(self) -> int:
        """What is written on the other disk that is felt, with the look at it."""
        return PROBE_BYTES + sum(each.spec.cost.bytes_elsewhere for each in self.planned)


def make_plan(task: Task, folder: Path, disks: tuple[str, ...], probe: Probe, *, saves: bool = False) -> Plan:
    """Choose sizes so that enough rounds stay within the limits and the room on a disk as probed."""
    limits, seconds = task.limits, task.limits.run_s
    bare = Plan(
        folder, disks, task.record, (), 1, limits.rounds, _piloted(task, probe),
        math.inf if task.specs else limits.run_s, limits.seconds, saves=saves,
    )  # fmt: skip
    fewest = min(FEWEST_ROUNDS, limits.rounds)
    while True:
        plan = _sized(bare, task, probe, seconds)
        in_time = plan.seconds(fewest) <= limits.seconds or seconds <= SHORTEST_S
        # Where not even the least work has room, the comparison is refused.
        has_room = plan.bytes_needed <= probe.free_bytes or seconds <= LEAST_S
        if (in_time and has_room) or task.specs:
            return _limited(plan, limits, probe)
        seconds *= 0.9


def _piloted(task: Task, probe: Probe) -> tuple[Setting, ...]:
    """The first setting of each scheduler; only the baseline where sizes are given or runs last four times as long.

    So it is on a fast disk: runs are as short as they may be there, and each writes what a slow one does in minutes.
    """
    if task.specs or probe.is_fast or any(4 * task.limits.run_s < each.spec_type.MAY_LAST_S for each in task.workloads):
        return (task.record.baseline,)
    first: dict[str, Setting] = {}
    for each in task.record.settings:
        first.setdefault(each.scheduler, each)
    return tuple(first.values())


def _sized(bare: Plan, task: Task, probe: Probe, seconds: float) -> Plan:
    """Return a plan of runs of about that time, shorter where they would write too much: fast disks are worn, too."""
    runs = sum(bare.runs_of(FEWEST_ROUNDS, decides=task.decides(each)) for each in task.workloads)
    most = task.limits.written_bytes / runs
    planned = tuple(
        _planned(each, task.specs.get(each.id) or _spec(each, probe, seconds, most), task.decides(each), probe)
        for each in task.workloads
    )
    return replace(bare, planned=planned, before_s=AROUND_S + sum(each.prepare_s for each in planned))


def _planned(workload: Workload, spec: Spec, decides: bool, probe: Probe) -> Planned:
    return Planned(workload, spec, decides, spec.cost.bytes_prepared / probe.write_bytes_per_s)


def _spec(workload: Workload, probe: Probe, seconds: float, most_bytes: float) -> Spec:
    while (spec := workload.plan(probe, seconds, most_bytes)).cost.bytes_expected > most_bytes and seconds > LEAST_S:
        seconds *= 0.8
    return spec


def _limited(plan: Plan, limits: Limits, probe: Probe) -> Plan:
    """Add how many rounds fit, and what may be written in the time: more where runs are quicker than expected.

    Then the disk is quicker than it looked, too: a stick that takes long for each piece seems slow. What is written at
    a declared rate is not quicker.
    """
    fit = [rounds for rounds in range(1, limits.rounds + 1) if plan.seconds(rounds) <= limits.seconds]
    rounds = max(fit, default=1)
    most_bytes = planned = float(plan.bytes_of_rounds(rounds))
    if math.isfinite(limits.seconds):
        growth = DECLARED_GROWTH if any(each.spec.remark() for each in plan.planned) else MOST_GROWTH
        most_bytes = max(planned, growth * min(planned, probe.busy_bytes_per_s * limits.seconds))
    most_s = min(limits.seconds, plan.seconds(limits.rounds))
    return replace(plan, rounds=rounds, most_s=most_s, most_bytes=min(limits.written_bytes, most_bytes))
