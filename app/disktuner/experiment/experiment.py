# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a plan: a pilot that sizes the runs, then turns of what is worth another round, until all is answered.

Whatever is measured is added to the result and saved at once. No run begins that would end after the announced time or
write more than was announced.
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
    OVERHEAD_S,
    PRICE_ROUNDS,
    TYPICAL_ROUNDS,
    Plan,
    Planned,
    with_warm_ups,
)
from disktuner.experiment.progress import Advance, Progress
from disktuner.experiment.rounds import Runs, Turn, orders
from disktuner.experiment.run import DiskRunner
from disktuner.results.model import Addition, Result, Sample
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.messages import Message, message, without_words
from disktuner.vocabulary.metrics import workload_of
from disktuner.vocabulary.reasons import REASONS
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.workloads import metrics_of
from disktuner.workloads.processes import Control
from disktuner.workloads.spec import SHORTEST_S, Spec

log = logging.getLogger(__name__)

MOST_FAILURES = 3
PATIENCE = 4.0
"""A run need not be waited for once it took that many times as long as under the quickest: that it is far slower is
known then."""
WORTH_SIZING = 0.8
"""Runs that are hardly too long or too short stay as they were planned, so that results of one disk have the same
sizes."""
NextTurn = Callable[[Result], Turn]
"""What to measure next, given all that was measured."""


