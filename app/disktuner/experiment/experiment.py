# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a plan: interleaved rounds, each number guarded, each sample saved as it comes."""

from __future__ import annotations

import contextlib
import errno
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from disktuner.block.counters import Counters
from disktuner.experiment.conditions import Surroundings, direct_works
from disktuner.experiment.cost import cpu_cost
from disktuner.experiment.drift import discard, drift
from disktuner.experiment.events import Event, Phase, RoundDone, RunStarted, SampleTaken, Warned
from disktuner.experiment.guard import (
    DISK_GONE,
    ON_BATTERY,
    READ_ONLY,
    UNMOUNTED,
    Observation,
    Run,
    asleep_s,
    disturbance,
    doubt,
    is_read_only,
    same_file_system,
)
from disktuner.experiment.kernel import Queues, SchedulerSwitch, vanished
from disktuner.experiment.plan import OVERHEAD_S, Plan, Planned
from disktuner.experiment.probe import too_little
from disktuner.experiment.processes import Control, UserProcesses
from disktuner.experiment.sampler import Sampler
from disktuner.experiment.scratch import scratch_folder
from disktuner.results.design import rounds
from disktuner.results.model import Caution, Result, Sample
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.workloads.errors import RunFailed
from disktuner.workloads.raw_disk import RawDisk
from disktuner.workloads.source import Source
from disktuner.workloads.workload import Measurement, Scratch

MOST_FAILURES = 3
LASTING = ("failed", DISK_GONE, READ_ONLY, ON_BATTERY)  # what the next run will most likely meet, too
LASTING_DRIFT = Caution(
    "drift-lasting",
    "The disk stayed another one than at the beginning, for all schedulers alike, so measuring on would compare "
    "different things",
    "What was measured before counts. Let the disk rest (heat, burst credit, fast cache), then start anew.",
)
TIME_IS_UP = Caution(
    "time-is-up",
    "The time was up before all planned rounds were done: the disk is slow, or was busy with something else",
    "Close other programs that use the disk, or choose a larger budget.",
)
PULLED_OUT_S = 1.0
"""How long after the first failed request the kernel may take to give up a disk that was pulled out, or to make its
file system read-only. Chosen: the steps follow each other within milliseconds where nothing is tried again."""
LAST_UNSEEN = 1
"""The last round after which nobody has looked yet at what the rounds show (``verdict.interval``)."""
Rest = Callable[[Result], tuple[str, ...]]
"""Which schedulers are still worth another round, given the result so far; none ends the experiment."""


