# SPDX-License-Identifier: GPL-3.0-or-later
"""A user's command as background load for a user's program: tried once, started before each run, ended after it.

Its speed counts what its processes read from and wrote to disks (proc_pid_io(5)), less what still waits in memory. Work
that it delegates to programs that it did not start, such as services, is neither counted nor ended.
"""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from disktuner.block.pending import read_page_cache
from disktuner.block.sysfs import Tree
from disktuner.results.definition import Definition
from disktuner.vocabulary.background import COMMAND
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.workloads import WorkloadFacts
from disktuner.workloads.commands import Ended, Place, argv_of, ended, least_free_bytes, remove_files, supervised
from disktuner.workloads.errors import RunFailed
from disktuner.workloads.load import (
    SETTLE_BYTES,
    SETTLE_S,
    Background,
    Load,
    LoadedSpec,
    WithBackgroundLoad,
    counter,
    plan_load,
)
from disktuner.workloads.spec import MOST_S
from disktuner.workloads.supervisor import below
from disktuner.workloads.workload import MIB, Measurement, Probe, Scratch

FOLDER = "beside"
BUSY_S, BUSY_BYTES = 10.0, MIB
"""How long it may take to read or write ``BUSY_BYTES`` on a disk."""
END_S = 300.0
"""How long ending it after its trial may take, including writing out what it left."""
LOOK_S = 0.005


@dataclass(frozen=True, slots=True)
class Moved:
    """Bytes that processes read from disks and gave the kernel to write, and bytes of any program waiting in memory."""

    read: int
    written: int
    waiting: int

    @property
    def on_disk(self) -> int:
        """The bytes that the disk itself moved."""
        return self.read + self.written - self.waiting

    def since(self, before: Moved) -> Moved:
        """Return the increase; negative where files were removed before they reached the disk."""
        return Moved(self.read - before.read, self.written - before.written, self.waiting - before.waiting)


@dataclass(frozen=True, slots=True)
class LoadRun:
    """How the command went: its duration, what it ``moved``, how it ended, and how long starting and ending it took."""

    command: str
    lasted_s: float
    moved: Moved
    ended: Ended
    around_s: float

    @property
    def remark(self) -> Message | None:
        """The most serious remark on a run with this load; None if there is nothing to say."""
        if self.ended.stayed:
            return message("own-stays", count=self.ended.stayed)
        if self.moved.on_disk < BUSY_BYTES:
            return message("load-idle", command=self.command, took=self.lasted_s)
        if self.ended.runs > 1:
            return message("load-again", command=self.command, count=self.ended.runs - 1)
        return None

    @property
    def notes(self) -> tuple[Message, ...]:
        """What a person should know before the comparison starts."""
        read, written = self.moved.read, max(0, self.moved.written)
        tried = message("load-tried", command=self.command, read=read, written=written, took=self.lasted_s)
        return (tried, self.remark) if self.remark else (tried,)

    def load(self, seconds: float) -> Load:
        """Return the load to expect during a foreground of ``seconds``."""
        waiting = max(0, self.moved.waiting)
        rate = max(0, self.moved.written - waiting) / self.lasted_s
        return Load(bytes_expected=int(rate * (seconds + SETTLE_S)) + waiting, settle_s=min(self.around_s, MOST_S))