class Experiment:
    """One run of a plan, in the calling thread. ``save`` is called with all that is added to the result, at once.

    ``empty`` is the result before the first run, or one that is measured on. Attributes: ``result`` holds all that was
    measured so far.
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
        self._courses = [_Course(plan, each, empty) for each in plan.planned]
        self._turns = self._failures = self._prepared = self._to_prepare = 0
        self._progress = Progress()
        self._expected_s = plan.typical_s if math.isfinite(plan.most_s) else plan.announced_s
        self._bound_bytes = 0
        self._is_late = False
        self._said: set[str] = set()

    def run(self) -> Result:
        """Do it all. Raises ``Cancelled`` or ``MeasurementImpossible``; what the runner took is given back."""
        self._control.check()
        with self._runner:
            try:
                self._report(Phase(message("preparing")))
                deciding = [course for course in self._courses if course.planned.decides]
                self._to_prepare = len(deciding) * len(self._plan.piloted)
                self._to_prepare += sum(course.planned.has_files for course in deciding)
                self._paused_s += self._runner.prepare(self._prepares)
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

    def _pilot(self, course: _Course, settings: Sequence[Setting]) -> None:
        """Run a workload once under each setting without counting it.

        Its runs become as short as the slowest setting needs, and as long as was planned. What the first shows to be
        too long is shorter from the next one on.
        """
        each, course.is_sized, share = course.planned, True, 1.0
        if not each.decides:
            self._prepared, self._to_prepare = 0, each.has_files + len(settings)
            self._runner.prepare_for(each.workload, self._prepares)
        parts_s: list[float] = []
        took_s: dict[Setting, float] = {}
        for setting in settings:
            if not self._fits(course, [setting, *with_warm_ups(self._plan.settings)]):
                break
            self._use(setting)
            self._prepares(each, setting)
            began_s, done = self._clock(), min(1.0, share)
            quickest_s = min(parts_s, default=each.spec.expected_s)
            part_s = self._runner.pilot(each.sized(done), PATIENCE * max(done * quickest_s, SHORTEST_S))
            self._bound_bytes += self._plan.bytes_of(each)
            if part_s:  # what fails here fails in the first run again, which tells it
                parts_s.append(part_s / done)
                took_s[setting] = (self._clock() - began_s) / done
                share = self._share(each.spec, min(parts_s), max(parts_s))
        for setting, seconds in took_s.items():
            course.took_s[setting].append(share * seconds)
        course.planned = each.sized(share)
        if course.planned != each:
            planned = [its.planned for its in self._courses]
            self._add(Addition(sizes={its.workload.id: its.spec.as_json() for its in planned}))

    def _share(self, spec: Spec, quickest_s: float, slowest_s: float) -> float:
        """Return which part of the planned work the runs are to do."""
        least, run_s = spec.MUST_LAST_S / quickest_s, max(self._plan.run_s, spec.MAY_LAST_S)
        share = min(1.0, max(run_s / slowest_s, least))
        if spec.GROWS and share == 1 and math.isfinite(run_s):
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
        """Run a round of each workload that is worth one and fits; whether there was any.

        What the prices of a candidate need is kept for them, until nothing else fits.
        """
        runs, reserve = self._of(turn.runs), self._of(turn.reserve)
        self._expect(runs, reserve)
        before = self._order
        for course, names in runs:
            kept = [(price, self._price_runs_left(price, its)) for price, its in reserve if course.planned.decides]
            if course.left and self._fits(course, with_warm_ups(names), kept):
                self._round(course, names)
        if self._order > before:
            self._report(RoundDone(self._turns, self.result))
            self._turns += 1
        return self._order > before

    def _of(self, runs: Runs) -> list[_CourseRuns]:
        """Return the workloads with the settings that they are to run under."""
        found = [(course, runs.get(course.planned.workload.id, ())) for course in self._courses]
        return [(course, names) for course, names in found if names]

    def _price_runs_left(self, price: _Course, settings: Sequence[Setting]) -> Sequence[Setting]:
        """Which runs a candidate's price usually needs yet, its pilot among them."""
        return with_warm_ups(settings) * max(0, PRICE_ROUNDS - self._priced(price, settings[-1]) + (not price.is_sized))

    def _priced(self, price: _Course, candidate: Setting) -> int:
        """How often it was measured what a candidate costs."""
        return sum(each.metric == price.metric and each.setting == candidate for each in self.result.samples)

    def _round(self, course: _Course, settings: Sequence[Setting]) -> None:
        """Run a workload under some settings; what does not count once again, where that fits."""
        if not course.is_sized:  # a price is piloted when it is first asked for
            self._pilot(course, settings)
        number, order = course.begin()
        for setting in (its for its in order if its in settings):
            for attempt in range(2):
                self._expected_s += attempt * course.expected_s([setting])
                if not self._warm_up(course, setting) or self._run(course, setting, number).valid:
                    break

    def _warm_up(self, course: _Course, setting: Setting) -> bool:
        """Set it, and let a scheduler that learns do so without counting it; whether a run fits after that."""
        runs = with_warm_ups([setting])
        if not self._fits(course, runs):
            return False
        self._use(setting)
        if len(runs) == 1:
            return True
        self._runner.pilot(course.planned, course.patience_s())
        self._bound_bytes += self._plan.bytes_of(course.planned)
        return self._fits(course, [setting])

    def _run(self, course: _Course, setting: Setting, number: int) -> Sample:
        """Run once and enter it; return one of its samples."""
        each, order = course.planned, self._order
        self._report(RunStarted(each.workload.id, setting, number, order, self._begins(course.expected_s([setting]))))
        run = self._runner.run(each, setting, number, order, course.patience_s())
        self._order += 1
        self._bound_bytes += self._plan.bytes_of(each)
        self._add(run)
        first = run.samples[0]
        self._report(
            RunDone(each.workload.id, next((its for its in run.samples if its.metric == course.metric), first))
        )
        if first.valid:
            course.took_s[setting].append(first.duration_s)
        if first.reason:
            log.debug("round %d, %s: %s", number, setting.name, without_words(first.reason))
            self._warn_of_run(first.reason)
        self._stop_if_hopeless(first.reason)
        return first

    def _use(self, setting: Setting) -> None:
        self._paused_s += self._control.wait_while_paused()
        if told := self._runner.use(setting):
            self._warn(told)

    def _stop_if_hopeless(self, reason: Message | None) -> None:
        """Raise ``MeasurementImpossible`` where no further run can succeed."""
        known = REASONS[reason.id] if reason else None
        self._failures = self._failures + 1 if known and known.lasting else 0
        if known and known.ends:
            raise MeasurementImpossible(known.ends, folder=str(self._plan.folder), disks=self._plan.disks)
        if self._failures >= MOST_FAILURES:
            raise MeasurementImpossible("runs-failed", count=self._failures, reason=reason)

    def _left_s(self) -> float:
        """The time until the cleaning has to begin; pauses don't count."""
        return self._plan.most_s - AROUND_S - (self._clock() - self._began_s - self._paused_s)

    def _begins(self, expected_s: float) -> Advance:
        """Return how far all is as something begins that is expected to take so long."""
        left_s = max(expected_s, self._expected_s)
        self._expected_s = left_s - expected_s
        limit_s = self._left_s()
        at_most_s = max(expected_s, limit_s) if math.isfinite(limit_s) else left_s
        return self._progress.begin(expected_s, left_s, at_most_s)

    def _prepares(self, planned: Planned, setting: Setting | None = None) -> None:
        """Report that files are written, or that a run which does not count begins."""
        self._prepared += 1
        expected_s, size = (planned.run_s, 0) if setting else (planned.prepare_s, planned.spec.cost.bytes_prepared)
        number, advance = self._prepared, self._begins(expected_s)
        self._report(Preparing(number, self._to_prepare, planned.workload.id, setting, size, advance))

    def _expect(self, runs: Sequence[_CourseRuns], reserve: Sequence[_CourseRuns]) -> None:
        """Work out anew how long all that is left takes: this turn, those after it, and a price that is not known.

        Without a limit all rounds are run.
        """
        once_s = {course: course.expected_s(with_warm_ups(names)) for course, names in runs}
        left_s, rounds = self._left_s(), self._plan.most_rounds - self._turns
        if math.isfinite(left_s):
            rounds = min(rounds, _rounds_left(self._turns, TYPICAL_ROUNDS))
        whole_s = sum(once_s[course] for course in once_s if course.planned.decides) * max(1, rounds)
        prices = {course: names for course, names in (*runs, *reserve) if not course.planned.decides}
        for price, names in prices.items():
            left = with_warm_ups(names) * _rounds_left(self._priced(price, names[-1]), PRICE_ROUNDS)
            whole_s += price.expected_s(left) * self._slower(price)
        self._expected_s = min(whole_s, left_s)

    def _fits(self, course: _Course, settings: Sequence[Setting], kept: Sequence[_CourseRuns] = ()) -> bool:
        """Whether runs stay within the time and bytes that were announced, and leave those that are kept for others."""
        plan, runs = self._plan, [(course, settings), *kept]
        more_s = sum(each.expected_s(its) * self._slower(each) for each, its in runs)
        more_s += sum(each.planned.prepare_s for each, _ in runs if not (each.is_sized or each.planned.decides))
        slower_bytes = plan.bytes_of(course.planned) - plan.bytes_expected(course.planned)
        more_bytes = slower_bytes + sum(plan.bytes_expected(each.planned) * len(its) for each, its in runs)
        self._is_late = more_s > self._left_s()
        return not self._is_late and self._written_bytes() + more_bytes <= plan.most_bytes

    def _written_bytes(self) -> int:
        """What runs have written, as far as that is known."""
        seen_bytes = self._runner.written_bytes()
        return self._bound_bytes if seen_bytes is None else min(seen_bytes, self._bound_bytes)

    def _slower(self, course: _Course) -> float:
        """How many times as long as planned the runs of one probably take that never ran: as those of others do."""
        if course.took_s:
            return 1.0
        known = [factor for each in self._courses if (factor := each.slower)]
        return max(1.0, median(known)) if known else 1.0

    def _warn_of_run(self, reason: Message) -> None:
        """Report what a run lacks; what lasts from run to run is said at the first of them."""
        known = REASONS[reason.id]
        if not known.told or (known.once and known.id in self._said):
            return
        self._said.add(known.id)
        invalid = "runs-invalid" if known.once else "run-invalid"
        self._warn(message(invalid if known.invalid else "run-disturbed", reason=reason))

    def _warn(self, warning: Message) -> None:
        """Report a warning; the result keeps it once."""
        if warning not in self.result.warnings:
            self._add(Addition(warning=warning))
            log.debug("%s", without_words(warning))
        self._report(Warned(warning))

    def _add(self, addition: Addition) -> None:
        self.result = self.result.plus(addition)
        self._save(addition)