class Experiment:
    """One run of a plan, in the calling thread.

    Attributes: ``result`` holds all that was measured so far. ``save`` is called after each run with it.
    """

    def __init__(
        self,
        plan: Plan,
        empty: Result,
        *,
        queues: Queues,
        switch: SchedulerSwitch,
        save: Callable[[Result], object],
        listener: Callable[[Event], None],
        control: Control,
        rest: Rest,
        surroundings: Surroundings | None = None,
    ) -> None:
        self.result = empty
        self._plan = plan
        self._queues = queues
        self._switch = switch
        self._save = save
        self._tell = listener
        self._control = control
        self._rest = rest
        self._surroundings = surroundings or Surroundings()
        self._sampler = Sampler(queues, plan.disks, listener, self._surroundings)
        self._ceiling = _sum_if_known([queues.ceiling_bytes_per_s(disk) for disk in plan.disks])
        self._direct_works = True
        self._order = 0
        self._repeats_left = plan.repeats
        self._failures = 0
        self._told: set[str] = set()
        self._pace = 1.0
        self._runs = self._runs_left = plan.runs
        self._before: Counters | None = None
        self._began = time.monotonic()
        self._paused_s = 0.0

    def run(self) -> Result:
        """Do it all. Raises ``Cancelled`` or ``MeasurementImpossible``; the scratch folder is gone in any case."""
        self._control.check()
        self._began = time.monotonic()
        if missing := too_little(self._plan.folder, self._plan.bytes_needed):
            raise MeasurementImpossible(missing)
        with scratch_folder(self._plan.folder) as folder, self._source() as source, RawDisk(self._plan.disks) as raw:
            processes = UserProcesses(self._control, self._sampler.tick, folder.fds, folder.empty)
            try:
                with processes:
                    scratch = Scratch(folder.path, self._plan.seed, source, raw)
                    self._prepare(scratch, processes)
                    self._paused_s += raw.waited_s
                    self._measure(scratch, processes)
            finally:
                self._tell(Phase("cleaning", "Removing the scratch files"))
        return self.result

    def _source(self) -> Source:
        return Source(self._plan.bytes_source, self._plan.seed, self._control.check)

    def _prepare(self, scratch: Scratch, processes: UserProcesses) -> None:
        self._tell(Phase("preparing", "Writing the files that all runs share"))
        self._direct_works = direct_works(scratch.folder)
        for each in self._plan.planned:
            each.workload.prepare(scratch, each.size, processes)

    def _measure(self, scratch: Scratch, processes: UserProcesses) -> None:
        self._tell(Phase("warming-up", "One run of each that does not count"))
        self._before = self._sampler.read()
        self._switch.set(self._plan.baseline)
        for each in self._plan.planned:
            with contextlib.suppress(RunFailed):
                each.workload.run(self._seeded(scratch, -1), each.size, processes)
            processes.end_all()
        self._tell(Phase("measuring", "Measuring"))
        left, drifted, longest_s = self._plan.rounds, False, 0.0
        for number, order in enumerate(self._orders()):
            if not order or left == 0 or (number >= self._plan.rounds and not self._may_write(order)):
                return
            began_s = self._spent_s()
            if began_s + longest_s > self._plan.most_s:
                self._warn(TIME_IS_UP)
                return
            self._round(number, order, scratch, processes)
            longest_s = max(longest_s, self._spent_s() - began_s)
            left -= 1
            if number == LAST_UNSEEN:
                left += self._add_rounds(longest_s)
            drifted_before, drifted = drifted, self._drifted(number)
            if drifted and drifted_before:
                self._warn(LASTING_DRIFT)
                return
            if drifted and self._repeats_left >= (cost := len(order) * len(self._plan.planned)):
                self._repeats_left -= cost
                left += 1
            self._tell(RoundDone(number, self.result))

    def _add_rounds(self, round_s: float) -> int:
        """As many more rounds as fit into the time that was announced, where runs take less than expected.

        Decided before anybody looks at what the rounds show: the intervals depend on how many looks there will be.
        """
        plan = self._plan
        fit = int((plan.announced_s - self._spent_s()) / round_s) - (plan.rounds - LAST_UNSEEN - 1)
        more = max(0, min(fit, plan.most_rounds - plan.rounds))
        if more:
            self.result = replace(self.result, plan=replace(self.result.plan, rounds=plan.rounds + more))
        runs = more * len(plan.schedulers) * len(plan.planned)
        self._runs, self._runs_left = self._runs + runs, self._runs_left + runs
        return more

    def _may_write(self, order: Sequence[str]) -> bool:
        """Whether a round more than planned stays within the bytes that were announced."""
        now = self._sampler.read()
        if now is None or self._before is None:
            return False
        written = now.written_bytes - self._before.written_bytes
        return written + self._plan.bytes_of(len(order), self._repeats_left) <= self._plan.bytes_of_runs

    def _spent_s(self) -> float:
        """How long it takes already, without pauses."""
        return time.monotonic() - self._began - self._paused_s

    def _drifted(self, number: int) -> bool:
        """Whether the disk became another one in this round; then its samples do not count."""
        metrics = [f"{each.workload.id}.{each.workload.deciding}" for each in self._plan.planned]
        found = [each for metric in metrics if (each := drift(self.result.samples, number, metric))]
        for each in found:
            self.result = replace(self.result, samples=discard(self.result.samples, each))
            self._warn(Caution("drift", each.reason, "The round does not count and is repeated if there is time."))
        return bool(found)

    def _orders(self) -> Iterator[tuple[str, ...]]:
        """The order of each round, without the schedulers that need no more."""
        yield from (
            order if number == 0 else tuple(name for name in order if name in self._rest(self.result))
            for number, order in enumerate(rounds(self._plan.schedulers, self._plan.seed))
        )

    def _round(self, number: int, order: tuple[str, ...], scratch: Scratch, processes: UserProcesses) -> None:
        seeded = self._seeded(scratch, number)
        for scheduler in order:
            self._paused_s += self._control.wait_while_paused()
            self._switch.set(scheduler)
            for each in self._plan.planned:
                self._runs_left = max(0, self._runs_left - 1)
                while not self._run(each, scheduler, number, seeded, processes) and self._repeats_left > 0:
                    self._repeats_left -= 1
                    self._switch.set(scheduler)

    def _run(self, each: Planned, scheduler: str, number: int, scratch: Scratch, processes: UserProcesses) -> bool:
        """Run once, judge, save; return whether the numbers count."""
        self._paused_s += self._control.wait_while_paused()
        order, self._order = self._order, self._order + 1
        remaining_s = self._remaining_s()
        self._tell(RunStarted(each.workload.id, scheduler, number, order, self._runs, remaining_s))
        before, began, started, disturbed = self._observe(scratch), time.monotonic(), _now(), None
        self._sampler.begin(order, scheduler)
        try:
            measurement = each.workload.run(scratch, each.size, processes)
            plain = len(self._plan.disks) == 1
            seen = Run(scheduler, before, self._observe(scratch), measurement, plain, self._ceiling, self._direct_works)
            reason, disturbed = doubt(seen), disturbance(seen)
            measurement = replace(measurement, values={**measurement.values, **cpu_cost(before, seen.after)})
        except (RunFailed, OSError) as error:
            measurement, reason = _nothing(each, time.monotonic() - began), self._why_failed(error)
        finally:
            processes.end_all()
        self._sampler.tick()
        took_s = time.monotonic() - began
        self._pace = 0.7 * self._pace + 0.3 * min(5.0, (took_s + 0.05) / (each.size.expected_s + OVERHEAD_S))
        blank = Sample("", scheduler, number, order, 0.0, reason is None, reason or disturbed, started, took_s)
        self._keep(each, measurement, blank)
        if disturbed and not reason:
            advice = "It disturbs all schedulers alike, so such runs count; they only vary more."
            self._warn_once(Caution("run-disturbed", disturbed, advice))
        self._stop_if_hopeless(reason)
        return reason is None

    def _keep(self, each: Planned, measurement: Measurement, blank: Sample) -> None:
        """Add the samples and the live figures of one run to the result, save it, tell of them."""
        samples = tuple(
            replace(blank, metric=f"{each.workload.id}.{name}", value=value)
            for name, value in measurement.values.items()
        )
        series = self._sampler.series(each.workload.id, blank.round)
        self.result = replace(self.result, samples=self.result.samples + samples, series=(*self.result.series, series))
        if measurement.histograms:
            kept = {f"{blank.order}": {name: list(bins) for name, bins in measurement.histograms.items()}}
            histograms = {**self.result.extra.get("histograms", {}), **kept}
            self.result = replace(self.result, extra={**self.result.extra, "histograms": histograms})
        self._save(self.result)
        for sample in samples:
            self._tell(SampleTaken(sample))

    def _why_failed(self, error: Exception) -> str:
        """The reason of a run that broke off: what the kernel says of the disk explains more than the program."""
        until_s = time.monotonic() + (PULLED_OUT_S if _is_io_error(error) else 0.0)
        while True:
            if self._sampler.read() is None:
                return f"{DISK_GONE} ({error})"
            if is_read_only(self._plan.folder):
                return f"{READ_ONLY} ({error})"
            if time.monotonic() >= until_s:
                return f"failed: {error}"
            self._control.check()
            time.sleep(0.02)

    def _stop_if_hopeless(self, reason: str | None) -> None:
        """Raise when no further run can succeed, or should: the disk is gone or read-only, or nothing works at all."""
        self._failures = self._failures + 1 if reason and reason.startswith(LASTING) else 0
        if not reason:
            return
        self._warn_of_run(reason)
        if self._sampler.read() is None:
            raise vanished(self._names())
        if reason == UNMOUNTED:
            raise MeasurementImpossible(
                f"{self._plan.folder} was unmounted or renamed. Mount it again where it was and start anew."
            )
        if is_read_only(self._plan.folder):
            raise MeasurementImpossible(
                f"{self._plan.folder} became read-only. Look for errors in the system's log (dmesg), then start anew."
            )
        if self._failures >= MOST_FAILURES:
            raise MeasurementImpossible(
                f"{MOST_FAILURES} runs in a row failed, the last because: {reason}. Remove the cause and start anew."
            )

    def _warn_of_run(self, reason: str) -> None:
        """Tell why a run does not count; the battery, which lasts from run to run, is told once."""
        if reason == ON_BATTERY:
            self._warn_once(Caution("run-invalid", reason, "Such runs do not count and are repeated if there is time."))
        else:
            self._warn(Caution("run-invalid", reason, "The run does not count and is repeated if there is time."))

    def _warn_once(self, caution: Caution) -> None:
        """Tell of the first run of many what the machine does, whatever the disk does."""
        kind = caution.text.partition(":")[0]
        if kind not in self._told:
            self._told.add(kind)
            self._warn(caution)

    def _warn(self, caution: Caution) -> None:
        if caution not in self.result.warnings:
            self.result = replace(self.result, warnings=(*self.result.warnings, caution))
            self._save(self.result)
        self._tell(Warned(caution))

    def _observe(self, scratch: Scratch) -> Observation:
        disks = self._plan.disks
        return Observation(
            counters=self._sampler.read(),
            schedulers={disk: self._queues.scheduler(disk) for disk in disks},
            tunables={disk: dict(self._queues.tunables(disk)) for disk in disks},
            conditions=self._surroundings.now(disks),
            read_only=is_read_only(scratch.folder),
            mounted=same_file_system(self._plan.folder, scratch.folder),
            asleep_s=asleep_s(),
        )

    def _remaining_s(self) -> float:
        """The expected time of the runs that are left, corrected by how long runs took so far, within the budget."""
        each_run = sum(each.size.expected_s + OVERHEAD_S for each in self._plan.planned) / len(self._plan.planned)
        return max(each_run, min((self._runs_left + 1) * each_run * self._pace, self._plan.most_s - self._spent_s()))

    def _seeded(self, scratch: Scratch, number: int) -> Scratch:
        """The same choices for all schedulers of a round, others in the next."""
        return replace(scratch, seed=random.Random(f"{self._plan.seed} {number}").randrange(2**31))  # noqa: S311

    def _names(self) -> str:
        return " or ".join(self._plan.disks)


def _is_io_error(error: Exception) -> bool:
    """Whether a request to the disk failed; programs run with LC_ALL=C and say it in libc's words (errno(3))."""
    return getattr(error, "errno", None) == errno.EIO or "Input/output error" in str(error)


def _nothing(each: Planned, seconds: float) -> Measurement:
    """What stands in the result for a run that yielded no number: an invalid zero."""
    return Measurement({each.workload.deciding: 0.0}, seconds)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _sum_if_known(figures: Sequence[float | None]) -> float | None:
    known = [each for each in figures if each is not None]
    return sum(known) if known and len(known) == len(figures) else None
