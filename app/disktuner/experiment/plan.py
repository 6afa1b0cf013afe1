# SPDX-License-Identifier: GPL-3.0-or-later
"""What will be run, and its cost in time and bytes, before the start."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean

from disktuner.experiment.exhaustion import CHECK_S, Exhaustion
from disktuner.experiment.probe import MOST_BYTES as PROBE_BYTES
from disktuner.results.definition import Definition
from disktuner.results.model import PlanRecord, Result
from disktuner.vocabulary.goals import Limits
from disktuner.vocabulary.messages import Message
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.states import settle_s
from disktuner.workloads.load import LoadedSpec
from disktuner.workloads.spec import SHORTEST_S, Spec
from disktuner.workloads.workload import MIB, Probe, Workload

OVERHEAD_S = 0.1  # per run: switching, checking, saving
LEAST_S = 0.05
"""The least duration of a run on a nearly full file system, where short runs are better than none."""
SPARE_BYTES = 8 * MIB  # folders, locks, journal
SAVED_BYTES, SAVED_BYTES_PER_S = 64 << 10, 2 << 10
"""The most that saving one run writes, and more for each of its seconds: its journal line, its part of the result (11
kB on average) and of a copy, and the file system's blocks that make each line durable."""
AROUND_S = 5.0
"""The time for probing before the experiment and cleaning after it."""
TYPICAL_ROUNDS = 3
"""The rounds of deciding workloads after which half of all comparisons have their answer."""
FEWEST_ROUNDS = 6
"""Runs are shortened until this many rounds of deciding workloads fit the time and bytes."""
FEWEST_BLOCKS = 3
"""The same where each scheduler needs time to settle: shorter runs would hardly make room for more."""
MOST_GROWTH = 3.0
"""If runs are quicker than the probe suggested, they grow, or multiply, by at most this factor."""
DECLARED_GROWTH = 1.25
"""The same at a declared write rate, or a portrait's, where only the time between runs can be shorter."""
PRICED, PRICE_ROUNDS = 2, 4
"""The settings measured for a price (the baseline and a candidate), and the usual number of rounds."""


def with_warm_ups(settings: Iterable[Setting]) -> list[Setting]:
    """Return the runs including warm-ups: a setting that learns has an uncounted run before each."""
    return [setting for setting in settings for _ in range(2 if setting.learns else 1)]


@dataclass(frozen=True, slots=True)
class Planned:
    """A workload with its spec, the same for all settings; it ``decides``, or only bounds the cost of a gain.

    ``prepare_s`` is how long writing its files takes; if it does not decide, they are written before its first run.
    ``around_s`` is the time of each run besides it: switching, checking, saving.
    """

    workload: Workload
    spec: Spec
    decides: bool = True
    prepare_s: float = 0.0
    around_s: float = OVERHEAD_S

    @property
    def run_s(self) -> float:
        """The expected time of a run, including overhead."""
        return self.spec.expected_s + self.around_s

    @property
    def has_files(self) -> bool:
        return self.spec.cost.bytes_prepared > 0

    def sized(self, share: float) -> Planned:
        return replace(self, spec=self.spec.sized(share))


