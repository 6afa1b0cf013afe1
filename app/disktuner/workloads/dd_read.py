# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``dd-read``: one big file read by GNU dd in 1 MiB blocks, none of it in memory before."""

from __future__ import annotations

from disktuner.results.model import Goal
from disktuner.vocabulary.metrics import Better, Metric
from disktuner.workloads.cold import make_cold
from disktuner.workloads.programs import missing, parse_dd
from disktuner.workloads.source import write_file
from disktuner.workloads.workload import MIB, Measurement, Probe, Processes, Scratch, Size

MOST_MIB = 1024
MOST_TIMES = 20


class DdRead:
    """``scale`` is the file's size in MiB, ``extra`` how often it is read, each time cold.

    It is written once, so all schedulers read the same blocks; on a fast disk it is read several times, because reading
    wears nothing.
    """

    id = "dd-read"
    summary = "Reads one big file with dd that is not in memory"
    program = "dd"
    package: str | None = "coreutils"
    metrics = (Metric("bytes_per_s", "bytes_per_s", Better.HIGHER, "Reading one big file"),)
    deciding = "bytes_per_s"
    goals = frozenset({Goal.DESKTOP, Goal.COPYING, Goal.MEDIA, Goal.SERVER})
    source = "dd bs=1M after dropping caches, as in the write-up on SSDs (E)"

    def unavailable(self) -> str | None:
        """dd is part of coreutils."""
        return missing(self.program, self.package)

    def size(self, probe: Probe, seconds: float) -> Size:
        """As much as the disk reads in that time, but not more than it writes in twice that time, at most 1 GiB."""
        wanted = min(probe.read_bytes_per_s, 2 * probe.write_bytes_per_s) * seconds
        mib = max(8, min(MOST_MIB, int(wanted / MIB)))
        once_s = mib * MIB / probe.read_bytes_per_s + 0.1
        times = max(1, min(MOST_TIMES, int(seconds / once_s)))
        return Size(mib, 0, mib * MIB, times * once_s, bytes_kept=mib * MIB, extra=times)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        """Write the file."""
        write_file(scratch.folder / f"{self.id}.in", size.scale * MIB, scratch.seed, processes.check)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Make the file cold, read it, note dd's own figure; as often as planned."""
        path = scratch.folder / f"{self.id}.in"
        argv = ["dd", f"if={path.name}", "of=/dev/null", "bs=1M"]
        size_bytes, spent_s = 0, 0.0
        for _ in range(size.extra):
            make_cold(path)
            copied = parse_dd(processes.run(argv, scratch.folder, timeout_s=20 * size.expected_s + 60).err)
            size_bytes, spent_s = size_bytes + copied.size_bytes, spent_s + copied.seconds
        return Measurement({"bytes_per_s": size_bytes / spent_s}, spent_s, read_bytes=size_bytes, written_bytes=0)


WORKLOADS = (DdRead(),)