def _rounds_left(done: int, usual: int) -> int:
    """Return how many more rounds are to be expected after so many: what took longer than usual goes on for longer."""
    return max(usual + 1 - done, 2 * done)


class _Course:
    """How far one workload is, going on after a result.

    Attributes: ``planned`` with its size, which ``is_sized`` once it was piloted; its deciding ``metric``; ``left``,
    how many more rounds there may be; ``took_s``, how long valid runs took by setting, the pilot's among them.
    """

    def __init__(self, plan: Plan, planned: Planned, before: Result) -> None:
        workload = planned.workload
        ours = [each for each in before.samples if workload_of(each.metric) == workload.id]
        self._next = 1 + max((each.round for each in ours), default=-1)
        self._orders = islice(orders(plan.settings, plan.record.seed), self._next, None)
        self._alone = len(plan.settings) < 2
        self.planned, self.is_sized, self.left = planned, False, plan.most_rounds
        self.metric = f"{workload.id}.{workload.deciding}"
        self.took_s = defaultdict[Setting, list[float]](list)
        for each in {each.order: each for each in ours if each.valid}.values():
            self.took_s[each.setting].append(each.duration_s)

    def begin(self) -> tuple[int, tuple[Setting, ...]]:
        """Begin a round: its number, and all settings in its order."""
        self._next, self.left = self._next + 1, self.left - 1
        return self._next - 1, next(self._orders)

    def expected_s(self, settings: Sequence[Setting]) -> float:
        """How long runs take: as long as the longest so far, of that setting if there is one."""
        longest_s = max(map(max, self.took_s.values()), default=self.planned.spec.expected_s)
        return sum(max(self.took_s.get(its, [longest_s])) + OVERHEAD_S for its in settings)

    @property
    def slower(self) -> float | None:
        """How many times as long as planned its runs take, None before the first."""
        took_s = [seconds for each in self.took_s.values() for seconds in each]
        return median(took_s) / self.planned.spec.expected_s if took_s else None

    def patience_s(self) -> float:
        """For how long a run is waited for; whoever runs alone is waited for to the end."""
        if self._alone or not self.took_s:
            return math.inf
        return PATIENCE * max(SHORTEST_S, min(map(median, self.took_s.values())))


_CourseRuns: TypeAlias = tuple[_Course, Sequence[Setting]]