@dataclass(frozen=True, slots=True)
class Task:
    """What to compare, as recorded in its result, with which workloads, within which limits.

    ``unavailable`` says why a workload cannot run here, by id. ``continues`` is the result to be continued, if any, and
    ``specs`` its specs by workload id. ``exhaustion`` is how the disk's fast cache is used up before; None if it rests.
    """

    record: PlanRecord
    workloads: Sequence[Workload]
    limits: Limits
    unavailable: Mapping[str, Message] = field(default_factory=dict)
    continues: Result | None = None
    specs: Mapping[str, Spec] = field(default_factory=dict)
    exhaustion: Exhaustion | None = None

    def decides(self, workload: Workload) -> bool:
        """Whether a workload decides the question; if no workload does, all do."""
        question = self.record.question
        return question is None or not question.parts or workload.id in question.deciding_workloads


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that determines what is run.

    About ``rounds`` of the deciding workloads will fit; a workload gets at most ``most_rounds``. No run starts that
    would end after ``most_s``, counted from before the probe to after the cleaning, or exceed a total of
    ``most_bytes``. Deciding workloads are first run once, uncounted, under the ``piloted`` settings; their runs are
    then sized to take at most ``run_s`` under the slowest of these. ``before_s`` is the expected time of everything but
    runs. ``saves``: the result is kept on one of the tested disks; ``bytes_before`` is then written again to keep the
    result that this one ``continues``. ``elsewhere`` is the folder on another disk whose speed is felt, if any.
    ``exhaustion`` is how the disk's fast cache is used up before the pilot, and kept so, if it is.
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
    exhaustion: Exhaustion | None = None

    @property
    def settings(self) -> tuple[Setting, ...]:
        """All competing settings, the baseline first."""
        return self.record.settings

    @property
    def definition(self) -> Definition | None:
        """The user's own program, if one is run."""
        return next((planned.workload.definition for planned in self.planned), None)

    def runs_of(self, rounds: int, *, decides: bool) -> int:
        """Return the number of a workload's runs, including its pilot, in ``rounds`` of deciding workloads."""
        runs, settings = len(with_warm_ups(self.settings)), len(self.settings)
        if decides:
            return len(self.piloted) + rounds * runs
        return (1 + min(rounds, PRICE_ROUNDS)) * (min(PRICED, settings) + min(PRICED, runs - settings))

    def seconds(self, rounds: int) -> float:
        """Return the expected total duration, with ``rounds`` and one candidate's prices."""
        return self.before_s + sum(
            self.runs_of(rounds, decides=planned.decides) * planned.run_s for planned in self.planned
        )

    @property
    def typical_s(self) -> float:
        """The usual time until there is an answer."""
        return min(self.announced_s, self.seconds(min(TYPICAL_ROUNDS, self.rounds)))

    @property
    def announced_s(self) -> float:
        """The longest time it takes, if other programs use the disk while its cache is used up."""
        late_s = self.exhaustion.most_s - self.exhaustion.expected_s if self.exhaustion else 0.0
        return min(self.most_s, self.seconds(self.most_rounds) + late_s)

    @property
    def bytes_written(self) -> int:
        """The most bytes written in all: by probe, preparation, pilot, runs, repeats and result."""
        runs = int(self.most_bytes) if math.isfinite(self.most_bytes) else self.bytes_of_rounds(self.rounds)
        return self._bytes_around(self.planned) + runs

    @property
    def typical_bytes(self) -> int:
        """The bytes usually written until there is an answer: mostly nothing gains, so that no price is measured."""
        rounds = min(TYPICAL_ROUNDS, self.rounds)
        deciding = [planned for planned in self.planned if planned.decides]
        runs = sum(self.runs_of(rounds, decides=True) * self.bytes_expected(planned) for planned in deciding)
        return min(self.bytes_written, self._bytes_around(deciding) + self._bytes_exhausting + runs)

    @property
    def _bytes_exhausting(self) -> int:
        return self.exhaustion.most_bytes if self.exhaustion else 0

    def _bytes_around(self, planned: Iterable[Planned]) -> int:
        return PROBE_BYTES + sum(item.spec.cost.bytes_prepared for item in planned) + self.bytes_before

    def bytes_of_rounds(self, rounds: int, bytes_of: Callable[[Planned], int] | None = None) -> int:
        """Return what the pilot, ``rounds`` and their repeats write if runs take the expected time.

        ``bytes_of`` is what one run writes, if that is not ``bytes_expected``.
        """
        bytes_of = bytes_of or self.bytes_expected
        runs = {planned: self.runs_of(rounds, decides=planned.decides) for planned in self.planned}
        repeats = max(1, math.ceil(sum(runs.values()) / 12)) * max(map(bytes_of, self.planned))
        slow = max(self.bytes_of(planned) - bytes_of(planned) for planned in self.planned)
        return slow + repeats + sum(count * bytes_of(planned) for planned, count in runs.items())

    def bytes_of(self, planned: Planned) -> int:
        """Return the most that one run writes."""
        return planned.spec.cost.bytes_written + self._besides_bytes(planned)

    def bytes_expected(self, planned: Planned) -> int:
        """Return what one run writes in the expected time."""
        return planned.spec.cost.bytes_expected + self._besides_bytes(planned)

    def _besides_bytes(self, planned: Planned) -> int:
        """Return what saving a run writes, and what the steady writer does before and after it."""
        saved = SAVED_BYTES + round(SAVED_BYTES_PER_S * planned.spec.expected_s) if self.saves else 0
        return saved + round(self.exhaustion.slow_bytes_per_s * planned.around_s if self.exhaustion else 0)

    @property
    def bytes_needed(self) -> int:
        """The most room that all scratch files take at one time."""
        grown = (planned.sized(MOST_GROWTH) if math.isfinite(self.run_s) else planned for planned in self.planned)
        return sum(planned.spec.cost.bytes_kept for planned in grown) + SPARE_BYTES + self._bytes_exhausting

    @property
    def bytes_elsewhere(self) -> int:
        """The bytes written to the other disk, including its probe."""
        return PROBE_BYTES + sum(planned.spec.cost.bytes_elsewhere for planned in self.planned)


