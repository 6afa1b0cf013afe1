# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``commit-log``: small appends, each on the disk before the next, as a database commits."""

from __future__ import annotations

from disktuner.results.model import Goal
from disktuner.vocabulary.metrics import Better, Metric
from disktuner.workloads.errors import NotUnderstood
from disktuner.workloads.fio import COMMON, parse_job
from disktuner.workloads.programs import missing
from disktuner.workloads.workload import MIB, Measurement, Probe, Processes, Scratch, Size

BLOCK_BYTES = 4096
JOURNAL_FACTOR = 8  # what the file system's own journal may write per append, at most, in blocks


class CommitLog:
    """``scale`` is the number of commits of 4 KiB, each followed by fdatasync(2)."""

    id = "commit-log"
    summary = "Appends small records, each safe on the disk before the next"
    program = "fio"
    package: str | None = "fio"
    metrics = (
        Metric("commits_per_s", "per_s", Better.HIGHER, "Commits"),
        Metric("p99_s", "s", Better.LOWER, "The slowest hundredth of the commits"),
    )
    deciding = "commits_per_s"
    goals = frozenset({Goal.DATABASE})
    source = "a database's journal on an SSD (NuoDB, E): append, then fdatasync"

    def unavailable(self) -> str | None:
        """Fio has to be installed."""
        return missing(self.program, self.package)

    def size(self, probe: Probe, seconds: float) -> Size:
        """As many as are durable in that time."""
        commits = max(50, min(50_000, int(seconds / probe.durable_write_s)))
        total = commits * BLOCK_BYTES
        expected_s = commits * probe.durable_write_s + 0.5
        return Size(commits, total * JOURNAL_FACTOR + MIB, 0, expected_s, bytes_kept=total + MIB)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        """Nothing to prepare: each run begins a new log."""

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Append and remove the log."""
        path = scratch.folder / f"{self.id}.out"
        argv = ["fio", *COMMON, "--name=log", f"--filename={path.name}", "--rw=write", f"--bs={BLOCK_BYTES}"]
        argv += [f"--size={size.scale * BLOCK_BYTES}", "--file_append=1", "--fdatasync=1", "--ioengine=psync"]
        argv += ["--refill_buffers", f"--randseed={scratch.seed + 1}"]
        path.touch(0o600)
        try:
            text = processes.run(argv, scratch.folder, 20 * size.expected_s + 60).out
        finally:
            path.unlink(missing_ok=True)
        writes = parse_job(text, "log", "write")
        if writes.sync_p99_s is None:
            raise NotUnderstood("fio", text)
        values = {"commits_per_s": writes.ios / writes.runtime_s, "p99_s": writes.sync_p99_s}
        return Measurement(values, writes.runtime_s, histograms={"latency_s": writes.sync_histogram})


WORKLOADS = (CommitLog(),)
