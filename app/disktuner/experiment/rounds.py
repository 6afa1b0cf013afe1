# SPDX-License-Identifier: GPL-3.0-or-later
"""Decides what is run next: who runs in which order, when the time is up, what is repeated, and what ends it all.

The order of runs is one of randomised complete blocks, balanced for what ran just before (first-order carry-over).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import median

from disktuner.experiment.guard import Drift, drift
from disktuner.experiment.plan import OVERHEAD_S, Plan, Planned
from disktuner.results.model import Result, Sample
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.reasons import REASONS

MOST_FAILURES = 3
PATIENCE = 5.0
"""A run need not be waited for once it took that many times as long as the baseline's usually take."""
Needs = Callable[[Result, int], Mapping[str, Sequence[str]]]
"""Which schedulers are worth another round of which workloads, given the result so far and how many more rounds there
may be; nothing ends the experiment."""


class Stopwatch:
    """How long an experiment takes already. Attributes: ``paused_s`` is what does not count of it."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._began = clock()
        self.paused_s = 0.0

    def spent_s(self) -> float:
        """The time since the start, without pauses."""
        return self._clock() - self._began - self.paused_s


@dataclass(frozen=True, slots=True)
class Round:
    """Some schedulers, one after the other, on one workload; ``number`` counts the workload's own rounds from 0."""

    planned: Planned
    order: tuple[str, ...]
    number: int


@dataclass(slots=True)
class _Course:
    """How far one workload has come. ``done`` counts the rounds and ``runs`` the runs of this experiment.

    ``since`` is the order of the first run on the disk as it is now.
    """

    planned: Planned
    number: int
    orders: Iterator[tuple[str, ...]]
    left: int
    since: int
    done: int = 0
    runs: int = 0
    longest_s: float = 0.0

    @property
    def metric(self) -> str:
        """The full name of the metric that stands for the workload."""
        return f"{self.planned.workload.id}.{self.planned.workload.deciding}"


