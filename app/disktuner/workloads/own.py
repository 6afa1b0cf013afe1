# SPDX-License-Identifier: GPL-3.0-or-later
"""A command of the user's own as a workload: prepared, made cold and run, alone or beside writers and readers.

The command is timed and ended by ``supervisor``. What it does is not known beforehand, so it is run once before it is
planned with.
"""

from __future__ import annotations

import json
import logging
import math
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from disktuner.results.definition import SCRATCH, Definition
from disktuner.vocabulary.messages import Message, message, say, without_words
from disktuner.vocabulary.metrics import Metric
from disktuner.vocabulary.workloads import WorkloadFacts
from disktuner.workloads import supervisor
from disktuner.workloads.cold import ALLOWED_SHARE
from disktuner.workloads.deadline import Aborted, Deadline
from disktuner.workloads.errors import NotUnderstood, ProgramFailed, RunFailed
from disktuner.workloads.eviction import Evicted, evict
from disktuner.workloads.gate import held
from disktuner.workloads.load import Background, LoadedSpec, affordable_s, plan_load
from disktuner.workloads.private_folder import path_for_others, remove_below, size_below
from disktuner.workloads.processes import Processes
from disktuner.workloads.replay import LEAST_S
from disktuner.workloads.room import room
from disktuner.workloads.spec import Cost
from disktuner.workloads.workload import Measurement, Probe, Scratch, Workload, own_program, preferred

log = logging.getLogger(__name__)

