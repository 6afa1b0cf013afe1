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
from disktuner.experiment.rounds import Rest, Rounds, Stopwatch
from disktuner.results.model import Addition, Result
from disktuner.vocabulary.messages import message


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

    def use(self, scheduler: str) -> None:
        """Set the scheduler."""

    def run(self, each: Planned, scheduler: str, number: int, order: int) -> Addition:
        """Run a workload once in a round, as the run of that order."""

    def written_bytes(self) -> int | None:
        """What the disks have written since the warm-up, None where that is not known."""


class Experiment:
    """One run of a plan, in the calling thread. ``save`` is called with all that is added to the result, at once."""

    def __init__(
        self,
        plan: Plan,
        empty: Result,
        *,
        runner: Runner,
        save: Callable[[Addition], object],
        listener: Callable[[Event], None],
        control: Control,
        rest: Rest,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._plan = plan
        self._runner = runner
        self._books = Books(empty, save, listener)
        self._report = listener
        self._control = control
        self._watch = Stopwatch(clock)
        self._rounds = Rounds(plan, rest, self._watch)
        self._runs = 0

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
        while order := rounds.next(books.result, self._runner.written_bytes()):
            planned = rounds.planned
            for scheduler in order:
                self._run_all(scheduler)
            for found in rounds.finish(books.result):
                books.discard(found)
            if rounds.planned != planned:
                books.plan_rounds(rounds.planned)
            if not rounds.stopped_by:
                self._report(RoundDone(rounds.number, books.result))
        if rounds.stopped_by:
            books.warn(rounds.stopped_by)

    def _run_all(self, scheduler: str) -> None:
        """Run every workload once under a scheduler, and again what does not count, as far as repeats go."""
        self._watch.paused_s += self._control.wait_while_paused()
        self._runner.use(scheduler)
        for each in self._plan.planned:
            self._rounds.begin_run()
            while self._run(each, scheduler):
                self._runner.use(scheduler)

    def _run(self, each: Planned, scheduler: str) -> bool:
        """Run once and enter it; return whether it is to be made again."""
        self._watch.paused_s += self._control.wait_while_paused()
        rounds, order = self._rounds, self._runs
        self._runs += 1
        self._report(RunStarted(each.workload.id, scheduler, rounds.number, order, rounds.runs, rounds.remaining_s()))
        run = self._runner.run(each, scheduler, rounds.number, order)
        self._books.add_run(run)
        return rounds.repeats(each, run.samples[0])
