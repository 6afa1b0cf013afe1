# SPDX-License-Identifier: GPL-3.0-or-later
"""What a workload is: its facts, the measurement of a run, and where it runs."""

from __future__ import annotations

import math
import shutil
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from disktuner.results.definition import Definition
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.workloads import WorkloadFacts, facts_of
from disktuner.workloads.processes import Processes
from disktuner.workloads.raw_disk import RawDisk
from disktuner.workloads.source import Source, write_file
from disktuner.workloads.spec import FileSpec, ReadSpec, Spec

MIB = 1024 * 1024
SHORT_S = 2.0
"""The least duration of a run, for which sizes may exceed their usual bounds on fast disks."""
SLOW_WAIT, FAST_WAIT = (8, 32), (3, 24)
"""The range of the slowdown of scattered reads by writers: about 8 on a 7200 rpm disk with any scheduler that does not
hold the writers back. Used for plans and estimates only."""


FAST_BYTES_PER_S = 200e6


@dataclass(frozen=True, slots=True)
class Probe:
    """A short look at the disk: used to choose sizes, never reported as a result.

    ``random_read_s`` is the time of a scattered read alone, ``beside_read_s`` during writes with the present scheduler,
    ``stream_bytes_per_s`` the speed of those writes. ``elsewhere`` is another disk whose speed is felt, if any.
    ``usual_beside_s`` is a scattered read's time during writes where a portrait knows more than the look; else 0.
    """

    write_bytes_per_s: float
    read_bytes_per_s: float
    random_read_s: float
    memory_bytes: int
    free_bytes: int
    durable_write_s: float = 0.01
    beside_read_s: float = 0.0
    stream_bytes_per_s: float = 0.0
    elsewhere: Probe | None = None
    usual_beside_s: float = 0.0

    @property
    def busy_bytes_per_s(self) -> float:
        """The speed of writers that only the disk limits: one without heads may accept more than it makes durable."""
        return self.write_bytes_per_s if self.is_rotational else max(self.write_bytes_per_s, self.stream_bytes_per_s)

    @property
    def wait_beside(self) -> float:
        """The slowdown of scattered reads by a background load."""
        if self.usual_beside_s:
            return max(1.0, self.usual_beside_s / self.random_read_s)
        least, most = SLOW_WAIT if self.is_rotational else FAST_WAIT
        return min(most, max(least, self.beside_read_s / self.random_read_s))

    @property
    def is_fast(self) -> bool:
        """Whether it has no heads and writes faster than sticks and cards, so that no scheduler makes runs long."""
        return not self.is_rotational and self.busy_bytes_per_s >= FAST_BYTES_PER_S

    @property
    def is_rotational(self) -> bool:
        """Whether scattered reads take so long that heads must be moving."""
        return self.random_read_s > 0.002


@dataclass(frozen=True, slots=True)
class Measurement:
    """What one run yields: values by metric name (without the workload's id), and facts for the guard.

    ``wall_s`` is the duration of the measured part. ``read_bytes`` and ``written_bytes`` are what the program claims to
    have moved (None if it makes no claim), for the guard to compare with the disk; ``partial``: it moved more.
    ``cut_writers`` is the number of writers ended while writing. ``histograms`` has latency distributions: name →
    ((upper bound in seconds, count), …). ``direct``: only true if the file system honours O_DIRECT. ``cut_short``: it
    was ended, so that it would have taken at least that long. ``remark`` is a problem that the workload itself found
    (one of ``vocabulary.reasons``).
    """

    values: Mapping[str, float]
    wall_s: float
    read_bytes: int | None = None
    written_bytes: int | None = None
    histograms: Mapping[str, tuple[tuple[float, int], ...]] | None = None
    direct: bool = False
    cut_short: bool = False
    partial: bool = False
    cut_writers: int = 0
    remark: Message | None = None


@dataclass(frozen=True, slots=True)
class Scratch:
    """Where and with what a workload runs: a private folder on the tested file system, and the programs started there.

    ``seed`` is the experiment's in ``prepare`` and the round's in ``run``, so that all schedulers of a round meet the
    same offsets. ``source`` is incompressible data in memory, ``raw`` the disk below the folder, ``elsewhere`` a
    private folder on another disk. ``steady_bytes`` tells how much a writer has written that goes on during all runs;
    None if there is none.
    """

    folder: Path
    seed: int
    source: Source
    processes: Processes
    raw: RawDisk = field(default_factory=RawDisk)
    elsewhere: Path | None = None
    steady_bytes: Callable[[], int] | None = None

    def run(self, argv: Sequence[str], timeout_s: float) -> str:
        """Run a program in the folder and return its output. Raises ``ProgramFailed`` or ``Cancelled``."""
        return self.processes.run(argv, self.folder, timeout_s).out

    def sync(self, timeout_s: float) -> None:
        """Sync the file system with sync(1), which a cancel can end."""
        self.run(["sync", "--file-system", "."], timeout_s)

    def write(self, name: str, size_bytes: int) -> None:
        """Write a file of random data."""
        write_file(self.folder / name, size_bytes, self.seed, self.processes.check)


