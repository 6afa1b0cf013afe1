# SPDX-License-Identifier: GPL-3.0-or-later
"""Decides what is run next: who runs in which order, when the time is up, what is repeated, and what ends it all.

The order of runs is one of randomised complete blocks, balanced for what ran just before (first-order carry-over).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from disktuner.experiment.guard import Drift, drift
from disktuner.experiment.plan import OVERHEAD_S, Plan, Planned
from disktuner.results.model import Result, Sample
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.reasons import REASONS

MOST_FAILURES = 3
LAST_UNSEEN = 1
"""The last round after which nobody has looked yet at what the rounds show (``verdict.interval``)."""
Rest = Callable[[Result], tuple[str, ...]]
"""Which schedulers are still worth another round, given the result so far; none ends the experiment."""


class Stopwatch:
    """How long an experiment takes already. Attributes: ``paused_s`` is what does not count of it."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._began = clock()
        self.paused_s = 0.0

    def spent_s(self) -> float:
        """The time since the start, without pauses."""
        return self._clock() - self._began - self.paused_s


class Rounds:
    """The rounds of one experiment, given the results as they come; it reads and writes nothing itself.

    Attributes: ``number`` of the round under way, ``planned`` how many there are to be, ``runs`` the same in runs;
    ``stopped_by`` is what ended them early, if anything did.
    """

    def __init__(self, plan: Plan, rest: Rest, watch: Stopwatch) -> None:
        self.number = -1
        self.planned = plan.rounds
        self.runs = self._runs_left = plan.runs
        self.stopped_by: Message | None = None
        self._plan, self._rest, self._watch = plan, rest, watch
        self._orders = orders(plan.schedulers, plan.seed)
        self._order: tuple[str, ...] = ()
        self._left = plan.rounds
        self._repeats_left = plan.repeats
        self._failures = 0
        self._drifted = False
        self._pace = 1.0
        self._began_s = self._longest_s = 0.0

    def next(self, result: Result, written_bytes: int | None) -> tuple[str, ...]:
        """Begin a round and return its order, without the schedulers that need no more; nothing ends the experiment.

        ``written_bytes`` is what the disks have written since the first run, None where that is not known.
        """
        if self.stopped_by or not self._left:
            return ()
        self.number += 1
        order = next(self._orders)
        racing = self._rest(result) if self.number else order
        self._order = tuple(name for name in order if name in racing)
        if not self._order or (self.number >= self._plan.rounds and not self._may_write(written_bytes)):
            return ()
        self._began_s = self._watch.spent_s()
        if self._began_s + self._longest_s > self._plan.most_s:
            self.stopped_by = message("time-is-up")
            return ()
        self._left -= 1
        return self._order

    def begin_run(self) -> None:
        """Count a run that was planned; repeats are none."""
        self._runs_left = max(0, self._runs_left - 1)

    def remaining_s(self) -> float:
        """The expected time of the runs that are left, corrected by how long runs took so far, within the budget."""
        each_run = sum(each.size.expected_s + OVERHEAD_S for each in self._plan.planned) / len(self._plan.planned)
        left_s = self._plan.most_s - self._watch.spent_s()
        return max(each_run, min((self._runs_left + 1) * each_run * self._pace, left_s))

    def repeats(self, planned: Planned, sample: Sample) -> bool:
        """Whether a run is made again, given one of its samples.

        Raises ``MeasurementImpossible`` where no further run can succeed, or should.
        """
        expected_s = planned.size.expected_s + OVERHEAD_S
        self._pace = 0.7 * self._pace + 0.3 * min(5.0, (sample.duration_s + 0.05) / expected_s)
        self._stop_if_hopeless(sample.reason)
        if sample.valid or not self._repeats_left:
            return False
        self._repeats_left -= 1
        return True

    def finish(self, result: Result) -> tuple[Drift, ...]:
        """End a round; return in what the disk became another one: those runs do not count."""
        self._longest_s = max(self._longest_s, self._watch.spent_s() - self._began_s)
        if self.number == LAST_UNSEEN:
            self._add_rounds()
        metrics = [f"{each.workload.id}.{each.workload.deciding}" for each in self._plan.planned]
        found = tuple(each for metric in metrics if (each := drift(result.samples, self.number, metric)))
        before, self._drifted = self._drifted, bool(found)
        cost = len(self._order) * len(self._plan.planned)
        if found and before:
            self.stopped_by = message("drift-lasting")
        elif found and self._repeats_left >= cost:
            self._repeats_left -= cost
            self._left += 1
        return found

    def _add_rounds(self) -> None:
        """As many more rounds as fit into the time that was announced, where runs take less than expected.

        Decided before anybody looks at what the rounds show: the intervals depend on how many looks there will be.
        """
        plan = self._plan
        left_s = plan.announced_s - self._watch.spent_s()
        fit = int(left_s / max(self._longest_s, OVERHEAD_S)) - (plan.rounds - LAST_UNSEEN - 1)
        more = max(0, min(fit, plan.most_rounds - plan.rounds))
        runs = more * len(plan.schedulers) * len(plan.planned)
        self.planned, self._left = self.planned + more, self._left + more
        self.runs, self._runs_left = self.runs + runs, self._runs_left + runs

    def _may_write(self, written_bytes: int | None) -> bool:
        """Whether a round more than planned stays within the bytes that were announced."""
        if written_bytes is None:
            return False
        return written_bytes + self._plan.bytes_of(len(self._order), self._repeats_left) <= self._plan.bytes_of_runs

    def _stop_if_hopeless(self, reason: Message | None) -> None:
        known = REASONS[reason.id] if reason else None
        self._failures = self._failures + 1 if known and known.lasting else 0
        if known and known.ends:
            raise MeasurementImpossible(known.ends, folder=str(self._plan.folder), disks=self._plan.disks)
        if self._failures >= MOST_FAILURES:
            raise MeasurementImpossible("runs-failed", count=self._failures, reason=reason)


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
