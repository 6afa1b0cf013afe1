# SPDX-License-Identifier: GPL-3.0-or-later
"""What will be run: workloads with their sizes, rounds, and what that costs in time and bytes, before the start."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from disktuner.experiment.probe import MOST_BYTES as PROBE_BYTES
from disktuner.vocabulary.goals import Limits
from disktuner.workloads.spec import Spec
from disktuner.workloads.workload import MIB, Probe, Workload

OVERHEAD_S = 0.1  # per run: switching, checking, saving
SHORTEST_S = 0.05  # runs are not made shorter than this to fit into little room
SPARE_BYTES = 8 * MIB  # folders, locks, journal
SAVED_BYTES, SAVED_BYTES_PER_S = 64 << 10, 2 << 10
"""What keeping one run writes at most, and per second of it: its line in the journal, its part of the whole file (11 kB
on average with everything), that of a copy, and the file system's own blocks that make each line durable."""
START_S = 5.0  # probing, making the source, cleaning


QUICK_READ_S = 0.002
QUICK_SHARE = 0.5
"""A disk that answers that fast shows as much in shorter runs, so it gets more of them."""
FIRST_SHARE = 1.2
"""How much of an equal share of the time the first workload gets, the one that tells most."""
AIM = 0.92
FEWEST_ROUNDS = 6  # below that the verdict only believes large differences
PRICE_ROUNDS = 5
LASTING = 0.75
"""Fewer rounds of whole runs tell more than many of which each is cut to less than that part."""
SOONEST_ROUNDS = 3  # before that nobody looks
SOONEST_TUNED = 2  # many settings tell of the noise sooner
OVERTIME = 1.15
PRICE_SHARE = 2
PRICED = 2
"""Who is measured on what only bounds the price: the baseline and, as a rule, one that may win."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A workload with what a run of it does, the same for all schedulers; it decides, or only bounds a gain's cost."""

    workload: Workload
    spec: Spec
    decides: bool = True


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides what is run.

    ``saves`` says that the result is kept on one of the disks, too, so that keeping it belongs to what is written.
    ``rounds`` are those of each workload that decides, ``price_rounds`` of each other one; those begin after about
    ``find_s``. ``repeats`` bounds how many doubtful runs are made again, ``most_s`` the time of the whole. Where runs
    turn out to take less than was announced, ``announced_s`` in all, rounds are added, up to ``most_rounds``; where
    they take more, planned rounds are begun up to ``overtime`` times that. ``bytes_before`` is what keeping the result
    that is continued writes again, ``bytes_spare`` what rounds beyond the planned ones may write. Where it ``tunes``,
    the worse half of the settings leaves early.
    """

    folder: Path
    disks: tuple[str, ...]
    schedulers: tuple[str, ...]
    baseline: str
    planned: tuple[Planned, ...]
    rounds: int
    seed: int
    repeats: int
    most_s: float = math.inf
    announced_s: float = 0.0
    most_rounds: int = 0
    saves: bool = False
    price_rounds: int = 0
    find_s: float = math.inf
    overtime: float = OVERTIME
    bytes_before: int = 0
    bytes_spare: int = 0
    tunes: bool = False

    @property
    def runs(self) -> int:
        """Runs that are planned, if none has to be repeated."""
        return sum(map(self.runs_of, self.planned))

    def rounds_of(self, each: Planned) -> int:
        """The rounds that are planned of a workload."""
        return self.rounds if each.decides else self.price_rounds

    def runs_of(self, each: Planned) -> int:
        """The runs that are planned of a workload."""
        return self.runs_in(self.rounds) if each.decides else self.price_rounds * min(PRICED, len(self.schedulers))

    def runs_in(self, rounds: int) -> int:
        """The runs that are planned of a workload that decides in its first so many rounds.

        Of settings that are tuned, the worse half is left out after each round but the first.
        """
        racing = len(self.schedulers) - 1
        if not self.tunes:
            return rounds * (1 + racing)
        return sum(1 + math.ceil(racing / 2 ** max(0, number - 1)) for number in range(rounds))

    @property
    def bytes_written(self) -> int:
        """The upper bound of all bytes written: probe, preparation, one warm-up each, all runs, all repeats."""
        prepared = sum(each.spec.cost.bytes_prepared for each in self.planned)
        return prepared + PROBE_BYTES + self.bytes_of_runs + self.bytes_before

    @property
    def bytes_of_runs(self) -> int:
        """What the runs write, the warm-up and all repeats among them."""
        planned = sum(self.bytes_of(each, self.runs_of(each) + 1) for each in self.planned)
        return planned + self.bytes_of_repeats(self.repeats) + self.bytes_spare

    @property
    def bytes_of_round(self) -> int:
        """What one round of everything that decides writes."""
        return sum(self.bytes_of(each, len(self.schedulers)) for each in self.planned if each.decides)

    def bytes_of(self, each: Planned, times: int) -> int:
        """What is written by so many runs of a workload that take as long as expected."""
        return (each.spec.cost.bytes_expected + self._saved_bytes(each.spec)) * times

    def bytes_of_repeats(self, repeats: int) -> int:
        """The upper bound of what is written by so many repeats of any workload."""
        return max((self.bytes_of(each, repeats) for each in self.planned), default=0)

    @property
    def bytes_needed(self) -> int:
        """The room that all scratch files take at most at one time."""
        return sum(each.spec.cost.bytes_kept for each in self.planned) + SPARE_BYTES

    @property
    def bytes_source(self) -> int:
        """Random data in memory that the largest writer needs."""
        return max((each.spec.cost.bytes_source for each in self.planned), default=0)

    def full_s(self, write_bytes_per_s: float) -> float:
        """The expected duration of all rounds."""
        return self.before_s(write_bytes_per_s) + sum(self.runs_of(each) * _run_s(each) for each in self.planned)

    def before_s(self, write_bytes_per_s: float) -> float:
        """The expected time until the first round: probing, preparing, one warm-up each."""
        once = sum(each.spec.cost.bytes_prepared for each in self.planned) / write_bytes_per_s
        return START_S + once + sum(map(_run_s, self.planned))

    def least_s(self, write_bytes_per_s: float) -> float:
        """The expected duration where the first look answers, without anything to price."""
        soonest = min(SOONEST_TUNED if self.tunes else SOONEST_ROUNDS, self.rounds_in_time(write_bytes_per_s))
        return min(self.before_s(write_bytes_per_s) + self._rounds_s(soonest), self.seconds(write_bytes_per_s))

    def rounds_in_time(self, write_bytes_per_s: float) -> int:
        """How many of the rounds will fit: on a very slow disk fewer than planned, at least one."""
        beyond_s = self.full_s(write_bytes_per_s) - self.most_s
        left_out = (self._rounds_s(self.rounds) - self._rounds_s(number) for number in range(self.rounds, 1, -1))
        return max(1, self.rounds - sum(left_out_s < beyond_s for left_out_s in left_out))

    def seconds(self, write_bytes_per_s: float) -> float:
        """The expected duration of the rounds that will fit."""
        fit_s = self._rounds_s(self.rounds_in_time(write_bytes_per_s))
        return self.full_s(write_bytes_per_s) - self._rounds_s(self.rounds) + fit_s

    def _saved_bytes(self, spec: Spec) -> int:
        return SAVED_BYTES + round(SAVED_BYTES_PER_S * spec.expected_s) if self.saves else 0

    def _rounds_s(self, rounds: int) -> float:
        """So many first rounds of everything that decides."""
        return self.runs_in(rounds) * sum(_run_s(each) for each in self.planned if each.decides)


def _run_s(each: Planned) -> float:
    return each.spec.expected_s + OVERHEAD_S


def make_plan(
    *,
    folder: Path,
    disks: tuple[str, ...],
    schedulers: tuple[str, ...],
    baseline: str,
    workloads: Sequence[Workload],
    probe: Probe,
    limits: Limits,
    seed: int,
    saves: bool = False,
    pricing: Collection[str] = (),
    specs: Mapping[str, Spec] | None = None,
    tunes: bool = False,
) -> Plan:
    """Choose sizes and rounds so that the whole stays within the limits and the room on a disk as probed.

    ``pricing`` are the ids of the workloads that do not decide, ``specs`` what is given.
    """
    bare = Plan(folder, disks, schedulers, baseline, (), 0, seed, 0, limits.seconds, saves=saves, tunes=tunes)
    draft = _Draft(bare, tuple(workloads), probe, limits, frozenset(pricing), specs or {})
    rounds = draft.rounds()
    seconds = min(limits.longest_s, max(draft.shortest_s, draft.share_s(rounds)))
    while True:
        plan = draft.of(rounds, seconds)
        # Shorter runs on a disk with little room; where even those do not fit, the comparison is refused.
        if (draft.fits(plan) and plan.bytes_needed <= probe.free_bytes) or seconds <= SHORTEST_S:
            return timed(plan, probe, limits)
        seconds *= 0.9


@dataclass(frozen=True, slots=True)
class _Draft:
    """What plans are drawn from: ``bare`` is one without workloads and rounds."""

    bare: Plan
    workloads: tuple[Workload, ...]
    probe: Probe
    limits: Limits
    pricing: frozenset[str]
    specs: Mapping[str, Spec]

    @property
    def shortest_s(self) -> float:
        """How long a run lasts at least, if that is left to us."""
        return self.limits.shortest_s * (QUICK_SHARE if self.probe.random_read_s < QUICK_READ_S else 1)

    def rounds(self) -> int:
        """As many rounds of the shortest runs as fit."""
        rounds = self.limits.rounds
        while rounds > FEWEST_ROUNDS and not self._has_room(rounds):
            rounds -= 1
        while self.specs and rounds > SOONEST_ROUNDS and not self.fits(self.of(rounds, 0.0)):
            rounds -= 1
        return rounds

    def share_s(self, rounds: int) -> float:
        """An equal share of the time for every run of so many rounds."""
        runs = self._runs(rounds) + len(self.workloads)
        return (AIM * self.limits.seconds - START_S) / runs - OVERHEAD_S

    def of(self, rounds: int, seconds: float) -> Plan:
        """A plan of so many rounds, of runs of about that time."""
        runs = self._runs(rounds)
        repeats = max(1, math.ceil(runs / 12))
        # Few runs only bound a price: each of them may write more.
        weight = runs + len(self.workloads) + repeats + (PRICE_SHARE - 1) * self._price_runs(rounds)
        most = self.limits.written_bytes / weight
        planned = tuple(
            Planned(workload, self._spec(workload, share * seconds, most), workload.id not in self.pricing)
            for workload, share in zip(self.workloads, self._shares(), strict=True)
        )
        price_rounds = min(rounds, PRICE_ROUNDS) if any(not each.decides for each in planned) else 0
        return replace(self.bare, planned=planned, rounds=rounds, repeats=repeats, price_rounds=price_rounds)

    def fits(self, plan: Plan) -> bool:
        """Whether a plan stays within time and bytes."""
        in_time = plan.full_s(self.probe.write_bytes_per_s) <= AIM * self.limits.seconds
        return in_time and plan.bytes_of_runs <= self.limits.written_bytes

    def _has_room(self, rounds: int) -> bool:
        """Whether so many rounds of the shortest runs fit, and no run is kept from lasting by what it may write."""
        plan = self.of(rounds, self.shortest_s)
        pairs = [
            (each.spec.cost, each.workload.plan(self.probe, self.shortest_s).cost)
            for each in plan.planned
            if each.decides
        ]
        lasting = all(
            cut.expected_s >= LASTING * whole.expected_s and cut.bytes_expected >= LASTING * whole.bytes_expected
            for cut, whole in pairs
        )
        return lasting and self.fits(plan)

    def _price_runs(self, rounds: int) -> int:
        prices = sum(workload.id in self.pricing for workload in self.workloads)
        return min(PRICED, len(self.bare.schedulers)) * min(rounds, PRICE_ROUNDS) * prices

    def _runs(self, rounds: int) -> int:
        deciding = sum(workload.id not in self.pricing for workload in self.workloads)
        return self.bare.runs_in(rounds) * deciding + self._price_runs(rounds)

    def _shares(self) -> tuple[float, ...]:
        """How much more or less than an equal share of the time each workload gets."""
        count = len(self.workloads)
        if count == 1:
            return (1.0,)
        return (FIRST_SHARE, *[(count - FIRST_SHARE) / (count - 1)] * (count - 1))

    def _spec(self, workload: Workload, seconds: float, most_bytes: float) -> Spec:
        """What a run does in that time, less where it would write more than that: fast disks are worn, too."""
        if self.specs:
            return self.specs[workload.id]
        most_bytes *= PRICE_SHARE if workload.id in self.pricing else 1
        spec = workload.plan(self.probe, seconds, most_bytes)
        while spec.cost.bytes_expected > most_bytes and seconds > SHORTEST_S:
            seconds *= 0.8
            spec = workload.plan(self.probe, seconds, most_bytes)
        return spec


def timed(plan: Plan, probe: Probe, limits: Limits) -> Plan:
    """Return a plan with what it takes on a disk as probed."""
    speed = probe.write_bytes_per_s
    pricing_s = sum(plan.runs_of(each) * _run_s(each) for each in plan.planned if not each.decides)
    announced_s = plan.seconds(speed)
    return replace(
        plan,
        announced_s=announced_s,
        most_rounds=limits.rounds,
        find_s=max(announced_s - pricing_s, announced_s / 2),
        bytes_spare=spare_bytes(plan, pricing_s, limits),
    )


def spare_bytes(plan: Plan, pricing_s: float, limits: Limits) -> int:
    """Return what more rounds write that decide, in the time of prices which nobody has to be asked."""
    round_s = len(plan.schedulers) * sum(_run_s(each) for each in plan.planned if each.decides)
    more = min(int(pricing_s / round_s), limits.rounds - plan.rounds) if round_s else 0
    allowed = limits.written_bytes - plan.bytes_of_runs
    return max(0, int(min(more * plan.bytes_of_round, allowed)))
