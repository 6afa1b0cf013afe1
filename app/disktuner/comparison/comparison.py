# SPDX-License-Identifier: GPL-3.0-or-later
"""One guided measurement from the question to the answer, started by window and terminal alike.

``Comparison`` compares the schedulers of a disk, in a trial that needs rights; ``Bench`` runs one workload with the
scheduler that the disk has, which needs none and changes nothing.
"""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Self

from disktuner.comparison.preparation import prepare
from disktuner.comparison.request import Announcement, BenchRequest, Environment, JudgedResult, Request, empty_result
from disktuner.comparison.target import Target, felt_again, find_target, lies_on, place_of, with_felt
from disktuner.comparison.tasks import bench_task, comparison_task, continuation_task, plain_winner, tuning_task
from disktuner.experiment.events import Event, Kept, Phase, Warned
from disktuner.experiment.experiment import Experiment, NextTurn
from disktuner.experiment.plan import Plan, Task
from disktuner.experiment.rounds import Turn
from disktuner.experiment.run import DiskRunner, SchedulerSwitch
from disktuner.experiment.scratch import Leftovers
from disktuner.results.codec import encode, load
from disktuner.results.definition import Definition
from disktuner.results.keeping import Keeper, not_saved_but_kept
from disktuner.results.mark import is_marked
from disktuner.results.model import Addition, Result
from disktuner.results.store import Journal, try_place
from disktuner.verdict.judge import judge
from disktuner.verdict.race import next_turn
from disktuner.vocabulary.errors import DisktunerError, MeasurementImpossible
from disktuner.vocabulary.messages import message, say_all
from disktuner.workloads.processes import Control
from disktuner.writing import NotSaved, write_atomically

Listener = Callable[[Event], None]


def refuse_root() -> None:
    """Raise ``MeasurementImpossible`` for root: benchmarks write files and need no rights."""
    if os.geteuid() == 0:
        raise MeasurementImpossible("as-root")


class Guided(ABC):
    """What all kinds of measurement share.

    ``announce`` and ``run`` block: call them in one worker thread. ``cancel``, ``pause`` and ``resume`` may be called
    from any thread or signal handler; cancel takes effect within a second, pause before the next run. Use it as a
    context manager, or ``close`` it.
    """

    def __init__(self, own: Definition | None, environment: Environment) -> None:
        self._own = own
        self._environment = environment
        self._control = Control()
        self._prepared: Announcement | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def announce(self, listener: Listener | None = None) -> Announcement:
        """Probe for about three seconds, plan, and say what would be written and how long it would take.

        Writes and removes one small file, asks for no rights, switches nothing. Raises ``NoSuchThing`` or
        ``MeasurementImpossible``.
        """
        self._prepared = self._prepare(listener)
        return self._prepared

    def cancel(self) -> None:
        """End it now, also while somebody is asked for a password."""
        self._control.cancel()
        self._environment.stop_waiting()

    def pause(self) -> None:
        """Hold before the next run."""
        self._control.pause()

    def resume(self) -> None:
        """Go on after ``pause``."""
        self._control.resume()

    def close(self) -> None:
        """End what still goes on; call it when ``run`` is over."""
        self._control.cancel()

    @abstractmethod
    def _prepare(self, listener: Listener | None) -> Announcement:
        """Find the disks, probe and plan. Raises as ``announce`` does."""

    def _target(self, text: str, listener: Listener | None, felt: str = "") -> Target:
        refuse_root()
        self._control.check()
        target = find_target(text, self._environment.system)
        if felt:
            target = with_felt(target, felt, self._environment.system)
        if listener:
            for place in filter(None, (target, target.felt)):
                Leftovers().sweep(place.folder, lambda what: listener(Phase(what)))
            looking = message("trying-command", command=self._own.title) if self._own else message("probing")
            for each in (*(self._own.shown if self._own else ()), looking):
                listener(Phase(each))
        return target

    def _planned(self, task: Task, target: Target, *files: Path | None) -> Announcement:
        """Look at the target and plan; ``files`` are where the result is kept."""
        system = self._environment.system
        saves = any(lies_on(file.parent, target.names, system) for file in files if file)
        return prepare(task, target, self._control, saves=saves)

    def _ready(self, listener: Listener) -> Announcement:
        """Return what was announced, and report its cautions. Raises ``MeasurementImpossible`` where it is refused."""
        prepared = self._prepared or self.announce(listener)
        if prepared.refused:
            raise MeasurementImpossible.of(prepared.refused)
        for caution in prepared.shown:
            listener(Warned(caution))
        return prepared

    def _measure(
        self,
        plan: Plan,
        empty: Result,
        listener: Listener,
        *,
        switch: SchedulerSwitch,
        save: Callable[[Addition], object] = lambda _: None,
        next_turn: NextTurn = next_turn,
    ) -> Result:
        """Run a plan; ``save`` keeps what it adds to the ``empty`` result."""
        control = self._control
        runner = DiskRunner(plan, system=self._environment.system, switch=switch, control=control, report=listener)
        return Experiment(
            plan, empty, runner=runner, save=save, listener=listener, control=control, next_turn=next_turn
        ).run()


