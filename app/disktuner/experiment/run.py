# SPDX-License-Identifier: GPL-3.0-or-later
"""One run on a real disk: prepare, set the scheduler, observe, measure, observe again, judge the numbers."""

from __future__ import annotations

import contextlib
import errno
import math
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from disktuner.block.counters import Counters
from disktuner.block.machine import Surroundings
from disktuner.block.system import System
from disktuner.experiment.events import LivePoint
from disktuner.experiment.guard import Observation, Run, assess, stopped_between
from disktuner.experiment.plan import Plan, Planned
from disktuner.experiment.probe import direct_works, disk_failed, too_little
from disktuner.experiment.sampler import Sampler, cpu_cost
from disktuner.experiment.scratch import scratch_folder
from disktuner.experiment.stops import Stops
from disktuner.results.model import Addition, Sample
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.messages import Message, literal, message
from disktuner.vocabulary.reasons import REASONS
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.tunables import OF_THE_DISK
from disktuner.vocabulary.workloads import label_of, metrics_of
from disktuner.workloads.errors import ProgramFailed, RunFailed
from disktuner.workloads.processes import Control, Processes
from disktuner.workloads.raw_disk import RawDisk
from disktuner.workloads.source import Source
from disktuner.workloads.workload import Measurement, Scratch, Workload

Tunables = Mapping[str, int | str]
UNTOUCHED = frozenset(name for name in OF_THE_DISK if name.startswith("queue/"))
"""Tunables that only who sets them changes. How much may wait in memory is set in ways that change each other."""
PULLED_OUT_S = 1.0
"""How long after the first failed request the kernel may take to give up a disk that was pulled out, or to make its
file system read-only. Chosen: the steps follow each other within milliseconds where nothing is tried again."""
IO_ERROR = "Input/output error"
"""What programs print for EIO: they run with LC_ALL=C, so in libc's own words (errno(3))."""


class SchedulerSwitch:
    """Leaves the scheduler alone: a benchmark of the one there is needs no rights. A trial's sets it on all disks."""

    def set(self, setting: Setting) -> Message | None:
        """Set and verify it; what is to be known of it. Raises ``DisktunerError`` when that fails."""

    def restore(self) -> None:
        """Give every disk the scheduler again that it had itself. Raises as ``set`` does."""


def clean_up(workloads: Sequence[Workload], scratch: Scratch, fds: tuple[int, ...]) -> None:
    """Let workloads undo what they did elsewhere; also after a cancel, so with a control of its own."""
    with Processes(Control(), kept_fds=fds) as processes:
        for workload in workloads:
            with contextlib.suppress(RunFailed, OSError):
                workload.clean(replace(scratch, processes=processes))


class UsualTunables:
    """What the tunables were when they were first seen, by setting; those that no switch touches by disk."""

    def __init__(self) -> None:
        self._of_setting: dict[tuple[Setting, str], Tunables] = {}
        self._of_disk: dict[str, dict[str, int | str]] = {}

    def usual(self, setting: Setting, seen: Mapping[str, Tunables]) -> Mapping[str, Tunables]:
        """Return what is usual with a setting by disk, given what is there now."""
        for disk, values in seen.items():
            untouched = {name: values[name] for name in UNTOUCHED - setting.values.keys() if name in values}
            self._of_disk[disk] = untouched | self._of_disk.get(disk, {})
            self._of_setting.setdefault((setting, disk), values)
        return {disk: {**self._of_setting[setting, disk], **self._of_disk[disk]} for disk in seen}


