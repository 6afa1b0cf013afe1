# SPDX-License-Identifier: GPL-3.0-or-later
"""One guided measurement from the question to the answer, started by window and terminal alike.

``Comparison`` compares the schedulers of a disk, in a trial that needs rights; ``Bench`` runs one workload with the
scheduler that the disk has, which needs none and changes nothing.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Self

from disktuner.comparison.elsewhere import felt_again, felt_of, with_felt
from disktuner.comparison.preparation import (
    available,
    drawn,
    own_workload,
    place_of,
    prepare,
    prepare_comparison,
    prepare_continuation,
    prepare_tuning,
    question_of,
    refuse_root,
    tidy,
)
from disktuner.comparison.request import (
    Announcement,
    BenchRequest,
    Environment,
    JudgedResult,
    Request,
    continued_result,
    empty_result,
)
from disktuner.comparison.target import Target, find_target, lies_on
from disktuner.comparison.trying import plain_winner
from disktuner.experiment.events import Event, Kept, Phase, Warned
from disktuner.experiment.experiment import Experiment, NextTurn
from disktuner.experiment.plan import Plan, Task
from disktuner.experiment.rounds import Turn
from disktuner.experiment.run import DiskRunner, SchedulerSwitch
from disktuner.results.codec import encode, load
from disktuner.results.definition import Definition
from disktuner.results.keeping import Keeper, not_saved_but_kept
from disktuner.results.mark import is_marked
from disktuner.results.model import Addition, PlanRecord, Result
from disktuner.results.store import Journal, try_place
from disktuner.verdict.judge import judge
from disktuner.verdict.race import next_turn
from disktuner.vocabulary.errors import DisktunerError, MeasurementImpossible
from disktuner.vocabulary.goals import Limits
from disktuner.vocabulary.messages import Message, message, say_all
from disktuner.vocabulary.settings import Setting
from disktuner.workloads.catalogue import find
from disktuner.workloads.processes import Control
from disktuner.writing import NotSaved, write_atomically

Listener = Callable[[Event], None]


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
                tidy(place.folder, listener)
            looking = message("trying-command", command=self._own.title) if self._own else message("probing")
            for each in (*(self._own.shown if self._own else ()), looking):
                listener(Phase(each))
        return target

    def _saves(self, target: Target, *files: Path | None) -> bool:
        """Whether a result that is kept in these files lies on a disk that is measured."""
        system = self._environment.system
        return any(lies_on(file.parent, target.names, system) for file in files if file)

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
        save: Callable[[Addition], object],
        next_turn: NextTurn = next_turn,
    ) -> Result:
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
        empty = self._empty(prepared)
        if empty.samples and not next_turn(empty).runs:
            raise MeasurementImpossible("continues-what-is-settled", result=empty.continues)
        first, others = around.store.journal(empty), [out] if out else []
        with Keeper(first, others, empty, lambda what: listener(Warned(what))) as keeper:
            try:
                with around.trials(prepared.target.disks) as switch:
                    result = self._measure(prepared.plan, empty, listener, switch=switch, save=keeper.append)
            except DisktunerError:
                if kept := keeper.kept:  # named to measure on: by its id where it is in the store
                    listener(Kept(kept.stem if kept.parent == around.store.folder else str(kept)))
                raise
            path = keeper.finish(result)
        _check_counted(result)
        path, problem = _copied(result, path, out)
        return JudgedResult(result, judge(result), path, prepared.target.disks, problem)

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
        saves = self._saves(target, store.folder / "result", request.out)
        if before and request.after:
            plain = plain_winner(judge(before))
            prepared = prepare_tuning(request, before, plain, target, control=self._control, saves=saves)
        elif before:
            prepared = prepare_continuation(request, before, target, self._control, saves=saves)
        else:
            prepared = prepare_comparison(request, target, self._control, saves=saves)
        closed = store.closed()
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

    def _empty(self, prepared: Announcement) -> Result:
        empty = empty_result(prepared)
        if self._before and self._request.after:
            return replace(empty, after=self._before.id)
        return continued_result(prepared, self._before) if self._before else empty


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
        with ExitStack() as stack:
            keeper: Keeper | None = None
            if out:
                first = Journal(out, empty)
                keeper = stack.enter_context(Keeper(first, (), empty, lambda what: listener(Warned(what))))
            save = keeper.append if keeper else lambda _: None
            result = self._measure(
                plan, empty, listener, switch=SchedulerSwitch(), save=save, next_turn=lambda _: always
            )
            self.saved = keeper is None or keeper.finish(result) == out
        _check_counted(result)
        return result

    def _prepare(self, listener: Listener | None) -> Announcement:
        if self._request.out:
            try_place(self._request.out)
        request = self._request
        workload = own_workload(request.own) if request.own else find(request.workload)
        target = self._target(request.target, listener, request.felt)
        available_here, reasons = available([workload], target)
        if not available_here:
            raise MeasurementImpossible.of(reasons[workload.id])
        setting = Setting(self._environment.system.scheduler(target.disk.name) or "none")
        limits = Limits(math.inf, request.rounds, request.run_s, 1)
        question = question_of(None, [workload], limits)
        record = PlanRecord(
            None,
            None,
            (setting,),
            setting,
            (workload.id,),
            drawn(request.seed),
            question=question,
            felt=felt_of(target),
        )
        prepared = prepare(
            Task(record, [workload], limits), target, self._control, saves=self._saves(target, request.out)
        )
        return replace(prepared, plan=replace(prepared.plan, run_s=math.inf, most_s=math.inf))


def _copied(result: Result, kept: Path | None, out: Path | None) -> tuple[Path | None, Message | None]:
    """Write the copy that was asked for; return where the result lies, and why it is not there if it is not."""
    if out is None or kept == out:
        return kept, None
    try:
        return write_atomically(out, encode(result).encode("utf-8"), is_private=True), None
    except NotSaved as error:
        return kept, not_saved_but_kept(error, kept)


def _check_counted(result: Result) -> None:
    """Raise ``MeasurementImpossible`` where no run counted."""
    if not result.samples:
        raise MeasurementImpossible("nothing-measured")
    if not any(sample.valid for sample in result.samples):
        raise MeasurementImpossible("no-run-counted", reason=result.samples[-1].reason)