class Rounds:
    """The rounds of one experiment, given the results as they come; it reads and writes nothing itself.

    First what decides is measured, on all schedulers; then what a gain may cost, on those that may win. ``before`` is
    the result that the experiment goes on with.

    Attributes: ``runs`` is how many runs there are probably to be; ``begun`` counts the rounds; ``planned`` is the
    largest number of rounds of a workload so far, or the plan's; ``stopped_by`` is what ended them early, if anything.
    """

    def __init__(self, plan: Plan, needs: Needs, watch: Stopwatch, before: Result) -> None:
        self.begun = 0
        self._runs_left = plan.runs
        self.runs = plan.runs + first_order(before)
        self.stopped_by: Message | None = None
        self._plan, self._needs, self._watch = plan, needs, watch
        self._courses = [_course(each, plan, before) for each in plan.planned]
        self.planned = plan.rounds + max((course.number for course in self._courses), default=0)
        self._now: _Course | None = None
        self._order: tuple[str, ...] = ()
        self._repeats_left = plan.repeats
        self._failures = 0
        self._pace = 1.0
        self._began_s = 0.0

    def next(self, result: Result, written_bytes: int | None) -> Round | None:
        """Begin a round, without the schedulers that need no more; None ends the experiment.

        ``written_bytes`` is what the disks have written since the first run, None where that is not known.
        """
        if self.stopped_by:
            return None
        needs = self._wanted(result)
        for course in self._by_turns(needs):
            if self._begins(course, needs[course.planned.workload.id], written_bytes):
                self.planned = max(self.planned, course.number + 1)
                return Round(course.planned, self._order, course.number)
        return None

    def begin_run(self) -> None:
        """Count a run that was planned; repeats are none."""
        if not self._runs_left:
            self.runs += 1
        self._runs_left = max(0, self._runs_left - 1)

    def remaining_s(self) -> float:
        """The expected time of the runs that are left, corrected by how long runs took so far, within the budget."""
        plan = self._plan
        weights = [max(1, plan.runs_of(each)) for each in plan.planned]
        expected_s = [each.spec.expected_s + OVERHEAD_S for each in plan.planned]
        each_run = sum(weight * one for weight, one in zip(weights, expected_s, strict=True)) / sum(weights)
        left_s = plan.most_s - self._watch.spent_s()
        return max(each_run, min((self._runs_left + 1) * each_run * self._pace, left_s))

    def patience_s(self, scheduler: str, result: Result) -> float:
        """For how long a run of the round under way is waited for; the baseline's are waited for to the end.

        As long as its runs take on the disk as it is now.
        """
        if scheduler == self._plan.baseline or self._now is None:
            return float("inf")
        metric = self._now.metric
        took_s = [
            sample.duration_s
            for sample in result.samples
            if sample.metric == metric
            and sample.scheduler == self._plan.baseline
            and sample.valid
            and sample.order >= self._now.since
        ]
        return PATIENCE * median(took_s) if took_s else float("inf")

    def repeats(self, planned: Planned, sample: Sample) -> bool:
        """Whether a run is made again, given one of its samples.

        Raises ``MeasurementImpossible`` where no further run can succeed, or should.
        """
        expected_s = planned.spec.expected_s + OVERHEAD_S
        self._pace = 0.7 * self._pace + 0.3 * min(5.0, (sample.duration_s + 0.05) / expected_s)
        self._stop_if_hopeless(sample.reason)
        if sample.valid or not self._repeats_left:
            return False
        self._repeats_left -= 1
        return True

    def finish(self, result: Result) -> Drift | None:
        """End a round; return in what the disk became another one: those runs do not count.

        They were made partly before and partly after that. Later rounds count again: within each of them the disk is
        the same one for all schedulers.
        """
        course = self._now
        if course is None:
            return None
        course.longest_s = max(course.longest_s, (self._watch.spent_s() - self._began_s) / self._share(self._order))
        course.runs += len(self._order)
        here = [sample for sample in result.samples if sample.order >= course.since]
        found = drift(here, course.number, course.metric)
        course.number += 1
        course.done += 1
        course.left -= 1
        cost = len(self._order)
        if found:
            course.since = 1 + max(sample.order for sample in result.samples)
        if found and self._repeats_left >= cost:
            self._repeats_left -= cost
            course.left += 1
        return found

    def _wanted(self, result: Result) -> Mapping[str, Sequence[str]]:
        """What is worth measuring; nobody is asked before anything is known."""
        if not result.samples:
            return {each.workload.id: self._plan.schedulers for each in self._plan.planned if each.decides}
        return self._needs(result, self._rounds_to_come())

    def _rounds_to_come(self) -> int:
        """How many more rounds of all that decides there is probably time for, at least one."""
        deciding = [course for course in self._courses if course.planned.decides]
        racing = self._order[: len(self._order) // 2 + 1] if self._plan.tunes and self._order else self._plan.schedulers
        each_s = sum(self._round_s(course, racing) for course in deciding)
        time_left_s = self._last_s(planned=True) - self._watch.spent_s()
        most = max((self._most_rounds(course) - course.done for course in deciding), default=0)
        return max(1, int(min(most, time_left_s / max(each_s, OVERHEAD_S))))

    def _round_s(self, course: _Course, racing: Sequence[str]) -> float:
        """How long a round will take: as long as the longest so far, or as was expected."""
        return course.longest_s * self._share(racing) or self._expected_s(course, len(racing))

    def _share(self, racing: Sequence[str]) -> float:
        """How much of a whole round's time is reckoned with: less only where many settings leave early."""
        return len(racing) / len(self._plan.schedulers) if self._plan.tunes else 1.0

    def _expected_s(self, course: _Course, runs: int) -> float:
        return runs * (course.planned.spec.expected_s + OVERHEAD_S)

    def _most_rounds(self, course: _Course) -> int:
        return max(self._plan.rounds_of(course.planned), self._plan.most_rounds)

    def _by_turns(self, needs: Mapping[str, Sequence[str]]) -> list[_Course]:
        """The workloads that are worth another round, the next one first.

        Until about when the finding should have ended, what decides comes before what it costs; then after it.
        """
        wanted = [course for course in self._courses if needs.get(course.planned.workload.id)]
        finding = self._watch.spent_s() < self._plan.find_s
        return sorted(wanted, key=lambda course: (course.planned.decides != finding, course.done))

    def _begins(self, course: _Course, racing: Sequence[str], written_bytes: int | None) -> bool:
        """Begin a round of a workload, unless it has had its rounds, or there are no time or bytes left for it."""
        planned = course.left > 0
        if not planned and course.done >= self._most_rounds(course):
            return False
        self._began_s = self._watch.spent_s()
        expected_s = self._round_s(course, racing) if self.begun else 0.0
        if self._began_s + expected_s > self._last_s(planned=planned):
            if planned:
                self.stopped_by = message("time-is-up")
            return False
        order = next(course.orders)
        order = tuple(name for name in order if name in racing)
        if not order or not self._may_write(course, len(order), written_bytes):
            return False
        self._order, self._now = order, course
        self.stopped_by = None
        self.begun += 1
        return True

    def _last_s(self, *, planned: bool) -> float:
        """When a round must have ended: one that is planned may take a little longer than was announced."""
        announced_s, most_s = self._plan.announced_s, self._plan.most_s
        if not planned:
            return min(most_s, announced_s)
        return min(most_s, self._plan.overtime * announced_s) if announced_s else most_s

    def _may_write(self, course: _Course, runs: int, written_bytes: int | None) -> bool:
        """Whether a round stays within the bytes that were announced; what was planned of a workload always does."""
        plan = self._plan
        if course.runs + runs <= plan.runs_of(course.planned):
            return True
        if written_bytes is None:
            return False
        more = plan.bytes_of(course.planned, runs) + plan.bytes_of_repeats(self._repeats_left)
        for each in self._courses:
            more += plan.bytes_of(each.planned, max(0, plan.runs_of(each.planned) - each.runs))
        return written_bytes + more <= plan.bytes_of_runs

    def _stop_if_hopeless(self, reason: Message | None) -> None:
        known = REASONS[reason.id] if reason else None
        self._failures = self._failures + 1 if known and known.lasting else 0
        if known and known.ends:
            raise MeasurementImpossible(known.ends, folder=str(self._plan.folder), disks=self._plan.disks)
        if self._failures >= MOST_FAILURES:
            raise MeasurementImpossible("runs-failed", count=self._failures, reason=reason)


def first_order(before: Result) -> int:
    """Return the order of the first run after those of a result."""
    return 1 + max((sample.order for sample in before.samples), default=-1)


def _course(each: Planned, plan: Plan, before: Result) -> _Course:
    """Begin a workload, or go on with it: its rounds go on counting, and so do its orders."""
    prefix = f"{each.workload.id}."
    number = 1 + max((sample.round for sample in before.samples if sample.metric.startswith(prefix)), default=-1)
    every = islice(orders(plan.schedulers, plan.seed), number, None)
    return _Course(each, number, every, plan.rounds_of(each), first_order(before))


def orders(schedulers: Sequence[str], seed: int) -> Iterator[tuple[str, ...]]:
    """Yield one order of all schedulers per round, without end; the same seed yields the same orders.

    Every round holds every scheduler once, so a slow drift of the disk hits all alike. Within a cycle of
    as many rounds as there are schedulers (twice as many where their number is odd), each runs equally
    often directly after each other one. Which scheduler plays which part, and the order of the rounds,
    are drawn anew per cycle; two rounds in a row do not meet in the same scheduler if a redraw can avoid
    it.

    Source: E. J. Williams, "Experimental designs balanced for the estimation of residual effects of treatments",
    Australian Journal of Scientific Research 2 (1949); R. A. Fisher, The Design of Experiments (1935).
    Raises ``ValueError`` for no schedulers or a repeated one.
    """
    names = tuple(schedulers)
    if not names or len(set(names)) != len(names):
        raise ValueError(f"the schedulers of a round must be some and each only once: {names}")
    return _endless(names, random.Random(seed))  # noqa: S311 - an order of runs, not a secret


def _endless(names: tuple[str, ...], source: random.Random) -> Iterator[tuple[str, ...]]:
    last: str | None = None
    while True:
        for order in _cycle(names, source, last):
            yield order
            last = order[-1]


def _cycle(names: tuple[str, ...], source: random.Random, last: str | None) -> list[tuple[str, ...]]:
    """One balanced cycle whose rounds meet in different schedulers, as far as 50 draws can find one."""
    best: list[tuple[str, ...]] = []
    fewest = None
    for _ in range(50):
        rows = _draw(names, source)
        meetings = _meetings(rows, last)
        if fewest is None or meetings < fewest:
            best, fewest = rows, meetings
        if not meetings:
            break
    return best


def _draw(names: tuple[str, ...], source: random.Random) -> list[tuple[str, ...]]:
    parts = list(names)
    source.shuffle(parts)
    rows = [tuple(parts[index] for index in row) for row in _williams(len(parts))]
    source.shuffle(rows)
    return rows


def _meetings(rows: list[tuple[str, ...]], last: str | None) -> int:
    """How often a round begins with the scheduler that ended the one before."""
    ends = [last, *(row[-1] for row in rows)]
    return sum(end == row[0] for end, row in zip(ends, rows, strict=False))


def _williams(count: int) -> list[tuple[int, ...]]:
    """The rows of Williams' square for ``count`` treatments (and its mirror image where the number is odd)."""
    zigzag = [(step + 1) // 2 if step % 2 else (count - step // 2) % count for step in range(count)]
    square = [tuple((part + shift) % count for part in zigzag) for shift in range(count)]
    if count % 2 and count > 1:
        square += [tuple(reversed(row)) for row in square]
    return square
