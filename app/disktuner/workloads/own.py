# SPDX-License-Identifier: GPL-3.0-or-later
"""A command of the user's own as a workload: prepared, made cold and run, alone or beside writers and readers.

The command is timed and ended by ``supervisor``. What it does is not known beforehand, so it is run once before it is
planned with.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from disktuner.results.definition import SCRATCH, Definition
from disktuner.vocabulary.messages import Message, message, say, without_words
from disktuner.vocabulary.metrics import Metric
from disktuner.vocabulary.workloads import WorkloadFacts
from disktuner.workloads import supervisor
from disktuner.workloads.beside import Background, Carried, amount_for, prepare_beside
from disktuner.workloads.cold import ALLOWED_SHARE
from disktuner.workloads.errors import NotUnderstood, ProgramFailed, RunFailed
from disktuner.workloads.eviction import Evicted, evict
from disktuner.workloads.private_folder import path_for_others
from disktuner.workloads.room import room
from disktuner.workloads.under_load import FAST_BESIDE, FAST_WAIT, QUICK_BYTES, SLOW_BESIDE, SLOW_WAIT
from disktuner.workloads.workload import Measurement, Probe, Processes, Scratch, Size, Workload, own_program, preferred
from disktuner.workloads.writers import Gate, wait_until_ready

log = logging.getLogger(__name__)

COMMAND, FIGURE = "own-command", "own-figure"
FOLDER = "own"
MOST_TIMES = 64
"""How often a short command is run for one sample; its mean counts."""
AROUND_S = 0.1
"""What starting the supervisor and clearing the folder takes."""
CLEAN_S = 60.0
"""How long what cleans up may take at the end."""
LOOK_S = 0.005
"""How often is looked whether it ended and how full the disk is."""
FIGURE_S = 10.0
"""How long may be looked for a figure in what it printed."""
SHOWN = 300
"""How much of what it printed is shown where it failed."""
EXIT_NOT_STARTED = 127


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the command went once: what ``supervisor`` says of it, and what was taken out of memory before."""

    wall_s: float
    cpu_s: float
    read_bytes: int
    written_bytes: int
    stayed: int
    figure: str | None = None
    evicted: Evicted = field(default_factory=Evicted)


@dataclass(frozen=True, slots=True)
class Tried:
    """How it went the first time, alone: ``around_s`` is what preparing it and making it cold took."""

    outcome: Outcome
    around_s: float
    written_bytes: int