def preferred(amount: float) -> int:
    """Return the largest of 1, 2, 3, 4, 6, 8, 12, 16, 24, … up to ``amount``, so that similar probes agree on sizes."""
    power = 1 << max(0, int(amount).bit_length() - 1)
    return power + power // 2 if power + power // 2 <= amount else power


def plan_reading(probe: Probe, seconds: float, each_s: float = 0.0, besides_s: float = 0.0) -> ReadSpec:
    """Return how much to read in ``seconds``, if each pass takes ``each_s`` more, and the run ``besides_s`` more."""
    wanted = min(probe.read_bytes_per_s, 2 * probe.write_bytes_per_s) * seconds  # written in at most twice the time
    size = MIB * max(8, min(1024, int(wanted / MIB)))
    once_s = size / probe.read_bytes_per_s + each_s
    times = max(1, min(20, int(seconds / once_s)))
    return ReadSpec(times * once_s + besides_s, size, times * size)


def own_program(script: Path, *words: object) -> list[str]:
    """Return the command that runs a script of this package, which may use the standard library only."""
    return [sys.executable, "-I", "-S", str(script), *map(str, words)]


def missing(program: str, package: str | None) -> Message | None:
    """Return what to install for a program; None if it is installed."""
    path = shutil.which(program)
    return None if path else message("program-missing", program=program, package=package or program)


class Workload(ABC):
    """How a benchmark runs; its declaration is in ``facts``.

    Stateless: ``prepare`` once per experiment, then ``run`` once per sample. Attributes: ``spec_type`` is the type of
    its plans, ``definition`` the user's own program, if any; ``is_elsewhere``: it needs another disk.
    """

    id: str
    spec_type: type[Spec]
    definition: Definition | None = None
    is_elsewhere: bool = False

    @property
    def facts(self) -> WorkloadFacts:
        """The declaration in ``vocabulary.workloads``."""
        return facts_of(self.id)

    @property
    def deciding(self) -> str:
        """The metric that stands for it, without the workload's id."""
        return self.facts.deciding

    def unavailable(self, disks: Sequence[str] | None = None) -> Message | None:  # noqa: ARG002 - most run on any
        """Return why it cannot run here, or on these disks, and what to install; None if it can."""
        facts = self.facts
        return missing(facts.program, facts.package) if facts.package else None

    @abstractmethod
    def plan(self, probe: Probe, seconds: float, most_bytes: float = math.inf, /) -> Spec:
        """Choose the work for a run of about ``seconds`` that writes ``most_bytes`` at most, if that is meaningful."""

    def spec_from(self, fields: object) -> Spec:
        """Parse the spec that a result keeps (``Spec.as_json``). Raises ``BadSpec``."""
        return self.spec_type.from_json(fields)

    def tried(self, scratch: Scratch) -> Workload:  # noqa: ARG002 - most are known
        """Return the workload ready for planning; a user's own is run once for that."""
        return self

    def clean(self, scratch: Scratch) -> None:  # noqa: B027 - most need nothing
        """Undo what runs did outside of the scratch folder; called at the very end, whatever happened."""

    @property
    def notes(self) -> tuple[Message, ...]:
        """What a person should know before the comparison starts."""
        return ()

    def prepare(self, scratch: Scratch, spec: Any) -> None:
        """Write and fsync the files that all runs share, at most ``bytes_prepared``; by default, the spec's file."""
        if isinstance(spec, FileSpec):
            scratch.write(self.file(scratch).name, spec.file_bytes)

    @abstractmethod
    def run(self, scratch: Scratch, spec: Any, abort_after_s: float = math.inf, /) -> Measurement:
        """Make cold and run once; a run that takes longer than ``abort_after_s`` is ended."""

    def file(self, scratch: Scratch, ending: str = "in") -> Path:
        """Return the path of the workload's scratch file."""
        return scratch.folder / f"{self.id}.{ending}"