class CommandLoad(Background):
    """A command (``pid``: its supervisor) that is repeated for as long as the foreground runs."""

    def __init__(self, definition: Definition, scratch: Scratch) -> None:
        super().__init__(Load(), scratch)
        self._definition = definition
        self.pid, self._started_s = 0, time.monotonic()
        self._before = Moved(0, 0, 0)

    def start(self) -> None:
        """Start it, and return when the disk is busy. Raises ``RunFailed`` if it fails or does nothing."""
        definition, scratch_folder = self._definition, self._scratch.folder
        remove_files(definition.beside, scratch_folder, FOLDER)
        (scratch_folder / FOLDER).mkdir(0o700)
        argv, least = argv_of(definition, definition.beside, scratch_folder, FOLDER), least_free_bytes(scratch_folder)
        processes = self._scratch.processes
        with (
            closing(Place(scratch_folder / "..")) as tested,  # wherever the folder has been moved
            supervised(processes, argv, tested, scratch_folder, least_free_bytes=least) as (self.pid,),
        ):
            self._before = moved_by(self.pid)
        if not self._moves(BUSY_BYTES, BUSY_S):
            raise RunFailed("load-idle", command=definition.beside, took=BUSY_S)
        self._moves(SETTLE_BYTES, SETTLE_S)
        self._began, self._before = time.monotonic(), moved_by(self.pid)

    def stop(self) -> None:
        """Do nothing: the load can only be counted while it runs, so ``finish`` ends it."""

    def finish(self, timeout_s: float) -> Measurement:
        """End it and sync; return its speed since ``start``. Raises ``RunFailed`` if it failed."""
        load_run = self._ran(timeout_s)
        speed = max(load_run.moved.on_disk, MIB // 2) / load_run.lasted_s
        return Measurement({"load_bytes_per_s": speed}, load_run.lasted_s, remark=load_run.remark)

    def tried(self) -> LoadRun:
        """Run it alone for a second. Raises ``RunFailed``."""
        self.start()
        self._scratch.processes.pause(1.0)
        return self._ran(END_S)

    def _ran(self, timeout_s: float) -> LoadRun:
        """End it, and return how it went since ``start``."""
        scratch, command = self._scratch, self._definition.beside
        lasted_s, moved = time.monotonic() - self._began, moved_by(self.pid).since(self._before)
        scratch.processes.end(self.pid)
        ending = ended(scratch.processes, self.pid, "load", command)
        remove_files(command, scratch.folder, FOLDER)
        scratch.sync(timeout_s)
        return LoadRun(command, lasted_s, moved, ending, time.monotonic() - self._started_s - lasted_s)

    def _moves(self, least_bytes: int, most_s: float) -> bool:
        """Wait until it has moved ``least_bytes``; return whether it did. Raises ``RunFailed`` if it ended."""
        processes, until_s = self._scratch.processes, time.monotonic() + most_s
        while (moved := moved_by(self.pid).since(self._before)).read + moved.written < least_bytes:
            if time.monotonic() > until_s:
                return False
            processes.pause(LOOK_S)
            if processes.ended(self.pid):
                ended(processes, self.pid, "load", self._definition.beside)
        return True


class OwnWithBackgroundLoad(WithBackgroundLoad):
    """A user's program, as its ``definition`` says, with a background load, which may be a user's command."""

    definition: Definition

    def __init__(self, definition: Definition, tried_load: LoadRun | None = None) -> None:
        """``tried_load`` is the load command's trial; None before it, or without such a command."""
        self.definition, self._tried_load = definition, tried_load

    @property
    def facts(self) -> WorkloadFacts:
        """The declared facts, with the program's own names for its metrics."""
        facts, title, load = super().facts, self.definition.title, self.definition.load
        activity = self.definition.activity
        speeds = {"write": load.writers, "read": load.readers, "load": load is COMMAND}
        declared = {f"{name}_bytes_per_s": is_there for name, is_there in speeds.items()}
        metrics = tuple(
            metric if metric.name in declared else replace(metric, label=title, said=activity)
            for metric in facts.metrics
            if declared.get(metric.name, True)
        )
        return replace(facts, activity=title, summary=title, metrics=metrics, said=activity)

    @property
    def notes(self) -> tuple[Message, ...]:
        return self._tried_load.notes if self._tried_load else ()

    def try_load(self, scratch: Scratch) -> LoadRun | None:
        """Try the load command, if there is one. Raises ``RunFailed``."""
        definition = self.definition
        return CommandLoad(definition, scratch).tried() if definition.load is COMMAND else None

    def planned_load(self, probe: Probe, seconds: float, most_bytes: float) -> Load:
        """Return the load for a foreground of about ``seconds`` (``plan_load``)."""
        if self._tried_load:
            return self._tried_load.load(seconds)
        return plan_load(self.definition.load, probe, seconds, most_bytes)

    def background(self, scratch: Scratch, spec: LoadedSpec) -> Background:
        if self.definition.load is COMMAND:
            return CommandLoad(self.definition, scratch)
        return super().background(scratch, spec)


def moved_by(pid: int) -> Moved:
    """Return what a supervisor and its descendants moved so far; ended processes count with their parent."""
    for _ in range(10):  # until no process began or ended meanwhile
        family = (pid, *below(pid))
        read, written, cancelled = (
            sum(counter(process, name) for process in family)
            for name in ("read_bytes", "write_bytes", "cancelled_write_bytes")
        )
        if family == (pid, *below(pid)):
            break
    cache = read_page_cache(Tree(Path("/")))
    return Moved(read, written - cancelled, cache.waiting_bytes if cache else 0)
