# SPDX-License-Identifier: GPL-3.0-or-later
"""What a workload is: its facts, what a run of it yields, and where it runs."""

from __future__ import annotations

import math
import shutil
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
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
"""No run should be shorter, not even on a fast disk: up to here sizes that are usually bounded may be larger."""
SLOW_WAIT, FAST_WAIT = (8, 32), (3, 24)
"""How many times as long as alone a scattered read takes beside writers, at least and at most: about 8 on a 7200 rpm
disk with any scheduler that does not hold the writers back for it. Only what is planned and announced rests on this."""


FAST_BYTES_PER_S = 200e6


@dataclass(frozen=True, slots=True)
class Probe:
    """What a short look at the disk found: used to choose sizes, never reported as a result.

    ``random_read_s`` is the time of a scattered read alone, ``beside_read_s`` beside a writer with the scheduler that
    the disk has now, ``stream_bytes_per_s`` that writer's speed. ``elsewhere`` is another disk, where one is felt.
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

    @property
    def busy_bytes_per_s(self) -> float:
        """What writers write that only the disk holds back: one without a head may take more than it makes durable."""
        return self.write_bytes_per_s if self.seeks_slowly else max(self.write_bytes_per_s, self.stream_bytes_per_s)

    @property
    def wait_beside(self) -> float:
        """How many times as long as alone a scattered read takes beside something else."""
        least, most = SLOW_WAIT if self.seeks_slowly else FAST_WAIT
        return min(most, max(least, self.beside_read_s / self.random_read_s))

    @property
    def is_fast(self) -> bool:
        """Whether it writes faster than sticks and cards and has no head: there, no scheduler makes runs take long."""
        return not self.seeks_slowly and self.busy_bytes_per_s >= FAST_BYTES_PER_S

    @property
    def seeks_slowly(self) -> bool:
        """Whether scattered reads take so long that they must wait for a head that moves."""
        return self.random_read_s > 0.002


@dataclass(frozen=True, slots=True)
class Measurement:
    """What one run yields: values by metric name (without the workload's id), and facts for the guard.

    ``wall_s`` is the duration of the measured part. ``read_bytes`` and ``written_bytes`` are what the program says that
    it moved (None where it does not), for the guard to compare with the disk; ``partial`` means that it moved more.
    ``cut_writers`` is how many wrote that and were ended in the midst of it.
    ``histograms`` holds latency distributions: name → ((upper bound in seconds, count), …). ``direct`` means that its
    numbers are only true where the file system honours O_DIRECT. ``cut_short`` means that it was not waited for: it
    took that long at least. ``remark`` is what the workload itself found to be wrong (one of ``vocabulary.reasons``).
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

    ``seed`` is that of its choices: in ``prepare`` the experiment's, in ``run`` the round's, so that all schedulers of
    a round meet the same offsets. ``source`` is incompressible data in memory, ``raw`` the disk below, ``elsewhere`` a
    private folder on another disk, for what is felt there.
    """

    folder: Path
    seed: int
    source: Source
    processes: Processes
    raw: RawDisk = field(default_factory=RawDisk)
    elsewhere: Path | None = None

    def run(self, argv: Sequence[str], timeout_s: float) -> str:
        """Run a program there to its end and return what it printed. Raises ``ProgramFailed`` or ``Cancelled``."""
        return self.processes.run(argv, self.folder, timeout_s).out

    def sync(self, timeout_s: float) -> None:
        """Make everything of this file system durable with sync(1), which a cancel can end."""
        self.run(["sync", "--file-system", "."], timeout_s)

    def write(self, name: str, size_bytes: int) -> None:
        """Write a file of random data."""
        write_file(self.folder / name, size_bytes, self.seed, self.processes.check)


def preferred(amount: float) -> int:
    """Return the largest of 1, 2, 3, 4, 6, 8, 12, 16, 24, … up to ``amount``: so sizes of two probes compare."""
    power = 1 << max(0, int(amount).bit_length() - 1)
    return power + power // 2 if power + power // 2 <= amount else power


def plan_reading(probe: Probe, seconds: float, each_s: float = 0.0, besides_s: float = 0.0) -> ReadSpec:
    """Return how much is read in that time, where each reading takes ``each_s`` more and the run ``besides_s``."""
    wanted = min(probe.read_bytes_per_s, 2 * probe.write_bytes_per_s) * seconds  # it is written in twice that time
    size = MIB * max(8, min(1024, int(wanted / MIB)))
    once_s = size / probe.read_bytes_per_s + each_s
    times = max(1, min(20, int(seconds / once_s)))
    return ReadSpec(times * once_s + besides_s, size, times * size)


def own_program(script: Path, *words: object) -> list[str]:
    """Return the command that runs a program of this package, which needs nothing but Python's own library."""
    return [sys.executable, "-I", "-S", str(script), *map(str, words)]


def missing(program: str, package: str | None) -> Message | None:
    """Return what to install, None where the program is there."""
    there = shutil.which(program)
    return None if there else message("program-missing", program=program, package=package or program)


class Workload(ABC):
    """One benchmark: how it runs; what is known of it without that are its facts.

    Stateless: ``prepare`` once per experiment, then ``run`` once per sample. Attributes: ``id`` finds the facts,
    ``spec_type`` is what it plans, ``definition`` a program of the user's own; ``is_elsewhere`` needs another disk.
    """

    id: str
    spec_type: type[Spec]
    definition: Definition | None = None
    is_elsewhere: bool = False

    @property
    def facts(self) -> WorkloadFacts:
        """What ``vocabulary.workloads`` declares of it."""
        return facts_of(self.id)

    @property
    def deciding(self) -> str:
        """The metric that stands for it, without the workload's id."""
        return self.facts.deciding

    def unavailable(self, disks: Sequence[str] | None = None) -> Message | None:  # noqa: ARG002 - most run on any
        """Why it cannot run here, or on these disks, and what to install; None where it can."""
        facts = self.facts
        return missing(facts.program, facts.package) if facts.package else None

    @abstractmethod
    def plan(self, probe: Probe, seconds: float, most_bytes: float = math.inf, /) -> Spec:
        """Choose the work so that one run takes about so long; it writes so much at most, if less says anything."""

    def spec_from(self, found: object) -> Spec:
        """Read the spec that a result keeps (``Spec.as_json``). Raises ``BadSpec`` for what none can be."""
        return self.spec_type.from_json(found)

    def tried(self, scratch: Scratch) -> Workload:  # noqa: ARG002 - most are known
        """Return the workload as it is planned with; one that nobody knows is run once for that."""
        return self

    def clean(self, scratch: Scratch) -> None:  # noqa: B027 - most need nothing
        """Undo what runs did outside of the scratch folder, at the very end and whatever happened."""

    @property
    def notes(self) -> tuple[Message, ...]:
        """What is to be known of it before the start."""
        return ()

    def prepare(self, scratch: Scratch, spec: Any) -> None:
        """Write the files that all runs share, at most its ``bytes_prepared``, fsynced: the one that the spec names."""
        if isinstance(spec, FileSpec):
            scratch.write(self.file(scratch).name, spec.file_bytes)

    @abstractmethod
    def run(self, scratch: Scratch, spec: Any, abort_after_s: float = math.inf, /) -> Measurement:
        """Make cold, run once, return what was measured; what would go on for longer is ended then."""

    def file(self, scratch: Scratch, ending: str = "in") -> Path:
        """Return the path of a scratch file of its own."""
        return scratch.folder / f"{self.id}.{ending}"