class OwnCommand(Workload):
    """``scale`` is how often the command is run for one sample, ``extra`` the MiB of each file that is beside it.

    Attributes: ``definition`` is what is run.
    """

    def __init__(self, definition: Definition, tried: Tried | None = None) -> None:
        self.id = FIGURE if definition.metric else COMMAND
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
        once, evicted = self._tried.outcome, self._tried.outcome.evicted
        told = message(
            "own-tried",
            command=self.definition.title,
            took=once.wall_s,
            read=once.read_bytes,
            written=self._tried.written_bytes,
        )
        cold = _cold_remark(evicted) or message("own-cold", size=evicted.size_bytes, count=evicted.files)
        return (told, cold) if evicted.files else (told,)

    def tried(self, scratch: Scratch, processes: Processes) -> OwnCommand:
        """Run it once alone. Raises ``RunFailed`` where it cannot be measured."""
        began = time.monotonic()
        with self._closed_told():
            outcome = self._once(scratch, processes, None)
            around_s = max(0.0, time.monotonic() - began - outcome.wall_s)
            written = max(outcome.written_bytes, _size(scratch.folder / FOLDER))
            self._clear(scratch)
        return OwnCommand(self.definition, Tried(outcome, around_s, written))

    def size(self, probe: Probe, seconds: float) -> Size:
        """As many times as fit; a command that takes longer is run once. Raises ``ValueError`` for an untried one."""
        if self._tried is None:
            raise ValueError("what a command takes is only known when it was tried")
        beside, outcome = self.definition.beside_it, self._tried.outcome
        if beside.writers and not probe.seeks_slowly:
            seconds = min(seconds, QUICK_BYTES / probe.busy_bytes_per_s)
        waits_s = max(0.0, outcome.wall_s - outcome.cpu_s)
        each_s = outcome.wall_s + (_wait(probe) - 1) * waits_s if beside.writers or beside.readers else outcome.wall_s
        each_s += self._tried.around_s + AROUND_S
        times = min(MOST_TIMES, preferred(seconds / each_s))
        amount = amount_for(beside, probe, times * each_s)
        written = amount.bytes_written + times * self._tried.written_bytes
        kept = amount.bytes_written + amount.bytes_prepared + self._tried.written_bytes
        expected_s = times * each_s + amount.around_s
        return Size(
            times, written, amount.bytes_prepared, expected_s, kept, amount.bytes_source, amount.mib, amount.settle_s
        )

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        """Write what is read beside it."""
        prepare_beside(self.definition.beside_it, size, scratch, processes.check)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Prepare it, make it cold, start what is beside it, run it so often, end what is beside it."""
        background = Background(self.definition.beside_it, size, scratch, processes)
        with self._closed_told():
            outcomes = [self._once(scratch, processes, background)]
            outcomes += [self._once(scratch, processes, None) for _ in range(size.scale - 1)]
            carried = background.finish()
            self._clear(scratch)
        spent_s = sum(each.wall_s for each in outcomes)
        values = {"wall_s": spent_s / size.scale, **carried.values}
        if self.definition.metric:
            values["value"] = sum(map(self._figure, outcomes)) / size.scale
        return Measurement(
            values,
            spent_s,
            carried.read_bytes,
            carried.written_bytes,
            direct=bool(self.definition.beside_it.readers),
            partial=True,
            remark=_remark(outcomes, carried),
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
            self._clear(scratch)

    @contextmanager
    def _closed_told(self) -> Iterator[None]:
        """Say so where the command took the rights away from the folder around its own."""
        try:
            yield
        except PermissionError as error:
            raise RunFailed("own-closed-folder", command=self.definition.title) from error

    def _once(self, scratch: Scratch, processes: Processes, background: Background | None) -> Outcome:
        """Prepare it, make it cold and run it; what is beside it begins just before."""
        own = self.definition
        self._make_folder(scratch)
        if own.prepare:
            self._run(own.prepare, scratch, processes, own.limit_s, None)
        place = str(path_for_others(scratch.folder) / FOLDER)
        cold = [Path(own.folder, each.replace(SCRATCH, place)) for each in own.cold]
        evicted = evict(cold, processes.check)
        if cold and not evicted.files:
            raise RunFailed("own-cold-missing", paths=own.cold)
        return replace(self._run(own.command, scratch, processes, own.limit_s, background, own.metric), evicted=evicted)

    def _run(  # noqa: PLR0917 - what a run is made of
        self,
        command: str,
        scratch: Scratch,
        processes: Processes,
        limit_s: float,
        background: Background | None,
        metric: str | None = None,
    ) -> Outcome:
        """Run one command under the supervisor, which begins it when what is beside it goes on."""
        try:
            argv = self.definition.argv(command, path_for_others(scratch.folder) / FOLDER)
        except ValueError as error:
            raise RunFailed("own-not-understood", command=command, error=str(error)) from error
        figure = {"metric": metric, "figure_s": FIGURE_S}
        wanted = json.dumps({"argv": argv, "cwd": self.definition.folder, "limit_s": limit_s} | figure)
        with Gate() as gate:
            supervised = own_program(Path(supervisor.__file__), wanted)
            pid = processes.start(supervised, scratch.folder, stdin=gate.fd, tidies=True)
            wait_until_ready(processes, pid)
            if background:
                background.start()
        self._watch(pid, command, scratch, processes)
        try:
            printed = processes.wait(pid, limit_s).out
        except ProgramFailed as error:
            if error.status != EXIT_NOT_STARTED:
                raise
            raise RunFailed("own-not-started", command=command, error=error.output.strip()) from error
        return self._outcome(command, printed, limit_s)

    def _watch(self, pid: int, command: str, scratch: Scratch, processes: Processes) -> None:
        """Return when it ended. Raises ``RunFailed`` where the disk becomes too full, or the folder is gone."""
        while not processes.ended(pid):
            if not room(scratch.folder).usable_bytes:
                raise RunFailed("own-fills-disk", command=command)
            processes.pause(LOOK_S)
        if not os.stat(scratch.folder).st_nlink:  # noqa: PTH116 - through the handle, to a folder that may be gone
            raise RunFailed("own-removed-folder", command=command)

    def _outcome(self, command: str, printed: str, limit_s: float) -> Outcome:
        """Read what the supervisor says. Raises ``RunFailed`` for a command that failed or took too long."""
        try:
            found = json.loads(printed.splitlines()[-1])
            status, said = found["status"], (found["err"].strip() or found["out"].strip())[-SHOWN:]
            measured = ("wall_s", "cpu_s", "read_bytes", "written_bytes", "stayed")
            outcome = Outcome(**{name: found[name] for name in measured}, figure=found.get("figure"))
        except (IndexError, ValueError, KeyError, TypeError) as error:
            raise NotUnderstood(Path(supervisor.__file__).name, printed) from error
        if status is None:
            raise RunFailed("own-too-slow", command=command, limit=limit_s)
        if status and not self.definition.ignores_failure:
            id_ = "own-failed" if said else "own-failed-silently"
            raise RunFailed(id_, command=command, status=status, **({"output": said} if said else {}))
        if found.get("slow"):
            raise RunFailed(
                "own-figure-slow", command=self.definition.title, pattern=self.definition.metric, limit=FIGURE_S
            )
        return outcome

    def _figure(self, outcome: Outcome) -> float:
        """Return the command's own figure. Raises ``RunFailed`` where there is none."""
        with suppress(ValueError):
            return float((outcome.figure or "").replace(",", ""))
        raise RunFailed("own-no-figure", command=self.definition.title, pattern=self.definition.metric)

    def _make_folder(self, scratch: Scratch) -> None:
        """Make the command's own folder anew."""
        self._clear(scratch)
        try:
            (scratch.folder / FOLDER).mkdir(0o700)
        except FileNotFoundError as error:
            raise RunFailed("own-removed-folder", command=self.definition.title) from error

    def _clear(self, scratch: Scratch) -> None:
        """Remove the command's folder with all it holds, also what it made unreadable for itself."""
        folder = scratch.folder / FOLDER
        if folder.is_symlink():
            folder.unlink()
        _open_up(folder)
        for place, folders, _ in os.walk(folder):
            for name in folders:
                _open_up(Path(place, name))
        shutil.rmtree(folder, ignore_errors=True)


