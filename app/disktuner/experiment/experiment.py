# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a plan: what ``rounds`` decides is run by a runner, and entered into the books."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol, Self

from disktuner.experiment.books import Books
from disktuner.experiment.events import Event, Phase, RoundDone, RunStarted
from disktuner.experiment.plan import Plan, Planned
from disktuner.experiment.processes import Control
from disktuner.experiment.rounds import Needs, Round, Rounds, Stopwatch, first_order
from disktuner.results.model import Addition, Result
from disktuner.vocabulary.messages import Message, message


class Runner(Protocol):
    """Makes single runs; ``experiment.run.DiskRunner`` on real disks."""

    def __enter__(self) -> Self:
        """Take what the runs need."""

    def __exit__(self, *_: object) -> None:
        """Give it back, whatever happened."""

    def prepare(self) -> float:
        """Write the files that all runs share; return for how long a person was waited for, in seconds."""

    def warm_up(self) -> None:
        """Run each workload once without counting it."""

    def use(self, scheduler: str) -> Message | None:
        """Set the scheduler; what is to be known of it."""

    def run(self, each: Planned, scheduler: str, number: int, order: int, abort_after_s: float) -> Addition:
        """Run a workload once in a round, as the run of that order."""

    def written_bytes(self) -> int | None:
        """What the disks have written since the warm-up, None where that is not known."""


class Experiment:
    """One run of a plan, in the calling thread. ``save`` is called with all that is added to the result, at once.

    ``empty`` is the result before the first run, or one that is measured on.
    """

    def __init__(
        self,
        plan: Plan,
        empty: Result,
        *,
        runner: Runner,
        save: Callable[[Addition], object],
        listener: Callable[[Event], None],
        control: Control,
        needs: Needs,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._plan = plan
        self._runner = runner
        self._books = Books(empty, save, listener)
        self._report = listener
        self._control = control
        self._watch = Stopwatch(clock)
        self._rounds = Rounds(plan, needs, self._watch, empty)
        self._runs = first_order(empty)

    @property
    def result(self) -> Result:
        """All that was measured so far."""
        return self._books.result

    def run(self) -> Result:
        """Do it all. Raises ``Cancelled`` or ``MeasurementImpossible``; what the runner took is given back."""
        self._control.check()
        with self._runner:
            try:
                self._prepare()
                self._measure()
            finally:
                self._report(Phase(message("cleaning")))
        return self.result

    def _prepare(self) -> None:
        self._report(Phase(message("preparing")))
        self._watch.paused_s += self._runner.prepare()
        self._report(Phase(message("warming-up")))
        self._runner.warm_up()
        self._report(Phase(message("measuring")))

    def _measure(self) -> None:
        rounds, books = self._rounds, self._books
        planned = rounds.planned
        while turn := rounds.next(books.result, self._runner.written_bytes()):
            for scheduler in turn.order:
                self._run_until_done(turn, scheduler)
            if found := rounds.finish(books.result):
                books.discard(found)
            if rounds.planned != planned:
                planned = rounds.planned
                books.plan_rounds(planned)
            self._report(RoundDone(rounds.begun - 1, books.result))
        if rounds.stopped_by:
            books.warn(rounds.stopped_by)

    def _run_until_done(self, turn: Round, scheduler: str) -> None:
        """Run a workload once under a scheduler, and again what does not count, as far as repeats go."""
        self._rounds.begin_run()
        while self._run(turn, scheduler):
            pass

    def _run(self, turn: Round, scheduler: str) -> bool:
        """Run once and enter it; return whether it is to be made again."""
        self._watch.paused_s += self._control.wait_while_paused()
        rounds, order, each = self._rounds, self._runs, turn.planned
        self._runs += 1
        if told := self._runner.use(scheduler):
            self._books.warn(told)
        self._report(RunStarted(each.workload.id, scheduler, turn.number, order, rounds.runs, rounds.remaining_s()))
        patience_s = rounds.patience_s(scheduler, self._books.result)
        run = self._runner.run(each, scheduler, turn.number, order, patience_s)
        self._books.add_run(run)
        return rounds.repeats(each, run.samples[0])
