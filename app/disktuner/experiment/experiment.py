# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a plan: a pilot that sizes the runs, then turn after turn of whatever is worth another round.

Every run that counts is added to the result and saved immediately; a price's first runs once their size is known to
stay. No run starts that would exceed the announced time or bytes.
"""

from __future__ import annotations

import logging
import math
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import islice
from statistics import median
from typing import TypeAlias

from disktuner.experiment.events import Event, Phase, Preparing, RoundDone, RunDone, RunStarted, Warned
from disktuner.experiment.guard import shift
from disktuner.experiment.plan import (
    AROUND_S,
    MOST_GROWTH,
    PRICE_ROUNDS,
    TYPICAL_ROUNDS,
    Plan,
    Planned,
    with_warm_ups,
)
from disktuner.experiment.progress import Advance, Progress
from disktuner.experiment.rounds import Runs, Turn, orders
from disktuner.experiment.run import DiskRunner, Run
from disktuner.results.model import Addition, Result, Sample
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.messages import Message, message, without_words
from disktuner.vocabulary.metrics import workload_of
from disktuner.vocabulary.reasons import REASONS
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.units import longest
from disktuner.vocabulary.workloads import metrics_of
from disktuner.workloads.processes import Control
from disktuner.workloads.spec import SHORTEST_S, Spec

log = logging.getLogger(__name__)

MOST_FAILURES = 3
ABORT_FACTOR = 4.0
"""A run is aborted after this many times the duration of the quickest setting's: it is far slower, which is enough."""
WORTH_SIZING = 0.8
"""Runs that are almost of the right length stay as planned, so that results of one disk have the same sizes."""
NextTurn = Callable[[Result], Turn]
"""What to measure next, given the result so far."""


