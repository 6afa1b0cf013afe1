# SPDX-License-Identifier: GPL-3.0-or-later
"""One guided comparison from the question to the verdict; window and terminal both start this."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from disktuner import __version__
from disktuner.block.disk import disk_to_json
from disktuner.comparison.machine import this_machine
from disktuner.comparison.parts import Parts
from disktuner.comparison.preparation import Preparation, prepare_comparison, refuse_root, tidy
from disktuner.comparison.request import Announcement, Outcome, Request
from disktuner.comparison.target import find_target
from disktuner.experiment.control import Control
from disktuner.experiment.events import Event, Phase, SampleTaken, Warned
from disktuner.experiment.experiment import Experiment
from disktuner.results.codec import encode
from disktuner.results.model import FileSystem, PlanRecord, Result
from disktuner.results.store import new_id, write_atomically
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.workloads import metrics_of

log = logging.getLogger(__name__)

Listener = Callable[[Event], None]


class Comparison:
    """A comparison of the schedulers of one disk (or of all disks below one folder).

    ``announce`` and ``run`` block: call them in one worker thread. ``cancel``, ``pause`` and ``resume`` may be called
    from any thread or signal handler; cancel takes effect within a second, pause before the next run. Use it as a
    context manager, or ``close`` it.
    """

    def __init__(self, request: Request, parts: Parts) -> None:
        self._request = request
        self._parts = parts
        self._control = Control()
        self._prepared: Preparation | None = None

    def __enter__(self) -> Comparison:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def announce(self, listener: Listener | None = None) -> Announcement:
        """Probe for about three seconds, plan, and say what would be written and how long it would take.

        Writes and removes one small file, asks for no rights, switches nothing. Raises ``NoSuchThing`` or
        ``MeasurementImpossible``.
        """
        refuse_root()
        self._control.check()
        target = find_target(self._request.target, self._parts.system)
        if listener:
            tidy(target.folder, listener)
            listener(Phase("probing", "Taking a short look at the disk"))
        self._prepared = prepare_comparison(self._request, target, self._control)
        return self._prepared.announcement()

    def run(self, listener: Listener) -> Outcome:
        """Measure and judge; announces first if that was not done. Events come in order from the calling thread.

        Asks for the right to switch schedulers once. Raises ``Cancelled``, ``NotAuthorised``, ``HelperNotThere`` or
        ``MeasurementImpossible``; whatever happens the disk gets its scheduler back and the scratch files go.
        """
        listener = partial(_hear, listener)
        announced = self._prepared.announcement() if self._prepared else self.announce(listener)
        if announced.refused:
            raise MeasurementImpossible(announced.refused)
        assert self._prepared
        prepared = self._prepared
        for caution in prepared.told:
            listener(Warned(caution))
        empty = replace(empty_result(prepared), plan=self._plan_record(prepared))
        with self._parts.trials(prepared.target.disks) as switch:
            result = Experiment(
                prepared.plan,
                empty,
                queues=self._parts.system,
                switch=switch,
                save=lambda result: self._parts.keeper.save(replace(result, finished=False)),
                listener=listener,
                control=self._control,
                rest=self._parts.judge.undecided,
            ).run()
        return self._outcome(result, prepared)

    def cancel(self) -> None:
        """End it now, also while somebody is asked for a password."""
        self._control.cancel()
        self._parts.stop_waiting()

    def pause(self) -> None:
        """Hold before the next run."""
        self._control.pause()

    def resume(self) -> None:
        """Go on after ``pause``."""
        self._control.resume()

    def close(self) -> None:
        """Give everything back; call it when ``run`` is over."""
        self._control.close()

    def _plan_record(self, prepared: Preparation) -> PlanRecord:
        record = plan_record(prepared)
        return replace(record, goal=self._request.goal.value, budget=self._request.budget.value)

    def _outcome(self, result: Result, prepared: Preparation) -> Outcome:
        path = self._parts.keeper.save(result)
        if not any(sample.valid for sample in result.samples):
            reason = result.samples[-1].reason if result.samples else "nothing was measured"
            raise MeasurementImpossible(f"No run counted: {reason}. Remove the cause and start anew.")
        if self._request.out:
            path = write_atomically(self._request.out, encode(result).encode("utf-8"))
        return Outcome(result, self._parts.judge.verdict(result), path, prepared.target.disks)


def _hear(listener: Listener, event: Event) -> None:
    """Log what explains a result: phases, cautions, and why runs do not count."""
    if isinstance(event, Phase):
        log.debug("phase %s", event.name)
    elif isinstance(event, Warned):
        log.debug("caution %s", event.caution.code)
    elif isinstance(event, SampleTaken) and not event.sample.valid:
        log.debug("%s under %s does not count: %s", event.sample.metric, event.sample.scheduler, event.sample.reason)
    listener(event)


def plan_record(prepared: Preparation) -> PlanRecord:
    """What a result says about its plan."""
    plan = prepared.plan
    workloads = tuple(each.workload.id for each in plan.planned)
    return PlanRecord(None, None, plan.schedulers, plan.baseline, workloads, plan.seed, plan.rounds)


def empty_result(prepared: Preparation) -> Result:
    """The result before the first sample, with everything that is needed to judge it later."""
    plan, mount = prepared.plan, prepared.target.mount
    metrics = {name: metric for each in plan.planned for name, metric in metrics_of(each.workload.facts).items()}
    sizes = {each.workload.id: {"scale": each.size.scale, "extra": each.size.extra} for each in plan.planned}
    extra: dict[str, Any] = {"sizes": sizes, "unavailable": dict(prepared.unavailable)}
    if len(prepared.target.names) > 1:
        extra["disks"] = list(prepared.target.names)
    return Result(
        id=new_id(),
        created=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        app_version=__version__,
        machine=this_machine(),
        disk=disk_to_json(prepared.target.disk),
        filesystem=FileSystem(mount.path, mount.fstype, mount.options, mount.via),
        plan=plan_record(prepared),
        metrics=metrics,
        samples=(),
        warnings=prepared.cautions,
        extra=extra,
    )