class DiskRunner:
    """Makes the runs of a plan on its disks, in a scratch folder; leave the context and nothing of it is left."""

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
        self._surroundings = Surroundings()
        self._sampler = Sampler(system, plan.disks, report)
        ceilings = [system.ceiling_bytes_per_s(disk) for disk in plan.disks]
        self._ceiling = None if None in ceilings else sum(filter(None, ceilings))
        self._stack = contextlib.ExitStack()
        self._before: Counters | None = None
        self._direct_works = True
        self._tunables = UsualTunables()
        self._unprepared = list(plan.planned)

    def __enter__(self) -> DiskRunner:
        """Make the scratch folder. Raises ``MeasurementImpossible`` where there is too little room, or none."""
        plan, control = self._plan, self._control
        if missing := too_little(plan.folder, plan.bytes_needed):
            raise MeasurementImpossible.of(missing)
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(scratch_folder(plan.folder))
            elsewhere = stack.enter_context(scratch_folder(plan.elsewhere)) if plan.elsewhere else None
            fds = (*folder.fds, *(elsewhere.fds if elsewhere else ()))
            largest_bytes = max(each.spec.cost.bytes_source for each in plan.planned)
            source = stack.enter_context(Source(largest_bytes, plan.record.seed, control.check))
            self._raw = stack.enter_context(contextlib.closing(RawDisk(plan.disks)))
            self._stops = stack.enter_context(Stops())
            self._processes = stack.enter_context(Processes(control, self._tick, fds, folder.empty, self._stops.note))
            self._scratch = Scratch(
                folder.path, plan.record.seed, source, self._processes, self._raw, elsewhere.path if elsewhere else None
            )
            stack.callback(clean_up, [each.workload for each in plan.planned], self._scratch, fds)
            self._stack = stack.pop_all()
        self._before = self._sampler.read()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def prepare(self, begins: Callable[[Planned], object]) -> float:
        """Write the files that runs of what decides share; return for how long a person was waited for, in seconds.

        ``begins`` is called before those of a workload. Raises ``MeasurementImpossible`` where the disk fails.
        """
        try:
            self._direct_works = direct_works(self._scratch.folder)
        except OSError as error:
            raise self._impossible(error) from error
        for each in self._plan.planned:
            if each.decides or not each.has_files:
                self.prepare_for(each.workload, begins)
        return self._raw.waited_s

    def prepare_for(self, workload: Workload, begins: Callable[[Planned], object]) -> None:
        """Write the files that all runs of a workload share, once. Raises as ``prepare`` does."""
        for each in self._unprepared:
            if each.workload.id == workload.id:
                self._unprepared.remove(each)
                if each.has_files:
                    begins(each)
                    self._sampler.begin(-1, None)
                try:
                    each.workload.prepare(self._scratch, each.spec)
                except OSError as error:
                    raise self._impossible(error) from error
                break

    def _impossible(self, error: OSError) -> MeasurementImpossible:
        """Return why nothing can be measured on a disk that failed outside of a run."""
        if ends := REASONS[self._why_failed(error).id].ends:
            return MeasurementImpossible(ends, folder=str(self._plan.folder), disks=self._plan.disks)
        return disk_failed(self._plan.folder, error)

    def pilot(self, each: Planned, abort_after_s: float) -> float | None:
        """Run a workload once without counting it; how long the measured part took, None where it failed."""
        self._sampler.begin(-1, None)
        try:
            return self._measure(each, -1, abort_after_s).wall_s
        except (RunFailed, OSError):
            return None
        finally:
            self._processes.end_all()

    def use(self, setting: Setting) -> Message | None:
        """Set it; what is to be known of it."""
        return self._switch.set(setting)

    def written_bytes(self) -> int | None:
        """What the disks have written since this was entered, None where that is not known."""
        now = self._sampler.read()
        return None if now is None or self._before is None else now.written_bytes - self._before.written_bytes

    def run(
        self, each: Planned, setting: Setting, number: int, order: int, abort_after_s: float = math.inf
    ) -> Addition:
        """Run a workload once in a round and judge its numbers. Raises ``Cancelled``."""
        before = self._observe()
        usual = self._tunables.usual(setting, before.tunables)
        began, started = time.monotonic(), datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self._sampler.begin(order, setting)
        try:
            measurement = self._measure(each, number, abort_after_s)
            after = self._observe()
            plain = len(self._plan.disks) == 1
            labels = {metric.last: label_of(metric) for metric in metrics_of(each.workload.facts).values()}
            reason = assess(
                Run(setting, before, after, measurement, plain, self._ceiling, self._direct_works, labels, usual)
            )
            measurement = replace(measurement, values={**measurement.values, **cpu_cost(before, after)})
        except (RunFailed, OSError) as error:
            # An invalid zero stands in the result for a run that yielded no number.
            stopped = stopped_between(before.stopped_s, self._stops.seconds())
            measurement, reason = Measurement({each.workload.deciding: 0.0}, 0.0), stopped or self._why_failed(error)
        finally:
            self._processes.end_all()
        self._sampler.tick()
        valid = reason is None or not REASONS[reason.id].invalid
        took_s = time.monotonic() - began
        return Addition(
            tuple(
                Sample(f"{each.workload.id}.{name}", setting, number, order, value, valid, reason, started, took_s)
                for name, value in measurement.values.items()
            ),
            self._sampler.series(each.workload.id, setting, number),
            measurement.histograms or {},
        )

    def _tick(self) -> None:
        self._stops.look()
        self._sampler.tick()

    def _why_failed(self, error: RunFailed | OSError) -> Message:
        """The reason of a run that broke off: what the kernel says of the disk explains more than the program."""
        until_s = time.monotonic() + (PULLED_OUT_S if _is_io_error(error) else 0.0)
        while True:
            if self._sampler.read() is None:
                return message("disk-gone")
            if _is_read_only(self._plan.folder):
                return message("read-only")
            if time.monotonic() >= until_s:
                return message(
                    "run-failed", error=error.message if isinstance(error, RunFailed) else literal(str(error))
                )
            self._control.check()
            time.sleep(0.02)

    def _observe(self) -> Observation:
        disks = self._plan.disks
        return Observation(
            counters=self._sampler.read(),
            schedulers={disk: self._system.scheduler(disk) for disk in disks},
            tunables={disk: dict(self._system.tunables(disk)) for disk in disks},
            conditions=self._surroundings.now(disks),
            read_only=_is_read_only(self._scratch.folder),
            mounted=_same_file_system(self._plan.folder, self._scratch.folder),
            asleep_s=time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC),
            stopped_s=self._stops.seconds(),
            troubles=self._system.last_troubles(disks),
        )

    def _measure(self, each: Planned, number: int, abort_after_s: float) -> Measurement:
        """Run with the same choices for all settings of a round, and others in the next."""
        seed = random.Random(f"{self._plan.record.seed} {number}").randrange(2**31)  # noqa: S311
        return each.workload.run(replace(self._scratch, seed=seed), each.spec, abort_after_s)


def _is_io_error(error: RunFailed | OSError) -> bool:
    """Whether a request to the disk failed."""
    if isinstance(error, ProgramFailed):
        return IO_ERROR in error.output
    return isinstance(error, OSError) and error.errno == errno.EIO


def _is_read_only(folder: Path) -> bool:
    """Whether the file system went read-only (the kernel's answer to errors), or cannot be asked any more."""
    try:
        return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
    except OSError:
        return True


def _same_file_system(folder: Path, held: Path) -> bool:
    """Whether a folder's name still leads to the file system of one that is held open."""
    try:
        return folder.stat().st_dev == held.stat().st_dev
    except OSError:
        return False
