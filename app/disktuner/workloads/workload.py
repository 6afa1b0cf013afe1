# SPDX-License-Identifier: GPL-3.0-or-later
"""What a workload is: a real program with stated parameters, metrics, bytes written and needed package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from disktuner.results.model import Goal, Metric


@dataclass(frozen=True, slots=True)
class Size:
    """How much one run does on this disk: chosen once by a probe and then the same for all schedulers.

    ``scale`` is the workload's own measure of work (its docstring says of what); ``bytes_written`` the upper
    bound that one run writes, ``bytes_prepared`` what preparing the scratch files writes once,
    ``expected_s`` the expected time of one run including getting cold.
    """

    scale: int
    bytes_written: int
    bytes_prepared: int
    expected_s: float


@dataclass(frozen=True, slots=True)
class Probe:
    """What a short look at the disk found: used to choose sizes, never reported as a result."""

    write_bytes_per_s: float
    read_bytes_per_s: float
    random_read_s: float
    memory_bytes: int
    free_bytes: int


@dataclass(frozen=True, slots=True)
class Measurement:
    """What one run yields: values by metric name (without the workload's id), and facts for the guard.

    ``read_bytes`` and ``written_bytes`` are what the program says it moved (None where it does not say);
    the guard compares them with what the disk moved.
    """

    values: Mapping[str, float]
    read_bytes: int | None = None
    written_bytes: int | None = None


class Processes(Protocol):
    """Runs programs as the user, in groups that a cancel ends within a second, never through a shell."""

    def run(self, argv: list[str], cwd: Path, timeout_s: float) -> str:
        """Run to the end and return stdout. Raises ``ProgramFailed``, or ``Cancelled`` when told to stop."""

    def start(self, argv: list[str], cwd: Path) -> int:
        """Start a background program of this run (a contending writer); it is ended with the run."""

    def check(self) -> None:
        """Raise ``Cancelled`` if the run was told to stop; long Python loops call it between operations."""


@dataclass(frozen=True, slots=True)
class Scratch:
    """Where a run may write: a private folder on the tested file system, and the seed of its choices."""

    folder: Path
    seed: int


class Workload(Protocol):
    """One benchmark. Stateless; prepare once per experiment, then ``run`` once per sample."""

    id: str
    summary: str
    program: str
    package: str | None
    metrics: tuple[Metric, ...]
    deciding: str
    goals: frozenset[Goal]
    source: str

    def unavailable(self) -> str | None:
        """Why it cannot run here and what to install, or None."""

    def size(self, probe: Probe, seconds: float) -> Size:
        """Choose the work so that one run takes about ``seconds`` on a disk as probed."""

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        """Write the files that all runs share; at most ``size.bytes_prepared``, fsynced."""

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Make cold, run once, return what was measured. Writes at most ``size.bytes_written``."""
