# SPDX-License-Identifier: GPL-3.0-or-later
"""The user's own command as a workload: prepared, made cold and run, alone or with a background load.

``supervisor`` times and ends the command. As nobody knows beforehand what it does, it is tried once before planning.
"""

from __future__ import annotations

import logging
import math
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from disktuner.private_folder import path_for_others, remove_below, size_below
from disktuner.results.definition import SCRATCH, Definition
from disktuner.vocabulary.background import NO_LOAD
from disktuner.vocabulary.messages import Message, message, say, without_words
from disktuner.workloads.cold import ALLOWED_SHARE, Evicted, evict
from disktuner.workloads.command_load import LoadRun, OwnWithBackgroundLoad
from disktuner.workloads.commands import Ended, Place, argv_of, ended, least_free_bytes, remove_files, supervised
from disktuner.workloads.errors import Aborted, RunFailed
from disktuner.workloads.load import AROUND_S, Background, LoadedSpec, affordable_s
from disktuner.workloads.spec import SHORTEST_S, Cost, Count, CountOrZero
from disktuner.workloads.workload import Measurement, Probe, Scratch, preferred

log = logging.getLogger(__name__)

FOLDER = "own"
MOST_TIMES = 64
"""The most runs of a short command for one sample, which is their mean."""


@dataclass(frozen=True, slots=True)
class Tried:
    """The command's trial: how it went, the files dropped from memory, and the time to prepare and drop them."""

    once: Ended
    evicted: Evicted
    around_s: float


class OwnSpec(LoadedSpec, frozen=True):
    """A sample runs the command ``times``; each run writes about ``command_bytes``."""

    WORK: ClassVar = {"times": 1}
    ESTIMATES: ClassVar = frozenset({"expected_s", "command_bytes"})

    prepared_bytes: CountOrZero
    times: Count
    command_bytes: CountOrZero

    @property
    def cost(self) -> Cost:
        """The load, and what the command wrote in its trial."""
        cost, commands = super().cost, self.times * self.command_bytes
        written, expected = cost.bytes_written + commands, cost.bytes_expected + commands
        kept = cost.bytes_kept + self.command_bytes
        return replace(cost, bytes_written=written, bytes_expected=expected, bytes_kept=kept)


