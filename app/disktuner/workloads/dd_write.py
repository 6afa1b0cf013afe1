# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``dd-write``: one big file written by GNU dd in 1 MiB blocks until it is on the disk."""

from __future__ import annotations

import os

from disktuner.results.model import Goal
from disktuner.vocabulary.metrics import Better, Metric
from disktuner.workloads.programs import missing, parse_dd
from disktuner.workloads.workload import MIB, SHORT_S, Measurement, Probe, Processes, Scratch, Size

MOST_MIB, FASTEST_MIB = 1024, 8192
SHIFTS = 65536


class DdWrite:
    """``scale`` is the file's size in MiB; the data come from memory and are incompressible.

    Each round begins at another byte of the data, so that no block of the disk is written twice with the same content.
    """

    id = "dd-write"
    summary = "Writes one big file with dd and waits until it is on the disk"
    program = "dd"
    package: str | None = "coreutils"
    metrics = (Metric("bytes_per_s", "bytes_per_s", Better.HIGHER, "Writing one big file"),)
    deciding = "bytes_per_s"
    goals = frozenset({Goal.COPYING, Goal.MEDIA, Goal.SERVER})
    source = "dd bs=1M conv=fdatasync, as in the write-up on SSDs (E)"

    def unavailable(self) -> str | None:
        """dd is part of coreutils."""
        return missing(self.program, self.package)

    def size(self, probe: Probe, seconds: float) -> Size:
        """As much as the disk writes in that time, at most 1 GiB (or 2 s of it) and an eighth of the memory."""
        most = max(MOST_MIB, min(FASTEST_MIB, int(probe.write_bytes_per_s * SHORT_S / MIB)))
        most = min(most, probe.memory_bytes // 8 // MIB)
        mib = max(8, min(most, int(probe.write_bytes_per_s * seconds / MIB)))
        expected_s = mib * MIB / probe.write_bytes_per_s + 0.1
        kept = mib * MIB
        return Size(mib, kept, 0, expected_s, bytes_kept=kept, bytes_source=kept + SHIFTS)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        """Nothing to prepare: each run writes a new file."""

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Write, note dd's own figure, remove the file."""
        target = scratch.folder / f"{self.id}.out"
        stdin = scratch.source.open(scratch.seed % SHIFTS)
        try:
            argv = ["dd", f"of={target.name}", "bs=1M", f"count={size.scale}", "conv=fdatasync", "iflag=fullblock"]
            finished = processes.run(argv, scratch.folder, timeout_s=20 * size.expected_s + 60, stdin=stdin)
        finally:
            os.close(stdin)
            target.unlink(missing_ok=True)
        copied = parse_dd(finished.err)
        rate = copied.size_bytes / copied.seconds
        return Measurement({"bytes_per_s": rate}, copied.seconds, read_bytes=0, written_bytes=copied.size_bytes)


WORKLOADS = (DdWrite(),)
