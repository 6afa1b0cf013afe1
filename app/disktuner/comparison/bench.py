# SPDX-License-Identifier: GPL-3.0-or-later
"""One workload with the scheduler that the disk has now: needs no rights and changes nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from disktuner.comparison.comparison import Listener, empty_result
from disktuner.comparison.parts import Parts
from disktuner.comparison.preparation import Preparation, prepare, refuse_root, tidy
from disktuner.comparison.request import Announcement
from disktuner.comparison.target import find_target
from disktuner.experiment.events import Phase, Warned
from disktuner.experiment.experiment import Experiment
from disktuner.experiment.kernel import NoSwitch
from disktuner.experiment.plan import Limits
from disktuner.experiment.processes import Control
from disktuner.results.codec import encode
from disktuner.results.model import Result
from disktuner.results.store import write_atomically
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.workloads.catalogue import find


@dataclass(frozen=True, slots=True)
class BenchRequest:
    """What to run where. ``run_s`` is about how long one run should take."""

    target: str
    workload: str
    rounds: int = 3
    run_s: float = 5.0
    seed: int | None = None
    out: Path | None = None


class Bench:
    """Runs one workload some times; use it as ``Comparison`` is used."""

    def __init__(self, request: BenchRequest, parts: Parts) -> None:
        self._request = request
        self._parts = parts
        self._control = Control()
        self._prepared: Preparation | None = None

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *_: object) -> None:
        self._control.close()

    def announce(self, listener: Listener | None = None) -> Announcement:
        """Probe, plan, and say what it would cost."""
        refuse_root()
        workload = find(self._request.workload)
        if reason := workload.unavailable():
            raise MeasurementImpossible.of(reason)
        target = find_target(self._request.target, self._parts.system)
        if listener:
            tidy(target.folder, listener)
            listener(Phase("probing", "Taking a short look at the disk"))
        scheduler = self._parts.system.scheduler(target.disk.name) or "none"
        seconds, rounds = self._request.run_s, self._request.rounds
        limits = Limits(10 * seconds * (rounds + 1) + 10, rounds, seconds, seconds, 1)
        self._prepared = prepare(
            target, (scheduler,), scheduler, [workload], {}, limits, self._request.seed, self._control
        )
        return self._prepared.announcement()

    def run(self, listener: Listener) -> Result:
        """Measure. Raises ``Cancelled`` or ``MeasurementImpossible``, also when no run counted."""
        announced = self._prepared.announcement() if self._prepared else self.announce(listener)
        if announced.refused:
            raise MeasurementImpossible(announced.refused)
        assert self._prepared
        for caution in self._prepared.told:
            listener(Warned(caution))
        result = Experiment(
            self._prepared.plan,
            empty_result(self._prepared),
            queues=self._parts.system,
            switch=NoSwitch(),
            save=lambda result: self._keep(replace(result, finished=False)),
            listener=listener,
            control=self._control,
            rest=lambda _: announced.schedulers,
        ).run()
        self._keep(result)
        if not any(sample.valid for sample in result.samples):
            reason = result.samples[-1].reason if result.samples else "nothing was measured"
            raise MeasurementImpossible(f"No run counted: {reason}. Remove the cause and start anew.")
        return result

    def cancel(self) -> None:
        """End it now."""
        self._control.cancel()

    def _keep(self, result: Result) -> None:
        if self._request.out:
            write_atomically(self._request.out, encode(result).encode("utf-8"))
