# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``mapped-reads``: scattered reads of a mapped file, which is where read-ahead costs most."""

from __future__ import annotations

import json
import mmap
from pathlib import Path

from disktuner.workloads import mapped_reader
from disktuner.workloads.cold import make_cold
from disktuner.workloads.errors import NotUnderstood
from disktuner.workloads.workload import (
    MIB,
    Measurement,
    Probe,
    Processes,
    Scratch,
    Size,
    Workload,
    own_program,
    preferred,
)

READS = 64
"""Of one pass: after a hundred misses in a row the kernel reads nothing more around them (MMAP_LOTSAMISS)."""

MOST_MIB, LEAST_MIB = 1024, 64
MOST_PASSES = 48
START_S = 0.05  # of Python, and of making the file cold


class MappedReads(Workload):
    """``scale`` is the number of passes, each by a new process through the cold file, ``extra`` the file's size in MiB.

    However far the kernel reads ahead, a pass reads no more than the whole file, so the time of a run is bounded.
    """

    id = "mapped-reads"

    def size(self, probe: Probe, seconds: float) -> Size:
        """As much as the disk reads in that time, or writes in twice that time; and passes until then."""
        wanted = min(min(probe.read_bytes_per_s, 2 * probe.write_bytes_per_s) * seconds, probe.free_bytes / 4)
        mib = max(LEAST_MIB, min(MOST_MIB, preferred(wanted / MIB)))
        whole_s = max(mib * MIB / probe.read_bytes_per_s, READS * probe.random_read_s) + START_S
        passes = max(1, min(MOST_PASSES, preferred(seconds / whole_s)))
        return Size(passes, 0, mib * MIB, passes * whole_s, bytes_kept=mib * MIB, extra=mib)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        """Write the file."""
        self.write(scratch, size.extra * MIB, processes)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Read at so many places, each time from a cold file; the mean time of a pass counts."""
        path = self.file(scratch)
        spent_s, pages = 0.0, 0
        for number in range(size.scale):
            make_cold(path)
            argv = own_program(Path(mapped_reader.__file__), path.name, READS, scratch.seed + 7919 * number)
            wall_s, touched = found(processes.run(argv, scratch.folder, size.timeout_s).out)
            spent_s += wall_s
            pages += touched
        return Measurement({"wall_s": spent_s / size.scale}, spent_s, read_bytes=pages * mmap.PAGESIZE)


def found(text: str) -> tuple[float, int]:
    """Read what the reader prints: seconds, and how many different pages. Raises ``NotUnderstood``."""
    try:
        printed = json.loads(text)
        return float(printed["wall_s"]), int(printed["pages"])
    except (ValueError, KeyError, TypeError) as error:
        raise NotUnderstood(Path(mapped_reader.__file__).name, text) from error


RUNNERS = (MappedReads(),)
