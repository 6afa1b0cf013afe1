# SPDX-License-Identifier: GPL-3.0-or-later
"""A command of the user's as the load beside a program of the user's: tried, started before each run, ended after it.

Its speed is what its processes read from disks and wrote (proc_pid_io(5)), without what still waits in memory. What it
has done by programs that it did not start, a service for example, is neither counted nor ended.
"""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from disktuner.block.pending import read_page_cache
from disktuner.block.sysfs import Tree
from disktuner.private_folder import remove_below
from disktuner.results.definition import Definition
from disktuner.vocabulary.background import COMMAND
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.workloads import WorkloadFacts
from disktuner.workloads.commands import Ended, Place, argv_of, ended, least_free_bytes, supervised
from disktuner.workloads.errors import RunFailed
from disktuner.workloads.load import SETTLE_BYTES, SETTLE_S, Background, Beside, Load, LoadedSpec, counter, plan_load
from disktuner.workloads.spec import MOST_S
from disktuner.workloads.supervisor import below
from disktuner.workloads.workload import MIB, Measurement, Probe, Scratch

FOLDER = "beside"
BUSY_S, BUSY_BYTES = 10.0, MIB
"""How long it may take until it has read or written anything worth the name on a disk."""
END_S = 300.0
"""How long it may take to end it when it was tried, and to have the disk write what it left."""
LOOK_S = 0.005


@dataclass(frozen=True, slots=True)
class Moved:
    """What processes read from disks and handed to the kernel to write, and what of all that waits in memory."""

    read: int
    written: int
    waiting: int

    @property
    def on_disk(self) -> int:
        """What the disk did of that."""
        return self.read + self.written - self.waiting

    def since(self, before: Moved) -> Moved:
        """Return what was added; where files are removed before they are on the disk, there is less than before."""
        return Moved(self.read - before.read, self.written - before.written, self.waiting - before.waiting)


@dataclass(frozen=True, slots=True)
class LoadRun:
    """How the command went: for how long, what it ``moved``, how it ended, and what starting and ending it took."""

    command: str
    lasted_s: float
    moved: Moved
    ended: Ended
    around_s: float

    @property
    def remark(self) -> Message | None:
        """What is to be said of a run beside it, the worst first."""
        if self.ended.stayed:
            return message("own-stays", count=self.ended.stayed)
        if self.moved.on_disk < BUSY_BYTES:
            return message("load-idle", command=self.command, took=self.lasted_s)
        if self.ended.runs > 1:
            return message("load-again", command=self.command, count=self.ended.runs - 1)
        return None

    @property
    def notes(self) -> tuple[Message, ...]:
        """What is to be known of it before the start."""
        read, written = self.moved.read, max(0, self.moved.written)
        tried = message("load-tried", command=self.command, read=read, written=written, took=self.lasted_s)
        return (tried, self.remark) if self.remark else (tried,)

    def load(self, seconds: float) -> Load:
        """Return what it is expected to do beside something that takes so many seconds."""
        waiting = max(0, self.moved.waiting)
        rate = max(0, self.moved.written - waiting) / self.lasted_s
        return Load(bytes_expected=int(rate * (seconds + SETTLE_S)) + waiting, settle_s=min(self.around_s, MOST_S))