FOLDER = "own"
MOST_TIMES = 64
"""How often a short command is run for one sample; its mean counts."""
AROUND_S = 0.1
"""What starting the supervisor and clearing the folder takes."""
CLEAN_S = 60.0
"""How long what cleans up may take at the end."""
LOOK_S = 0.005
"""How often is looked whether it ended and how full the disk is."""
SHOWN = 300
"""How much of what it printed is shown where it failed."""
EXIT_NOT_STARTED = 127


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the command went once: what ``supervisor`` says of it, and what was taken out of memory before.

    ``around_s`` is what preparing it and making it cold took.
    """

    wall_s: float
    cpu_s: float
    read_bytes: int
    written_bytes: int
    stayed: int
    evicted: Evicted = field(default_factory=Evicted)
    around_s: float = 0.0


@dataclass(frozen=True, slots=True)
class OwnSpec(LoadedSpec):
    """The command is run so many ``times`` for one sample; each writes about ``command_bytes``."""

    WORK: ClassVar = {"times": 1}
    ESTIMATES: ClassVar = frozenset({"expected_s", "command_bytes"})
    MAY_BE_ZERO: ClassVar = frozenset({"prepared_bytes", "command_bytes"})

    times: int
    command_bytes: int

    @property
    def cost(self) -> Cost:
        """The load, and what the command wrote when it was tried."""
        cost, commands = super(OwnSpec, self).cost, self.times * self.command_bytes
        return replace(
            cost,
            bytes_written=cost.bytes_written + commands,
            bytes_expected=cost.bytes_expected + commands,
            bytes_kept=cost.bytes_kept + self.command_bytes,
        )


class OwnCommand(Workload):
    """A command, run for its time. Attributes: ``definition`` is what is run."""

    id = "own-command"
    spec_type = OwnSpec

    def __init__(self, definition: Definition, tried: Outcome | None = None) -> None:
        self.definition: Definition = definition
        self._tried = tried

    @property
    def facts(self) -> WorkloadFacts:
        """What is declared, with the names and the direction that this command's metrics have."""
        return named_after(super().facts, self.definition)

    @property
    def is_unknown(self) -> bool:
        """Nobody knows what it does until it is tried."""
        return self._tried is None

    @property
    def notes(self) -> tuple[Message, ...]:
        """How it went when it was tried, and that nobody can say what it will write."""
        if self._tried is None:
            return ()
        once, evicted, title = self._tried, self._tried.evicted, self.definition.title
        told = message("own-tried", command=title, took=once.wall_s, read=once.read_bytes, written=once.written_bytes)
        cold = _cold_remark(evicted) or message("own-cold", size=evicted.size_bytes, count=evicted.files)
        return (told, cold) if evicted.files else (told,)

    def tried(self, scratch: Scratch, processes: Processes) -> OwnCommand:
        """Run it once alone. Raises ``RunFailed`` where it cannot be measured."""
        began = time.monotonic()
        with self._closed_told():
            outcome = self._once(scratch, processes, None)
            around_s = max(0.0, time.monotonic() - began - outcome.wall_s)
            written = max(outcome.written_bytes, size_below(scratch.folder / FOLDER))
            remove_below(scratch.folder / FOLDER)
        return OwnCommand(self.definition, replace(outcome, around_s=around_s, written_bytes=written))

    def plan(self, probe: Probe, seconds: float, most_bytes: float = math.inf) -> OwnSpec:
        """As many times as fit; a command that takes longer is run once. Raises ``ValueError`` for an untried one."""
        if self._tried is None:
            raise ValueError("what a command takes is only known when it was tried")
        kind, once = self.definition.load, self._tried
        if kind.writers and not probe.seeks_slowly:
            seconds = LEAST_S
        seconds = min(seconds, affordable_s(probe, most_bytes)) if kind.writers else seconds
        waits_s = max(0.0, once.wall_s - once.cpu_s)
        slower = probe.wait_beside if kind.writers or kind.readers else 1.0
        runs_s = once.wall_s + (slower - 1) * waits_s
        each_s = runs_s + once.around_s + AROUND_S
        times = min(MOST_TIMES, preferred(max(seconds / each_s, math.ceil(LEAST_S / runs_s))))
        load = plan_load(kind, probe, times * each_s, most_bytes - times * once.written_bytes)
        return OwnSpec(times * each_s + load.around_s, 0, load, times, once.written_bytes)

    def prepare(self, scratch: Scratch, spec: OwnSpec, processes: Processes) -> None:
        """Write what is read beside it."""
        spec.load.prepare(scratch, processes.check)

    def run(
        self, scratch: Scratch, spec: OwnSpec, processes: Processes, abort_after_s: float = math.inf
    ) -> Measurement:
        """Prepare it, make it cold, start what is beside it, run it so often, end what is beside it."""
        background, outcomes = Background(spec.load, scratch, processes), list[Outcome]()
        aborted_s, left_s = 0.0, abort_after_s
        with self._closed_told():
            try:
                for number in range(spec.times):
                    outcomes.append(self._once(scratch, processes, None if number else background, left_s))
                    left_s -= outcomes[-1].wall_s
            except Aborted as slow:
                aborted_s = slow.took_s
            carried = background.finish(spec.timeout_s)
            remove_below(scratch.folder / FOLDER)
        spent_s = sum(each.wall_s for each in outcomes) + aborted_s
        values = {"wall_s": spent_s / spec.times, **carried.values}
        return Measurement(
            values,
            spent_s,
            carried.read_bytes,
            carried.written_bytes,
            direct=bool(spec.load.readers),
            partial=True,
            cut_short=bool(aborted_s),
            remark=_remark(outcomes) if outcomes else None,
        )

    def clean(self, scratch: Scratch, processes: Processes) -> None:
        """Run what cleans up; that it failed is logged."""
        if self.definition.cleanup:
            try:
                self._run(self.definition.cleanup, scratch, processes, CLEAN_S, None)
            except RunFailed as error:
                failed = message("own-cleanup-failed", error=error.message)
                log.warning(say(failed), extra={"kept": without_words(failed)})
        with suppress(OSError):
            remove_below(scratch.folder / FOLDER)

    @contextmanager
    def _closed_told(self) -> Iterator[None]:
        """Say so where the command took the rights away from the folder around its own."""
        try:
            yield
        except PermissionError as error:
            raise RunFailed("own-closed-folder", command=self.definition.title) from error

    def _once(
        self, scratch: Scratch, processes: Processes, background: Background | None, most_s: float = math.inf
    ) -> Outcome:
        """Prepare it, make it cold and run it; what is beside it begins just before. Raises ``Aborted``."""
        own = self.definition
        remove_below(scratch.folder / FOLDER)
        try:
            (scratch.folder / FOLDER).mkdir(0o700)
        except FileNotFoundError as error:
            raise RunFailed("own-removed-folder", command=own.title) from error
        if own.prepare:
            self._run(own.prepare, scratch, processes, own.limit_s, None)
        place = str(path_for_others(scratch.folder) / FOLDER)
        cold = [Path(own.folder, each.replace(SCRATCH, place)) for each in own.cold]
        evicted = evict(cold, processes.check)
        if cold and not evicted.files:
            raise RunFailed("own-cold-missing", paths=own.cold)
        outcome = self._run(own.command, scratch, processes, own.limit_s, background, most_s)
        return replace(outcome, evicted=evicted)

    def _run(  # noqa: PLR0917 - what a run is made of
        self,
        command: str,
        scratch: Scratch,
        processes: Processes,
        limit_s: float,
        background: Background | None,
        most_s: float = math.inf,
    ) -> Outcome:
        """Run one command under the supervisor, which begins it when what is beside it goes on. Raises ``Aborted``."""
        try:
            argv = self.definition.argv(command, path_for_others(scratch.folder) / FOLDER)
        except ValueError as error:
            raise RunFailed("own-not-understood", command=command, error=str(error)) from error
        wanted = json.dumps({"argv": argv, "cwd": self.definition.folder, "limit_s": limit_s})
        supervised = own_program(Path(supervisor.__file__), wanted)
        with held(processes, supervised, scratch.folder, tidies=True) as pid:
            if background:
                background.start()
        try:
            self._watch(pid, command, scratch, processes, Deadline(processes, most_s))
        except Aborted:
            processes.end(pid)
            with suppress(ProgramFailed):
                processes.wait(pid, limit_s)
            raise
        try:
            printed = processes.wait(pid, limit_s).out
        except ProgramFailed as error:
            if error.status != EXIT_NOT_STARTED:
                raise
            raise RunFailed("own-not-started", command=command, error=error.output.strip()) from error
        return self._outcome(command, printed, limit_s)

    def _watch(self, pid: int, command: str, scratch: Scratch, processes: Processes, deadline: Deadline) -> None:
        """Return when it ended.

        Raises ``RunFailed`` where the disk becomes too full, or the folder is gone, and ``Aborted``.
        """
        while not processes.ended(pid):
            if not room(scratch.folder).usable_bytes:
                raise RunFailed("own-fills-disk", command=command)
            deadline.check()
            processes.pause(LOOK_S)
        if not os.stat(scratch.folder).st_nlink:  # noqa: PTH116 - through the handle, to a folder that may be gone
            raise RunFailed("own-removed-folder", command=command)

    def _outcome(self, command: str, printed: str, limit_s: float) -> Outcome:
        """Read what the supervisor says. Raises ``RunFailed`` for a command that failed or took too long."""
        try:
            found = json.loads(printed.splitlines()[-1])
            status, said = found["status"], (found["err"].strip() or found["out"].strip())[-SHOWN:]
            measured = ("wall_s", "cpu_s", "read_bytes", "written_bytes", "stayed")
            outcome = Outcome(**{name: found[name] for name in measured})
        except (IndexError, ValueError, KeyError, TypeError) as error:
            raise NotUnderstood(Path(supervisor.__file__).name, printed) from error
        if status is None:
            raise RunFailed("own-too-slow", command=command, limit=limit_s)
        if status and not self.definition.ignores_failure:
            id_ = "own-failed" if said else "own-failed-silently"
            raise RunFailed(id_, command=command, status=status, **({"output": said} if said else {}))
        return outcome