def make_plan(task: Task, folder: Path, disks: tuple[str, ...], probe: Probe, *, saves: bool = False) -> Plan:
    """Choose sizes so that enough rounds fit the limits and the free space of a probed disk."""
    limits, seconds = task.limits, task.limits.run_s
    bare = Plan(
        folder, disks, task.record, (), 1, limits.rounds, _piloted(task, probe),
        math.inf if task.specs else limits.run_s, limits.seconds, saves=saves, exhaustion=task.exhaustion,
    )  # fmt: skip
    fewest = min(FEWEST_BLOCKS if task.exhaustion else FEWEST_ROUNDS, limits.rounds)
    while True:
        plan = _sized(bare, task, probe, seconds)
        in_time = plan.seconds(fewest) <= limits.seconds or seconds <= SHORTEST_S
        # If not even the least work has room, the comparison is refused.
        has_room = plan.bytes_needed <= probe.free_bytes or seconds <= LEAST_S
        if (in_time and has_room) or task.specs:
            return _with_exhausting(_limited(plan, limits, probe))
        seconds *= 0.9


def _piloted(task: Task, probe: Probe) -> tuple[Setting, ...]:
    """Return the first setting of each scheduler; only the baseline if sizes are given or runs may be very long.

    So too on a fast disk, where runs are as short as possible, and each writes what a slow disk writes in minutes.
    """
    if (
        task.specs
        or task.exhaustion
        or probe.is_fast
        or any(4 * task.limits.run_s < workload.spec_type.MAY_LAST_S for workload in task.workloads)
    ):
        return (task.record.baseline,)
    first: dict[str, Setting] = {}
    for setting in task.record.settings:
        first.setdefault(setting.scheduler, setting)
    return tuple(first.values())


def _sized(bare: Plan, task: Task, probe: Probe, seconds: float) -> Plan:
    """Return a plan with runs of about ``seconds``, or shorter to spare the disk if they would write too much."""
    runs = sum(bare.runs_of(FEWEST_ROUNDS, decides=task.decides(workload)) for workload in task.workloads)
    most = math.inf if task.exhaustion else task.limits.written_bytes / runs
    around_s = OVERHEAD_S
    if task.exhaustion:
        around_s += 2 * CHECK_S + fmean(map(settle_s, bare.settings)) / len(task.workloads)
    planned = []
    for workload in task.workloads:
        spec = task.specs.get(workload.id) or _spec(workload, probe, seconds, most)
        if task.exhaustion and isinstance(spec, LoadedSpec):
            spec = spec.beside_steady()
        prepare_s = spec.cost.bytes_prepared / probe.write_bytes_per_s
        planned.append(Planned(workload, spec, task.decides(workload), prepare_s, around_s))
    return replace(bare, planned=tuple(planned), before_s=AROUND_S + sum(item.prepare_s for item in planned))


def _spec(workload: Workload, probe: Probe, seconds: float, most_bytes: float) -> Spec:
    while (spec := workload.plan(probe, seconds, most_bytes)).cost.bytes_expected > most_bytes and seconds > LEAST_S:
        seconds *= 0.8
    return spec


def _limited(plan: Plan, limits: Limits, probe: Probe) -> Plan:
    """Add the number of rounds that fit, and the most bytes to write: more than expected, if runs may be quicker.

    The disk may be quicker than the probe found: a stick with long delays for each piece seems slow. Writing at a
    declared rate is never quicker.
    """
    fit = [rounds for rounds in range(1, limits.rounds + 1) if plan.seconds(rounds) <= limits.seconds]
    rounds = max(fit, default=1)
    most_bytes = planned = float(plan.bytes_of_rounds(rounds))
    if math.isfinite(limits.seconds):
        is_declared = plan.exhaustion or any(item.spec.remark() for item in plan.planned)
        growth = DECLARED_GROWTH if is_declared else MOST_GROWTH
        most_bytes = max(planned, growth * min(planned, probe.busy_bytes_per_s * limits.seconds))
    else:  # all rounds are run, however slow they are
        most_bytes = float(plan.bytes_of_rounds(rounds, plan.bytes_of))
    most_s = min(limits.seconds, plan.seconds(limits.rounds))
    return replace(plan, rounds=rounds, most_s=most_s, most_bytes=min(limits.written_bytes, most_bytes))


def _with_exhausting(plan: Plan) -> Plan:
    """Add what using up the cache takes, beyond the limits of the comparison."""
    if not (known := plan.exhaustion):
        return plan
    before_s, most_s = plan.before_s + known.expected_s, plan.most_s + known.most_s
    return replace(plan, before_s=before_s, most_s=most_s, most_bytes=plan.most_bytes + known.most_bytes)
