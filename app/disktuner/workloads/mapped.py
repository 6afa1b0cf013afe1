# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``mapped-reads``: scattered reads of a mapped file, which is where read-ahead costs most."""

from __future__ import annotations

import json
import mmap
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from disktuner.workloads import mapped_reader
from disktuner.workloads.cold import make_cold
from disktuner.workloads.errors import NotUnderstood
from disktuner.workloads.spec import FileSpec
from disktuner.workloads.workload import MIB, Measurement, Probe, Processes, Scratch, Workload, own_program, preferred

READS = 64
"""Of one pass: after a hundred misses in a row the kernel reads nothing more around them (MMAP_LOTSAMISS)."""

MOST_MIB, LEAST_MIB = 1024, 64
MOST_PASSES = 48
START_S = 0.05  # of Python, and of making the file cold


@dataclass(frozen=True, slots=True)
class MappedSpec(FileSpec):
    """A run has so many ``passes``, each by a new process through the cold file."""

    WORK: ClassVar = {"passes": 1}

    passes: int


class MappedReads(Workload):
    """However far the kernel reads ahead, a pass reads no more than the whole file, so the time of a run is bounded."""

    id = "mapped-reads"
    spec_type = MappedSpec

    def plan(self, probe: Probe, seconds: float, *_: float) -> MappedSpec:
        """As much as the disk reads in that time, or writes in twice that time; and passes until then."""
        wanted = min(min(probe.read_bytes_per_s, 2 * probe.write_bytes_per_s) * seconds, probe.free_bytes / 4)
        size = MIB * max(LEAST_MIB, min(MOST_MIB, preferred(wanted / MIB)))
        whole_s = max(size / probe.read_bytes_per_s, READS * probe.random_read_s) + START_S
        passes = max(1, min(MOST_PASSES, preferred(seconds / whole_s)))
        return MappedSpec(passes * whole_s, size, passes)

    def prepare(self, scratch: Scratch, spec: MappedSpec, processes: Processes) -> None:
        """Write the file."""
        self.write(scratch, spec.file_bytes, processes)

    def run(self, scratch: Scratch, spec: MappedSpec, processes: Processes, *_: float) -> Measurement:
        """Read at so many places, each time from a cold file; the mean time of a pass counts."""
        path = self.file(scratch)
        spent_s, pages = 0.0, 0
        for number in range(spec.passes):
            make_cold(path)
            argv = own_program(Path(mapped_reader.__file__), path.name, READS, scratch.seed + 7919 * number)
            wall_s, touched = found(processes.run(argv, scratch.folder, spec.timeout_s).out)
            spent_s += wall_s
            pages += touched
        return Measurement({"wall_s": spent_s / spec.passes}, spent_s, read_bytes=pages * mmap.PAGESIZE)


def found(text: str) -> tuple[float, int]:
    """Read what the reader prints: seconds, and how many different pages. Raises ``NotUnderstood``."""
    try:
        printed = json.loads(text)
        return float(printed["wall_s"]), int(printed["pages"])
    except (ValueError, KeyError, TypeError) as error:
        raise NotUnderstood(Path(mapped_reader.__file__).name, text) from error


RUNNERS = (MappedReads(),)