def named_after(facts: WorkloadFacts, definition: Definition) -> WorkloadFacts:
    """Return a workload's facts with the names that a program of the user's gives its metrics."""
    what, title = definition.activity, definition.title
    here = {"write_bytes_per_s": definition.load.writers, "read_bytes_per_s": definition.load.readers}

    def named(metric: Metric) -> Metric:
        if metric.name in here:
            return metric
        return replace(metric, label=title, said=what)

    metrics = tuple(named(metric) for metric in facts.metrics if here.get(metric.name, 1))
    known = {metric.name for metric in metrics}
    roles = tuple(role for role in facts.roles if role.metric is None or role.metric in known)
    return replace(facts, activity=title, summary=title, metrics=metrics, roles=roles, said=what)


def _remark(outcomes: Sequence[Outcome]) -> Message | None:
    """What is wrong with a run, the worst first."""
    if stayed := max(each.stayed for each in outcomes):
        return message("own-stays", count=stayed)
    evicted = Evicted()
    for each in outcomes:
        evicted = evicted.plus(each.evicted)
    found = _cold_remark(evicted)
    moved = any(each.read_bytes or each.written_bytes for each in outcomes)
    return found if moved or (found and evicted.stayed) else message("own-in-memory")


def _cold_remark(evicted: Evicted) -> Message | None:
    if evicted.stayed > ALLOWED_SHARE:
        return message("own-cold-stayed", share=evicted.stayed, size=evicted.known_bytes)
    if evicted.known_bytes < evicted.size_bytes:
        return message("own-cold-untold", size=evicted.size_bytes - evicted.known_bytes)
    return None