class CommandLoad(Background):
    """A command (``pid``: its supervisor) that goes on beside one run; where it ends before, it begins again."""

    def __init__(self, definition: Definition, scratch: Scratch) -> None:
        super().__init__(Load(), scratch)
        self._definition = definition
        self.pid, self._started_s = 0, time.monotonic()
        self._before = Moved(0, 0, 0)

    def start(self) -> None:
        """Start it, and return when the disk is busy. Raises ``RunFailed`` where it fails or does nothing."""
        own, private = self._definition, self._scratch.folder
        remove_below(private / FOLDER)
        (private / FOLDER).mkdir(0o700)
        argv, least = argv_of(own, own.beside, private, FOLDER), least_free_bytes(private)
        processes = self._scratch.processes
        with (
            closing(Place.above(private)) as tested,
            supervised(processes, argv, tested, private, least_free_bytes=least) as (self.pid,),
        ):
            self._before = moved_by(self.pid)
        if not self._moves(BUSY_BYTES, BUSY_S):
            raise RunFailed("load-idle", command=own.beside, took=BUSY_S)
        self._moves(SETTLE_BYTES, SETTLE_S)
        self._began, self._before = time.monotonic(), moved_by(self.pid)

    def stop(self) -> None:
        """Let it go on: what it does is only known while it runs."""

    def finish(self, timeout_s: float) -> Measurement:
        """End it, with nothing left to write; return its speed since ``start``. Raises ``RunFailed`` if it failed."""
        found = self._ran(timeout_s)
        speed = max(found.moved.on_disk, MIB // 2) / found.lasted_s
        return Measurement({"load_bytes_per_s": speed}, found.lasted_s, remark=found.remark)

    def tried(self) -> LoadRun:
        """Let it run for a moment alone. Raises ``RunFailed``."""
        self.start()
        self._scratch.processes.pause(1.0)
        return self._ran(END_S)

    def _ran(self, timeout_s: float) -> LoadRun:
        """End it, and return how it went since ``start``."""
        scratch, command = self._scratch, self._definition.beside
        lasted_s, moved = time.monotonic() - self._began, moved_by(self.pid).since(self._before)
        scratch.processes.end(self.pid)
        how = ended(scratch.processes, self.pid, "load", command)
        remove_below(scratch.folder / FOLDER)
        scratch.sync(timeout_s)
        return LoadRun(command, lasted_s, moved, how, time.monotonic() - self._started_s - lasted_s)

    def _moves(self, least_bytes: int, most_s: float) -> bool:
        """Wait until it has read and written so much; whether it did. Raises ``RunFailed`` where it ended."""
        processes, until_s = self._scratch.processes, time.monotonic() + most_s
        while (moved := moved_by(self.pid).since(self._before)).read + moved.written < least_bytes:
            if time.monotonic() > until_s:
                return False
            processes.pause(LOOK_S)
            if processes.ended(self.pid):
                ended(processes, self.pid, "load", self._definition.beside)
        return True


class OwnBeside(Beside):
    """A program of the user's, as its ``definition`` says, beside a load, which may be a command."""

    definition: Definition

    def __init__(self, definition: Definition, tried_load: LoadRun | None = None) -> None:
        """``tried_load`` is how the command beside it went, None before, and where there is none."""
        self.definition, self._tried_load = definition, tried_load

    @property
    def facts(self) -> WorkloadFacts:
        """What is declared, with the names that the program gives its metrics."""
        facts, title, load = super().facts, self.definition.title, self.definition.load
        what = self.definition.activity
        speeds = {"write": load.writers, "read": load.readers, "load": load is COMMAND}
        there = {f"{name}_bytes_per_s": is_there for name, is_there in speeds.items()}
        metrics = tuple(
            metric if metric.name in there else replace(metric, label=title, said=what)
            for metric in facts.metrics
            if there.get(metric.name, True)
        )
        return replace(facts, activity=title, summary=title, metrics=metrics, said=what)

    @property
    def notes(self) -> tuple[Message, ...]:
        """What is to be known of the command beside it before the start."""
        return self._tried_load.notes if self._tried_load else ()

    def try_load(self, scratch: Scratch) -> LoadRun | None:
        """Try the command that runs beside it, if one does. Raises ``RunFailed``."""
        own = self.definition
        return CommandLoad(own, scratch).tried() if own.load is COMMAND else None

    def planned_load(self, probe: Probe, seconds: float, most_bytes: float) -> Load:
        """Return the load beside something that takes about so many seconds (``plan_load``)."""
        if self._tried_load:
            return self._tried_load.load(seconds)
        return plan_load(self.definition.load, probe, seconds, most_bytes)

    def background(self, scratch: Scratch, spec: LoadedSpec) -> Background:
        """What runs beside one run."""
        if self.definition.load is COMMAND:
            return CommandLoad(self.definition, scratch)
        return super().background(scratch, spec)


def moved_by(pid: int) -> Moved:
    """Return what a supervisor and all below it moved so far; whoever ended counts with who waited for it."""
    for _ in range(10):  # until none began or ended meanwhile
        family = (pid, *below(pid))
        read, written, cancelled = (
            sum(counter(each, name) for each in family)
            for name in ("read_bytes", "write_bytes", "cancelled_write_bytes")
        )
        if family == (pid, *below(pid)):
            break
    cache = read_page_cache(Tree(Path("/")))
    return Moved(read, written - cancelled, cache.waiting_bytes if cache else 0)
