# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``launch-program-under-writes``: a real program started cold while files are being written."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from disktuner.results.model import Goal
from disktuner.vocabulary.metrics import Better, Metric
from disktuner.workloads.programs import missing
from disktuner.workloads.real_program import BYTES, CPU_S, READS, cool, copy_program, start
from disktuner.workloads.workload import Measurement, Probe, Processes, Scratch, Size
from disktuner.workloads.writers import SOURCE_BYTES, Load, Writers, load_for

WRITERS = 2
SETTLE_S = 0.5
BESIDE = 4
"""How many times as long as alone the reads of a start take beside writers; only sizes rest on this."""
MOST_STARTS = 8


class LaunchProgramUnderWrites:
    """``scale`` is the number of starts, each cold, ``extra`` the MiB that each of two dd processes writes beside them.

    The program is the Python interpreter with some hundred of its modules, copied to the tested disk, so that all it
    reads comes from there. On a fast disk its start is mostly work for the CPU: then no scheduler makes a difference,
    and that is the truth about such a start.
    """

    id = "launch-program-under-writes"
    summary = "Starts a real program cold while files are being written"
    program = "python3"
    package: str | None = "python3"
    metrics = (Metric("wall_s", "s", Better.LOWER, "Starting Python with its modules while files are written"),)
    deciding = "wall_s"
    goals = frozenset({Goal.DESKTOP})
    source = "a desktop that freezes while something copies (A, E); the real program beside launch-under-writes"

    def unavailable(self) -> str | None:
        """The interpreter that runs this program is there; dd is part of coreutils."""
        if not Path(os.path.realpath(sys.executable)).is_relative_to(sys.base_prefix):
            return "Python's files lie scattered here, so its start can't be copied: use launch-under-writes instead."
        return missing("dd", "coreutils")

    def size(self, probe: Probe, seconds: float) -> Size:
        """As many starts as fit into that time beside the writers, and writers for all of it."""
        start_s = CPU_S + BESIDE * (READS * probe.random_read_s + BYTES / probe.read_bytes_per_s)
        starts = max(1, min(MOST_STARTS, int(seconds / start_s)))
        load = load_for(probe.write_bytes_per_s, SETTLE_S + starts * start_s, WRITERS)
        kept = load.total_bytes + BYTES
        expected_s = SETTLE_S + starts * start_s + 0.5
        return Size(starts, load.total_bytes, BYTES, expected_s, kept, SOURCE_BYTES, load.mib_each)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:  # noqa: ARG002 - one program
        """Copy the program."""
        folder = scratch.folder / self.id
        folder.mkdir(0o700)
        copy_program(folder / "program", processes)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Start the writers, start the program so many times cold, end the writers; the mean start counts."""
        timeout_s = 20 * size.expected_s + 60
        scratch = Scratch(scratch.folder / self.id, scratch.seed, scratch.source)
        program = scratch.folder / "program"
        cool(program)
        writers = Writers(Load(WRITERS, size.extra), scratch, processes)
        writers.start()
        processes.pause(SETTLE_S)
        spent_s = 0.0
        for number in range(size.scale):
            if number:
                cool(program)
            spent_s += start(program, processes, timeout_s)
        written = writers.finish(timeout_s)
        return Measurement({"wall_s": spent_s / size.scale}, spent_s, written_bytes=written.size_bytes)


WORKLOADS = (LaunchProgramUnderWrites(),)
