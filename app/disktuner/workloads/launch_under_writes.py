# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``launch-under-writes``: the cold start of a program while files are being written."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from disktuner.results.model import Goal
from disktuner.vocabulary.metrics import Better, Metric
from disktuner.workloads import dependent_reader
from disktuner.workloads.cold import make_cold
from disktuner.workloads.errors import NotUnderstood
from disktuner.workloads.programs import missing
from disktuner.workloads.source import write_file
from disktuner.workloads.workload import MIB, Measurement, Probe, Processes, Scratch, Size, preferred
from disktuner.workloads.writers import END_S, SETTLE_S, SOURCE_BYTES, Load, Writers, load_for

BLOCK_BYTES = 16384
WRITERS = 2
SLOW_READ_S = 0.002
SLOW_WAIT, FAST_WAIT = 8, 3
"""How many times as long as alone a scattered read takes beside writers, at least: about 8 on a 7200 rpm disk with any
scheduler that does not hold the writers back for it. Only sizes and announcements rest on this."""
MOST_BESIDE = 4
"""What the look at the disk found beside a writer counts up to that many times of that."""
MOST_WAIT = 1.4
"""The writers may go on for that many times the expected time, if a scheduler is so slow."""
FILE_NAME = "launch.in"


class LaunchUnderWrites:
    """A program's start is many small reads, each known only after the one before, from files that are not in memory.

    A process of its own does that on a scattered file while dd processes write beside it until it is done. ``scale`` is
    the number of reads, ``extra`` the MiB that each writer may write at most. The writers' speed during the start is
    the price.
    """

    id = "launch-under-writes"
    summary = "Starts a program cold while files are being written"
    program = "dd"
    package: str | None = "coreutils"
    metrics = (
        Metric("wall_s", "s", Better.LOWER, "Starting a program while files are written"),
        Metric("write_bytes_per_s", "bytes_per_s", Better.HIGHER, "Writing while a program starts"),
    )
    deciding = "wall_s"
    goals = frozenset({Goal.DESKTOP})
    source = "a desktop that freezes while something copies (A, E); dependent scattered reads as in a program's start"

    def unavailable(self) -> str | None:
        """dd is part of coreutils."""
        return missing(self.program, self.package)

    def size(self, probe: Probe, seconds: float) -> Size:
        """As many reads as take that time beside the writers, less what the writers need before and after."""
        around_s = SETTLE_S + END_S
        wait = SLOW_WAIT if probe.random_read_s > SLOW_READ_S else FAST_WAIT
        read_s = wait * probe.random_read_s
        read_s = min(max(read_s, probe.beside_read_s), MOST_BESIDE * read_s)
        reads = min(12_288, max(16, preferred((seconds - around_s) / read_s)))
        load = load_for(probe.write_bytes_per_s, SETTLE_S + MOST_WAIT * reads * read_s, WRITERS)
        file_mib = max(16, min(256, preferred(2 * probe.write_bytes_per_s / MIB)))
        kept = load.total_bytes + file_mib * MIB
        expected_s = reads * read_s + around_s
        return Size(reads, load.total_bytes, file_mib * MIB, expected_s, kept, SOURCE_BYTES, load.mib_each)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        """Write the file that the start reads from."""
        write_file(scratch.folder / FILE_NAME, size.bytes_prepared, scratch.seed, processes.check)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Make cold, start the writers, start the program, end the writers."""
        timeout_s = 20 * size.expected_s + 60
        make_cold(scratch.folder / FILE_NAME)
        writers = Writers(Load(WRITERS, size.extra), scratch, processes)
        writers.start()
        walked = launch(scratch, size.scale, processes, timeout_s)
        written = writers.finish(timeout_s)
        values = {"wall_s": walked.wall_s, "write_bytes_per_s": written.bytes_per_s}
        return Measurement(values, walked.wall_s, walked.size_bytes, written.size_bytes)


@dataclass(frozen=True, slots=True)
class Walked:
    """What the dependent reader did."""

    wall_s: float
    size_bytes: int


def launch(scratch: Scratch, reads: int, processes: Processes, timeout_s: float) -> Walked:
    """Run the dependent reader as a new process and return its own figures."""
    script = str(Path(dependent_reader.__file__))
    argv = [sys.executable, "-I", "-S", script, FILE_NAME, str(reads), str(BLOCK_BYTES), str(scratch.seed)]
    text = processes.run(argv, scratch.folder, timeout_s).out
    try:
        found = json.loads(text)
        return Walked(float(found["wall_s"]), int(found["blocks"]) * BLOCK_BYTES)
    except (ValueError, KeyError, TypeError) as error:
        raise NotUnderstood("the dependent reader", text) from error


WORKLOADS = (LaunchUnderWrites(),)