class Experiment:
    """One execution of a plan, in the calling thread. ``save`` is called with each addition to the result.

    ``empty`` is the result before the first run, or one to be continued. Attributes: ``result`` is the result so far.
    """

    def __init__(
        self,
        plan: Plan,
        empty: Result,
        *,
        runner: DiskRunner,
        save: Callable[[Addition], object],
        listener: Callable[[Event], None],
        control: Control,
        next_turn: NextTurn,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.result = empty
        self._plan = plan
        self._runner, self._save, self._report, self._control = runner, save, listener, control
        self._next_turn, self._clock = next_turn, clock
        self._began_s, self._paused_s = clock(), 0.0
        self._order = 1 + max((sample.order for sample in empty.samples), default=-1)
        self._courses = [_Course(plan, planned, empty) for planned in plan.planned]
        self._turns = self._failures = self._prepared = self._to_prepare = 0
        self._progress = Progress()
        self._expected_s = plan.typical_s if math.isfinite(plan.most_s) else plan.announced_s
        self._bound_bytes = 0
        self._is_late = False
        self._said: set[str] = set()

    def run(self) -> Result:
        """Run the plan; the runner cleans up in any case. Raises ``Cancelled`` or ``MeasurementImpossible``."""
        self._control.check()
        with self._runner:
            try:
                self._report(Phase(message("preparing")))
                deciding = [course for course in self._courses if course.planned.decides]
                self._to_prepare = len(deciding) * len(self._plan.piloted)
                self._to_prepare += sum(course.planned.has_files for course in deciding)
                self._paused_s += self._runner.prepare(self._prepares)
                self._exhaust()
                self._report(Phase(message("warming-up")))
                for course in deciding:
                    self._pilot(course, self._plan.piloted)
                self._report(Phase(message("measuring")))
                self._measure()
                if written := self._runner.written_bytes():
                    self._warn(message("bytes-written", written=written))
            finally:
                self._report(Phase(message("cleaning")))
        return self.result

    def _exhaust(self) -> None:
        """Use up the disk's fast cache, if that is the state to compare in."""
        if known := self._plan.exhaustion:
            self._report(Phase(message("exhausting", most=known.most_bytes, seconds=longest(known.most_s))))
            self._runner.exhaust()
            self._bound_bytes += known.most_bytes

    def _pilot(self, course: _Course, settings: Sequence[Setting], number: int | None = None) -> set[Setting]:
        """Run a workload once under each setting, to size its runs for the slowest setting.

        If a run turns out too long, the pilot's later ones are shorter too. Valid ones that were not cut short count,
        as those of a round, where its ``number`` is given and the size stays. Return the settings whose runs count.
        """
        planned, course.is_sized, share = course.planned, True, 1.0
        runs: list[Run] = []
        if not planned.decides:
            self._prepared, self._to_prepare = 0, planned.has_files + len(settings)
            self._runner.prepare_for(planned.workload, self._prepares)
        parts_s: list[float] = []
        took_s: dict[Setting, float] = {}
        for setting in settings:
            if not self._fits(course, [setting, *with_warm_ups(self._plan.settings)]):
                break
            self._use(setting)
            self._prepares(planned, setting)
            began_s, done = self._clock(), min(1.0, share)
            quickest_s = min(parts_s, default=planned.spec.expected_s)
            abort_after_s = ABORT_FACTOR * max(done * quickest_s, SHORTEST_S)
            if number is None or setting.learns or done < 1:
                part_s = self._runner.pilot(planned.sized(done), abort_after_s)
            else:
                run = self._runner.run(planned, setting, number, self._order + len(runs), abort_after_s)
                part_s = run.part_s
                runs += [run] if run.addition.samples[0].valid and part_s < abort_after_s else []
            self._bound_bytes += self._plan.bytes_of(planned)
            if part_s:  # a failure repeats in the first counted run, which reports it
                parts_s.append(part_s / done)
                took_s[setting] = (self._clock() - began_s) / done
                share = self._share(planned.spec, min(parts_s), max(parts_s))
        for setting, seconds in took_s.items():
            course.took_s[setting].append(share * seconds)
        course.planned = planned.sized(share)
        if course.planned == planned:
            return {self._keep(course, run).setting for run in runs}
        all_planned = [other.planned for other in self._courses]
        self._add(Addition(sizes={sized.workload.id: sized.spec.as_json() for sized in all_planned}))
        return set()

    def _share(self, spec: Spec, quickest_s: float, slowest_s: float) -> float:
        """Return the share of the planned work for each run."""
        least, run_s = spec.MUST_LAST_S / quickest_s, max(self._plan.run_s, spec.MAY_LAST_S)
        share = min(1.0, max(run_s / slowest_s, least))
        if spec.CAN_GROW and share == 1 and math.isfinite(run_s):
            share = max(1.0, min(MOST_GROWTH, max(min(run_s, spec.expected_s) / slowest_s, least)))
        return share if not WORTH_SIZING < share < 1 / WORTH_SIZING else 1.0

    def _measure(self) -> None:
        while (turn := self._next_turn(self.result)).runs:
            if not (self._run_turn(turn) or (turn.reserve and self._run_turn(Turn(turn.runs)))):
                break
        if turn.runs and self._turns < self._plan.rounds:
            self._warn(message("time-is-up" if self._is_late else "bytes-are-used-up"))
        for course in self._courses:
            metrics = metrics_of(course.planned.workload.facts)
            if shifted := shift(self.result.samples, metrics[course.metric]):
                self._warn(shifted)

    def _run_turn(self, turn: Turn) -> bool:
        """Run a round of each workload in a turn that fits; return whether any did.

        Time and bytes for a candidate's prices are reserved until nothing else fits.
        """
        runs, reserve = self._of(turn.runs), self._of(turn.reserve)
        self._expect(runs, reserve)
        before = self._order
        if self._plan.exhaustion:
            self._block_round(runs)
            runs = []
        for course, settings in runs:
            reserved = [
                (price, self._price_runs_left(price, price_settings))
                for price, price_settings in reserve
                if course.planned.decides
            ]
            if course.left and self._fits(course, with_warm_ups(settings), reserved):
                self._round(course, settings)
        if self._order > before:
            self._report(RoundDone(self._turns, self.result))
            self._turns += 1
        return self._order > before

    def _of(self, runs: Runs) -> list[_CourseRuns]:
        """Return the courses of a turn's workloads with their settings."""
        course_runs = [(course, runs.get(course.planned.workload.id, ())) for course in self._courses]
        return [(course, settings) for course, settings in course_runs if settings]

    def _price_runs_left(self, price: _Course, settings: Sequence[Setting]) -> Sequence[Setting]:
        """Return the runs that a candidate's price usually still needs; mostly its pilot counts."""
        return with_warm_ups(settings) * max(0, PRICE_ROUNDS - self._priced(price, settings[-1]))

    def _priced(self, price: _Course, candidate: Setting) -> int:
        """Return how often a candidate's price was measured."""
        return sum(sample.metric == price.metric and sample.setting == candidate for sample in self.result.samples)

    def _round(self, course: _Course, settings: Sequence[Setting]) -> None:
        """Run a workload under some settings; an invalid run is repeated once if that fits."""
        number, order = course.begin()
        competing = [setting for setting in order if setting in settings]
        # A price is piloted on first use.
        done = set() if course.is_sized else self._pilot(course, competing, number)
        for setting in competing:
            if setting not in done:
                self._attempt(course, setting, number)

    def _attempt(self, course: _Course, setting: Setting, number: int) -> None:
        for attempt in range(2):
            self._expected_s += attempt * course.expected_s([setting])
            if not self._warm_up(course, setting) or self._run(course, setting, number).valid:
                break

    def _block_round(self, runs: Sequence[_CourseRuns]) -> None:
        """Run all workloads that fit under one setting after the other, as each needs time to settle."""
        fitting: list[_CourseRuns] = []
        for course, settings in runs:
            if course.left and self._fits(course, with_warm_ups(settings), fitting):
                fitting.append((course, settings))
        rounds = [(course, settings, *course.begin()) for course, settings in fitting]
        for setting in rounds[0][3] if rounds else ():
            for course, settings, number, _ in rounds:
                if setting in settings:
                    self._attempt(course, setting, number)

    def _warm_up(self, course: _Course, setting: Setting) -> bool:
        """Apply a setting, with an uncounted run if its scheduler learns; return whether a counted run still fits."""
        runs = with_warm_ups([setting])
        if not self._fits(course, runs):
            return False
        self._use(setting)
        if len(runs) == 1:
            return True
        self._runner.pilot(course.planned, course.abort_after_s())
        self._bound_bytes += self._plan.bytes_of(course.planned)
        return self._fits(course, [setting])

    def _run(self, course: _Course, setting: Setting, number: int) -> Sample:
        """Run once and keep it; return one of its samples."""
        planned, order = course.planned, self._order
        advance = self._begins(course.expected_s([setting]))
        self._report(RunStarted(planned.workload.id, setting, number, order, advance))
        run = self._runner.run(planned, setting, number, order, course.abort_after_s())
        self._bound_bytes += self._plan.bytes_of(planned)
        return self._keep(course, run)

    def _keep(self, course: _Course, run: Run) -> Sample:
        """Add a run's samples to the result; return one of them."""
        samples = run.addition.samples
        first = samples[0]
        self._order += 1
        self._add(run.addition)
        shown = next((sample for sample in samples if sample.metric == course.metric), first)
        self._report(RunDone(course.planned.workload.id, shown))
        if first.valid:
            course.took_s[first.setting].append(first.duration_s)
        if first.reason:
            log.debug("round %d, %s: %s", first.round, first.setting.name, without_words(first.reason))
            self._warn_of_run(first.reason)
        self._stop_if_all_will_fail(first.reason)
        return first

    def _use(self, setting: Setting) -> None:
        if self._control.is_paused:
            self._runner.rest()
        self._paused_s += self._control.wait_while_paused()
        if remark := self._runner.use(setting):
            self._warn(remark)

    def _stop_if_all_will_fail(self, reason: Message | None) -> None:
        """Raise ``MeasurementImpossible`` if no further run can succeed."""
        kind = REASONS[reason.id] if reason else None
        self._failures = self._failures + 1 if kind and kind.lasting else 0
        if kind and kind.ends:
            raise MeasurementImpossible(kind.ends, folder=str(self._plan.folder), disks=self._plan.disks)
        if self._failures >= MOST_FAILURES:
            raise MeasurementImpossible("runs-failed", count=self._failures, reason=reason)

    def _left_s(self) -> float:
        """Return the time until cleaning must begin; pauses do not count."""
        return self._plan.most_s - AROUND_S - (self._clock() - self._began_s - self._paused_s)

    def _begins(self, expected_s: float) -> Advance:
        """Return the progress as a step of ``expected_s`` begins."""
        left_s = max(expected_s, self._expected_s)
        self._expected_s = left_s - expected_s
        limit_s = self._left_s()
        at_most_s = max(expected_s, limit_s) if math.isfinite(limit_s) else left_s
        return self._progress.begin(expected_s, left_s, at_most_s)

    def _prepares(self, planned: Planned, setting: Setting | None = None) -> None:
        """Report that files are being written, or that an uncounted run begins."""
        self._prepared += 1
        expected_s, size = (planned.run_s, 0) if setting else (planned.prepare_s, planned.spec.cost.bytes_prepared)
        number, advance = self._prepared, self._begins(expected_s)
        self._report(Preparing(number, self._to_prepare, planned.workload.id, setting, size, advance))

    def _expect(self, runs: Sequence[_CourseRuns], reserve: Sequence[_CourseRuns]) -> None:
        """Update the expected time left: for this turn, later ones, and an unknown price.

        Without a time limit all rounds are run.
        """
        once_s = {course: course.expected_s(with_warm_ups(settings)) for course, settings in runs}
        left_s, rounds = self._left_s(), self._plan.most_rounds - self._turns
        if math.isfinite(left_s):
            rounds = min(rounds, _rounds_left(self._turns, TYPICAL_ROUNDS))
        whole_s = sum(once_s[course] for course in once_s if course.planned.decides) * max(1, rounds)
        prices = {course: settings for course, settings in (*runs, *reserve) if not course.planned.decides}
        for price, settings in prices.items():
            left = with_warm_ups(settings) * _rounds_left(self._priced(price, settings[-1]), PRICE_ROUNDS)
            whole_s += price.expected_s(left) * self._slowdown(price)
        self._expected_s = min(whole_s, left_s)

    def _fits(self, course: _Course, settings: Sequence[Setting], kept: Sequence[_CourseRuns] = ()) -> bool:
        """Whether runs stay within the announced time and bytes, less what is reserved for other runs (``kept``)."""
        plan, runs = self._plan, [(course, settings), *kept]
        more_s = sum(course.expected_s(settings) * self._slowdown(course) for course, settings in runs)
        more_s += sum(course.planned.prepare_s for course, _ in runs if not (course.is_sized or course.planned.decides))
        slower_bytes = plan.bytes_of(course.planned) - plan.bytes_expected(course.planned)
        more_bytes = slower_bytes + sum(
            plan.bytes_expected(course.planned) * len(settings) for course, settings in runs
        )
        self._is_late = more_s > self._left_s()
        return not self._is_late and self._written_bytes() + more_bytes <= plan.most_bytes

    def _written_bytes(self) -> int:
        """Return what runs have written, as far as known; a writer that never pauses has no other bound."""
        seen_bytes = self._runner.written_bytes()
        if seen_bytes is None:
            return self._bound_bytes
        return seen_bytes if self._plan.exhaustion else min(seen_bytes, self._bound_bytes)

    def _slowdown(self, course: _Course) -> float:
        """Return by which factor a course that never ran probably exceeds its planned time: as the others do.

        At most by the factor after which its first run is aborted: runs planned far too short say little of others.
        """
        if course.took_s:
            return 1.0
        factors = [factor for other in self._courses if (factor := other.slowdown)]
        return min(ABORT_FACTOR, max(1.0, median(factors))) if factors else 1.0

    def _warn_of_run(self, reason: Message) -> None:
        """Report what is wrong with a run; a lasting problem is reported once."""
        kind = REASONS[reason.id]
        if not kind.is_said or (kind.once and kind.id in self._said):
            return
        self._said.add(kind.id)
        invalid = "runs-invalid" if kind.once else "run-invalid"
        self._warn(message(invalid if kind.invalid else "run-disturbed", reason=reason))

    def _warn(self, warning: Message) -> None:
        """Report a warning; the result keeps it only once."""
        if warning not in self.result.warnings:
            self._add(Addition(warning=warning))
            log.debug("%s", without_words(warning))
        self._report(Warned(warning))

    def _add(self, addition: Addition) -> None:
        self.result = self.result.plus(addition)
        self._save(addition)


def _rounds_left(done: int, usual: int) -> int:
    """Return how many more rounds to expect: a comparison that took longer than usual will go on for longer."""
    return max(usual + 1 - done, 2 * done)


class _Course:
    """The progress of one workload, which may continue an earlier result.

    Attributes: ``planned`` with its size, final when ``is_sized`` by a pilot; its deciding ``metric``; ``left``, the
    most rounds to come; ``took_s``, the durations of valid runs by setting, including the pilot's.
    """

    def __init__(self, plan: Plan, planned: Planned, before: Result) -> None:
        workload = planned.workload
        ours = [sample for sample in before.samples if workload_of(sample.metric) == workload.id]
        self._next = 1 + max((sample.round for sample in ours), default=-1)
        self._orders = islice(orders(plan.settings, plan.record.seed), self._next, None)
        self._alone = len(plan.settings) < 2
        self.planned, self.is_sized, self.left = planned, False, plan.most_rounds
        self.metric = f"{workload.id}.{workload.deciding}"
        self.took_s = defaultdict[Setting, list[float]](list)
        for sample in {sample.order: sample for sample in ours if sample.valid}.values():
            self.took_s[sample.setting].append(sample.duration_s)

    def begin(self) -> tuple[int, tuple[Setting, ...]]:
        """Begin a round; return its number, and all settings in its order."""
        self._next, self.left = self._next + 1, self.left - 1
        return self._next - 1, next(self._orders)

    def expected_s(self, settings: Sequence[Setting]) -> float:
        """Return the time that runs will take: as the longest so far, of the same setting if known."""
        longest_s = max(map(max, self.took_s.values()), default=self.planned.spec.expected_s)
        around_s = self.planned.around_s
        return sum(max(self.took_s.get(setting, [longest_s])) + around_s for setting in settings)

    @property
    def slowdown(self) -> float | None:
        """The ratio of its runs' durations to the plan; None before the first run."""
        took_s = [seconds for times_s in self.took_s.values() for seconds in times_s]
        return median(took_s) / self.planned.spec.expected_s if took_s else None

    def abort_after_s(self) -> float:
        """Return after how long a run is aborted; never if there is only one setting."""
        if self._alone or not self.took_s:
            return math.inf
        return ABORT_FACTOR * max(SHORTEST_S, min(map(median, self.took_s.values())))


_CourseRuns: TypeAlias = tuple[_Course, Sequence[Setting]]