def named_after(facts: WorkloadFacts, definition: Definition) -> WorkloadFacts:
    """Return a workload's facts with the names that a program of the user's gives its metrics."""
    what, title = definition.activity, definition.title
    here = {"write_bytes_per_s": definition.beside_it.writers, "read_bytes_per_s": definition.beside_it.readers}

    def named(metric: Metric) -> Metric:
        if metric.name in here:
            return metric
        if metric.name != "value":
            return replace(metric, label=title, said=what)
        return replace(metric, label=title, said=message("own-figure-of", activity=what), better=definition.better)

    metrics = tuple(named(metric) for metric in facts.metrics if here.get(metric.name, 1))
    known = {metric.name for metric in metrics}
    roles = tuple(role for role in facts.roles if role.metric is None or role.metric in known)
    return replace(facts, activity=title, summary=title, metrics=metrics, roles=roles, said=what)


def _wait(probe: Probe) -> float:
    """How many times as long a read takes beside something else as alone, as with ``launch-under-writes``."""
    least, most = (SLOW_WAIT, SLOW_BESIDE) if probe.seeks_slowly else (FAST_WAIT, FAST_BESIDE)
    return min(most * least, max(least, probe.beside_read_s / probe.random_read_s))


def _open_up(folder: Path) -> None:
    """Let us remove what is in it; a link in its place is left alone."""
    with suppress(OSError):
        if not folder.is_symlink():
            folder.chmod(0o700)


def _size(folder: Path) -> int:
    """What a folder's files take on the disk."""
    found = 0
    if folder.is_symlink():
        return 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                found += Path(place, name).lstat().st_blocks * 512
    return found


def _remark(outcomes: Sequence[Outcome], carried: Carried) -> Message | None:
    """What is wrong with a run, the worst first."""
    if stayed := max(each.stayed for each in outcomes):
        return message("own-stays", count=stayed)
    if carried.remark:
        return carried.remark
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
