# SPDX-License-Identifier: GPL-3.0-or-later
"""One guided measurement from question to answer, for window and terminal alike.

``Comparison`` compares the schedulers of a disk, in a trial that needs rights; ``Bench`` runs one workload with the
present scheduler, which needs no rights and changes nothing.
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

import msgspec

from disktuner.comparison.preparation import prepare
from disktuner.comparison.request import Announcement, BenchRequest, Environment, JudgedResult, Request, empty_result
from disktuner.comparison.target import Target, felt_again, find_target, lies_on, place_of, with_felt
from disktuner.comparison.tasks import bench_task, comparison_task, continuation_task, plain_winner, tuning_task
from disktuner.experiment.events import EndedEarly, Event, Phase, Warned
from disktuner.experiment.experiment import Experiment, NextTurn
from disktuner.experiment.plan import Plan, Task
from disktuner.experiment.rounds import Turn
from disktuner.experiment.run import DiskRunner, SchedulerSwitch
from disktuner.experiment.scratch import Leftovers
from disktuner.presentation.portrait import tells_end
from disktuner.results.codec import encode, load
from disktuner.results.definition import Definition
from disktuner.results.keeping import Keeper, not_saved_but_kept
from disktuner.results.mark import is_marked
from disktuner.results.model import Addition, Result
from disktuner.results.store import Journal, try_place
from disktuner.verdict.judge import judge
from disktuner.verdict.race import next_turn
from disktuner.vocabulary.errors import DisktunerError, MeasurementImpossible, UsageError
from disktuner.vocabulary.messages import message, say_all
from disktuner.workloads.processes import Control
from disktuner.writing import NotSaved, write_chosen

Listener = Callable[[Event], None]


def refuse_root() -> None:
    """Raise ``MeasurementImpossible`` if run by root: benchmarks write files and need no rights."""
    if os.geteuid() == 0:
        raise MeasurementImpossible("as-root")


def refuse_unwritable(own: Definition) -> None:
    """Raise ``MeasurementImpossible`` if no result, which is UTF-8, could hold a user's command, or its folder."""
    try:
        msgspec.json.encode(own)
    except UnicodeEncodeError as error:
        raise MeasurementImpossible("own-not-utf-8", words=error.object) from error


class Guided(ABC):
    """What all kinds of measurement share.

    ``announce`` and ``run`` block: call them in one worker thread. ``cancel``, ``pause`` and ``resume`` may be called
    from any thread or signal handler; a cancel takes effect within a second, a pause before the next run. Use it as a
    context manager, or ``close`` it.
    """

    def __init__(self, definition: Definition | None, environment: Environment) -> None:
        self._own = definition
        self._environment = environment
        self._control = Control()
        self._prepared: Announcement | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def announce(self, listener: Listener | None = None) -> Announcement:
        """Probe for about three seconds and plan; return what would be written and how long it would take.

        Writes and removes one small file, asks for no rights, switches nothing. Raises ``NoSuchThing`` or
        ``MeasurementImpossible``.
        """
        self._prepared = self._prepare(listener)
        return self._prepared

    def cancel(self) -> None:
        """End it now, even while somebody is asked for a password."""
        self._control.cancel()
        self._environment.stop_waiting()

    def pause(self) -> None:
        self._control.pause()

    def resume(self) -> None:
        self._control.resume()

    def close(self) -> None:
        """End whatever still runs; call it when ``run`` is over."""
        self._control.cancel()

    @abstractmethod
    def _prepare(self, listener: Listener | None) -> Announcement:
        """Find the disks, probe and plan. Raises like ``announce``."""

    def _target(self, text: str, listener: Listener | None, felt: str = "") -> Target:
        refuse_root()
        if self._own:
            refuse_unwritable(self._own)
        self._control.check()
        target = find_target(text, self._environment.system)
        if felt:
            target = with_felt(target, felt, self._environment.system)
        if listener:
            for place in filter(None, (target, target.felt)):
                Leftovers().sweep(place.folder, lambda what: listener(Phase(what)))
            looking = message("trying-command", command=self._own.title) if self._own else message("probing")
            for notice in (*(self._own.shown if self._own else ()), looking):
                listener(Phase(notice))
        return target

    def _planned(self, task: Task, target: Target, *files: Path | None) -> Announcement:
        """Probe the target and plan; ``files`` are where the result is kept."""
        system = self._environment.system
        saves = any(lies_on(file.parent, target.names, system) for file in files if file)
        portrait = self._environment.portraits.newest_of(target.disk, tells_end)
        return prepare(task, target, self._control, saves=saves, portrait=portrait)

    def _ready(self, listener: Listener) -> Announcement:
        """Return the announcement and report its cautions. Raises ``MeasurementImpossible`` if it is refused."""
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
        """Run a plan; ``save`` keeps each addition to the ``empty`` result."""
        control = self._control
        runner = DiskRunner(plan, system=self._environment.system, switch=switch, control=control, report=listener)
        return Experiment(
            plan, empty, runner=runner, save=save, listener=listener, control=control, next_turn=next_turn
        ).run()


