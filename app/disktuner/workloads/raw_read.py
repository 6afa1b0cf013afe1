# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``raw-read``: the raw disk read from its beginning past the page cache, as ``hdparm -t`` does."""

from __future__ import annotations

import os

from disktuner.results.model import Goal
from disktuner.vocabulary.metrics import Better, Metric
from disktuner.workloads.errors import RunFailed
from disktuner.workloads.programs import missing, parse_dd
from disktuner.workloads.raw_disk import not_there
from disktuner.workloads.workload import MIB, Measurement, Probe, Processes, Scratch, Size

BLOCK_MIB = 2
"""What hdparm reads at once (TIMING_BUF_MB)."""

MOST_MIB = 16 * 1024


class RawRead:
    """``scale`` is how many MiB are read, always from the disk's beginning: once more where the disk is smaller.

    It goes around partitions and file systems, so it says what disk and scheduler do alone.
    """

    id = "raw-read"
    summary = "Reads the raw disk from its beginning, without a file system"
    program = "dd"
    package: str | None = "udisks2"
    metrics = (Metric("bytes_per_s", "bytes_per_s", Better.HIGHER, "Reading the raw disk"),)
    deciding = "bytes_per_s"
    goals = frozenset({Goal.COPYING, Goal.MEDIA})
    source = "hdparm -t, as in the write-up on SSDs (E), on what udisks' OpenForBenchmark opens: polkit asks for it"

    def unavailable(self) -> str | None:
        """dd is part of coreutils; udisks opens the disk."""
        return missing(self.program, "coreutils") or not_there()

    def size(self, probe: Probe, seconds: float) -> Size:
        """As much as files are read in that time: reading wears nothing."""
        mib = max(8, min(MOST_MIB, int(probe.read_bytes_per_s * seconds / MIB)))
        return Size(mib - mib % BLOCK_MIB, 0, 0, mib * MIB / probe.read_bytes_per_s + 0.1)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:  # noqa: ARG002 - read as it is
        """Have the disk opened: who must be asked is asked now."""
        scratch.raw.open(processes)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Read, note dd's own figure."""
        fd = scratch.raw.open(processes)
        size_bytes, spent_s, wanted = 0, 0.0, size.scale * MIB
        while size_bytes < wanted:
            os.lseek(fd, 0, os.SEEK_SET)
            blocks = -(-(wanted - size_bytes) // (BLOCK_MIB * MIB))
            argv = ["dd", "of=/dev/null", f"bs={BLOCK_MIB}M", f"count={blocks}", "iflag=fullblock"]
            copied = parse_dd(processes.run(argv, scratch.folder, 20 * size.expected_s + 60, stdin=fd).err)
            if not copied.size_bytes:
                raise RunFailed("the disk has nothing to read")
            size_bytes, spent_s = size_bytes + copied.size_bytes, spent_s + copied.seconds
        return Measurement({"bytes_per_s": size_bytes / spent_s}, spent_s, read_bytes=size_bytes, written_bytes=0)


WORKLOADS = (RawRead(),)
