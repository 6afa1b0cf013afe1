# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs on a real disk: prepare, set the scheduler, observe, measure, observe again, check the numbers."""

from __future__ import annotations

import contextlib
import math
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from disktuner.block.counters import Counters
from disktuner.block.system import System
from disktuner.experiment.events import LivePoint
from disktuner.experiment.exhaustion import UsedUp
from disktuner.experiment.guard import GuardedRun, assess, stopped_between
from disktuner.experiment.observing import Observer
from disktuner.experiment.plan import Plan, Planned
from disktuner.experiment.probe import direct_works, too_little
from disktuner.experiment.sampler import Sampler, cpu_cost
from disktuner.experiment.scratch import scratch_folder
from disktuner.experiment.stops import Stops
from disktuner.results.model import Addition, Sample
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.messages import Message
from disktuner.vocabulary.reasons import REASONS
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.tunables import OF_THE_DISK
from disktuner.vocabulary.workloads import label_of, metrics_of
from disktuner.workloads.errors import RunFailed
from disktuner.workloads.load import SOURCE_BYTES, STEADY_FILE, SteadyWriter
from disktuner.workloads.processes import Control, Processes
from disktuner.workloads.raw_disk import RawDisk
from disktuner.workloads.source import Source, discard
from disktuner.workloads.workload import Measurement, Scratch, Workload

Tunables = Mapping[str, int | str]
UNTOUCHED = frozenset(name for name in OF_THE_DISK if name.startswith("queue/"))
"""Tunables that change only when somebody sets them, unlike the limits of dirty memory, which affect each other."""


class SchedulerSwitch:
    """Leaves the scheduler alone, which needs no rights; a trial's subclass sets it on all disks."""

    def set(self, setting: Setting) -> Message | None:
        """Apply and verify a setting; return a remark, if any. Raises ``DisktunerError`` if that fails."""

    def restore(self) -> None:
        """Restore the scheduler that each disk had. Raises like ``set``."""


def clean_up(workloads: Sequence[Workload], scratch: Scratch, fds: tuple[int, ...]) -> None:
    """Let workloads undo what they did outside of the scratch folder, even after a cancel."""
    with Processes(Control(), kept_fds=fds) as processes:
        for workload in workloads:
            with contextlib.suppress(RunFailed, OSError):
                workload.clean(replace(scratch, processes=processes))


class UsualTunables:
    """The values of tunables when first seen, by setting; of those that no switch changes, by disk."""

    def __init__(self) -> None:
        self._of_setting: dict[tuple[Setting, str], Tunables] = {}
        self._of_disk: dict[str, dict[str, int | str]] = {}

    def usual(self, setting: Setting, seen: Mapping[str, Tunables]) -> Mapping[str, Tunables]:
        """Return the usual tunables under a setting by disk, given the present ones."""
        for disk, values in seen.items():
            untouched = {name: values[name] for name in UNTOUCHED - setting.values.keys() if name in values}
            self._of_disk[disk] = untouched | self._of_disk.get(disk, {})
            self._of_setting.setdefault((setting, disk), values)
        return {disk: {**self._of_setting[setting, disk], **self._of_disk[disk]} for disk in seen}


class Run(NamedTuple):
    """A run that was made: what it adds to the result, and the seconds of its measured part, 0 if it failed."""

    addition: Addition
    part_s: float