class Comparison(Guided):
    """A comparison of the schedulers of one disk, or of all disks below a folder."""

    def __init__(self, request: Request, environment: Environment) -> None:
        super().__init__(request.own, environment)
        self._request = request
        self._before: Result | None = None

    def run(self, listener: Listener) -> JudgedResult:
        """Measure and judge, after announcing if necessary. Events come in order from the calling thread.

        Asks once for the right to switch schedulers. Raises ``Cancelled``, ``NotAuthorised``, ``HelperNotThere`` or
        ``MeasurementImpossible``; in any case the disk's scheduler is restored and the scratch files are removed.
        """
        prepared, environment, out = self._ready(listener), self._environment, self._request.out
        empty = empty_result(prepared)
        if self._before and self._request.after:
            empty = replace(empty, after=self._before.id)
        if empty.samples and not next_turn(empty).runs:
            raise MeasurementImpossible("continues-what-is-settled", result=empty.continues)
        first, others = environment.store.journal(empty), [out] if out else []
        with Keeper(first, others, empty, lambda what: listener(Warned(what))) as keeper:
            try:
                with environment.trials(prepared.target.disks) as switch:
                    self._check_unchanged(prepared.target)
                    result = self._measure(prepared.plan, empty, listener, switch=switch, save=keeper.append)
                _check_counted(result)
            except DisktunerError:
                if kept := keeper.kept:  # named for continuing: by its id if it is in the store
                    listener(EndedEarly(kept.stem if kept.parent == environment.store.folder else str(kept)))
                raise
            path = keeper.finish(result)
        return copied(JudgedResult(result, judge(result), path, prepared.target.disks), out)

    def _prepare(self, listener: Listener | None) -> Announcement:
        request, store = self._request, self._environment.store
        if request.out:
            try_place(request.out)
        if earlier := request.continues or request.after:
            self._before = load(earlier)
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

    def _check_unchanged(self, target: Target) -> None:
        """Raise ``MeasurementImpossible`` if another scheduler was set while a person read the plan or was asked.

        The trial restores that one, which is not the baseline of the plan.
        """
        for disk in target.disks:
            if (now := self._environment.system.scheduler(disk.name)) not in (None, disk.scheduler):
                raise MeasurementImpossible(
                    "scheduler-changed-meanwhile", disk=disk.title, before=disk.scheduler, found=now
                )

    def _check_trusted(self, before: Result) -> None:
        """Refuse to run a command from a result file, which may come from anybody, unless the user knows it.

        The user knows what was measured here, and what was just requested. Raises ``MeasurementImpossible`` with all
        that would be run.
        """
        definition = before.own
        asked = definition and replace(definition, pattern=None)  # recorded since
        if self._request.own not in (None, definition, asked):
            raise UsageError("continues-as-it-was")
        if definition and definition != self._request.own and not is_marked(definition):
            raise MeasurementImpossible("own-from-elsewhere", shown=say_all(definition.shown))
        self._own = definition or self._own


class Bench(Guided):
    """Runs one workload several times. Attributes: ``saved``: the result is where it was requested."""

    def __init__(self, request: BenchRequest, environment: Environment) -> None:
        super().__init__(request.own, environment)
        self._request = request
        self.saved = True

    def run(self, listener: Listener) -> Result:
        """Measure. Raises ``Cancelled`` or ``MeasurementImpossible``, also if no run counted."""
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


def copied(judged: JudgedResult, out: Path | None) -> JudgedResult:
    """Write the requested copy; return the result with its new path, or with the problem."""
    if out is None or judged.path == out:
        return judged
    try:
        return replace(judged, path=write_chosen(out, encode(judged.result).encode("utf-8"), is_private=True))
    except NotSaved as error:
        return replace(judged, problem=not_saved_but_kept(error, judged.path))


def _check_counted(result: Result) -> None:
    """Raise ``MeasurementImpossible`` if no run counted."""
    if not result.samples:
        raise MeasurementImpossible("nothing-measured")
    if not any(sample.valid for sample in result.samples):
        raise MeasurementImpossible("no-run-counted", reason=result.samples[-1].reason)