class OwnCommand(OwnWithBackgroundLoad):
    """A command whose duration is measured. Attributes: ``definition`` describes it."""

    id = "own-command"
    spec_type = OwnSpec

    def __init__(
        self,
        definition: Definition,
        tried: Tried | None = None,
        tried_load: LoadRun | None = None,
        place: Place | None = None,
    ) -> None:
        super().__init__(definition, tried_load)
        self._tried, self._place = tried, place or Place(definition.folder)

    @property
    def notes(self) -> tuple[Message, ...]:
        """How its trial went."""
        assert self._tried, "what a command takes is only known when it was tried"
        once, evicted, title = self._tried.once, self._tried.evicted, self.definition.title
        tried = message("own-tried", command=title, took=once.wall_s, read=once.read_bytes, written=once.written_bytes)
        cold = _cold_remark(evicted) or message("own-cold", size=evicted.size_bytes, count=evicted.files)
        return (tried, *([cold] if evicted.files else []), *super().notes)

    def tried(self, scratch: Scratch) -> OwnCommand:
        """Try the command, and its load command, alone. Raises ``RunFailed`` if it cannot be measured."""
        began = time.monotonic()
        with self._folder_kept():
            once, evicted = self._once(scratch)
            around_s = max(0.0, time.monotonic() - began - once.wall_s)
            written = max(once.written_bytes, size_below(scratch.folder / FOLDER))
            remove_files(self.definition.title, scratch.folder, FOLDER)
            tried = Tried(replace(once, written_bytes=written), evicted, around_s)
            return OwnCommand(self.definition, tried, self.try_load(scratch), self._place)

    def plan(self, probe: Probe, seconds: float, most_bytes: float = math.inf) -> OwnSpec:
        """Run as often as fits, but at least once."""
        assert self._tried, "what a command takes is only known when it was tried"
        kind, once = self.definition.load, self._tried.once
        if kind.writers:
            seconds = min(seconds if probe.is_rotational else SHORTEST_S, affordable_s(probe, most_bytes))
        waits_s = max(0.0, once.wall_s - once.cpu_s)
        slower = 1.0 if kind == NO_LOAD else probe.wait_beside
        runs_s = once.wall_s + (slower - 1) * waits_s
        each_s = runs_s + self._tried.around_s + AROUND_S
        times = min(MOST_TIMES, preferred(max(seconds / each_s, math.ceil(SHORTEST_S / runs_s))))
        load = self.planned_load(probe, times * each_s, most_bytes - times * once.written_bytes)
        return OwnSpec(times * each_s + load.around_s, 0, load, times, once.written_bytes)

    def run(self, scratch: Scratch, spec: LoadedSpec, abort_after_s: float = math.inf) -> Measurement:
        """Run it with the load, and remove what it left."""
        with self._folder_kept():
            measurement = super().run(scratch, spec, abort_after_s)
            remove_files(self.definition.title, scratch.folder, FOLDER)
        return measurement

    def run_foreground(self, scratch: Scratch, spec: OwnSpec, load: Background, abort_after_s: float) -> Measurement:
        """Prepare, make cold and run each time; the load starts with the first run."""
        runs, evicted, spent_s, aborted = list[Ended](), Evicted(), 0.0, False
        try:
            while len(runs) < spec.times:
                ending, more = self._once(scratch, None if runs else load, abort_after_s - spent_s)
                runs.append(ending)
                evicted, spent_s = evicted + more, spent_s + ending.wall_s
        except Aborted as slow:
            spent_s, aborted = spent_s + slow.took_s, True
        values, remark = {"wall_s": spent_s / spec.times}, _remark(runs, evicted)
        return Measurement(values, spent_s, read_bytes=0, partial=True, cut_short=aborted, remark=remark)

    def clean(self, scratch: Scratch) -> None:
        """Run the cleanup command, for a minute at most; a failure is only logged."""
        if self.definition.cleanup:
            try:
                self._run(self.definition.cleanup, scratch, limit_s=60.0)
            except RunFailed as error:
                failed = message("own-cleanup-failed", error=error.message)
                log.warning(say(failed), extra={"kept": without_words(failed)})
        with suppress(OSError):
            remove_below(scratch.folder / FOLDER)

    @contextmanager
    def _folder_kept(self) -> Iterator[None]:
        """Raise ``RunFailed`` if the command removed the scratch folder or its permissions."""
        try:
            yield
        except (FileNotFoundError, PermissionError) as error:
            raise RunFailed("own-removed-folder", command=self.definition.title) from error

    def _once(
        self, scratch: Scratch, load: Background | None = None, most_s: float = math.inf
    ) -> tuple[Ended, Evicted]:
        """Prepare, make cold and run once; the load starts just before the run. Raises ``Aborted``."""
        definition = self.definition
        remove_files(definition.title, scratch.folder, FOLDER)
        (scratch.folder / FOLDER).mkdir(0o700)
        if definition.prepare:
            self._run(definition.prepare, scratch, definition.limit_s)
        place = str(path_for_others(scratch.folder) / FOLDER)
        evicted = evict(
            [Path(definition.folder, path.replace(SCRATCH, place)) for path in definition.cold], scratch.processes.check
        )
        if definition.cold and not evicted.files:
            raise RunFailed("own-cold-missing", paths=definition.cold)
        return self._run(definition.command, scratch, definition.limit_s, load, most_s), evicted

    def _run(
        self, command: str, scratch: Scratch, limit_s: float, load: Background | None = None, most_s: float = math.inf
    ) -> Ended:
        """Run one command. Raises ``RunFailed`` if it fails, takes too long or fills the disk, and ``Aborted``."""
        definition, folder, processes = self.definition, scratch.folder, scratch.processes
        argv = argv_of(definition, command, folder, FOLDER)
        limits = {"limit_s": limit_s, "least_free_bytes": least_free_bytes(folder)}
        with supervised(processes, argv, self._place, folder, **limits) as (pid,):
            if load:
                load.start()
        ending = ended(processes, pid, "own", command, most_s, may_fail=definition.ignores_failure)
        if not os.stat(folder).st_nlink:  # noqa: PTH116 - through the handle, to a folder that may be gone
            raise RunFailed("own-removed-folder", command=command)
        if ending.status is None:
            raise RunFailed("own-too-slow", command=command, limit=limit_s)
        return ending


def _remark(runs: Sequence[Ended], evicted: Evicted) -> Message | None:
    """Return the most serious remark on a sample's runs; None if there is nothing to say."""
    if stayed := max((run.stayed for run in runs), default=0):
        return message("own-stays", count=stayed)
    cold_remark = _cold_remark(evicted)
    if not runs or any(run.read_bytes or run.written_bytes for run in runs) or (cold_remark and evicted.stayed):
        return cold_remark
    return message("own-in-memory")


def _cold_remark(evicted: Evicted) -> Message | None:
    if evicted.stayed > ALLOWED_SHARE:
        return message("own-cold-stayed", share=evicted.stayed, size=evicted.known_bytes)
    if evicted.known_bytes < evicted.size_bytes:
        return message("own-cold-untold", size=evicted.size_bytes - evicted.known_bytes)
    return None