class DiskRunner:
    """Makes the runs of a plan on its disks, in a scratch folder; leaving the context removes everything."""

    def __init__(
        self,
        plan: Plan,
        *,
        system: System,
        switch: SchedulerSwitch,
        control: Control,
        report: Callable[[LivePoint], None],
    ) -> None:
        self._plan = plan
        self._system = system
        self._switch = switch
        self._control = control
        self._sampler = Sampler(system, plan.disks, report)
        self._observer = Observer(system, plan.folder, plan.disks, self._sampler, control)
        ceilings = [system.ceiling_bytes_per_s(disk) for disk in plan.disks]
        self._ceiling = None if None in ceilings else sum(filter(None, ceilings))
        self._stack = contextlib.ExitStack()
        self._before: Counters | None = None
        self._direct_works = True
        self._tunables = UsualTunables()
        self._unprepared = list(plan.planned)
        self._used_up: UsedUp | None = None

    def __enter__(self) -> DiskRunner:
        """Make the scratch folder. Raises ``MeasurementImpossible`` if there is too little room."""
        plan, control = self._plan, self._control
        if missing := too_little(plan.folder, plan.bytes_needed):
            raise MeasurementImpossible.of(missing)
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(scratch_folder(plan.folder))
            elsewhere = stack.enter_context(scratch_folder(plan.elsewhere)) if plan.elsewhere else None
            fds = (*folder.fds, *(elsewhere.fds if elsewhere else ()))
            largest_bytes = max(planned.spec.cost.bytes_source for planned in plan.planned)
            largest_bytes = max(largest_bytes, SOURCE_BYTES if plan.exhaustion else 0)
            source = stack.enter_context(Source(largest_bytes, plan.record.seed, control.check))
            self._raw = stack.enter_context(contextlib.closing(RawDisk(plan.disks)))
            self._stops = stack.enter_context(Stops())
            self._processes = stack.enter_context(Processes(control, self._tick, fds, folder.empty, self._stops.note))
            self._scratch = Scratch(
                folder.path, plan.record.seed, source, self._processes, self._raw, elsewhere.path if elsewhere else None
            )
            stack.callback(clean_up, [planned.workload for planned in plan.planned], self._scratch, fds)
            if plan.exhaustion:
                held_up = partial(discard, folder.path / STEADY_FILE)
                steady = Processes(control, kept_fds=fds, truncate_files=held_up, note_stop=self._stops.note)
                writer = SteadyWriter(folder.path, plan.exhaustion.most_bytes, source, stack.enter_context(steady))
                self._used_up = UsedUp(plan.exhaustion, writer, self._processes, self._sampler.read)
                self._scratch = replace(self._scratch, steady_bytes=lambda: writer.bytes_written)
            self._stack = stack.pop_all()
        self._before = self._sampler.read()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def prepare(self, begins: Callable[[Planned], object]) -> float:
        """Write the files of the deciding workloads; return how many seconds were spent waiting for a person.

        ``begins`` is called before each workload's files. Raises ``MeasurementImpossible`` if the disk fails.
        """
        try:
            self._direct_works = direct_works(self._scratch.folder)
        except OSError as error:
            raise self._observer.impossible(error) from error
        for planned in self._plan.planned:
            if planned.decides or not planned.has_files:
                self.prepare_for(planned.workload, begins)
        return self._raw.waited_s

    def prepare_for(self, workload: Workload, begins: Callable[[Planned], object]) -> None:
        """Write a workload's files, unless already written. Raises like ``prepare``."""
        for planned in self._unprepared:
            if planned.workload.id == workload.id:
                self._unprepared.remove(planned)
                if planned.has_files:
                    begins(planned)
                    self._sampler.begin(-1, None)
                try:
                    planned.workload.prepare(self._scratch, planned.spec)
                except OSError as error:
                    raise self._observer.impossible(error) from error
                break

    def exhaust(self) -> None:
        """Use up the disk's fast cache. Raises ``MeasurementImpossible`` if it does not end, or the disk fails."""
        if self._used_up:
            self._sampler.begin(-1, None)
            try:
                self._used_up.bring_about()
            except (RunFailed, OSError) as error:
                raise self._observer.impossible(error) from error

    def rest(self) -> None:
        """Write nothing during a pause; what comes after it only counts when the cache is used up again."""
        if self._used_up:
            self._used_up.rest()

    def pilot(self, planned: Planned, abort_after_s: float) -> float | None:
        """Run a workload once without counting it; return the seconds of its measured part, None if it failed."""
        self._sampler.begin(-1, None)
        try:
            return self._measure(planned, -1, abort_after_s).wall_s
        except (RunFailed, OSError):
            return None
        finally:
            self._processes.end_all()

    def use(self, setting: Setting) -> Message | None:
        remark = self._switch.set(setting)
        try:
            if self._used_up:
                self._used_up.go_on(setting)
        except (RunFailed, OSError) as error:
            raise self._observer.impossible(error) from error
        return remark

    def written_bytes(self) -> int | None:
        """Return what the disks have written since the context was entered; None if unknown."""
        now = self._sampler.read()
        return None if now is None or self._before is None else now.written_bytes - self._before.written_bytes

    def run(self, planned: Planned, setting: Setting, number: int, order: int, abort_after_s: float = math.inf) -> Run:
        """Run a workload once in a round and judge its numbers. Raises ``Cancelled``."""
        left = self._used_up.left if self._used_up else None
        before = self._observer.now(self._scratch.folder, self._stops.seconds())
        usual = self._tunables.usual(setting, before.tunables)
        began, started = time.monotonic(), datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self._sampler.begin(order, setting)
        try:
            measurement = self._measure(planned, number, abort_after_s)
            after = self._observer.now(self._scratch.folder, self._stops.seconds())
            plain = len(self._plan.disks) == 1
            labels = {metric.last: label_of(metric) for metric in metrics_of(planned.workload.facts).values()}
            reason = assess(
                GuardedRun(setting, before, after, measurement, plain, self._ceiling, self._direct_works, labels, usual)
            )
            measurement = replace(measurement, values={**measurement.values, **cpu_cost(before, after)})
        except (RunFailed, OSError) as error:
            # In the result, an invalid zero stands for a run without a number.
            stopped = stopped_between(before.stopped_s, self._stops.seconds())
            measurement = Measurement({planned.workload.deciding: 0.0}, 0.0)
            reason = stopped or self._observer.why_failed(error)
        finally:
            self._processes.end_all()
        self._sampler.tick()
        took_s = time.monotonic() - began
        if reason is None or not REASONS[reason.id].invalid:
            reason = left or self._why_left(before.counters) or reason
        valid = reason is None or not REASONS[reason.id].invalid
        samples = tuple(
            Sample(f"{planned.workload.id}.{name}", setting, number, order, value, valid, reason, started, took_s)
            for name, value in measurement.values.items()
        )
        series = self._sampler.series(planned.workload.id, setting, number)
        return Run(Addition(samples, series, measurement.histograms or {}), measurement.wall_s)

    def _why_left(self, began: Counters | None) -> Message | None:
        """Return why the disk was not in the state to compare in during a run; None if it was, or may be in any."""
        try:
            return self._used_up.look(began) if self._used_up else None
        except (RunFailed, OSError) as error:
            return self._observer.why_failed(error)

    def _tick(self) -> None:
        self._stops.look()
        self._sampler.tick()

    def _measure(self, planned: Planned, number: int, abort_after_s: float) -> Measurement:
        """Run with a seed that all settings of a round share."""
        seed = random.Random(f"{self._plan.record.seed} {number}").randrange(2**31)  # noqa: S311
        return planned.workload.run(replace(self._scratch, seed=seed), planned.spec, abort_after_s)
