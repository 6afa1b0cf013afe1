# SPDX-License-Identifier: GPL-3.0-or-later
"""What a workload is: its facts, how much one run does, what it yields, and where it runs."""

from __future__ import annotations

import math
import shutil
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Protocol

from disktuner.results.definition import Definition
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.workloads import WorkloadFacts, facts_of
from disktuner.workloads.raw_disk import RawDisk
from disktuner.workloads.source import Source, write_file

MIB = 1024 * 1024
SHORT_S = 2.0
"""No run should be shorter, not even on a fast disk: up to here sizes that are usually bounded may be larger."""

SLOW_READ_S = 0.002
"""A scattered read that takes longer has to wait for a head that moves."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much one run does on this disk: chosen once by a probe and then the same for all schedulers.

    ``scale`` is the workload's own measure of work (of what, its docstring explains); ``bytes_written`` the upper
    bound that one run writes, ``bytes_prepared`` what preparing the scratch files writes once,
    ``expected_s`` the expected time of one run including getting cold. ``bytes_kept`` is the room that its files
    take at most at one time, ``bytes_source`` the random data in memory that its programs write from. ``extra`` is a
    second measure of work where one is not enough, ``settle_s`` how long what is beside a run goes on before it. A run
    that takes longer than ``patience_s`` need not be waited for: that it takes longer is known then, and enough.
    """

    scale: int
    bytes_written: int
    bytes_prepared: int
    expected_s: float
    bytes_kept: int = 0
    bytes_source: int = 0
    extra: int = 0
    settle_s: float = 0.0
    patience_s: float = math.inf

    @property
    def cost(self) -> Size:
        """What a run costs."""
        return self

    def shortened(self, share: float) -> Size:
        """Return the same work, expected to take that share of the time."""
        return replace(self, expected_s=self.expected_s * share)

    def as_json(self) -> Mapping[str, Any]:
        """What a result keeps of it."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name != "patience_s"}

    @property
    def timeout_s(self) -> float:
        """How long a program of a run may take before it is ended: far longer than any scheduler makes it."""
        return 20 * self.expected_s + 60


@dataclass(frozen=True, slots=True)
class Probe:
    """What a short look at the disk found: used to choose sizes, never reported as a result.

    ``random_read_s`` is the time of a scattered read alone, ``beside_read_s`` beside a writer with the scheduler that
    the disk has now, ``stream_bytes_per_s`` that writer's speed (0 where that was not tried).
    """

    write_bytes_per_s: float
    read_bytes_per_s: float
    random_read_s: float
    memory_bytes: int
    free_bytes: int
    durable_write_s: float = 0.01
    beside_read_s: float = 0.0
    stream_bytes_per_s: float = 0.0

    @property
    def busy_bytes_per_s(self) -> float:
        """What background writers write that are held back by nothing but the disk.

        A disk without a head may take far more than it makes durable in that time. One with a head does not; only its
        queue does, for a moment.
        """
        return self.write_bytes_per_s if self.seeks_slowly else max(self.write_bytes_per_s, self.stream_bytes_per_s)

    @property
    def seeks_slowly(self) -> bool:
        """Whether scattered reads take as long as on a hard disk."""
        return self.random_read_s > SLOW_READ_S


@dataclass(frozen=True, slots=True)
class Measurement:
    """What one run yields: values by metric name (without the workload's id), and facts for the guard.

    ``read_bytes`` and ``written_bytes`` are what the program reports to have moved (None where it does not); the guard
    compares them with what the disk moved. ``wall_s`` is the duration of the measured part. ``histograms`` holds full
    latency distributions: name → ((upper bound in seconds, count), …). ``direct`` means that a program opened its files
    with O_DIRECT, so that its numbers are only true where the file system honours that. ``cut_short`` means that it was
    not waited for: its times are what it took at least. ``partial`` means that more was moved than is reported, and
    ``remark`` is what the workload itself found to be wrong with its run (one of ``vocabulary.reasons``).
    """

    values: Mapping[str, float]
    wall_s: float
    read_bytes: int | None = None
    written_bytes: int | None = None
    histograms: Mapping[str, tuple[tuple[float, int], ...]] | None = None
    direct: bool = False
    cut_short: bool = False
    partial: bool = False
    remark: Message | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """How a program ended: what it printed, its wall time, and the CPU time of it and its children."""

    out: str
    err: str
    wall_s: float
    cpu_s: float


class Processes(Protocol):
    """Runs programs as the user, in groups that a cancel ends within a second, never through a shell.

    ``stdin`` is a file descriptor that the program reads. Every started program is ended with the run.
    """

    def run(self, argv: Sequence[str], cwd: Path, timeout_s: float, stdin: int | None = None) -> Finished:
        """Run to the end. Raises ``ProgramFailed``, or ``Cancelled``."""

    def start(
        self,
        argv: Sequence[str],
        cwd: Path,
        stdin: int | None = None,
        stdout: int | None = None,
        fds: tuple[int, ...] = (),
        *,
        tidies: bool = False,
    ) -> int:
        """Start a program beside others and return its process id; ``stdout`` None means it is kept for ``wait``.

        It inherits ``fds`` under their numbers. One that ``tidies`` runs programs of the user's: it has the user's
        environment, and is told to end (SIGTERM), so that it can end those, before it is killed.
        """

    def printed(self, pid: int) -> bool:
        """Whether a started program has printed anything."""

    def ended(self, pid: int) -> bool:
        """Whether a started program has ended."""

    def wait(self, pid: int, timeout_s: float) -> Finished:
        """Wait for a started program. Raises like ``run``."""

    def end(self, pid: int) -> None:
        """Ask a started program to end (SIGTERM); it need not be waited for."""

    def pause(self, seconds: float) -> None:
        """Sleep, but wake and raise ``Cancelled`` at once on a cancel."""

    def check(self) -> None:
        """Raise ``Cancelled`` if the run was cancelled; long Python loops call it between operations."""


@dataclass(frozen=True, slots=True)
class Scratch:
    """Where a run may write: a private folder on the tested file system, the seed of its choices, and its data.

    The seed of ``prepare`` belongs to the experiment; that of ``run`` to the round, so that all schedulers of a round
    meet the same offsets. ``source`` is incompressible data in memory for programs that write; ``raw`` the disk below.
    """

    folder: Path
    seed: int
    source: Source
    raw: RawDisk = field(default_factory=RawDisk)


def preferred(amount: float) -> int:
    """Return the largest of 1, 2, 3, 4, 6, 8, 12, 16, 24, … that is not above ``amount`` (at least 1).

    Sizes out of so coarse a row come out the same when a disk is probed again, so results can be compared.
    """
    power = 1 << max(0, int(amount).bit_length() - 1)
    return power + power // 2 if power + power // 2 <= amount else power


def own_program(script: Path, *words: object) -> list[str]:
    """Return the command that runs a program of this package, which needs nothing but Python's own library."""
    return [sys.executable, "-I", "-S", str(script), *map(str, words)]


def missing(program: str, package: str | None) -> Message | None:
    """Return what to install, None where the program is there."""
    if shutil.which(program):
        return None
    return message("program-missing", program=program, package=package or program)


class Workload(ABC):
    """One benchmark: how it runs; what is known of it without that are its facts.

    Stateless: ``prepare`` once per experiment, then ``run`` once per sample. Attributes: ``id`` finds the facts,
    ``definition`` is what a program of the user's own is, None for all others.
    """

    id: str
    definition: Definition | None = None

    @property
    def facts(self) -> WorkloadFacts:
        """What ``vocabulary.workloads`` declares of it."""
        return facts_of(self.id)

    @property
    def deciding(self) -> str:
        """The metric that stands for it, without the workload's id."""
        return self.facts.deciding

    def unavailable(self) -> Message | None:
        """Why it cannot run here and what to install, None where it can."""
        facts = self.facts
        return missing(facts.program, facts.package) if facts.package else None

    def unavailable_on(self, disks: Sequence[str]) -> Message | None:  # noqa: ARG002 - most run on any
        """Why it cannot run on these disks, None where it can."""
        return self.unavailable()

    @abstractmethod
    def size(self, probe: Probe, seconds: float) -> Size:
        """Choose the work so that one run takes about ``seconds`` on a disk as probed."""

    def tried(self, scratch: Scratch, processes: Processes) -> Workload:  # noqa: ARG002 - most are known
        """Return the workload as it is planned with; one that nobody knows is run once for that."""
        return self

    def clean(self, scratch: Scratch, processes: Processes) -> None:  # noqa: B027 - most need nothing
        """Undo what runs did outside of the scratch folder, at the very end and whatever happened."""

    @property
    def is_unknown(self) -> bool:
        """Whether it has to be ``tried`` before it can be planned with."""
        return False

    @property
    def notes(self) -> tuple[Message, ...]:
        """What is to be known of it before the start."""
        return ()

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:  # noqa: B027 - most need nothing
        """Write the files that all runs share; at most ``size.bytes_prepared``, fsynced."""

    @abstractmethod
    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Make cold, run once, return what was measured. Writes at most ``size.bytes_written``."""

    def file(self, scratch: Scratch, ending: str = "in") -> Path:
        """Return the path of a scratch file of its own."""
        return scratch.folder / f"{self.id}.{ending}"

    def write(self, scratch: Scratch, size_bytes: int, processes: Processes, ending: str = "in") -> None:
        """Write a scratch file of its own with random data."""
        write_file(self.file(scratch, ending), size_bytes, scratch.seed, processes.check)