class Comparison(Guided):
    """A comparison of the schedulers of one disk (or of all disks below one folder)."""

    def __init__(self, request: Request, environment: Environment) -> None:
        super().__init__(request.own, environment)
        self._request = request
        self._before: Result | None = None

    def run(self, listener: Listener) -> JudgedResult:
        """Measure and judge; announces first if that was not done. Events come in order from the calling thread.

        Asks for the right to switch schedulers once. Raises ``Cancelled``, ``NotAuthorised``, ``HelperNotThere`` or
        ``MeasurementImpossible``; whatever happens the disk gets its scheduler back and the scratch files go.
        """
        prepared, around, out = self._ready(listener), self._environment, self._request.out
        empty = empty_result(prepared)
        if self._before and self._request.after:
            empty = replace(empty, after=self._before.id)
        if empty.samples and not next_turn(empty).runs:
            raise MeasurementImpossible("continues-what-is-settled", result=empty.continues)
        first, others = around.store.journal(empty), [out] if out else []
        with Keeper(first, others, empty, lambda what: listener(Warned(what))) as keeper:
            try:
                with around.trials(prepared.target.disks) as switch:
                    result = self._measure(prepared.plan, empty, listener, switch=switch, save=keeper.append)
                _check_counted(result)
            except DisktunerError:
                if kept := keeper.kept:  # named to measure on: by its id where it is in the store
                    listener(Kept(kept.stem if kept.parent == around.store.folder else str(kept)))
                raise
            path = keeper.finish(result)
        return copied(JudgedResult(result, judge(result), path, prepared.target.disks), out)

    def _prepare(self, listener: Listener | None) -> Announcement:
        request, store = self._request, self._environment.store
        if request.out:
            try_place(request.out)
        if known := request.continues or request.after:
            self._before = load(known)
            self._check_trusted(self._before)
        before, folder = self._before, request.target
        if before and not folder:
            folder = place_of(before, self._environment.system)
        felt = felt_again(before, self._environment.system) if before else request.felt
        target = self._target(folder, listener, felt)
        if before and request.after:
            task = tuning_task(request, before, plain_winner(judge(before)), target)
        elif before:
            task = continuation_task(request, before, target)
        else:
            task = comparison_task(request, target)
        self._environment.require_free(target.disks)
        prepared, closed = self._planned(task, target, store.folder / "result", request.out), store.closed()
        return replace(prepared, at_start=(*prepared.at_start, closed)) if closed else prepared

    def _check_trusted(self, before: Result) -> None:
        """Refuse to run a command because a file says so that may come from anybody, wherever it lies.

        Of what this user measured here, and of what was just asked for, the user knows what it does. Raises
        ``MeasurementImpossible``, which says all that would be run.
        """
        own = before.own
        if own and own != self._request.own and not is_marked(own):
            raise MeasurementImpossible("own-from-elsewhere", shown=say_all(own.shown))
        self._own = own or self._own


class Bench(Guided):
    """Runs one workload some times. Attributes: ``saved``, whether the result lies where it was asked to be."""

    def __init__(self, request: BenchRequest, environment: Environment) -> None:
        super().__init__(request.own, environment)
        self._request = request
        self.saved = True

    def run(self, listener: Listener) -> Result:
        """Measure. Raises ``Cancelled`` or ``MeasurementImpossible``, also when no run counted."""
        prepared, out = self._ready(listener), self._request.out
        plan, empty = prepared.plan, empty_result(prepared)
        always = Turn(dict.fromkeys(plan.record.workloads, plan.settings))
        keeping = Keeper(Journal(out, empty), (), empty, lambda what: listener(Warned(what))) if out else nullcontext()
        with keeping as keeper:
            save = keeper.append if keeper else lambda _: None
            result = self._measure(
                plan, empty, listener, switch=SchedulerSwitch(), save=save, next_turn=lambda _: always
            )
            _check_counted(result)
            self.saved = keeper is None or keeper.finish(result) == out
        return result

    def _prepare(self, listener: Listener | None) -> Announcement:
        if self._request.out:
            try_place(self._request.out)
        target = self._target(self._request.target, listener, self._request.felt)
        prepared = self._planned(bench_task(self._request, target), target, self._request.out)
        return replace(prepared, plan=replace(prepared.plan, run_s=math.inf, most_s=math.inf))


def copied(found: JudgedResult, out: Path | None) -> JudgedResult:
    """Write the copy that was asked for; return it with where it lies, and why it is not there if it is not."""
    if out is None or found.path == out:
        return found
    try:
        return replace(found, path=write_atomically(out, encode(found.result).encode("utf-8"), is_private=True))
    except NotSaved as error:
        return replace(found, problem=not_saved_but_kept(error, found.path))


def _check_counted(result: Result) -> None:
    """Raise ``MeasurementImpossible`` where no run counted."""
    if not result.samples:
        raise MeasurementImpossible("nothing-measured")
    if not any(sample.valid for sample in result.samples):
        raise MeasurementImpossible("no-run-counted", reason=result.samples[-1].reason)
